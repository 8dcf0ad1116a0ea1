// SPDX-License-Identifier: MIT
// The models fib_neigh and proxy_queue.
#include <algorithm>

#include <fmt/format.h>

#include "conformance/counterexample_internal.hpp"

namespace quiesce::conformance {

namespace {

class fib_neigh_maker : public script_maker {
 public:
  using script_maker::script_maker;

  counterexample_script convert() {
    if (settings_.environment == "lookups") return beyond("a look-up of the stack does not tell which nexthop it returns");
    static_cast<void>(net("init_net"));
    keep_init_net();
    for (const std::string& d : all_with("home")) add_one(d);
    if (option("with_fib", "true") == "true") add_routes();
    for (const auto& [d, number] : numbers_) settle(d, number);
    if (option("with_neigh", "true") == "true") add_entries();  // also of devices that are down: configured in advance
    delay_what_is_asked_again();
    for (std::size_t i = 1; i < run_.steps.size() && out_.beyond.empty(); ++i) {
      if (run_.steps[i].statement == "either") operate(run_.steps[i], i);
      if (performed(run_.steps[i]) == "close_that_unregisters") close_that_unregisters(run_.steps[i]);
      follow(run_.steps[i]);
    }
    return finish();
  }

 private:
  void set_up(operation op) { out_.what.setup.push_back(std::move(op)); }

  // Every device is up while its routes are made.
  void add_one(const std::string& d) {
    if (is_loopback_name(d)) {
      if (initially_true("up", d)) set_up(on(op_kind::open, {device(d)}));
      return;
    }
    device_plan plan;
    plan.net = net(initially("home", d));
    plan.up = true;
    const device_ref number = add_device(d, plan);
    if (initially("ip", d) == "address") set_up(on(op_kind::address, {number}, 0, own_address(number)));
  }

  // What it is at the start: down again, and without in_device if its MTU is too small for IPv4.
  void settle(const std::string& d, device_ref number) {
    if (!initially_true("up", d)) set_up(on(op_kind::close, {number}));
    if (initially("ip", d) == "no_in_dev") set_up(on(op_kind::mtu, {number}, 60));
    if (initially_true("uncached", d)) {
      ip_prefix host = route_to(0);
      host.lo += 7;
      host.length = 32;
      out_.what.setup.insert(out_.what.setup.begin() + static_cast<std::ptrdiff_t>(routes_end_),
                             in(op_kind::cache, {out_.what.devices[static_cast<std::size_t>(number)].net}, host));
    }
  }

  void add_routes() {
    unsigned next = 0;
    for (const std::string& f : routes()) {
      std::vector<device_ref> through;
      for (const std::string& h : all_with("nh_parent")) {
        const std::string d = initially("nh_dev", h);
        if (initially("nh_parent", h) != f || !known(d)) continue;
        if (initially_true("nh_nowhere", h))
          set_up(on(op_kind::local_route, {device(d)}, 0, host_behind(device(d), 1 + next)));
        else
          through.push_back(device(d));
      }
      if (!through.empty()) set_up(on(op_kind::route, through, 0, route_to(next)));
      ++next;
    }
    routes_end_ = out_.what.setup.size();
  }

  std::vector<std::string> routes() const {
    std::vector<std::string> out;
    for (const std::string& h : all_with("nh_parent")) out.push_back(initially("nh_parent", h));
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  void add_entries() {
    unsigned host = 0;
    for (const std::string& x : all_with("n_dev")) {
      const std::string d = initially("n_dev", x);
      if (!known(d) || initially("ip", d) == "no_in_dev") continue;
      set_up(on(initially_true("n_permanent", x) ? op_kind::neighbour : op_kind::resolve, {device(d)}, 0,
                host_behind(device(d), 10 + host++)));
    }
    for (const std::string& p : all_with("p_dev")) {
      const std::string d = initially("p_dev", p);
      if (d == "none")
        set_up(in(op_kind::proxy_net, {0}, host_behind(0, 50 + host++)));
      else if (known(d))
        set_up(on(op_kind::proxy, {device(d)}, 0, host_behind(device(d), 50 + host++)));
    }
  }

  // netdev_wait_allrefs asks again after a second in which a reference is left.
  void delay_what_is_asked_again() {
    for (const step_text& s : run_.steps)
      if (s.statement == "either" && choice(s, "branch") == "1" && known(choice(s, "d"))) {
        set_up(on(op_kind::delay, {device(choice(s, "d"))}, 1600));
        out_.in_turn = true;
      }
  }

  // operate(): one branch for each operation.
  void operate(const step_text& s, std::size_t at) {
    const std::string d = choice(s, "d");
    const std::vector<device_ref> all = as_visited(chosen_set(s, "devs", "dev"), at);
    const bool one = known(d);
    const std::string branch = choice(s, "branch");
    if (branch == "0" && !all.empty()) add(s.process, on(op_kind::unregister, all));
    if (branch == "2" && !all.empty()) add(s.process, on(op_kind::close, all));
    if (branch == "3" && one) add(s.process, on(op_kind::link_down, {device(d)}));
    if (branch == "4" && one) add(s.process, on(op_kind::open, {device(d)}));
    if (branch == "5" && one) add(s.process, on(op_kind::del_address, {device(d)}, 0, own_address(device(d))));
    if (branch == "6" && one) {
      add(s.process, on(op_kind::link_event, {device(d)}, 0));
      add(s.process, operation{op_kind::linkwatch});
    }
  }

  void close_that_unregisters(const step_text& s) {
    const std::string d = choice(s, "d"), e = choice(s, "e");
    if (!known(d) || !known(e)) return;
    callback_plan c;
    c.event = "NETDEV_DOWN";
    c.device = device(d);
    c.react = reaction::act;
    c.act = on(op_kind::unregister, {device(e)});
    out_.what.callbacks.push_back(std::move(c));
    add(s.process, on(op_kind::close, {device(d)}));
  }

  // The devices of a set in the order in which the loops that follow meet them.
  std::vector<device_ref> as_visited(const std::vector<std::string>& set, std::size_t at) {
    std::vector<device_ref> out;
    const auto meet = [&](const std::string& d) {
      const bool member = known(d) && std::find(set.begin(), set.end(), d) != set.end();
      if (member && std::find(out.begin(), out.end(), device(d)) == out.end()) out.push_back(device(d));
    };
    for (const char* event : {"NETDEV_UNREGISTER", "NETDEV_DOWN"})
      for (std::size_t i = at + 1; i < run_.steps.size() && performed(run_.steps[i]).empty(); ++i)
        for (const trace_event& e : run_.steps[i].events)
          if (e.name == event) meet(e.args[0]);
    for (const std::string& d : set) meet(d);
    return out;
  }

  std::size_t routes_end_ = 0;
};

// Packets that arrive and devices that close, each in a task of its own.
class proxy_queue_maker : public script_maker {
 public:
  using script_maker::script_maker;

  counterexample_script convert() {
    if (settings_.environment == "table_clear") return beyond("the stack never gives up a neighbour table");
    for (const std::string& d : all_with("home")) {
      device_plan plan;
      plan.net = net(initially("home", d));
      plan.up = true;  // what is down is not closed in the kernel
      add_device(d, plan);
    }
    for (const step_text& s : run_.steps)
      if (s.process.starts_with("arp_process") && s.statement == "either" && choice(s, "branch") == "0") packet(s.process);
    std::string about;
    for (const step_text& s : run_.steps) {
      if (s.process != "task") continue;
      if (const std::string d = choice(s, "d"); !d.empty()) about = d;
      if (s.statement == "either" && choice(s, "branch") == "0") add(s.process, on(op_kind::close, {device(about)}));
    }
    return finish();
  }

 private:
  void packet(const std::string& process) {
    const std::string k = process.substr(process.find('(') + 1, process.size() - process.find('(') - 2);
    const device_ref d = device(initially("skb_dev", k));
    add(process, on(op_kind::packet, {d}, 500, host_behind(d, 3)));
  }
};

}  // namespace

counterexample_script convert_fib_neigh(const run_text& run, const instance& settings) {
  return fib_neigh_maker(run, settings).convert();
}
counterexample_script convert_proxy_queue(const run_text& run, const instance& settings) {
  return proxy_queue_maker(run, settings).convert();
}

}  // namespace quiesce::conformance
