// SPDX-License-Identifier: MIT
#pragma once
// What the conversions of single models share. See counterexample.hpp.

#include <optional>

#include "conformance/counterexample.hpp"

namespace quiesce::conformance {

// Reads a run and collects a scenario. A task of the scenario is a process of the model that does something there.
class script_maker {
 public:
  script_maker(const run_text& run, const instance& settings) : run_(run), settings_(settings) {
    for (const trace_change& c : run.steps.empty() ? std::vector<trace_change>{} : run.steps[0].changes)
      initial_[c.variable] = c.after;
    out_.what.options.ipv6 = false;
    out_.bounds = {.polls = 12, .firings = 4};
  }

 protected:
  // --- the run ---
  // "home" of "dev1": its value in the initial state; empty if there is none.
  std::string initially(std::string_view variable, std::string_view of) const;
  bool initially_true(std::string_view variable, std::string_view of) const { return initially(variable, of) == "true"; }
  // Everything that the initial state gives this variable for, in order of names.
  std::vector<std::string> all_with(std::string_view variable) const;
  std::string option(const std::string& name, const std::string& otherwise) const;
  // "{dev0, dev1}" or "dev0" as elements.
  static std::vector<std::string> elements(const std::string& text);
  static std::string choice(const step_text&, std::string_view what);  // empty: none of that name
  static std::vector<std::string> chosen_set(const step_text&, std::string_view what, std::string_view sort);
  // "perform close_devices(any)" -> "close_devices"; empty if the step performs nothing.
  static std::string performed(const step_text&);
  static bool is_loopback_name(const std::string& device) { return device.starts_with("lo("); }

  // --- the scenario ---
  counterexample_script beyond(std::string why) {
    if (out_.beyond.empty()) out_.beyond = std::move(why);
    return finish();
  }
  counterexample_script finish();
  net_ref net(const std::string& name);             // numbered as met; `init_net` is 0, and so is the first unless kept
  void keep_init_net() { init_net_free_ = false; }  // no namespace of the model is init_net
  device_ref add_device(const std::string& name, device_plan);
  device_ref device(const std::string& name);  // added, or a loopback device
  bool known(const std::string& name) const { return numbers_.count(name) != 0; }
  std::size_t task(const std::string& process);
  void add(const std::string& process, operation op) { out_.what.tasks[task(process)].push_back(std::move(op)); }
  static operation on(op_kind k, std::vector<device_ref> devices, std::int64_t number = 0, ip_prefix ip = {}) {
    return {k, std::move(devices), {}, ip, number, 0};
  }
  static operation in(op_kind k, std::vector<net_ref> nets, ip_prefix ip = {}, std::int64_t number = 0) {
    return {k, {}, std::move(nets), ip, number, 0};
  }
  // The step's events are due next, by the task of its process.
  void follow(const step_text&);
  void due(const std::string& task, const step_text&);

  const run_text& run_;
  const instance& settings_;
  counterexample_script out_;
  std::map<std::string, device_ref> numbers_;
  std::map<std::string, net_ref> nets_;
  std::vector<std::string> processes_;

 private:
  std::map<std::string, std::string> initial_;
  bool init_net_free_ = true;
};

// Addresses that do not meet: of a device, of a host behind it, and a destination.
ip_prefix own_address(device_ref);
ip_prefix host_behind(device_ref, unsigned host);
ip_prefix route_to(unsigned number);

counterexample_script convert_teardown(const run_text&, const instance&);
counterexample_script convert_register(const run_text&, const instance&);
counterexample_script convert_namespaces(const run_text&, const instance&);
counterexample_script convert_replay(const run_text&, const instance&);
counterexample_script convert_fib_neigh(const run_text&, const instance&);
counterexample_script convert_proxy_queue(const run_text&, const instance&);
counterexample_script convert_wait_allrefs(const run_text&, const instance&);
counterexample_script convert_fib6_gc(const run_text&, const instance&);
counterexample_script convert_wait_backoff(const run_text&, const instance&);

// Rules about milliseconds, which compare the wait with a number that the claim gives: measured on the stack in simulated
// time.
bool about_milliseconds(const std::string& model, const std::string& property);
counterexample_replay measure_wait(const ast::claim&, const run_text&, const instance&, const stack_version&);

}  // namespace quiesce::conformance
