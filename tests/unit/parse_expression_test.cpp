// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "tests/support/language_text.hpp"

namespace quiesce::test {
namespace {

using ast::expr;
using ast::expr_kind;

std::string same(const std::string& text) { return tree_text(expression_of(text)); }
std::string covered(const std::string& text, const expr& e) { return text.substr(e.where.begin, e.where.end - e.where.begin); }

TEST(parse_expression, binds_operators_by_the_table_of_the_manual) {
  EXPECT_EQ(same("a || b && c == d + e * f"), same("(a || (b && (c == (d + (e * f)))))"));
  EXPECT_EQ(same("a <=> b => c || d"), same("a <=> (b => (c || d))"));
  EXPECT_EQ(same("a => b => c"), same("a => (b => c)"));
  EXPECT_EQ(same("a - b - c"), same("(a - b) - c"));
  EXPECT_EQ(same("!a == b"), same("(!a) == b"));
  EXPECT_EQ(same("a ? b : c ? d : e"), same("a ? b : (c ? d : e)"));
  EXPECT_NE(same("a - (b - c)"), same("a - b - c"));
  EXPECT_NE(same("(a => b) => c"), same("a => b => c"));
}

TEST(parse_expression, reads_is_as_a_comparison_with_a_name) {
  const expr e = expression_of("!(d is lo) && x");
  const expr& is = e.args[0].args[0];
  EXPECT_EQ(is.kind, expr_kind::is_named);
  EXPECT_EQ(is.text, "lo");
  EXPECT_EQ(is.args[0].text, "d");
}

TEST(parse_expression, extends_a_quantifier_as_far_as_it_goes) {
  EXPECT_EQ(same("a && all x: dev where c(x) : p(x) || q"), same("a && (all x: dev where c(x) : (p(x) || q))"));
  const expr e = expression_of("some x: dev, y in s where c : b");
  EXPECT_EQ(e.binders.size(), 2u);
  EXPECT_EQ(e.args[0].text, "b");
  EXPECT_EQ(e.args[1].text, "c");
}

TEST(parse_expression, tells_count_of_elements_from_count_of_events) {
  EXPECT_EQ(expression_of("count x: dev : up(x)").kind, expr_kind::quantified);
  EXPECT_EQ(expression_of("count x in s : up(x)").kind, expr_kind::quantified);
  const expr e = expression_of("count A(x) in r | B(_) == 2");
  EXPECT_EQ(e.text, "==");
  EXPECT_EQ(e.args[0].kind, expr_kind::count_events);
  EXPECT_EQ(e.args[0].patterns.size(), 2u);
  EXPECT_EQ(e.args[0].patterns[0].span, "r");
}

TEST(parse_expression, reads_in_as_membership_unless_an_event_is_placed) {
  EXPECT_EQ(expression_of("f(x) in s").text, "in");
  EXPECT_EQ(expression_of("f(x) in r.devs && a").args[0].text, "in");
  EXPECT_EQ(expression_of("A(x) in r earlier").kind, expr_kind::earlier);
}

TEST(parse_expression, takes_a_placement_before_and_behind_earlier) {
  EXPECT_EQ(same("A(x) in r earlier"), same("A(x) earlier in r"));
  EXPECT_EQ(same("A(x) in r | B(x) in r earlier"), same("A(x) | B(x) earlier in r"));
  EXPECT_EQ(same("A(x) within r earlier && b"), same("(A(x) earlier within r) && b"));
  EXPECT_EQ(complaint("A(x) in r earlier in q", "expr"), "1:1: this event is placed in a span twice");
}

TEST(parse_expression, reads_since_with_alternatives_on_its_right) {
  const expr e = expression_of("P(x) when (c) since Q(x) in r | R(_)");
  ASSERT_EQ(e.kind, expr_kind::since);
  ASSERT_EQ(e.patterns.size(), 3u);
  EXPECT_EQ(e.patterns[0].when.at(0).text, "c");
  EXPECT_EQ(e.patterns[1].span, "r");
  EXPECT_EQ(complaint("P(x) | S(x) since Q(x)", "expr"), "1:1: 'since' takes one event on its left side");
}

TEST(parse_expression, reads_sets_sequences_and_filters) {
  EXPECT_EQ(expression_of("{}").kind, expr_kind::set_literal);
  EXPECT_EQ(expression_of("{a, b + c}").args.size(), 2u);
  EXPECT_EQ(expression_of("{x: dev where up(x)}").kind, expr_kind::set_filter);
  EXPECT_EQ(expression_of("[]").kind, expr_kind::seq_literal);
  EXPECT_EQ(expression_of("[x in s]").kind, expr_kind::seq_literal);
  const expr e = expression_of("[x in s + t where up(x)]");
  ASSERT_EQ(e.kind, expr_kind::seq_filter);
  EXPECT_EQ(e.binders[0].name, "x");
  EXPECT_EQ(e.binders[0].domain[0].text, "+");
}

TEST(parse_expression, reads_ranges_of_expressions_as_types) {
  const expr e = expression_of("all x: n - 1..size(dev) * 2 : p(x)");
  const ast::type_expr& t = e.binders[0].type[0];
  ASSERT_EQ(t.kind, ast::type_kind::range);
  EXPECT_EQ(t.bounds[0].text, "-");
  EXPECT_EQ(t.bounds[1].text, "*");
}

TEST(parse_expression, knows_keywords_by_whole_words_only) {
  EXPECT_EQ(expression_of("inside").text, "inside");
  EXPECT_EQ(expression_of("true_").kind, expr_kind::name);
  EXPECT_EQ(expression_of("list_empty(h)").text, "list_empty");
  EXPECT_EQ(complaint("a in_", "expr"), "1:3: expected the end of the expression");
}

TEST(parse_expression, covers_exactly_the_text_of_each_node) {
  const std::string text = " # first\n (a + b.c[ 1 ] )  * f( x ,y )  # end\n";
  const expr e = expression_of(text);
  EXPECT_EQ(covered(text, e), "(a + b.c[ 1 ] )  * f( x ,y )");
  EXPECT_EQ(covered(text, e.args[0]), "(a + b.c[ 1 ] )");
  EXPECT_EQ(covered(text, e.args[0].args[0]), "a");
  EXPECT_EQ(covered(text, e.args[0].args[1]), "b.c[ 1 ]");
  EXPECT_EQ(covered(text, e.args[0].args[1].args[0]), "b.c");
  EXPECT_EQ(covered(text, e.args[1]), "f( x ,y )");
  EXPECT_EQ(covered(text, e.args[1].args[1]), "y");
}

TEST(parse_expression, refuses_chained_comparisons) {
  EXPECT_EQ(complaint("a == b == c", "expr"), "1:1: comparisons do not chain");
  EXPECT_EQ(complaint("(a == b) == c", "expr"), "");
}

TEST(parse_expression, reads_integers_up_to_the_largest_of_64_bits) {
  EXPECT_EQ(expression_of("9223372036854775807").value, 9223372036854775807);
  EXPECT_EQ(complaint("x + 9223372036854775808", "expr"), "1:5: this integer does not fit into 64 bits");
  EXPECT_EQ(complaint("99999999999999999999999999", "expr"), "1:1: this integer does not fit into 64 bits");
}

}  // namespace
}  // namespace quiesce::test
