// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "tests/support/language_text.hpp"

namespace quiesce::test {
namespace {

using ast::property_kind;

ast::property only(const std::string& text) { return properties_of("property p \"s\" " + text + ";").properties.at(0); }

TEST(parse_property, reads_the_vocabulary) {
  const auto v = properties_of(
      "vocabulary net; sort dev; event E(option<dev>, net) \"m\" evidence M \"where\"; span close(set<dev>) \"m\";"
      "ghost up: dev -> bool = false \"m\" on UP(d, _) : up(d) := true on DOWN(d, _) : up(d) := f(d);").vocabularies.at(0);
  EXPECT_EQ(v.sorts.at(0).name, "dev");
  EXPECT_EQ(v.events.at(0).params.size(), 2u);
  EXPECT_EQ(v.events.at(0).proof.mark, 'M');
  EXPECT_EQ(v.spans.at(0).params.at(0).kind, ast::type_kind::set);
  EXPECT_EQ(v.ghosts.at(0).updates.size(), 2u);
  EXPECT_EQ(v.ghosts.at(0).updates[0].target.kind, ast::expr_kind::apply);
  EXPECT_EQ(v.ghosts.at(0).updates[0].args.at(1).kind, ast::expr_kind::wildcard);
}

TEST(parse_property, reads_the_header) {
  const auto p = only("rule E6, O3 status proposed by \"me\" evidence R \"why\" model for all d: dev, r: rollback : invariant x");
  EXPECT_EQ(p.rules, (std::vector<std::string>{"E6", "O3"}));
  EXPECT_EQ(p.status, ast::property_status::proposed);
  EXPECT_EQ(p.status_text, "me");
  EXPECT_EQ(p.proof.text, "why");
  EXPECT_TRUE(p.on_model);
  EXPECT_EQ(p.binders.size(), 2u);
  EXPECT_EQ(p.kind, property_kind::invariant);
}

TEST(parse_property, reads_every_kind) {
  EXPECT_EQ(only("A(x) in r | B(_) when c requires d").patterns.size(), 2u);
  EXPECT_EQ(only("never A(x) within r when f(x) | B(_)").patterns.at(0).place, ast::placement::within);
  EXPECT_EQ(only("never A(x) within r when f(x) | B(_)").patterns.size(), 2u) << "'|' behind a condition begins the next event";
  EXPECT_EQ(only("after A(x) never B(x) | C(x)").forbidden.size(), 2u);
  EXPECT_EQ(only("at most 3 A(x)").limit, 3);
  EXPECT_EQ(only("at end of r : count A(_) in r == 1").span, "r");
  EXPECT_EQ(only("no error range, list_corruption").errors.size(), 2u);
  EXPECT_EQ(only("sometimes A(x) in r when c").patterns.size(), 1u);
}

TEST(parse_property, reads_leads_to_and_its_fairness) {
  const auto p = only("for all d: dev : A(d) | B(d) when c leads to C(d) | D(d) within r");
  EXPECT_EQ(p.kind, property_kind::leads_to);
  EXPECT_EQ(p.patterns.size(), 2u);
  EXPECT_EQ(p.answers.size(), 2u);
  EXPECT_TRUE(p.fair.empty() && p.condition.empty());
  const auto q = only("model f(d) && x leads to g(d) under weak fairness and strong fairness of a, b at place");
  EXPECT_EQ(q.condition.size(), 2u);
  ASSERT_EQ(q.fair.size(), 2u);
  EXPECT_FALSE(q.fair[0].strong);
  EXPECT_TRUE(q.fair[0].of.empty());
  EXPECT_TRUE(q.fair[1].strong);
  ASSERT_EQ(q.fair[1].of.size(), 2u);
  EXPECT_EQ(q.fair[1].of[1].place, "place");
  EXPECT_EQ(only("model A(x) when c requires d").kind, property_kind::requires_) << "events in a property about states";
  EXPECT_EQ(only("A(leads) requires to && weak").kind, property_kind::requires_) << "these words are names elsewhere";
}

TEST(parse_property, takes_sometimes_in_a_model_property_as_a_condition) {
  EXPECT_EQ(only("model sometimes up(d)").condition.size(), 1u);
  EXPECT_EQ(only("model sometimes up(d) && x").condition.size(), 1u);
  EXPECT_EQ(only("sometimes a == b").condition.size(), 1u);
  EXPECT_EQ(only("sometimes up(d)").patterns.size(), 1u);
  EXPECT_EQ(only("model sometimes A(d) when up(d)").patterns.size(), 1u);
}

TEST(parse_property, places_claims_and_properties_at_their_names) {
  const std::string text = "claim  c1 \"s\" model m variant v with a = true, b = 2 environment e property p scope dev = 3, net = 1 method "
                           "explicit expect deadlock evidence X \"t\" bug HB1, HB28 because \"b\";";
  const auto c = claims_of(text).claims.at(0);
  EXPECT_EQ(text.substr(c.where.begin, c.where.end - c.where.begin), "c1");
  EXPECT_EQ(c.with.size(), 2u);
  EXPECT_EQ(c.environment, "e");
  EXPECT_EQ(c.scope.at(1).value, 1);
  EXPECT_EQ(c.method, "explicit");
  EXPECT_EQ(c.expect, ast::expectation::deadlock);
  EXPECT_EQ(c.bugs, (std::vector<std::string>{"HB1", "HB28"}));
  EXPECT_EQ(c.because, "b");
}

}  // namespace
}  // namespace quiesce::test
