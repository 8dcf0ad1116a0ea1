// SPDX-License-Identifier: MIT
// Values of a choice that are given up before it is tried: those that no state lets pass, and no others.
#include "model/system/early_choices.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "model/system/system.hpp"
#include "model/verdict/check.hpp"
#include "model/verdict/claim.hpp"
#include "quiesce_paths.hpp"
#include "tests/support/ir_builder.hpp"
#include "tests/support/naive_enumerator.hpp"
#include "tests/support/unpack.hpp"

namespace quiesce::test {
namespace {

using b = ir_builder;
using ir::op;
using values = std::vector<std::int64_t>;

// A table of option<d> over a sort d of three, the first element of which is chosen as temp 1.
struct chosen_element {
  ir_builder built;
  ir::sort_id d = built.sort("d", 3);
  ir::type_id truth = built.boolean(), element = built.element(d), option = built.option(element);
  ir::type_id number = built.integer(0, 2);
  ir::variable_id above = built.variable("above", option, {d}), count = built.variable("count", number);

  ir::expr_id at(std::int64_t e) { return built.constant(e, element); }
  ir::expr_id chosen() { return built.temp(1, option); }
  ir::expr_id is(ir::expr_id a, std::int64_t v) { return built.apply(op::equal, truth, {a, built.constant(v, option)}); }
  ir::instruction store() { return b::set(above, {at(0)}, chosen()); }
  values left(std::vector<ir::instruction> rest) {
    rest.insert(rest.begin(), b::choose(1, ir::nothing, 4));
    rest.push_back(b::stop(0));
    return ir::remaining_values(built.program, rest, 0).value_or(values{0, 1, 2, 3});
  }
};

TEST(early_choices, what_the_condition_of_the_element_refuses_is_given_up) {
  chosen_element s;
  const auto none_above =
      s.built.over(op::all, s.truth, s.d, 3,
                   s.built.apply(op::not_, s.truth,
                                 {s.built.apply(op::equal, s.truth,
                                                {s.built.load(s.above, {s.built.temp(2, s.element)}),
                                                 s.built.apply(op::wrap, s.option, {s.built.temp(3, s.element)})})}));
  EXPECT_EQ(s.left({s.store(), b::set_temp(2, s.at(0)), b::await(none_above)}), values{0});
  EXPECT_EQ(s.left({s.store(), b::set_temp(2, s.at(0)), b::await(s.built.apply(op::not_, s.truth, {none_above}))}),
            (values{1, 2, 3}));
}

TEST(early_choices, what_another_element_or_variable_decides_is_not) {
  chosen_element s;
  const auto other = s.is(s.built.load(s.above, {s.at(1)}), 2);
  EXPECT_EQ(s.left({s.store(), b::await(other)}), (values{0, 1, 2, 3}));
  const auto either = s.built.apply(op::or_, s.truth, {other, s.is(s.built.load(s.above, {s.at(0)}), 3)});
  EXPECT_EQ(s.left({s.store(), b::await(either)}), (values{0, 1, 2, 3}));
  const auto both = s.built.apply(op::and_, s.truth, {other, s.is(s.built.load(s.above, {s.at(0)}), 3)});
  EXPECT_EQ(s.left({s.store(), b::await(both)}), values{3});
}

TEST(early_choices, what_is_written_again_counts) {
  chosen_element s;
  const auto is_one = s.is(s.built.load(s.above, {s.at(0)}), 1);
  EXPECT_EQ(s.left({s.store(), b::set(s.above, {s.at(0)}, s.built.constant(1, s.option)), b::await(is_one)}),
            (values{0, 1, 2, 3}));
  EXPECT_EQ(s.left({s.store(), b::set(s.above, {s.at(0)}, s.built.constant(2, s.option)), b::await(is_one)}), values{});
}

TEST(early_choices, nothing_is_given_up_behind_a_branch_an_error_or_another_choice) {
  chosen_element s;
  const auto is_one = s.is(s.chosen(), 1);
  EXPECT_EQ(s.left({b::await(is_one)}), values{1});
  EXPECT_EQ(s.left({b::jump_if(is_one, 3), b::await(is_one)}), (values{0, 1, 2, 3}));
  EXPECT_EQ(s.left({b::choose(2, s.d), b::await(is_one)}), (values{0, 1, 2, 3}));
  // 3 does not fit into `count`: that is an error, not an initial state less.
  EXPECT_EQ(s.left({b::set(s.count, {}, s.chosen()), b::await(is_one)}), (values{1, 3}));
}

TEST(early_choices, nothing_is_given_up_where_an_error_may_come_first) {
  chosen_element s;
  const values all = {0, 1, 2, 3};
  const auto is_one = s.is(s.chosen(), 1), zero = s.built.constant(0, s.number);
  const auto refused_behind = [&](ir::expr_id a) {
    return s.left({b::await(s.built.apply(op::and_, s.truth, {a, is_one}))});
  };
  const auto positive = [&](ir::expr_id a) { return s.built.apply(op::less, s.truth, {zero, a}); };
  const auto known = s.built.constant(7, s.number), unknown = s.built.load(s.count);
  EXPECT_EQ(refused_behind(positive(known)), values{1});
  EXPECT_EQ(refused_behind(positive(unknown)), values{1});
  const auto huge = s.built.constant(std::numeric_limits<std::int64_t>::max(), s.number);
  for (const op o : {op::add, op::subtract, op::multiply}) {
    const auto sum = s.built.apply(o, s.number, {unknown, known});
    EXPECT_EQ(refused_behind(positive(sum)), all);
    EXPECT_EQ(s.left({b::set_temp(2, sum), b::await(is_one)}), all);
    EXPECT_EQ(s.left({b::await(positive(sum)), b::await(is_one)}), all);
    // Of the elements before the one that refuses, too.
    const auto here = s.built.apply(op::equal, s.truth, {s.built.temp(3, s.element), s.at(2)});
    const auto element = s.built.apply(op::select, s.truth, {here, is_one, positive(sum)});
    EXPECT_EQ(s.left({b::await(s.built.over(op::all, s.truth, s.d, 3, element))}), all);
  }
  EXPECT_EQ(refused_behind(positive(s.built.apply(op::add, s.number, {huge, known}))), all);
  EXPECT_EQ(refused_behind(positive(s.built.apply(op::add, s.number, {known, known}))), values{1});
  EXPECT_EQ(refused_behind(s.is(s.built.load(s.above, {s.at(3)}), 0)), all) << "an element that there is not";
}

TEST(early_choices, what_is_behind_the_refusal_may_fail) {
  chosen_element s;
  const auto is_one = s.is(s.chosen(), 1);
  const auto product = s.built.apply(op::multiply, s.number, {s.built.load(s.count), s.built.load(s.count)});
  const auto positive = s.built.apply(op::less, s.truth, {s.built.constant(0, s.number), product});
  EXPECT_EQ(s.left({b::await(s.built.apply(op::and_, s.truth, {is_one, positive}))}), values{1});
  EXPECT_EQ(s.left({b::await(is_one), b::await(positive)}), values{1});
}

// Of every model, on its first claim.
TEST(early_choices, shipped_models_begin_in_the_states_that_a_naive_enumerator_finds) {
  catalogue inputs(QUIESCE_SOURCE_DIR);
  std::set<std::string> models;
  std::vector<const claim_entry*> chosen;
  for (const claim_entry* c : inputs.all_claims())
    if (models.insert(c->claim.model).second) chosen.push_back(c);
  for (const claim_group& g : group_claims(inputs, chosen)) {
    const transition_system& s = g.check.system();
    std::vector<naive_state> found, expected;
    s.make_stepper()->initial([&](const step& x) { found.push_back(unpack(s, x.state)); });
    for (const naive_step& x : naive_enumerator(s.program()).initial()) expected.push_back(x.state);
    EXPECT_EQ(found, expected) << g.claims[0]->claim.name;
    EXPECT_FALSE(found.empty());
  }
}

}  // namespace
}  // namespace quiesce::test
