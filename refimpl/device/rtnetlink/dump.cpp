// SPDX-License-Identifier: MIT
#include "refimpl/device/rtnetlink/dump.hpp"

#include <arpa/inet.h>
#include <libmnl/libmnl.h>
#include <linux/if.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>

namespace quiesce::rtnetlink {

ip_key key_of(const std::vector<std::uint8_t>& bytes) {
  ip_key out;
  for (std::size_t i = 0; i < bytes.size() && i < 16; ++i) {
    out.hi = (out.hi << 8) | (out.lo >> 56);
    out.lo = (out.lo << 8) | bytes[i];
  }
  return out;
}

std::vector<std::uint8_t> bytes_of(int family, const ip_key& key) {
  std::vector<std::uint8_t> out;
  if (family == AF_INET6)
    for (int shift = 56; shift >= 0; shift -= 8) out.push_back(static_cast<std::uint8_t>(key.hi >> shift));
  for (int shift = family == AF_INET6 ? 56 : 24; shift >= 0; shift -= 8)
    out.push_back(static_cast<std::uint8_t>(key.lo >> shift));
  return out;
}

std::string text_of(int family, const ip_key& key) {
  char text[INET6_ADDRSTRLEN] = "";
  inet_ntop(family, bytes_of(family, key).data(), text, sizeof text);
  return text;
}

bool read_link(const nlmsghdr* m, link_entry& out) {
  const auto* h = family_header<ifinfomsg>(m);
  if (h == nullptr) return false;
  const attributes a(m, sizeof *h, IFLA_MAX);
  out.ifindex = h->ifi_index;
  out.flags = h->ifi_flags;
  out.name = a.text(IFLA_IFNAME);
  out.lower = a.has(IFLA_LINK_NETNSID) ? 0 : static_cast<int>(a.u32(IFLA_LINK));
  out.master = static_cast<int>(a.u32(IFLA_MASTER));
  out.group = a.u32(IFLA_GROUP);
  out.mtu = a.u32(IFLA_MTU);
  out.address = a.bytes(IFLA_ADDRESS);
  if (a.has(IFLA_LINKINFO)) out.kind = attributes(a.find(IFLA_LINKINFO), IFLA_INFO_MAX).text(IFLA_INFO_KIND);
  return true;
}

namespace {

bool read_address(const nlmsghdr* m, address_entry& out) {
  const auto* h = family_header<ifaddrmsg>(m);
  if (h == nullptr) return false;
  const attributes a(m, sizeof *h, IFA_MAX);
  out.family = h->ifa_family;
  out.ifindex = static_cast<int>(h->ifa_index);
  out.prefixlen = h->ifa_prefixlen;
  out.scope = h->ifa_scope;
  out.flags = a.has(IFA_FLAGS) ? a.u32(IFA_FLAGS) : h->ifa_flags;
  out.local = key_of(a.bytes(a.has(IFA_LOCAL) ? IFA_LOCAL : IFA_ADDRESS));
  return true;
}

void read_hops(const nlattr* multipath, std::vector<next_hop_entry>& out) {
  const char* at = static_cast<const char*>(mnl_attr_get_payload(multipath));
  std::size_t left = mnl_attr_get_payload_len(multipath);
  while (left >= sizeof(rtnexthop)) {
    const auto* hop = reinterpret_cast<const rtnexthop*>(at);
    if (hop->rtnh_len < sizeof(rtnexthop) || hop->rtnh_len > left) return;
    const attributes a(at + sizeof(rtnexthop), hop->rtnh_len - sizeof(rtnexthop), RTA_MAX);
    out.push_back({hop->rtnh_ifindex, key_of(a.bytes(RTA_GATEWAY)), hop->rtnh_flags, hop->rtnh_hops + 1});
    const std::size_t step = std::min<std::size_t>(RTNH_ALIGN(hop->rtnh_len), left);
    at += step;
    left -= step;
  }
}

bool read_route(const nlmsghdr* m, route_entry& out) {
  const auto* h = family_header<rtmsg>(m);
  if (h == nullptr) return false;
  const attributes a(m, sizeof *h, RTA_MAX);
  out.family = h->rtm_family;
  out.table = a.has(RTA_TABLE) ? a.u32(RTA_TABLE) : h->rtm_table;
  out.type = h->rtm_type;
  out.protocol = h->rtm_protocol;
  out.scope = h->rtm_scope;
  out.plen = h->rtm_dst_len;
  out.metric = a.u32(RTA_PRIORITY);
  out.dst = key_of(a.bytes(RTA_DST));
  out.prefsrc = key_of(a.bytes(RTA_PREFSRC));
  if (a.has(RTA_MULTIPATH))
    read_hops(a.find(RTA_MULTIPATH), out.hops);
  else if (a.has(RTA_OIF))
    out.hops.push_back({static_cast<int>(a.u32(RTA_OIF)), key_of(a.bytes(RTA_GATEWAY)),
                        static_cast<std::uint8_t>(h->rtm_flags & (RTNH_F_DEAD | RTNH_F_LINKDOWN)), 1});
  // IPv6 gives the remaining lifetime in the cache information.
  const std::vector<std::uint8_t> cache = a.bytes(RTA_CACHEINFO);
  if (cache.size() >= sizeof(rta_cacheinfo))
    out.expires = reinterpret_cast<const rta_cacheinfo*>(cache.data())->rta_expires != 0;
  return true;
}

bool read_neighbour(const nlmsghdr* m, neighbour_entry& out) {
  const auto* h = family_header<ndmsg>(m);
  if (h == nullptr) return false;
  const attributes a(m, sizeof *h, NDA_MAX);
  out.family = h->ndm_family;
  out.ifindex = h->ndm_ifindex;
  out.state = h->ndm_state;
  out.proxy = (h->ndm_flags & NTF_PROXY) != 0;
  out.dst = key_of(a.bytes(NDA_DST));
  return true;
}

template <class Header, class Entry, class Fill>
answer dump_into(netlink_socket& s, std::uint16_t type, const char* what, std::vector<Entry>& out, deadline until,
                 bool (*read)(const nlmsghdr*, Entry&), Fill fill) {
  message m(type, 0, what);
  fill(m.header<Header>());
  const std::size_t before = out.size();
  bool malformed = false;
  answer done = s.dump(
      m, until, [&] { out.resize(before); },
      [&](const nlmsghdr* part) {
        Entry e;
        if (read(part, e))
          out.push_back(std::move(e));
        else
          malformed = true;
      });
  if (done && malformed) return {EBADMSG, std::string(what) + ": a malformed answer"};
  return done;
}

}  // namespace

answer dump_links(netlink_socket& s, std::vector<link_entry>& out, deadline until) {
  return dump_into<ifinfomsg>(s, RTM_GETLINK, "dump of links", out, until, read_link, [](ifinfomsg&) {});
}

answer dump_addresses(netlink_socket& s, std::vector<address_entry>& out, deadline until) {
  for (int family : {AF_INET, AF_INET6})
    if (answer a = dump_into<ifaddrmsg>(s, RTM_GETADDR, "dump of addresses", out, until, read_address,
                                        [&](ifaddrmsg& h) { h.ifa_family = static_cast<std::uint8_t>(family); });
        !a)
      return a;
  return {};
}

answer dump_routes(netlink_socket& s, std::vector<route_entry>& out, deadline until) {
  for (int family : {AF_INET, AF_INET6})
    if (answer a = dump_into<rtmsg>(s, RTM_GETROUTE, "dump of routes", out, until, read_route,
                                    [&](rtmsg& h) { h.rtm_family = static_cast<std::uint8_t>(family); });
        !a)
      return a;
  return {};
}

answer dump_neighbours(netlink_socket& s, std::vector<neighbour_entry>& out, deadline until) {
  for (int family : {AF_INET, AF_INET6})
    for (const std::uint8_t flags : {0, NTF_PROXY})
      if (answer a = dump_into<ndmsg>(s, RTM_GETNEIGH, "dump of neighbours", out, until, read_neighbour,
                                      [&](ndmsg& h) {
                                        h.ndm_family = static_cast<std::uint8_t>(family);
                                        h.ndm_flags = flags;
                                      });
          !a)
        return a;
  return {};
}

}  // namespace quiesce::rtnetlink
