// SPDX-License-Identifier: MIT
#include "refimpl/device/rtnetlink/table_requests.hpp"

#include <fmt/format.h>
#include <linux/if_addr.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include "refimpl/device/rtnetlink/link_requests.hpp"

namespace quiesce::rtnetlink {

namespace {

constexpr std::uint16_t creation = NLM_F_CREATE | NLM_F_EXCL;

void put_key(message& m, std::uint16_t type, int family, const ip_key& key) {
  const std::vector<std::uint8_t> bytes = bytes_of(family, key);
  m.put(type, bytes.data(), bytes.size());
}

std::string name_of(const private_net& n, bool add, const char* what, int family, const ip_key& key, unsigned length) {
  return fmt::format("{}: {} {} {}/{}", n.label(), add ? "add" : "delete", what, text_of(family, key), length);
}

void put_hops(message& m, const route_request& r) {
  const auto gateway = [&](const next_hop_entry& hop) {
    if (hop.gw != ip_key{}) put_key(m, RTA_GATEWAY, r.family, hop.gw);
  };
  if (r.hops.size() == 1) {
    m.put_u32(RTA_OIF, static_cast<std::uint32_t>(r.hops[0].oif));
    gateway(r.hops[0]);
  } else if (r.hops.size() > 1) {
    m.nest(RTA_MULTIPATH, [&] {
      for (const next_hop_entry& hop : r.hops)
        m.next_hop(hop.oif, static_cast<std::uint8_t>(hop.weight - 1), [&] { gateway(hop); });
    });
  }
}

bool on_link(const route_request& r) {
  for (const next_hop_entry& hop : r.hops)
    if (hop.gw != ip_key{}) return false;
  return true;
}

message route_message(const private_net& n, const route_request& r, bool add) {
  message m(add ? RTM_NEWROUTE : RTM_DELROUTE, add ? creation : 0, name_of(n, add, "route", r.family, r.dst, r.plen));
  auto& h = m.header<rtmsg>();
  h.rtm_family = static_cast<std::uint8_t>(r.family);
  h.rtm_dst_len = r.plen;
  h.rtm_table = RT_TABLE_MAIN;
  h.rtm_protocol = add ? RTPROT_STATIC : RTPROT_UNSPEC;
  h.rtm_type = add ? RTN_UNICAST : RTN_UNSPEC;
  h.rtm_scope = !add ? RT_SCOPE_NOWHERE : r.family == AF_INET && on_link(r) ? RT_SCOPE_LINK : RT_SCOPE_UNIVERSE;
  put_key(m, RTA_DST, r.family, r.dst);
  if (r.metric != 0) m.put_u32(RTA_PRIORITY, r.metric);
  put_hops(m, r);
  return m;
}

}  // namespace

answer change_address(private_net& n, int ifindex, int family, const ip_key& local, std::uint8_t prefixlen, bool add,
                      deadline until) {
  message m(add ? RTM_NEWADDR : RTM_DELADDR, add ? creation : 0, name_of(n, add, "address", family, local, prefixlen));
  auto& h = m.header<ifaddrmsg>();
  h.ifa_family = static_cast<std::uint8_t>(family);
  h.ifa_prefixlen = prefixlen;
  h.ifa_index = static_cast<std::uint32_t>(ifindex);
  if (family == AF_INET6 && add) h.ifa_flags = IFA_F_NODAD;
  put_key(m, IFA_LOCAL, family, local);
  put_key(m, IFA_ADDRESS, family, local);
  return n.rtnl().request(m, until);
}

answer change_route(private_net& n, const route_request& r, bool add, deadline until) {
  message m = route_message(n, r, add);
  return n.rtnl().request(m, until);
}

answer change_neighbour(private_net& n, int ifindex, int family, const ip_key& dst, bool proxy, bool add, deadline until) {
  message m(add ? RTM_NEWNEIGH : RTM_DELNEIGH, add ? NLM_F_CREATE | NLM_F_REPLACE : 0,
            name_of(n, add, proxy ? "proxy" : "neighbour", family, dst, family == AF_INET ? 32 : 128));
  auto& h = m.header<ndmsg>();
  h.ndm_family = static_cast<std::uint8_t>(family);
  h.ndm_ifindex = ifindex;
  h.ndm_flags = proxy ? NTF_PROXY : 0;
  h.ndm_state = NUD_PERMANENT;
  put_key(m, NDA_DST, family, dst);
  if (add && !proxy) {
    const mac_address mac = mac_of(static_cast<std::uint32_t>(dst.lo));
    m.put(NDA_LLADDR, mac.data(), mac.size());
  }
  return n.rtnl().request(m, until);
}

answer add_many_routes(private_net& n, int ifindex, const ip_key& gateway, std::uint32_t first, std::size_t count,
                       deadline until) {
  for (std::size_t i = 0; i < count; ++i) {
    route_request r{AF_INET, refimpl::ipv4_key(first + (static_cast<std::uint32_t>(i) << 8)), 24, 0, {}};
    r.hops.push_back({ifindex, gateway, 0, 1});
    if (answer a = change_route(n, r, true, until); !a) return a;
  }
  return {};
}

}  // namespace quiesce::rtnetlink
