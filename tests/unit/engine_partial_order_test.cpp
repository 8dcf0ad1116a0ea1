// SPDX-License-Identifier: MIT
// Partial order and merging where they could go wrong: loops of steps that nobody sees, orders that only a monitor sees,
// errors and deadlocks of processes that are left waiting, locks that not everybody respects, time, preemption.

#include <gtest/gtest.h>

#include "model/explicit/partial_order.hpp"
#include "model/explicit/search.hpp"
#include "tests/support/ir_builder.hpp"

namespace quiesce::test {
namespace {

using b = ir_builder;
using ir::op;
using ir::operation;
using code = std::vector<ir::instruction>;

constexpr reductions both = {true, true};
constexpr reductions all_reductions[] = {{true, false}, {false, true}, both};

search_options options(reductions r = {}) {
  search_options o;
  o.threads = 1;
  o.reduce = r;
  return o;
}

void expect_same(const std::optional<finding>& full, const std::optional<finding>& reduced) {
  ASSERT_EQ(full.has_value(), reduced.has_value());
  if (!full) return;
  EXPECT_EQ(full->depth, reduced->depth);
  EXPECT_TRUE(reduced->minimal);
}

// Everything that is found without reductions is found with each of them, at the same depth. Returns the full search.
search_result expect_unchanged(const ir::program& p) {
  const auto t = make_interpreter(p);
  search_result full = explore(*t, options());
  EXPECT_TRUE(full.complete);
  for (const reductions r : all_reductions) {
    SCOPED_TRACE(name(r));
    const search_result reduced = explore(*t, options(r));
    EXPECT_TRUE(reduced.complete);
    EXPECT_EQ(full.marked, reduced.marked);
    for (std::size_t i = 0; i < full.properties.size(); ++i) expect_same(full.properties[i], reduced.properties[i]);
    expect_same(full.deadlock, reduced.deadlock);
    EXPECT_EQ(full.errors.size(), reduced.errors.size());
    for (const auto& [kind, f] : full.errors) expect_same(f, reduced.errors.at(kind));
  }
  return full;
}

struct model {
  ir_builder x;
  ir::type_id truth = x.boolean(), small = x.integer(0, 3);

  model() { x.program.init = {b::stop(0)}; }
  ir::variable_id flag(const std::string& name) { return x.variable(name, truth); }
  ir::expr_id yes() { return x.constant(1, truth); }
  ir::expr_id no() { return x.constant(0, truth); }
  ir::expr_id is(ir::variable_id v) { return x.load(v); }
  ir::expr_id not_(ir::expr_id e) { return x.apply(op::not_, truth, {e}); }
  ir::expr_id both_of(ir::expr_id a, ir::expr_id c) { return x.apply(op::and_, truth, {a, c}); }
  ir::expr_id equals(ir::variable_id v, std::int64_t n) {
    return x.apply(op::equal, truth, {x.load(v), x.constant(n, x.program.variables[v].type)});
  }
  ir::instruction put(ir::variable_id v, std::int64_t n) {
    return b::set(v, {}, x.constant(n, x.program.variables[v].type));
  }
  // Steps in a row; the last one as it is, the others with a stop at the next one. Ends where `loops` is false.
  std::uint32_t process(const std::string& name, std::vector<code> steps, bool loops) {
    const std::uint32_t p = x.process(name);
    for (std::uint32_t k = 0; k < steps.size(); ++k) {
      steps[k].push_back(b::stop(loops ? (k + 1) % static_cast<std::uint32_t>(steps.size()) : k + 1));
      x.location(p, steps[k]);
    }
    if (!loops) x.end_location(p);
    x.finish_process(p);
    return p;
  }
};

TEST(engine_partial_order, a_loop_that_nobody_sees_does_not_hide_a_violation) {
  model m;
  const auto own = m.flag("own"), other = m.flag("other");
  const auto broken = m.x.property("broken");
  m.process("spins", {{m.put(own, 1)}, {m.put(own, 0)}}, true);
  m.process("breaks", {{m.put(other, 1)}, {b::other(operation::violate, broken)}}, false);
  EXPECT_TRUE(expect_unchanged(m.x.program).properties[broken]);
}

TEST(engine_partial_order, a_loop_that_nobody_sees_does_not_hide_an_error) {
  model m;
  const auto own = m.flag("own"), other = m.flag("other");
  m.process("spins", {{m.put(own, 1)}, {m.put(own, 0)}}, true);
  m.process("fails", {{m.put(other, 1)}, {b::other(operation::error, 5)}}, false);
  EXPECT_EQ(expect_unchanged(m.x.program).errors.size(), 1u);
}

TEST(engine_partial_order, two_loops_that_nobody_sees_do_not_hide_a_third_process) {
  model m;
  const auto one = m.flag("one"), two = m.flag("two");
  const auto broken = m.x.property("broken");
  m.process("a", {{m.put(one, 1)}, {m.put(one, 0)}}, true);
  m.process("b", {{m.put(two, 1)}, {m.put(two, 0)}}, true);
  m.process("c", {{b::other(operation::violate, broken)}}, false);
  EXPECT_TRUE(expect_unchanged(m.x.program).properties[broken]);
}

TEST(engine_partial_order, an_error_in_a_step_of_its_own_ends_no_other_process) {
  model m;
  const auto own = m.x.variable("own", m.small), other = m.flag("other");
  const auto broken = m.x.property("broken");
  // The first process can do nothing but fail; the second one breaks the rule if it is first.
  m.process("fails", {{b::set(own, {}, m.x.constant(7, m.small))}}, false);
  m.process("breaks", {{m.put(other, 1)}, {b::other(operation::violate, broken)}}, false);
  const search_result full = expect_unchanged(m.x.program);
  EXPECT_TRUE(full.properties[broken]);
  EXPECT_EQ(full.errors.size(), 1u);
}

TEST(engine_partial_order, the_order_of_two_events_is_seen_by_the_monitor_between_them) {
  for (const bool first_wins : {false, true}) {
    model m;
    const auto seen = m.flag("monitor"), a = m.flag("a"), c = m.flag("c");
    const auto broken = m.x.property("broken");
    // The one sets what the monitor remembers, the other one is judged by it: broken in one of the two orders only.
    m.process("p", {{m.put(a, 1)}, {m.put(seen, 1)}}, false);
    const auto fine = first_wins ? m.not_(m.is(seen)) : m.is(seen);
    m.process("q", {{m.put(c, 1)}, {b::jump_if(fine, 2), b::other(operation::violate, broken)}}, false);
    EXPECT_TRUE(expect_unchanged(m.x.program).properties[broken]);
  }
}

TEST(engine_partial_order, a_state_that_is_passed_in_between_is_looked_at) {
  model m;
  const auto a = m.flag("a"), c = m.flag("c");
  const auto rule = m.x.property("rule");
  m.process("p", {{m.put(a, 1)}, {m.put(a, 0)}}, false);
  m.process("q", {{m.put(c, 1)}, {m.put(c, 0)}}, false);
  m.x.program.properties[rule].invariant = m.not_(m.both_of(m.is(a), m.is(c)));
  EXPECT_TRUE(expect_unchanged(m.x.program).properties[rule]);
}

TEST(engine_partial_order, a_state_in_a_merged_run_of_one_process_is_looked_at) {
  model m;
  const auto a = m.flag("a"), c = m.flag("c");
  const auto rule = m.x.property("rule"), wish = m.x.property("wish");
  m.process("p", {{m.put(c, 1)}, {m.put(a, 1)}, {m.put(a, 0)}, {m.put(c, 0)}}, false);
  m.x.program.properties[rule].invariant = m.not_(m.is(a));
  m.x.program.properties[wish].sometimes = true;
  m.x.program.properties[wish].invariant = m.both_of(m.is(c), m.is(a));
  const search_result full = expect_unchanged(m.x.program);
  EXPECT_TRUE(full.properties[rule]);
  EXPECT_TRUE(full.properties[wish]);
}

TEST(engine_partial_order, processes_that_wait_for_each_other_are_deadlocked_with_it_too) {
  model m;
  const auto a = m.flag("a"), c = m.flag("c"), own = m.flag("own");
  m.process("p", {{m.put(own, 1)}, {b::await(m.is(c)), m.put(a, 1)}}, false);
  m.process("q", {{b::await(m.is(a)), m.put(c, 1)}}, false);
  EXPECT_TRUE(expect_unchanged(m.x.program).deadlock);
}

TEST(engine_partial_order, a_rendezvous_takes_place) {
  model m;
  const auto ready = m.flag("ready"), taken = m.flag("taken"), own = m.flag("own");
  const auto reached = m.x.property("reached");
  m.process("p", {{m.put(own, 1)}, {m.put(ready, 1)}, {b::await(m.is(taken)), b::other(operation::mark, reached)}}, false);
  m.process("q", {{b::await(m.is(ready)), m.put(taken, 1)}}, false);
  m.x.program.properties[reached].has_trigger = true;
  const search_result full = expect_unchanged(m.x.program);
  EXPECT_FALSE(full.deadlock);
  EXPECT_EQ(full.marked, std::uint64_t{1} << reached);
}

// Takes a lock, changes what it guards twice, leaves. `steals`: the other process does not ask for the lock.
model two_with_a_lock(bool steals) {
  model m;
  const auto lock = m.x.variable("lock", m.small), guarded = m.flag("guarded");
  const auto torn = m.x.property("torn");
  const auto take = [&](std::int64_t who) { return code{b::await(m.equals(lock, 0)), m.put(lock, who)}; };
  const code leave = {m.put(lock, 0)};
  m.process("p", {take(1), {m.put(guarded, 1)}, {m.put(guarded, 0)}, leave}, false);
  const code looks = {b::jump_if(m.not_(m.is(guarded)), 2), b::other(operation::violate, torn)};
  if (steals)
    m.process("q", {looks}, false);
  else
    m.process("q", {take(2), looks, leave}, false);
  return m;
}

TEST(engine_partial_order, under_a_lock_that_all_respect_the_holder_is_alone) {
  const model m = two_with_a_lock(false);
  EXPECT_FALSE(expect_unchanged(m.x.program).properties[0]);
  const auto t = make_interpreter(m.x.program);
  EXPECT_LT(explore(*t, options(both)).states, explore(*t, options()).states);
}

TEST(engine_partial_order, who_does_not_respect_the_lock_sees_what_it_guards) {
  EXPECT_TRUE(expect_unchanged(two_with_a_lock(true).x.program).properties[0]);
}

TEST(engine_partial_order, who_opens_another_ones_lock_lets_others_in) {
  model m;
  const auto lock = m.x.variable("lock", m.small), guarded = m.flag("guarded");
  const auto torn = m.x.property("torn");
  m.process("p", {{b::await(m.equals(lock, 0)), m.put(lock, 1)}, {m.put(guarded, 1)}, {m.put(guarded, 0)}, {m.put(lock, 0)}},
            false);
  m.process("q",
            {{b::await(m.equals(lock, 0)), m.put(lock, 2)},
             {b::jump_if(m.not_(m.is(guarded)), 2), b::other(operation::violate, torn)},
             {m.put(lock, 0)}},
            false);
  EXPECT_FALSE(expect_unchanged(m.x.program).properties[torn]);
  m.process("r", {{m.put(lock, 0)}}, false);
  EXPECT_TRUE(expect_unchanged(m.x.program).properties[torn]);
}

TEST(engine_partial_order, a_process_that_looks_at_where_another_one_stands_is_not_independent_of_it) {
  model m;
  const auto a = m.flag("a"), c = m.flag("c");
  const auto broken = m.x.property("broken");
  const std::uint32_t p = m.process("p", {{m.put(a, 1)}, {m.put(a, 0)}}, false);
  const ir::variable_id pc = m.x.program.processes[p].pc;
  // As a softirq does: it runs only while the other one is in the middle.
  m.process("q", {{b::await(m.equals(pc, 1)), m.put(c, 1)}, {b::other(operation::violate, broken)}}, false);
  EXPECT_TRUE(expect_unchanged(m.x.program).properties[broken]);
}

TEST(engine_partial_order, time_moves_when_nobody_else_can) {
  model m;
  const auto now = m.x.variable("now", m.small), own = m.flag("own");
  const auto late = m.x.property("late");
  m.process("p", {{m.put(own, 1)}, {m.put(own, 0)}, {b::await(m.equals(now, 1)), b::other(operation::violate, late)}},
            false);
  m.process("time", {{b::await(m.equals(now, 0)), m.put(now, 1)}}, false);
  m.x.program.processes.back().only_when_stuck = true;
  EXPECT_EQ(expect_unchanged(m.x.program).properties[late]->depth, 4u);
}

TEST(engine_partial_order, a_cycle_longer_than_what_is_merged_is_found) {
  model m;
  const auto n = m.x.variable("n", m.x.integer(0, 999));
  const auto more = m.x.apply(op::add, m.x.integer(0, 1000), {m.x.load(n), m.x.constant(1, m.x.integer(0, 999))});
  const auto broken = m.x.property("broken");
  m.process("p", {{b::jump_if(m.equals(n, 999), 3), b::set(n, {}, more), b::stop(0), m.put(n, 0)}}, true);
  m.x.program.properties[broken].invariant = m.not_(m.equals(n, 700));
  const auto t = make_interpreter(m.x.program);
  const search_result r = explore(*t, options({true, false}));
  EXPECT_TRUE(r.complete);
  EXPECT_LT(r.states, 100u);
  EXPECT_GE(r.transitions, 1000u);
  EXPECT_EQ(r.properties[broken]->depth, 700u);
}

TEST(engine_partial_order, a_run_that_cannot_be_made_shortest_says_so) {
  model m;
  const auto broken = m.x.property("broken");
  std::vector<ir::variable_id> own;
  // Four processes with steps of their own, and one that breaks the rule at once.
  for (const char* name : {"a", "b", "c", "d"}) {
    const auto v = m.x.variable(name, m.small);
    m.process(std::string("p") + name, {{m.put(v, 1)}, {m.put(v, 2)}, {m.put(v, 3)}, {m.put(v, 0)}}, false);
  }
  const auto last = m.flag("last");
  m.process("q", {{m.put(last, 1)}, {m.put(last, 0)}, {b::other(operation::violate, broken)}}, false);
  const auto t = make_interpreter(m.x.program);
  search_options o = options(both);
  const search_result shortest = explore(*t, o);
  EXPECT_TRUE(shortest.properties[broken]->minimal);
  EXPECT_EQ(shortest.properties[broken]->depth, 3u);
  EXPECT_GT(shortest.states_again, 0u);
  o.max_states = 20;
  const search_result r = explore(*t, o);
  ASSERT_TRUE(r.properties[broken]);
  EXPECT_FALSE(r.properties[broken]->minimal);
  EXPECT_GT(r.properties[broken]->depth, 3u);
  EXPECT_TRUE(replays(*t, r.properties[broken]->run));
}

TEST(engine_partial_order, processes_without_anything_in_common_are_explored_one_after_the_other) {
  model m;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    const auto v = m.x.variable(name, m.small);
    m.process(std::string("p") + name, {{m.put(v, 1)}, {m.put(v, 2)}, {m.put(v, 3)}}, false);
  }
  const auto t = make_interpreter(m.x.program);
  EXPECT_EQ(explore(*t, options()).states, 1024u);
  EXPECT_EQ(explore(*t, options({false, true})).states, 16u);
  EXPECT_EQ(explore(*t, options(both)).states, 2u);
}

}  // namespace
}  // namespace quiesce::test
