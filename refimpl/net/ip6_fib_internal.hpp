// SPDX-License-Identifier: MIT
#pragma once
// Shared by ip6_fib.cpp and fib6_gc.cpp. All under tb6_lock.

#include "refimpl/net/ip6_fib.hpp"

namespace quiesce::refimpl {

std::list<rt6_exception>::iterator rt6_remove_exception(net& n, fib6_info& f, std::list<rt6_exception>::iterator at);
// Out of the table, exceptions flushed; the table's reference is dropped.
void fib6_del(net& n, fib6_info& f);
// Routes on the gc list that have nothing left to expire leave it.
void update_gc_list(net& n);

}  // namespace quiesce::refimpl
