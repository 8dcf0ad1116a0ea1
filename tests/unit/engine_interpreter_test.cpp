// SPDX-License-Identifier: MIT
// The byte code interpreter: order of steps, ends of steps, faults, records.

#include <gtest/gtest.h>

#include "model/system/dump.hpp"
#include "model/system/system.hpp"
#include "model/system/validate.hpp"
#include "properties/diagnostic.hpp"
#include "tests/support/ir_builder.hpp"

namespace quiesce::test {
namespace {

using b = ir_builder;
using ir::op;
using ir::operation;

// One process over a sort of two, with a counter 0..3 and one location whose step is given.
struct small_system {
  ir_builder built;
  ir::sort_id tasks;
  ir::type_id truth, number, task;
  ir::variable_id counter, of;
  std::uint32_t p;

  small_system() {
    tasks = built.sort("t", 2);
    truth = built.boolean();
    number = built.integer(0, 3);
    task = built.element(tasks);
    counter = built.variable("counter", number);
    of = built.variable("of", number, {tasks});
    p = built.process("p", tasks);
    built.program.processes[p].temps = 4;
    built.program.init = {b::stop(0)};
  }
  ir::expr_id n(std::int64_t v) { return built.constant(v, number); }
  ir::expr_id self() { return built.temp(0, task); }
  std::unique_ptr<transition_system> make(const std::vector<ir::instruction>& step) {
    built.location(p, step);
    built.finish_process(p);
    return make_interpreter(built.program);
  }
};

struct seen_step {
  std::uint32_t instance;
  step_outcome outcome;
  std::uint8_t kind;
  std::int64_t counter;
};

std::vector<seen_step> steps_from_start(const small_system& s, const transition_system& t) {
  std::vector<seen_step> out;
  auto stepper = t.make_stepper();
  std::vector<word> start;
  stepper->initial([&](const step& x) { start.assign(x.state, x.state + t.state_layout().words()); });
  stepper->successors(start.data(), [&](const step& x) {
    out.push_back({x.instance, x.outcome, x.kind, read_variable(t, x.state, s.counter, {})});
  });
  return out;
}

TEST(engine_interpreter, choices_come_in_ascending_order_for_each_instance) {
  small_system s;
  auto sum = s.built.apply(op::add, s.number, {s.built.temp(1, s.number), s.built.temp(2, s.number)});
  auto t = s.make({b::choose(1, ir::nothing, 2), b::choose(2, ir::nothing, 3), b::set(s.counter, {}, sum), b::stop(0)});
  std::vector<std::int64_t> got;
  for (const seen_step& x : steps_from_start(s, *t)) got.push_back(10 * x.instance + x.counter);
  EXPECT_EQ(got, (std::vector<std::int64_t>{0, 1, 2, 1, 2, 3, 10, 11, 12, 11, 12, 13}));
}

TEST(engine_interpreter, a_value_that_does_not_fit_is_a_range_error_and_keeps_the_state_before_it) {
  small_system s;
  auto t = s.make({b::set(s.counter, {}, s.n(2)), b::set(s.counter, {}, s.built.constant(4, s.number)), b::stop(0)});
  auto got = steps_from_start(s, *t);
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0].outcome, step_outcome::error);
  EXPECT_EQ(got[0].kind, static_cast<std::uint8_t>(ir::error_kind::range));
  EXPECT_EQ(got[0].counter, 2);
}

TEST(engine_interpreter, wrapping_what_does_not_fit_is_never_none) {
  small_system s;
  auto o = s.built.option(s.number);
  auto v = s.built.variable("o", o);
  auto t = s.make(
      {b::set(v, {}, s.built.apply(op::wrap, o, {s.built.apply(op::subtract, s.number, {s.built.load(s.counter), s.n(1)})})),
       b::stop(0)});
  EXPECT_EQ(steps_from_start(s, *t).at(0).outcome, step_outcome::error);
}

TEST(engine_interpreter, an_index_out_of_range_is_a_defect_of_the_caller) {
  small_system s;
  auto at = s.built.apply(op::add, s.task, {s.self(), s.built.constant(1, s.task)});
  auto t = s.make({b::set(s.of, {at}, s.n(1)), b::stop(0)});
  EXPECT_THROW(steps_from_start(s, *t), std::logic_error);
}

TEST(engine_interpreter, the_right_side_of_a_conjunction_is_not_evaluated_where_the_left_decides) {
  small_system s;
  auto bad = s.built.load(s.of, {s.built.apply(op::add, s.task, {s.self(), s.built.constant(2, s.task)})});
  auto guard = s.built.apply(op::and_, s.truth,
                             {s.built.apply(op::less, s.truth, {s.n(0), s.built.load(s.counter)}),
                              s.built.apply(op::equal, s.truth, {bad, s.n(0)})});
  auto t = s.make({b::await(guard), b::stop(0)});
  EXPECT_TRUE(steps_from_start(s, *t).empty());
}

TEST(engine_interpreter, a_step_that_does_not_end_is_diagnosed) {
  small_system s;
  auto t = s.make({b::jump(0)});
  EXPECT_THROW(steps_from_start(s, *t), diagnostic);
}

TEST(engine_interpreter, records_events_and_choices_of_each_path) {
  small_system s;
  s.built.program.events.push_back({"ev", {s.number}});
  auto t = s.make({b::choose(1, ir::nothing, 2), b::emit(0, {s.built.temp(1, s.number)}), b::stop(0)});
  auto stepper = t->make_stepper();
  std::vector<word> start;
  stepper->initial([&](const step& x) { start.assign(x.state, x.state + t->state_layout().words()); });
  std::vector<std::int64_t> args, choices;
  stepper->successors_recorded(start.data(), [&](const step&, const step_record& r) {
    ASSERT_EQ(r.events.size(), 1u);
    ASSERT_EQ(r.choices.size(), 1u);
    args.push_back(r.events[0].args.at(0));
    choices.push_back(r.choices[0].value);
  });
  EXPECT_EQ(args, (std::vector<std::int64_t>{0, 1, 0, 1}));
  EXPECT_EQ(choices, args);
}

TEST(engine_interpreter, time_moves_only_when_nobody_else_can_not_even_into_an_error) {
  small_system s;
  auto guard = s.built.apply(op::equal, s.truth, {s.built.load(s.counter), s.n(0)});
  auto clock = s.built.process("clock");
  s.built.program.processes[clock].only_when_stuck = true;
  s.built.location(clock, {b::set(s.counter, {}, s.n(3)), b::stop(0)});
  s.built.finish_process(clock);
  auto t = s.make({b::await(guard), b::other(operation::error, 1)});
  auto got = steps_from_start(s, *t);
  ASSERT_EQ(got.size(), 2u);
  for (const seen_step& x : got) EXPECT_EQ(x.outcome, step_outcome::error);
}

TEST(engine_interpreter, sets_of_64_elements_fit_one_word) {
  ir_builder x;
  auto many = x.sort("e", 64, false);
  auto set = x.set(many);
  auto v = x.variable("v", set);
  auto p = x.process("p");
  x.location(p, {b::set(v, {}, x.over(op::collect, set, many, 1, x.constant(1, x.boolean()))), b::stop(0)});
  x.program.processes[p].temps = 2;
  x.finish_process(p);
  x.program.init = {b::stop(0)};
  auto t = make_interpreter(x.program);
  auto stepper = t->make_stepper();
  std::vector<word> zero(t->state_layout().words(), 0);
  stepper->successors(zero.data(), [&](const step& s) { EXPECT_EQ(read_variable(*t, s.state, v, {}), -1); });
}

TEST(engine_interpreter, malformed_programs_are_refused) {
  small_system jump;
  EXPECT_THROW(jump.make({b::jump(7)}), std::logic_error);
  small_system temp;
  EXPECT_THROW(temp.make({b::set_temp(9, temp.n(0)), b::stop(0)}), std::logic_error);
  small_system runs_off;
  EXPECT_THROW(runs_off.make({b::set(runs_off.counter, {}, runs_off.n(0))}), std::logic_error);
  small_system unknown_location;
  EXPECT_THROW(unknown_location.make({b::stop(3)}), std::logic_error);
}

TEST(engine_interpreter, dump_shows_every_instruction) {
  small_system s;
  auto t = s.make({b::choose(1, s.tasks), b::set(s.of, {s.self()}, s.n(2)), b::stop(0)});
  const std::string text = dump(t->program());
  EXPECT_NE(text.find("choose t1 : t"), std::string::npos) << text;
  EXPECT_NE(text.find("of(t0) := 2"), std::string::npos) << text;
}

}  // namespace
}  // namespace quiesce::test
