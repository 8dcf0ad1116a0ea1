// SPDX-License-Identifier: MIT
// Bounded model checking. Several depths are asked about at once, because that no run of 1 to 8 steps breaks a property is
// hardly harder to see than for 8 alone; where one does, the depths are asked about one by one, so that it is shortest.
#include <algorithm>

#include "model/symbolic/engine.hpp"
#include "model/symbolic/replay.hpp"

namespace quiesce::symbolic {

namespace {

constexpr std::uint64_t depths_at_once = 8;

class search {
 public:
  search(const transition_system& t, const finite_system& s, std::uint32_t property, const engine_options& o)
      : t_(t),
        s_(s),
        property_(property),
        o_(o),
        watch_({0, 0, o.timeout_s}),
        unrolled_(s),
        solver_(unrolled_.graph(), [this] { return watch_.check(0, 0); }) {}

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
    while (o_.max_depth == 0 || out_.depth < o_.max_depth)
      if (!block()) return std::move(out_);
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
    if (answer == sat_answer::stopped)
      out_.note = watch_.reason() == budget::none ? "the solver gave up" : name(watch_.reason());
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

  // Some steps further; false: the end.
  bool block() {
    circuit& g = unrolled_.graph();
    const std::uint64_t until = std::min(o_.max_depth == 0 ? ~std::uint64_t{0} : o_.max_depth, out_.depth + depths_at_once);
    literal long_enough = always_true, marked = always_false, obstacle = always_false;
    candidates_.clear();
    std::uint64_t depth = out_.depth;
    for (; depth < until; ++depth) {
      const step_effects& e = unrolled_.frames().back().step;
      candidates_.push_back({depth, true, g.both(long_enough, broken(e))});
      marked = g.either(marked, g.both(long_enough, e.marked[property_]));
      obstacle = g.either(obstacle, g.both(long_enough, obstructs(unrolled_, e)));
      long_enough = g.both(long_enough, e.valid);
      unrolled_.extend();
      candidates_.push_back({depth + 1, false, g.both(long_enough, unrolled_.frames().back().fails[property_])});
      if (o_.progress) o_.progress("steps", depth + 1);
    }
    if (found() || stopped()) return false;
    out_.triggered = out_.triggered || ask(marked);
    out_.obstacle = out_.obstacle || (o_.obstacles && ask(obstacle));
    if (stopped()) return false;
    out_.depth = depth;
    if (ask(long_enough)) {
      solver_.require(long_enough);
      return true;
    }
    if (stopped()) return false;
    out_.note = "no run is longer than " + std::to_string(out_.depth) + " steps";
    if (o_.obstacles && !out_.obstacle) out_.answer = engine_answer::proved;
    return false;
  }

  const transition_system& t_;
  const finite_system& s_;
  const std::uint32_t property_;
  const engine_options& o_;
  budget_watch watch_;
  unrolling unrolled_;
  sat_solver solver_;
  std::vector<candidate> candidates_;
  engine_result out_;
};

}  // namespace

engine_result bounded(const transition_system& t, const finite_system& s, std::uint32_t property, const engine_options& o) {
  return search(t, s, property, o).run();
}

}  // namespace quiesce::symbolic
