// SPDX-License-Identifier: MIT
#include "refimpl/device/rtnetlink/link_requests.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/if_tun.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "refimpl/device/rtnetlink/dump.hpp"

namespace quiesce::rtnetlink {

mac_address mac_of(std::uint32_t number) {
  return {0x02,
          0x71,
          static_cast<std::uint8_t>(number >> 24),
          static_cast<std::uint8_t>(number >> 16),
          static_cast<std::uint8_t>(number >> 8),
          static_cast<std::uint8_t>(number)};
}

namespace {

void put_identity(message& m, const std::string& name, const mac_address& mac, std::uint32_t group) {
  m.put_string(IFLA_IFNAME, name);
  m.put(IFLA_ADDRESS, mac.data(), mac.size());
  if (group != 0) m.put_u32(IFLA_GROUP, group);
}

void put_peer(message& m, const new_link& link) {
  m.nest(VETH_INFO_PEER, [&] {
    m.put_nested_header(sizeof(ifinfomsg));
    put_identity(m, link.peer_name, link.peer_mac, link.peer_group);
    if (link.peer_net != nullptr) m.put_u32(IFLA_NET_NS_FD, static_cast<std::uint32_t>(link.peer_net->fd()));
  });
}

void put_kind_data(message& m, const new_link& link) {
  if (link.kind == "veth") m.nest(IFLA_INFO_DATA, [&] { put_peer(m, link); });
  if (link.kind == "macvlan") m.nest(IFLA_INFO_DATA, [&] { m.put_u32(IFLA_MACVLAN_MODE, MACVLAN_MODE_BRIDGE); });
  if (link.kind == "vlan")
    m.nest(IFLA_INFO_DATA, [&] {
      const auto id = static_cast<std::uint16_t>(link.vlan_id);
      m.put(IFLA_VLAN_ID, &id, sizeof id);
    });
}

// RTM_SETLINK of one device; f fills header and attributes.
answer change(private_net& n, int ifindex, const std::string& what, deadline until, const std::function<void(message&)>& f) {
  message m(RTM_SETLINK, 0, fmt::format("{}: {} of link {}", n.label(), what, ifindex));
  m.header<ifinfomsg>().ifi_index = ifindex;
  f(m);
  return n.rtnl().request(m, until);
}

}  // namespace

answer create_link(private_net& n, const new_link& link, deadline until) {
  message m(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, fmt::format("{}: new {} {}", n.label(), link.kind, link.name));
  m.header<ifinfomsg>();
  put_identity(m, link.name, link.mac, link.group);
  if (link.lower != 0) m.put_u32(IFLA_LINK, static_cast<std::uint32_t>(link.lower));
  m.nest(IFLA_LINKINFO, [&] {
    m.put_string(IFLA_INFO_KIND, link.kind);
    put_kind_data(m, link);
  });
  return n.rtnl().request(m, until);
}

answer create_tun(private_net& n, const std::string& name, bool tap) {
  const std::string what = fmt::format("{}: new {} {}", n.label(), tap ? "tap" : "tun", name);
  return n.inside([&]() -> answer {
    const int fd = ::open("/dev/net/tun", O_RDWR | O_CLOEXEC);
    if (fd < 0) return failed(errno, what + ": /dev/net/tun");
    ifreq request{};
    std::strncpy(request.ifr_name, name.c_str(), IFNAMSIZ - 1);
    request.ifr_flags = static_cast<short>((tap ? IFF_TAP : IFF_TUN) | IFF_NO_PI | IFF_TUN_EXCL);
    answer out;
    if (ioctl(fd, TUNSETIFF, &request) < 0)
      out = failed(errno, what + ": TUNSETIFF");
    else if (ioctl(fd, TUNSETPERSIST, 1) < 0)
      out = failed(errno, what + ": TUNSETPERSIST");
    ::close(fd);
    return out;
  });
}

answer index_of(private_net& n, const std::string& name, int& ifindex, deadline until) {
  ifindex = 0;
  std::vector<link_entry> links;
  if (answer a = dump_links(n.rtnl(), links, until); !a) return a;
  for (const link_entry& l : links)
    if (l.name == name) ifindex = l.ifindex;
  return {};
}

answer set_link_up(private_net& n, int ifindex, bool up, deadline until) {
  return change(n, ifindex, up ? "up" : "down", until, [&](message& m) {
    auto* h = reinterpret_cast<ifinfomsg*>(reinterpret_cast<char*>(m.raw()) + NLMSG_HDRLEN);
    h->ifi_change = IFF_UP;
    h->ifi_flags = up ? IFF_UP : 0;
  });
}

answer set_link_group(private_net& n, int ifindex, std::uint32_t group, deadline until) {
  return change(n, ifindex, "group", until, [&](message& m) { m.put_u32(IFLA_GROUP, group); });
}

answer set_link_mtu(private_net& n, int ifindex, unsigned mtu, deadline until) {
  return change(n, ifindex, "mtu", until, [&](message& m) { m.put_u32(IFLA_MTU, mtu); });
}

answer set_link_mac(private_net& n, int ifindex, const mac_address& mac, deadline until) {
  return change(n, ifindex, "address", until, [&](message& m) { m.put(IFLA_ADDRESS, mac.data(), mac.size()); });
}

answer set_link_net(private_net& n, int ifindex, const private_net& to, deadline until) {
  return change(n, ifindex, "move to " + to.label(), until,
                [&](message& m) { m.put_u32(IFLA_NET_NS_FD, static_cast<std::uint32_t>(to.fd())); });
}

answer set_no_addresses_of_its_own(private_net& n, int ifindex, deadline until) {
  return change(n, ifindex, "addrgenmode none", until, [&](message& m) {
    m.nest(IFLA_AF_SPEC, [&] { m.nest(AF_INET6, [&] { m.put_u8(IFLA_INET6_ADDR_GEN_MODE, IN6_ADDR_GEN_MODE_NONE); }); });
  });
}

answer delete_link(private_net& n, int ifindex, deadline until) {
  message m(RTM_DELLINK, 0, fmt::format("{}: delete link {}", n.label(), ifindex));
  m.header<ifinfomsg>().ifi_index = ifindex;
  return n.rtnl().request(m, until);
}

answer delete_group(private_net& n, std::uint32_t group, deadline until) {
  message m(RTM_DELLINK, 0, fmt::format("{}: delete group {}", n.label(), group));
  m.header<ifinfomsg>();
  m.put_u32(IFLA_GROUP, group);
  return n.rtnl().request(m, until);
}

}  // namespace quiesce::rtnetlink
