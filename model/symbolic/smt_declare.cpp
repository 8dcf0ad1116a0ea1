// SPDX-License-Identifier: MIT
// Sorts, types, numbers and functions in SMT-LIB 2.
#include "model/symbolic/smt.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "model/symbolic/smt_text.hpp"

namespace quiesce::symbolic {

smt_writer::smt_writer(const core& c, reading r)
    : core_(c), reading_(r), boolean_(simple(type_kind::boolean)), integer_(simple(type_kind::integer)) {
  for (const function& f : c.functions) note_type(f.value);
  for (const auto* list : {&c.initial, &c.actions})
    for (const action& a : *list)
      for (const parameter& p : a.params) note_type(p.value);
}

void smt_writer::note_type(const type_ref& t) {
  auto& list = t->kind == type_kind::enumeration ? enumerations_ : options_;
  if (t->kind == type_kind::option) note_type(t->inner);
  if (t->kind != type_kind::option && t->kind != type_kind::enumeration) return;
  for (const type_ref& known : list)
    if (same(*known, *t)) return;
  list.push_back(t);
}

namespace {
std::size_t find(const std::vector<type_ref>& list, const type& t) {
  for (std::size_t i = 0; i < list.size(); ++i)
    if (same(*list[i], t)) return i;
  throw core_error("a term has a type that no function has");
}
}  // namespace

std::size_t smt_writer::enumeration(const type& t) const { return find(enumerations_, t); }
std::size_t smt_writer::option(const type& t) const { return find(options_, t); }

std::string smt_writer::sort_text(std::size_t s) const { return fmt::format("S{}", s); }

bool smt_writer::numbered(const type& t) const {
  return reading_ == reading::proofs && t.kind == type_kind::enumeration && t.labels.size() > most_labels;
}

std::vector<std::string> smt_writer::elements_of(std::size_t i) const {
  const sort& s = core_.sorts[i];
  const bool any = s.kind == sort_kind::any;
  std::vector<std::string> out, made;
  for (std::size_t c = 0; c < s.constructors.size(); ++c)
    for (const std::string& of : elements_of(s.constructors[c].second)) made.push_back(fmt::format("(c{}_{} {})", i, c, of));
  const std::size_t own = s.elements.size() + (any ? made.size() + 1 : 0);
  for (std::size_t k = 0; k < own; ++k) out.push_back(fmt::format("{}{}_{}", any ? "u" : "e", i, k));
  if (!any) out.insert(out.end(), made.begin(), made.end());
  return out;
}

std::string smt_writer::type_text(const type& t) const {
  switch (t.kind) {
    case type_kind::boolean:
      return "Bool";
    case type_kind::integer:
      return "Int";
    case type_kind::enumeration:
      return numbered(t) ? "Int" : fmt::format("E{}", enumeration(t));
    case type_kind::element:
      return sort_text(t.sort);
    case type_kind::option:
      return fmt::format("O{}", option(t));
    case type_kind::set:
      break;
  }
  throw core_error("a set stands where a single value is expected");
}

std::string smt_writer::literal(const type& t, std::int64_t v) const {
  switch (t.kind) {
    case type_kind::boolean:
      return v ? "true" : "false";
    case type_kind::integer:
      return v < 0 ? fmt::format("(- {})", -v) : std::to_string(v);
    case type_kind::enumeration:
      if (v < 0 || static_cast<std::size_t>(v) >= t.labels.size()) break;
      return numbered(t) ? std::to_string(v) : fmt::format("E{}_{}", enumeration(t), v);
    case type_kind::element:
      if (v < 0 || static_cast<std::size_t>(v) >= core_.sorts[t.sort].elements.size()) break;
      return fmt::format("e{}_{}", t.sort, v);
    case type_kind::option:
      if (v == 0) return fmt::format("n{}", option(t));
      return fmt::format("(s{} {})", option(t),
                         literal(*t.inner, v - 1 + (t.inner->kind == type_kind::integer ? t.inner->low : 0)));
    case type_kind::set:
      break;
  }
  throw core_error(fmt::format("the number {} is no value of its type", v));
}

std::string smt_writer::least(const type& t) const { return literal(t, t.kind == type_kind::integer ? t.low : 0); }

std::string smt_writer::prelude() const {
  std::string out, later;
  for (std::size_t i = 0; i < core_.sorts.size(); ++i) {
    const sort& s = core_.sorts[i];
    if (s.kind == sort_kind::any) {
      if (reading_ == reading::states)
        out += fmt::format("(declare-datatypes ((S{} 0)) ((({}))))\n", i, fmt::join(elements_of(i), ") ("));
      else
        out += fmt::format("(declare-sort S{} 0)\n", i);
      for (std::size_t k = 0; k < s.elements.size(); ++k) later += fmt::format("(declare-fun e{}_{} () S{})\n", i, k, i);
      for (std::size_t a = 0; a < s.elements.size(); ++a)
        for (std::size_t b = a + 1; b < s.elements.size(); ++b)
          later += fmt::format("(assert (not (= e{0}_{1} e{0}_{2})))\n", i, a, b);
      for (std::size_t c = 0; c < s.constructors.size(); ++c) {
        const std::size_t of = s.constructors[c].second;
        later += fmt::format("(declare-fun c{0}_{1} (S{2}) S{0})\n(declare-fun d{0}_{1} (S{0}) S{2})\n", i, c, of);
        later += asserted(quantifier("forall", {{"q1", of}}, fmt::format("(= (d{0}_{1} (c{0}_{1} q1)) q1)", i, c)));
        for (std::size_t k = 0; k < s.elements.size(); ++k)
          later += asserted(quantifier("forall", {{"q1", of}}, fmt::format("(not (= (c{0}_{1} q1) e{0}_{2}))", i, c, k)));
        for (std::size_t b = 0; b < c; ++b)
          later += asserted(quantifier("forall", {{"q1", of}, {"q2", s.constructors[b].second}},
                                       fmt::format("(not (= (c{0}_{1} q1) (c{0}_{2} q2)))", i, c, b)));
      }
      continue;
    }
    std::string all;
    for (std::size_t k = 0; k < s.elements.size(); ++k) all += fmt::format(" (e{}_{})", i, k);
    for (std::size_t c = 0; c < s.constructors.size(); ++c)
      all += fmt::format(" (c{0}_{1} (d{0}_{1} S{2}))", i, c, s.constructors[c].second);
    if (all.empty()) all = fmt::format(" (e{}_0)", i);
    out += fmt::format("(declare-datatypes ((S{} 0)) (({})))\n", i, all.substr(1));
  }
  for (std::size_t j = 0; j < enumerations_.size(); ++j) {
    if (numbered(*enumerations_[j])) continue;
    std::string all;
    for (std::size_t k = 0; k < enumerations_[j]->labels.size(); ++k) all += fmt::format("{}(E{}_{})", k ? " " : "", j, k);
    out += fmt::format("(declare-datatypes ((E{} 0)) (({})))\n", j, all);
  }
  for (std::size_t j = 0; j < options_.size(); ++j)
    out += fmt::format("(declare-datatypes ((O{0} 0)) (((n{0}) (s{0} (v{0} {1})))))\n", j, type_text(*options_[j]->inner));
  out += later;
  for (std::size_t i = 0; i < core_.functions.size(); ++i) out += declaration(i, "");
  return out;
}

std::string smt_writer::declaration(std::size_t i, const char* suffix) const {
  const function& f = core_.functions[i];
  std::vector<std::string> args;
  for (const std::size_t s : f.args) args.push_back(sort_text(s));
  const bool set = f.value->kind == type_kind::set;
  if (set) args.push_back(sort_text(f.value->sort));
  return fmt::format("(declare-fun f{}{} ({}) {})\n", i, suffix, joined(args), set ? "Bool" : type_text(*f.value));
}

std::string smt_writer::in_range(const type& t, const std::string& v) const {
  if (t.kind == type_kind::integer) {
    const std::string low = fmt::format("(<= {} {})", literal(t, t.low), v);
    return t.unlimited ? low : fmt::format("(and {} (<= {} {}))", low, v, literal(t, t.high));
  }
  if (t.kind != type_kind::option) return "true";
  const std::size_t j = option(t);
  const std::string inner = in_range(*t.inner, fmt::format("(v{} {})", j, v));
  return inner == "true" ? inner : fmt::format("(or (= {} n{}) {})", v, j, inner);
}

std::string smt_writer::about_values(std::size_t i, const std::function<std::string(const std::string&)>& what) const {
  const function& f = core_.functions[i];
  std::vector<std::string> args;
  for (std::size_t k = 0; k < f.args.size(); ++k) args.push_back(fmt::format("q{}", k + 1));
  std::string body = what(call(fmt::format("f{}", i).c_str(), args));
  if (body == "true") return "";
  for (std::size_t k = args.size(); k-- > 0;) body = quantifier("forall", {{args[k], f.args[k]}}, body);
  return body;
}

std::string smt_writer::range(std::size_t i) const {
  return about_values(i, [&](const std::string& v) { return in_range(*core_.functions[i].value, v); });
}

std::string smt_writer::labels() const {
  std::string out;
  for (std::size_t i = 0; i < core_.functions.size(); ++i) {
    const type& t = *core_.functions[i].value;
    if (!numbered(t)) continue;
    const auto is_label = [&](const std::string& v) {
      return fmt::format("(and (<= 0 {0}) (< {0} {1}))", v, t.labels.size());
    };
    out += asserted(about_values(i, is_label));
  }
  return out;
}

std::string smt_writer::parameters(const action& a) {
  std::string out;
  for (const parameter& p : a.params) {
    if (p.value->kind == type_kind::set) {
      out += fmt::format("(declare-fun {} ({}) Bool)\n", p.name, sort_text(p.value->sort));
      continue;
    }
    out += fmt::format("(declare-fun {} () {})\n", p.name, type_text(*p.value));
    if (const std::string r = in_range(*p.value, p.name); r != "true") out += fmt::format("(assert {})\n", r);
  }
  return out;
}

}  // namespace quiesce::symbolic
