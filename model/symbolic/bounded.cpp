// SPDX-License-Identifier: MIT
#include <chrono>

#include "model/symbolic/engine.hpp"
#include "model/symbolic/replay.hpp"

namespace quiesce::symbolic {

namespace {

// The questions are asked in the order of the runs' lengths, so that what is found is shortest.
class search {
 public:
  search(const transition_system& t, const finite_system& s, std::uint32_t property, const engine_options& o)
      : t_(t), s_(s), property_(property), o_(o), watch_({0, 0, o.timeout_s}), unrolled_(s), solver_(unrolled_.graph(), [this] {
          return watch_.check(0, 0);
        }) {}

  engine_result run() {
    unrolled_.from_initial();
    solver_.require(unrolled_.graph().either(unrolled_.initial().valid, broken(unrolled_.initial())));
    if (found_in_initial()) return std::move(out_);
    for (out_.depth = 0; o_.max_depth == 0 || out_.depth < o_.max_depth; ++out_.depth) {
      if (o_.progress) o_.progress("steps", out_.depth);
      if (!look()) return std::move(out_);
    }
    out_.note = "no run of at most " + std::to_string(out_.depth) + " steps breaks it";
    return std::move(out_);
  }

 private:
  literal broken(const step_effects& e) { return breaks(t_.program(), unrolled_, e, property_); }

  // True: the answer is known, or the time is over.
  bool ask(literal what, std::size_t steps, bool by_step) {
    if (what == always_false) return false;
    switch (solver_.solve({what})) {
      case sat_answer::satisfiable:
        out_.answer = engine_answer::violated;
        out_.run = run_of(t_, s_, unrolled_, solver_, steps, by_step, property_);
        return true;
      case sat_answer::stopped:
        out_.note = watch_.reason() == budget::none ? "the solver gave up" : name(watch_.reason());
        return true;
      case sat_answer::unsatisfiable:
        solver_.require(what ^ 1u);
        return false;
    }
    return true;
  }

  bool found_in_initial() {
    if (ask(broken(unrolled_.initial()), 0, false)) return true;
    solver_.require(unrolled_.initial().valid);
    return ask(unrolled_.frames()[0].fails[property_], 0, false);
  }

  bool seen(literal what) { return what != always_false && solver_.solve({what}) == sat_answer::satisfiable; }

  // One step further; false: the end.
  bool look() {
    const step_effects& e = unrolled_.frames().back().step;
    if (ask(broken(e), out_.depth, true)) return false;
    if (!out_.triggered && seen(e.marked[property_])) out_.triggered = out_.depth + 1;
    if (o_.obstacles && !out_.obstacle) out_.obstacle = seen(obstructs(unrolled_, e));
    if (e.valid == always_false || solver_.solve({e.valid}) == sat_answer::unsatisfiable) {
      out_.note = "no run is longer than " + std::to_string(out_.depth) + " steps";
      if (o_.obstacles && !out_.obstacle) out_.answer = engine_answer::proved;
      return false;
    }
    if (watch_.check(0, 0)) {
      out_.note = name(watch_.reason());
      return false;
    }
    solver_.require(e.valid);
    unrolled_.extend();
    return !ask(unrolled_.frames().back().fails[property_], out_.depth + 1, false);
  }

  const transition_system& t_;
  const finite_system& s_;
  const std::uint32_t property_;
  const engine_options& o_;
  budget_watch watch_;
  unrolling unrolled_;
  sat_solver solver_;
  engine_result out_;
};

}  // namespace

engine_result bounded(const transition_system& t, const finite_system& s, std::uint32_t property, const engine_options& o) {
  return search(t, s, property, o).run();
}

}  // namespace quiesce::symbolic
