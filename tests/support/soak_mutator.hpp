// SPDX-License-Identifier: MIT
#pragma once
// One thread's random operations on a stack that others work on too: it registers, opens, closes, moves, group-deletes
// devices, adds addresses, routes and neighbours, and looks up.

#include <random>
#include <string>
#include <vector>

#include "refimpl/net/addrconf.hpp"
#include "refimpl/net/fib.hpp"
#include "refimpl/net/linkwatch.hpp"
#include "refimpl/net/neigh.hpp"
#include "refimpl/net/route.hpp"
#include "refimpl/net/rtnetlink.hpp"

namespace quiesce::refimpl {

class mutator {
 public:
  mutator(stack& s, std::vector<net*> nets, unsigned id) : s_(s), nets_(std::move(nets)), id_(id), random_(id) {}
  void step();
  std::uint64_t made = 0;

 private:
  net& any_net() { return *nets_[random_() % nets_.size()]; }
  std::string any_name() { return "t" + std::to_string(id_) + "-" + std::to_string(random_() % 4); }
  void look_up(net& n, const std::string& name);
  void configure(net& n, const std::string& name);
  void rtnl_section(net& n, const std::string& name);

  stack& s_;
  std::vector<net*> nets_;
  unsigned id_;
  std::mt19937 random_;
};

inline void mutator::look_up(net& n, const std::string& name) {
  if (net_device* dev = dev_get_by_name(n, name)) {
    static_cast<void>(linkwatch_fire_event(*dev, (random_() & 1) != 0));
    if (result<neighbour*> made_one = neigh_create(*s_.arp_tbl, ipv4_key(random_() % 16 + 1), *dev)) {
      static_cast<void>(neigh_event_send(*made_one.value()));
      neigh_release(made_one.value());
    }
    static_cast<void>(pneigh_enqueue(*s_.arp_tbl, *dev, ipv4_key(1), 1));
    static_cast<void>(dev_put(*dev, holder::lookup));
  }
  if (result<fib_result> found = fib_lookup(n, random_())) fib_info_put(found.value().fi);
  if (result<rtable*> rt = ip_route_output(n, 0x0a000000u | (random_() & 0xffff))) dst_release(rt.value());
}

inline void mutator::configure(net& n, const std::string& name) {
  static_cast<void>(do_setlink_up(n, name, true));
  static_cast<void>(inet_rtm_newaddr(n, name, 0x0a000001u + (random_() % 64 << 8), 24));
}

inline void mutator::rtnl_section(net& n, const std::string& name) {
  rtnl_guard held(s_);
  if (!held) return;
  if (net_device* dev = __dev_get_by_name(n, name)) {
    fib_config cfg;
    cfg.fc_dst = 0x14000000u | (random_() % 256 << 8);
    cfg.fc_dst_len = 24;
    cfg.fc_scope = RT_SCOPE_LINK;
    cfg.nexthops = {{dev, 0, 1}};
    static_cast<void>(fib_table_insert(n, cfg));
    static_cast<void>(inet6_addr_add(*dev, {0x20010db800000000ull, random_() % 64 + 1}, 64));
    static_cast<void>(dev_hold_chain(*dev, random_() % 3));
  }
  static_cast<void>(held.release());
}

inline void mutator::step() {
  net& n = any_net();
  const std::string name = any_name();
  switch (random_() % 10) {
    case 0:
    case 1: {
      link_request r;
      r.name = name;
      r.group = static_cast<int>(id_) + 1;
      if (rtnl_newlink(n, r)) ++made;
      return configure(n, name);
    }
    case 2:
      static_cast<void>(do_setlink_up(n, name, (random_() & 1) != 0));
      return;
    case 3:
      static_cast<void>(do_setlink_netns(n, name, any_net()));
      return;
    case 4:
      static_cast<void>(rtnl_dellink(n, name));
      return;
    case 5:
      static_cast<void>(rtnl_group_dellink(n, static_cast<int>(id_) + 1));
      return;
    case 6:
      return rtnl_section(n, name);
    case 7:
      static_cast<void>(linkwatch_event(s_));
      return;
    default:
      return look_up(n, name);
  }
}

}  // namespace quiesce::refimpl
