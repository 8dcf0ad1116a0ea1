// SPDX-License-Identifier: MIT
#include "tests/property/naive_monitor.hpp"

#include <algorithm>
#include <stdexcept>

namespace quiesce::test {

namespace {

bool same(const naive_value& a, const naive_value& b) {
  if (a.nothing || b.nothing) return false;
  return a.none || b.none ? a.none == b.none : a.number == b.number;
}

bool ends_with(const std::string& s, const std::string& tail) {
  return s.size() > tail.size() && s.compare(s.size() - tail.size(), tail.size(), tail) == 0;
}

std::string kind_of_begin(const naive_event& e) { return e.name.substr(0, e.name.size() - 6); }

}  // namespace

naive_monitor::naive_monitor(const ast::vocabulary& v, std::vector<naive_event> trace,
                             std::map<std::string, std::int64_t> declared, std::map<std::int64_t, std::int64_t> loopbacks)
    : vocabulary_(v), trace_(std::move(trace)), declared_(std::move(declared)), loopbacks_(std::move(loopbacks)) {
  replay();
}

const ast::span_decl* naive_monitor::span_kind(const std::string& name) const {
  for (const auto& s : vocabulary_.spans)
    if (s.name == name) return &s;
  return nullptr;
}

void naive_monitor::replay() {
  std::map<std::int64_t, std::vector<std::size_t>> open;
  std::map<std::string, std::vector<bool>> seen;
  std::map<std::string, naive_value> ghosts;
  auto see = [&](const std::string& sort, std::int64_t n) {
    auto& present = seen[sort];
    if (present.size() <= static_cast<std::size_t>(n)) present.resize(static_cast<std::size_t>(n) + 1, false);
    present[static_cast<std::size_t>(n)] = true;
  };
  for (const auto& [sort, count] : declared_)
    for (std::int64_t n = 0; n < count; ++n) see(sort, n);
  for (std::size_t i = 0; i < trace_.size(); ++i) {
    const naive_event& e = trace_[i];
    for (const auto& decl : vocabulary_.events) {
      if (decl.name != e.name) continue;
      for (std::size_t a = 0; a < decl.params.size(); ++a) {
        if (decl.params[a].kind == ast::type_kind::named) see(decl.params[a].text, e.args[a]);
        if (decl.params[a].kind == ast::type_kind::option && e.args[a] > 0) see(decl.params[a].args[0].text, e.args[a] - 1);
      }
    }
    if (ends_with(e.name, "_begin"))
      for (std::int64_t m : e.members) see(span_kind(kind_of_begin(e))->params[0].args[0].text, m);
    if (ends_with(e.name, "_begin")) open[e.process].push_back(i);
    stacks_.push_back(open[e.process]);
    universe_.push_back(seen);
    ghosts_.push_back(ghosts);
    auto next = ghosts;
    for (const auto& g : vocabulary_.ghosts)
      for (const auto& u : g.updates) {
        if (u.event != e.name) continue;
        assignment a;
        for (std::size_t k = 0; k < u.args.size(); ++k)
          if (u.args[k].kind == ast::expr_kind::name) a.values[u.args[k].text] = {false, false, e.args[k]};
        std::string key = g.name;
        for (const auto& index : u.target.args) key += "," + std::to_string(value(index, i, a).number);
        next[key] = value(u.value, i, a);
      }
    ghosts = next;
    if (ends_with(e.name, "_end")) open[e.process].pop_back();
  }
}

std::vector<naive_value> naive_monitor::domain(const ast::type_expr& t, std::size_t at) const {
  std::vector<naive_value> values;
  switch (t.kind) {
    case ast::type_kind::boolean:
      return {{false, false, 0}, {false, false, 1}};
    case ast::type_kind::range:
      for (std::int64_t v = t.bounds[0].value; v <= t.bounds[1].value; ++v) values.push_back({false, false, v});
      return values;
    case ast::type_kind::option:
      values = domain(t.args[0], at);
      values.push_back({true, false, 0});
      return values;
    case ast::type_kind::named: {
      auto found = universe_[at].find(t.text);
      if (found == universe_[at].end()) return values;
      for (std::size_t n = 0; n < found->second.size(); ++n)
        if (found->second[n]) values.push_back({false, false, static_cast<std::int64_t>(n)});
      return values;
    }
    default:
      throw std::logic_error("a type that the test does not use");
  }
}

bool naive_monitor::member(const ast::expr& set, const naive_value& v, std::size_t at, assignment& a) {
  if (set.kind == ast::expr_kind::set_literal)
    return std::any_of(set.args.begin(), set.args.end(), [&](const auto& x) { return same(v, value(x, at, a)); });
  const auto& members = trace_[a.spans.at(set.args[0].text)].members;
  return !v.none && !v.nothing && std::find(members.begin(), members.end(), v.number) != members.end();
}

bool naive_monitor::match(const ast::event_pattern& p, std::size_t at, assignment& a) {
  const naive_event& e = trace_[at];
  if (e.name != p.event) return false;
  const auto& stack = stacks_[at];
  if (p.place != ast::placement::anywhere) {
    std::size_t span = a.spans.at(p.span);
    if (p.place == ast::placement::in && (stack.empty() || stack.back() != span)) return false;
    if (p.place == ast::placement::within && std::find(stack.begin(), stack.end(), span) == stack.end()) return false;
  }
  std::vector<bool> option(p.args.size(), false);
  for (const auto& decl : vocabulary_.events)
    if (decl.name == e.name)
      for (std::size_t i = 0; i < p.args.size(); ++i) option[i] = decl.params[i].kind == ast::type_kind::option;
  for (std::size_t i = 0; i < p.args.size(); ++i) {
    if (p.args[i].kind == ast::expr_kind::wildcard) continue;
    naive_value actual{option[i] && e.args[i] == 0, false, option[i] ? e.args[i] - 1 : e.args[i]};
    if (!same(actual, value(p.args[i], at, a))) return false;
  }
  return p.when.empty() || truth(p.when[0], at, a);
}

bool naive_monitor::any_match(const std::vector<ast::event_pattern>& patterns, std::size_t from, std::size_t at,
                              assignment& a) {
  return std::any_of(patterns.begin() + static_cast<std::ptrdiff_t>(from), patterns.end(),
                     [&](const auto& p) { return match(p, at, a); });
}

bool naive_monitor::temporal(const ast::expr& e, std::size_t at, assignment& a, std::int64_t& count) {
  count = 0;
  for (std::size_t j = 0; j < at; ++j) {
    if (e.kind != ast::expr_kind::since) {
      count += any_match(e.patterns, 0, j, a);
      continue;
    }
    if (!match(e.patterns[0], j, a)) continue;
    bool ended = false;
    for (std::size_t k = j + 1; k < at; ++k) ended = ended || any_match(e.patterns, 1, k, a);
    count += !ended;
  }
  return count > 0;
}

std::int64_t naive_monitor::quantified(const ast::expr& e, std::size_t binder, std::size_t at, assignment& a) {
  if (binder == e.binders.size()) {
    if (e.args.size() > 1 && !truth(e.args[1], at, a)) return e.text == "all";
    return truth(e.args[0], at, a);
  }
  const ast::binder& b = e.binders[binder];
  ast::type_expr type;
  bool in_set = b.type.empty();
  if (in_set) {
    type.kind = ast::type_kind::named;
    type.text = "dev";  // every span of the test has a set of devices
  } else {
    type = b.type[0];
  }
  std::int64_t number = 0, total = 0;
  for (const naive_value& v : domain(type, at)) {
    if (in_set && !member(b.domain[0], v, at, a)) continue;
    a.values[b.name] = v;
    ++total;
    number += quantified(e, binder + 1, at, a);
  }
  a.values.erase(b.name);
  if (e.text == "all") return number == total;
  return e.text == "some" ? number > 0 : number;
}

bool naive_monitor::truth(const ast::expr& e, std::size_t at, assignment& a) { return value(e, at, a).number != 0; }

naive_value naive_monitor::apply(const ast::expr& e, std::size_t at, assignment& a) {
  if (e.text == "lo") {
    auto found = loopbacks_.find(value(e.args[0], at, a).number);
    return found == loopbacks_.end() ? naive_value{false, true, 0} : naive_value{false, false, found->second};
  }
  if (e.text == "value") return value(e.args[0], at, a);
  if (e.text == "outermost" || e.text == "innermost") {
    std::size_t span = a.spans.at(e.args[0].text);
    const auto& stack = stacks_[at];
    auto here = std::find(stack.begin(), stack.end(), span);
    auto same_kind = [&](std::size_t other) { return trace_[other].name == trace_[span].name; };
    bool outer = std::none_of(stack.begin(), here, same_kind),
         inner = here == stack.end() || std::none_of(here + 1, stack.end(), same_kind);
    return {false, false, e.text == "outermost" ? outer : inner};
  }
  std::string key = e.text;
  for (const auto& x : e.args) {
    naive_value index = value(x, at, a);
    key += "," + (index.nothing ? "nothing" : std::to_string(index.number));
  }
  auto found = ghosts_[at].find(key);
  if (found != ghosts_[at].end()) return found->second;
  return {};  // every ghost of the test starts with false or element 0
}

naive_value naive_monitor::binary(const ast::expr& e, std::size_t at, assignment& a) {
  auto number = [](std::int64_t n) { return naive_value{false, false, n}; };
  if (e.text == "&&") return number(truth(e.args[0], at, a) && truth(e.args[1], at, a));
  if (e.text == "||") return number(truth(e.args[0], at, a) || truth(e.args[1], at, a));
  if (e.text == "=>") return number(!truth(e.args[0], at, a) || truth(e.args[1], at, a));
  if (e.text == "in") return number(member(e.args[1], value(e.args[0], at, a), at, a));
  naive_value x = value(e.args[0], at, a), y = value(e.args[1], at, a);
  if (e.text == "==" || e.text == "<=>") return number(same(x, y));
  if (e.text == "!=") return number(!same(x, y));
  if (e.text == "<") return number(x.number < y.number);
  if (e.text == "<=") return number(x.number <= y.number);
  if (e.text == ">") return number(x.number > y.number);
  if (e.text == ">=") return number(x.number >= y.number);
  if (e.text == "+") return number(x.number + y.number);
  if (e.text == "-") return number(x.number - y.number);
  if (e.text == "*") return number(x.number * y.number);
  throw std::logic_error("an operator that the test does not use: " + e.text);
}

naive_value naive_monitor::value(const ast::expr& e, std::size_t at, assignment& a) {
  using ast::expr_kind;
  std::int64_t count = 0;
  switch (e.kind) {
    case expr_kind::boolean:
    case expr_kind::integer:
      return {false, false, e.value};
    case expr_kind::none:
      return {true, false, 0};
    case expr_kind::name: {
      auto found = a.values.find(e.text);
      if (found != a.values.end()) return found->second;
      if (e.text == "init_net") return {};
      return apply(e, at, a);
    }
    case expr_kind::apply:
      return apply(e, at, a);
    case expr_kind::unary:
      return {false, false, e.text == "!" ? !truth(e.args[0], at, a) : -value(e.args[0], at, a).number};
    case expr_kind::binary:
      return binary(e, at, a);
    case expr_kind::conditional:
      return truth(e.args[0], at, a) ? value(e.args[1], at, a) : value(e.args[2], at, a);
    case expr_kind::quantified:
      return {false, false, quantified(e, 0, at, a)};
    case expr_kind::is_named:
      for (const auto& [n, d] : loopbacks_)
        if (universe_[at].at("net").size() > static_cast<std::size_t>(n) &&
            universe_[at].at("net")[static_cast<std::size_t>(n)] && same(value(e.args[0], at, a), {false, false, d}))
          return {false, false, 1};
      return {};
    case expr_kind::count_events:
      temporal(e, at, a, count);
      return {false, false, count};
    case expr_kind::earlier:
    case expr_kind::since:
      return {false, false, temporal(e, at, a, count)};
    default:
      throw std::logic_error("an expression that the test does not use");
  }
}

bool naive_monitor::violated(const ast::property& p, std::size_t at, assignment& a) {
  std::int64_t count = 0;
  ast::expr before;
  before.kind = ast::expr_kind::count_events;
  before.patterns = p.patterns;
  switch (p.kind) {
    case ast::property_kind::requires_:
      return any_match(p.patterns, 0, at, a) && !truth(p.condition[0], at, a);
    case ast::property_kind::sometimes:
    case ast::property_kind::never:
      return any_match(p.patterns, 0, at, a);
    case ast::property_kind::after_never:
      return any_match(p.forbidden, 0, at, a) && temporal(before, at, a, count);
    case ast::property_kind::at_most:
      temporal(before, at, a, count);
      return any_match(p.patterns, 0, at, a) && count >= p.limit;
    case ast::property_kind::at_end: {
      std::size_t span = a.spans.at(p.span);
      return trace_[at].name == kind_of_begin(trace_[span]) + "_end" && stacks_[at].back() == span &&
             !truth(p.condition[0], at, a);
    }
    default:
      throw std::logic_error("a kind of property that the test does not use");
  }
}

void naive_monitor::instances(const ast::property& p, std::size_t binder, std::size_t at, assignment& a,
                              std::vector<naive_violation>& out) {
  if (binder == p.binders.size()) {
    if (violated(p, at, a)) out.push_back({at, a.values, a.spans});
    return;
  }
  const ast::binder& b = p.binders[binder];
  if (!b.type.empty() && b.type[0].kind == ast::type_kind::named && span_kind(b.type[0].text)) {
    for (std::size_t span : stacks_[at]) {
      if (trace_[span].name != b.type[0].text + "_begin") continue;
      a.spans[b.name] = span;
      instances(p, binder + 1, at, a, out);
    }
    a.spans.erase(b.name);
    return;
  }
  ast::type_expr devices;
  devices.kind = ast::type_kind::named;
  devices.text = "dev";
  for (const naive_value& v : domain(b.type.empty() ? devices : b.type[0], at)) {
    if (b.type.empty() && !member(b.domain[0], v, at, a)) continue;
    a.values[b.name] = v;
    instances(p, binder + 1, at, a, out);
  }
  a.values.erase(b.name);
}

std::vector<naive_violation> naive_monitor::violations(const ast::property& p) {
  std::vector<naive_violation> out;
  for (std::size_t i = 0; i < trace_.size(); ++i) {
    assignment a;
    instances(p, 0, i, a, out);
  }
  return out;
}

std::vector<std::size_t> naive_monitor::matches(const ast::property& p) {
  std::vector<std::size_t> events;
  for (const auto& v : violations(p))
    if (events.empty() || events.back() != v.event) events.push_back(v.event);
  return events;
}

}  // namespace quiesce::test
