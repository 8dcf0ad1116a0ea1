// SPDX-License-Identifier: MIT
// Random syntax trees of expressions and statements: formatting and parsing gives the same tree, and formatting again the same text.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "tests/support/language_text.hpp"

namespace quiesce::test {
namespace {

using ast::expr;
using ast::expr_kind;
using ast::statement;
using ast::statement_kind;

// Draws from one list of random numbers, which RapidCheck shrinks; an exhausted list gives zeros, the simplest choices.
class chooser {
 public:
  explicit chooser(std::vector<std::uint32_t> numbers) : numbers_(std::move(numbers)) {}
  std::size_t below(std::size_t n) { return next_ < numbers_.size() ? numbers_[next_++] % n : 0; }
  bool maybe() { return below(2) == 1; }
  template <class T>
  T from(std::initializer_list<T> list) { return *(list.begin() + below(list.size())); }

 private:
  std::vector<std::uint32_t> numbers_;
  std::size_t next_ = 0;
};

struct tree_maker {
  chooser choose;

  std::string name() { return choose.from<const char*>({"a", "b", "up", "home", "in_", "NETDEV_DOWN", "x1"}); }
  std::string sentence() { return choose.from<const char*>({"s", "a \"quoted\" word", "back\\slash", "# no comment", "größer"}); }

  template <class Make>
  auto some(std::size_t least, std::size_t most, Make make) {
    std::vector<decltype(make())> list;
    for (std::size_t n = least + choose.below(most - least + 1); n > 0; --n) list.push_back(make());
    return list;
  }

  expr node(expr_kind kind, std::string text = {}, std::vector<expr> args = {}) {
    expr e;
    e.kind = kind;
    e.text = std::move(text);
    e.args = std::move(args);
    return e;
  }
  expr leaf() {
    expr e;
    switch (choose.below(5)) {
      case 0: return node(expr_kind::name, name());
      case 1: e = node(expr_kind::integer); e.value = static_cast<std::int64_t>(choose.below(1000)); return e;
      case 2: e = node(expr_kind::boolean); e.value = choose.maybe(); return e;
      case 3: return node(expr_kind::none);
      default: return node(expr_kind::wildcard);
    }
  }
  expr sum(int depth) {   // what an integer expression can be
    if (depth <= 0) return choose.maybe() ? node(expr_kind::apply, "size", {node(expr_kind::name, name())}) : node(expr_kind::name, name());
    return node(expr_kind::binary, choose.from<const char*>({"+", "-", "*"}), {sum(depth - 1), sum(depth - 2)});
  }
  ast::type_expr type(int depth) {
    ast::type_expr t;
    t.kind = depth <= 0 ? choose.from({ast::type_kind::named, ast::type_kind::boolean, ast::type_kind::labels, ast::type_kind::process})
                        : choose.from({ast::type_kind::option, ast::type_kind::set, ast::type_kind::seq, ast::type_kind::queue, ast::type_kind::range});
    if (t.kind == ast::type_kind::named) t.text = name();
    if (t.kind == ast::type_kind::labels) t.labels = some(1, 3, [&] { return name(); });
    if (t.kind == ast::type_kind::range) t.bounds = {sum(depth), sum(depth - 1)};
    else if (depth > 0) t.args = {type(depth - 1)};
    if (t.kind == ast::type_kind::seq && choose.maybe()) t.bounds = {sum(depth - 1)};
    return t;
  }
  ast::binder binder(int depth) {
    ast::binder b;
    b.name = name();
    if (choose.maybe()) b.type = {type(depth > 0 ? static_cast<int>(choose.below(2)) : 0)};
    else b.domain = {expression(depth - 1)};
    return b;
  }
  ast::event_pattern pattern(int depth) {
    ast::event_pattern p;
    p.event = name();
    p.args = some(0, 2, [&] { return expression(depth - 1); });
    p.place = choose.from({ast::placement::anywhere, ast::placement::in, ast::placement::within});
    if (p.place != ast::placement::anywhere) p.span = name();
    if (choose.below(3) == 1) p.when = {expression(depth - 1)};
    return p;
  }

  expr quantified(int depth) {
    expr e = node(expr_kind::quantified, choose.from<const char*>({"all", "some", "count"}), {expression(depth - 1)});
    e.binders = some(1, 2, [&] { return binder(depth - 1); });
    if (choose.maybe()) e.args.push_back(expression(depth - 1));
    return e;
  }
  expr temporal(int depth) {
    expr e = node(choose.from({expr_kind::earlier, expr_kind::since, expr_kind::count_events}));
    e.patterns = some(e.kind == expr_kind::since ? 2 : 1, 3, [&] { return pattern(depth - 1); });
    return e;
  }
  expr filter(int depth) {
    expr e = node(choose.from({expr_kind::set_filter, expr_kind::seq_filter}), {}, {expression(depth - 1)});
    ast::binder b;
    b.name = name();
    if (e.kind == expr_kind::set_filter) b.type = {type(0)};
    else b.domain = {expression(depth - 1)};
    e.binders = {b};
    return e;
  }
  expr expression(int depth) {
    if (depth <= 0) return leaf();
    const auto sub = [&] { return expression(depth - 1 - static_cast<int>(choose.below(2))); };
    switch (choose.below(12)) {
      case 0: return leaf();
      case 1:   // where membership and placement could be confused
        if (choose.below(4) == 1) return node(expr_kind::binary, "in", {temporal(depth), node(expr_kind::name, name())});
        [[fallthrough]];
      case 2: return node(expr_kind::binary, choose.from<const char*>({"&&", "||", "=>", "<=>", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "in"}),
                          {sub(), sub()});
      case 3: return node(expr_kind::unary, choose.from<const char*>({"!", "-"}), {sub()});
      case 4: return node(expr_kind::apply, name(), some(0, 3, sub));
      case 5: return node(expr_kind::member, name(), {sub()});
      case 6: return node(expr_kind::index, {}, {sub(), sub()});
      case 7: return node(expr_kind::conditional, {}, {sub(), sub(), sub()});
      case 8: return node(choose.from({expr_kind::set_literal, expr_kind::seq_literal}), {}, some(0, 3, sub));
      case 9: return choose.maybe() ? quantified(depth) : node(expr_kind::is_named, name(), {sub()});
      case 10: return temporal(depth);
      default: return filter(depth);
    }
  }

  std::vector<statement> block(int depth) { return some(0, 3, [&] { return any_statement(depth - 1); }); }
  expr target() {
    return choose.maybe() ? node(expr_kind::apply, name(), some(0, 2, [&] { return expression(1); })) : node(expr_kind::name, name());
  }
  statement simple() {
    statement s;
    const auto value = [&] { s.value = {expression(3)}; };
    const auto call = [&] { s.text = name(); s.args = some(0, 3, [&] { return expression(2); }); };
    s.kind = static_cast<statement_kind>(choose.below(static_cast<std::size_t>(statement_kind::sleep) + 1));
    switch (s.kind) {
      case statement_kind::assign: s.target = {target()}; value(); break;
      case statement_kind::let: s.name = name(); if (choose.maybe()) s.type = {type(1)}; value(); break;
      case statement_kind::head: s.name = name(); s.text = name(); break;
      case statement_kind::assign_call: s.target = {node(expr_kind::name, name())}; call(); break;
      case statement_kind::let_call: s.name = name(); call(); break;
      case statement_kind::choose: s.name = name(); s.type = {type(1)}; if (choose.maybe()) value(); break;
      case statement_kind::wait_until:
      case statement_kind::sleep: value(); break;
      case statement_kind::assert_: value(); if (choose.maybe()) s.text = sentence(); break;
      case statement_kind::return_: if (choose.maybe()) value(); break;
      case statement_kind::call:
      case statement_kind::notify:
      case statement_kind::emit: call(); break;
      case statement_kind::perform: call(); if (choose.maybe()) s.args.push_back(node(expr_kind::any)); break;
      case statement_kind::idle:
      case statement_kind::break_:
      case statement_kind::continue_: break;
      default: s.kind = statement_kind::skip;
    }
    return s;
  }
  statement compound(int depth) {
    statement s;
    s.kind = choose.from({statement_kind::if_, statement_kind::while_, statement_kind::repeat, statement_kind::for_, statement_kind::for_all,
                          statement_kind::list_for_each, statement_kind::list_for_each_safe, statement_kind::either, statement_kind::atomic,
                          statement_kind::span});
    const bool head_value = s.kind != statement_kind::for_all && s.kind != statement_kind::either && s.kind != statement_kind::atomic &&
                            s.kind != statement_kind::span;
    if (head_value) s.value = {s.kind == statement_kind::repeat ? sum(2) : expression(2)};
    if (s.kind == statement_kind::for_ || s.kind == statement_kind::list_for_each || s.kind == statement_kind::list_for_each_safe) s.name = name();
    if (s.kind == statement_kind::for_) s.iterate = choose.from({ast::iteration::plain, ast::iteration::live, ast::iteration::snapshot});
    if ((s.kind == statement_kind::for_ || s.kind == statement_kind::for_all) && choose.maybe()) s.value.push_back(expression(2));
    if (s.kind == statement_kind::span) s.text = name(), s.args = some(0, 2, [&] { return expression(2); });
    if (s.kind == statement_kind::either) {
      s.branches = some(2, 3, [&] { return block(depth); });
    } else if (s.kind == statement_kind::for_all) {
      s.binders = some(1, 2, [&] { return binder(2); });
      s.body = some(0, 2, [&] {
        statement a;
        a.kind = statement_kind::assign;
        a.target = {target()};
        a.value = {expression(2)};
        return a;
      });
    } else {
      s.body = block(depth);
    }
    if (s.kind == statement_kind::if_ && choose.maybe()) s.has_otherwise = true, s.otherwise = block(depth);
    return s;
  }
  statement any_statement(int depth) {
    statement s = depth > 0 && choose.maybe() ? compound(depth) : simple();
    if (choose.below(6) == 1) s.at = ast::anchor{{}, sentence(), name(), choose.maybe() ? "4.4" : ""};
    return s;
  }
};

std::vector<std::uint32_t> numbers(std::size_t count) { return *rc::gen::container<std::vector<std::uint32_t>>(count, rc::gen::inRange(0u, 5040u)); }

RC_GTEST_PROP(format_roundtrip, of_random_expressions_gives_the_same_tree, ()) {
  tree_maker make{chooser(numbers(600))};
  for (int i = 0; i < 40; ++i) {
    const expr tree = make.expression(1 + i % 5);
    const std::string text = language::format_expression(tree);
    RC_LOG() << text << std::endl;
    const expr again = expression_of(text);
    RC_ASSERT(tree_text(again) == tree_text(tree));
    RC_ASSERT(language::format_expression(again) == text);
  }
}

RC_GTEST_PROP(format_roundtrip, of_random_statements_gives_the_same_trees, ()) {
  tree_maker make{chooser(numbers(400))};
  ast::procedure_decl procedure;
  procedure.name = "p";
  procedure.body = make.some(3, 10, [&] { return make.any_statement(4); });
  ast::model tree;
  tree.name = "m";
  tree.items.push_back(procedure);
  const std::string text = language::format_tree(tree);
  RC_LOG() << text << std::endl;
  RC_ASSERT(tree_text(model_of(text)) == tree_text(tree));
  RC_ASSERT(formatted(text) == text);
}

}  // namespace
}  // namespace quiesce::test
