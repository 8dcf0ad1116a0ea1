// SPDX-License-Identifier: MIT
// What the compiler of properties refuses, with the exact place, and what it makes.

#include <gtest/gtest.h>

#include <set>

#include "tests/unit/monitor_trace.hpp"

namespace quiesce::test {
namespace {

const char* const vocabulary_text = R"(vocabulary t;
sort net; sort dev;
event A(dev) "a"; event B(dev, net) "b"; event C(option<dev>, net) "c"; event D() "d"; event E(0..3) "e";
span S(set<dev>) "s"; span T(dev) "t";
ghost home : dev -> net = init_net "h" on B(d, n) : home(d) := n;
ghost flag : bool = false "f" on D() : flag := !flag;
)";

struct refusal {
  const char* property;
  const char* at;
  const char* sentence;
};

class monitor_refuses : public testing::TestWithParam<refusal> {};

TEST_P(monitor_refuses, at_the_place) {
  const std::string text = std::string("property p \"p\" ") + GetParam().property + ";";
  auto vocabulary = properties_of(vocabulary_text), file = properties_of(text);
  try {
    monitors::compile(vocabulary.vocabularies[0], {&file.properties[0]});
    FAIL() << "accepted: " << text;
  } catch (const diagnostic& d) {
    EXPECT_TRUE(d.has_place);
    EXPECT_EQ(d.sentence.substr(0, std::string(GetParam().sentence).size()), GetParam().sentence);
    EXPECT_EQ(text.substr(d.where.begin, std::string(GetParam().at).size()), GetParam().at) << d.sentence;
  }
}

INSTANTIATE_TEST_SUITE_P(
    patterns, monitor_refuses,
    testing::Values(refusal{"never X()", "X()", "there is no event `X`"},
                    refusal{"never S(_)", "S(_)", "`S` is a span; its events are"},
                    refusal{"never A(_, _)", "A(_, _)", "event `A` has 1 argument, not 2"},
                    refusal{"for all n: net : never A(n)", "n)", "`n` is of type net, and the event has dev here"},
                    refusal{"never A(x)", "x)", "`x` is neither a bound variable"},
                    refusal{"never A(none)", "none", "argument 1 of event `A` must be of type dev"},
                    refusal{"never E(4)", "4", "this argument is never 4"},
                    refusal{"for all d: dev : never A(d) in d", "A(d) in d", "`d` is not a span"},
                    refusal{"for all d: dev : never A(d) in r", "A(d) in r", "there is no span variable `r`"},
                    refusal{"for all r: S : never A(_)", "r: S", "span variable `r` is not bound by the trigger"},
                    refusal{"for all r: S : A(_) requires D() in r earlier", "D() in r", "span variable `r` is not bound"},
                    refusal{"for all d: dev : at end of d : true", "p ", "`at end of d`: `d` is not a span variable"},
                    refusal{"for all d: dev, n: net : A(d) requires A(d) when (home(d) == n) earlier", "n) earlier",
                            "`n` cannot be bound by matching"},
                    refusal{"for all n: net : D() requires A(lo(n)) earlier", "n)) earlier",
                            "`n` cannot be bound by matching"},
                    refusal{"for all d: dev, n: net : D() requires A(d) | D() earlier", "D() earlier",
                            "alternatives that are remembered together"},
                    refusal{"for all r: S : D() in r requires A(_) in r | A(_) earlier", "A(_) earlier",
                            "alternatives that are remembered together must be in the same span"},
                    refusal{"for all r: S : D() in r requires A(_) in r since D()", "D()",
                            "both sides of `since` must be in the same span"},
                    refusal{"for all d: dev, e: dev : D() requires A(d) since B(e, _)", "B(e, _)",
                            "the variables of one side of `since`"},
                    refusal{"for all r: S : never S_begin({}) in r", "{}", "this argument is a set"}));

INSTANTIATE_TEST_SUITE_P(
    expressions, monitor_refuses,
    testing::Values(
        refusal{"for all d: dev : A(d) requires home(d)", "home(d)", "this must be of type bool"},
        refusal{"for all d: dev : A(d) requires home(d, d) == init_net", "home(d, d)", "ghost `home` has 1 indices, not 2"},
        refusal{"for all n: net : B(_, n) requires home(n) == n", "n) == n", "index 1 of ghost `home` must be of type dev"},
        refusal{"for all d: dev, n: net : B(d, n) requires d == n", "n", "the right side must be of type dev"},
        refusal{"for all d: dev : A(d) requires d != none", "d != none", "this is of type dev, which is never `none`"},
        refusal{"for all o: option<dev> : C(o, _) requires home(o) == init_net", "o) == init_net",
                "index 1 of ghost `home` must be of type dev"},
        refusal{"D() requires A(_)", "A(_)", "`A` is an event"},
        refusal{"D() requires foo(1)", "foo(1)", "there is no ghost variable or function `foo`"},
        refusal{"D() requires flag < 1", "flag < 1", "`<` compares numbers"},
        refusal{"D() requires (count A(_)) == (count D())", "(count A(_)) ==", "counts of events on both sides"},
        refusal{"D() requires (count A(_)) == (count d: dev : flag)", "(count d",
                "a count of events can only be compared with a number whose maximum"},
        refusal{"D() requires 2 * (count A(_)) == 2", "2 * (count", "a count of events cannot be multiplied"},
        refusal{"D() requires 3 - (count A(_)) == 2", "(count A(_)", "a count of events cannot be subtracted"},
        refusal{"for all r: S : D() in r requires some d in r.nets : true", "r.nets", "span `S` has no `nets`"},
        refusal{"for all r: T : D() in r requires some d in r.devs : true", "r.devs",
                "the first argument of span `T` is not a set"},
        refusal{"for all d: dev : D() requires all d: dev : flag", "d: dev : flag", "`d` is a name already"},
        refusal{"for all d: cpu : D() requires flag", "cpu", "`cpu` is not a sort"},
        refusal{"for all r: S : D() in r requires r == r", "r == r", "`r` is a span, not a value"}));

struct bad_vocabulary {
  const char* text;
  const char* sentence;
};
class monitor_refuses_vocabulary : public testing::TestWithParam<bad_vocabulary> {};
TEST_P(monitor_refuses_vocabulary, with_a_sentence) {
  auto file = properties_of(std::string("vocabulary t; ") + GetParam().text);
  try {
    monitors::compile(file.vocabularies[0], {});
    FAIL() << "accepted";
  } catch (const diagnostic& d) {
    EXPECT_TRUE(d.has_place);
    EXPECT_EQ(d.sentence, GetParam().sentence);
  }
}
INSTANTIATE_TEST_SUITE_P(
    vocabularies, monitor_refuses_vocabulary,
    testing::Values(bad_vocabulary{"event A(dev) \"a\";", "`dev` is not a sort of the vocabulary"},
                    bad_vocabulary{"event A() \"a\"; event A() \"a\";", "event `A` is declared twice"},
                    bad_vocabulary{"sort dev; event A(dev) \"a\"; ghost g : dev -> bool = false on A(d) : g() := true;",
                                   "ghost `g` has 1 indices, not 0"},
                    bad_vocabulary{"sort dev; event A(dev) \"a\"; ghost g : bool = false on B(d) : g := true;",
                                   "there is no event `B` in the vocabulary"},
                    bad_vocabulary{"event A() \"a\"; ghost g : 0..2 = 0 on A() : g := g + 1;", "this can be outside 0..2"},
                    bad_vocabulary{
                        "event A() \"a\"; ghost g : bool = false on A() : g := h; ghost h : bool = true on A() : h := g;",
                        "at event `A` ghost variables are updated from each other"}));

monitors::monitor_set compiled(const std::string& text, ast::property_file& vocabulary, ast::property_file& file) {
  vocabulary = properties_of(vocabulary_text);
  file = properties_of(text);
  std::vector<const ast::property*> all;
  for (const auto& p : file.properties) all.push_back(&p);
  return monitors::compile(vocabulary.vocabularies[0], all);
}

TEST(monitor_compile, shares_equal_cells_and_takes_the_larger_cap) {
  ast::property_file v, f;
  auto set = compiled(R"(property p "p" for all d: dev : D() requires count A(d) == 1;
                         property q "q" for all x: dev : at most 5 A(x);
                         property r "r" for all y: dev : B(y, _) requires A(y) earlier;
                         property s "s" for all n: net, z: dev : after A(z) never B(z, n);)",
                      v, f);
  ASSERT_EQ(set.cells.size(), 2u);
  EXPECT_TRUE(set.cells[0].counter);
  EXPECT_EQ(set.cells[0].cap, 5);
  EXPECT_FALSE(set.cells[1].counter);
  EXPECT_TRUE(set.ghosts.empty());  // nobody reads one
}

TEST(monitor_compile, caps_one_above_what_a_comparison_can_tell_apart) {
  ast::property_file v, f;
  auto set = compiled(R"(property p "p" D() requires count A(_) == (flag ? 1 : 2);
                         property q "q" for all i: 0..3 : E(i) requires (count D()) - 1 <= i;)",
                      v, f);
  EXPECT_EQ(set.cells.at(0).cap, 3);
  EXPECT_EQ(set.cells.at(1).cap, 5);
}

// Whoever applies updates one after another relies on both.
TEST(monitor_compile, lists_updates_so_that_conditions_read_old_values) {
  ast::property_file v, f;
  auto set = compiled(R"(property p "p" for all d: dev : D() requires B(d, _) when (A(d) when (flag) since D()) earlier;
                         property q "q" D() requires count A(_) | A(_) == 1;)",
                      v, f);
  std::set<std::uint32_t> done;
  for (const auto& u : set.updates) {
    done.insert(u.cell);
    for (const auto& w : u.on.when) {
      std::vector<const monitors::term*> todo = {&w};
      while (!todo.empty()) {
        const monitors::term* t = todo.back();
        todo.pop_back();
        EXPECT_FALSE(t->code == monitors::op::cell && done.count(t->index));
        for (const auto& k : t->kids) todo.push_back(&k);
      }
    }
  }
  int unconditional = 0;
  for (const auto& u : set.updates) unconditional += set.cells[u.cell].counter && u.on.when.empty();
  EXPECT_EQ(unconditional, 1);  // the second alternative excludes what the first counts
}

TEST(monitor_compile, binds_inside_an_option_and_frees_the_rest) {
  ast::property_file v, f;
  auto set = compiled("property p \"p\" for all d: dev, n: net, m: net : C(d, n) requires home(d) == m;", v, f);
  const auto& check = set.monitors.at(0).checks.at(0);
  EXPECT_EQ(check.on.args.at(0).kind, monitors::match_kind::bind_inner);
  EXPECT_EQ(check.on.args.at(1).kind, monitors::match_kind::bind);
  ASSERT_EQ(check.free.size(), 1u);
  EXPECT_EQ(check.free[0].first, 2u);
  EXPECT_EQ(set.ghosts.size(), 1u);
}

}  // namespace
}  // namespace quiesce::test
