// SPDX-License-Identifier: MIT
// `leads to` by strongly connected parts against every set of states, for no, weak and strong fairness and mixtures: on
// random graphs with random labels, and on random programs.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "model/explicit/liveness.hpp"
#include "tests/property/naive_liveness.hpp"
#include "tests/support/ir_builder.hpp"
#include "tests/support/random_program.hpp"

namespace quiesce::test {
namespace {

int pick(int low, int high) { return *rc::gen::resize(100, rc::gen::inRange(low, high + 1)); }

std::uint32_t condition(ir::program& p, ir::expr_id e) {
  ir::checked_property c;
  c.name = "condition " + std::to_string(p.properties.size());
  c.sometimes = true;
  c.invariant = e;
  p.properties.push_back(c);
  return static_cast<std::uint32_t>(p.properties.size() - 1);
}

std::vector<fair_process> arbitrary_fairness(const ir::program& p) {
  std::vector<fair_process> out;
  for (std::uint32_t q = 0; q < p.processes.size(); ++q) {
    if (pick(0, 3) == 0) continue;
    fair_process f{pick(0, 1) == 1, q, {}};
    if (pick(0, 3) == 0)
      for (std::size_t l = 0; l < p.processes[q].locations.size(); ++l) f.at.push_back(pick(0, 1) == 1);
    out.push_back(std::move(f));
  }
  return out;
}

struct expected {
  bool triggered = false, violated = false, exact = true;
};

expected naive_answer(const naive_liveness& naive, const response& asked) {
  expected out;
  for (const obligation& o : asked.obligations) {
    const std::vector<bool> in = naive.due(o);
    const auto n = static_cast<std::size_t>(std::count(in.begin(), in.end(), true));
    if (n > naive_liveness::most_due)
      out.exact = false;
    else
      out.violated = naive.fair_for_ever(in, asked.fair) || out.violated;
  }
  return out;
}

// Compares for these constraints; what was found violates with fewer of them too.
bool expect_same(const ir::program& p, const naive_liveness& naive, const response& asked) {
  const auto system = make_interpreter(p);
  const liveness_result found = check_response(*system, asked, {});
  RC_ASSERT(found.complete);
  RC_ASSERT(found.states == naive.size());
  const expected wanted = naive_answer(naive, asked);
  if (wanted.exact)
    RC_ASSERT(found.violation.has_value() == wanted.violated);
  else if (wanted.violated)
    RC_ASSERT(found.violation.has_value());
  if (found.violation) {
    RC_ASSERT(replays(*system, found.violation->run));
    std::vector<visited_state> run;
    for (const trace_step& t : found.violation->run.steps) run.push_back({t.state, t.process, t.instance});
    RC_ASSERT(not_a_lasso(*system, asked, run, found.violation->loop_from).empty());
  }
  return found.violation.has_value();
}

void expect_monotonic(const ir::program& p, const naive_liveness& naive, response asked) {
  RC_TAG(asked.fair.empty() ? "no fairness" : "fairness");
  const bool as_asked = expect_same(p, naive, asked);
  RC_TAG(as_asked ? "violated" : "kept");
  for (fair_process& f : asked.fair) f.strong = true;
  const bool strong = expect_same(p, naive, asked);
  for (fair_process& f : asked.fair) f.strong = false;
  const bool weak = expect_same(p, naive, asked);
  asked.fair.clear();
  const bool none = expect_same(p, naive, asked);
  RC_ASSERT(!strong || as_asked);
  RC_ASSERT(!as_asked || weak);
  RC_ASSERT(!weak || none);
}

// Processes that move one number along random edges, each with one or two locations.
ir::program arbitrary_graph(int& states) {
  ir_builder b;
  states = pick(1, 6);
  const ir::type_id number = b.integer(0, 7), truth = b.boolean();
  const ir::variable_id x = b.variable("x", number);
  b.property("p");
  const int processes = pick(1, 3), density = pick(1, 4);
  for (int q = 0; q < processes; ++q) {
    const std::uint32_t process = b.process(std::string(1, static_cast<char>('p' + q)));
    b.program.processes[process].temps = 2;
    const int locations = pick(1, 2);
    for (int l = 0; l < locations; ++l) {
      ir::expr_id allowed = b.constant(0, truth);
      for (int from = 0; from < states; ++from)
        for (int to = 0; to < states; ++to) {
          if (pick(1, 4 * density) != 1) continue;
          const ir::expr_id here = b.apply(ir::op::equal, truth, {b.load(x), b.constant(from, number)});
          const ir::expr_id there = b.apply(ir::op::equal, truth, {b.temp(1, number), b.constant(to, number)});
          allowed = b.apply(ir::op::or_, truth, {allowed, b.apply(ir::op::and_, truth, {here, there})});
        }
      b.location(
          process,
          {ir_builder::choose(1, ir::nothing, static_cast<std::uint32_t>(states)), ir_builder::await(allowed),
           ir_builder::set(x, {}, b.temp(1, number)), ir_builder::stop(static_cast<std::uint32_t>(pick(0, locations - 1)))},
          true);
    }
    b.finish_process(process);
  }
  b.program.init.push_back(ir_builder::stop(0));
  b.program.init_temps = 4;
  b.program.invariant_temps = 4;
  return std::move(b.program);
}

ir::expr_id some_of_x(ir::program& p, int states) {
  ir_builder b;
  b.program = std::move(p);
  const ir::type_id number = b.integer(0, 7), truth = b.boolean();
  ir::expr_id in = b.constant(0, truth);
  for (int s = 0; s < states; ++s)
    if (pick(0, 2) > 0)
      in = b.apply(ir::op::or_, truth, {in, b.apply(ir::op::equal, truth, {b.load(0), b.constant(s, number)})});
  p = std::move(b.program);
  return in;
}

RC_GTEST_PROP(liveness, agrees_with_every_set_of_states_on_random_graphs, ()) {
  int states = 0;
  ir::program p = arbitrary_graph(states);
  response asked;
  for (int n = pick(1, 2); n > 0; --n) {
    obligation o;
    o.due = condition(p, some_of_x(p, states));
    if (pick(0, 1) == 1) o.answered = condition(p, some_of_x(p, states));
    asked.obligations.push_back(o);
  }
  asked.fair = arbitrary_fairness(p);
  expect_monotonic(p, naive_liveness(p, 1000), asked);
}

ir::expr_id some_truth(ir::program& p) {
  ir_builder b;
  b.program = std::move(p);
  std::vector<ir::variable_id> truths;
  for (ir::variable_id v = 0; v < b.program.variables.size(); ++v)
    if (b.program.types[b.program.variables[v].type].kind == ir::type_kind::boolean) truths.push_back(v);
  const ir::variable_id v = truths[static_cast<std::size_t>(pick(0, static_cast<int>(truths.size()) - 1))];
  std::vector<ir::expr_id> index;
  for (const ir::sort_id s : std::vector<ir::sort_id>(b.program.variables[v].index)) {
    const ir::type_id element = b.element(s);
    index.push_back(b.constant(pick(0, static_cast<int>(b.program.sorts[s].element.size()) - 1), element));
  }
  ir::expr_id e = b.load(v, index);
  if (pick(0, 1) == 1) e = b.apply(ir::op::not_, b.program.variables[v].type, {e});
  p = std::move(b.program);
  return e;
}

RC_GTEST_PROP(liveness, agrees_with_every_set_of_states_on_random_programs, ()) {
  program_shape shape;
  shape.names_elements = true;
  shape.most_elements = 2;
  ir::program p = random_program(pick, shape);
  response asked;
  obligation o;
  o.due = condition(p, some_truth(p));
  if (pick(0, 1) == 1) o.answered = condition(p, some_truth(p));
  asked.obligations.push_back(o);
  asked.fair = arbitrary_fairness(p);
  try {
    expect_monotonic(p, naive_liveness(p, 300), asked);
  } catch (const std::length_error&) {
    RC_DISCARD("too large");
  }
}

}  // namespace
}  // namespace quiesce::test
