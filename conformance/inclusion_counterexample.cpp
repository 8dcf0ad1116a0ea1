// SPDX-License-Identifier: MIT
#include "conformance/inclusion_counterexample.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "conformance/schedule_compare.hpp"
#include "model/verdict/claim.hpp"

namespace quiesce::conformance {

const char* name(replay_outcome o) {
  constexpr const char* names[] = {"breaks it too", "does not break it", "not violated", "not replayed"};
  return names[static_cast<std::size_t>(o)];
}

namespace {

// "home(dev1)" -> "dev1", if the variable is `home`.
std::string argument_of(const std::string& variable, const std::string& of) {
  if (!variable.starts_with(of + "(") || !variable.ends_with(")")) return {};
  return variable.substr(of.size() + 1, variable.size() - of.size() - 2);
}

bool is_true(const std::string& option, const std::string& value) {
  return (option == "nested" || option == "macvlan") && value == "true";
}

class converter {
 public:
  converter(const run_text& run, const instance& settings) : run_(run), settings_(settings) {}

  counterexample_script convert() {
    for (const auto& [option, value] : settings_.options)
      if (!is_true(option, value) && option != "net_ns")
        return beyond(fmt::format("the option {} is no variant of the stack", option));
    if (run_.steps.empty()) return beyond("there is no run");
    initial_state();
    out_.what.options.ipv6 = false;
    for (std::size_t i = 1; i < run_.steps.size() && out_.beyond.empty(); ++i) add(run_.steps[i]);
    if (out_.beyond.empty() && out_.what.tasks.empty()) return beyond("no operation is performed");
    for (std::size_t t = 0; t < processes_.size(); ++t)
      if (out_.what.tasks[t].empty()) return beyond(processes_[t] + " performs no operation");
    if (out_.beyond.empty()) out_.beyond = defect(out_.what);
    return std::move(out_);
  }

 private:
  counterexample_script beyond(std::string why) {
    out_.beyond = std::move(why);
    return std::move(out_);
  }

  struct start {
    std::string net, vlan_of = "none", macvlan_of = "none";
    bool up = false, ops_lock = false;
  };

  void initial_state() {
    std::map<std::string, start> devices;
    const auto lookup = [&](const std::string& d) -> start* {
      return d.empty() || d.starts_with("lo(") ? nullptr : &devices[d];
    };
    for (const trace_change& c : run_.steps[0].changes) {
      if (start* d = lookup(argument_of(c.variable, "home"))) d->net = c.after;
      if (start* d = lookup(argument_of(c.variable, "up"))) d->up = c.after == "true";
      if (start* d = lookup(argument_of(c.variable, "ops_locked"))) d->ops_lock = c.after == "true";
      if (start* d = lookup(argument_of(c.variable, "vlan_of"))) d->vlan_of = c.after;
      if (start* d = lookup(argument_of(c.variable, "macvlan_of"))) d->macvlan_of = c.after;
    }
    for (const bool uppers : {false, true})  // a device above another comes behind it
      for (const auto& [name, d] : devices)
        if ((d.vlan_of != "none" || d.macvlan_of != "none") == uppers) add_device(name, d);
  }

  void add_device(const std::string& name, const start& d) {
    device_plan plan;
    plan.net = net_of(d.net);
    plan.up = d.up;
    plan.ops_lock = d.ops_lock;
    const bool vlan = d.vlan_of != "none";
    if (vlan || d.macvlan_of != "none") {
      plan.kind = vlan ? device_kind::vlan : device_kind::macvlan;
      plan.lower = numbers_.at(vlan ? d.vlan_of : d.macvlan_of);
      const device_plan& lower = out_.what.devices[static_cast<std::size_t>(plan.lower)];
      if (plan.up && !lower.up) out_.beyond = "a device is up above one that is down";
    }
    numbers_[name] = static_cast<device_ref>(out_.what.devices.size());
    out_.what.devices.push_back(plan);
  }

  net_ref net_of(const std::string& name) {
    const auto [at, fresh] = nets_.try_emplace(name, static_cast<net_ref>(nets_.size()));
    if (fresh && at->second > 0) out_.what.nets.push_back({});
    return at->second;
  }

  std::size_t task_of(const std::string& process) {
    const auto found = std::find(processes_.begin(), processes_.end(), process);
    if (found != processes_.end()) return static_cast<std::size_t>(found - processes_.begin());
    processes_.push_back(process);
    out_.what.tasks.push_back({});
    return processes_.size() - 1;
  }

  void add(const step_text& s) {
    constexpr std::string_view perform = "perform ";
    const bool operation_begins = s.statement.starts_with(perform);
    if (operation_begins) {
      const std::string what = s.statement.substr(perform.size(), s.statement.find('(') - perform.size());
      operation op;
      op.kind = op_kind::unregister;
      if (what == "close_devices")
        op.kind = op_kind::close;
      else if (what != "unregister_devices" && what != "unregister_down_devices")
        out_.beyond = fmt::format("the operation {}", what);
      bool performed = true;
      for (const trace_choice& c : s.choices) {
        if (c.what == "performed") performed = c.value == "1";
        if (c.what == "devs" && numbers_.count(c.value)) op.devices.push_back(numbers_.at(c.value));
      }
      if (performed) out_.what.tasks[task_of(s.process)].push_back(op);
    }
    for (std::size_t i = 0; i < s.events.size(); ++i) out_.order.push_back(fmt::format("t{}", task_of(s.process) + 1));
  }

  const run_text& run_;
  const instance& settings_;
  std::map<std::string, device_ref> numbers_;
  std::map<std::string, net_ref> nets_;
  std::vector<std::string> processes_;
  counterexample_script out_;
};

std::string stack_variant(const driven_model& m, const std::string& model_variant) {
  for (const refimpl::variant_policy& v : refimpl::variants())
    if (m.variant(v.name) == model_variant) return std::string(v.name);
  return {};
}

// The stack under the schedule of the counterexample, judged.
std::string breach_on_stack(catalogue& inputs, const rule_book& rules, const driven_model& model,
                            const counterexample_script& script, const instance& settings, const std::string& variant,
                            const std::string& property) {
  script_cache cache(inputs);
  const scripted_model m(cache, model, script.what, variant);
  std::vector<letter> order;
  for (const std::string& task : script.order)
    for (std::uint32_t q = 0; q < m.system().program().processes.size(); ++q)
      if (m.system().program().processes[q].name == task) order.push_back({task, q, {}});
  judge j(rules);
  run_settings run;
  run.policy = refimpl::variant(variant);
  const auto net_ns = settings.options.find("net_ns");
  if (net_ns != settings.options.end()) run.policy.net_ns = net_ns->second == "true";
  run.end_all = false;
  run.sink = [&](const refimpl::event& e, refimpl::stack&) { j.push(e); };
  static_cast<void>(run_guided(m, script.what, run, order, {}));
  for (const breach& b : j.breaches())
    if (b.property == property) return b.text.empty() ? property : b.text;
  return {};
}

std::string undecidable(const rule_book& rules, const std::string& property) {
  for (const rule_book::entry& e : rules.entries())
    if (e.property->name == property) return e.by_events ? "" : "a rule about the model's state, which no event shows";
  return "no rule of the vocabulary";
}

}  // namespace

counterexample_script script_of(const driven_model&, const run_text& run, const instance& settings) {
  return converter(run, settings).convert();
}

counterexample_replay replay_claim(catalogue& inputs, const rule_book& rules, const claim_entry& entry, const limits& most) {
  const ast::claim& claim = entry.claim;
  counterexample_replay out{claim.name, claim.variant, claim.property, replay_outcome::beyond, {}, 0};
  const driven_model& model = *find_driven_model(claim.model);
  const std::string variant = stack_variant(model, claim.variant);
  out.detail = variant.empty() ? "the stack has no such variant" : undecidable(rules, claim.property);
  if (!out.detail.empty()) return out;
  const instance settings = settings_of(claim);
  const prepared_check check(inputs, {&model_of(inputs, entry), settings, {&inputs.property(claim.property)}});
  limits one = most;
  one.stop_early = true;
  const answer a = check.run(one, {});
  const verdict& v = a.verdicts.at(0);
  if (v.kind != verdict_kind::violated || !v.counterexample) {
    out.outcome = replay_outcome::not_violated;
    out.detail = v.reason;
    return out;
  }
  out.steps = v.counterexample->length();
  const counterexample_script script = script_of(model, *v.counterexample, settings);
  out.detail = !script.beyond.empty() ? script.beyond : model.unsupported(script.what);
  if (!out.detail.empty()) return out;
  out.detail = breach_on_stack(inputs, rules, model, script, settings, variant, claim.property);
  out.outcome = out.detail.empty() ? replay_outcome::keeps : replay_outcome::breaks;
  return out;
}

std::vector<const claim_entry*> violated_claims(catalogue& inputs, const std::string& variant) {
  std::vector<const claim_entry*> out;
  for (const claim_entry* c : inputs.all_claims()) {
    if (c->claim.expect != ast::expectation::violated || find_driven_model(c->claim.model) == nullptr) continue;
    if (variant.empty() || c->claim.variant == variant) out.push_back(c);
  }
  return out;
}

}  // namespace quiesce::conformance
