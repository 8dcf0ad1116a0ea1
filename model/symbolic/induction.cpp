// SPDX-License-Identifier: MIT
#include "model/explicit/budget_text.hpp"
#include "model/symbolic/engine.hpp"
#include "model/symbolic/unrolling.hpp"

namespace quiesce::symbolic {

namespace {

// The induction step: k good states in a row, all different, that anything at all may precede, and then a bad one.
class induction_step {
 public:
  induction_step(const transition_system& t, const finite_system& s, std::uint32_t property, std::function<bool()> stop)
      : p_(t.program()), property_(property), unrolled_(s), solver_(unrolled_.graph(), std::move(stop)) {
    unrolled_.from_anywhere();
    solver_.require(unrolled_.well_typed());
  }

  // Called for k = 0, 1, 2, ... in turn. `unsatisfiable`: k good states are followed by good ones only.
  sat_answer ask() {
    const std::size_t k = unrolled_.frames().size() - 1;
    const literal bad = bad_at(k);
    const sat_answer answer = solver_.solve({bad});
    if (answer != sat_answer::satisfiable) return answer;
    solver_.require(bad ^ 1u);
    solver_.require(unrolled_.frames()[k].step.valid);
    unrolled_.extend();
    for (std::size_t earlier = 0; earlier <= k; ++earlier) solver_.require(unrolled_.differ(earlier, k + 1));
    return answer;
  }

 private:
  literal bad_at(std::size_t k) {
    const frame& f = unrolled_.frames()[k];
    circuit& g = unrolled_.graph();
    return g.either(f.fails[property_], g.either(breaks(p_, unrolled_, f.step, property_), obstructs(unrolled_, f.step)));
  }

  const ir::program& p_;
  const std::uint32_t property_;
  unrolling unrolled_;
  sat_solver solver_;
};

}  // namespace

engine_result induction(const transition_system& t, const finite_system& s, std::uint32_t property,
                        const engine_options& o) {
  budget_watch watch({0, 0, o.timeout_s});
  induction_step step(t, s, property, [&] { return watch.check(0, 0); });
  for (std::uint64_t k = 0; o.max_depth == 0 || k <= o.max_depth; ++k) {
    if (o.progress) o.progress("k", k);
    const sat_answer answer = step.ask();
    if (answer == sat_answer::stopped) return {engine_answer::unknown, {}, 0, false, false, text_of(watch.reason()), {}};
    if (answer == sat_answer::satisfiable) continue;
    engine_options base = o;
    base.max_depth = k + 1;
    base.obstacles = true;
    if (o.timeout_s > 0) base.timeout_s = std::max(0.001, o.timeout_s - watch.elapsed_s());
    engine_result out = bounded(t, s, property, base);
    if (out.answer == engine_answer::unknown && out.depth == k + 1 && !out.obstacle) out.answer = engine_answer::proved;
    if (out.answer == engine_answer::proved) out.note = "k-induction, k=" + std::to_string(k);
    return out;
  }
  engine_result out = bounded(t, s, property, o);
  if (out.answer == engine_answer::unknown)
    out.note = "not inductive for k up to " + std::to_string(o.max_depth) + "; " + out.note;
  return out;
}

}  // namespace quiesce::symbolic
