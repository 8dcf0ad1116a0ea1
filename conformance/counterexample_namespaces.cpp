// SPDX-License-Identifier: MIT
// The models namespaces and replay.
#include <algorithm>

#include <fmt/format.h>

#include "conformance/counterexample_internal.hpp"

namespace quiesce::conformance {

namespace {

bool in_procedure(const step_text& s, std::string_view name) {
  return std::any_of(s.path.begin(), s.path.end(), [&](const ir::frame& f) { return f.procedure == name; });
}

std::string argument_of(const std::string& variable, std::string_view of) {
  const std::string head = std::string(of) + "(";
  return variable.starts_with(head) ? variable.substr(head.size(), variable.size() - head.size() - 1) : std::string();
}

class namespaces_maker : public script_maker {
 public:
  using script_maker::script_maker;

  counterexample_script convert() {
    for (const std::string& n : all_with("is_init_net"))
      if (initially_true("is_init_net", n)) nets_[n] = 0;
    keep_init_net();
    for (const std::string& n : all_with("is_init_net")) static_cast<void>(net(n));
    if (settings_.environment != "setup")
      for (const std::string& d : all_with("nd_net")) add_one(d);
    for (std::size_t i = 1; i < run_.steps.size() && out_.beyond.empty(); ++i) {
      step(run_.steps[i]);
      follow(run_.steps[i]);
    }
    return finish();
  }

 private:
  void add_one(const std::string& d) {
    if (is_loopback_name(d)) {
      if (initially_true("up", d)) out_.what.setup.push_back(on(op_kind::open, {device(d)}));
      return;
    }
    device_plan plan;
    plan.net = net(initially("nd_net", d));
    plan.kind = initially_true("physical", d) ? device_kind::physical : device_kind::dummy;
    plan.up = initially_true("up", d);
    const device_ref number = add_device(d, plan);
    const bool route = initially("route", d) == "alive", cached = initially_true("cached_route", d);
    if (route && !plan.up) out_.what.setup.push_back(on(op_kind::local_route, {number}, 0, host_behind(number, 1)));
    if ((route && plan.up) || cached) {
      if (!plan.up) out_.what.setup.push_back(on(op_kind::open, {number}));
      out_.what.setup.push_back(on(op_kind::route, {number}, 0, route_to(static_cast<unsigned>(number))));
    }
    if (!cached) return;
    ip_prefix host = route_to(static_cast<unsigned>(number));
    host.lo += 7;
    host.length = 32;
    out_.what.setup.push_back(in(op_kind::cache, {plan.net}, host));
    if (!plan.up) out_.what.setup.push_back(on(op_kind::close, {number}));
  }

  void step(const step_text& s) {
    const std::string what = performed(s);
    const std::string d = choice(s, "d");
    if (what == "move_device" && !d.empty()) {
      operation op = on(op_kind::move, {device(d)});
      op.nets = {net(choice(s, "n"))};
      add(s.process, op);
    } else if (what == "unregister_device" && !d.empty()) {
      add(s.process, on(op_kind::unregister, {device(d)}));
    }
    if (s.process.starts_with("cleanup") && std::exchange(exits_, true) == false) exit_all(s.process);
    if (s.process == "copy_net_ns") set_up(s);
    for (const trace_change& c : s.changes)
      if (const std::string of = argument_of(c.variable, "held"); !of.empty()) hold(s.process, of, c.after == "true");
  }

  void exit_all(const std::string& process) {
    std::vector<net_ref> nets;
    for (const auto& [name, number] : nets_)
      if (number != 0) nets.push_back(number);
    add(process, in(op_kind::exit_net, nets));
  }

  void hold(const std::string& process, const std::string& d, bool takes) {
    add(process, on(takes ? op_kind::hold : op_kind::put, {device(d)}));
    out_.order.push_back({fmt::format("t{}", task(process) + 1), takes ? "dev_hold" : "dev_put"});
  }

  // setup_net of each namespace but init_net; a notifier may refuse its loopback device.
  void set_up(const step_text& s) {
    for (const trace_event& e : s.events) {
      if (e.name != "NETDEV_REGISTER" || !is_loopback_name(e.args[0])) continue;
      const net_ref n = net(e.args[1]);
      out_.what.nets[static_cast<std::size_t>(n) - 1].late = true;
      add(s.process, in(op_kind::setup_net, {n}));
      coming_ = e.args[0];
    }
    if (s.statement != "either" || choice(s, "branch") != "1") return;
    if (!in_procedure(s, "loopback_net_init")) {
      if (std::none_of(out_.what.callbacks.begin(), out_.what.callbacks.end(), [](const auto&) { return true; }))
        out_.beyond = "no method of a namespace's set-up comes behind the loopback device's in the stack";
      return;
    }
    callback_plan veto;
    veto.event = "NETDEV_REGISTER";
    veto.device = device(coming_);
    veto.react = reaction::veto;
    out_.what.callbacks.push_back(veto);
  }

  bool exits_ = false;
  std::string coming_;
};

class replay_maker : public script_maker {
 public:
  using script_maker::script_maker;

  counterexample_script convert() {
    static_cast<void>(net("init_net"));
    keep_init_net();
    const bool come_and_go = settings_.environment == "namespaces";
    add_devices(come_and_go);
    callback_plan notifier;
    notifier.event = "NETDEV_REGISTER";
    notifier.any_device = true;
    notifier.late = true;
    out_.what.callbacks.push_back(notifier);
    for (std::size_t i = 1; i < run_.steps.size() && out_.beyond.empty(); ++i) {
      step(run_.steps[i]);
      follow(run_.steps[i]);
    }
    return finish();
  }

 private:
  // As they are listed, which the first replay tells: others come behind.
  void add_devices(bool init_net_only) {
    std::vector<std::string> names;
    for (const step_text& s : run_.steps)
      for (const trace_event& e : s.events)
        if (e.name == "NETDEV_REGISTER") names.push_back(e.args[0]);
    for (const std::string& d : all_with("home")) names.push_back(d);
    for (const std::string& d : names) {
      const std::string home = initially("home", d);
      if (init_net_only && home != "init_net") continue;
      if (is_loopback_name(d) ? !opened_.insert(d).second : known(d)) continue;
      device_plan plan;
      plan.net = net(home);
      plan.up = initially_true("up", d);
      if (!is_loopback_name(d)) add_device(d, plan);
      if (is_loopback_name(d) && plan.up) out_.what.setup.push_back(on(op_kind::open, {device(d)}));
    }
  }

  void step(const step_text& s) {
    if (s.process == "module") {
      for (const trace_change& c : s.changes)
        if (c.variable == "on_chain" && c.after == "true") come(s.process);
      for (const trace_event& e : s.events) {
        if (e.name == "replay_begin" && std::exchange(registers_, false) == false) go(s.process);
        if (e.name == "NETDEV_REGISTER") last_ = e.args[0];
      }
      const bool refused = std::any_of(s.changes.begin(), s.changes.end(), [](const trace_change& c) {
        return c.variable == "refused_one" && c.after == "true";
      });
      if (refused) refuse(last_);
      return;
    }
    namespace_of(s);
  }

  void come(const std::string& process) {
    operation op{op_kind::watch};
    add(process, op);
    registers_ = true;
  }
  void go(const std::string& process) {
    operation op{op_kind::unwatch};
    add(process, op);
  }
  void refuse(const std::string& d) {
    callback_plan& c = out_.what.callbacks[0];
    c.any_device = false;
    c.device = device(d);
    c.react = reaction::veto;
  }

  // copy_net_ns(n): set up, then cleaned up.
  void namespace_of(const step_text& s) {
    const std::string name = argument_of(s.process, "copy_net_ns");
    if (name.empty() || name == "init_net") return;
    const net_ref n = net(name);
    const bool exits = in_procedure(s, "cleanup_net"), sets_up = in_procedure(s, "setup_net");
    int& done = stage_[name];
    if (sets_up && done == 0) {
      out_.what.nets[static_cast<std::size_t>(n) - 1].late = true;
      add(s.process, in(op_kind::setup_net, {n}));
      done = 1;
    }
    if (exits && done == 1) {
      add(s.process, in(op_kind::exit_net, {n}));
      done = 2;
    }
  }

  bool registers_ = false;
  std::string last_;
  std::set<std::string> opened_;
  std::map<std::string, int> stage_;
};

}  // namespace

counterexample_script convert_namespaces(const run_text& run, const instance& settings) {
  return namespaces_maker(run, settings).convert();
}
counterexample_script convert_replay(const run_text& run, const instance& settings) {
  return replay_maker(run, settings).convert();
}

}  // namespace quiesce::conformance
