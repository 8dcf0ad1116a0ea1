// SPDX-License-Identifier: MIT
// A counterexample on the stack: in the model's order first, then near it, then at random.
#include <algorithm>
#include <random>
#include <set>

#include <fmt/format.h>

#include "conformance/counterexample_internal.hpp"
#include "conformance/endless.hpp"
#include "conformance/schedule_run.hpp"

namespace quiesce::conformance {

const char* name(replay_outcome o) {
  constexpr const char* names[] = {"breaks it too", "does not break it", "not violated", "not replayable",
                                   "no variant of the stack"};
  return names[static_cast<std::size_t>(o)];
}

namespace {

// Moves the task whose event is due. Who cannot move waits for something that no event shows: softirqs first, then the
// others. `noise` of a hundred moves are any other.
class near_order : public chooser {
 public:
  near_order(const std::vector<due_event>& order, actor_names& names, std::uint64_t seed, unsigned noise)
      : order_(order), names_(names), source_(seed), noise_(noise) {
    for (const due_event& d : order) alphabet_.insert({d.task, d.event});
  }

  void saw(const refimpl::event& e) {
    if (e.task < first_task_id) return;
    const bool softirq = e.task >= first_softirq_id;
    const std::string task =
        softirq ? names_.name(e.task - first_softirq_id) : fmt::format("t{}", e.task - first_task_id + 1);
    const std::string event(refimpl::name(e.kind));
    if (alphabet_.count({task, event}) != 0) ++happened_[task];
  }

  std::uint32_t choose(const std::vector<std::uint32_t>& enabled) override {
    if (noise_ > 0 && source_() % 100 < noise_) return enabled[source_() % enabled.size()];
    const std::string wanted = due();
    for (const std::uint32_t a : enabled)
      if (names_.name(a) == wanted) return a;
    for (const std::uint32_t a : enabled)
      if (names_.name(a).find(' ') != std::string::npos) return a;  // "rcu t1", "timer x fires"
    return enabled.front();
  }

 private:
  std::string due() const {
    std::map<std::string, std::size_t> passed;
    for (const due_event& d : order_) {
      const auto done = happened_.find(d.task);
      if (passed[d.task]++ >= (done != happened_.end() ? done->second : 0)) return d.task;
    }
    return {};
  }

  const std::vector<due_event>& order_;
  actor_names& names_;
  std::mt19937_64 source_;
  unsigned noise_;
  std::set<std::pair<std::string, std::string>> alphabet_;
  std::map<std::string, std::size_t> happened_;
};

// As the model, its steps that show nothing included: a run of them is one move, and all the moves that are left where the
// task has nothing more to show. What does not come in so many moves is left out.
class step_order : public chooser {
 public:
  step_order(const std::vector<due_event>& order, actor_names& names) : order_(order), names_(names) {}

  void saw(const refimpl::event& e) {
    if (e.task < first_task_id) return;
    const std::string task =
        e.task >= first_softirq_id ? names_.name(e.task - first_softirq_id) : fmt::format("t{}", e.task - first_task_id + 1);
    std::size_t next = at_;
    while (next < order_.size() && order_[next].event.empty()) ++next;
    if (next < order_.size() && order_[next] == due_event{task, std::string(refimpl::name(e.kind))}) go_to(next + 1);
  }

  std::uint32_t choose(const std::vector<std::uint32_t>& enabled) override {
    if (++waited_ > patience) go_to(at_ + 1);
    for (; at_ < order_.size(); go_to(at_ + 1)) {
      const due_event& due = order_[at_];
      const auto actor = std::find_if(enabled.begin(), enabled.end(), [&](auto a) { return names_.name(a) == due.task; });
      if (actor == enabled.end() && !due.event.empty()) break;
      if (actor == enabled.end()) continue;
      if (due.event.empty() && !is_last_of_its_task()) go_to(at_ + 1);
      return *actor;
    }
    for (const std::uint32_t a : enabled)
      if (names_.name(a).find(' ') != std::string::npos) return a;
    return enabled.front();
  }

 private:
  static constexpr unsigned patience = 40;
  void go_to(std::size_t next) { at_ = next, waited_ = 0; }
  bool is_last_of_its_task() const {
    return std::none_of(order_.begin() + static_cast<std::ptrdiff_t>(at_) + 1, order_.end(),
                        [&](const due_event& d) { return d.task == order_[at_].task; });
  }
  const std::vector<due_event>& order_;
  actor_names& names_;
  std::size_t at_ = 0;
  unsigned waited_ = 0;
};

// One actor makes so many moves, another one its first moves then, the first goes on; the others follow. Musuvathi and
// Qadeer, "Iterative context bounding" (PLDI 2007): most bugs need a preemption or two.
struct preemption {
  std::string first, second;
  std::size_t behind = 0, moves = 0;  // of the first; of the second
};
class preempting : public chooser {
 public:
  preempting(preemption p, actor_names& names) : p_(std::move(p)), names_(names) {}
  std::uint32_t choose(const std::vector<std::uint32_t>& enabled) override {
    const auto first = named(enabled, p_.first), second = named(enabled, p_.second);
    if (p_.behind > 0 && first) return --p_.behind, *first;
    p_.behind = 0;
    if (p_.moves > 0 && second) return --p_.moves, *second;
    for (const std::uint32_t a : enabled)  // it waits for them
      if (p_.moves > 0 && names_.name(a).starts_with("rcu ")) return a;
    if (first) return *first;
    for (const std::uint32_t a : enabled)
      if (names_.name(a).find(' ') == std::string::npos) return a;
    return enabled.front();
  }

 private:
  std::optional<std::uint32_t> named(const std::vector<std::uint32_t>& enabled, const std::string& name) const {
    for (const std::uint32_t a : enabled)
      if (names_.name(a) == name) return a;
    return std::nullopt;
  }
  preemption p_;
  actor_names& names_;
};

class replayer {
 public:
  replayer(const rule_book& rules, const counterexample_script& script, const stack_version& version,
           const ast::claim& claim, const instance& settings)
      : rules_(rules), script_(script), version_(version), claim_(claim), settings_(settings) {
    if (!is_endless_rule(claim.property)) return;
    script_.bounds.polls = 64;  // a wait's turns come back to the same state every few sleeps
    script_.bounds.firings = 8;
    script_.bounds.to_rest = true;
    script_.bounds.one_cpu = claim.property == "packets_handled";
  }

  void run(std::uint64_t schedules, counterexample_replay& out) {
    const bool several = script_.what.tasks.size() > 1 && !script_.in_turn;
    out.outcome = replay_outcome::keeps;
    const bool endless = is_endless_rule(claim_.property);
    out.bounds = script_.bounds;
    if (endless && (in_order(out) || in_steps(out))) return;
    if (!endless && (several ? in_order(out) || in_turn(out) : in_turn(out) || in_order(out))) return;
    for (std::uint64_t i = 1; i <= schedules; ++i)
      if (random(i, out)) return;
    if (preempted(schedules * 10, out)) return;
    out.detail = fmt::format("{} schedules", out.schedules);
    if (!stop_.empty()) out.detail += "; the stack stops before it could: " + stop_;
  }

 private:
  run_settings settings_for(judge& j, near_order* order) {
    run_settings s;
    s.policy = version_.policy;
    s.end_all = false;
    s.keep_events = false;
    sleeps_ = 0;
    s.sink = [this, &j, order](const refimpl::event& e, refimpl::stack& on) {
      if (order != nullptr) order->saw(e);
      sleeps_ += e.kind == refimpl::event_kind::msleep ? 1 : 0;
      j.push(e, &on);
    };
    s.at_rest = [&j](refimpl::stack& on) { j.at_rest(on); };
    return s;
  }

  // The first breach of the property; how many devices were passed is the model's number.
  std::string breach_in(judge& j, const run_result& r) {
    if (r.stopped) j.stopped(*r.stopped);
    if (r.stopped && stop_.empty()) stop_ = r.stopped->what;
    for (const breach& b : j.breaches())
      if (b.property == claim_.property) return b.text.empty() ? b.property : b.text;
    if (claim_.property != "one_sleep_for_each_callback") return {};
    const auto chain = settings_.scope.find("rcu_chain");
    const std::int64_t most = chain != settings_.scope.end() ? chain->second : 1;
    return sleeps_ > most ? fmt::format("{} sleeps, {} callbacks", sleeps_, most) : std::string();
  }

  bool found(std::string text, std::string how, std::vector<std::string> actors, counterexample_replay& out) {
    ++out.schedules;
    if (text.empty()) return false;
    out.outcome = replay_outcome::breaks;
    out.detail = std::move(text);
    out.how = std::move(how);
    out.actors = std::move(actors);
    return true;
  }

  bool in_turn(counterexample_replay& out) {
    judge j(rules_);
    const run_result r = conformance::run(script_.what, settings_for(j, nullptr));
    return found(breach_in(j, r), "in turn", {}, out);
  }

  bool controlled(chooser& inner, near_order* order, const std::string& how, counterexample_replay& out) {
    if (is_endless_rule(claim_.property))
      return for_ever(
          inner, [&](const refimpl::event& e) { order != nullptr ? order->saw(e) : void(); }, how, out);
    judge j(rules_);
    recording_chooser drive(inner, names_);
    const controlled_result r = run_controlled(script_.what, settings_for(j, order), drive, names_, script_.bounds);
    length_ = std::max(length_, drive.actors.size());
    return found(breach_in(j, r.run), how, std::move(drive.actors), out);
  }

  bool for_ever(chooser& inner, const std::function<void(const refimpl::event&)>& saw, const std::string& how,
                counterexample_replay& out) {
    endless_watch watch(claim_.property, inner, names_);
    recording_chooser drive(watch, names_);
    run_settings s;
    s.policy = version_.policy;
    s.end_all = false;
    s.keep_events = false;
    s.sink = [&](const refimpl::event& e, refimpl::stack& on) {
      saw(e);
      watch.saw(e, on);
    };
    const controlled_result r = run_controlled(script_.what, s, drive, names_, script_.bounds);
    length_ = std::max(length_, drive.actors.size());
    if (r.run.stopped && stop_.empty()) stop_ = r.run.stopped->what;
    return found(watch.verdict(r.control), how, std::move(drive.actors), out);
  }

  bool in_order(counterexample_replay& out) {
    near_order order(script_.order, names_, 1, 0);
    return controlled(order, &order, "in the model's order", out);
  }

  bool in_steps(counterexample_replay& out) {
    step_order order(script_.steps, names_);
    return for_ever(
        order, [&](const refimpl::event& e) { order.saw(e); }, "in the model's steps", out);
  }

  bool random(std::uint64_t seed, counterexample_replay& out) {
    if (seed % 3 == 0) {
      near_order order(script_.order, names_, seed, 5 + static_cast<unsigned>(seed % 4) * 10);
      return controlled(order, &order, fmt::format("near the model's order ({})", seed), out);
    }
    const bool pct = seed % 3 == 1;
    const auto inner = pct ? pct_chooser(seed, 3, length_) : random_chooser(seed);
    return controlled(*inner, nullptr, fmt::format("{} {}", pct ? "pct" : "random", seed), out);
  }

  // Every place of one preemption of a task by any other actor.
  bool preempted(std::uint64_t most, counterexample_replay& out) {
    constexpr std::size_t all = ~std::size_t{0};
    for (std::size_t behind = 0; behind < length_ && most > 0; ++behind)
      for (std::size_t t = 1; t <= script_.what.tasks.size(); ++t)
        for (std::size_t b = 0; b < names_.size(); ++b)
          for (const std::size_t moves : {std::size_t{1}, std::size_t{2}, all}) {
            const preemption p{fmt::format("t{}", t), names_.name(static_cast<std::uint32_t>(b)), behind, moves};
            if (p.first == p.second) continue;
            --most;
            preempting drive(p, names_);
            if (controlled(drive, nullptr, fmt::format("{} after {} moves of {}", p.second, behind, p.first), out))
              return true;
            if (most == 0) return false;
          }
    return false;
  }

  const rule_book& rules_;
  counterexample_script script_;
  const stack_version& version_;
  const ast::claim& claim_;
  const instance& settings_;
  actor_names names_;
  std::size_t length_ = 100;
  std::int64_t sleeps_ = 0;
  std::string stop_;  // what the first execution that stopped did
};

const converted_model* find_converted(std::string_view name) {
  for (const converted_model& m : converted_models())
    if (m.name == name) return &m;
  return nullptr;
}

// What of the property can be judged on the stack; empty: it can.
std::string undecided(const rule_book& rules, const ast::claim& claim) {
  if (about_milliseconds(claim.model, claim.property) || claim.property == "one_sleep_for_each_callback") return {};
  if (is_endless_rule(claim.property)) return {};
  for (const rule_book::entry& e : rules.entries()) {
    if (e.property->name != claim.property) continue;
    return e.by_events || !e.probe.empty() ? "" : e.undecidable;
  }
  return "no rule of the catalogue";
}

std::string options_text(const instance& settings) {
  std::string out;
  for (const auto& [name, value] : settings.options) out += fmt::format("{}{}={}", out.empty() ? "" : " ", name, value);
  return out;
}

}  // namespace

counterexample_replay replay_claim(catalogue& inputs, const rule_book& rules, const claim_entry& entry,
                                   const replay_effort& effort) {
  const ast::claim& claim = entry.claim;
  const instance settings = settings_of(claim);
  const stack_version version = version_of(claim.model, settings);
  counterexample_replay out;
  const auto identify = [&](counterexample_replay& r) {
    r.claim = claim.name, r.model = claim.model, r.model_variant = claim.variant, r.property = claim.property;
    r.options = options_text(settings);
    r.variant = version.name;
    r.as_is = version.of_stack && version.as_is;
  };
  identify(out);
  if (!version.why_not.empty()) {
    out.outcome =
        refimpl::find_variant(version.name) || version.of_stack ? replay_outcome::beyond : replay_outcome::no_variant;
    out.detail = version.why_not;
    return out;
  }
  if (out.detail = undecided(rules, claim); !out.detail.empty()) return out;
  const prepared_check check(inputs, {&model_of(inputs, entry), settings, {&inputs.property(claim.property)}});
  limits one = effort.model;
  one.stop_early = true;
  one.symmetry = one.symmetry && !is_endless_rule(claim.property);  // the search for a loop has none
  const verdict v = check.run(one, {}).verdicts.at(0);
  const bool sometimes = claim.property == "sometimes_later_than_compared";
  if (v.kind != verdict_kind::violated || (!v.counterexample && !sometimes)) {
    out.outcome = v.kind == verdict_kind::violated ? replay_outcome::beyond : replay_outcome::not_violated;
    out.detail = v.kind == verdict_kind::violated
                     ? "it asks for a run that does something: none does, so there is none to replay"
                     : v.reason;
    return out;
  }
  const run_text found = v.counterexample ? *v.counterexample : run_text{};
  const std::size_t steps = found.length();
  if (about_milliseconds(claim.model, claim.property)) {
    out = measure_wait(claim, found, settings, version);
    identify(out);
    out.steps = steps;
    return out;
  }
  out.steps = steps;
  const counterexample_script script = find_converted(claim.model)->convert(found, settings);
  out.what = script.what;
  out.bounds = script.bounds;
  out.devices = script.what.devices.size();
  if (out.detail = script.beyond; !out.detail.empty()) return out;
  replayer(rules, script, version, claim, settings).run(effort.schedules, out);
  return out;
}

std::vector<const claim_entry*> violated_claims(catalogue& inputs) {
  std::vector<const claim_entry*> out;
  for (const claim_entry* c : inputs.all_claims())
    if (c->claim.expect == ast::expectation::violated && find_converted(c->claim.model) != nullptr) out.push_back(c);
  return out;
}

}  // namespace quiesce::conformance
