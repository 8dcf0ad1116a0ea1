// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/language_text.hpp"
#include "tests/support/repository.hpp"

namespace quiesce::test {
namespace {

std::string statement_form(const std::string& text) {
  const std::string whole = formatted("model m\nproc p() {\nskip;\n" + text + "\n}");
  const std::string before = "model m\n\nproc p() {\n  skip;\n";
  EXPECT_EQ(whole.substr(0, before.size()), before);
  return whole.substr(before.size(), whole.size() - before.size() - 2);
}
std::string expression_form(const std::string& text) { return language::format_expression(expression_of(text)); }

TEST(format, keeps_only_parentheses_that_are_needed) {
  EXPECT_EQ(expression_form("((a) + (b * c)) == (d)"), "a + b * c == d");
  EXPECT_EQ(expression_form("(a + b) * c"), "(a + b) * c");
  EXPECT_EQ(expression_form("a - (b - c)"), "a - (b - c)");
  EXPECT_EQ(expression_form("(a => b) => (c => d)"), "(a => b) => c => d");
  EXPECT_EQ(expression_form("a && (all x: dev : (p(x)))"), "a && (all x: dev : p(x))");
  EXPECT_EQ(expression_form("(count A(x)) in s"), "(count A(x)) in s");
  EXPECT_EQ(expression_form("-(-1) - -x"), "--1 - -x");
  EXPECT_EQ(expression_form("A(x) in r earlier"), "A(x) earlier in r");
  EXPECT_EQ(expression_form("A(x) in r | B(x) earlier"), "A(x) in r | B(x) earlier");
}

TEST(format, puts_a_single_simple_statement_on_the_line_of_its_head) {
  EXPECT_EQ(statement_form("if a {\n f ( x ) ;\n }"), "  if a { f(x); }\n");
  EXPECT_EQ(statement_form("atomic { a:=1; b:=2; }"), "  atomic {\n    a := 1;\n    b := 2;\n  }\n");
  EXPECT_EQ(statement_form("if a { skip; } else if b { skip; } else { }"), "  if a {\n    skip;\n  } else if b {\n    skip;\n  } else { }\n");
  EXPECT_EQ(statement_form("either {} or { skip; }"), "  either {\n  } or {\n    skip;\n  }\n");
}

TEST(format, keeps_comments_where_they_belong) {
  EXPECT_EQ(statement_form("# own\na := 1;   # trailing\n\n\n# last"), "  # own\n  a := 1;  # trailing\n\n  # last\n");
  EXPECT_EQ(statement_form("if a { # head\nskip; # first\n} # end\n"), "  if a {  # head\n    skip;  # first\n  }  # end\n");
  EXPECT_EQ(statement_form("if a {\n# only\n}"), "  if a {\n    # only\n  }\n");
  EXPECT_EQ(statement_form("a := b # inner\n + c; # outer"), "  # inner\n  a := b + c;  # outer\n");
  EXPECT_EQ(statement_form("if a { skip; # one\n } else { # two\n skip; }"), "  if a {\n    skip;  # one\n  } else {  # two\n    skip;\n  }\n");
  EXPECT_EQ(formatted("# top\n\nmodel m # head\n# before\nsort a; # a\nsort b;\n# end"),
            "# top\n\nmodel m  # head\n\n# before\nsort a;  # a\nsort b;\n# end\n");
}

TEST(format, never_takes_a_hash_in_a_string_for_a_comment) {
  EXPECT_EQ(formatted("model m \"a # b \\\" # c\" sort s;"), "model m \"a # b \\\" # c\"\n\nsort s;\n");
}

TEST(format, keeps_at_most_one_blank_line) {
  EXPECT_EQ(statement_form("\n\n\na := 1;\n\n\n\nb := 2;\nc := 3;\n\n"), "\n  a := 1;\n\n  b := 2;\n  c := 3;\n");
  EXPECT_EQ(formatted("model m\nsort a;sort b;\n\nsort c;\nmutex l;"), "model m\n\nsort a;\nsort b;\n\nsort c;\n\nmutex l;\n");
}

TEST(format, wraps_at_110_columns_and_reads_its_own_lines) {
  std::string condition = "first_condition_of_many(d)";
  for (int i = 0; i < 12; ++i) condition += " && another_condition_number_" + std::to_string(i) + "(d, home(d))";
  const std::string text = "model m proc p() { wait until " + condition + "; notify EVENT(" + condition + ", " + condition + "); }";
  const std::string once = formatted(text);
  for (const std::string& line : lines_of(once)) EXPECT_LE(line.size(), 110u) << line;
  EXPECT_EQ(formatted(once), once);
  EXPECT_EQ(tree_text(model_of(once)), tree_text(model_of(text)));
}

TEST(format, sorts_nothing_and_keeps_the_order_of_the_vocabulary) {
  const std::string text = "vocabulary v;\n\nevent A() \"a\";\n\nsort s;\n\nevent B(s) \"b\";\n";
  EXPECT_EQ(formatted(text), text);
}

TEST(format, writes_leads_to_with_what_it_grants) {
  EXPECT_EQ(formatted("property p \"s\" for all d: dev: A(d)|B(d) leads to C(d) under weak fairness and strong fairness of q,r at here;"),
            "property p \"s\"\n  for all d: dev :\n"
            "    A(d) | B(d) leads to C(d) under weak fairness and strong fairness of q, r at here;\n");
  EXPECT_EQ(formatted("property p \"s\" model true leads to z;"), "property p \"s\"\n  model\n  true leads to z;\n");
}

TEST(format, refuses_a_file_of_no_kind) {
  try {
    formatted("  sort s;");
    FAIL();
  } catch (const diagnostic& d) {
    EXPECT_EQ(d.sentence, "a file begins with 'model', 'library', 'vocabulary', 'property' or 'claim'");
    EXPECT_EQ(d.where.begin, 2u);
  }
}

TEST(format, of_a_statement_head_is_one_line) {
  const auto s = statements_of("for d in snapshot s where up(d) { skip; } perform op(any, 1); x := call f(a);");
  EXPECT_EQ(language::format_statement_head(s.at(0)), "for d in snapshot s where up(d)");
  EXPECT_EQ(language::format_statement_head(s.at(1)), "perform op(any, 1)");
  EXPECT_EQ(language::format_statement_head(s.at(2)), "x := call f(a)");
}

// Every shipped file: formatting keeps its tree and its comments, and does nothing the second time.
TEST(format, keeps_the_trees_of_all_shipped_files) {
  std::size_t files = 0;
  for (const std::string& file : source_files({".model", ".prop", ".claim"})) {
    SCOPED_TRACE(file);
    const std::string text = read_text(repository() / file);
    const std::string once = formatted(text);
    EXPECT_EQ(formatted(once), once);
    EXPECT_EQ(std::count(once.begin(), once.end(), '#'), std::count(text.begin(), text.end(), '#'));
    if (file.ends_with(".model")) EXPECT_EQ(tree_text(model_of(once)), tree_text(model_of(text)));
    if (file.ends_with(".prop")) EXPECT_EQ(tree_text(properties_of(once)), tree_text(properties_of(text)));
    if (file.ends_with(".claim")) EXPECT_EQ(tree_text(claims_of(once)), tree_text(claims_of(text)));
    ++files;
  }
  EXPECT_GT(files, 5u);
}

}  // namespace
}  // namespace quiesce::test
