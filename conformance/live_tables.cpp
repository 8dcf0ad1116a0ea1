// SPDX-License-Identifier: MIT
#include "conformance/live_tables.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>

#include "conformance/scenario_internal.hpp"
#include "refimpl/net/addrconf.hpp"
#include "refimpl/net/fib.hpp"
#include "refimpl/net/inetdev.hpp"

namespace quiesce::conformance {

using refimpl::ip_key;
using rtnetlink::text_of;

namespace {

namespace rules {
constexpr const char* witness = "exit-witness";
constexpr const char* host_table = "ipv6-local-table";
constexpr const char* prefix_metric = "ipv6-prefix-metric";
constexpr const char* host_prefix = "ipv6-host-prefix";
constexpr const char* multicast_route = "ipv6-multicast-route";
constexpr const char* reports = "multicast-reports";
constexpr const char* eui64 = "ipv6-link-local-eui64";
constexpr const char* solicitations = "ipv6-solicitations";
}  // namespace rules

// --- one spelling for both sides ---

std::string link_line(net_ref n, const std::string& name, bool up, bool loopback) {
  return fmt::format("{} link {} {}{}", net_name(n), name, up ? "up" : "down", loopback ? " loopback" : "");
}

std::string address_line(net_ref n, int family, const ip_key& local, int length, const std::string& dev, const char* state) {
  return fmt::format("{} address {}/{} dev {}{}", net_name(n), text_of(family, local), length, dev, state);
}

struct route_text {
  int family = AF_INET, type = 1, plen = 0;
  ip_key dst, src;
  std::uint32_t table = 254, metric = 0;
  int protocol = 0, scope = 0;
  std::vector<std::string> hops;
};
std::string route_line(net_ref n, route_text r) {
  std::sort(r.hops.begin(), r.hops.end());
  std::string text = fmt::format("{} route type {} {}/{} table {} proto {} metric {}", net_name(n), r.type,
                                 text_of(r.family, r.dst), r.plen, r.table, r.protocol, r.metric);
  if (r.family == AF_INET) text += fmt::format(" scope {}", r.scope);
  if (r.src != ip_key{}) text += " src " + text_of(r.family, r.src);
  for (const std::string& hop : r.hops) text += " " + hop;
  return text;
}
std::string hop_text(int family, const std::string& dev, const ip_key& gw, unsigned flags) {
  std::string text = "dev " + dev;
  if (gw != ip_key{}) text += " via " + text_of(family, gw);
  if ((flags & refimpl::RTNH_F_DEAD) != 0) text += " dead";
  if ((flags & refimpl::RTNH_F_LINKDOWN) != 0) text += " linkdown";
  return text;
}

// Permanent and NOARP entries exactly; states that come and go by themselves only by being there.
std::string neighbour_line(net_ref n, int family, const ip_key& dst, const std::string& dev, unsigned state) {
  const char* text = (state & refimpl::NUD_PERMANENT) != 0 ? "permanent"
                     : (state & refimpl::NUD_NOARP) != 0   ? "noarp"
                                                           : "dynamic";
  return fmt::format("{} neighbour {} dev {} {}", net_name(n), text_of(family, dst), dev, text);
}
std::string proxy_line(net_ref n, int family, const ip_key& dst, const std::string& dev) {
  return fmt::format("{} proxy {} dev {}", net_name(n), text_of(family, dst), dev);
}

// --- the stack's side ---

constexpr std::uint64_t link_local_prefix = 0xfe80000000000000ull;

// RFC 4291, appendix A.
ip_key eui64(const std::vector<std::uint8_t>& mac) {
  const auto m = [&](int i) { return std::uint64_t{mac[static_cast<std::size_t>(i)]}; };
  return {link_local_prefix,
          ((m(0) ^ 2) << 56) | (m(1) << 48) | (m(2) << 40) | (0xfffeull << 24) | (m(3) << 16) | (m(4) << 8) | m(5)};
}

class reader {
 public:
  reader(const refimpl::stack& s, const stack_nets& nets, const kernel_tables* made) : stack_(s), nets_(nets), made_(made) {
    if (made == nullptr) return;
    for (const auto& [n, t] : made->nets)
      for (const auto& l : t.links)
        if (l.address.size() == 6) link_local_[l.name] = eui64(l.address);
  }
  std::map<std::string, expected_line> read() {
    for (const refimpl::net_device* dev : stack_.devices()) device(*dev);
    for (const auto& [n, on] : nets_) {
      add(link_line(n, rtnetlink::testbed::witness_name(), false, false), rules::witness);
      for (const refimpl::route_view& r : fib_dump(*on)) route(n, r);
      if (on->ipv6 != nullptr)
        for (const auto& [key, f] : on->ipv6->table) route6(n, *f);
    }
    for (const refimpl::neigh_table* t : {stack_.arp_tbl.get(), stack_.nd_tbl.get()})
      if (t != nullptr) neighbours(*t);
    return std::move(out_);
  }

 private:
  void add(const std::string& line, const char* rule = "", bool required = true) { out_[line] = {rule, required}; }
  // -1: not one of the scenario's.
  net_ref number(const refimpl::net* n) const {
    for (const auto& [number, mine] : nets_)
      if (mine == n) return number;
    return -1;
  }
  void device(const refimpl::net_device& dev);
  void addresses6(net_ref n, const refimpl::net_device& dev, bool loopback);
  void made_when_up(net_ref n, const refimpl::net_device& dev, bool ipv6);
  void solicited(net_ref n, const refimpl::net_device& dev);
  // The address as the kernel has it, and the rule that says so.
  std::pair<ip_key, const char*> kernels(const ip_key& address, const refimpl::net_device& dev) const;
  void route(net_ref n, const refimpl::route_view& r);
  void route6(net_ref n, const refimpl::fib6_info& f);
  void neighbours(const refimpl::neigh_table& t);

  const refimpl::stack& stack_;
  const stack_nets& nets_;
  const kernel_tables* made_;
  std::map<std::string, ip_key> link_local_;  // by device, where the kernel makes it
  std::map<std::string, expected_line> out_;
};

void reader::device(const refimpl::net_device& dev) {
  const net_ref n = number(dev.nd_net.load());
  if (n < 0 || dev.reg_state.load() != refimpl::reg_state::registered) return;
  const bool loopback = (dev.flags.load() & refimpl::IFF_LOOPBACK) != 0;
  add(link_line(n, dev.name, dev_up(dev), loopback));
  if (const refimpl::in_device* in_dev = dev.ip_ptr.load())
    for (const auto& ifa : in_dev->ifa_list)
      add(address_line(n, AF_INET, refimpl::ipv4_key(ifa->ifa_local), ifa->prefixlen, dev.name,
                       ifa->secondary ? " secondary" : ""));
  addresses6(n, dev, loopback);
  if (dev_up(dev) && !loopback) made_when_up(n, dev, dev.ip6_ptr.load() != nullptr);
}

void reader::addresses6(net_ref n, const refimpl::net_device& dev, bool loopback) {
  const refimpl::inet6_dev* idev = dev.ip6_ptr.load();
  if (idev == nullptr) return;
  for (const refimpl::inet6_ifaddr& ifa : idev->addr_list) {
    const auto [local, rule] = kernels(ifa.addr, dev);
    add(address_line(n, AF_INET6, local, ifa.prefixlen, dev.name, ""), rule);
    if (dev_up(dev) && ifa.prefixlen == 128 && !loopback) {
      route_text r{AF_INET6, 1, 128, ifa.addr, {}, 254, 256, 2, 0, {hop_text(AF_INET6, dev.name, {}, 0)}};
      add(route_line(n, r), rules::host_prefix);
    }
  }
}

void reader::made_when_up(net_ref n, const refimpl::net_device& dev, bool ipv6) {
  add(neighbour_line(n, AF_INET, refimpl::ipv4_key(0xe0000016), dev.name, refimpl::NUD_NOARP), rules::reports, false);
  if (!ipv6) return;
  const ip_key all{0xff00000000000000ull, 0}, reports{0xff02000000000000ull, 0x16};
  route_text r{AF_INET6, 5, 8, all, {}, 255, 256, 2, 0, {hop_text(AF_INET6, dev.name, {}, 0)}};
  add(route_line(n, r), rules::multicast_route);
  add(neighbour_line(n, AF_INET6, reports, dev.name, refimpl::NUD_NOARP), rules::reports, false);
  if (made_ != nullptr) solicited(n, dev);
}

// Duplicate address detection, router solicitations.
void reader::solicited(net_ref n, const refimpl::net_device& dev) {
  std::vector<ip_key> groups = {{0xff02000000000000ull, 2}};
  for (const refimpl::inet6_ifaddr& a : dev.ip6_ptr.load()->addr_list)
    groups.push_back({0xff02000000000000ull, 0x1ff000000ull | (kernels(a.addr, dev).first.lo & 0xffffff)});
  for (const ip_key& g : groups)
    add(neighbour_line(n, AF_INET6, g, dev.name, refimpl::NUD_NOARP), rules::solicitations, false);
}

std::pair<ip_key, const char*> reader::kernels(const ip_key& address, const refimpl::net_device& dev) const {
  const auto at = link_local_.find(dev.name);
  const bool its_own = address == ip_key{link_local_prefix, static_cast<std::uint64_t>(dev.id) + 1};
  if (its_own && at != link_local_.end()) return {at->second, rules::eui64};
  return {address, ""};
}

void reader::route(net_ref n, const refimpl::route_view& r) {
  route_text t{AF_INET,
               static_cast<int>(r.type),
               r.plen,
               refimpl::ipv4_key(r.dst),
               refimpl::ipv4_key(r.fi->prefsrc),
               r.table,
               r.fi->priority,
               static_cast<int>(r.fi->protocol),
               r.fi->scope,
               {}};
  for (const auto& nh : r.fi->nhs)
    if (nh->nh_dev != nullptr)
      t.hops.push_back(hop_text(AF_INET, nh->nh_dev->name, refimpl::ipv4_key(nh->nh_gw), nh->nh_flags.load()));
  add(route_line(n, t));
}

// The stack keeps all IPv6 routes in one table and tells those of addresses by a metric that holds the device's index.
void reader::route6(net_ref n, const refimpl::fib6_info& f) {
  const refimpl::net_device& dev = f.nh_dev;
  route_text r{AF_INET6, 1, f.plen, f.dst, {}, 254, f.metric, 4, 0, {hop_text(AF_INET6, dev.name, {}, 0)}};
  if (f.metric != 256 + (static_cast<std::uint32_t>(dev.ifindex) << 10)) return add(route_line(n, r));
  r.protocol = 2;
  r.metric = 256;
  const refimpl::inet6_dev* idev = dev.ip6_ptr.load();
  const bool host =
      f.plen == 128 && idev != nullptr &&
      std::any_of(idev->addr_list.begin(), idev->addr_list.end(), [&](const auto& a) { return a.addr == f.dst; });
  if (!host) return add(route_line(n, r), rules::prefix_metric);
  r.dst = kernels(f.dst, dev).first;
  r.type = 2;
  r.table = 255;
  r.metric = 0;
  add(route_line(n, r), rules::host_table);
}

void reader::neighbours(const refimpl::neigh_table& t) {
  const int family = t.family == refimpl::neigh_family::ipv4 ? AF_INET : AF_INET6;
  for (const refimpl::neighbour* e : t.buckets)
    for (; e != nullptr; e = e->next)
      if (const net_ref n = number(e->dev->nd_net.load()); n >= 0)
        add(neighbour_line(n, family, e->primary_key, e->dev->name, e->nud_state));
  for (const refimpl::pneigh_entry& e : t.phash)
    if (const net_ref n = number(e.ns); n >= 0) add(proxy_line(n, family, e.key, e.dev != nullptr ? e.dev->name : "*"));
}

// --- the kernel's side ---

void observe(net_ref n, const kernel_tables::of_net& t, std::vector<std::string>& out) {
  std::map<int, std::string> names;
  for (const auto& l : t.links) names[l.ifindex] = l.name;
  const auto name = [&](int ifindex) {
    const auto at = names.find(ifindex);
    return at != names.end() ? at->second : fmt::format("#{}", ifindex);
  };
  for (const auto& l : t.links)
    out.push_back(link_line(n, l.name, (l.flags & refimpl::IFF_UP) != 0, (l.flags & refimpl::IFF_LOOPBACK) != 0));
  for (const auto& a : t.addresses) {
    constexpr std::uint32_t secondary = 0x01, tentative = 0x40;
    const char* state = (a.flags & tentative) != 0 ? " tentative" : (a.flags & secondary) != 0 ? " secondary" : "";
    out.push_back(address_line(n, a.family, a.local, a.prefixlen, name(a.ifindex), state));
  }
  for (const auto& r : t.routes) {
    route_text text{r.family, r.type, r.plen, r.dst, r.prefsrc, r.table, r.metric, r.protocol, r.scope, {}};
    for (const auto& hop : r.hops) text.hops.push_back(hop_text(r.family, name(hop.oif), hop.gw, hop.flags));
    out.push_back(route_line(n, text));
  }
  for (const auto& e : t.neighbours)
    out.push_back(e.proxy ? proxy_line(n, e.family, e.dst, e.ifindex != 0 ? name(e.ifindex) : "*")
                          : neighbour_line(n, e.family, e.dst, name(e.ifindex), e.state));
}

}  // namespace

const std::vector<table_rule>& table_rules() {
  static const std::vector<table_rule> table = {
      {rules::witness, "each namespace holds one end of the veth pair whose other end tells of its exit; it stays down"},
      {rules::host_table, "the host route of an IPv6 address is in table local with metric 0"},
      {rules::prefix_metric, "the prefix route of an IPv6 address has metric 256 on every device"},
      {rules::host_prefix, "an IPv6 address of length 128 has a prefix route besides its host route"},
      {rules::multicast_route,
       "a device that is up with IPv6, other than loopback, has ff00::/8 in table local (addrconf_add_mroute)"},
      {rules::eui64, "a kernel that keeps its defaults makes the link-local address from the MAC address"},
      {rules::solicitations,
       "solicitations that the defaults send may have left NOARP entries for ff02::2 and the solicited-node groups"},
      {rules::reports, "membership reports may have left NOARP entries for 224.0.0.22 and ff02::16 on a device that is up"},
  };
  return table;
}

std::map<std::string, expected_line> expected_tables(const refimpl::stack& s, const stack_nets& nets,
                                                     const kernel_tables* made_by_kernel) {
  return reader(s, nets, made_by_kernel).read();
}

std::vector<std::string> observed_tables(const kernel_tables& t) {
  std::vector<std::string> out;
  for (const auto& [n, tables] : t.nets) observe(n, tables, out);
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> differences(const std::map<std::string, expected_line>& expected,
                                     const std::vector<std::string>& observed) {
  std::vector<std::string> out;
  std::map<std::string, int> seen;
  for (const std::string& line : observed)
    if (++seen[line] > 1) out.push_back("kernel twice: " + line);
  for (const auto& [line, from] : expected)
    if (from.required && !seen.contains(line))
      out.push_back("stack only: " + line + (from.rule.empty() ? "" : " [" + from.rule + "]"));
  for (const auto& [line, count] : seen)
    if (!expected.contains(line)) out.push_back("kernel only: " + line);
  return out;
}

}  // namespace quiesce::conformance
