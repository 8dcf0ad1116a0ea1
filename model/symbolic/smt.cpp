// SPDX-License-Identifier: MIT
#include "model/symbolic/smt.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace quiesce::symbolic {

namespace {

type_ref simple(type_kind k) {
  auto t = std::make_shared<type>();
  t->kind = k;
  t->unlimited = true;
  t->low = -1;
  return t;
}

type_ref element_type(std::size_t sort) {
  auto t = std::make_shared<type>();
  t->kind = type_kind::element;
  t->sort = sort;
  return t;
}

type_ref set_type(std::size_t sort) {
  auto t = std::make_shared<type>();
  t->kind = type_kind::set;
  t->sort = sort;
  return t;
}

bool is_number(const node& n) {
  if (!n.atom || n.quoted || n.text.empty()) return false;
  const std::size_t sign = n.text[0] == '-' ? 1 : 0;
  return n.text.size() > sign && n.text.find_first_not_of("0123456789", sign) == std::string::npos;
}

bool is_zero(const node& n) { return is_number(n) && n.text == "0"; }

bool one_of(const std::string& text, std::initializer_list<const char*> words) {
  for (const char* w : words)
    if (text == w) return true;
  return false;
}

std::string joined(const std::vector<std::string>& parts) { return fmt::format("{}", fmt::join(parts, " ")); }

}  // namespace

std::set<std::size_t> functions_in(const core& c, const node& n) {
  std::set<std::size_t> out;
  if (n.atom) return out;
  if (n.is("f")) {
    const auto it = c.function_number.find(n[1].text);
    if (it != c.function_number.end()) out.insert(it->second);
  }
  for (const node& kid : n.kids) out.merge(functions_in(c, kid));
  return out;
}

smt_writer::smt_writer(const core& c)
    : core_(c), boolean_(simple(type_kind::boolean)), integer_(simple(type_kind::integer)) {
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

std::string smt_writer::type_text(const type& t) const {
  switch (t.kind) {
    case type_kind::boolean:
      return "Bool";
    case type_kind::integer:
      return "Int";
    case type_kind::enumeration:
      return fmt::format("E{}", enumeration(t));
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
      return fmt::format("E{}_{}", enumeration(t), v);
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

// --- declarations --------------------------------------------------------------------------------------------------------

std::string smt_writer::prelude() const {
  std::string out, later;
  for (std::size_t i = 0; i < core_.sorts.size(); ++i) {
    const sort& s = core_.sorts[i];
    if (s.kind == sort_kind::any) {
      out += fmt::format("(declare-sort S{} 0)\n", i);
      for (std::size_t k = 0; k < s.elements.size(); ++k) later += fmt::format("(declare-fun e{}_{} () S{})\n", i, k, i);
      for (std::size_t a = 0; a < s.elements.size(); ++a)
        for (std::size_t b = a + 1; b < s.elements.size(); ++b)
          later += fmt::format("(assert (not (= e{0}_{1} e{0}_{2})))\n", i, a, b);
      for (std::size_t c = 0; c < s.constructors.size(); ++c) {
        const std::size_t of = s.constructors[c].second;
        later += fmt::format("(declare-fun c{0}_{1} (S{2}) S{0})\n(declare-fun d{0}_{1} (S{0}) S{2})\n", i, c, of);
        later += fmt::format("(assert (forall ((q1 S{2})) (= (d{0}_{1} (c{0}_{1} q1)) q1)))\n", i, c, of);
        for (std::size_t k = 0; k < s.elements.size(); ++k)
          later += fmt::format("(assert (forall ((q1 S{2})) (not (= (c{0}_{1} q1) e{0}_{3}))))\n", i, c, of, k);
        for (std::size_t b = 0; b < c; ++b)
          later += fmt::format("(assert (forall ((q1 S{2}) (q2 S{4})) (not (= (c{0}_{1} q1) (c{0}_{3} q2)))))\n", i, c, of,
                               b, s.constructors[b].second);
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

std::string smt_writer::few() const {
  std::string out;
  std::vector<std::size_t> many;
  for (std::size_t i = 0; i < core_.sorts.size(); ++i) {
    const sort& s = core_.sorts[i];
    many.push_back(s.elements.size() + 1);
    for (const auto& [name, of] : s.constructors) many[i] += of < i ? many[of] : 2;
    if (s.kind != sort_kind::any) continue;
    std::string among;
    for (std::size_t k = 0; k < many[i]; ++k) {
      out += fmt::format("(declare-fun u{}_{} () S{})\n", i, k, i);
      among += fmt::format(" (= q1 u{}_{})", i, k);
    }
    out += fmt::format("(assert (forall ((q1 S{})) (or{})))\n", i, among);
  }
  return out;
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

std::string smt_writer::range(std::size_t i) const {
  const function& f = core_.functions[i];
  std::vector<std::string> args, binders;
  for (std::size_t k = 0; k < f.args.size(); ++k) {
    args.push_back(fmt::format("q{}", k + 1));
    binders.push_back(fmt::format("(q{} {})", k + 1, sort_text(f.args[k])));
  }
  const std::string body = in_range(*f.value, call(fmt::format("f{}", i).c_str(), args));
  if (body == "true") return "";
  return args.empty() ? body : fmt::format("(forall ({}) {})", joined(binders), body);
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

// The value of f<i> at `args` behind the step.
std::string smt_writer::new_value(const step& s, std::size_t i, const std::vector<std::string>& args) {
  const function& f = core_.functions[i];
  const bool set = f.value->kind == type_kind::set;
  const scope outer = std::exchange(scope_, {});
  const step* const behind = std::exchange(after_, nullptr);
  for (const parameter& p : s.a->params) scope_[p.name] = {p.name, p.value};
  const auto value_of = [&](const node& n) { return set ? member(n, args.back()) : term(n, *f.value); };
  std::string now = call(fmt::format("f{}", i).c_str(), args);
  if (s.from_start && !f.arbitrary) now = set ? "false" : least(*f.value);
  for (auto u = s.a->updates.rbegin(); u != s.a->updates.rend(); ++u) {
    if (u->function != i) continue;
    const scope saved = scope_;
    std::vector<std::string> here;
    for (std::size_t k = 0; k < u->each.size(); ++k) scope_[u->each[k].first] = {args[k], element_type(u->each[k].second)};
    for (std::size_t k = 0; k < u->args.size() && u->each.empty(); ++k)
      here.push_back(fmt::format("(= {} {})", args[k], term(u->args[k], *element_type(f.args[k]))));
    const std::string place = here.size() > 1 ? fmt::format("(and {})", joined(here)) : joined(here),
                      value = value_of(u->value);
    now = here.empty() ? value : fmt::format("(ite {} {} {})", place, value, now);
    scope_ = saved;
  }
  scope_ = outer;
  after_ = behind;
  return now;
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
  const std::string key = everywhere ? fmt::format("f{}!", i) : name;
  if (!points_.count(key))
    points_[key] =
        everywhere ? definition(*after_, i) : fmt::format("(assert (= {} {}))\n", name, new_value(*after_, i, args));
  return name;
}

std::string smt_writer::definition(const step& s, std::size_t i) {
  const function& f = core_.functions[i];
  const int around = std::exchange(depth_, 0);
  std::vector<std::string> args, binders;
  for (std::size_t k = 0; k < f.args.size() + (f.value->kind == type_kind::set ? 1 : 0); ++k) {
    args.push_back(fresh());
    binders.push_back(fmt::format("({} {})", args.back(), sort_text(k < f.args.size() ? f.args[k] : f.value->sort)));
  }
  const std::string is = fmt::format("(= {} {})", call(fmt::format("f{}!", i).c_str(), args), new_value(s, i, args));
  depth_ = around;
  return args.empty() ? fmt::format("(assert {})\n", is) : fmt::format("(assert (forall ({}) {}))\n", joined(binders), is);
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

// --- terms ---------------------------------------------------------------------------------------------------------------

std::string smt_writer::condition(const node& n, const action* a) {
  scope_.clear();
  if (a)
    for (const parameter& p : a->params) scope_[p.name] = {p.name, p.value};
  return term(n, *boolean_);
}

invariant_at smt_writer::at_elements(const node& whole, const step& s) {
  invariant_at out;
  scope_.clear();
  points_.clear();
  const node* n = &whole;
  for (std::size_t k = 1; n->is("all"); ++k, n = &(*n)[2]) {
    const std::size_t of = core_.sort_number.at((*n)[1][1].text);
    const std::string x = fmt::format("x{}!", k);
    scope_[(*n)[1][0].text] = {x, element_type(of)};
    out.elements += fmt::format("(declare-fun {} () {})\n", x, sort_text(of));
  }
  out.before = term(*n, *boolean_);
  after_ = &s;
  out.after = term(*n, *boolean_);
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
  after_ = &s;
  out.before = in_range(*f.value, call(fmt::format("f{}", i).c_str(), args));
  out.after =
      in_range(*f.value, changes(core_, s, i) ? new_application(i, args) : call(fmt::format("f{}", i).c_str(), args));
  after_ = nullptr;
  for (const auto& [key, fact] : points_) out.points += fact;
  return out;
}

std::string smt_writer::call(const char* f, const std::vector<std::string>& args) const {
  return args.empty() ? f : fmt::format("({} {})", f, joined(args));
}

const function& smt_writer::function_of(const node& n, std::size_t* number) const {
  const auto it = core_.function_number.find(n[1].text);
  if (it == core_.function_number.end()) throw core_error(fmt::format("there is no function '{}'", n[1].text));
  if (number) *number = it->second;
  if (n.kids.size() != core_.functions[it->second].args.size() + 2)
    throw core_error(fmt::format("'{}' has a wrong number of arguments", n[1].text));
  return core_.functions[it->second];
}

type_ref smt_writer::infer(const node& n) {
  if (n.atom) {
    if (is_number(n)) return nullptr;
    const auto it = scope_.find(n.text);
    if (it == scope_.end()) throw core_error(fmt::format("'{}' is not bound", n.text));
    return it->second.value;
  }
  const std::string head = n[0].text;
  const auto either = [&](std::size_t a, std::size_t b) {
    const type_ref t = infer(n[a]);
    return t ? t : infer(n[b]);
  };
  if (head == "f") return function_of(n).value;
  if (head == "if") return either(2, 3);
  if (one_of(head, {"union", "inter", "minus"})) return either(1, 2);
  if (one_of(head, {"+", "-", "*", "/", "min", "max", "neg", "card", "count"})) return integer_;
  if (head == "make") return element_type(core_.sort_number.at(n[1].text));
  if (head == "the") return read_type(core_, n[1]);
  if (head == "some") {
    auto t = std::make_shared<type>();
    t->kind = type_kind::option;
    t->inner = read_type(core_, n[1]);
    return t;
  }
  if (head == "single") {
    const type_ref t = infer(n[1]);
    return t ? set_type(t->sort) : nullptr;
  }
  if (head == "collect") return set_type(core_.sort_number.at(n[1][1].text));
  return boolean_;
}

std::string smt_writer::term(const node& n, const type& expected) {
  if (expected.kind == type_kind::set) throw core_error("a set stands where a single value is expected");
  if (n.atom) {
    if (is_number(n)) return literal(expected, std::stoll(n.text));
    const auto it = scope_.find(n.text);
    if (it == scope_.end()) throw core_error(fmt::format("'{}' is not bound", n.text));
    return it->second.text;
  }
  const std::string head = n[0].text;
  const auto all = [&](const type& t) {
    std::vector<std::string> out;
    for (std::size_t i = 1; i < n.kids.size(); ++i) out.push_back(term(n[i], t));
    return out;
  };
  if (head == "f") return application(n, nullptr);
  if (one_of(head, {"not", "and", "or", "=>"})) return call(head.c_str(), all(*boolean_));
  if (head == "=") return equality(n[1], n[2]);
  if (head == "<" || head == "<=") return comparison(n);
  if (head == "neg") return fmt::format("(- {})", term(n[1], *integer_));
  if (one_of(head, {"+", "-", "*"})) return call(head.c_str(), all(*integer_));
  if (head == "/") return call("div", all(*integer_));
  if (head == "min" || head == "max") {
    const std::string a = term(n[1], *integer_), b = term(n[2], *integer_);
    return fmt::format("(ite (<= {0} {1}) {2} {3})", a, b, head == "min" ? a : b, head == "min" ? b : a);
  }
  if (head == "if") return fmt::format("(ite {} {} {})", term(n[1], *boolean_), term(n[2], expected), term(n[3], expected));
  if (head == "some") {
    const type_ref t = infer(n);
    return fmt::format("(s{} {})", option(*t), term(n[2], *t->inner));
  }
  if (head == "the") {
    type whole;
    whole.kind = type_kind::option;
    whole.inner = read_type(core_, n[1]);
    return fmt::format("(v{} {})", option(whole), term(n[2], whole));
  }
  if (head == "fits") {
    const type_ref t = read_type(core_, n[1]);
    return in_range(*t, term(n[2], *t));
  }
  if (head == "in") {
    const type_ref t = infer(n[1]);
    return t ? member(n[1], term(n[2], *element_type(t->sort))) : "false";
  }
  if (head == "make" || head == "made") {
    const std::size_t s = core_.sort_number.at(n[1].text);
    const sort& so = core_.sorts[s];
    std::size_t c = 0;
    while (c < so.constructors.size() && so.constructors[c].first != n[2].text) ++c;
    if (c == so.constructors.size()) throw core_error(fmt::format("sort '{}' has no '{}'", so.name, n[2].text));
    const std::string a = term(n[3], *element_type(head == "make" ? so.constructors[c].second : s));
    if (head == "make") return fmt::format("(c{}_{} {})", s, c, a);
    if (so.kind == sort_kind::closed) return fmt::format("((_ is c{}_{}) {})", s, c, a);
    return fmt::format("(= {2} (c{0}_{1} (d{0}_{1} {2})))", s, c, a);
  }
  if (head == "all" || head == "exists") return quantified(n);
  if (head == "card" || head == "count")
    throw core_error("a number of elements is only compared with 0, 1, 2 or 3 for any number of them");
  throw core_error(fmt::format("'{}' has no reading for any number of elements", head));
}

std::string smt_writer::quantified(const node& n) {
  const std::string name = n[1][0].text;
  const std::size_t s = core_.sort_number.at(n[1][1].text);
  const scope saved = scope_;
  const std::string q = fresh();
  scope_[name] = {q, element_type(s)};
  const std::string body = term(n[2], *boolean_);
  scope_ = saved;
  --depth_;
  return fmt::format("({} (({} {})) {})", n[0].text == "all" ? "forall" : "exists", q, sort_text(s), body);
}

std::string smt_writer::application(const node& n, const std::string* element) {
  std::size_t i = 0;
  const function& f = function_of(n, &i);
  std::vector<std::string> args;
  for (std::size_t k = 0; k < f.args.size(); ++k) args.push_back(term(n[k + 2], *element_type(f.args[k])));
  if (element) args.push_back(*element);
  if ((f.value->kind == type_kind::set) != (element != nullptr))
    throw core_error(fmt::format("'{}' is not used as what it is", f.name));
  if (after_ && changes(core_, *after_, i)) return new_application(i, args);
  return call(fmt::format("f{}", i).c_str(), args);
}

// Is the element, a text of SMT-LIB, in the set?
std::string smt_writer::member(const node& n, const std::string& x) {
  if (is_zero(n)) return "false";
  if (n.atom) {
    const auto it = scope_.find(n.text);
    if (it == scope_.end() || it->second.value->kind != type_kind::set) throw core_error("a set is expected");
    return fmt::format("({} {})", it->second.text, x);
  }
  const std::string head = n[0].text;
  if (head == "f") return application(n, &x);
  if (head == "if") return fmt::format("(ite {} {} {})", term(n[1], *boolean_), member(n[2], x), member(n[3], x));
  if (head == "union") return fmt::format("(or {} {})", member(n[1], x), member(n[2], x));
  if (head == "inter") return fmt::format("(and {} {})", member(n[1], x), member(n[2], x));
  if (head == "minus") return fmt::format("(and {} (not {}))", member(n[1], x), member(n[2], x));
  if (head == "single") {
    const type_ref t = infer(n[1]);
    if (!t) throw core_error("the set of a named element alone has no type");
    return fmt::format("(= {} {})", x, term(n[1], *t));
  }
  if (head == "collect") {
    const scope saved = scope_;
    scope_[n[1][0].text] = {x, element_type(core_.sort_number.at(n[1][1].text))};
    const std::string body = term(n[2], *boolean_);
    scope_ = saved;
    return body;
  }
  throw core_error(fmt::format("'{}' is no set", head));
}

std::string smt_writer::at_least(const node& n, std::int64_t k) {
  if (k <= 0) return "true";
  if (k > 4) throw core_error("a number of elements is only compared with 0, 1, 2 or 3 for any number of them");
  std::size_t s = 0;
  if (n[0].text == "card") {
    const type_ref t = infer(n[1]);
    if (!t) return "false";
    s = t->sort;
  } else {
    s = core_.sort_number.at(n[1][1].text);
  }
  std::vector<std::string> names, binders, parts;
  for (std::int64_t i = 0; i < k; ++i) {
    names.push_back(fresh());
    binders.push_back(fmt::format("({} {})", names.back(), sort_text(s)));
  }
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) parts.push_back(fmt::format("(not (= {} {}))", names[j], names[i]));
  for (const std::string& name : names) {
    if (n[0].text == "card") {
      parts.push_back(member(n[1], name));
      continue;
    }
    const scope saved = scope_;
    scope_[n[1][0].text] = {name, element_type(s)};
    parts.push_back(term(n[2], *boolean_));
    scope_ = saved;
  }
  depth_ -= static_cast<int>(k);
  const std::string body = parts.size() == 1 ? parts[0] : fmt::format("(and {})", joined(parts));
  return fmt::format("(exists ({}) {})", joined(binders), body);
}

// A comparison of card or count with a number.
std::optional<std::string> smt_writer::counting(const node& n) {
  const auto counts = [](const node& x) { return x.is("card") || x.is("count"); };
  const bool left = counts(n[1]), right = counts(n[2]);
  if (!left && !right) return std::nullopt;
  if (!is_number(n[left ? 2 : 1]))
    throw core_error("a number of elements is only compared with 0, 1, 2 or 3 for any number of them");
  const std::int64_t k = std::stoll(n[left ? 2 : 1].text);
  const node& set = n[left ? 1 : 2];
  const std::string op = n[0].text;
  const auto no = [](const std::string& t) {
    return t == "true" ? "false" : t == "false" ? "true" : fmt::format("(not {})", t);
  };
  if (op == "=")
    return k == 0 ? no(at_least(set, 1)) : fmt::format("(and {} {})", at_least(set, k), no(at_least(set, k + 1)));
  if (left) return no(at_least(set, op == "<" ? k : k + 1));
  return at_least(set, op == "<" ? k + 1 : k);
}

std::string smt_writer::comparison(const node& n) {
  if (auto c = counting(n)) return *c;
  return fmt::format("({} {} {})", n[0].text, term(n[1], *integer_), term(n[2], *integer_));
}

std::string smt_writer::equality(const node& a, const node& b) {
  node whole;
  node head;
  head.atom = true;
  head.text = "=";
  whole.kids = {head, a, b};
  if (a.is("card") || a.is("count") || b.is("card") || b.is("count")) return *counting(whole);
  type_ref t = infer(a);
  if (!t) t = infer(b);
  if (!t) throw core_error("two numbers without a type are compared");
  if (t->kind != type_kind::set) return fmt::format("(= {} {})", term(a, *t), term(b, *t));
  const std::string q = fresh();
  const std::string x = member(a, q), y = member(b, q);
  --depth_;
  const std::string body = y == "false"   ? fmt::format("(not {})", x)
                           : x == "false" ? fmt::format("(not {})", y)
                                          : fmt::format("(= {} {})", x, y);
  return fmt::format("(forall (({} {})) {})", q, sort_text(t->sort), body);
}

}  // namespace quiesce::symbolic
