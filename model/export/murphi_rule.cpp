// SPDX-License-Identifier: MIT
#include "model/export/murphi_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "properties/diagnostic.hpp"

namespace quiesce::exporting {

using ir::op;
using ir::operation;

namespace {

constexpr double most_combinations = 1 << 20;  // of what one step chooses
constexpr std::uint32_t done = 1000000;        // no block has this number

bool reaches(const std::vector<ir::instruction>& code, std::uint32_t from, std::uint32_t to) {
  std::set<std::uint32_t> seen;
  std::vector<std::uint32_t> todo = behind(code, from);
  while (!todo.empty()) {
    const std::uint32_t at = todo.back();
    todo.pop_back();
    if (at == to) return true;
    if (!seen.insert(at).second) continue;
    for (const std::uint32_t next : behind(code, at)) todo.push_back(next);
  }
  return false;
}

bool mentions(const ir::program& p, ir::expr_id id, ir::temp_id t, const std::function<bool(ir::type_id)>& wrong) {
  const ir::expr& e = p.exprs[id];
  if (e.code == op::temp && e.temp == t) return wrong(e.type);
  const bool quantifies = e.code == op::all || e.code == op::some || e.code == op::count || e.code == op::collect;
  if (quantifies && e.temp == t) return false;
  return std::any_of(e.kids.begin(), e.kids.end(), [&](ir::expr_id k) { return mentions(p, k, t, wrong); });
}

}  // namespace

murphi_rule::murphi_rule(const ir::program& p, murphi_terms& terms, const ir::process& q, std::uint32_t location,
                         const std::vector<std::string>& property)
    : p_(p), build_(p), terms_(terms), q_(q), code_(q.code), property_(property) {
  const std::uint32_t entry = q.locations[location].entry;
  const step_code step = code_of_step(code_, entry);
  if (q.over != ir::nothing) params_ = "self_: " + terms_.sort_name(q.over);
  terms_.bind(0, q.over == ir::nothing ? "0" : "self_");
  find_choices(step);
  body_ = region(places(step.at.begin(), step.at.end()), entry, done, 0);
  declared_ += terms_.locals();
  terms_.release(0);
}

std::string murphi_rule::variables() const { return declared_.empty() ? "" : "var\n" + declared_; }

// --- choices ---

// Choices of one kind that cannot both be on a path share a parameter. One that may be made again has several.
void murphi_rule::find_choices(const step_code& step) {
  const places cycles = step.chooses ? on_cycles(code_, step) : places{};
  std::map<std::pair<ir::sort_id, std::uint32_t>, std::vector<std::string>> shared;
  for (const std::uint32_t at : step.at) {
    const ir::instruction& i = code_[at];
    if (i.code != operation::choose) continue;
    choice& c = choices_[at];
    if (cycles.count(at)) {
      std::vector<std::string> own;
      c.counter = fmt::format("turn_{}", at);
      declared_ += fmt::format("  {}: number_;\n", c.counter);
      begin_ += fmt::format("  {} := 0;\n", c.counter);
      add_params(c, i, 0, most_turns(), own);
    } else {
      add_params(c, i, chosen_before(step, cycles, at), 1, shared[{i.sort, i.sort == ir::nothing ? i.count : 0}]);
    }
  }
  if (combinations_ > most_combinations)
    throw diagnostic(code_[step.at[0]].where, "murphi: the step that begins here chooses too often", "a smaller scope");
}

void murphi_rule::add_params(choice& c, const ir::instruction& i, std::size_t first, std::size_t times,
                             std::vector<std::string>& known) {
  const auto n = i.sort == ir::nothing ? i.count : static_cast<std::uint32_t>(build_.elements(i.sort));
  while (known.size() < first + times) {
    known.push_back(fmt::format("c{}", used_.size()));
    combinations_ *= n;
    params_ += fmt::format("{}{}: {}", params_.empty() ? "" : "; ", known.back(),
                           i.sort == ir::nothing ? fmt::format("0 .. {}", n - 1) : terms_.sort_name(i.sort));
    declared_ += fmt::format("  used_{}: boolean;\n", known.back());
    begin_ += fmt::format("  used_{} := false;\n", known.back());
    used_.emplace_back(known.back(), i.sort == ir::nothing || !terms_.scalarset(i.sort));
  }
  c.params.assign(known.begin() + static_cast<std::ptrdiff_t>(first),
                  known.begin() + static_cast<std::ptrdiff_t>(first + times));
}

std::size_t murphi_rule::chosen_before(const step_code& step, const places& cycles, std::uint32_t at) const {
  std::size_t n = 0;
  for (const std::uint32_t other : step.at) {
    const ir::instruction &x = code_[other], &y = code_[at];
    if (other == at || x.code != operation::choose || cycles.count(other) || x.sort != y.sort) continue;
    if (x.sort == ir::nothing && x.count != y.count) continue;
    n += reaches(code_, other, at);
  }
  return n;
}

// Of a loop that chooses: once for each element, once to leave it.
std::size_t murphi_rule::most_turns() const {
  std::size_t n = 1;
  for (const ir::sort& s : p_.sorts)
    if (s.counted) n = std::max(n, s.element.size());
  for (const ir::variable& v : p_.variables)
    if (v.kind == ir::variable_kind::local && v.index.size() > 1) n = std::max(n, build_.elements(v.index.back()));
  return n + 1;
}

std::string murphi_rule::choose(std::uint32_t at, const std::string& indent) {
  const ir::instruction& i = code_[at];
  const choice& c = choices_.at(at);
  const bool named = i.sort != ir::nothing && terms_.scalarset(i.sort);
  const std::string target = named ? terms_.element_temp(i.temp, i.sort) : terms_.temp(i.temp, ir::type_id{0});
  read_as_stored(at, i.temp, 0, named);
  if (c.counter.empty()) return fmt::format("{0}{1} := {2};\n{0}used_{2} := true;\n", indent, target, c.params[0]);
  std::string out;
  for (std::size_t k = 0; k < c.params.size(); ++k)
    out += fmt::format("{0}{1} {2} = {3} then {4} := {5}; used_{5} := true;\n", indent, k ? "elsif" : "if", c.counter, k,
                       target, c.params[k]);
  out += fmt::format("{0}else error \"one step chooses more often than this text provides for\"; end;\n", indent);
  return out + fmt::format("{0}{1} := {1} + 1;\n", indent, c.counter);
}

// What is read of a temp as an element of a scalarset must have been stored as one.
void murphi_rule::read_as_stored(std::uint32_t at, ir::temp_id t, ir::type_id type, bool typed) const {
  ir::sort_id stored = ir::nothing, found = ir::nothing;
  bool stored_option = false;
  if (typed && code_[at].code != operation::choose) terms_.named(type, stored, stored_option);
  if (typed && code_[at].code == operation::choose) stored = code_[at].sort;
  const auto wrong = [&](ir::type_id use) {
    ir::sort_id s = ir::nothing;
    bool option = false;
    if (!terms_.named(use, s, option)) return stored != ir::nothing && (found = stored, true);
    return (s != stored || option != stored_option) && (found = s, true);
  };
  std::set<std::uint32_t> seen;
  std::vector<std::uint32_t> todo = behind(code_, at);
  while (!todo.empty()) {
    const std::uint32_t here = todo.back();
    todo.pop_back();
    if (!seen.insert(here).second) continue;
    const ir::instruction& i = code_[here];
    bool bad = i.a != ir::nothing && mentions(p_, i.a, t, wrong);
    for (const ir::expr_id e : i.index) bad = bad || mentions(p_, e, t, wrong);
    if (bad) throw not_interchangeable{found, "an element of it is stored as a number"};
    const bool again = (i.code == operation::set_temp || i.code == operation::choose) && i.temp == t;
    if (!again)
      for (const std::uint32_t next : behind(code_, here)) todo.push_back(next);
  }
}

// --- control flow ---

// t := 0; HEAD: ...; t := t + 1; if t < n jump HEAD: over all elements of a scalarset, in whatever order.
bool murphi_rule::is_loop(std::uint32_t last, loop& out) const {
  const ir::instruction& back = code_[last];
  if (back.code != operation::jump_if || back.target == 0 || back.target + 1 > last) return false;
  const ir::instruction &start = code_[back.target - 1], &next = code_[last - 1];
  if (start.code != operation::set_temp || next.code != operation::set_temp || start.temp != next.temp) return false;
  const ir::expr &sum = p_.exprs[next.a], &test = p_.exprs[back.a], &zero = p_.exprs[start.a];
  if (sum.code != op::add || test.code != op::less || zero.code != op::constant || zero.value != 0) return false;
  const ir::expr &variable = p_.exprs[sum.kids[0]], &limit = p_.exprs[test.kids[1]];
  ir::sort_id s = ir::nothing;
  bool option = false;
  if (variable.code != op::temp || variable.temp != start.temp || !terms_.named(variable.type, s, option) || option)
    return false;
  if (limit.code != op::constant || limit.value != static_cast<std::int64_t>(build_.elements(s))) return false;
  out = {back.target, last, s};
  return true;
}

std::string murphi_rule::for_each(const loop& l, const places& all, int depth, const std::string& indent) {
  const ir::temp_id t = code_[l.head - 1].temp;
  const std::string name = fmt::format("each_{}", l.head);
  places inner;
  for (const std::uint32_t at : all)
    if (at >= l.head && at < l.last - 1) inner.insert(at);
  terms_.bind(t, name);
  const std::string turn = region(inner, l.head, l.last - 1, depth + 1);
  terms_.release(t);
  return fmt::format("{0}for {1}: {2} do\n{3}{0}end;\n", indent, name, terms_.sort_name(l.sort), turn);
}

// The instructions from `entry` until `exit` or the end of the step.
std::string murphi_rule::region(const places& all, std::uint32_t entry, std::uint32_t exit, int depth) {
  std::map<std::uint32_t, loop> loops;  // by the instruction before the first turn
  places inside, leaders{entry};
  for (auto it = all.rbegin(); it != all.rend(); ++it) {
    loop l;
    if (inside.count(*it) || !is_loop(*it, l)) continue;
    loops[l.head - 1] = l;
    for (std::uint32_t at = l.head; at <= l.last; ++at) inside.insert(at);
  }
  bool jumps = false;
  for (const std::uint32_t at : all) {
    const operation c = code_[at].code;
    if (inside.count(at) || (c != operation::jump && c != operation::jump_if)) continue;
    jumps = true;
    for (const std::uint32_t next : behind(code_, at)) leaders.insert(next);
  }
  const std::string name = depth ? fmt::format("at_{}", entry) : "at_", indent(jumps ? 6 : 2, ' ');
  std::string out;
  bool open = false;
  for (const std::uint32_t at : all) {
    if (inside.count(at)) continue;
    if (jumps && leaders.count(at)) {
      if (open) out += fmt::format("{}{} := {};\n", indent, name, at);
      out += fmt::format("    case {}:\n", at);
    }
    open = true;
    const auto l = loops.find(at);
    if (l != loops.end()) {
      out += for_each(l->second, all, depth, indent);
      const std::uint32_t next = l->second.last + 1;
      if (jumps && (leaders.count(next) || !all.count(next)))
        out += fmt::format("{}{} := {};\n", indent, name, next), open = false;
      continue;
    }
    const ir::instruction& i = code_[at];
    if (i.code == operation::jump) {
      out += fmt::format("{}{} := {};\n", indent, name, i.target);
      open = false;
    } else if (i.code == operation::jump_if) {
      out += fmt::format("{0}if {1} then {2} := {3}; else {2} := {4}; end;\n", indent, terms_.truth(build_.build(i.a, {})),
                         name, i.target, at + 1);
      open = false;
    } else {
      out += instruction(at, indent);
      if (behind(code_, at).empty()) {
        if (jumps && exit == done) out += fmt::format("{}{} := {};\n", indent, name, exit);
        open = false;
      } else if (jumps && at + 1 == exit) {
        out += fmt::format("{}{} := {};\n", indent, name, exit);
        open = false;
      }
    }
  }
  if (!jumps) return out;
  declared_ += fmt::format("  {}: number_;\n", name);
  return fmt::format("  {0} := {1};\n  while {0} != {2} do\n    switch {0}\n{3}    end;\n  end;\n", name, entry, exit, out);
}

std::string murphi_rule::instruction(std::uint32_t at, const std::string& indent) {
  const ir::instruction& i = code_[at];
  switch (i.code) {
    case operation::set:
      return assignment(i, indent);
    case operation::set_temp:
      return set_temp(at, indent);
    case operation::await: {
      const term c = build_.build(i.a, {});
      return c->constant() && c->low ? "" : fmt::format("{}assume {};\n", indent, terms_.truth(c));
    }
    case operation::choose:
      return choose(at, indent);
    case operation::emit:
      return fmt::format("{}-- {}\n", indent, p_.events[i.which].name);
    case operation::violate:
    case operation::mark: {
      if (i.code == operation::mark && !p_.properties[i.which].sometimes) return "";
      const std::string said = fmt::format("error \"{}\";", property_[i.which]);
      if (i.a == ir::nothing) return indent + said + "\n";
      return fmt::format("{}if {} then {} end;\n", indent, terms_.truth(build_.build(i.a, {})), said);
    }
    case operation::error:
      return fmt::format("{}error \"no error: {}\";\n", indent, ir::name(static_cast<ir::error_kind>(i.which)));
    case operation::bound:
      return fmt::format("{}error \"within bound: {}\";\n", indent, ir::name(static_cast<ir::bound_kind>(i.which)));
    case operation::stuck:
      return fmt::format("{}error \"no deadlock\";\n", indent);
    case operation::stop:
      return stop(i, indent);
    default:
      return "";
  }
}

// Parameters that this path did not use are 0, so that a step is one rule.
std::string murphi_rule::stop(const ir::instruction& i, const std::string& indent) {
  std::string out;
  for (const auto& [name, zero] : used_)
    if (zero) out += fmt::format("{0}assume (used_{1} | {1} = 0);\n", indent, name);
  if (q_.pc == ir::nothing) return out;
  return out +
         fmt::format("{}{}{} := {};\n", indent, terms_.place(q_.pc, {}), q_.over == ir::nothing ? "" : "[self_]", i.which);
}

std::string murphi_rule::set_temp(std::uint32_t at, const std::string& indent) {
  const ir::instruction& i = code_[at];
  const ir::type_id type = p_.exprs[i.a].type;
  ir::sort_id s = ir::nothing;
  bool option = false;
  const bool named = terms_.named(type, s, option), set = terms_.is_set(type);
  read_as_stored(at, i.temp, type, named);
  const std::string target = terms_.temp(i.temp, type);
  return terms_.assign(target, build_.build(i.a, {}), type, indent, !named && !set);
}

std::string murphi_rule::assignment(const ir::instruction& i, const std::string& indent) {
  if (i.a == ir::nothing || !i.each.empty()) throw diagnostic(i.where, "murphi: this has a meaning for any number only");
  const ir::type_id type = p_.variables[i.var].type;
  const term v = build_.build(i.a, {});
  ir::sort_id s = ir::nothing;
  bool option = false;
  std::string out;
  if (!terms_.named(type, s, option)) {
    const term fits = build_.fits(v, type);
    if (fits->constant() && !fits->low) return indent + "error \"no error: range\";\n";
    if (!fits->constant()) out = fmt::format("{}if !{} then error \"no error: range\"; end;\n", indent, terms_.truth(fits));
  }
  std::vector<term> index;
  for (const ir::expr_id e : i.index) index.push_back(build_.build(e, {}));
  return out + terms_.assign(terms_.place(i.var, index), v, type, indent);
}

}  // namespace quiesce::exporting
