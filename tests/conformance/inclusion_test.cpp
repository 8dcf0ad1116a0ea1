// SPDX-License-Identifier: MIT
// Trace inclusion against the set of all traces of random models, computed as a fixed point over their state graphs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "conformance/inclusion.hpp"
#include "model/language/parse.hpp"
#include "model/system/lower.hpp"
#include "properties/diagnostic.hpp"
#include "tests/support/naive_enumerator.hpp"
#include "tests/support/random_program.hpp"

namespace quiesce::test {
namespace {

using conformance::check_inclusion;
using conformance::inclusion_options;
using conformance::inclusion_verdict;
using conformance::seen_event;
using conformance::seen_value;

struct letter {
  std::uint32_t event = 0, process = 0, instance = 0;
  std::vector<std::int64_t> args;
  auto operator<=>(const letter&) const = default;
};
using trace = std::vector<letter>;
using trace_set = std::set<trace>;

constexpr std::size_t longest = 3;
constexpr std::size_t most_states = 400;
constexpr std::size_t most_traces = 3000;

// All prefixes, of at most `longest` letters, of the traces of a program.
struct naive_language {
  trace_set traces;
  bool cut = false;  // some path ends in an error, a bound or stuck
};

trace step_trace(const naive_step& s) {
  trace out;
  for (const naive_event& e : s.events) out.push_back({e.event, s.process, s.instance, e.args});
  return out;
}

// Prefixes of w·t, t one of `rest`, that are new in `into`.
bool add_behind(const trace& w, const trace_set& rest, trace_set& into) {
  bool fresh = false;
  for (std::size_t n = 0; n <= std::min(w.size(), longest); ++n)
    fresh |= into.insert(trace(w.begin(), w.begin() + n)).second;
  if (w.size() >= longest) return fresh;
  for (const trace& t : rest) {
    trace all = w;
    all.insert(all.end(), t.begin(), t.begin() + std::min(t.size(), longest - w.size()));
    fresh |= into.insert(std::move(all)).second;
  }
  return fresh;
}

naive_language language_of(const ir::program& p) {
  const naive_enumerator n(p);
  naive_language out;
  std::map<naive_state, std::vector<naive_step>> graph;
  std::map<naive_state, trace_set> from;
  std::vector<naive_state> todo, start;
  for (const naive_step& s : n.initial()) {
    if (s.end != naive_end::state)
      out.cut = true;
    else
      start.push_back(s.state);
  }
  todo = start;
  while (!todo.empty()) {
    const naive_state s = todo.back();
    todo.pop_back();
    if (graph.count(s)) continue;
    if (graph.size() > most_states) throw std::length_error("too large");
    for (const naive_step& x : graph[s] = n.successors(s)) {
      out.cut = out.cut || x.end != naive_end::state;
      if (x.end == naive_end::state) todo.push_back(x.state);
    }
    from[s] = {{}};
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [s, steps] : graph)
      for (const naive_step& x : steps) {
        static const trace_set nothing = {{}};
        const trace_set rest = x.end == naive_end::state ? from[x.state] : nothing;
        changed |= add_behind(step_trace(x), rest, from[s]);
        if (from[s].size() > most_traces) throw std::length_error("too many traces");
      }
  }
  for (const naive_state& s : start) out.traces.insert(from[s].begin(), from[s].end());
  return out;
}

ir::sort_id element_sort(const ir::program& p) { return p.types[p.types[p.events[0].params[0]].inner].sort; }

ir::program arbitrary_program() {
  program_shape shape;
  shape.names_elements = *rc::gen::arbitrary<bool>();
  const auto pick = [](int low, int high) { return *rc::gen::resize(100, rc::gen::inRange(low, high + 1)); };
  ir::program p = random_program(pick, shape);
  p.events.push_back(p.events[0]);
  p.events[1].name = "other";
  const auto add = [&](ir::expr e) { return p.exprs.push_back(std::move(e)), static_cast<ir::expr_id>(p.exprs.size() - 1); };
  const ir::type_id option = p.events[0].params[0], number = p.events[0].params[1];
  const ir::expr_id none = add({ir::op::constant, option}), zero = add({ir::op::constant, number});
  const ir::expr_id self = add({ir::op::temp, p.types[option].inner});
  const ir::expr_id some_self = add({.code = ir::op::wrap, .type = option, .kids = {self}});
  for (ir::process& q : p.processes)
    for (ir::instruction& i : q.code) {
      using enum ir::operation;
      const bool more = i.code == violate || i.code == mark || (i.code == set && i.var != q.pc && pick(0, 3) == 0);
      if (more) i = {.code = emit, .args = {q.over == element_sort(p) && pick(0, 1) ? some_self : none, zero}};
      if (i.code == emit && pick(0, 1)) i.which = 1;
    }
  return p;
}

// The random programs' events have an option of an element and a number.
seen_event seen(const ir::program& p, const letter& l, const std::vector<std::int64_t>& renamed) {
  seen_event e{p.events[l.event].name, std::nullopt, {}};
  e.task = 100 * l.process + l.instance;
  e.args.push_back(l.args[0] == 0 ? seen_value::nobody() : seen_value::of(renamed[static_cast<std::size_t>(l.args[0] - 1)]));
  e.args.push_back(seen_value::of(l.args[1]));
  return e;
}

std::vector<seen_event> seen(const ir::program& p, const trace& t, const std::vector<std::int64_t>& renamed) {
  std::vector<seen_event> out;
  for (const letter& l : t) out.push_back(seen(p, l, renamed));
  return out;
}

std::vector<std::int64_t> same_names() {
  std::vector<std::int64_t> out(64);
  std::iota(out.begin(), out.end(), 0);
  return out;
}

// Elements and processes under their own numbers.
inclusion_options exact(const ir::program& p) {
  inclusion_options o;
  auto& elements = o.identities[p.sorts[element_sort(p)].name];
  for (std::int64_t i = 0; i < 64; ++i) elements[i] = i;
  for (std::uint32_t q = 0; q < p.processes.size(); ++q)
    for (std::uint32_t k = 0; k < 64; ++k) o.tasks[100 * q + k] = {q, k};
  o.visible = {p.events[0].name, p.events[1].name};
  return o;
}

trace arbitrary_trace(const trace_set& all) {
  const auto pick = [](std::size_t n) { return *rc::gen::inRange<std::size_t>(0, n); };
  trace t = *std::next(all.begin(), static_cast<std::ptrdiff_t>(pick(all.size())));
  const trace& other = *std::next(all.begin(), static_cast<std::ptrdiff_t>(pick(all.size())));
  switch (pick(5)) {
    case 0:
      if (!t.empty()) t[pick(t.size())].args[1] ^= 1;
      break;
    case 1:
      if (t.size() > 1) std::swap(t[0], t[1]);
      break;
    case 2:
      t.insert(t.begin(), other.begin(), other.end());
      t.resize(std::min(t.size(), longest));
      break;
    case 3:
      if (!t.empty()) t[pick(t.size())].event ^= 1;
      break;
    default:
      break;
  }
  return t;
}

naive_language small_language(const ir::program& p) {
  try {
    return language_of(p);
  } catch (const std::length_error&) {
    RC_DISCARD("too large");
  }
  return {};
}

RC_GTEST_PROP(inclusion, decides_as_the_set_of_all_traces_does, ()) {
  const ir::program p = arbitrary_program();
  const naive_language l = small_language(p);
  if (l.traces.empty()) RC_DISCARD("no initial state");
  RC_TAG(l.traces.size() == 1 ? "silent" : l.traces.size() < 20 ? "small" : "large");
  const auto system = make_interpreter(p);
  for (int turn = 0; turn < 20; ++turn) {
    const trace t = arbitrary_trace(l.traces);
    const auto r = check_inclusion(*system, seen(p, t, same_names()), exact(p));
    if (l.traces.count(t)) {
      RC_ASSERT(r.verdict == inclusion_verdict::included);
      RC_ASSERT(r.matched == t.size());
      continue;
    }
    RC_ASSERT(r.verdict != inclusion_verdict::included);
    if (!l.cut) RC_ASSERT(r.verdict == inclusion_verdict::not_included);
    RC_ASSERT(l.traces.count(trace(t.begin(), t.begin() + r.matched)) == 1u);
    RC_ASSERT(l.traces.count(trace(t.begin(), t.begin() + r.matched + 1)) == 0u);
  }
}

bool some_renaming_is_a_trace(const ir::program& p, const trace_set& all, const trace& t) {
  std::vector<std::int64_t> to(p.sorts[element_sort(p)].element.size());
  std::iota(to.begin(), to.end(), 0);
  do {
    trace renamed = t;
    for (letter& l : renamed)
      if (l.args[0] != 0) l.args[0] = 1 + to[static_cast<std::size_t>(l.args[0] - 1)];
    if (all.count(renamed)) return true;
  } while (std::next_permutation(to.begin(), to.end()));
  return false;
}

RC_GTEST_PROP(inclusion, finds_which_element_is_which, ()) {
  const ir::program p = arbitrary_program();
  const naive_language l = small_language(p);
  if (l.traces.empty()) RC_DISCARD("no initial state");
  const auto system = make_interpreter(p);
  inclusion_options o = exact(p);
  o.identities.clear();
  std::vector<std::int64_t> names = same_names();
  for (std::int64_t& n : names) n = 1000 - 7 * n;
  for (int turn = 0; turn < 20; ++turn) {
    const trace t = arbitrary_trace(l.traces);
    const auto r = check_inclusion(*system, seen(p, t, names), o);
    const bool expected = some_renaming_is_a_trace(p, l.traces, t);
    if (expected || !l.cut)
      RC_ASSERT(r.verdict == (expected ? inclusion_verdict::included : inclusion_verdict::not_included));
    else
      RC_ASSERT(r.verdict != inclusion_verdict::included);
  }
}

// --- small models by hand -------------------------------------------------------------------------------------------------

const char* const two_tasks = R"(
model m "two tasks"
sort task;
mutex m;
var done: task -> bool;
process worker(t: task) {
  atomic { mutex_lock(m); emit enter(t); emit inside(t); }
  atomic { emit leave(t); mutex_unlock(m); }
  emit later(t);
  done(t) := true;
}
)";

struct hand_written {
  explicit hand_written(const std::string& text, std::map<std::string, std::int64_t> scope) {
    loaded_model m;
    const std::string vocabulary =
        "vocabulary v; sort task; event enter(task) \"e\"; event inside(task) \"i\"; event leave(task) \"l\"; event "
        "later(task) \"a\";";
    m.vocabulary = language::parse_properties(sources, sources.add("v.prop", vocabulary)).vocabularies.at(0);
    m.model = language::parse_model(sources, sources.add("m.model", text));
    instance i;
    i.scope = std::move(scope);
    system = make_interpreter(lower(m, i, {}).program);
  }
  std::string place(source_range where) const {
    return std::string(sources.text(where.file).substr(where.begin, where.end - where.begin));
  }
  language::source_set sources;
  std::unique_ptr<transition_system> system;
};

std::vector<seen_event> events(const std::vector<std::pair<std::string, std::int64_t>>& list) {
  std::vector<seen_event> out;
  for (const auto& [name, task] : list) out.push_back({name, task, {seen_value::of(task)}});
  return out;
}

// Events of different tasks commute unless both are about the lock.
bool commute(const transition_system& s, const conformance::model_event& a, const conformance::model_event& b) {
  const auto about_lock = [&](const conformance::model_event& e) { return s.program().events[e.event].name != "later"; };
  return !(about_lock(a) && about_lock(b));
}

TEST(inclusion, a_step_with_several_events_is_split_only_by_independent_ones) {
  const hand_written m(two_tasks, {{"task", 2}});
  const auto split = events({{"enter", 7}, {"inside", 7}, {"leave", 7}, {"enter", 9}, {"later", 7}, {"inside", 9}});
  const auto mixed = events({{"enter", 7}, {"enter", 9}});
  inclusion_options o;
  EXPECT_EQ(check_inclusion(*m.system, split, o).verdict, inclusion_verdict::not_included);
  EXPECT_EQ(check_inclusion(*m.system, split, o).matched, 4u);
  o.independent = [&](const auto& a, const auto& b) { return commute(*m.system, a, b); };
  EXPECT_EQ(check_inclusion(*m.system, split, o).verdict, inclusion_verdict::included);
  EXPECT_EQ(check_inclusion(*m.system, mixed, o).verdict, inclusion_verdict::not_included);
}

TEST(inclusion, a_mismatch_names_what_was_allowed_and_the_guard) {
  const hand_written m(two_tasks, {{"task", 2}});
  const auto trace = events({{"enter", 7}, {"inside", 7}, {"enter", 9}});
  inclusion_options o;
  o.tasks = {{7, {0, 0}}};
  o.identities["task"] = {{7, 0}};
  const auto r = check_inclusion(*m.system, trace, o);
  EXPECT_EQ(r.verdict, inclusion_verdict::not_included);
  EXPECT_EQ(r.matched, 2u);
  ASSERT_EQ(r.allowed.size(), 1u);
  EXPECT_EQ(r.allowed[0].event, "[worker(task0)] leave(task0)");
  ASSERT_EQ(r.refused.size(), 2u);
  EXPECT_EQ(r.refused[0].guard, "does [worker(task0)] leave(task0) first");
  EXPECT_EQ(r.refused[1].guard, "waits: its condition is false");
  EXPECT_EQ(m.place(r.refused[1].where), "mutex_lock(m);");
  EXPECT_THAT(r.state, testing::Contains("m = worker(task0)"));
  EXPECT_THAT(explain(r, trace), testing::HasSubstr("3  [task 9] enter(9)   <- no run of the model goes on so"));
}

TEST(inclusion, a_whole_run_must_be_able_to_rest) {
  const hand_written m(two_tasks, {{"task", 1}});
  inclusion_options o;
  o.complete = true;
  EXPECT_EQ(check_inclusion(*m.system, events({{"enter", 0}, {"inside", 0}, {"leave", 0}}), o).verdict,
            inclusion_verdict::not_included);
  EXPECT_EQ(check_inclusion(*m.system, events({{"enter", 0}, {"inside", 0}, {"leave", 0}, {"later", 0}}), o).verdict,
            inclusion_verdict::included);
}

TEST(inclusion, events_that_a_source_cannot_show_are_hidden_and_unknown_values_match_anything) {
  const hand_written m(two_tasks, {{"task", 2}});
  inclusion_options o;
  o.visible = {"enter", "later"};
  std::vector<seen_event> t = {{"enter", std::nullopt, {seen_value{}}},
                               {"enter", std::nullopt, {seen_value::of(5)}},
                               {"later", std::nullopt, {seen_value::of(5)}},
                               {"later", 3, {seen_value{}}}};
  EXPECT_EQ(check_inclusion(*m.system, t, o).verdict, inclusion_verdict::included);
  t[3].args = {seen_value::of(5)};
  const auto r = check_inclusion(*m.system, t, o);
  EXPECT_EQ(r.verdict, inclusion_verdict::not_included);
  EXPECT_EQ(r.matched, 3u);
  EXPECT_THROW(check_inclusion(*m.system, {{"leave", 0, {seen_value{}}}}, o), diagnostic);
}

TEST(inclusion, a_budget_makes_it_unknown) {
  const hand_written m(two_tasks, {{"task", 3}});
  inclusion_options o;
  o.visible = {"later"};
  o.max_configurations = 5;
  const auto r = check_inclusion(*m.system, events({{"later", 0}}), o);
  EXPECT_EQ(r.verdict, inclusion_verdict::unknown);
  EXPECT_EQ(r.reason, "more than 5 configurations at once");
}

}  // namespace
}  // namespace quiesce::test
