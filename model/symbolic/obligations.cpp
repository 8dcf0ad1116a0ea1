// SPDX-License-Identifier: MIT
#include "model/symbolic/obligations.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/symbolic/smt_text.hpp"

namespace quiesce::symbolic {

const char* name(answer a) { return a == answer::sat ? "sat" : a == answer::unsat ? "unsat" : "unknown"; }

namespace {

bool touches(const std::set<std::size_t>& reads, const std::set<std::size_t>& changed) {
  for (const std::size_t f : reads)
    if (changed.count(f)) return true;
  return false;
}

class deriver {
 public:
  explicit deriver(const core& c) : core_(c), smt_(c), states_(c, reading::states) {
    for (std::size_t i = 0; i < c.functions.size(); ++i)
      if (!smt_.range(i).empty()) out_.range_functions.push_back(i);
    for (const std::size_t i : out_.range_functions) {
      out_.invariant_names.push_back("range of " + c.functions[i].name);
      reads_.push_back({i});
    }
    for (const invariant& v : c.invariants) {
      out_.invariant_names.push_back(v.name);
      reads_.push_back(functions_in(c, v.condition));
    }
  }

  script run() {
    out_.prelude = smt_.prelude();
    out_.few_prelude = states_.prelude();
    out_.labels = smt_.labels();
    for (std::size_t v = 0; v < reads_.size(); ++v) {
      out_.assertions.push_back(asserted(invariant_text(v, smt_)));
      out_.few_invariants += asserted(invariant_text(v, states_));
    }
    for (std::size_t i = 0; i < core_.initial.size(); ++i) initial(i);
    for (std::size_t i = 0; i < core_.actions.size(); ++i) action_block(i);
    properties();
    return std::move(out_);
  }

 private:
  std::string invariant_text(std::size_t v, smt_writer& smt) {
    if (v < out_.range_functions.size()) return smt.range(out_.range_functions[v]);
    return smt.condition(core_.invariants[v - out_.range_functions.size()].condition);
  }

  // Some elements, any, for which the invariant is false behind the step.
  std::string broken(std::size_t v, const step& s, bool was_true) {
    const std::size_t ranges = out_.range_functions.size();
    const invariant_at i = v < ranges ? smt_.range_at_elements(out_.range_functions[v], s)
                                      : smt_.at_elements(core_.invariants[v - ranges].condition, s);
    return i.elements + (was_true ? asserted(i.before) : "") + i.points + fmt::format("(assert (not {}))\n", i.after);
  }

  void ask(block& b, std::string name, std::string text, std::vector<answer> accepted, std::size_t action,
           std::size_t v = 0) {
    b.questions.push_back({std::move(name), std::move(text), std::move(accepted), action, v});
  }

  // What a first step of a run may rely on: nothing but the ranges of what starts with any value.
  void initial(std::size_t i) {
    const action& a = core_.initial[i];
    const step s{&a, true};
    block b;
    b.name = fmt::format("initial {}", i);
    for (auto [smt, text] : {std::pair{&smt_, &b.text}, std::pair{&states_, &b.few}}) {
      for (std::size_t f = 0; f < core_.functions.size(); ++f)
        if (const std::string r = smt->range(f); core_.functions[f].arbitrary && !r.empty()) *text += asserted(r);
      *text += smt->parameters(a) + asserted(smt->condition(a.guard, &a));
    }
    if (!a.ends.empty()) {
      ask(b, fmt::format("ends {}", b.name), "", {answer::unsat}, i);
    } else {
      b.text += smt_.new_functions(s);
      for (std::size_t v = 0; v < reads_.size(); ++v)
        ask(b, fmt::format("init {} {}", i, out_.invariant_names[v]), broken(v, s, false), {answer::unsat}, i, v);
      ask(b, fmt::format("possible {}", b.name), "", {answer::sat, answer::unsat}, i);
    }
    out_.blocks.push_back(std::move(b));
  }

  void action_block(std::size_t i) {
    const action& a = core_.actions[i];
    const step s{&a, false};
    std::set<std::size_t> changed;
    for (const update& u : a.updates) changed.insert(u.function);
    block b;
    b.with_invariants = true;
    b.name = fmt::format("action {} {}", i, a.name);
    b.text = smt_.parameters(a) + asserted(smt_.condition(a.guard, &a));
    b.few = states_.parameters(a) + asserted(states_.condition(a.guard, &a));
    for (const effect& e : a.violates)
      ask(b, fmt::format("safe {} {}", i, e.property), asserted(smt_.condition(e.when, &a)), {answer::unsat}, i);
    if (a.ends.empty()) {
      b.text += smt_.new_functions(s);
      for (std::size_t v = 0; v < reads_.size(); ++v)
        if (touches(reads_[v], changed))
          ask(b, fmt::format("keep {} {}", i, out_.invariant_names[v]), broken(v, s, true), {answer::unsat}, i, v);
      ask(b, fmt::format("possible {}", i), "", {answer::sat, answer::unsat}, i);
      for (const effect& e : a.marks)
        ask(b, fmt::format("trigger {} {}", i, e.property), asserted(states_.condition(e.when, &a)),
            {answer::sat, answer::unsat}, i);
    } else if (a.ends != "stuck") {
      ask(b, fmt::format("ends {} {}", i, a.ends), "", {answer::unsat}, i);
    }
    if (!b.questions.empty()) out_.blocks.push_back(std::move(b));
  }

  void properties() {
    block b;
    b.with_invariants = true;
    b.name = "state";
    ask(b, "possible state", "", {answer::sat}, 0);
    for (const property& p : core_.properties)
      if (p.kind == "invariant") {
        ask(b, "safe state " + p.name, fmt::format("(assert (not {}))\n", smt_.condition(*p.condition)), {answer::unsat}, 0);
        // A property that holds without the invariants, in any state at all, says nothing about the model.
        block alone;
        alone.name = "any state";
        ask(alone, "not a tautology " + p.name, asserted(fmt::format("(not {})", states_.condition(*p.condition))),
            {answer::sat}, 0);
        out_.blocks.push_back(std::move(alone));
      } else if (p.kind == "sometimes") {
        throw core_error(fmt::format("'{}' asks for a run; a proof is about all runs", p.name));
      }
    out_.blocks.push_back(std::move(b));
  }

  const core& core_;
  smt_writer smt_, states_;
  script out_;
  std::vector<std::set<std::size_t>> reads_;
};

std::string block_text(const script& s, const block& b, bool states) {
  std::string out;
  for (const obligation& q : b.questions) {
    if (q.about_state() != states) continue;
    const std::string text = states ? q.text : text_of(s, q);
    out += text.empty() ? fmt::format("; {}\n(check-sat)\n", q.name)
                        : fmt::format("; {}\n(push 1)\n{}(check-sat)\n(pop 1)\n", q.name, text);
  }
  return out.empty() ? "" : fmt::format("; {}\n(push 1)\n{}{}(pop 1)\n", b.name, states ? b.few : b.text, out);
}

}  // namespace

script derive(const core& c) { return deriver(c).run(); }

std::string script::invariants() const { return fmt::format("{}", fmt::join(assertions, "")); }

std::string text_of(const script& s, const obligation& q) {
  std::string out;
  for (const std::size_t v : q.uses) out += s.assertions.at(v);
  return out + q.text;
}

std::string text_of(const script& s) {
  std::string out = "(set-logic ALL)\n" + s.prelude;
  for (const bool states : {false, true}) {
    if (states) out += "(reset)\n(set-logic ALL)\n" + s.few_prelude;
    for (const bool with : {false, true}) {
      if (states && with) out += s.few_invariants;
      for (const block& b : s.blocks)
        if (b.with_invariants == with) out += block_text(s, b, states);
    }
  }
  return out;
}

}  // namespace quiesce::symbolic
