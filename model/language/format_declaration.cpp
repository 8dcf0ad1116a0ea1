// SPDX-License-Identifier: MIT
// Declarations without statements.

#include "model/language/format_block.hpp"

namespace quiesce::language::format_detail {
namespace {

doc sentence(const std::string& text) { return text.empty() ? doc() : nest(join(line(), quoted(text)), 4); }
std::string guard(const std::string& lock) { return lock.empty() ? "" : " guarded by " + lock; }
std::string over(const std::string& sort) { return sort.empty() ? "" : ": " + sort; }

doc print(const ast::import_decl& d) { return group(join("import ", nest(comma_list(d.names), 4), ";")); }

doc print(const ast::sort_decl& d) {
  std::vector<std::string> extras;
  for (const ast::sort_extra& extra : d.extras)
    extras.push_back(extra.over.empty() ? extra.name : extra.name + "(" + extra.over + ")");
  doc out = join("sort " + d.name);
  if (d.standard != 0) out << " = " + std::to_string(d.standard);
  if (!extras.empty()) out << nest(join(line(), "with ", comma_list(extras)), 4);
  return group(join(std::move(out), ";"));
}

doc print(const ast::enum_decl& d) {
  return group(join("enum " + d.name + " {", nest(join(line(), comma_list(d.labels))), line(), "}"));
}

doc print(const ast::option_decl& d) {
  doc out = join("option " + d.name + ": ", type(d.type), " = ", expression(d.value));
  if (d.orthogonal) out << " orthogonal";
  return group(join(std::move(out), sentence(d.sentence), ";"));
}

doc print(const ast::bound_decl& d) {
  const std::string range = std::to_string(d.low) + ".." + std::to_string(d.high) + " = " + std::to_string(d.value);
  return group(join("bound " + d.name + ": " + range, sentence(d.sentence), ";"));
}

doc print(const ast::variant_decl& d) {
  doc settings;
  for (const ast::option_setting& s : d.settings) settings << line() << s.name + " = " << expression(s.value) << ";";
  doc out = join("variant " + d.name + (d.base.empty() ? "" : " = " + d.base) + " {");
  out << group(join(nest(std::move(settings)), line(), "}"));
  doc tail;
  if (!d.sentence.empty()) tail << line() << quoted(d.sentence);
  if (!d.source.empty()) tail << line() << "source " + quoted(d.source);
  if (d.proof.mark != 0) tail << line() << evidence(d.proof);
  if (!d.kernel.empty()) tail << line() << "kernel " + quoted(d.kernel);
  return group(join(std::move(out), nest(std::move(tail), 4)));
}

doc print(const ast::time_decl& d) {
  return d.urgent ? "time urgent horizon " + std::to_string(d.horizon) + ";" : std::string("time free;");
}

doc print(const ast::variable_decl& d) {
  doc out = join((d.rigid ? "rigid " : "var ") + d.name + ": ");
  if (!d.index.empty()) out << comma_list(d.index) << " -> ";
  out << type(d.type) << guard(d.guard);
  if (!d.initial.empty()) out << " =" << nest(join(line(), expression(d.initial[0])), 4);
  if (!d.filter.empty()) out << nest(join(line(), "where ", expression(d.filter[0])), 4);
  return group(join(std::move(out), ";"));
}

doc print(const ast::node_decl& d) { return "node " + d.name + ": " + d.sort + guard(d.guard) + ";"; }
doc print(const ast::list_decl& d) { return "list " + d.name + ": " + d.node + guard(d.guard) + ";"; }
doc print(const ast::lock_decl& d) { return (d.spin ? "spinlock " : "mutex ") + d.name + over(d.sort) + ";"; }
doc print(const ast::timer_decl& d) { return "timer " + d.name + over(d.sort) + ";"; }
doc print(const ast::ghost_init_decl& d) {
  return group(
      join("ghost_init " + d.name + "(", comma_list(d.params), ") =", nest(join(line(), expression(d.value)), 4), ";"));
}
template <class Other>
doc print(const Other&) {
  return doc();
}

}  // namespace

doc declaration(const ast::item& item) {
  return std::visit([](const auto& d) { return print(d); }, item);
}
bool is_declaration(const ast::item& item) {
  return !std::holds_alternative<ast::init_decl>(item) && !std::holds_alternative<ast::procedure_decl>(item) &&
         !std::holds_alternative<ast::handler_decl>(item) && !std::holds_alternative<ast::process_decl>(item) &&
         !std::holds_alternative<ast::operation_decl>(item) && !std::holds_alternative<ast::environment_decl>(item);
}

}  // namespace quiesce::language::format_detail
