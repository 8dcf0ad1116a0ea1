// SPDX-License-Identifier: MIT
#include "model/symbolic/proof.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "model/symbolic/example.hpp"
#include "model/symbolic/solver.hpp"

namespace quiesce::symbolic {

namespace {

std::string word(const std::string& text, std::size_t n) {
  std::size_t at = 0;
  for (; n > 0 && at != std::string::npos; --n) at = text.find(' ', at) + 1;
  return at == std::string::npos ? "" : text.substr(at, text.find(' ', at) - at);
}

class prover {
 public:
  prover(const core& c, const script& s, const effort& e)
      : core_(c), script_(s), effort_(e), solver_(e.timeout_ms), states_(e.timeout_ms, true) {}

  outcome run() {
    for (solver* z3 : {&solver_, &states_}) z3->tell("(set-logic ALL)\n" + script_.prelude);
    for (const bool with : {false, true}) {
      if (with)
        for (solver* z3 : {&solver_, &states_}) z3->tell(script_.invariants);
      for (const block& b : script_.blocks)
        if (b.with_invariants == with && !enough()) ask(b);
    }
    finish();
    out_.questions = solver_.questions() + states_.questions();
    out_.seconds = solver_.seconds() + states_.seconds();
    return std::move(out_);
  }

 private:
  bool enough() const { return out_.failures.size() >= effort_.most_failures; }

  static bool wants_state(const obligation& q) { return q.accepted[0] == answer::sat; }

  void ask(const block& b) {
    bool any_state = false;
    for (const obligation& q : b.questions) any_state |= wants_state(q);
    solver_.tell("(push 1)\n" + b.text);
    if (any_state) states_.tell("(push 1)\n" + b.text);
    for (const obligation& q : b.questions) {
      if (enough()) break;
      solver& z3 = wants_state(q) ? states_ : solver_;
      note(b, q, z3.ask("(push 1)\n" + q.text + "(check-sat)\n(pop 1)\n").at(0));
    }
    solver_.tell("(pop 1)\n");
    if (any_state) states_.tell("(pop 1)\n");
  }

  void note(const block& b, const obligation& q, answer a) {
    if (q.accepted.size() > 1 && a != answer::unknown) {
      note_possible(b, q, a);
      out_.obligations.push_back({q.name, a, b.text + q.text});
      return;
    }
    if (a == q.accepted[0]) {
      out_.obligations.push_back({q.name, a, b.text + q.text});
      return;
    }
    out_.failures.push_back(explain(b, q, a));
  }

  void note_possible(const block& b, const obligation& q, answer a) {
    const std::string kind = word(q.name, 0);
    if (kind == "possible") {
      if (!b.with_invariants) {
        some_initial_ |= a == answer::sat;
        return;
      }
      taken_[core_.actions[q.action].name] |= a == answer::sat;
    } else {
      triggered_[q.name.substr(q.name.find(' ', 8) + 1)] |= a == answer::sat;
    }
  }

  void finish() {
    if (!out_.failures.empty()) return;
    if (!some_initial_)
      out_.failures.push_back({failure_kind::impossible, "possible initial", "", "", "there is no initial state", {}});
    for (const auto& [place, taken] : taken_)
      if (!taken) out_.never.push_back(place);
    for (const auto& [property, happened] : triggered_)
      if (!happened) out_.untriggered.push_back(property);
    for (const property& p : core_.properties) {
      bool checked = p.kind != "monitored";
      for (const action& a : core_.actions)
        for (const effect& e : a.violates) checked |= e.property == p.name;
      if (!checked) out_.failures.push_back({failure_kind::tautology, "safe " + p.name, "", "", p.name, {}});
    }
  }

  failure explain(const block& b, const obligation& q, answer a) {
    failure f;
    f.question = q.name;
    const std::string kind = word(q.name, 0);
    const bool about_state = b.name == "state" || b.name == "any state";
    const auto* list = b.with_invariants ? &core_.actions : &core_.initial;
    if (!about_state) f.action = b.with_invariants ? core_.actions[q.action].name : "";
    if (a == answer::unknown)
      f.kind = failure_kind::unknown;
    else if (kind == "init")
      f.kind = failure_kind::not_initial;
    else if (kind == "keep")
      f.kind = failure_kind::not_inductive;
    else if (kind == "safe")
      f.kind = failure_kind::unsafe;
    else if (kind == "ends")
      f.kind = failure_kind::run_time_error;
    else
      f.kind = kind == "not" ? failure_kind::tautology : failure_kind::impossible;
    if (kind == "init" || kind == "keep") f.invariant = script_.invariant_names[q.invariant];
    f.detail = kind == "ends" ? (*list)[q.action].ends : q.name;
    if (kind == "safe") f.detail = q.name.substr(q.name.rfind(' ') + 1);
    if (q.accepted[0] == answer::unsat)
      f.example = smallest_example(core_, script_, b, q, about_state ? nullptr : &(*list)[q.action], effort_);
    return f;
  }

  const core& core_;
  const script& script_;
  const effort& effort_;
  solver solver_, states_;
  outcome out_;
  bool some_initial_ = false;
  std::map<std::string, bool> taken_, triggered_;
};

}  // namespace

outcome prove(const core& c, const script& s, const effort& e) { return prover(c, s, e).run(); }

std::vector<bool> houdini(const core& given, const std::vector<bool>& candidates, const effort& e) {
  std::vector<bool> kept(given.invariants.size(), true);
  for (bool again = true; again;) {
    again = false;
    core c = given;
    std::vector<std::size_t> number;
    c.invariants.clear();
    for (std::size_t v = 0; v < kept.size(); ++v)
      if (kept[v]) {
        number.push_back(v);
        c.invariants.push_back(given.invariants[v]);
      }
    const script s = derive(c);
    solver z3(e.timeout_ms);
    z3.tell("(set-logic ALL)\n" + s.prelude);
    for (const bool with : {false, true}) {
      if (with && again) break;  // what is not true initially goes first
      if (with) z3.tell(s.invariants);
      for (const block& b : s.blocks) {
        if (b.with_invariants != with) continue;
        z3.tell("(push 1)\n" + b.text);
        for (const obligation& q : b.questions) {
          if (!q.name.starts_with("init ") && !q.name.starts_with("keep ")) continue;
          if (q.invariant < s.range_functions.size()) continue;
          const std::size_t v = number[q.invariant - s.range_functions.size()];
          if (!candidates[v] || !kept[v]) continue;
          if (z3.ask("(push 1)\n" + q.text + "(check-sat)\n(pop 1)\n").at(0) == answer::unsat) continue;
          kept[v] = false;
          again = true;
        }
        z3.tell("(pop 1)\n");
      }
    }
  }
  return kept;
}

}  // namespace quiesce::symbolic
