// SPDX-License-Identifier: MIT
#include "conformance/runner.hpp"

#include <mutex>
#include <set>

#include "conformance/world.hpp"

namespace quiesce::conformance {

namespace {

constexpr int setup_task = -1;

refimpl::stack_options stack_options_of(const scenario& s) {
  refimpl::stack_options o;
  o.hz = s.options.hz;
  o.ipv6 = s.options.ipv6;
  o.debug_list = s.options.debug_list;
  // Longer than any holder of a generated scenario keeps a device.
  o.wait_limit_ms = 120'000;
  return o;
}

void add_steps(task_body& body, world& w, run_result& result, const std::vector<operation>& ops, int task) {
  for (std::size_t i = 0; i < ops.size(); ++i)
    body.steps.push_back([&w, &result, &ops, task, i] {
      result.outcomes.push_back({task, static_cast<int>(i), w.execute(ops[i])});
    });
}

void run_phases(const scenario& s, const run_settings& settings, execution& exec, refimpl::stack& on, world& w,
                run_result& result) {
  std::vector<task_body> setup(1), tasks(s.tasks.size()), end(1);
  setup[0].name = "setup";
  setup[0].steps.push_back([&] {
    w.make_nets();
    w.register_devices();
    w.watch_all();
  });
  add_steps(setup[0], w, result, s.setup, setup_task);
  setup[0].steps.push_back([&] { w.inject_faults(); });
  exec.run(setup);
  for (std::size_t i = 0; i < s.tasks.size(); ++i) {
    tasks[i].name = "t" + std::to_string(i + 1);
    add_steps(tasks[i], w, result, s.tasks[i], static_cast<int>(i));
  }
  exec.run(tasks);
  if (settings.at_rest && !on.stopped()) settings.at_rest(on);
  if (!settings.end_all) return;
  end[0].name = "end";
  end[0].steps.push_back([&] { w.let_go(); });
  end[0].steps.push_back([&] { w.delete_all(); });
  exec.run(end);
}

// A handler's name lives as long as its block; an event that is kept lives longer. Few names exist, and they stay.
const char* lasting(const char* name) {
  static std::mutex lock;
  static std::set<std::string, std::less<>> names;
  std::lock_guard held(lock);
  const auto found = names.find(name);
  return (found != names.end() ? found : names.emplace(name).first)->c_str();
}

// Everything was deleted: only init_net's loopback may be left, and a driver's fallback device.
std::string left_over(refimpl::stack& on) {
  std::string names;
  for (refimpl::net_device* dev : on.devices())
    if (dev != on.init_net().loopback_dev.load() && dev != on.routes->blackhole_netdev.get())
      names += (names.empty() ? "" : ", ") + dev->name;
  return names;
}

}  // namespace

run_result run(const scenario& s, const run_settings& settings) {
  run_result result;
  in_turn own(s.options.order);
  execution& exec = settings.exec != nullptr ? *settings.exec : own;
  const driver_entry& chosen = settings.driver != nullptr ? *settings.driver : driver_table().front();
  const std::unique_ptr<scenario_driver> driver = chosen.make(s);
  refimpl::stack on(settings.policy, exec.sched(), exec.rcu(), stack_options_of(s));
  on.driver = driver->observer(on);
  world w(s, on, *driver);
  const bool keep = settings.keep_events;
  on.events.set_sink([&](const refimpl::event& e) {
    w.note(e);
    if (keep) {
      result.events.push_back(e);
      if (e.kind == refimpl::event_kind::callback) result.events.back().tag = lasting(e.tag);
    }
    if (settings.sink) settings.sink(e, on);
  });
  run_phases(s, settings, exec, on, w, result);
  result.stopped = on.stopped();
  result.warnings = on.counters.warnings.load();
  if (!result.stopped) {
    result.inconsistent = on.check_consistency();
    if (settings.end_all) result.leaked = left_over(on);
  }
  result.complaints = driver->complaints();
  on.events.set_sink({});
  return result;
}

}  // namespace quiesce::conformance
