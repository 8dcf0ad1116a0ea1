// SPDX-License-Identifier: MIT
// Vocabularies, properties and claims.

#include <algorithm>

#include "model/language/format_block.hpp"

namespace quiesce::language::format_detail {
namespace {

doc type_list(const std::vector<ast::type_expr>& types) {
  doc inside = join(soft());
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (i > 0) inside << "," << line();
    inside << type(types[i]);
  }
  return group(join("(", nest(std::move(inside)), soft(), ")"));
}

doc print(const ast::event_decl& d) {
  doc out = join("event " + d.name, type_list(d.params), nest(join(line(), quoted(d.meaning)), 4));
  if (d.proof.mark != 0) out << nest(join(line(), evidence(d.proof)), 4);
  return group(join(std::move(out), ";"));
}
doc print(const ast::span_decl& d) {
  return group(join("span " + d.name, type_list(d.params), nest(join(line(), quoted(d.meaning)), 4), ";"));
}
doc print(const ast::ghost_decl& d) {
  doc out = join("ghost " + d.name + ": ");
  if (!d.index.empty()) out << comma_list(d.index) << " -> ";
  out << type(d.type) << " = " << expression(d.initial);
  if (!d.meaning.empty()) out << nest(join(line(), quoted(d.meaning)), 4);
  doc updates;
  for (const ast::ghost_update& u : d.updates)
    updates << hard()
            << group(join("on " + u.event, arguments(u.args), ": ", expression(u.target),
                          " :=", nest(join(line(), expression(u.value)))));
  return join(group(std::move(out)), nest(std::move(updates)), ";");
}

doc granted(const ast::property& p) {
  doc out;
  for (const ast::fairness& f : p.fair) {
    out << line() << std::string(&f == &p.fair.front() ? "under " : "and ") + (f.strong ? "strong" : "weak") + " fairness";
    for (const ast::fair_place& of : f.of)
      out << std::string(&of == &f.of.front() ? " of " : ", ") + of.process + (of.place.empty() ? "" : " at " + of.place);
  }
  return out;
}

doc leads_to(const ast::property& p) {
  const bool states = !p.condition.empty();
  return group(join(states ? expression(p.condition[0]) : patterns(p.patterns), line(), "leads to ",
                    nest(states ? expression(p.condition[1]) : patterns(p.answers), 4), granted(p)));
}

doc body(const ast::property& p) {
  switch (p.kind) {
    case ast::property_kind::requires_:
      return group(join(patterns(p.patterns), line(), "requires ", nest(expression(p.condition[0]), 4)));
    case ast::property_kind::never:
      return join("never ", patterns(p.patterns));
    case ast::property_kind::after_never:
      return group(join("after ", patterns(p.patterns), line(), "never ", patterns(p.forbidden)));
    case ast::property_kind::at_most:
      return join("at most " + std::to_string(p.limit) + " ", patterns(p.patterns));
    case ast::property_kind::at_end:
      return group(join("at end of " + p.span + " :", nest(join(line(), expression(p.condition[0])))));
    case ast::property_kind::invariant:
      return group(join("invariant ", nest(expression(p.condition[0]))));
    case ast::property_kind::sometimes:
      return group(join("sometimes ", nest(p.condition.empty() ? patterns(p.patterns) : expression(p.condition[0]))));
    case ast::property_kind::no_error:
      return group(join("no error ", nest(comma_list(p.errors))));
    case ast::property_kind::leads_to:
      return leads_to(p);
  }
  return doc();
}

doc status(const ast::property& p) {
  const bool required = p.status == ast::property_status::required;
  doc out(required ? "status required" : "status proposed");
  return p.status_text.empty() ? out : join(std::move(out), required ? " since " : " by ", quoted(p.status_text));
}

doc print(const ast::property& p) {
  std::vector<doc> marks;
  if (!p.rules.empty()) marks.push_back(join("rule ", nest(comma_list(p.rules), 4)));
  if (p.status != ast::property_status::unspecified) marks.push_back(status(p));
  if (p.proof.mark != 0) marks.push_back(evidence(p.proof));
  if (p.on_model) marks.push_back("model");
  doc rest;
  if (!marks.empty()) {
    doc header;
    for (std::size_t i = 0; i < marks.size(); ++i) (i > 0 ? header << line() : header) << std::move(marks[i]);
    rest << hard() << group(std::move(header));
  }
  if (!p.binders.empty()) rest << hard() << group(join("for all ", nest(binders(p.binders), 4), " :"));
  rest << (p.binders.empty() ? join(hard(), body(p)) : nest(join(hard(), body(p))));
  return join("property " + p.name + " " + quoted(p.sentence), nest(std::move(rest)), ";");
}

doc print(const ast::vocabulary& v) { return "vocabulary " + v.name + ";"; }

const char* verdict(ast::expectation e) {
  static const char* const words[] = {"holds", "violated", "unknown", "vacuous", "deadlock"};
  return words[static_cast<int>(e)];
}

doc print(const ast::claim& c) {
  doc with, scope, rest;
  for (const ast::option_setting& s : c.with)
    with << (&s == &c.with.front() ? " with " : ", ") << s.name + " = " << expression(s.value);
  for (const ast::named_integer& n : c.scope)
    scope << (&n == &c.scope.front() ? "scope " : ", ")
          << n.name + " = " + (n.value == ast::any_number ? "any" : std::to_string(n.value));
  rest << hard() << "model " + c.model + " variant " + c.variant << std::move(with);
  if (!c.environment.empty()) rest << " environment " + c.environment;
  rest << hard() << "property " + c.property << hard() << std::move(scope);
  if (!c.method.empty()) rest << " method " + c.method;
  rest << hard() << std::string("expect ") + verdict(c.expect);
  if (c.proof.mark != 0) rest << " " << evidence(c.proof);
  if (!c.bugs.empty()) rest << hard() << "bug " << comma_list(c.bugs);
  if (!c.because.empty()) rest << hard() << "because " + quoted(c.because);
  return join("claim " + c.name + " " + quoted(c.sentence), nest(std::move(rest)), ";");
}

// One thing of the file, from its keyword to its `;`. Its place in the tree is that of its name or of its whole.
struct entry {
  std::uint32_t begin = 0, end = 0;
  int kind = 0;
  doc what;
};
template <class Decl>
entry named(const source_layout& source, const Decl& d, int kind) {
  const std::uint32_t token = source.token_at(d.where.begin);
  return {source.begin(token == 0 || token == nowhere ? 0 : token - 1), source.end(source.find(";", d.where.begin)), kind,
          print(d)};
}
template <class Decl>
entry whole(const Decl& d, int kind, doc what) {
  return {d.where.begin, d.where.end, kind, std::move(what)};
}

// A blank line between entries, but lines of one kind stay together as they are in the source.
void write(writer& w, const std::vector<entry>& entries) {
  const auto one_line = [](const entry& e) { return lay_out(e.what, 0, page_width).find('\n') == std::string::npos; };
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i > 0 && !(entries[i].kind == entries[i - 1].kind && one_line(entries[i]) && one_line(entries[i - 1]))) w.separate();
    w.unit(entries[i].begin, entries[i].end, entries[i].what);
  }
}

void add_vocabulary(const source_layout& source, const ast::vocabulary& v, std::vector<entry>& entries) {
  entries.push_back(named(source, v, 0));
  const auto first = static_cast<std::ptrdiff_t>(entries.size());
  for (const auto& d : v.sorts) entries.push_back(whole(d, 1, "sort " + d.name + ";"));
  for (const auto& d : v.events) entries.push_back(named(source, d, 2));
  for (const auto& d : v.spans) entries.push_back(whole(d, 3, print(d)));
  for (const auto& d : v.ghosts) entries.push_back(whole(d, 4, print(d)));
  std::stable_sort(entries.begin() + first, entries.end(), [](const entry& a, const entry& b) { return a.begin < b.begin; });
}

}  // namespace

std::string property_text(const ast::property_file& file, const source_layout& source) {
  writer w(source);
  std::vector<entry> entries;
  for (const ast::vocabulary& v : file.vocabularies) add_vocabulary(source, v, entries);
  for (const ast::property& p : file.properties) entries.push_back(named(source, p, 5));
  write(w, entries);
  return w.finish();
}

std::string claim_text(const ast::claim_file& file, const source_layout& source) {
  writer w(source);
  std::vector<entry> entries;
  for (const ast::claim& c : file.claims) entries.push_back(named(source, c, 0));
  write(w, entries);
  return w.finish();
}

}  // namespace quiesce::language::format_detail
