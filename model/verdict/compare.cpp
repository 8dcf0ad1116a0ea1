// SPDX-License-Identifier: MIT
#include "model/verdict/compare.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>

#include "model/verdict/run.hpp"

namespace quiesce {
namespace {

bool same_choices(const std::vector<trace_choice>& a, const std::vector<trace_choice>& b) {
  const auto same = [](const trace_choice& x, const trace_choice& y) { return x.what == y.what && x.value == y.value; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

// The choices of the schedule that the other run has not made yet, for each process in order.
class pending_choices {
 public:
  explicit pending_choices(const run_text& schedule) {
    for (const step_text& s : schedule.steps)
      for (const trace_choice& c : s.choices) left_[s.process].push_back(c);
  }

  // How many choices of `step` are the next of their name in the schedule.
  std::size_t agreeing(const step_text& step) const {
    const auto at = left_.find(step.process);
    if (at == left_.end()) return 0;
    std::deque<trace_choice> left = at->second;
    std::size_t count = 0;
    for (const trace_choice& c : step.choices) count += consume(left, c);
    return count;
  }

  void made(const step_text& step) {
    for (const trace_choice& c : step.choices) consume(left_[step.process], c);
  }

 private:
  static bool consume(std::deque<trace_choice>& left, const trace_choice& made) {
    const auto next = std::find_if(left.begin(), left.end(), [&](const trace_choice& c) { return c.what == made.what; });
    if (next == left.end()) return false;
    const bool agrees = next->value == made.value;
    left.erase(next);
    return agrees;
  }

  std::map<std::string, std::deque<trace_choice>> left_;
};

std::optional<std::size_t> step_for(const run& other, const step_text& wanted, const pending_choices& pending) {
  std::optional<std::size_t> best;
  std::size_t most = 0;
  for (std::size_t i = 0; i < other.enabled().size(); ++i) {
    const step_text possible = other.words(other.enabled()[i]);
    if (possible.process != wanted.process) continue;
    if (same_choices(possible.choices, wanted.choices)) return i;
    const std::size_t agreeing = pending.agreeing(possible);
    if (!best || agreeing > most) best = i, most = agreeing;
  }
  return best;
}

}  // namespace

bool same_step(const step_text& a, const step_text& b) {
  const auto same_events = [](const trace_event& x, const trace_event& y) { return x.name == y.name && x.args == y.args; };
  const auto same_changes = [](const trace_change& x, const trace_change& y) {
    return x.variable == y.variable && x.before == y.before && x.after == y.after;
  };
  return a.process == b.process && a.statement == b.statement && same_choices(a.choices, b.choices) &&
         std::equal(a.events.begin(), a.events.end(), b.events.begin(), b.events.end(), same_events) &&
         std::equal(a.changes.begin(), a.changes.end(), b.changes.begin(), b.changes.end(), same_changes);
}

followed_run follow_schedule(const run_text& schedule, const transition_system& other) {
  followed_run out;
  run r(other);
  pending_choices pending(schedule);
  out.first_difference = schedule.steps.size();
  for (std::size_t i = 0; i < schedule.steps.size() && !r.ended(); ++i) {
    const std::optional<std::size_t> number = step_for(r, schedule.steps[i], pending);
    followed_step step;
    if (number) {
      r.take(*number);
      step.taken = true;
      step.words = r.taken().back();
      pending.made(step.words);
    } else {
      step.why = r.enabled().empty() ? "nothing can move any more" : schedule.steps[i].process + " cannot move";
    }
    if (out.first_difference > i && !(step.taken && same_step(step.words, schedule.steps[i]))) out.first_difference = i;
    out.steps.push_back(std::move(step));
  }
  if (r.ended()) out.ending = r.ending();
  return out;
}

}  // namespace quiesce
