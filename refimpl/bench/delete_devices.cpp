// SPDX-License-Identifier: MIT
#include "refimpl/bench/delete_devices.hpp"

#include <fmt/format.h>

#include <ctime>
#include <stdexcept>

#include "refimpl/net/fib.hpp"
#include "refimpl/net/inetdev.hpp"
#include "refimpl/net/neigh.hpp"
#include "refimpl/net/rtnetlink.hpp"

namespace quiesce::bench {

using namespace refimpl;

namespace {

constexpr std::uint32_t staying_address = 0x0a000001, gateway = 0x0a000002;  // 10.0.0.1/8, 10.0.0.2
constexpr std::uint32_t subnets = 0x0b000000;                                // 11.0.0.0: a /24 for each device
constexpr std::uint32_t destinations = 0x10000000;                           // 16.0.0.0: a /24 for each route

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

void require(status r, const char* what) {
  if (!r) throw std::runtime_error(fmt::format("bench: {}: {}", what, refimpl::name(r.code())));
}

std::string device_name(std::size_t i) { return fmt::format("d{}", i); }
std::uint32_t subnet(std::size_t i) { return subnets + (static_cast<std::uint32_t>(i) << 8); }

stack_options options_of(const deletion_input& in) {
  stack_options o;
  o.ipv6 = false;  // the thread is about IPv4
  o.max_devices = in.devices + 16;
  return o;
}

class scenario {
 public:
  explicit scenario(const deletion_input& in)
      : in_(in),
        environment_(std::chrono::milliseconds(in.grace_period_ms)),
        stack_(variant(in.variant), environment_.sched, environment_.rcu, options_of(in)) {
    stack_.events.set_sink([this](const event& e) { observe(e); });
    const result<net*> made = setup_net(stack_);
    require(made.code(), "setup_net");
    net_ = made.value();
    add_devices();
    add_routes();
  }
  deletion_result run();

 private:
  void add_devices();
  void add_load(net_device& dev, std::size_t i);
  void add_route(std::uint32_t dst, std::uint8_t length, net_device& dev, std::uint32_t via);
  void add_routes();
  void observe(const event& e);
  void census();
  void act();
  double simulated_s() { return std::chrono::duration<double>(environment_.sched.now()).count(); }

  const deletion_input in_;
  simulated_environment environment_;
  stack stack_;
  net* net_ = nullptr;
  net_device* staying_ = nullptr;
  bool measuring_ = false;
  double locked_at_ = 0, locked_at_simulated_ = 0, census_s_ = 0;
  deletion_result out_;
};

void scenario::add_route(std::uint32_t dst, std::uint8_t length, net_device& dev, std::uint32_t via) {
  fib_config cfg;
  cfg.fc_dst = dst;
  cfg.fc_dst_len = length;
  cfg.fc_scope = via == 0 ? RT_SCOPE_LINK : RT_SCOPE_UNIVERSE;
  cfg.nexthops.push_back({&dev, via, 1});
  require(fib_table_insert(*net_, cfg), "fib_table_insert");
}

void scenario::add_load(net_device& dev, std::size_t i) {
  if (in_.load == device_load::address) require(inet_addr_add(dev, subnet(i) | 1, 24), "inet_addr_add");
  if (in_.load == device_load::route) add_route(subnet(i), 24, dev, 0);
  for (std::uint32_t host = 2; host < 2 + in_.neighbours; ++host)
    require(neigh_add(*stack_.arp_tbl, *net_, &dev, ipv4_key(subnet(i) | host), false), "neigh_add");
}

void scenario::add_devices() {
  for (std::size_t i = 0; i <= in_.devices; ++i) {
    const bool stays = i == in_.devices;
    link_request request;
    request.name = stays ? "stays" : device_name(i);
    const result<net_device*> made = rtnl_newlink(*net_, request);
    require(made.code(), "rtnl_newlink");
    require(do_setlink_up(*net_, request.name, true), "do_setlink_up");
    require(stack_.rtnl_lock(), "rtnl_lock");
    if (stays) {
      staying_ = made.value();
      require(inet_addr_add(*staying_, staying_address, 8), "inet_addr_add");
      require(neigh_add(*stack_.arp_tbl, *net_, staying_, ipv4_key(gateway), false), "neigh_add");
    } else {
      add_load(*made.value(), i);
    }
    require(stack_.rtnl_unlock(), "rtnl_unlock");
  }
}

void scenario::add_routes() {
  require(stack_.rtnl_lock(), "rtnl_lock");
  for (std::size_t i = 0; i < in_.routes; ++i)
    add_route(destinations + (static_cast<std::uint32_t>(i) << 8), 24, *staying_, gateway);
  require(stack_.rtnl_unlock(), "rtnl_unlock");
}

// Reads tables only. run_todo_begin comes right after RTNL was let go, before anything waits.
void scenario::observe(const event& e) {
  if (!measuring_) return;
  switch (e.kind) {
    case event_kind::rtnl_lock:
      locked_at_ = cpu_seconds();
      locked_at_simulated_ = simulated_s();
      return;
    case event_kind::rtnl_unlock:
      out_.rtnl_hold_s += cpu_seconds() - locked_at_;
      out_.rtnl_waits_s += simulated_s() - locked_at_simulated_;
      return;
    case event_kind::run_todo_begin:
      census();
      return;
    default:
      return;
  }
}

void scenario::census() {
  const double began = cpu_seconds();
  for (const auto& [hash, fi] : stack_.fib->fib_info_hash)
    if ((fi->fib_flags.load() & RTNH_F_DEAD) != 0) out_.dead_routes_left += static_cast<std::uint64_t>(fi->fib_treeref);
  for (const neighbour* n : stack_.arp_tbl->buckets)
    for (; n != nullptr; n = n->next)
      if (n->dev->reg_state.load() != reg_state::registered) ++out_.neighbours_left;
  census_s_ += cpu_seconds() - began;
}

void scenario::act() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < in_.devices; ++i) names.push_back(device_name(i));
  switch (in_.way) {
    case deletion_way::one_by_one:
      for (const std::string& one : names)
        if (!rtnl_dellink(*net_, one)) return;
      return;
    case deletion_way::one_batch:
      static_cast<void>(rtnl_delete_links(*net_, names));
      return;
    case deletion_way::namespace_exit:
      static_cast<void>(cleanup_net(stack_, {net_}));
      return;
  }
}

deletion_result scenario::run() {
  const stack_counters& c = stack_.counters;
  const auto counts = [&] {
    return std::vector<std::uint64_t>{c.fib_flush,    c.fib_flush_from_address, c.fib_aliases_visited,
                                      c.neigh_walks,  c.neighbours_visited,     c.fib_nexthops_visited,
                                      c.rebroadcasts, c.devices_freed};
  };
  const std::vector<std::uint64_t> before = counts();
  const double simulated = simulated_s(), cpu = cpu_seconds();
  measuring_ = true;
  act();
  measuring_ = false;
  out_.cpu_s = cpu_seconds() - cpu - census_s_;
  out_.waits_s = simulated_s() - simulated;
  const std::vector<std::uint64_t> after = counts();
  std::size_t i = 0;
  for (std::uint64_t* to : {&out_.fib_walks, &out_.fib_walks_from_address, &out_.aliases_visited, &out_.neighbour_walks,
                            &out_.neighbours_visited, &out_.next_hops_visited, &out_.rebroadcasts, &out_.devices_freed}) {
    *to = after[i] - before[i];
    ++i;
  }
  if (const auto stop = stack_.stopped()) out_.stopped = fmt::format("{}: {}", refimpl::name(stop->kind), stop->what);
  return out_;
}

}  // namespace

void require_possible(const deletion_input& in) {
  variant(in.variant);
  if (in.devices == 0 || in.devices > 65536) throw std::invalid_argument("devices: between 1 and 65536");
  if (in.routes > (1u << 21)) throw std::invalid_argument("routes: at most 2097152");
  if (in.neighbours > 200) throw std::invalid_argument("neighbours: at most 200 for each device");
}

deletion_result delete_devices(const deletion_input& in) {
  require_possible(in);
  return scenario(in).run();
}

std::string name(deletion_way w) {
  switch (w) {
    case deletion_way::one_by_one:
      return "one by one";
    case deletion_way::one_batch:
      return "one batch";
    case deletion_way::namespace_exit:
      return "namespace exit";
  }
  return "";
}

std::string name(device_load l) {
  switch (l) {
    case device_load::address:
      return "address";
    case device_load::nothing:
      return "nothing";
    case device_load::route:
      return "route";
  }
  return "";
}

namespace {
// The fields of a result under their names, for both directions.
template <class Result, class F>
void each_field(Result& r, F f) {
  f("rtnl_hold_s", r.rtnl_hold_s);
  f("cpu_s", r.cpu_s);
  f("waits_s", r.waits_s);
  f("rtnl_waits_s", r.rtnl_waits_s);
  f("fib_walks", r.fib_walks);
  f("fib_walks_from_address", r.fib_walks_from_address);
  f("aliases_visited", r.aliases_visited);
  f("neighbour_walks", r.neighbour_walks);
  f("neighbours_visited", r.neighbours_visited);
  f("next_hops_visited", r.next_hops_visited);
  f("dead_routes_left", r.dead_routes_left);
  f("neighbours_left", r.neighbours_left);
  f("rebroadcasts", r.rebroadcasts);
  f("devices_freed", r.devices_freed);
  f("stopped", r.stopped);
}
}  // namespace

json to_json(const deletion_result& r) {
  json out;
  each_field(r, [&](const char* key, const auto& value) { out[key] = value; });
  return out;
}

deletion_result deletion_from_json(const json& from) {
  deletion_result out;
  each_field(out, [&](const char* key, auto& value) { from.at(key).get_to(value); });
  return out;
}

}  // namespace quiesce::bench
