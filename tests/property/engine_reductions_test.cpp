// SPDX-License-Identifier: MIT
// Partial order and merging against the full exploration, on random programs: the same properties, errors, bounds and
// deadlocks, runs as short, and the same answer whatever the number of threads and the way states are kept.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "model/explicit/search.hpp"
#include "tests/support/ir_builder.hpp"
#include "tests/support/random_program.hpp"

namespace quiesce::test {
namespace {

constexpr std::uint64_t most_states = 6000;
constexpr reductions all_reductions[] = {{true, false}, {false, true}, {true, true}};

void expect_same_finding(const transition_system& s, const std::optional<finding>& full,
                         const std::optional<finding>& reduced) {
  RC_ASSERT(full.has_value() == reduced.has_value());
  if (!full) return;
  RC_ASSERT(reduced->minimal);
  RC_ASSERT(full->depth == reduced->depth);
  RC_ASSERT(reduced->run.steps.size() == reduced->depth + 1);
  RC_ASSERT(replays(s, reduced->run));
}

void expect_same_findings(const transition_system& s, const search_result& full, const search_result& reduced) {
  RC_ASSERT(reduced.complete);
  RC_ASSERT(reduced.states <= full.states);
  RC_ASSERT(full.marked == reduced.marked);
  for (std::size_t i = 0; i < full.properties.size(); ++i) expect_same_finding(s, full.properties[i], reduced.properties[i]);
  expect_same_finding(s, full.deadlock, reduced.deadlock);
  RC_ASSERT(full.errors.size() == reduced.errors.size());
  for (const auto& [k, f] : full.errors) expect_same_finding(s, f, reduced.errors.at(k));
  RC_ASSERT(full.bounds.size() == reduced.bounds.size());
  for (const auto& [k, f] : full.bounds) expect_same_finding(s, f, reduced.bounds.at(k));
}

// The runs of the first search, before they are made shortest, are runs too.
void expect_longer_runs(const transition_system& s, search_options o, const search_result& full) {
  o.max_states = 1;
  o.enough = nullptr;
  const search_result cut = explore(s, o);
  for (std::size_t i = 0; i < cut.properties.size(); ++i) {
    if (!cut.properties[i]) continue;
    RC_ASSERT(full.properties[i].has_value());
    RC_ASSERT(cut.properties[i]->depth >= full.properties[i]->depth);
    RC_ASSERT(replays(s, cut.properties[i]->run));
  }
}

int pick(int low, int high) { return *rc::gen::resize(100, rc::gen::inRange(low, high + 1)); }

// A few processes that run straight through: what is found depends on nothing but the order of their steps. Each judgement
// is a property of its own.
class straight_lines {
 public:
  ir::program make() {
    for (int v = pick(2, 4); v > 0; --v) shared_.push_back(b_.variable("x" + std::to_string(v), number_));
    lock_ = b_.variable("lock", number_);
    if (pick(0, 1) == 0) shared_.push_back(lock_);  // not everybody respects it
    const int processes = pick(2, 3);
    for (int q = 0; q < processes; ++q) process(q);
    if (pick(0, 2) == 0) {
      const std::uint32_t i = b_.property("rule");
      b_.program.properties[i].invariant = b_.apply(ir::op::implies, truth_, {is(any(), pick(0, 2)), is(any(), pick(0, 2))});
    }
    b_.program.init = {ir_builder::stop(0)};
    return std::move(b_.program);
  }

 private:
  ir::variable_id any() { return shared_[static_cast<std::size_t>(pick(0, static_cast<int>(shared_.size()) - 1))]; }
  ir::expr_id is(ir::variable_id v, int n) { return b_.apply(ir::op::equal, truth_, {b_.load(v), b_.constant(n, number_)}); }
  ir::instruction put(ir::variable_id v, int n) { return ir_builder::set(v, {}, b_.constant(n, number_)); }

  std::vector<ir::instruction> step() {
    const ir::variable_id v = any();
    switch (pick(0, 4)) {
      case 0:
        return {ir_builder::await(is(v, pick(0, 2))), put(any(), pick(0, 2))};
      case 1:
      case 2: {
        const std::string name = "judged" + std::to_string(b_.program.properties.size());
        return {ir_builder::jump_if(is(v, pick(0, 2)), 2), ir_builder::other(ir::operation::violate, b_.property(name))};
      }
      default:
        return {put(v, pick(0, 2))};
    }
  }

  void process(int number) {
    const std::uint32_t q = b_.process(std::string(1, static_cast<char>('p' + number)));
    const bool locks = pick(0, 1) == 1;
    std::vector<std::vector<ir::instruction>> steps;
    if (locks) steps.push_back({ir_builder::await(is(lock_, 0)), put(lock_, number + 1)});
    for (int n = pick(1, 3); n > 0; --n) steps.push_back(step());
    if (locks) steps.push_back({put(lock_, 0)});
    const bool loops = pick(0, 3) == 0;
    for (std::uint32_t k = 0; k < steps.size(); ++k) {
      steps[k].push_back(ir_builder::stop(loops && k + 1 == steps.size() ? 0 : k + 1));
      b_.location(q, steps[k]);
    }
    b_.end_location(q);
    b_.finish_process(q);
  }

  ir_builder b_;
  ir::type_id truth_ = b_.boolean(), number_ = b_.integer(0, 3);
  std::vector<ir::variable_id> shared_;
  ir::variable_id lock_ = 0;
};

void check(ir::program p) {
  const auto system = make_interpreter(std::move(p));
  search_options o;
  o.threads = 1;
  o.max_states = most_states;
  const search_result full = explore(*system, o);
  if (!full.complete) RC_DISCARD("too large");
  o.max_states = 0;
  std::uint64_t least = full.states;
  for (const bool symmetric : {false, true})
    for (const reductions r : all_reductions) {
      o.symmetry = symmetric;
      o.reduce = r;
      const search_result one = explore(*system, o);
      expect_same_findings(*system, full, one);
      if (!symmetric) least = std::min(least, one.states);
      o.threads = 3;
      o.grain = 1;
      const search_result three = explore(*system, o);
      RC_ASSERT(three.states == one.states);
      RC_ASSERT(three.transitions == one.transitions);
      expect_same_findings(*system, full, three);
      o.threads = 1;
      o.store = state_store::compressed;
      const search_result compact = explore(*system, o);
      RC_ASSERT(compact.states == one.states);
      expect_same_findings(*system, full, compact);
      o.store = state_store::full;
      expect_longer_runs(*system, o, full);
    }
  RC_TAG(least == full.states ? "not reduced" : least * 2 < full.states ? "reduced to less than half" : "reduced");
}

RC_GTEST_PROP(engine_reductions, straight_lines, ()) { check(straight_lines().make()); }

RC_GTEST_PROP(engine_reductions, shared_variables, ()) { check(random_program(pick, {})); }

RC_GTEST_PROP(engine_reductions, separate_processes, ()) {
  program_shape shape;
  shape.separate = true;
  check(random_program(pick, shape));
}

RC_GTEST_PROP(engine_reductions, separate_processes_that_name_elements, ()) {
  program_shape shape;
  shape.separate = true;
  shape.names_elements = true;
  shape.most_elements = 2;
  check(random_program(pick, shape));
}

}  // namespace
}  // namespace quiesce::test
