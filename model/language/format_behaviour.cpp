// SPDX-License-Identifier: MIT
// Procedures, handlers, processes, operations and environments.

#include <algorithm>

#include "model/language/format_block.hpp"

namespace quiesce::language::format_detail {
namespace {

doc param(const ast::param& p) {
  if (p.kind == ast::param_kind::reference) return "&" + p.name + ": " + p.node;
  if (p.kind == ast::param_kind::event) return p.name + ": event";
  return join(p.name + ": ", type(p.type[0]));
}
doc params(const std::vector<ast::param>& list) {
  doc inside = join(soft());
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) inside << "," << line();
    inside << param(list[i]);
  }
  return list.empty() ? doc("()") : group(join("(", nest(std::move(inside)), soft(), ")"));
}
void add_anchor(doc& head, const std::optional<ast::anchor>& at) {
  if (at) head << nest(join(line(), anchor(*at)), 4);
}
std::uint32_t end_of(const std::optional<ast::anchor>& at) { return at ? at->where.end : 0; }
std::uint32_t end_of(const std::vector<ast::expr>& list) { return list.empty() ? 0 : list.back().where.end; }
// Behind the `)` of the first parameter list at or behind `offset`.
std::uint32_t behind_params(const writer& w, std::uint32_t offset) {
  return w.source().end(w.source().match(w.source().find("(", offset)));
}

struct member {
  std::uint32_t begin;
  const ast::process_decl* process = nullptr;
  const ast::procedure_decl* procedure = nullptr;
};

}  // namespace

void procedure(writer& w, const ast::procedure_decl& p) {
  doc head = join("proc " + p.name, params(p.params));
  if (!p.result.empty()) head << " -> " << type(p.result[0]);
  if (!p.recursive.empty()) head << " recursive " << sum(p.recursive[0]);
  add_anchor(head, p.at);
  const std::uint32_t result = p.result.empty() ? 0 : p.result[0].where.end;
  const std::uint32_t behind = std::max({behind_params(w, p.where.begin), result, end_of(p.recursive), end_of(p.at)});
  block(w, p.where.begin, behind, group(std::move(head)), p.body);
}

void handler(writer& w, const ast::handler_decl& h) {
  doc head = join("handler " + h.name);
  if (h.priority != 0) head << " priority " + std::to_string(h.priority);
  if (!h.when.empty()) head << nest(join(line(), "when ", expression(h.when[0])), 4);
  add_anchor(head, h.at);
  const std::uint32_t open = w.source().find("{", std::max({h.where.begin, end_of(h.when), end_of(h.at)}));
  w.unit(h.where.begin, w.source().end(open), join(group(std::move(head)), " {"));
  w.enter();
  for (const ast::handler_clause& clause : h.clauses) {
    const std::string event = clause.event.empty() ? "other" : clause.event;
    block(w, clause.where.begin, clause.where.begin,
          group(join("on " + event + "(", nest(comma_list(clause.params), 4), ")")), clause.body);
  }
  const std::uint32_t close = w.source().match(open);
  w.close(w.source().begin(close), w.source().end(close), "}");
}

void process(writer& w, const ast::process_decl& p) {
  doc head = join(p.softirq ? "softirq process " : "process ", p.name);
  if (!p.params.empty()) head << params(p.params);
  if (!p.cpu.empty()) head << nest(join(line(), "on ", expression(p.cpu[0])), 4);
  if (!p.timer.empty()) head << " expiry of " + p.timer;
  add_anchor(head, p.at);
  block(w, p.where.begin, std::max({p.where.begin, end_of(p.cpu), end_of(p.at)}), group(std::move(head)), p.body);
}

void operation(writer& w, const ast::operation_decl& o) {
  doc head = join("operation " + o.name, params(o.params));
  add_anchor(head, o.at);
  head = group(std::move(head));
  std::uint32_t behind = std::max(behind_params(w, o.where.begin), end_of(o.at));
  if (o.begin.empty() && o.requires_.empty() && o.otherwise.empty()) {
    const source_layout& source = w.source();
    const std::uint32_t next = source.token_at(behind);  // an empty `begin { }` or `otherwise { }` says nothing
    if (source.word(next) == "begin" || source.word(next) == "otherwise") behind = source.end(source.match(next + 1));
    if (source.word(source.token_at(behind)) == "otherwise") behind = source.end(source.match(source.token_at(behind) + 1));
    block(w, o.where.begin, behind, head, o.body);
    return;
  }
  w.unit(o.where.begin, behind, head);
  w.enter();
  const auto part = [&](const char* word, const std::vector<ast::statement>& body) {
    const std::uint32_t token = w.source().token_at(behind);
    const bool written = w.source().word(token) == word;
    if (body.empty() && written) behind = w.source().end(w.source().match(token + 1));
    if (!body.empty()) behind = block(w, w.source().begin(token), behind, word, body);
  };
  part("begin", o.begin);
  if (!o.requires_.empty()) {
    w.unit(w.source().begin(w.source().token_at(behind)), end_of(o.requires_),
           group(join("requires ", nest(expression(o.requires_[0]), 4))));
    behind = end_of(o.requires_);
  }
  part("otherwise", o.otherwise);
  w.leave();
  const std::uint32_t open = w.source().find("{", behind);
  w.unit(w.source().begin(open), w.source().end(open), "{");
  w.enter();
  statements(w, o.body);
  const std::uint32_t close = w.source().match(open);
  w.close(w.source().begin(close), w.source().end(close), "}");
}

void environment(writer& w, const ast::environment_decl& e) {
  const std::uint32_t open = w.source().find("{", e.where.begin);
  std::string head = "environment " + e.name;
  if (!e.sentence.empty()) head.append(1, ' ').append(quoted(e.sentence));
  w.unit(e.where.begin, w.source().end(open), head + " {");
  w.enter();
  std::vector<member> members;
  for (const auto& p : e.processes) members.push_back({p.where.begin, &p, nullptr});
  for (const auto& p : e.procedures) members.push_back({p.where.begin, nullptr, &p});
  std::stable_sort(members.begin(), members.end(), [](const member& a, const member& b) { return a.begin < b.begin; });
  for (const member& m : members) m.process != nullptr ? process(w, *m.process) : procedure(w, *m.procedure);
  const std::uint32_t close = w.source().match(open);
  w.close(w.source().begin(close), w.source().end(close), "}");
}

}  // namespace quiesce::language::format_detail
