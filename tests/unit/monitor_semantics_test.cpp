// SPDX-License-Identifier: MIT
// Each kind of property and each atom on a trace that keeps it and on one that breaks it, with the exact event.

#include <gtest/gtest.h>

#include "tests/unit/monitor_trace.hpp"

namespace quiesce::test {
namespace {

const char* const vocabulary_text = R"(vocabulary t;
sort net; sort dev;
event A(dev) "a"; event B(dev, net) "b"; event C(option<dev>, net) "c"; event D() "d"; event E(0..3) "e";
span S(set<dev>) "s"; span T() "t";
ghost home : dev -> net = init_net "h" on B(d, n) : home(d) := n;
ghost flag : bool = false "f" on D() : flag := !flag;
)";

struct sample {
  const char* property;
  const char* trace;
  const char* violations;
};

class monitor_semantics : public testing::TestWithParam<sample> {};

std::string run(const std::string& property, const std::string& trace) {
  auto vocabulary = properties_of(vocabulary_text), file = properties_of("property p \"p\" " + property + ";");
  monitor_run r(vocabulary.vocabularies[0], {&file.properties[0]});
  return r.push(trace);
}

TEST_P(monitor_semantics, reports_exactly) {
  EXPECT_EQ(run(GetParam().property, GetParam().trace), GetParam().violations) << GetParam().property;
}

INSTANTIATE_TEST_SUITE_P(
    bodies, monitor_semantics,
    testing::Values(sample{"for all d: dev : A(d) requires B(d, _) earlier", "B x m; A x; A x", ""},
                    sample{"for all d: dev : A(d) requires B(d, _) earlier", "B y m; A x; B x m; A x", "p@1"},
                    sample{"for all d: dev : A(d) | B(d, _) requires flag", "A x; D; B x m; D; B x m", "p@0 p@4"},
                    sample{"for all d: dev : never B(d, _)", "A x; D", ""},
                    sample{"for all d: dev : never B(d, _)", "A x; B x m", "p@1"},
                    sample{"for all d: dev : after A(d) never B(d, _)", "A x; B y m; A y", ""},
                    sample{"for all d: dev : after A(d) never B(d, _)", "A x; A y; B x m; B x n", "p@2 p@3"},
                    sample{"for all d: dev : after A(d) never A(d)", "A x; A y; A x",
                           "p@2"},  // an event is not after itself
                    sample{"after A(_) never D()", "D; A x; D", "p@2"},
                    sample{"for all d: dev : at most 2 A(d)", "A x; A x; A y; A y; A x; A x", "p@4 p@5"},
                    sample{"for all d: dev : at most 1 A(d) | B(d, _)", "A x; B x m", "p@1"},
                    sample{"at most 0 D()", "A x; D", "p@1"},
                    sample{"for all r: S : at end of r : count D() in r == 1", "S_begin {}; D; S_end; D", ""},
                    sample{"for all r: S : at end of r : count D() in r == 1",
                           "S_begin {}; D; D; D; S_end; S_begin {}; S_end", "p@4 p@6"},
                    sample{"no error assertion", "A x", ""}));

INSTANTIATE_TEST_SUITE_P(
    atoms, monitor_semantics,
    testing::Values(
        sample{"for all d: dev : D() requires !(A(d) since B(d, _))", "A x; B x m; D; A x", ""},
        sample{"for all d: dev : D() requires !(A(d) since B(d, _))", "A x; B y m; D", "p@2"},
        sample{"for all d: dev : A(d) requires D() since B(d, _)", "D; A x; B x m; A x; A y; D; A x", "p@3"},
        sample{"for all d: dev : D() requires !(A(d) since A(_))", "A x; D; A y; D",
               "p@1 p@3"},  // that A is not after itself
        sample{"for all d: dev : D() requires A(_) since A(d)", "A x; D; A y; A x; D", ""},
        sample{"for all d: dev : D() requires B(d, _) when (A(_) since A(d)) earlier", "A x; B x m; D", ""},
        sample{"D() requires count A(_) <= 2", "A x; D; A y; D; A x; D; A x; A x; D", "p@5 p@8"},
        sample{"D() requires (count A(_)) + (count B(_, _)) == 2", "A x; B x m; D; A y; D", "p@4"},
        sample{"for all i: 0..3 : E(i) requires count D() == i", "E 0; D; E 1; D; E 1; E 2; D; D; D; E 3", "p@4 p@9"},
        sample{"for all i: 0..1 : never E(i)", "E 3; E 2; E 1", "p@2"},  // a value outside the variable's type is no match
        sample{"D() requires count A(_) | A(_) == 1", "A x; D", ""},     // one event counts once
        sample{"for all d: dev : A(d) requires B(d, _) when (flag) earlier", "B x m; A x; D; B x m; D; A x", "p@1"},
        sample{"for all d: dev : D() requires B(d, home(d)) earlier", "B x m; D; B x m; D; B x k; D", "p@1"}));

INSTANTIATE_TEST_SUITE_P(
    spans, monitor_semantics,
    testing::Values(
        sample{"for all r: S : D() in r requires A(_) in r earlier", "S_begin {}; A x; T_begin; D; T_end; D; S_end", ""},
        sample{"for all r: S : D() in r requires A(_) in r earlier",
               "A x; S_begin {}; D; A x; D; S_begin {}; D; S_end; D; S_end", "p@2 p@6"},
        sample{"for all r: S : D() within r requires A(_) within r earlier", "S_begin {}; A x; S_begin {}; D; S_end; S_end",
               "p@3"},
        sample{"for all r: S : D() within r requires A(_) within r earlier", "S_begin {}; S_begin {}; D; S_end; S_end",
               "p@2 p@2"},
        sample{"for all r: S : never D() in r", "1: S_begin {}; 2: D; 1: A x; 1: S_end; 1: D",
               ""},  // spans are the process's own
        sample{"for all r: S : never D() in r", "1: S_begin {}; 2: S_begin {}; 1: S_end; 2: D", "p@3"},
        sample{"for all r: S, d in r.devs : D() in r requires A(d) in r earlier", "S_begin {x,y}; A x; A y; D; S_end", ""},
        sample{"for all r: S, d in r.devs : D() in r requires A(d) in r earlier",
               "S_begin {x,y}; A x; D; A z; S_end; S_begin {z}; D", "p@2 p@6"},
        sample{"for all r: S : D() in r requires all d in r.devs where home(d) == init_net : A(d) earlier",
               "S_begin {x,y}; A x; B y m; D", ""},
        sample{"for all r: S : D() in r requires some d in r.devs : A(d) earlier", "S_begin {x,y}; A z; D; A y; D", "p@2"},
        sample{"for all r: S : at end of r : (count d in r.devs : A(d) in r earlier) == 2",
               "S_begin {x,y}; A x; A y; S_end; S_begin {x}; A x; S_end", "p@6"},
        sample{"for all r: S : at end of r : outermost(r) => (D() within r earlier)",
               "S_begin {}; S_begin {}; S_end; D; S_end", ""},
        sample{"for all r: S : at end of r : outermost(r) => (D() within r earlier)",
               "S_begin {}; T_begin; S_begin {}; S_end; T_end; S_end", "p@5"},
        sample{"for all r: S : never D() within r when innermost(r)", "S_begin {}; S_begin {}; D; S_end; T_begin; D",
               "p@2 p@5"},
        sample{"for all r: S : S_begin(_) in r requires D() earlier", "S_begin {}; S_end; D; S_begin {}",
               "p@0"}));  // a begin is in its span

INSTANTIATE_TEST_SUITE_P(
    values, monitor_semantics,
    testing::Values(
        sample{"for all d: dev : after C(d, _) never A(d)", "C none m; A x; C x m; A y", ""},
        sample{"for all d: dev : after C(d, _) never A(d)", "C none m; C x m; A x", "p@2"},
        sample{"for all o: option<dev> : C(o, _) requires o != none && home(value(o)) == init_net",
               "C x m; C none m; B x m; C x m", "p@1 p@3"},
        sample{"never C(none, _)", "C x m; C none m", "p@1"}, sample{"never B(_, init_net)", "B x m; B x init_net", "p@1"},
        sample{"for all n: net : never B(lo(n), n)", "B lo_m k; B lo_m m; B x m", "p@1"},
        sample{"for all d: dev : never A(d) when (d is lo)", "A x; B lo_m m; A lo_m", "p@2"},
        sample{"for all d: dev, n: net : never B(d, n) when (home(d) == n && n != init_net)", "B x m; B x k; B x k", "p@2"},
        sample{"for all d: dev : D() requires A(d) earlier", "D; A x; D; B y m; D", "p@4"}));  // free: elements seen so far

TEST(monitor_stream_unit, text_names_event_and_bindings) {
  auto vocabulary = properties_of(vocabulary_text);
  auto file = properties_of("property late \"no B after A\" for all d: dev, r: S : after A(d) never B(d, _) in r;");
  monitor_run r(vocabulary.vocabularies[0], {&file.properties[0]});
  EXPECT_EQ(r.push("A x; S_begin {x}; B x m"), "late@2");
  EXPECT_EQ(r.texts.at(0), "event 2 B(x, m) violates late with d = x, r = the S begun at event 1: no B after A");
}

TEST(monitor_stream_unit, vacuity_witness_and_open_spans) {
  auto vocabulary = properties_of(vocabulary_text);
  auto file = properties_of(R"(property v "v" for all d: dev : A(d) requires flag;
    property w "w" for all d: dev : sometimes B(d, _) when flag;
    property e "e" for all r: S : at end of r : true;
    property i "i" model invariant true;)");
  std::vector<const ast::property*> all;
  for (const auto& p : file.properties) all.push_back(&p);
  monitor_run r(vocabulary.vocabularies[0], all);
  EXPECT_EQ(r.push("B x m; D; S_begin {}; B x m; B x m"), "");
  EXPECT_EQ(r.outcome(0).matched, 0u);
  EXPECT_EQ(r.outcome(1).matched, 2u);
  EXPECT_EQ(r.outcome(1).first_match, 3u);
  EXPECT_EQ(r.outcome(2).undecided, 1u);
  EXPECT_TRUE(r.outcome(3).state_property);
}

TEST(monitor_stream_unit, answers_that_have_not_come_are_pending) {
  auto vocabulary = properties_of(vocabulary_text);
  auto file = properties_of(R"(property each "e" for all d: dev : A(d) leads to B(d, _) under weak fairness;
    property all_at_once "a" for all d: dev : A(d) leads to D();
    property itself "i" for all d: dev : A(d) leads to A(d);)");
  monitor_run r(vocabulary.vocabularies[0], {&file.properties[0], &file.properties[1], &file.properties[2]});
  EXPECT_EQ(r.push("A x; A y; B x m; B x m; A y"), "");
  EXPECT_EQ(r.outcome(0).matched, 3u);
  EXPECT_EQ(r.outcome(0).undecided, 1u);
  EXPECT_EQ(r.outcome(1).undecided, 2u);
  EXPECT_EQ(r.outcome(2).undecided, 0u);
  EXPECT_EQ(r.push("A x; B y m; D"), "");
  EXPECT_EQ(r.outcome(0).undecided, 1u);
  EXPECT_EQ(r.outcome(1).undecided, 0u);
  EXPECT_EQ(r.outcome(0).violated, 0u);
}

TEST(monitor_stream_unit, refuses_broken_streams) {
  auto vocabulary = properties_of(vocabulary_text);
  auto file = properties_of("property o \"o\" for all o: option<dev> : never C(o, _) when (home(value(o)) != init_net);");
  monitor_run r(vocabulary.vocabularies[0], {&file.properties[0]});
  auto before = r.monitor().state();
  EXPECT_THROW(r.push("X"), diagnostic);
  EXPECT_THROW(r.push("E 4"), diagnostic);
  EXPECT_THROW(r.push("A"), diagnostic);
  EXPECT_THROW(r.push("S_end"), diagnostic);
  EXPECT_TRUE(r.monitor().state() == before);
  EXPECT_THROW(r.push("S_begin {}; T_end"), diagnostic);
  EXPECT_THROW(r.push("C none m"), diagnostic);  // value(none)
}

TEST(monitor_stream_unit, equal_pasts_give_equal_states) {
  auto vocabulary = properties_of(vocabulary_text);
  auto file = properties_of("property o \"o\" for all r: S, d: dev : D() in r requires A(d) since B(d, _);");
  monitor_run r(vocabulary.vocabularies[0], {&file.properties[0]});
  r.push("A x; B x m; S_begin {x}; A x; S_end; D; D");
  auto before = r.monitor().state();
  r.push("B x m");
  EXPECT_FALSE(r.monitor().state() == before);
  r.push("S_begin {x}; A x; S_end");
  EXPECT_TRUE(r.monitor().state() == before);
}

}  // namespace
}  // namespace quiesce::test
