// SPDX-License-Identifier: MIT
// Z3's Horn solver (Komuravelli, Gurfinkel, Chaki, "SMT-based model checking for recursive programs", CAV 2014) on the
// circuits of a finite system: one relation over the bits of the state, a clause for the initial states, one for a step, and
// a query.
//
// It is not believed. The invariant that it finds becomes a circuit and is decided by the SAT solver, as those of the other
// engines are; where it says that the property can be broken, a shortest run is looked for and replayed.

#include <fmt/format.h>
#include <z3++.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <unordered_map>

#include "model/explicit/budget_text.hpp"
#include "model/symbolic/engine.hpp"
#include "model/symbolic/invariant.hpp"

namespace quiesce::symbolic {

namespace {

struct not_understood {
  std::string what;
};

// Ends a call into Z3 when the time is over or the user wants it.
class ending {
 public:
  ending(z3::context& c, budget_watch& watch)
      : thread_([this, &c, &watch] {
          while (!done_) {
            if (watch.check(0, 0)) c.interrupt();
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
          }
        }) {}
  ~ending() { done_ = true; }

 private:
  std::atomic<bool> done_{false};
  std::jthread thread_;  // joined first
};

// Gates as formulas of Z3.
class formulas {
 public:
  formulas(z3::context& c, const circuit& graph) : c_(c), graph_(graph), nodes_(c), known_(graph.size(), false) {
    for (std::uint32_t n = 0; n < graph_.size(); ++n) nodes_.push_back(c_.bool_val(false));
    known_[0] = true;
  }

  z3::expr of(literal wanted) {
    std::vector<std::uint32_t> todo{node_of(wanted)};
    while (!todo.empty()) {
      const std::uint32_t n = todo.back();
      const circuit::gate& g = graph_.at(n);
      const bool ready = g.is_input || (known_[node_of(g.a)] && known_[node_of(g.b)]);
      if (!known_[n] && !ready) {
        for (literal l : {g.a, g.b})
          if (!known_[node_of(l)]) todo.push_back(node_of(l));
        continue;
      }
      todo.pop_back();
      if (!known_[n]) define(n, g);
    }
    return get(wanted);
  }

  z3::expr_vector all(const std::vector<literal>& some) {
    z3::expr_vector out(c_);
    for (literal l : some) out.push_back(of(l));
    return out;
  }

  z3::expr_vector inputs() {
    z3::expr_vector out(c_);
    for (std::uint32_t n : inputs_) out.push_back(nodes_[static_cast<int>(n)]);
    return out;
  }

 private:
  void define(std::uint32_t n, const circuit::gate& g) {
    z3::expr e = g.is_input ? c_.bool_const(fmt::format("x{}", n).c_str()) : get(g.a) && get(g.b);
    if (g.is_input) inputs_.push_back(n);
    nodes_.set(static_cast<int>(n), e);
    known_[n] = true;
  }
  z3::expr get(literal l) {
    z3::expr e = nodes_[static_cast<int>(node_of(l))];
    return negated(l) ? !e : e;
  }

  z3::context& c_;
  const circuit& graph_;
  z3::expr_vector nodes_;
  std::vector<bool> known_;
  std::vector<std::uint32_t> inputs_;
};

// A formula of Z3 as a gate, its variables those of a state. Throws not_understood.
class gates {
 public:
  gates(circuit& g, const std::vector<literal>& state) : g_(g), state_(state) {}

  literal of(const z3::expr& e) {
    const auto at = known_.find(e.id());
    if (at != known_.end()) return at->second;
    const literal l = e.is_var() ? state_.at(Z3_get_index_value(e.ctx(), e)) : made(e);
    known_.emplace(e.id(), l);
    return l;
  }

 private:
  literal made(const z3::expr& e) {
    if (!e.is_app()) throw not_understood{"a quantifier"};
    std::vector<literal> kids;
    for (unsigned k = 0; k < e.num_args(); ++k) kids.push_back(of(e.arg(k)));
    switch (e.decl().decl_kind()) {
      case Z3_OP_TRUE:
        return always_true;
      case Z3_OP_FALSE:
        return always_false;
      case Z3_OP_NOT:
        return kids[0] ^ 1u;
      case Z3_OP_AND:
        for (literal& l : kids) l ^= 1u;
        return any_of(g_, kids) ^ 1u;
      case Z3_OP_OR:
        return any_of(g_, kids);
      case Z3_OP_IMPLIES:
        return g_.either(kids[0] ^ 1u, kids[1]);
      case Z3_OP_ITE:
        return g_.choice(kids[0], kids[1], kids[2]);
      case Z3_OP_EQ:
      case Z3_OP_IFF:
        return g_.same(kids[0], kids[1]);
      default:
        throw not_understood{e.decl().name().str()};
    }
  }

  circuit& g_;
  const std::vector<literal>& state_;
  std::unordered_map<unsigned, literal> known_;
};

class horn_clauses {
 public:
  horn_clauses(const transition_system& t, const finite_system& s, std::uint32_t property)
      : graph_(s.graph),
        s_(s),
        bad_(bad_step(graph_, s, t.program(), property)),
        as_formula_(c_, graph_),
        fp_(c_),
        reached_(c_) {
    z3::params p(c_);
    p.set("engine", c_.str_symbol("spacer"));
    for (const char* rewriting : {"xform.slice", "xform.inline_linear", "xform.inline_eager"}) p.set(rewriting, false);
    fp_.set(p);  // else what it finds is about relations of its own
    z3::sort_vector bits(c_);
    for (std::size_t k = 0; k < s.state.size(); ++k) bits.push_back(c_.bool_sort());
    reached_ = c_.function("reached", bits, c_.bool_sort());
    fp_.register_relation(reached_);
  }

  z3::check_result run(budget_watch& watch) {
    const ending in_time(c_, watch);
    const z3::expr_vector state = as_formula_.all(s_.state);
    add("first", z3::implies(of(s_.initial.valid), reached_(as_formula_.all(s_.initial.next))));
    add("next",
        z3::implies(reached_(state) && of(s_.well_typed) && of(s_.step.valid), reached_(as_formula_.all(s_.step.next))));
    const z3::expr broken = reached_(state) && of(bad_);
    z3::expr query = z3::exists(as_formula_.inputs(), broken);
    return fp_.query(query);
  }

  bool confirmed(budget_watch& watch) {
    const z3::expr found = fp_.get_cover_delta(-1, reached_);
    const auto at = [&](const std::vector<literal>& state) { return gates(graph_, state).of(found); };
    const state_condition reached{at(s_.state), at(s_.step.next), at(s_.initial.next)};
    return is_invariant(graph_, s_, reached, bad_, [&] { return watch.check(0, 0); });
  }

 private:
  z3::expr of(literal l) { return as_formula_.of(l); }

  void add(const char* name, const z3::expr& clause) {
    const z3::expr_vector inputs = as_formula_.inputs();
    z3::expr rule = inputs.empty() ? clause : z3::forall(inputs, clause);
    z3::symbol named = c_.str_symbol(name);
    fp_.add_rule(rule, named);
  }

  z3::context c_;
  circuit graph_;
  const finite_system& s_;
  literal bad_;
  formulas as_formula_;
  z3::fixedpoint fp_;
  z3::func_decl reached_;
};

// A bad state can be reached: by a run of unknown length.
engine_result counterexample(const transition_system& t, const finite_system& s, std::uint32_t property, engine_options o,
                             const budget_watch& watch) {
  const double seconds = o.timeout_s;
  o.obstacles = true;
  for (o.max_depth = 2;; o.max_depth *= 2) {
    if (seconds > 0) o.timeout_s = std::max(0.001, seconds - watch.elapsed_s());
    engine_result out = bounded(t, s, property, o);
    if (out.answer != engine_answer::unknown || out.obstacle || out.depth < o.max_depth) return out;
  }
}

std::string why_not(const budget_watch& watch, const std::string& otherwise) {
  return watch.reason() == budget::none ? otherwise : text_of(watch.reason());
}

engine_result ask(horn_clauses& clauses, const transition_system& t, const finite_system& s, std::uint32_t property,
                  const engine_options& o, budget_watch& watch) {
  engine_result out;
  const z3::check_result answer = clauses.run(watch);
  if (answer == z3::sat) return counterexample(t, s, property, o, watch);
  if (answer == z3::unknown) {
    out.note = why_not(watch, "Z3 gave up");
  } else if (clauses.confirmed(watch)) {
    out.answer = engine_answer::proved;
    out.note = "an invariant found by Z3 and confirmed by the SAT solver";
  } else {
    out.note = why_not(watch, "what Z3 found is not confirmed");
  }
  return out;
}

}  // namespace

engine_result spacer(const transition_system& t, const finite_system& s, std::uint32_t property, const engine_options& o) {
  budget_watch watch({0, 0, o.timeout_s});
  engine_options shallow = o;
  shallow.max_depth = 1;
  shallow.obstacles = true;
  engine_result out = bounded(t, s, property, shallow);
  if (out.answer != engine_answer::unknown || out.obstacle || out.depth < 1) return out;
  out = {};
  try {
    horn_clauses clauses(t, s, property);
    return ask(clauses, t, s, property, o, watch);
  } catch (const z3::exception& problem) {
    out.note = why_not(watch, fmt::format("Z3: {}", problem.msg()));
  } catch (const not_understood& x) {
    out.note = fmt::format("what Z3 found is not understood: {}", x.what);
  }
  return out;
}

}  // namespace quiesce::symbolic
