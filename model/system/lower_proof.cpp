// SPDX-License-Identifier: MIT
// What only invariants may ask: where a process stands, its locals, the locks it holds, and what rules remember of events.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "model/system/lower_expression.hpp"

namespace quiesce::lowering {

using k = ast::expr_kind;

namespace {

struct process_place {
  std::uint32_t process = 0;
  std::vector<expr_id> at;
};

std::uint32_t template_named(const symbols& s, const ast::expr& e) {
  std::uint32_t p = 0;
  while (p < s.processes.size() && s.processes[p]->name != e.text) ++p;
  if ((e.kind != k::name && e.kind != k::apply) || p == s.processes.size()) {
    for (const auto* environment : s.items<ast::environment_decl>())
      for (const auto& d : environment->processes)
        if (d.name == e.text) throw not_in_this_instance(e.where, "this environment has no such process");
    throw diagnostic(e.where, "a process is expected here");
  }
  return p;
}

// As an invariant writes the name of a local: the arguments of a span, rollback.0, are rollback_0.
std::string written(std::string name) {
  const std::size_t dot = name.rfind('.');
  if (dot != std::string::npos && dot + 1 < name.size() && name[dot + 1] >= '0' && name[dot + 1] <= '9') name[dot] = '_';
  return name;
}

// The event of a memory, without the number that tells cells of the same pattern apart.
std::string list_of(const std::vector<const symbols::memory*>& all) {
  std::vector<std::string> names;
  for (const auto* m : all) names.push_back(m->cell);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return fmt::format("{}", fmt::join(names, "; "));
}

}  // namespace

// inside(P(x), NAME), holds(P(x), LOCK)
std::optional<value> expressions::about_process(const ast::expr& e) {
  if (e.text != "inside" && e.text != "holds") return std::nullopt;
  if (e.args.size() != 2) throw diagnostic(e.where, fmt::format("'{}' takes a process and a name", e.text));
  const std::uint32_t p = template_named(s, e.args[0]);
  std::vector<sort_id> over;
  if (!s.processes[p]->params.empty()) over.push_back(s.sort_named(s.processes[p]->params[0].type[0].text, e.where).id);
  value v;
  const auto at = index_of(over, e.args[0], v);
  const expr_id element = at.empty() ? ir::nothing : at[0];
  if (e.text == "inside") {
    if (e.args[1].kind != k::name) throw diagnostic(e.args[1].where, "the name of a procedure or a label is expected here");
    v.e = b.reserve(b.boolean());
    s.place_questions.push_back({v.e, p, element, e.args[1].text, e.args[1].where});
  } else {
    const expr_id owner = lock_owner(e.args[1], nullptr, nullptr, v);
    v.e = b.equal(owner, s.process_value(p, element, b.type_of(owner)));
  }
  v.type = b.boolean();
  return v;
}

// P(x).procedure.local, or P(x).local for a local of the process itself.
value expressions::member_of_process(const ast::expr& e) {
  const ast::expr* of = &e.args[0];
  std::string name = e.text;
  while (of->kind == k::member) {
    name = of->text + "." + name;
    of = &of->args[0];
  }
  const std::uint32_t p = template_named(s, *of);
  std::vector<sort_id> over;
  if (!s.processes[p]->params.empty()) over.push_back(s.sort_named(s.processes[p]->params[0].type[0].text, e.where).id);
  value v;
  const auto at = index_of(over, *of, v);
  std::vector<std::string> known;
  for (variable_id i = 0; i < b.program.variables.size(); ++i) {
    const ir::variable& var = b.program.variables[i];
    if ((var.kind != ir::variable_kind::local && var.kind != ir::variable_kind::hidden) || var.owner != p) continue;
    if (written(var.name) != name && written(var.name) != s.processes[p]->name + "." + name) {
      known.push_back(written(var.name));
      continue;
    }
    if (var.index.size() != over.size())
      throw diagnostic(e.where, "a sequence cannot be asked for here", "a queue is a set in a scope with `any`");
    v.e = b.load(i, at);
    v.type = var.type;
    return v;
  }
  throw not_in_this_instance(e.where, fmt::format("process '{}' has no local '{}'", s.processes[p]->name, name),
                             known.empty() ? "it has none" : fmt::format("it has {}", fmt::join(known, ", ")));
}

// seen(EVENT, keys…): a rule remembers that it happened; seen_in(P(x), SPAN, EVENT, keys…): in that process's open span.
// times and times_in: how often. A ghost by its name, or ghost_NAME where the model has a variable of that name.
std::optional<value> expressions::about_events(const ast::expr& e) {
  value v;
  const std::string prefix = "ghost_";
  const std::string ghost = e.text.starts_with(prefix) ? e.text.substr(prefix.size()) : e.text;
  for (const auto& g : s.source.vocabulary.ghosts)
    if (g.name == ghost && !s.ghosts.count(ghost))
      throw not_in_this_instance(e.where, "the rule uses no such ghost",
                                 fmt::format("a state property that names it ghost_{} keeps it", ghost));
  if (const auto g = s.ghosts.find(ghost); g != s.ghosts.end()) {
    const ir::variable var = b.program.variables[g->second];
    v.e = b.load(g->second, index_of(var.index, e, v));
    v.type = var.type;
    return v;
  }
  const bool in_span = e.text == "seen_in" || e.text == "times_in";
  const bool counts = e.text == "times" || e.text == "times_in";
  if (!in_span && !counts && e.text != "seen") return std::nullopt;
  const std::size_t first = in_span ? 3 : 1;
  if (e.args.size() < first)
    throw diagnostic(
        e.where, e.text + (in_span ? " takes a process, a span, an event and its keys" : " takes an event and its keys"));
  const std::uint32_t process = in_span ? template_named(s, e.args[0]) : ir::nothing;
  const std::string span = in_span ? e.args[1].text : "", event = e.args[first - 1].text;
  ast::expr keys = e;
  keys.args.assign(e.args.begin() + static_cast<std::ptrdiff_t>(first), e.args.end());
  if (in_span && !s.processes[process]->params.empty()) {
    if (e.args[0].args.size() != 1) throw diagnostic(e.args[0].where, "the instance of the process is expected");
    keys.args.push_back(e.args[0].args[0]);
  }
  // The same event may be remembered for keys of other sorts.
  const auto fit = [&](const std::vector<sort_id>& index) {
    for (std::size_t i = 0; i < index.size(); ++i) {
      const ir::type key = b.type(lower(keys.args[i], b.element(index[i])).type);
      if (key.kind == ir::type_kind::element && key.sort != index[i]) return false;
    }
    return true;
  };
  std::vector<const symbols::memory*> found;
  for (const auto& m : s.memories)
    if (m.event == event && m.span == span && m.process == process &&
        b.program.variables[m.var].index.size() == keys.args.size() &&
        counts == (b.type(b.program.variables[m.var].type).kind == ir::type_kind::integer) &&
        fit(b.program.variables[m.var].index))
      found.push_back(&m);
  for (const auto* m : found)
    if (m->var != found[0]->var)
      throw diagnostic(e.where, fmt::format("several rules remember '{}': {}", event, list_of(found)));
  if (found.empty()) {
    std::vector<const symbols::memory*> all;
    for (const auto& m : s.memories) all.push_back(&m);
    throw not_in_this_instance(e.where,
                               fmt::format("no rule remembers '{}' with {} key(s) here", event, e.args.size() - first),
                               all.empty() ? "no rule remembers anything" : list_of(all));
  }
  const ir::variable var = b.program.variables[found[0]->var];
  v.e = b.load(found[0]->var, index_of(var.index, keys, v));
  v.type = var.type;
  return v;
}

}  // namespace quiesce::lowering
