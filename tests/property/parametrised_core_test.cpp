// SPDX-License-Identifier: MIT
// The core of a scope with `any`, instantiated: at a number of elements it reaches whatever a scope with that number
// reaches, and nothing else where no loop, queue or step was read more freely. What it proves is true there.

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "model/language/parse.hpp"
#include "model/symbolic/proof.hpp"
#include "model/system/core.hpp"
#include "model/system/lower.hpp"
#include "tests/property/random_model.hpp"
#include "tests/support/core_explorer.hpp"
#include "tests/support/core_instance.hpp"

namespace quiesce::test {
namespace {

struct built {
  language::source_set sources;
  loaded_model model;
  ast::property_file lemmas;
};

built build(const std::string& text, const std::string& lemmas = {}) {
  built out;
  out.model.model = language::parse_model(out.sources, out.sources.add("t.model", text));
  if (!lemmas.empty()) out.lemmas = language::parse_properties(out.sources, out.sources.add("t.inv", lemmas));
  return out;
}

std::string core_at(const built& b, std::map<std::string, std::int64_t> scope) {
  instance i;
  i.scope = std::move(scope);
  std::vector<const ast::property*> lemmas;
  for (const ast::property& p : b.lemmas.properties) lemmas.push_back(&p);
  return core_text(lower(b.model, i, {}, lemmas).program);
}

using valuation = std::map<std::string, std::vector<std::int64_t>>;

// The globals among the functions of a core; a queue with positions as the set that it is.
std::set<valuation> globals_of(const std::string& text, const std::set<std::string>& names, const core_result& found) {
  std::istringstream lines(text);
  std::string tables;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("(sort") || line.starts_with("(function")) tables += line + '\n';
  const symbolic::core c = symbolic::read_core(tables);
  std::vector<std::size_t> first;
  std::size_t next = 0;
  for (const symbolic::function& f : c.functions) {
    first.push_back(next);
    std::size_t cells = 1;
    for (const std::size_t s : f.args) cells *= c.sorts[s].elements.size();
    next += cells;
  }
  std::set<valuation> out;
  for (const naive_state& s : found.states) {
    valuation v;
    for (std::size_t i = 0; i < c.functions.size(); ++i) {
      const symbolic::function& f = c.functions[i];
      if (!names.count(f.name)) continue;
      const std::size_t end = i + 1 < c.functions.size() ? first[i + 1] : next;
      std::vector<std::int64_t> cells(s.begin() + static_cast<std::ptrdiff_t>(first[i]),
                                      s.begin() + static_cast<std::ptrdiff_t>(end));
      if (const auto length = c.function_number.find(f.name + ".len"); length != c.function_number.end()) {
        std::int64_t members = 0;
        for (std::int64_t k = 0; k < s[first[length->second]]; ++k)
          members |= std::int64_t{1} << (cells[static_cast<std::size_t>(k)] - 1);
        cells = {members};
      }
      v[f.name] = cells;
    }
    out.insert(v);
  }
  return out;
}

bool includes(const std::set<valuation>& whole, const std::set<valuation>& part) {
  return std::includes(whole.begin(), whole.end(), part.begin(), part.end());
}

TEST(parametrised_core, reaches_what_a_scope_with_numbers_reaches_on_random_models) {
  const char* only = std::getenv("QUIESCE_SEED");
  const std::uint64_t from = only ? std::strtoull(only, nullptr, 10) : 0, n = only ? 1 : 60;
  std::size_t compared = 0;
  for (std::uint64_t seed = from; seed < from + n; ++seed) {
    std::string text = random_model(seed);
    const std::string sequence = "var w: seq<0..2>[2];\n";  // its positions have no reading
    if (const auto at = text.find(sequence); at != std::string::npos) text.erase(at, sequence.size());
    try {
      const built b = build(text);
      const std::string finite = core_at(b, {}), whole = core_at(b, {{"el", any_number}});
      const core_result few = explore_core(finite);
      if (few.states.size() > 1500) continue;
      const std::string instance = instance_of_core(whole, {{"el", 2}});
      const std::set<std::string> names = {"b0", "b1", "c", "g", "o", "s", "q", "m", "y"};
      const core_result many = explore_core(instance);
      EXPECT_TRUE(includes(globals_of(instance, names, many), globals_of(finite, names, few))) << "seed " << seed << "\n"
                                                                                               << text;
      for (const auto& [kind, depth] : few.error_depth)
        EXPECT_TRUE(many.error_depth.count(kind)) << kind << " seed " << seed << "\n" << text;
      ++compared;
    } catch (const diagnostic&) {
      continue;  // refused by name, or a statement about the sequence
    } catch (const std::runtime_error&) {
      continue;  // too large
    }
  }
  if (!only) {
    EXPECT_GE(compared, 10u);
  }
}

struct example {
  const char* name;
  const char* text;
  const char* lemmas;
  std::map<std::string, std::size_t> sizes;
  bool exact;
  bool proved;
};

const example examples[] = {
    {"lock",
     "model t sort a; var busy: bool; var inner: a -> bool;\n"
     "process p(x: a) { while true { atomic { wait until !busy; busy := true; inner(x) := true; }\n"
     "@at out atomic { inner(x) := false; busy := false; } } }",
     "property one \"one\" model for all x: a, y: a : invariant inner(x) && inner(y) => x == y;\n"
     "property held \"held\" model for all x: a : invariant inner(x) => busy;\n"
     "property out \"out\" model for all x: a : invariant inside(p(x), out) => inner(x);",
     {{"a", 3}},
     true,
     true},
    {"lock without a test",
     "model t sort a; var busy: bool; var inner: a -> bool;\n"
     "process p(x: a) { while true { atomic { busy := true; inner(x) := true; } atomic { inner(x) := false; busy := false; "
     "} } }",
     "property one \"one\" model for all x: a, y: a : invariant inner(x) && inner(y) => x == y;",
     {{"a", 3}},
     true,
     false},
    {"constructed elements",
     "model t sort n; sort d with lo(n); var home: d -> option<n>;\n"
     "process p(x: n) { home(lo(x)) := x; atomic { choose y: d where !(y is lo); home(y) := x; } }",
     "property own \"own\" model for all x: n : invariant home(lo(x)) != none => home(lo(x)) == x;",
     {{"n", 2}, {"d", 1}},
     true,
     true},
    {"all at once",
     "model t sort a; var f: a -> 0..2 = 1; var g: a -> bool;\n"
     "process p(x: a) { g(x) := true; for all y: a where g(y) { f(y) := min(f(y) + 1, 2); } }",
     "property low \"low\" model for all x: a : invariant f(x) >= 1;",
     {{"a", 2}},
     true,
     true},
    {"a loop",
     "model t sort a; var s: set<a>; var f: a -> bool; \n"
     "process p(x: a) { for y in a { atomic { f(y) := true; s := s + {y}; } } }",
     "property same \"same\" model for all x: a : invariant x in s => f(x);",
     {{"a", 2}},
     false,
     true},
    {"a queue",
     "model t sort a; var q: queue<a>; var f: a -> bool;\n"
     "process p(x: a) { enqueue(q, x); if len(q) > 0 { let r: queue<a> := q; for y in r { f(y) := true; } } }",
     "property members \"members\" model for all x: a : invariant f(x) => x in q;",
     {{"a", 2}},
     false,
     false},
    {"counting",
     "model t sort a; var s: set<a>; var two: bool;\n"
     "process p(x: a) { s := s + {x}; atomic { if card(s) >= 2 { two := true; } } }",
     "property pair \"pair\" model invariant two => card(s) >= 2;",
     {{"a", 3}},
     true,
     true},
    {"a value of none",
     "model t sort a; var o: option<a>; var f: a -> bool;\n"
     "process p(x: a) { if f(x) { f(value(o)) := false; } f(x) := true; o := x; }",
     "property thing \"thing\" model invariant true;",
     {{"a", 2}},
     true,
     false},
};

TEST(parametrised_core, is_exact_where_nothing_is_read_more_freely_and_proves_only_what_is_true) {
  for (const example& e : examples) {
    const built b = build(e.text, e.lemmas);
    std::map<std::string, std::int64_t> numbers, any;
    for (const auto& [sort, n] : e.sizes) {
      numbers[sort] = static_cast<std::int64_t>(n);
      any[sort] = any_number;
    }
    const std::string finite = core_at(b, numbers), whole = core_at(b, any);
    const symbolic::core core = symbolic::read_core(whole);
    std::set<std::string> names;
    for (const symbolic::function& f : core.functions)
      if (f.name.find('.') == std::string::npos && f.name != "p") names.insert(f.name);
    const std::string instance = instance_of_core(whole, e.sizes);
    const core_result few = explore_core(finite), many = explore_core(instance);
    const auto small = globals_of(finite, names, few), large = globals_of(instance, names, many);
    EXPECT_TRUE(includes(large, small)) << e.name;
    EXPECT_EQ(e.exact, few.states.size() == many.states.size()) << e.name;
    EXPECT_TRUE(!e.exact || small == large) << e.name;
    symbolic::script script = symbolic::derive(core);
    symbolic::outcome found = symbolic::prove(core, script, {}, {});
    if (found.failures.empty()) symbolic::look_for_states(core, script, {}, found);
    EXPECT_EQ(found.failures.empty(), e.proved) << e.name << (found.failures.empty() ? "" : found.failures[0].question);
    if (found.failures.empty()) {
      EXPECT_TRUE(many.property_depth.empty()) << e.name;
      EXPECT_TRUE(many.error_depth.empty()) << e.name;
    } else {
      EXPECT_TRUE(found.failures[0].example.has_value()) << e.name;
    }
  }
}

}  // namespace
}  // namespace quiesce::test
