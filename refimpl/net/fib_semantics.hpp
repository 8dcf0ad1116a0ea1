// SPDX-License-Identifier: MIT
#pragma once
// Inside of the FIB: shared by fib_semantics.cpp and fib_table.cpp. All under RTNL.

#include "refimpl/net/fib.hpp"
#include "refimpl/net/fib_trie.hpp"
#include "refimpl/net/stack.hpp"

namespace quiesce::refimpl {

// Finds an equal live fib_info or makes one, without taking a tree reference. errors: see fib_table_insert.
result<fib_info*> fib_create_info(net& n, const fib_config& cfg);
// Drops a tree reference; the last one takes the info out of the hashes.
void fib_release_info(fib_info& fi);
// Longest-prefix match over local and main among live infos of at least `min_scope`; NULL if none. RTNL or an RCU read
// section.
fib_alias* fib_select(net& n, std::uint32_t daddr, std::uint8_t min_scope);

}  // namespace quiesce::refimpl
