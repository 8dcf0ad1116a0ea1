// SPDX-License-Identifier: MIT
// Bounded model checking, depth by depth, so that a run that breaks the property is shortest. What all runs have in common
// at a depth is found first: the next depths are built on it.
#include "model/explicit/budget_text.hpp"
#include "model/symbolic/engine.hpp"
#include "model/symbolic/replay.hpp"
#include "model/symbolic/sweep.hpp"

namespace quiesce::symbolic {

namespace {

class search {
 public:
  search(const transition_system& t, const finite_system& s, std::uint32_t property, const engine_options& o)
      : t_(t),
        s_(s),
        property_(property),
        o_(o),
        watch_({0, 0, o.timeout_s}),
        unrolled_(s),
        solver_(unrolled_.graph(), [this] { return watch_.check(0, 0); }),
        sweeper_(t, s) {}

  engine_result run() {
    unrolled_.from_initial();
    const step_effects& first = unrolled_.initial();
    const literal obstacle = obstructs(unrolled_, first);  // what chooses the initial state may end so, too
    solver_.require(unrolled_.graph().either(obstacle, unrolled_.graph().either(first.valid, broken(first))));
    candidates_ = {{0, false, broken(first)},
                   {0, false, unrolled_.graph().both(first.valid, unrolled_.frames()[0].fails[property_])}};
    if (found() || stopped()) return std::move(out_);
    out_.obstacle = o_.obstacles && ask(obstacle);
    solver_.require(first.valid);
    const step_effects& e = s_.step;
    std::vector<literal> asked = {e.valid, e.violated[property_], e.marked[property_], s_.fails[property_]};
    asked.insert(asked.end(), e.error.begin(), e.error.end());
    if (o_.obstacles) asked.insert(asked.end(), e.bound.begin(), e.bound.end());
    sweeper_.only_for(asked);
    sweeper_.begin(unrolled_, solver_);
    while (o_.max_depth == 0 || out_.depth < o_.max_depth)
      if (!step()) return std::move(out_);
    out_.note = "no run of at most " + std::to_string(out_.depth) + " steps breaks it";
    return std::move(out_);
  }

 private:
  // A way to break the property: by the state after `steps` steps, or by one more step.
  struct candidate {
    std::size_t steps;
    bool by_step;
    literal happens;
  };

  literal broken(const step_effects& e) { return breaks(t_.program(), unrolled_, e, property_); }
  bool stopped() const { return !out_.note.empty(); }

  bool ask(literal what) {
    if (what == always_false || stopped()) return false;
    const sat_answer answer = solver_.solve({what});
    if (answer == sat_answer::stopped) {
      out_.note = watch_.reason() == budget::none ? "the solver gave up" : text_of(watch_.reason());
      if (out_.depth > 0) out_.note += ", no run of at most " + std::to_string(out_.depth) + " steps breaks it";
    }
    return answer == sat_answer::satisfiable;
  }

  bool found() {
    literal any = always_false;
    for (const candidate& c : candidates_) any = unrolled_.graph().either(any, c.happens);
    if (!ask(any)) {
      if (!stopped()) solver_.require(any ^ 1u);
      return false;
    }
    for (const candidate& c : candidates_)
      if (ask(c.happens)) {
        out_.answer = engine_answer::violated;
        out_.depth = c.steps + (c.by_step ? 1 : 0);
        out_.run = run_of(t_, s_, unrolled_, solver_, c.steps, c.by_step, property_);
        return true;
      }
    return !stopped();
  }

  // A step further; false: the end.
  bool step() {
    const step_effects e = unrolled_.frames().back().step;
    candidates_ = {{out_.depth, true, broken(e)}};
    if (found() || stopped()) return false;
    out_.triggered = out_.triggered || ask(e.marked[property_]);
    out_.obstacle = out_.obstacle || (o_.obstacles && ask(obstructs(unrolled_, e)));
    if (!ask(e.valid)) {
      if (stopped()) return false;
      out_.note = "no run is longer than " + std::to_string(out_.depth) + " steps";
      if (o_.obstacles && !out_.obstacle) out_.answer = engine_answer::proved;
      return false;
    }
    solver_.require(e.valid);
    unrolled_.extend(sweeper_.simplify(unrolled_, solver_, e.next));
    candidates_ = {{out_.depth + 1, false, unrolled_.frames().back().fails[property_]}};
    if (found() || stopped()) return false;
    ++out_.depth;
    if (o_.progress) o_.progress("steps", out_.depth);
    return true;
  }

  const transition_system& t_;
  const finite_system& s_;
  const std::uint32_t property_;
  const engine_options& o_;
  budget_watch watch_;
  unrolling unrolled_;
  sat_solver solver_;
  sweeper sweeper_;
  std::vector<candidate> candidates_;
  engine_result out_;
};

}  // namespace

engine_result bounded(const transition_system& t, const finite_system& s, std::uint32_t property, const engine_options& o) {
  return search(t, s, property, o).run();
}

}  // namespace quiesce::symbolic
