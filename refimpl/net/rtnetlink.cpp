// SPDX-License-Identifier: MIT
#include "refimpl/net/rtnetlink.hpp"

#include "refimpl/device/driver.hpp"
#include "refimpl/net/inetdev.hpp"
#include "refimpl/net/lists.hpp"
#include "refimpl/net/upper.hpp"

namespace quiesce::refimpl {

namespace {

// Runs f under RTNL; an error of f wins over one of rtnl_unlock.
template <class F>
status under_rtnl(net& n, F f) {
  stack& s = n.owner;
  return s.enter([&]() -> status {
    rtnl_guard held(s);
    if (!held) return held.code();
    if (!s.known(&n) || n.leaving) return error::enodev;
    status outcome = f();
    status unlocked = held.release();
    return outcome ? unlocked : outcome;
  });
}

template <class F>
status on_device(net& n, const std::string& name, F f) {
  return under_rtnl(n, [&]() -> status {
    net_device* dev = __dev_get_by_name(n, name);
    return dev != nullptr ? status(f(*dev)) : status(error::enodev);
  });
}

result<net_device*> new_plain(net& n, const link_request& request) {
  netdev_params params;
  params.name = request.name;
  params.ops = request.ops;
  params.link_ops = request.kind == "dummy" ? &dummy_link_ops : nullptr;
  params.need_ops_lock = request.need_ops_lock;
  params.group = request.group;
  result<net_device*> made = alloc_netdev(n, params);
  if (!made) return made;
  net_device* dev = made.value();
  if (status r = register_netdevice(*dev); !r) {
    if (dev->reg_state.load() == reg_state::unregistering) {
      dev->needs_free_netdev = true;
    } else {
      static_cast<void>(free_netdev(dev));
    }
    return r.code();
  }
  return dev;
}

result<net_device*> new_upper(net& n, const link_request& request) {
  net_device* lower = __dev_get_by_name(n, request.lower);
  if (lower == nullptr) return error::enodev;
  const upper_params params{request.name, request.vlan_id, request.loose, request.ops};
  return request.kind == "vlan" ? register_vlan_device(*lower, params) : macvlan_newlink(*lower, params);
}

status delete_all(stack& s, const std::vector<net_device*>& devs) {
  stack_list_head list(&s.dangling_head);
  for (net_device* dev : devs)
    if (status r = queue_dellink(*dev, &list); !r) {
      list_for_each_entry_safe<net_device>(&list, s.turns("dellink"), [](net_device& d) { list_del_init(&d.unreg_list); });
      return r;
    }
  return unregister_netdevice_many(s, &list);
}

}  // namespace

result<net_device*> rtnl_newlink(net& n, const link_request& request) {
  result<net_device*> made = error::eopnotsupp;
  const bool plain = request.kind == "dummy" || request.kind.empty();
  if (!plain && request.kind != "vlan" && request.kind != "macvlan") return made;
  status r = under_rtnl(n, [&]() -> status {
    made = plain ? new_plain(n, request) : new_upper(n, request);
    if (made) made.value()->group = request.group;
    return made.code();
  });
  if (!r && made) return r.code();
  return r ? made : result<net_device*>(r.code());
}

status rtnl_dellink(net& n, const std::string& name) {
  return on_device(n, name, [&](net_device& dev) -> status {
    if ((dev.flags.load() & IFF_LOOPBACK) != 0) return error::eopnotsupp;
    return delete_all(n.owner, {&dev});
  });
}

status rtnl_group_dellink(net& n, int group) {
  return under_rtnl(n, [&]() -> status {
    if (group == 0) return error::einval;
    std::vector<net_device*> devs;
    list_for_each_entry<net_device>(&n.dev_base_head, n.owner.turns("for_each_netdev"), [&](net_device& d) {
      if (d.group == group) devs.push_back(&d);
    });
    if (devs.empty()) return error::enodev;
    return delete_all(n.owner, devs);
  });
}

status rtnl_delete_links(net& n, const std::vector<std::string>& names) {
  return under_rtnl(n, [&]() -> status {
    std::vector<net_device*> devs;
    for (const std::string& name : names) {
      net_device* dev = __dev_get_by_name(n, name);
      if (dev == nullptr) return error::enodev;
      if ((dev->flags.load() & IFF_LOOPBACK) != 0) return error::eopnotsupp;
      devs.push_back(dev);
    }
    return delete_all(n.owner, devs);
  });
}

status do_setlink_up(net& n, const std::string& name, bool up) {
  return on_device(n, name, [&](net_device& dev) { return up ? dev_open(dev) : dev_close(dev); });
}

status do_setlink_netns(net& n, const std::string& name, net& to) {
  return on_device(n, name, [&](net_device& dev) { return dev_change_net_namespace(dev, to, ""); });
}

status inet_rtm_newaddr(net& n, const std::string& name, std::uint32_t local, std::uint8_t prefixlen) {
  return on_device(n, name, [&](net_device& dev) { return inet_addr_add(dev, local, prefixlen); });
}

status inet_rtm_deladdr(net& n, const std::string& name, std::uint32_t local, std::uint8_t prefixlen) {
  return on_device(n, name, [&](net_device& dev) { return inet_addr_del(dev, local, prefixlen); });
}

}  // namespace quiesce::refimpl
