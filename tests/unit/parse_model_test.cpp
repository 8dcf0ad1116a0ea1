// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "tests/support/language_text.hpp"

namespace quiesce::test {
namespace {

using ast::statement;
using ast::statement_kind;

template <class Decl>
Decl only(const std::string& text) { return std::get<Decl>(model_of("model m\n" + text).items.at(0)); }

TEST(parse_model, reads_its_header) {
  const ast::model m = model_of("library rcu \"grace \\\"periods\\\" \\\\\"");
  EXPECT_TRUE(m.library);
  EXPECT_EQ(m.name, "rcu");
  EXPECT_EQ(m.sentence, "grace \"periods\" \\");
  EXPECT_FALSE(model_of("model m;").library);
}

TEST(parse_model, reads_sorts_with_sizes_and_named_elements) {
  const auto d = only<ast::sort_decl>("sort dev = 2 with lo(net), init_dev;");
  EXPECT_EQ(d.standard, 2);
  ASSERT_EQ(d.extras.size(), 2u);
  EXPECT_EQ(d.extras[0].over, "net");
  EXPECT_EQ(d.extras[1].over, "");
  EXPECT_EQ(only<ast::sort_decl>("sort dev;").standard, 0);
}

TEST(parse_model, reads_variants_with_their_sources) {
  const auto d = only<ast::variant_decl>("variant P1a = P1 { a = true; b = queued; } \"as posted\" source \"mail\" evidence V kernel \"4.4\"");
  EXPECT_EQ(d.base, "P1");
  EXPECT_EQ(d.settings.at(1).value.text, "queued");
  EXPECT_EQ(d.sentence, "as posted");
  EXPECT_EQ(d.source, "mail");
  EXPECT_EQ(d.proof.mark, 'V');
  EXPECT_EQ(d.kernel, "4.4");
}

TEST(parse_model, reads_variables) {
  const auto table = only<ast::variable_decl>("var f: dev, net -> option<dev> guarded by rtnl = none;");
  EXPECT_EQ(table.index, (std::vector<std::string>{"dev", "net"}));
  EXPECT_EQ(table.guard, "rtnl");
  EXPECT_EQ(table.initial.at(0).kind, ast::expr_kind::none);
  const auto any = only<ast::variable_decl>("var x: 0..3 = any where x > 1;");
  EXPECT_EQ(any.initial.at(0).kind, ast::expr_kind::any);
  EXPECT_EQ(any.filter.size(), 1u);
  EXPECT_EQ(only<ast::variable_decl>("var s: seq<option<dev>>[2 * n];").type.bounds.size(), 1u);
  EXPECT_EQ(only<ast::variable_decl>("var o: option<dev>=none;").initial.size(), 1u) << "'>=' closes the type";
  EXPECT_TRUE(only<ast::variable_decl>("rigid home: dev -> net where all n: net : home(lo(n)) == n;").rigid);
}

TEST(parse_model, reads_procedures_with_all_kinds_of_parameters) {
  const auto p = only<ast::procedure_decl>(
      "proc p(&h: event_list, ev: event, d: dev, k: {a, b}) -> {a, b} recursive n + 1 @kernel(\"f.c\", g, \"4.4\") { }");
  EXPECT_EQ(p.params.at(0).kind, ast::param_kind::reference);
  EXPECT_EQ(p.params.at(1).kind, ast::param_kind::event);
  EXPECT_EQ(p.params.at(3).type.at(0).labels.size(), 2u);
  EXPECT_EQ(p.result.at(0).kind, ast::type_kind::labels);
  EXPECT_EQ(p.recursive.at(0).text, "+");
  EXPECT_EQ(p.at->version, "4.4");
}

TEST(parse_model, reads_handlers_processes_operations_and_environments) {
  const auto h = only<ast::handler_decl>("handler h priority -10 when x { on A(d, _) { } on other(d) { skip; } }");
  EXPECT_EQ(h.priority, -10);
  EXPECT_EQ(h.clauses.at(0).params.at(1), "_");
  EXPECT_EQ(h.clauses.at(1).event, "");
  const auto p = only<ast::process_decl>("softirq process rx(c: cpu) on c { idle; }");
  EXPECT_TRUE(p.softirq);
  EXPECT_EQ(p.cpu.size(), 1u);
  EXPECT_EQ(only<ast::process_decl>("process g(n: net) expiry of gc { }").timer, "gc");
  const auto o = only<ast::operation_decl>("operation o(b: seq<dev>) begin { skip; } requires c otherwise { idle; } { f(); }");
  EXPECT_EQ(o.begin.size() + o.requires_.size() + o.otherwise.size() + o.body.size(), 4u);
  const auto e = only<ast::environment_decl>("environment e \"s\" { process a { } proc b() { } process c { } }");
  EXPECT_EQ(e.processes.size(), 2u);
  EXPECT_EQ(e.procedures.size(), 1u);
}

TEST(parse_model, tells_calls_from_assignments) {
  const auto s = statements_of("f(a, b); f(a) := b; x := 1; x := call f(a); let y := call g(); let z: dev := w;");
  const statement_kind kinds[] = {statement_kind::call, statement_kind::assign, statement_kind::assign,
                                  statement_kind::assign_call, statement_kind::let_call, statement_kind::let};
  ASSERT_EQ(s.size(), std::size(kinds));
  for (std::size_t i = 0; i < s.size(); ++i) EXPECT_EQ(s[i].kind, kinds[i]) << i;
  EXPECT_EQ(s[0].text, "f");
  EXPECT_TRUE(s[0].target.empty());
  EXPECT_EQ(s[1].target.at(0).args.size(), 1u);
  EXPECT_EQ(s[3].target.at(0).text, "x");
  EXPECT_EQ(s[3].text, "f");
}

TEST(parse_model, reads_loops) {
  const auto s = statements_of(
      "for d in live s where up(d) { } for d in snapshot s { } for d in s { } for all d: dev, n in t where c { f(d) := 1; }"
      "list_for_each_entry n in h { } list_for_each_entry_safe n in h { } while c { } repeat 3 { }");
  EXPECT_EQ(s.at(0).iterate, ast::iteration::live);
  EXPECT_EQ(s.at(0).value.size(), 2u);
  EXPECT_EQ(s.at(1).iterate, ast::iteration::snapshot);
  EXPECT_EQ(s.at(2).iterate, ast::iteration::plain);
  EXPECT_EQ(s.at(3).kind, statement_kind::for_all);
  EXPECT_EQ(s.at(3).binders.size(), 2u);
  EXPECT_EQ(s.at(5).kind, statement_kind::list_for_each_safe);
}

TEST(parse_model, reads_branches) {
  const auto s = statements_of("if a { skip; } else if b { } else { idle; } either { } or { skip; } or { }");
  EXPECT_TRUE(s.at(0).has_otherwise);
  EXPECT_EQ(s.at(0).otherwise.at(0).kind, statement_kind::if_);
  EXPECT_EQ(s.at(0).otherwise.at(0).otherwise.at(0).kind, statement_kind::idle);
  EXPECT_EQ(s.at(1).branches.size(), 3u);
  EXPECT_TRUE(statements_of("if a { } else { }").at(0).has_otherwise);
  EXPECT_FALSE(statements_of("if a { }").at(0).has_otherwise);
}

TEST(parse_model, reads_the_other_statements) {
  const auto s = statements_of(
      "@kernel(\"net/core/dev.c\", f calls g, h) notify ev(a); emit E(); span close(b) { } perform op(a, any); sleep 2 * 3; assert c \"why\";"
      "wait until c; choose d: dev where up(d); return; return x ? 1 : 2; break; continue; atomic { } head h: event_list;");
  EXPECT_EQ(s.at(0).at->function, "f");
  EXPECT_EQ(s.at(0).at->calls, (std::vector<std::string>{"g", "h"}));
  EXPECT_EQ(s.at(0).where.begin, std::string("model m proc p() {\n").size()) << "the anchor belongs to the statement";
  EXPECT_EQ(s.at(3).args.at(1).kind, ast::expr_kind::any);
  EXPECT_EQ(s.at(5).text, "why");
  EXPECT_EQ(s.at(7).value.size(), 1u);
  EXPECT_TRUE(s.at(8).value.empty());
  EXPECT_EQ(s.at(13).text, "event_list");
}

TEST(parse_model, allows_a_semicolon_behind_a_closing_brace_only) {
  EXPECT_EQ(statements_of("if a { }; atomic { };").size(), 2u);
  EXPECT_EQ(complaint("model m enum e { a }; proc p() { }; variant v { };"), "");
  EXPECT_NE(complaint("model m proc p() { skip;; }"), "");
}

}  // namespace
}  // namespace quiesce::test
