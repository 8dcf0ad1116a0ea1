// SPDX-License-Identifier: MIT
// Heads of statements: what stands before `;` or the body.

#include "model/language/format_tree.hpp"
#include "model/language/parse.hpp"

namespace quiesce::language::format_detail {
namespace {

using ast::statement;
using ast::statement_kind;

doc call(const char* word, const statement& s) { return join(word, s.text, arguments(s.args)); }
doc with(const char* word, const statement& s) { return group(join(word, nest(expression(s.value[0]), 4))); }

doc filtered(doc head, const statement& s, std::size_t filter) {
  if (s.value.size() > filter) head << nest(join(line(), "where ", expression(s.value[filter])), 4);
  return group(std::move(head));
}

doc let(const statement& s) {
  doc head("let " + s.name);
  head = join(std::move(head));
  if (!s.type.empty()) head << ": " << type(s.type[0]);
  head << " :=" << nest(join(line(), expression(s.value[0])));
  return group(std::move(head));
}

doc loop(const statement& s) {
  static const char* const how[] = {"", "live ", "snapshot "};
  return filtered(join("for " + s.name + " in ", how[static_cast<int>(s.iterate)], atom(s.value[0])), s, 1);
}

}  // namespace

doc statement_head(const statement& s) {
  switch (s.kind) {
    case statement_kind::skip:
      return "skip";
    case statement_kind::assign:
      return group(join(expression(s.target[0]), " :=", nest(join(line(), expression(s.value[0])))));
    case statement_kind::let:
      return let(s);
    case statement_kind::head:
      return join("head " + s.name, ": " + s.text);
    case statement_kind::call:
      return call("", s);
    case statement_kind::assign_call:
      return join(expression(s.target[0]), call(" := call ", s));
    case statement_kind::let_call:
      return join("let " + s.name, call(" := call ", s));
    case statement_kind::if_:
      return with("if ", s);
    case statement_kind::while_:
      return with("while ", s);
    case statement_kind::repeat:
      return join("repeat ", sum(s.value[0]));
    case statement_kind::for_:
      return loop(s);
    case statement_kind::for_all:
      return filtered(join("for all ", nest(binders(s.binders), 4)), s, 0);
    case statement_kind::list_for_each:
      return join("list_for_each_entry " + s.name + " in ", expression(s.value[0]));
    case statement_kind::list_for_each_safe:
      return join("list_for_each_entry_safe " + s.name + " in ", expression(s.value[0]));
    case statement_kind::choose:
      return filtered(join("choose " + s.name + ": ", type(s.type[0])), s, 0);
    case statement_kind::either:
      return "either";
    case statement_kind::wait_until:
      return with("wait until ", s);
    case statement_kind::assert_: {
      doc head = join(with("assert ", s));
      if (!s.text.empty()) head << nest(join(line(), quoted(s.text)));
      return group(std::move(head));
    }
    case statement_kind::atomic:
      return "atomic";
    case statement_kind::idle:
      return "idle";
    case statement_kind::return_:
      return s.value.empty() ? doc("return") : with("return ", s);
    case statement_kind::break_:
      return "break";
    case statement_kind::continue_:
      return "continue";
    case statement_kind::notify:
      return call("notify ", s);
    case statement_kind::emit:
      return call("emit ", s);
    case statement_kind::span:
      return call("span ", s);
    case statement_kind::perform:
      return call("perform ", s);
    case statement_kind::sleep:
      return with("sleep ", s);
  }
  return doc();
}

doc anchor(const ast::anchor& a) {
  if (!a.label.empty()) return join("@at ", a.label);
  doc inside = join(quoted(a.file), ", " + a.function);
  if (!a.version.empty()) inside << ", " << quoted(a.version);
  if (!a.calls.empty()) inside << line() << "calls " << nest(comma_list(a.calls), 4);
  return group(join("@kernel(", nest(std::move(inside), 4), ")"));
}

doc evidence(const ast::evidence& e) {
  doc out(std::string("evidence ") + e.mark);
  return e.text.empty() ? out : join(std::move(out), " ", quoted(e.text));
}

}  // namespace quiesce::language::format_detail

namespace quiesce::language {

std::string format_statement_head(const ast::statement& s) {
  return format_detail::lay_out(format_detail::statement_head(s), 0, format_detail::no_limit);
}

}  // namespace quiesce::language
