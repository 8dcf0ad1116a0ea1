// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "model/language/format_tree.hpp"
#include "model/language/parse.hpp"
#include "model/language/precedence.hpp"

namespace quiesce::language::format_detail {
namespace {

using ast::expr;
using ast::expr_kind;

constexpr int quantifier_level = -1;
constexpr int primary_level = 10;

int level(const expr& e) {
  switch (e.kind) {
    case expr_kind::quantified:
      return quantifier_level;
    case expr_kind::conditional:
      return conditional_precedence;
    case expr_kind::binary:
      return precedence(e.text);
    case expr_kind::is_named:
      return comparison_precedence;
    case expr_kind::unary:
      return unary_precedence;
    case expr_kind::member:
    case expr_kind::index:
      return postfix_precedence;
    case expr_kind::integer:
      return e.value < 0 ? unary_precedence : primary_level;
    default:
      return primary_level;
  }
}

bool is_temporal(const expr& e) {
  return e.kind == expr_kind::earlier || e.kind == expr_kind::since || e.kind == expr_kind::count_events;
}

// Would the text of e end with a list of events, so that a following `in NAME` or `| EVENT` would be read as part of it?
bool ends_with_events(const expr& e) {
  switch (e.kind) {
    case expr_kind::quantified:
      return ends_with_events(e.args[0]);
    case expr_kind::conditional:
    case expr_kind::binary:
    case expr_kind::unary:
      return ends_with_events(e.args.back());
    default:
      return is_temporal(e);
  }
}

doc parenthesised(doc inner) { return join("(", std::move(inner), ")"); }
doc print(const expr& e, int least) { return level(e) < least ? parenthesised(expression(e)) : expression(e); }

doc separated_list(const char* open, std::vector<doc> items, const char* close) {
  if (items.empty()) return join(open, close);
  doc inside = soft();
  inside = join(std::move(inside));
  for (std::size_t i = 0; i < items.size(); ++i) {
    inside << std::move(items[i]);
    if (i + 1 < items.size()) inside << "," << line();
  }
  return group(join(open, nest(std::move(inside)), soft(), close));
}
std::vector<doc> each(const std::vector<expr>& items) {
  std::vector<doc> docs;
  for (const expr& item : items) docs.push_back(expression(item));
  return docs;
}

// a && b && c breaks before every operator or before none.
void flatten(const expr& e, const std::string& op, doc& out) {
  const int own = precedence(op);
  const bool chains = own != comparison_precedence && op != "=>";
  const expr& left = e.args[0];
  if (chains && left.kind == expr_kind::binary && left.text == op)
    flatten(left, op, out);
  else if (op == "in" && ends_with_events(left))
    out << parenthesised(expression(left));
  else
    out << print(left, chains ? own : own + 1);
  out << line() << join(op + " ", print(e.args[1], op == "=>" ? own : own + 1));
}
doc binary(const expr& e) {
  doc out;
  flatten(e, e.text, out);
  doc rest;
  for (std::size_t i = 1; i < out.parts.size(); ++i) rest << std::move(out.parts[i]);
  return group(join(std::move(out.parts[0]), nest(std::move(rest))));
}

doc conditional(const expr& e) {
  return group(join(print(e.args[0], 1),
                    nest(join(line(), "? ", print(e.args[1], 1), line(), ": ", print(e.args[2], conditional_precedence)))));
}

doc quantified(const expr& e) {
  doc head = join(e.text + " ", binders(e.binders));
  if (e.args.size() > 1) head << line() << "where " << expression(e.args[1]);
  return group(join(nest(group(std::move(head)), 4), " :", nest(join(line(), expression(e.args[0])))));
}

doc placed(ast::placement place, const std::string& span) {
  if (place == ast::placement::anywhere) return doc();
  return doc((place == ast::placement::in ? " in " : " within ") + span);
}
doc event(const ast::event_pattern& p) { return join(p.event, arguments(p.args)); }

// Inside an expression a condition stands in parentheses.
doc atom_patterns(const std::vector<ast::event_pattern>& list, std::size_t from, std::size_t to, bool with_places) {
  doc out;
  for (std::size_t i = from; i < to; ++i) {
    if (i > from) out << line() << "| ";
    out << event(list[i]);
    if (with_places) out << placed(list[i].place, list[i].span);
    if (!list[i].when.empty()) out << " when (" << expression(list[i].when[0]) << ")";
  }
  return group(nest(std::move(out)));
}

doc temporal(const expr& e) {
  const auto& list = e.patterns;
  if (e.kind == expr_kind::count_events) return join("count ", atom_patterns(list, 0, list.size(), true));
  if (e.kind == expr_kind::since)
    return group(
        join(atom_patterns(list, 0, 1, true), nest(join(line(), "since ", atom_patterns(list, 1, list.size(), true)))));
  bool same_place = true;
  for (const auto& p : list) same_place = same_place && p.place == list[0].place && p.span == list[0].span;
  doc out = join(atom_patterns(list, 0, list.size(), !same_place), " earlier");
  if (same_place) out << placed(list[0].place, list[0].span);
  return group(std::move(out));
}

}  // namespace

doc expression(const expr& e) {
  switch (e.kind) {
    case expr_kind::boolean:
      return e.value != 0 ? "true" : "false";
    case expr_kind::integer:
      return std::to_string(e.value);
    case expr_kind::none:
      return "none";
    case expr_kind::wildcard:
      return "_";
    case expr_kind::any:
      return "any";
    case expr_kind::name:
      return e.text;
    case expr_kind::apply:
      return join(e.text, arguments(e.args));
    case expr_kind::member:
      return join(is_temporal(e.args[0]) ? parenthesised(expression(e.args[0])) : print(e.args[0], postfix_precedence),
                  "." + e.text);
    case expr_kind::index:
      return join(is_temporal(e.args[0]) ? parenthesised(expression(e.args[0])) : print(e.args[0], postfix_precedence), "[",
                  expression(e.args[1]), "]");
    case expr_kind::unary:
      return join(e.text, print(e.args[0], unary_precedence));
    case expr_kind::binary:
      return binary(e);
    case expr_kind::conditional:
      return conditional(e);
    case expr_kind::quantified:
      return quantified(e);
    case expr_kind::is_named:
      return join(print(e.args[0], comparison_precedence + 1), " is " + e.text);
    case expr_kind::set_literal:
      return separated_list("{", each(e.args), "}");
    case expr_kind::seq_literal:
      return separated_list("[", each(e.args), "]");
    case expr_kind::set_filter:
      return group(join("{", binder(e.binders[0]), nest(join(line(), "where ", expression(e.args[0]))), "}"));
    case expr_kind::seq_filter:
      return group(join("[" + e.binders[0].name + " in ", print(e.binders[0].domain[0], comparison_precedence + 1),
                        nest(join(line(), "where ", expression(e.args[0]))), "]"));
    case expr_kind::earlier:
    case expr_kind::since:
    case expr_kind::count_events:
      return temporal(e);
  }
  return doc();
}

doc sum(const expr& e) { return print(e, comparison_precedence + 1); }
doc atom(const expr& e) { return print(e, 1); }
doc arguments(const std::vector<expr>& args) { return separated_list("(", each(args), ")"); }

doc binder(const ast::binder& b) {
  return b.type.empty() ? join(b.name + " in ", atom(b.domain[0])) : join(b.name + ": ", type(b.type[0]));
}
doc binders(const std::vector<ast::binder>& list) {
  doc out;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) out << "," << line();
    out << binder(list[i]);
  }
  return out;
}

doc patterns(const std::vector<ast::event_pattern>& list) {
  doc out;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) out << line() << "| ";
    out << event(list[i]) << placed(list[i].place, list[i].span);
    if (list[i].when.empty()) continue;
    const bool open = i + 1 < list.size() && ends_with_events(list[i].when[0]);
    out << " when " << (open ? parenthesised(expression(list[i].when[0])) : expression(list[i].when[0]));
  }
  return group(nest(std::move(out)));
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

doc comma_list(const std::vector<std::string>& names) {
  doc out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out << "," << line();
    out << names[i];
  }
  return out;
}

doc type(const ast::type_expr& t) {
  switch (t.kind) {
    case ast::type_kind::boolean:
      return "bool";
    case ast::type_kind::range:
      return join(sum(t.bounds[0]), "..", sum(t.bounds[1]));
    case ast::type_kind::named:
      return t.text;
    case ast::type_kind::labels: {
      std::vector<doc> labels(t.labels.begin(), t.labels.end());
      return separated_list("{", std::move(labels), "}");
    }
    case ast::type_kind::option:
      return join("option<", type(t.args[0]), ">");
    case ast::type_kind::set:
      return join("set<", type(t.args[0]), ">");
    case ast::type_kind::queue:
      return join("queue<", type(t.args[0]), ">");
    case ast::type_kind::seq:
      return t.bounds.empty() ? join("seq<", type(t.args[0]), ">")
                              : join("seq<", type(t.args[0]), ">[", sum(t.bounds[0]), "]");
    case ast::type_kind::process:
      return "process";
    case ast::type_kind::event:
      return "event";
  }
  return doc();
}

}  // namespace quiesce::language::format_detail

namespace quiesce::language {

std::string format_expression(const ast::expr& e) {
  return format_detail::lay_out(format_detail::expression(e), 0, format_detail::no_limit);
}
std::string format_type(const ast::type_expr& t) {
  return format_detail::lay_out(format_detail::type(t), 0, format_detail::no_limit);
}

}  // namespace quiesce::language
