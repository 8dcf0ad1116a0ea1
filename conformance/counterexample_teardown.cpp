// SPDX-License-Identifier: MIT
// The models teardown and register.
#include <algorithm>

#include <fmt/format.h>

#include "conformance/counterexample_internal.hpp"

namespace quiesce::conformance {

namespace {

class teardown_maker : public script_maker {
 public:
  using script_maker::script_maker;

  counterexample_script convert() {
    if (settings_.environment == "namespace_exit" || settings_.environment == "unregister_and_exit") keep_init_net();
    order_of_exit();
    add_devices();
    for (std::size_t i = 1; i < run_.steps.size() && out_.beyond.empty(); ++i) {
      step(run_.steps[i]);
      follow(run_.steps[i]);
    }
    if (option("callback", "no_callback") != "no_callback") add_act();
    return finish();
  }

 private:
  // A namespace's devices are unregistered in the reverse order of their registration.
  void order_of_exit() {
    for (const step_text& s : run_.steps)
      if (performed(s) == "default_device_exit_batch")
        for (const trace_choice& c : s.choices)
          if (c.what == "devs") last_first_.insert(last_first_.begin(), c.value);
  }

  std::string above(const std::string& d, const char* kind) const {
    const std::string lower = initially(kind, d);
    return lower == "none" ? std::string() : lower;
  }

  void add_devices() {
    std::vector<std::string> names = all_with("home");
    std::stable_sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
      const auto place = [&](const std::string& d) { return std::find(last_first_.begin(), last_first_.end(), d); };
      return place(a) < place(b);
    });
    for (const bool uppers : {false, true})
      for (const std::string& d : names)
        if (!is_loopback_name(d) && uppers == (!above(d, "vlan_of").empty() || !above(d, "macvlan_of").empty())) add_one(d);
    for (const std::string& d : names)
      if (is_loopback_name(d) && initially_true("up", d)) out_.what.setup.push_back(on(op_kind::open, {device(d)}));
  }

  // DSA user ports are devices of their own, which the conduit's NETDEV_GOING_DOWN closes without asking.
  void add_one(const std::string& d) {
    device_plan plan;
    plan.net = net(initially("home", d));
    plan.up = initially_true("up", d);
    plan.ops_lock = initially_true("ops_locked", d);
    const bool dsa = option("dsa", "false") == "true";
    const std::string vlan = above(d, "vlan_of"), macvlan = above(d, "macvlan_of");
    if (!dsa && (!vlan.empty() || !macvlan.empty())) {
      plan.kind = vlan.empty() ? device_kind::macvlan : device_kind::vlan;
      plan.lower = device(vlan.empty() ? macvlan : vlan);
    }
    const device_ref number = add_device(d, plan);
    if (dsa && !vlan.empty()) react("NETDEV_GOING_DOWN", device(vlan), on(op_kind::close_unasked, {number}));
    if (!vlan.empty() && option("unregister_on_down", "false") == "true")
      react("NETDEV_DOWN", device(vlan), on(op_kind::unregister, {number}));
    furnish(d, number, plan.up);
  }

  void react(const char* event, device_ref of, operation act) {
    callback_plan c;
    c.event = event;
    c.device = of;
    c.react = reaction::act;
    c.act = std::move(act);
    out_.what.callbacks.push_back(std::move(c));
  }

  // `uniform` finds a nexthop whenever it looks for one; `varied` as the run goes.
  void furnish(const std::string& d, device_ref number, bool up) {
    const bool varied = option("inet", "uniform") == "varied";
    if (varied && !initially_true("in_device", d)) return;
    if (varied && initially_true("has_address", d))
      out_.what.setup.push_back(on(op_kind::address, {number}, 0, own_address(number)));
    out_.what.setup.push_back(on(op_kind::local_route, {number}, 0, host_behind(number, 1)));
    if (up) out_.what.setup.push_back(on(op_kind::route, {number}, 0, route_to(static_cast<unsigned>(number))));
  }

  std::vector<device_ref> chosen(const step_text& s) {
    std::vector<device_ref> out;
    for (const trace_choice& c : s.choices)
      if (c.what == "devs" && known(c.value)) out.push_back(device(c.value));
    return out;
  }

  void step(const step_text& s) {
    if (const std::string what = performed(s); !what.empty()) operation_of(s, what);
    for (const trace_event& e : s.events) {
      if (s.process.starts_with("reader") && !e.args.empty()) reader(s, e);
      if (e.name == "NETDEV_GOING_DOWN" || e.name == "NETDEV_DOWN" || e.name == "NETDEV_UNREGISTER") last_event_ = e;
    }
    for (const trace_change& c : s.changes) {
      if (c.variable == "callback_done" && c.after == "true") acting_ = last_event_;
      if (c.variable.starts_with("used_by(") && c.after != "none") use_locked(s.process, c.variable);
    }
    if (const std::string other = choice(s, "e"); !other.empty() && acting_ && acted_on_.empty()) acted_on_ = other;
    if (acting_ && !acted_on_.empty() && s.statement == "either" && choice(s, "branch") == "1" && !choice(s, "e").empty())
      acted_on_ = choice(s, "e");
  }

  void operation_of(const step_text& s, const std::string& what) {
    if (choice(s, "performed") == "0") return;
    const std::vector<device_ref> devices = chosen(s);
    const std::string d = choice(s, "d");
    if (what == "unregister_devices" || what == "unregister_down_devices") {
      add(s.process, on(op_kind::unregister, devices));
    } else if (what == "close_devices") {
      add(s.process, on(op_kind::close, devices));
    } else if (what == "default_device_exit_batch") {
      add(s.process, in(op_kind::exit_net, {net(choice(s, "n"))}));
    } else if (what == "link_set_down") {
      add(s.process, on(op_kind::link_down, {device(d)}));
    } else if (what == "link_set_up") {
      add(s.process, on(op_kind::open, {device(d)}));
    } else if (what == "delete_inet_address") {
      add(s.process, on(op_kind::del_address, {device(d)}, 0, own_address(device(d))));
    } else {
      out_.beyond = fmt::format("the operation {}", what);
    }
  }

  // "used_by(dev0)". One of whom the model's user finds nothing is left out: it does not matter when he looks.
  void use_locked(const std::string& process, const std::string& variable) {
    const std::string d = variable.substr(8, variable.size() - 9);
    add(process, on(op_kind::use_locked, {device(d)}));
    out_.order.push_back({fmt::format("t{}", task(process) + 1), "dev_use"});
  }

  // A reader that keeps a reference past its critical section, or only looks.
  void reader(const step_text& s, const trace_event& e) {
    if (e.name == "dev_use") add(s.process, on(op_kind::use, {device(e.args[0])}));
    if (e.name == "dev_hold") add(s.process, on(op_kind::hold, {device(e.args[0])}));
    if (e.name == "dev_hold") held_.push_back({s.process, e.args[0]});
    if (e.name != "dev_put" && &s != &run_.steps.back()) return;
    if (e.name == "dev_put") std::erase(held_, std::pair(s.process, e.args[0]));
    if (e.name == "dev_put") add(s.process, on(op_kind::put, {device(e.args[0])}));
  }

  void add_act() {
    if (!acting_ || acted_on_.empty()) return;
    const std::string what = option("callback", "");
    const bool asks = option("callback_asks", "true") == "true";
    const op_kind kind = what == "opens"    ? op_kind::open
                         : what == "closes" ? (asks ? op_kind::close : op_kind::close_unasked)
                         : asks             ? op_kind::unregister
                                            : op_kind::unregister_unasked;
    react(acting_->name.c_str(), device(acting_->args[0]), on(kind, {device(acted_on_)}));
  }

  std::vector<std::string> last_first_;
  std::vector<std::pair<std::string, std::string>> held_;
  std::optional<trace_event> last_event_, acting_;
  std::string acted_on_;
};

// The chain of the model has blocks in any order; a device is refused by the one behind those that were told of it.
class register_maker : public script_maker {
 public:
  using script_maker::script_maker;

  counterexample_script convert() {
    keep_init_net();
    std::string under_way;
    for (std::size_t i = 1; i < run_.steps.size() && out_.beyond.empty(); ++i) {
      const step_text& s = run_.steps[i];
      if (performed(s) == "register_device") under_way = choice(s, "d"), begin(s, under_way);
      for (const trace_change& c : s.changes)
        if (c.variable == "told(" + under_way + ")") told_ = elements(c.after).size();
      if (s.statement == "either" && choice(s, "branch") == "1") refuse(under_way);
      follow(s);
    }
    return finish();
  }

 private:
  // A namespace's first device is its loopback device, which setup_net registers.
  void begin(const step_text& s, const std::string& d) {
    told_ = 0;
    if (is_loopback_name(d)) {
      const net_ref n = net(d.substr(3, d.size() - 4));
      out_.what.nets[static_cast<std::size_t>(n) - 1].late = true;
      add(s.process, in(op_kind::setup_net, {n}));
      return;
    }
    device_plan plan;
    plan.net = net(initially("home", d));
    plan.late = true;
    add(s.process, on(op_kind::register_, {add_device(d, plan)}));
  }

  void refuse(const std::string& d) {
    for (std::size_t i = 0; i < told_; ++i) out_.what.callbacks.push_back({});  // told before
    callback_plan route;  // the model finds a nexthop through every device
    route.event = "NETDEV_REGISTER";
    route.device = device(d);
    route.react = reaction::act;
    route.act = on(op_kind::local_route, {route.device}, 0, host_behind(5, 1));
    out_.what.callbacks.push_back(route);
    callback_plan veto;
    veto.event = "NETDEV_REGISTER";
    veto.device = device(d);
    veto.react = reaction::veto;
    out_.what.callbacks.push_back(veto);
    out_.what.callbacks.push_back({});  // behind it
    for (callback_plan& c : out_.what.callbacks)
      if (c.react == reaction::none) c.event = "*", c.any_device = true;
  }

  std::size_t told_ = 0;
};

}  // namespace

counterexample_script convert_teardown(const run_text& run, const instance& settings) {
  return teardown_maker(run, settings).convert();
}
counterexample_script convert_register(const run_text& run, const instance& settings) {
  return register_maker(run, settings).convert();
}

}  // namespace quiesce::conformance
