// SPDX-License-Identifier: MIT
// Ghost variables of a vocabulary: declared, updated by events, and only those that a property reads are kept.

#include <fmt/format.h>

#include <algorithm>

#include "properties/compile_internal.hpp"

namespace quiesce::monitors::detail {

std::uint32_t compiler::find_ghost(const std::string& name) const {
  for (std::uint32_t i = 0; i < out_.ghosts.size(); ++i)
    if (out_.ghosts[i].name == name) return i;
  return unassigned;
}

// A ghost starts with a constant. A named element that is its sort's first (init_net) is number 0.
std::int64_t compiler::initial_value(const ast::ghost_decl& g, const value_type& type) {
  scope empty;
  term t = of_type(empty, g.initial, type, fmt::format("the initial value of ghost `{}`", g.name));
  if (t.code == op::constant) return t.value;
  if (t.code == op::named && t.kids.empty()) return 0;
  if (t.code == op::wrap && t.kids[0].code == op::constant) return 1 + t.kids[0].value;
  if (t.code == op::wrap && t.kids[0].code == op::named && t.kids[0].kids.empty()) return 1;
  if (t.code == op::subtract && t.kids[0].code == op::constant && t.kids[1].code == op::constant)
    return t.kids[0].value - t.kids[1].value;
  throw diagnostic(g.initial.where, fmt::format("the initial value of ghost `{}` must be a constant", g.name));
}

void compiler::declare_ghosts() {
  for (const auto& g : vocabulary_.ghosts) {
    ghost made;
    made.name = g.name;
    made.type = type_of(g.type);
    if (find_ghost(g.name) != unassigned) throw diagnostic(g.where, fmt::format("ghost `{}` is declared twice", g.name));
    if (made.type.kind == value_kind::set) throw diagnostic(g.type.where, "a ghost variable cannot be a set");
    for (const auto& sort : g.index) {
      if (!is_sort(sort)) throw diagnostic(g.where, fmt::format("`{}` is not a sort of the vocabulary", sort));
      made.index.push_back(element_type(sort));
    }
    if (made.index.size() > most_keys)
      throw diagnostic(g.where, fmt::format("a ghost variable has at most {} indices", most_keys));
    made.initial = initial_value(g, made.type);
    out_.ghosts.push_back(std::move(made));
  }
}

ghost_update compiler::compile_ghost_update(const ast::ghost_decl& g, const ast::ghost_update& u, std::uint32_t number) {
  auto found = event_numbers_.find(u.event);
  if (found == event_numbers_.end())
    throw diagnostic(u.where, fmt::format("there is no event `{}` in the vocabulary", u.event));
  ghost_update made;
  made.on.event = found->second;
  made.ghost = number;
  const auto& params = out_.events[found->second].params;
  if (u.args.size() != params.size())
    throw diagnostic(u.where, fmt::format("event `{}` has {} arguments, not {}", u.event, params.size(), u.args.size()));
  scope s;
  for (std::size_t i = 0; i < params.size(); ++i) {
    const ast::expr& arg = u.args[i];
    made.on.args.emplace_back();
    if (arg.kind == ast::expr_kind::wildcard) continue;
    if (arg.kind != ast::expr_kind::name) throw diagnostic(arg.where, "an argument of a ghost's event is a new name or `_`");
    if (s.find(arg.text)) throw diagnostic(arg.where, fmt::format("`{}` is there twice", arg.text));
    if (params[i].kind == value_kind::set) throw diagnostic(arg.where, "a set cannot be bound here; write `_`");
    made.on.args.back().kind = match_kind::bind;
    made.on.args.back().variable = s.size;
    s.variables.push_back({arg.text, params[i], arg.where, s.size, false, true});
    ++s.size;
  }
  const auto& declared = out_.ghosts[number];
  std::vector<ast::expr> index;
  if (u.target.kind == ast::expr_kind::apply) index = u.target.args;
  if (u.target.text != g.name) throw diagnostic(u.target.where, fmt::format("this must assign ghost `{}`", g.name));
  if (index.size() != declared.index.size())
    throw diagnostic(u.target.where,
                     fmt::format("ghost `{}` has {} indices, not {}", g.name, declared.index.size(), index.size()));
  for (std::size_t i = 0; i < index.size(); ++i) made.index.push_back(of_type(s, index[i], declared.index[i], "the index"));
  typed value = plain(s, u.value);
  if (value.type.kind == value_kind::integer && declared.type.kind == value_kind::integer &&
      (value.type.low < declared.type.low || value.type.high > declared.type.high))
    throw diagnostic(u.value.where, fmt::format("this can be outside {}", print(declared.type)),
                     "use a conditional to keep it in range");
  made.value = coerce(std::move(value), declared.type, "the value");
  made.variables = s.size;
  return made;
}

void compiler::declare_ghost_updates() {
  for (std::uint32_t i = 0; i < vocabulary_.ghosts.size(); ++i)
    for (const auto& u : vocabulary_.ghosts[i].updates)
      out_.ghost_updates.push_back(compile_ghost_update(vocabulary_.ghosts[i], u, i));
  order_ghost_updates();
}

namespace {

template <typename F>
void each_pattern_term(pattern& p, F&& f) {
  for (auto& a : p.args)
    if (a.kind == match_kind::equal) each_term(a.value, f);
  for (auto& w : p.when) each_term(w, f);
}

template <typename F>
void each_ghost_update_term(ghost_update& u, F&& f) {
  each_pattern_term(u.on, f);
  for (auto& t : u.index) each_term(t, f);
  each_term(u.value, f);
}

template <typename F>
void each_monitor_term(monitor_set& set, F&& f) {
  for (auto& u : set.updates) each_pattern_term(u.on, f);
  for (auto& m : set.monitors)
    for (auto& c : m.checks) {
      each_pattern_term(c.on, f);
      each_term(c.condition, f);
    }
}

bool reads(ghost_update& u, std::uint32_t ghost) {
  bool found = false;
  each_ghost_update_term(u, [&](term& t) { found = found || (t.code == op::ghost && t.index == ghost); });
  return found;
}

}  // namespace

// Updates of one event are simultaneous. They are listed so that doing them one after another is the same: an update of a
// ghost comes behind all others that read it.
void compiler::order_ghost_updates() {
  std::vector<ghost_update> left = std::move(out_.ghost_updates), ordered;
  while (!left.empty()) {
    auto blocked = [&](const ghost_update& u) {
      return std::any_of(left.begin(), left.end(), [&](ghost_update& other) {
        return &other != &u && other.on.event == u.on.event && reads(other, u.ghost);
      });
    };
    auto next = std::find_if_not(left.begin(), left.end(), blocked);
    if (next == left.end())
      throw diagnostic(
          vocabulary_.ghosts[left[0].ghost].where,
          fmt::format("at event `{}` ghost variables are updated from each other", out_.events[left[0].on.event].name));
    ordered.push_back(std::move(*next));
    left.erase(next);
  }
  out_.ghost_updates = std::move(ordered);
}

// Conditions on the state are not compiled here: the model gives its names their meaning. ghost_NAME can only be a ghost.
void compiler::note_named_ghosts(const ast::expr& e) {
  const std::string prefix = "ghost_";
  if (e.text.starts_with(prefix))
    if (const std::uint32_t g = find_ghost(e.text.substr(prefix.size())); g != unassigned) named_ghosts_.insert(g);
  for (const ast::expr& a : e.args) note_named_ghosts(a);
}

void compiler::keep_used_ghosts() {
  std::vector<bool> used(out_.ghosts.size(), false);
  for (const std::uint32_t g : named_ghosts_) used[g] = true;
  auto note = [&](term& t) {
    if (t.code == op::ghost) used[t.index] = true;
  };
  each_monitor_term(out_, note);
  for (bool more = true; more;) {
    auto before = used;
    for (auto& u : out_.ghost_updates)
      if (used[u.ghost]) each_ghost_update_term(u, note);
    more = before != used;
  }
  std::vector<std::uint32_t> number(used.size());
  std::vector<ghost> kept;
  for (std::size_t i = 0; i < used.size(); ++i) {
    number[i] = static_cast<std::uint32_t>(kept.size());
    if (used[i]) kept.push_back(out_.ghosts[i]);
  }
  std::erase_if(out_.ghost_updates, [&](const ghost_update& u) { return !used[u.ghost]; });
  auto renumber = [&](term& t) {
    if (t.code == op::ghost) t.index = number[t.index];
  };
  each_monitor_term(out_, renumber);
  for (auto& u : out_.ghost_updates) {
    u.ghost = number[u.ghost];
    each_ghost_update_term(u, renumber);
  }
  out_.ghosts = std::move(kept);
}

}  // namespace quiesce::monitors::detail
