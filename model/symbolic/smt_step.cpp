// SPDX-License-Identifier: MIT
// Terms that read the state behind a step.
#include "model/symbolic/smt.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "model/symbolic/smt_text.hpp"

namespace quiesce::symbolic {

// The value of f<i> at `args` behind the step.
smt_writer::cases smt_writer::new_cases(const step& s, std::size_t i, const std::vector<std::string>& args) {
  const function& f = core_.functions[i];
  const bool set = f.value->kind == type_kind::set;
  const scope outer = std::exchange(scope_, {});
  const step* const behind = std::exchange(after_, nullptr);
  for (const parameter& p : s.a->params) scope_[p.name] = {p.name, p.value};
  const auto value_of = [&](const node& n) { return set ? member(n, args.back()) : term(n, *f.value); };
  cases out{{}, call(fmt::format("f{}", i).c_str(), args)};
  if (s.from_start && !f.arbitrary) out.otherwise = set ? "false" : least(*f.value);
  for (auto u = s.a->updates.rbegin(); u != s.a->updates.rend(); ++u) {
    if (u->function != i) continue;
    const scope saved = scope_;
    std::vector<std::string> here;
    for (std::size_t k = 0; k < u->each.size(); ++k) scope_[u->each[k].first] = {args[k], element_type(u->each[k].second)};
    for (std::size_t k = 0; k < u->args.size() && u->each.empty(); ++k)
      here.push_back(fmt::format("(= {} {})", args[k], term(u->args[k], *element_type(f.args[k]))));
    const std::string place = here.size() > 1 ? fmt::format("(and {})", joined(here)) : joined(here),
                      value = value_of(u->value);
    if (here.empty())
      out = {{}, value};
    else
      out.places.insert(out.places.begin(), {place, value});
    scope_ = saved;
  }
  scope_ = outer;
  after_ = behind;
  return out;
}

namespace {
// `text` for each case, chosen by the place.
template <class F>
std::string chosen(const std::vector<std::pair<std::string, std::string>>& places, const std::string& otherwise, F text) {
  std::string out = text(otherwise);
  for (auto p = places.rbegin(); p != places.rend(); ++p)
    out = fmt::format("(ite {} {} {})", p->first, text(p->second), out);
  return out;
}
}  // namespace

std::string smt_writer::new_value(const step& s, std::size_t i, const std::vector<std::string>& args) {
  const cases c = new_cases(s, i, args);
  return chosen(c.places, c.otherwise, [](const std::string& value) { return value; });
}

// What is said behind the step, with the labels of large enumerations in place of their applications.
std::string smt_writer::with_labels(std::string text) const {
  for (const auto& label : labels_)
    text = chosen(label.second.places, label.second.otherwise,
                  [&](const std::string& value) { return replaced(text, label.first, value); });
  return text;
}

bool changes(const core& c, const step& s, std::size_t i) {
  if (s.from_start && !c.functions[i].arbitrary) return true;
  return std::any_of(s.a->updates.begin(), s.a->updates.end(), [&](const update& u) { return u.function == i; });
}

// What is known of it: its value at these arguments or, where they depend on bound variables, at all.
std::string smt_writer::new_application(std::size_t i, const std::vector<std::string>& args) {
  const std::string name = call(fmt::format("f{}!", i).c_str(), args);
  const bool everywhere =
      std::any_of(args.begin(), args.end(), [](const auto& a) { return a.find('q') != std::string::npos; });
  if (!everywhere && numbered(*core_.functions[i].value)) {
    if (!labels_.count(name)) labels_[name] = new_cases(*after_, i, args);
    return name;
  }
  const std::string key = everywhere ? fmt::format("f{}!", i) : name;
  if (!points_.count(key))
    points_[key] =
        everywhere ? definition(*after_, i) : fmt::format("(assert (= {} {}))\n", name, new_value(*after_, i, args));
  return name;
}

std::string smt_writer::definition(const step& s, std::size_t i) {
  const function& f = core_.functions[i];
  const int around = std::exchange(depth_, 0);
  std::vector<std::string> args;
  binders over;
  for (std::size_t k = 0; k < f.args.size() + (f.value->kind == type_kind::set ? 1 : 0); ++k) {
    args.push_back(fresh());
    over.emplace_back(args.back(), k < f.args.size() ? f.args[k] : f.value->sort);
  }
  const std::string is = fmt::format("(= {} {})", call(fmt::format("f{}!", i).c_str(), args), new_value(s, i, args));
  depth_ = around;
  return asserted(quantifier("forall", over, is));
}

std::string smt_writer::new_functions(const step& s) const {
  std::string out;
  for (std::size_t i = 0; i < core_.functions.size(); ++i)
    if (changes(core_, s, i)) out += declaration(i, "!");
  return out;
}

std::string smt_writer::definitions(const step& s) {
  std::string out;
  for (std::size_t i = 0; i < core_.functions.size(); ++i)
    if (changes(core_, s, i)) out += definition(s, i);
  return out;
}

invariant_at smt_writer::at_elements(const node& whole, const step& s) {
  invariant_at out;
  scope_.clear();
  points_.clear();
  labels_.clear();
  const node* n = &whole;
  for (std::size_t k = 1; n->is("all"); ++k, n = &(*n)[2]) {
    const std::size_t of = core_.sort_number.at((*n)[1][1].text);
    const std::string x = fmt::format("x{}!", k);
    scope_[(*n)[1][0].text] = {x, element_type(of)};
    out.elements += fmt::format("(declare-fun {} () {})\n", x, sort_text(of));
  }
  out.before = term(*n, *boolean_);
  after_ = &s;
  out.after = with_labels(term(*n, *boolean_));
  after_ = nullptr;
  for (const auto& [key, fact] : points_) out.points += fact;
  return out;
}

invariant_at smt_writer::range_at_elements(std::size_t i, const step& s) {
  invariant_at out;
  const function& f = core_.functions[i];
  std::vector<std::string> args;
  for (const std::size_t of : f.args) {
    args.push_back(fmt::format("x{}!", args.size() + 1));
    out.elements += fmt::format("(declare-fun {} () {})\n", args.back(), sort_text(of));
  }
  points_.clear();
  labels_.clear();
  after_ = &s;
  out.before = in_range(*f.value, call(fmt::format("f{}", i).c_str(), args));
  out.after =
      in_range(*f.value, changes(core_, s, i) ? new_application(i, args) : call(fmt::format("f{}", i).c_str(), args));
  after_ = nullptr;
  for (const auto& [key, fact] : points_) out.points += fact;
  return out;
}

}  // namespace quiesce::symbolic
