// SPDX-License-Identifier: MIT
// Terms of the core in SMT-LIB 2.
#include "model/symbolic/smt.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "model/symbolic/smt_text.hpp"

namespace quiesce::symbolic {

namespace {

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

std::string smt_writer::condition(const node& n, const action* a) {
  scope_.clear();
  if (a)
    for (const parameter& p : a->params) scope_[p.name] = {p.name, p.value};
  return term(n, *boolean_);
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
  if (head == "or")
    if (auto ranges = label_ranges(n)) return *ranges;
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
  return quantifier(n[0].text == "all" ? "forall" : "exists", {{q, s}}, body);
}

// Where all quantifiers range over known elements, the same said of each of them.
std::string smt_writer::quantifier(const std::string& word, const binders& over, const std::string& body) const {
  if (over.empty()) return body;
  if (reading_ == reading::states) {
    std::vector<std::string> parts{body};
    for (const auto& [q, sort] : over) {
      std::vector<std::string> more;
      for (const std::string& part : parts)
        for (const std::string& element : elements_of(sort)) more.push_back(replaced(part, q, element));
      parts = std::move(more);
    }
    return parts.size() == 1 ? parts[0] : fmt::format("({} {})", word == "forall" ? "and" : "or", joined(parts));
  }
  std::vector<std::string> variables;
  for (const auto& [q, sort] : over) variables.push_back(fmt::format("({} {})", q, sort_text(sort)));
  return fmt::format("({} ({}) {})", word, joined(variables), body);
}

namespace {
// Disjuncts of disjuncts, in order.
void disjuncts_of(const node& n, std::vector<const node*>& out) {
  if (!n.is("or")) return out.push_back(&n);
  for (std::size_t i = 1; i < n.kids.size(); ++i) disjuncts_of(n[i], out);
}
}  // namespace

// A value of a large enumeration is one of several labels, written as ranges of numbers.
std::optional<std::string> smt_writer::label_ranges(const node& n) {
  std::vector<const node*> parts;
  disjuncts_of(n, parts);
  for (const node* p : parts) {
    if (!p->is("=") || !is_number((*p)[2]) || is_number((*p)[1]) || (*p)[1].is("card") || (*p)[1].is("count"))
      return std::nullopt;
    const type_ref t = infer((*p)[1]);
    if (!t || !numbered(*t)) return std::nullopt;
  }
  const type_ref t = infer((*parts[0])[1]);
  const std::string value = term((*parts[0])[1], *t);
  std::set<std::int64_t> labels;
  for (const node* p : parts) {
    if (term((*p)[1], *t) != value) return std::nullopt;
    labels.insert(std::stoll((*p)[2].text));
  }
  std::vector<std::string> ranges;
  for (auto l = labels.begin(); l != labels.end();) {
    const std::int64_t first = *l;
    std::int64_t last = first;
    while (++l != labels.end() && *l == last + 1) last = *l;
    ranges.push_back(first == last ? fmt::format("(= {} {})", value, first)
                                   : fmt::format("(and (<= {} {}) (<= {} {}))", first, value, value, last));
  }
  return ranges.size() == 1 ? ranges[0] : fmt::format("(or {})", joined(ranges));
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
  std::vector<std::string> names, parts;
  binders over;
  for (std::int64_t i = 0; i < k; ++i) {
    names.push_back(fresh());
    over.emplace_back(names.back(), s);
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
  return quantifier("exists", over, body);
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
  return quantifier("forall", {{q, t->sort}}, body);
}

}  // namespace quiesce::symbolic
