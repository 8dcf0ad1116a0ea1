// SPDX-License-Identifier: MIT
// The search: budgets, deadlocks, threads, and symmetry on programs that the random ones do not cover.

#include <gtest/gtest.h>

#include "model/explicit/search.hpp"
#include "model/explicit/symmetry.hpp"
#include "model/explicit/vacuity.hpp"
#include "tests/support/ir_builder.hpp"

namespace quiesce::test {
namespace {

using b = ir_builder;
using ir::op;
using ir::operation;

search_options alone() {
  search_options o;
  o.threads = 1;
  return o;
}

// Tasks that each count to `top`: (top + 1)^tasks states.
ir_builder counters(std::uint32_t tasks, std::int64_t top, bool interchangeable = true) {
  ir_builder x;
  auto s = x.sort("t", tasks, interchangeable);
  auto n = x.integer(0, top);
  auto v = x.variable("n", n, {s});
  auto p = x.process("p", s);
  auto self = x.temp(0, x.element(s));
  auto more = x.apply(op::less, x.boolean(), {x.load(v, {self}), x.constant(top, n)});
  x.location(p, {b::await(more), b::set(v, {self}, x.apply(op::add, n, {x.load(v, {self}), x.constant(1, n)})), b::stop(0)},
             true);
  x.finish_process(p);
  x.program.init = {b::stop(0)};
  return x;
}

TEST(engine_search, counts_states_transitions_and_depth) {
  auto t = make_interpreter(counters(3, 4).program);
  search_result r = explore(*t, alone());
  EXPECT_TRUE(r.complete);
  EXPECT_EQ(r.states, 125u);
  EXPECT_EQ(r.transitions, 3u * 4 * 25);
  EXPECT_EQ(r.depth, 12u);
  EXPECT_FALSE(r.deadlock);
}

TEST(engine_search, symmetry_counts_multisets) {
  auto t = make_interpreter(counters(4, 3).program);
  search_options o = alone();
  o.symmetry = true;
  search_result r = explore(*t, o);
  EXPECT_EQ(r.group_order, 24u);
  EXPECT_EQ(r.states, 35u);  // multisets of 4 from 4
  auto fixed = make_interpreter(counters(4, 3, false).program);
  EXPECT_EQ(explore(*fixed, o).states, 256u);
}

TEST(engine_search, a_budget_of_states_ends_the_run_and_says_so) {
  auto t = make_interpreter(counters(6, 9).program);
  search_options o = alone();
  o.max_states = 10000;
  search_result r = explore(*t, o);
  EXPECT_FALSE(r.complete);
  EXPECT_EQ(r.ended_by, budget::states);
  EXPECT_LT(r.states, 20000u);
  o.max_states = 0;
  o.max_memory_bytes = 1 << 20;
  EXPECT_EQ(explore(*t, o).ended_by, budget::memory);
}

TEST(engine_search, a_budget_of_just_the_states_there_are_ends_no_run) {
  auto t = make_interpreter(counters(5, 9).program);
  search_options o = alone();
  const std::uint64_t all = explore(*t, o).states;
  for (o.threads = 1; o.threads <= 3; ++o.threads) {
    o.max_states = all;
    const search_result r = explore(*t, o);
    EXPECT_TRUE(r.complete) << o.threads;
    EXPECT_EQ(r.states, all) << o.threads;
    o.max_states = all - 1;
    EXPECT_EQ(explore(*t, o).ended_by, budget::states) << o.threads;
  }
}

TEST(engine_search, an_interrupt_ends_the_run) {
  auto t = make_interpreter(counters(6, 9).program);
  interrupt_flag() = true;
  search_result r = explore(*t, alone());
  interrupt_flag() = false;
  EXPECT_EQ(r.ended_by, budget::interrupt);
  EXPECT_FALSE(r.complete);
}

TEST(engine_search, many_threads_find_the_same) {
  ir_builder x = counters(5, 5);
  auto n = x.program.variables[0].type;
  auto s = x.program.variables[0].index[0];
  auto p = x.property("sum");
  x.program.invariant_temps = 2;
  auto three = x.apply(op::equal, x.boolean(), {x.load(0, {x.temp(1, x.element(s))}), x.constant(3, n)});
  x.program.properties[p].invariant = x.apply(op::less, x.boolean(), {x.over(op::count, n, s, 1, three), x.constant(3, n)});
  auto t = make_interpreter(x.program);
  search_result one = explore(*t, alone());
  ASSERT_TRUE(one.properties[p]);
  EXPECT_EQ(one.properties[p]->depth, 9u);
  for (unsigned threads : {2u, 3u, 8u}) {
    search_options o;
    o.threads = threads;
    o.grain = 4;
    search_result r = explore(*t, o);
    EXPECT_EQ(r.states, one.states);
    EXPECT_EQ(r.transitions, one.transitions);
    ASSERT_TRUE(r.properties[p]);
    ASSERT_EQ(r.properties[p]->run.steps.size(), one.properties[p]->run.steps.size());
    for (std::size_t i = 0; i < one.properties[p]->run.steps.size(); ++i)
      EXPECT_EQ(r.properties[p]->run.steps[i].state, one.properties[p]->run.steps[i].state) << i;
  }
}

TEST(engine_search, stops_at_the_first_level_with_what_is_wanted) {
  ir_builder x = counters(3, 9);
  auto p = x.property("below two");
  auto n = x.program.variables[0].type;
  auto s = x.program.variables[0].index[0];
  x.program.invariant_temps = 2;
  x.program.properties[p].invariant = x.over(
      op::all, x.boolean(), s, 1, x.apply(op::less, x.boolean(), {x.load(0, {x.temp(1, x.element(s))}), x.constant(2, n)}));
  auto t = make_interpreter(x.program);
  search_options o = alone();
  o.stop_at_first = true;
  search_result r = explore(*t, o);
  ASSERT_TRUE(r.properties[p]);
  EXPECT_EQ(r.properties[p]->depth, 2u);
  EXPECT_FALSE(r.complete);
  EXPECT_EQ(r.ended_by, budget::none);
  o.wanted = 0;
  EXPECT_TRUE(explore(*t, o).complete);
}

TEST(engine_search, an_invariant_that_fails_at_once_fails_at_depth_0) {
  ir_builder x = counters(2, 1);
  auto p = x.property("never");
  x.program.properties[p].invariant = x.constant(0, x.boolean());
  auto t = make_interpreter(x.program);
  search_result r = explore(*t, alone());
  ASSERT_TRUE(r.properties[p]);
  EXPECT_EQ(r.properties[p]->depth, 0u);
  EXPECT_EQ(r.properties[p]->run.steps.size(), 1u);
}

// Two locks taken in opposite order.
TEST(engine_search, finds_the_shortest_deadlock) {
  ir_builder x;
  auto truth = x.boolean();
  auto l1 = x.variable("l1", truth), l2 = x.variable("l2", truth);
  auto no = x.constant(0, truth), yes = x.constant(1, truth);
  auto taking = [&](ir::variable_id v, std::uint32_t next) {
    return std::vector<ir::instruction>{b::await(x.apply(op::equal, truth, {x.load(v), no})), b::set(v, {}, yes),
                                        b::stop(next)};
  };
  for (bool swapped : {false, true}) {
    auto p = x.process(swapped ? "q" : "p");
    x.location(p, taking(swapped ? l2 : l1, 1));
    x.location(p, taking(swapped ? l1 : l2, 2));
    x.location(p, {b::set(l1, {}, no), b::set(l2, {}, no), b::stop(0)});
    x.finish_process(p);
  }
  x.program.init = {b::stop(0)};
  auto t = make_interpreter(x.program);
  search_result r = explore(*t, alone());
  ASSERT_TRUE(r.deadlock);
  EXPECT_EQ(r.deadlock->depth, 2u);
  EXPECT_TRUE(replays(*t, r.deadlock->run));
  search_options o = alone();
  o.check_deadlock = false;
  EXPECT_FALSE(explore(*t, o).deadlock);
}

TEST(engine_search, a_property_whose_trigger_never_happens_is_vacuous) {
  ir_builder x = counters(2, 1);
  for (const char* n : {"a", "b", "c"}) x.property(n);
  x.program.properties[0].has_trigger = x.program.properties[1].has_trigger = true;
  EXPECT_EQ(vacuous(x.program, 1), 2u);
}

// Element-typed locals that are reset to element 0 once dead, and a loop over all elements in ascending order.
ir_builder resetting(bool loop_reads_others, bool reset_is_read) {
  ir_builder x;
  auto d = x.sort("d", 3);
  auto e = x.element(d);
  auto truth = x.boolean();
  auto used = x.variable("used", truth, {d});
  auto mine = x.variable("p.mine", e, {}, ir::variable_kind::local);
  x.program.variables[mine].owner = 0;
  auto p = x.process("p");
  x.program.processes[p].temps = 4;
  auto t = x.temp(1, e), no = x.constant(0, truth), yes = x.constant(1, truth), first = x.constant(0, e);
  x.location(p, {b::choose(1, d), b::set(mine, {}, t), b::stop(1)});
  x.location(p, {b::set(used, {x.load(mine)}, yes), b::set(mine, {}, first), b::stop(2)});
  ir::expr_id source = loop_reads_others ? x.load(used, {x.temp(3, e)}) : x.apply(op::not_, truth, {x.load(used, {t})});
  x.location(p, {b::choose(3, d), b::set_temp(1, first), b::set(used, {t}, source),
                 b::set_temp(1, x.apply(op::add, e, {t, x.constant(1, e)})),
                 b::jump_if(x.apply(op::less, truth, {t, x.constant(3, e)}), 2), b::stop(reset_is_read ? 1 : 0)});
  x.finish_process(p);
  x.program.init = {b::stop(0)};
  (void)no;
  return x;
}

TEST(engine_search, dead_locals_and_independent_loops_do_not_break_symmetry) {
  auto t = make_interpreter(resetting(false, false).program);
  symmetry s(*t);
  EXPECT_EQ(s.order(), 6u) << s.why();
  search_options o = alone();
  search_result full = explore(*t, o);
  std::set<std::vector<word>> images;
  auto canonical = s.make_canonicaliser();
  for (auto x : reachable_states(*t, o)) {
    canonical->canonical(x.data());
    images.insert(x);
  }
  o.symmetry = true;
  auto reduced = reachable_states(*t, o);
  EXPECT_EQ(images, (std::set<std::vector<word>>(reduced.begin(), reduced.end())));
  EXPECT_LT(reduced.size(), full.states);
  EXPECT_EQ(explore(*t, o).depth, full.depth);
}

TEST(engine_search, loops_that_read_what_other_turns_write_break_symmetry) {
  auto t = make_interpreter(resetting(true, false).program);
  symmetry s(*t);
  EXPECT_TRUE(s.trivial());
  EXPECT_FALSE(s.why().empty());
}

TEST(engine_search, a_reset_that_is_read_names_an_element) {
  auto t = make_interpreter(resetting(false, true).program);
  EXPECT_EQ(symmetry(*t).order(), 2u) << "element 0 is named, the others are not";
}

}  // namespace
}  // namespace quiesce::test
