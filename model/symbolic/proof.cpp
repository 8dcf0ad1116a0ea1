// SPDX-License-Identifier: MIT
#include "model/symbolic/proof.hpp"

#include <algorithm>
#include <set>
#include <utility>

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

failure explained(const core& c, const script& s, const effort& e, const block& b, const obligation& q, answer a) {
  failure f;
  f.question = q.name;
  const std::string kind = word(q.name, 0);
  const bool about_state = b.name == "state" || b.name == "any state";
  const auto* list = b.with_invariants ? &c.actions : &c.initial;
  if (!about_state) f.action = b.with_invariants ? c.actions[q.action].name : "";
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
  if (kind == "init" || kind == "keep") f.invariant = s.invariant_names[q.invariant];
  f.detail = kind == "ends" ? (*list)[q.action].ends : q.name;
  if (kind == "safe") f.detail = q.name.substr(q.name.rfind(' ') + 1);
  if (q.accepted[0] == answer::unsat)
    f.example = smallest_example(c, s, b, q, about_state ? nullptr : &(*list)[q.action], e);
  return f;
}

class prover {
 public:
  prover(const core& c, script& s, const std::vector<bool>& candidates, const effort& e)
      : core_(c),
        script_(s),
        effort_(e),
        candidate_(candidates),
        quick_(e.timeout_ms, tuned_for::quick_proofs, "(set-logic ALL)\n" + s.prelude),
        all_(e.timeout_ms, tuned_for::cores, "(set-logic ALL)\n" + s.prelude),
        sure_(e.timeout_ms, tuned_for::proofs, "(set-logic ALL)\n" + s.prelude) {
    candidate_.resize(c.invariants.size());
    candidate_.insert(candidate_.begin(), s.range_functions.size(), false);
    given_up_.assign(candidate_.size(), false);
    demanded_.assign(candidate_.size(), false);
  }

  outcome run() {
    do {
      again_ = false;
      for (block& b : script_.blocks)
        if (!enough()) ask(b);
    } while (again_ && !enough());
    note_needed();
    for (solver* z3 : {&quick_, &all_, &sure_}) {
      z3->require_closed();
      out_.questions += z3->questions();
      out_.seconds += z3->seconds();
    }
    return std::move(out_);
  }

 private:
  bool enough() const { return out_.failures.size() >= effort_.most_failures; }
  static bool about_invariant(const obligation& q) { return q.name.starts_with("init ") || q.name.starts_with("keep "); }
  static constexpr unsigned candidate_steps = 1000000;

  bool about_candidate(const obligation& q) const { return about_invariant(q) && candidate_[q.invariant]; }

  bool to_ask(const obligation& q) const {
    if (q.about_state() || done_.count(&q)) return false;
    return !about_candidate(q) || (demanded_[q.invariant] && !given_up_[q.invariant]);
  }

  void ask(block& b) {
    bool declared = false;
    for (obligation& q : b.questions) {
      if (!to_ask(q) || enough()) continue;
      const std::string declarations = "(push 1)\n" + b.text;
      if (!std::exchange(declared, true)) quick_.tell(declarations);
      q.uses.clear();
      answer a = quick_.decide(q.text, declarations);
      if (a != answer::unsat) a = with_more(b, q);
      note(b, q, a);
    }
    if (declared) quick_.tell("(pop 1)\n");
  }

  std::string named() const {
    std::string out;
    for (std::size_t v = 0; v < script_.assertions.size(); ++v) {
      const std::string& a = script_.assertions[v];  // "(assert X)\n"
      if (!given_up_[v]) out += fmt::format("(assert (! {} :named h{}))\n", a.substr(8, a.size() - 10), v);
    }
    return out;
  }

  // With the invariants that it needs, if it may use any.
  answer with_more(const block& b, obligation& q) {
    if (b.with_invariants) {
      // A candidate is given up in Z3's own steps, so that the same ones are left on a busy machine.
      const unsigned steps = about_candidate(q) ? candidate_steps : 0;
      all_.tell(fmt::format("(set-option :rlimit {})\n(push 1)\n{}{}{}", steps, named(), b.text, q.text));
      const answer a = all_.ask("(check-sat)\n").at(0);
      if (a == answer::unsat)
        for (const std::string& name : all_.unsat_core()) q.uses.push_back(std::stoul(name.substr(1)));
      std::sort(q.uses.begin(), q.uses.end());
      all_.leave(a);
      if (a != answer::unsat) return a;
    }
    return sure_.decide(b.text + text_of(script_, q));
  }

  void note(const block& b, const obligation& q, answer a) {
    if (a == answer::unsat) {
      done_.insert(&q);
      for (const std::size_t v : q.uses)
        if (candidate_[v] && !demanded_[v]) again_ = demanded_[v] = true;
    } else if (about_candidate(q)) {
      given_up_[q.invariant] = again_ = true;
      std::erase_if(done_, [&](const obligation* d) {
        return std::find(d->uses.begin(), d->uses.end(), q.invariant) != d->uses.end();
      });
    } else {
      out_.failures.push_back(explained(core_, script_, effort_, b, q, a));
    }
  }

  // Starting from what is not about an invariant itself.
  void note_needed() {
    std::vector<bool> needed(candidate_.size());
    for (bool more = true; more;) {
      more = false;
      for (const obligation* q : done_)
        if (!about_invariant(*q) || needed[q->invariant])
          for (const std::size_t v : q->uses)
            if (!needed[v]) more = needed[v] = true;
    }
    out_.needed.assign(needed.begin() + static_cast<std::ptrdiff_t>(script_.range_functions.size()), needed.end());
  }

  const core& core_;
  script& script_;
  const effort& effort_;
  std::vector<bool> candidate_, given_up_, demanded_;  // ranges first, as in the script
  solver quick_;                                       // knows no invariants and gives up soon
  solver all_;                                         // knows all, and says which were enough
  solver sure_;                                        // decides whether they are
  std::set<const obligation*> done_;                   // two questions may have one name
  bool again_ = false;
  outcome out_;
};

class state_finder {
 public:
  state_finder(const core& c, const script& s, const effort& e, outcome& out)
      : core_(c),
        script_(s),
        effort_(e),
        out_(out),
        z3_(e.timeout_ms, tuned_for::proofs, "(set-logic ALL)\n" + s.few_prelude) {}

  void run() {
    for (const block& b : script_.blocks)
      for (const obligation& q : b.questions)
        if (!q.about_state()) out_.obligations.push_back({q.name, answer::unsat, b.text + text_of(script_, q), q.uses});
    for (const bool with : {false, true}) {
      if (with) z3_.tell(script_.few_invariants);
      for (const block& b : script_.blocks)
        if (b.with_invariants == with) ask(b);
    }
    z3_.require_closed();
    finish();
    out_.questions += z3_.questions();
    out_.seconds += z3_.seconds();
  }

 private:
  void ask(const block& b) {
    for (const obligation& q : b.questions) {
      if (!q.about_state() || out_.failures.size() >= effort_.most_failures) continue;
      const answer a = z3_.decide(b.few + q.text, b.with_invariants ? script_.few_invariants : "");
      const bool either = q.accepted.size() > 1 && a != answer::unknown;
      if (either) note_possible(b, q, a);
      if (either || a == q.accepted[0])
        out_.obligations.push_back({q.name, a, b.few + q.text, {}});
      else
        out_.failures.push_back(explained(core_, script_, effort_, b, q, a));
    }
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

  const core& core_;
  const script& script_;
  const effort& effort_;
  outcome& out_;
  solver z3_;
  bool some_initial_ = false;
  std::map<std::string, bool> taken_, triggered_;
};

}  // namespace

outcome prove(const core& c, script& s, const std::vector<bool>& candidates, const effort& e) {
  return prover(c, s, candidates, e).run();
}

script narrowed(const script& whole, const core& c, const std::vector<bool>& kept) {
  std::vector<std::size_t> number(whole.range_functions.size());  // of an invariant among those that are kept
  for (std::size_t v = 0; v < number.size(); ++v) number[v] = v;
  std::size_t next = number.size();
  for (const bool k : kept) number.push_back(k ? next++ : 0);
  script out = derive(c);
  // What is asked now was asked before, in the same order.
  std::vector<std::pair<const block*, const obligation*>> before;
  for (const block& b : whole.blocks)
    for (const obligation& q : b.questions) before.emplace_back(&b, &q);
  std::size_t at = 0;
  for (block& b : out.blocks)
    for (obligation& q : b.questions) {
      while (before.at(at).first->name != b.name || before[at].second->name != q.name) ++at;
      for (const std::size_t v : before[at++].second->uses) q.uses.push_back(number[v]);
    }
  return out;
}

void look_for_states(const core& c, const script& s, const effort& e, outcome& out) { state_finder(c, s, e, out).run(); }

}  // namespace quiesce::symbolic
