// SPDX-License-Identifier: MIT
// The models wait_allrefs and fib6_gc.
#include <algorithm>

#include <fmt/format.h>

#include "conformance/counterexample_internal.hpp"

namespace quiesce::conformance {

namespace {

class wait_maker : public script_maker {
 public:
  using script_maker::script_maker;

  counterexample_script convert() {
    const std::string holder = option("holder", "nobody");
    if (holder == "needs_mutex" || holder == "destructor" || holder == "late")
      return beyond(fmt::format("holder = {}: the stack has no such holder", holder));
    if (settings_.environment == "namespace_exit") keep_init_net();
    for (const std::string& d : all_with("home"))
      if (!is_loopback_name(d)) add_one(d, holder);
    for (std::size_t i = 1; i < run_.steps.size() && out_.beyond.empty(); ++i) {
      step(run_.steps[i]);
      follow(run_.steps[i]);
    }
    for (const std::string& u : users_) give_back(u);
    return finish();
  }

 private:
  void add_one(const std::string& d, const std::string& holder) {
    device_plan plan;
    plan.net = net(initially("home", d));
    const device_ref number = add_device(d, plan);
    const std::int64_t chain = settings_.scope.count("rcu_chain") != 0 ? settings_.scope.at("rcu_chain") : 1;
    const auto holds = [&](op_kind k, std::int64_t n) { out_.what.setup.push_back(on(k, {number}, n)); };
    if (holder == "idempotent") holds(op_kind::chain, 0);
    if (holder == "rcu") holds(op_kind::chain, chain);
    if (holder == "repeating") holds(op_kind::hold, 0), react(number, on(op_kind::put_unheld, {number}));
    if (holder == "uncounted") react(number, on(op_kind::rcu_use, {number}, chain), 1);
    if (holder == "linkwatch") holds(op_kind::link_event, 0);
    if (holder != "idempotent" && holder != "repeating" && holder != "needs_rtnl" && holder != "unbalanced") return;
    holds(op_kind::hold, 0);
    users_.push_back(d);
  }

  void react(device_ref d, operation act, int times = 20) {
    callback_plan c;
    c.event = "NETDEV_UNREGISTER";
    c.device = d;
    c.times = times;
    c.react = reaction::act;
    c.act = std::move(act);
    out_.what.callbacks.push_back(std::move(c));
  }

  void step(const step_text& s) {
    if (performed(s) == "unregister_devices" && choice(s, "performed") != "0") {
      std::vector<device_ref> devices;
      for (const trace_choice& c : s.choices)
        if (c.what == "devs" && known(c.value)) devices.push_back(device(c.value));
      add(s.process, on(op_kind::unregister, devices));
    }
    if (s.process == "cleanup_net" && std::exchange(exits_, true) == false)
      add(s.process, in(op_kind::exit_net, {net(initially("home", all_with("home").front()))}));
    if (!s.process.starts_with("user(")) return;
    const std::string d = s.process.substr(5, s.process.size() - 6);
    if (std::find(users_.begin(), users_.end(), d) != users_.end()) give_back(d), std::erase(users_, d);
  }

  void give_back(const std::string& d) {
    const std::string process = fmt::format("user({})", d);
    add(process, on(op_kind::put, {device(d)}));
    if (option("holder", "nobody") == "unbalanced") add(process, on(op_kind::put_unheld, {device(d)}));
  }

  std::vector<std::string> users_;
  bool exits_ = false;
};

// CPUs are tasks; a packet that needs a route is an address behind one.
class gc_maker : public script_maker {
 public:
  using script_maker::script_maker;

  counterexample_script convert() {
    out_.what.options.ipv6 = true;
    out_.what.options.gc_thresh = static_cast<int>(bound("gc_thresh", 0));
    out_.what.options.max_size = static_cast<int>(bound("max_size", 1));
    if (settings_.environment == "net_exit") keep_init_net();
    for (const std::string& n : all_with("entries")) add_net(n);
    out_.what.setup.push_back(on(op_kind::sleep, {}, 20'000));  // less than ip6_rt_gc_interval: the timer is still armed
    ages_ = removed_by_tasks();
    for (std::size_t i = 1; i < run_.steps.size() && out_.beyond.empty(); ++i) step(run_.steps[i]);
    if (loops() && out_.what.tasks.empty())  // the packet that is never handled
      for (const std::string& n : all_with("entries")) allocate("net_rx(cpu0)", n);
    out_.order.clear();
    out_.steps.clear();
    for (std::size_t i = 1; i < run_.steps.size(); ++i) {
      follow(run_.steps[i]);
      if (run_.steps[i].process.starts_with("run_timer_softirq")) due("timer ip6_fib_timer fires", run_.steps[i]);
    }
    return finish();
  }

 private:
  std::int64_t bound(const std::string& name, std::int64_t otherwise) const {
    const auto found = settings_.scope.find(name);
    return found != settings_.scope.end() ? found->second : otherwise;
  }

  static ip_prefix prefix(device_ref d) { return {true, 0x20010db8ffff0000u + static_cast<std::uint64_t>(d), 0, 64}; }

  void add_net(const std::string& n) {
    device_plan plan;
    plan.net = net(n);
    plan.up = true;
    const device_ref d = add_device(n, plan);
    out_.what.setup.push_back(on(op_kind::route, {d}, 0, prefix(d)));
    const std::string entries = initially("entries", n);
    if (entries != "0" && loops())  // not one that is gone when the timer fires for the first time
      out_.what.setup.push_back(on(op_kind::path_mtu, {d}, 3'600'000, prefix(d)));
    else if (entries != "0")
      out_.what.setup.push_back(on(op_kind::exception, {d}, std::stoll(entries), prefix(d)));
  }

  // A run without end that does something again and again.
  bool loops() const { return run_.loop_from && *run_.loop_from < run_.length(); }

  // Whether a collection of a task leaves nothing: then the routes are to be old when it begins. The timer comes later
  // still.
  bool removed_by_tasks() const {
    return std::any_of(run_.steps.begin(), run_.steps.end(), [](const step_text& s) {
      return choice(s, "left") == "0" && !s.process.starts_with("run_timer_softirq");
    });
  }
  void grow_old(const std::string& process) {
    if (ages_ && out_.what.tasks[task(process)].empty()) add(process, on(op_kind::sleep, {}, 15'000));
  }

  void step(const step_text& s) {
    const std::string n = choice(s, "n");
    if (s.process.starts_with("net_rx") && !n.empty()) allocate(s.process, n);
    if (s.process.starts_with("net_rx") && n.empty() && all_with("entries").size() == 1)
      for (const trace_event& e : s.events)
        if (e.name == "dst_alloc" && chosen_[s.process].empty()) allocate(s.process, all_with("entries").front());
    for (const trace_event& e : s.events)
      if (e.name == "dst_alloc") chosen_[s.process].clear();
    if (s.process.starts_with("ndisc_netdev_event") && !n.empty()) set_down(s.process, n);
    if (s.process.starts_with("fib6_net_exit")) end(s);
  }

  void allocate(const std::string& process, const std::string& n) {
    chosen_[process] = n;
    grow_old(process);
    const device_ref d = device(n);
    add(process, on(op_kind::exception, {d}, 1, prefix(d)));
  }

  // A device beside the one of the routes, so that these stay.
  void set_down(const std::string& process, const std::string& n) {
    device_plan plan;
    plan.net = net(n);
    plan.up = true;
    const device_ref d = add_device(process, plan);
    out_.what.setup.insert(out_.what.setup.begin(),
                           on(op_kind::address, {d}, 0, {true, 0x20010db800000000u + static_cast<std::uint64_t>(d), 1, 64}));
    grow_old(process);
    add(process, on(op_kind::close, {d}));
  }

  void end(const step_text& s) {
    const std::string n = s.process.substr(s.process.find('(') + 1, s.process.size() - s.process.find('(') - 2);
    add(s.process, in(op_kind::exit_net, {net(n)}));
  }

  std::map<std::string, std::string> chosen_;
  bool ages_ = false;
};

}  // namespace

counterexample_script convert_wait_allrefs(const run_text& run, const instance& settings) {
  return wait_maker(run, settings).convert();
}
counterexample_script convert_fib6_gc(const run_text& run, const instance& settings) {
  return gc_maker(run, settings).convert();
}

}  // namespace quiesce::conformance
