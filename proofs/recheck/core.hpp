// SPDX-License-Identifier: MIT
#pragma once
// The core of model/system/CORE.md and the obligations that proofs/README.md derives from it. No code is shared with the checker.
#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>
namespace recheck {
struct refusal : std::runtime_error { using runtime_error::runtime_error; };
struct node {  // an S-expression
  std::string text = ""; bool list = false, quoted = false; std::vector<node> kids = {};
  const node& operator[](std::size_t i) const { return i < kids.size() ? kids[i] : throw refusal("the core: an item that is too short"); }
  std::size_t size() const { return kids.size(); }
  bool is(const char* word) const { return list && !kids.empty() && !kids[0].list && !kids[0].quoted && kids[0].text == word; }
};
inline node list_of(std::vector<node> kids) { return {"", true, false, std::move(kids)}; }
std::vector<node> read(const std::string& text);
struct question { std::string name, expected, text; };  // expected: sat, unsat or either
struct block { std::string name, text; std::vector<question> questions = {}; };
struct obligations {  // of one part: what has to be unsat, or what asks for states
  bool states = false; std::string prelude; std::vector<std::string> assertions;  // of the invariants
  std::vector<block> before, after;                          // after: invariants may be used
  std::vector<std::string> invariants, places;                  // names; of the actions, in order
  std::vector<std::pair<std::string, std::string>> properties;  // name, kind
  bool breakable = false;                                       // an action violates a property
  std::string text() const;
  template <class F> void each(F f) const {  // questions in the order of obligations.smt2
    for (const auto* all : {&before, &after}) for (const block& b : *all)
      for (const question& q : b.questions) f(b, q);
  }
};
using used = std::vector<std::vector<std::size_t>>;  // for each question that has to be unsat: invariants that are assumed
obligations derive(const std::vector<node>& core, const used& uses, bool states);
// Declarations, and terms as SMT-LIB: proofs/README.md, "Names" to "Ranges".
enum class kind { boolean, integer, enumeration, element, option, set };
struct type {  // number: of the sort, enumeration or option; inner: of an option, one
  kind what = kind::boolean; std::size_t number = 0; long long low = 0, high = 0; bool bounded = true; std::vector<type> inner = {};
};
struct scope {  // what names stand for, how many bound variables are around, which functions are read in the new state
  std::map<std::string, std::pair<std::string, type>> names = {}; std::size_t depth = 0; std::set<std::size_t> after = {};
};
struct sort { std::string name; bool any = false; std::vector<std::string> elements = {}; std::vector<std::pair<std::string, std::size_t>> constructors = {}; };
struct function { std::string name; std::vector<std::size_t> args = {}; node type_text = {}; type value = {}; bool arbitrary = false; };
inline bool is_number(const node& t) {
  const std::size_t sign = !t.text.empty() && t.text[0] == '-';
  return !t.list && !t.quoted && t.text.size() > sign && t.text.find_first_not_of("0123456789", sign) == std::string::npos;
}
inline long long value(const node& t) { return std::stoll(t.text); }
inline const type boolean{}, integer{kind::integer}; inline type element(std::size_t sort) { return {kind::element, sort}; }
inline bool counts(const node& t) { return t.is("card") || t.is("count"); }
inline std::string id(const char* letter, std::size_t i) { return letter + std::to_string(i); }
inline std::string id(const char* letter, std::size_t i, std::size_t k) { return id(letter, i) + "_" + std::to_string(k); }
inline std::string S(std::size_t i) { return id("S", i); }
inline std::string integer_text(long long n) { return n < 0 ? "(- " + std::to_string(-n) + ")" : std::to_string(n); }
template <class F> std::string list(std::size_t n, F f) {  // f(0) f(1) ..., one blank between
  std::string out; for (std::size_t i = 0; i < n; ++i) out += (i ? " " : "") + f(i);
  return out;
}
inline std::string replaced(std::string text, const std::string& name, const std::string& by) {  // a name, or an application
  for (std::size_t i = 0; (i = text.find(name, i)) != std::string::npos;)
    if (name.back() != ')' && text[i + name.size()] >= '0' && text[i + name.size()] <= '9') ++i;
    else text.replace(i, name.size(), by), i += by.size();
  return text;
}
struct translator {
  bool states = false;  // the second part
  // Is told of each function of the new state that a term reads: its number, the application, the arguments.
  std::function<void(std::size_t, const std::string&, const std::vector<std::string>&)> notice;
  std::vector<sort> sorts; std::vector<function> functions;
  std::vector<std::vector<std::string>> enumerations, options;  // labels; what is inside
  template <class T> static std::size_t named(const std::vector<T>& all, const node& n) {
    for (std::size_t i = 0; i < all.size(); ++i) if (n.quoted && all[i].name == n.text) return i;
    throw refusal("the core: there is no sort or function " + n.text);
  }
  std::size_t sort_named(const node& n) const { return named(sorts, n); } std::size_t function_named(const node& n) const { return named(functions, n); }
  static std::size_t number_of(std::vector<std::vector<std::string>>& known, const std::vector<std::string>& wanted, bool declare) {
    const std::size_t i = static_cast<std::size_t>(std::find(known.begin(), known.end(), wanted) - known.begin());
    if (i == known.size() && !declare) throw refusal("the core: a type that no function and no parameter has");
    return i == known.size() ? known.push_back(wanted), i : i;
  }
  type read_type(const node& n, bool declare = false) {
    if (!n.list && n.text == "bool") return boolean;
    if (n.is("elem") || n.is("set")) return {n.is("set") ? kind::set : kind::element, sort_named(n[1])};
    if (n.is("int")) return {kind::integer, 0, value(n[1]), n[2].text != "any" ? value(n[2]) : 0, n[2].text != "any"};
    if (n.is("enum")) {
      std::vector<std::string> labels; for (std::size_t i = 1; i < n.size(); ++i) labels.push_back(n[i].text);
      return {kind::enumeration, number_of(enumerations, labels, declare)};
    }
    if (!n.is("option")) throw refusal("the core: not a type: " + n.text);
    const type inner = read_type(n[1], declare); return {kind::option, number_of(options, {type_text(inner)}, declare), 0, 0, true, {inner}};
  }
  std::string type_text(const type& t) const {
    if (t.what == kind::boolean || t.what == kind::set) return "Bool";  // of a set: membership
    return t.what == kind::integer || numbered(t) ? "Int" : id(t.what == kind::enumeration ? "E" : t.what == kind::element ? "S" : "O", t.number);
  }
  bool numbered(const type& t) const { return !states && t.what == kind::enumeration && enumerations[t.number].size() > 8; }  // labels are numbers
  std::vector<std::string> elements(std::size_t i) const {  // all there are in the second part
    const sort& s = sorts[i]; std::size_t n = s.elements.size() + s.any; std::vector<std::string> out, made;
    for (std::size_t c = 0; c < s.constructors.size(); ++c)
      for (const std::string& e : elements(s.constructors[c].second)) made.push_back("(" + id("c", i, c) + " " + e + ")");
    for (std::size_t k = 0; k < n + (s.any ? made.size() : 0); ++k) out.push_back(id(s.any ? "u" : "e", i, k));
    if (!s.any) out.insert(out.end(), made.begin(), made.end());
    return out;
  }
  std::string constructors_of_any(std::size_t i) const {
    std::string out; const auto& all = sorts[i].constructors; for (std::size_t c = 0; c < all.size(); ++c) {
      const std::string make = id("c", i, c), back = id("d", i, c), over = S(all[c].second);
      const auto assert_all = [&](std::size_t n, std::size_t second, const std::string& body) {
        out += "(assert " + quantified("forall", 1, n, [&](std::size_t k) { return k ? second : all[c].second; }, body) + ")\n";
      };
      out += "(declare-fun " + make + " (" + over + ") " + S(i) + ")\n(declare-fun " + back + " (" + S(i) + ") " + over + ")\n";
      assert_all(1, 0, "(= (" + back + " (" + make + " q1)) q1)");
      for (std::size_t k = 0; k < sorts[i].elements.size(); ++k) assert_all(1, 0, "(not (= (" + make + " q1) " + id("e", i, k) + "))");
      for (std::size_t b = c + 1; b < all.size(); ++b)
        assert_all(2, all[b].second, "(not (= (" + make + " q1) (" + id("c", i, b) + " q2)))");
    }
    return out;
  }
  std::string prelude() const {
    std::string out;
    const auto datatype = [&](const std::string& name, const std::string& all) { out += "(declare-datatypes ((" + name + " 0)) ((" + all + ")))\n"; };
    for (std::size_t i = 0; i < sorts.size(); ++i) {
      const sort& s = sorts[i]; const std::size_t n = s.elements.size();
      if (s.any && !states) out += "(declare-sort " + S(i) + " 0)\n";
      else if (const auto all = elements(i); s.any) datatype(S(i), list(all.size(), [&](std::size_t k) { return "(" + all[k] + ")"; }));
      else datatype(S(i), list(n + s.constructors.size(), [&](std::size_t k) {
        return k < n ? "(" + id("e", i, k) + ")" : "(" + id("c", i, k - n) + " (" + id("d", i, k - n) + " " + S(s.constructors[k - n].second) + "))";
      }));
    }
    for (std::size_t j = 0; j < enumerations.size(); ++j)
      if (!numbered({kind::enumeration, j})) datatype(id("E", j), list(enumerations[j].size(), [&](std::size_t k) { return "(" + id("E", j, k) + ")"; }));
    for (std::size_t j = 0; j < options.size(); ++j)
      datatype(id("O", j), "(" + id("n", j) + ") (" + id("s", j) + " (" + id("v", j) + " " + options[j][0] + "))");
    for (std::size_t i = 0; i < sorts.size(); ++i) {
      const std::size_t n = sorts[i].any ? sorts[i].elements.size() : 0;
      for (std::size_t k = 0; k < n; ++k) out += "(declare-fun " + id("e", i, k) + " () " + S(i) + ")\n";
      for (std::size_t a = 0; a < n; ++a) for (std::size_t b = a + 1; b < n; ++b) out += "(assert (not (= " + id("e", i, a) + " " + id("e", i, b) + ")))\n";
      if (sorts[i].any) out += constructors_of_any(i);
    }
    for (std::size_t i = 0; i < functions.size(); ++i) out += declaration(i, "");
    return out;
  }
  std::string declaration(std::size_t i, const char* mark) const {
    const function& f = functions[i]; const auto argument = [&](std::size_t k) { return S(k < f.args.size() ? f.args[k] : f.value.number); };
    return "(declare-fun " + id("f", i) + mark + " (" + list(f.args.size() + (f.value.what == kind::set), argument) + ") " + type_text(f.value) + ")\n";
  }
  std::string number(long long n, const type& t) const {
    if (t.what == kind::boolean || t.what == kind::integer) return t.what == kind::integer ? integer_text(n) : n != 0 ? "true" : "false";
    if (numbered(t)) return integer_text(n);
    if (t.what == kind::enumeration || t.what == kind::element) return id(t.what == kind::element ? "e" : "E", t.number, static_cast<std::size_t>(n));
    if (t.what == kind::set) throw refusal("the core: a number for a set");
    if (n == 0) return id("n", t.number);
    const type& in = t.inner.at(0); return "(" + id("s", t.number) + " " + number(n - 1 + (in.what == kind::integer ? in.low : 0), in) + ")";
  }
  std::string in_range(const type& t, const std::string& v) const {  // "true" where everything is
    if (t.what == kind::integer) {
      const std::string low = "(<= " + integer_text(t.low) + " " + v + ")";
      return t.bounded ? "(and " + low + " (<= " + v + " " + integer_text(t.high) + "))" : low;
    }
    const std::string r = t.what == kind::option ? in_range(t.inner.at(0), "(" + id("v", t.number) + " " + v + ")") : "true";
    return r == "true" ? r : "(or (= " + v + " " + id("n", t.number) + ") " + r + ")";
  }
  static std::string call(const std::string& f, const std::vector<std::string>& args) {
    return args.empty() ? f : "(" + f + " " + list(args.size(), [&](std::size_t k) { return args[k]; }) + ")";
  }
  template <class F> std::string quantified(const std::string& word, std::size_t first, std::size_t n, F sort, const std::string& body) const {
    std::vector<std::string> parts{body}, more;  // one for each choice of elements, if they are known
    for (std::size_t k = 0; states && k < n; ++k, parts.swap(more), more.clear())
      for (const std::string& p : parts) for (const std::string& e : elements(sort(k))) more.push_back(replaced(p, id("q", first + k), e));
    if (states && n > 0) return parts.size() == 1 ? parts[0] : call(word == "forall" ? "and" : "or", parts);
    const auto variable = [&](std::size_t k) { return "(" + id("q", first + k) + " " + S(sort(k)) + ")"; };
    return n == 0 ? body : "(" + word + " (" + list(n, variable) + ") " + body + ")";
  }
  // False: a number, which has the type that its place wants.
  bool type_of(const node& t, const scope& s, type& out) {
    static const std::set<std::string> integers = {"neg", "+", "-", "*", "/", "min", "max", "card", "count"};
    if (!t.list) return s.names.count(t.text) ? (out = s.names.at(t.text).second, true) : false;
    const std::string& w = t[0].text;
    if (w == "if") return type_of(t[2], s, out) || type_of(t[3], s, out);
    if (w == "union" || w == "inter" || w == "minus") return type_of(t[1], s, out) || type_of(t[2], s, out);
    if (w == "single" && !type_of(t[1], s, out)) throw refusal("the core: single of a number");
    if (w == "single") out.what = kind::set; else if (w == "f") out = functions[function_named(t[1])].value;
    else if (w == "some") out = read_type({"", true, false, {{"option", false, false, {}}, t[1]}});
    else if (w == "the") out = read_type(t[1]); else if (w == "make") out = element(sort_named(t[1]));
    else if (w == "collect") out = {kind::set, sort_named(t[1][1])};
    else out = integers.count(w) ? integer : boolean;
    return true;
  }
  static std::string name_of(const node& t, const scope& s) {
    return s.names.count(t.text) ? s.names.at(t.text).first : throw refusal("the core: nothing is called " + t.text);
  }
  std::string applied(const node& t, const scope& s, const std::string& last) {
    const std::size_t f = function_named(t[1]);
    if (t.size() != functions[f].args.size() + 2) throw refusal("the core: wrong number of arguments of " + t[1].text);
    std::vector<std::string> args; for (std::size_t k = 2; k < t.size(); ++k) args.push_back(term(t[k], element(functions[f].args[k - 2]), s));
    if (!last.empty()) args.push_back(last);
    const std::string out = call(id("f", f) + (s.after.count(f) ? "!" : ""), args); if (s.after.count(f)) notice(f, out, args);
    return out;
  }
  std::string member(const node& set, const std::string& x, const scope& s) {
    if (!set.list) return is_number(set) && value(set) == 0 ? "false" : "(" + name_of(set, s) + " " + x + ")";
    const auto m = [&](std::size_t i) { return member(set[i], x, s); };
    if (set.is("f")) return applied(set, s, x);
    if (set.is("if")) return "(ite " + term(set[1], boolean, s) + " " + m(2) + " " + m(3) + ")";
    if (set.is("union") || set.is("inter")) return (set.is("union") ? "(or " : "(and ") + m(1) + " " + m(2) + ")";
    if (set.is("minus")) return "(and " + m(1) + " (not " + m(2) + "))";
    type of; if (set.is("single") && type_of(set[1], s, of)) return "(= " + x + " " + term(set[1], of, s) + ")";
    return set.is("collect") ? with(set[1], x, set[2], s) : throw refusal("the core: not a set");
  }
  std::string with(const node& variable, const std::string& x, const node& body, scope s) {  // a term with a bound variable, called x
    s.names[variable[0].text] = {x, element(sort_named(variable[1]))}; return term(body, boolean, s);
  }
  std::string equality(const node& t, const scope& s) {
    type of; if (!type_of(t[1], s, of) && !type_of(t[2], s, of)) throw refusal("the core: two numbers compared");
    if (of.what != kind::set) return "(= " + term(t[1], of, s) + " " + term(t[2], of, s) + ")";
    scope inside = s; const std::string q = id("q", ++inside.depth), a = member(t[1], q, inside), b = member(t[2], q, inside);
    const std::string body = b == "false" || a == "false" ? "(not " + (b == "false" ? a : b) + ")" : "(= " + a + " " + b + ")";
    return quantified("forall", inside.depth, 1, [&](std::size_t) { return of.number; }, body);
  }
  std::string at_least(const node& c, long long n, const scope& s) {
    if (n <= 0 || n > 4) return n <= 0 ? "true" : throw refusal("the core: more than four are counted");
    type of; if (c.is("card") && (!type_of(c[1], s, of) || of.what != kind::set)) throw refusal("the core: card of no set");
    const std::size_t over = c.is("count") ? sort_named(c[1][1]) : of.number, first = s.depth + 1, count = static_cast<std::size_t>(n);
    scope inside = s; inside.depth += count; std::vector<std::string> parts;
    for (std::size_t b = 1; b < count; ++b) for (std::size_t a = 0; a < b; ++a)
      parts.push_back("(not (= " + id("q", first + a) + " " + id("q", first + b) + "))");
    for (std::size_t a = 0; a < count; ++a)
      parts.push_back(c.is("count") ? with(c[1], id("q", first + a), c[2], inside) : member(c[1], id("q", first + a), inside));
    return quantified("exists", first, count, [&](std::size_t) { return over; }, parts.size() == 1 ? parts[0] : call("and", parts));
  }
  std::string counted(const node& t, const scope& s) {
    const bool left = counts(t[1]); const node &c = left ? t[1] : t[2], &other = left ? t[2] : t[1];
    const long long k = is_number(other) ? value(other) : throw refusal("the core: a count is compared with what is no number");
    const auto m = [&](long long n) { return at_least(c, n, s); };
    const auto no = [](const std::string& x) -> std::string { return x == "true" ? "false" : x == "false" ? "true" : "(not " + x + ")"; };
    if (t.is("=")) return k == 0 ? no(m(1)) : "(and " + m(k) + " " + no(m(k + 1)) + ")";
    return t.is("<") ? left ? no(m(k)) : m(k + 1) : left ? no(m(k + 1)) : m(k);
  }
  // Does it say no more than that one value, which has labels that are numbers, is one of some?
  bool only_labels(const node& t, const scope& s, std::string& value_text, std::set<long long>& labels) {
    if (t.is("or")) return std::all_of(t.kids.begin() + 1, t.kids.end(), [&](const node& n) { return only_labels(n, s, value_text, labels); });
    type of; if (!t.is("=") || !is_number(t[2]) || is_number(t[1]) || counts(t[1]) || !type_of(t[1], s, of) || !numbered(of)) return false;
    const std::string here = term(t[1], of, s); labels.insert(value(t[2])); return value_text.empty() ? (value_text = here, true) : value_text == here;
  }
  std::string label_ranges(const node& t, const scope& s) {  // "": it says something else
    std::string v; std::vector<std::string> parts; std::set<long long> labels;
    if (!only_labels(t, s, v, labels)) return "";
    for (long long first : labels) {
      long long last = first; while (labels.count(last + 1)) ++last;
      const std::string from = std::to_string(first), range = "(and (<= " + from + " " + v + ") (<= " + v + " " + std::to_string(last) + "))";
      if (!labels.count(first - 1)) parts.push_back(first == last ? "(= " + v + " " + from + ")" : range);
    }
    return parts.size() == 1 ? parts[0] : call("or", parts);
  }
  std::string constructed(const node& t, const scope& s) {
    const std::size_t i = sort_named(t[1]); std::size_t c = 0;
    while (c < sorts[i].constructors.size() && sorts[i].constructors[c].first != t[2].text) ++c;
    if (c == sorts[i].constructors.size()) throw refusal("the core: there is no constructor " + t[2].text);
    if (t.is("make")) return "(" + id("c", i, c) + " " + term(t[3], element(sorts[i].constructors[c].second), s) + ")";
    const std::string a = term(t[3], element(i), s);
    return sorts[i].any ? "(= " + a + " (" + id("c", i, c) + " (" + id("d", i, c) + " " + a + ")))" : "((_ is " + id("c", i, c) + ") " + a + ")";
  }
  std::string term(const node& t, const type& wanted, const scope& s) {
    if (is_number(t)) return number(value(t), wanted);
    if (!t.list) return name_of(t, s);
    const std::string& w = t[0].text;
    const auto all = [&](const std::string& name, const type& of) {
      return "(" + name + " " + list(t.size() - 1, [&](std::size_t i) { return term(t[i + 1], of, s); }) + ")";
    };
    type of;
    if (w == "f") return applied(t, s, "");
    if (const std::string ranges = w == "or" ? label_ranges(t, s) : ""; !ranges.empty()) return ranges;
    if (w == "not" || w == "and" || w == "or" || w == "=>") return all(w, boolean);
    if ((w == "=" || w == "<" || w == "<=") && (counts(t[1]) || counts(t[2]))) return counted(t, s);
    if (w == "=") return equality(t, s);
    if (w == "<" || w == "<=" || w == "+" || w == "-" || w == "*") return all(w, integer);
    if (w == "neg" || w == "/") return all(w == "/" ? "div" : "-", integer);
    if (w == "min" || w == "max")
      return "(ite " + all("<=", integer) + " " + term(t[w == "min" ? 1 : 2], integer, s) + " " + term(t[w == "min" ? 2 : 1], integer, s) + ")";
    if (w == "if") return "(ite " + term(t[1], boolean, s) + " " + term(t[2], wanted, s) + " " + term(t[3], wanted, s) + ")";
    if (w == "some" && type_of(t, s, of)) return "(" + id("s", of.number) + " " + term(t[2], type(of.inner.at(0)), s) + ")";
    if (w == "the" && type_of(t[2], s, of) && of.what == kind::option) return "(" + id("v", of.number) + " " + term(t[2], type(of), s) + ")";
    if (w == "fits") return of = read_type(t[1]), in_range(of, term(t[2], of, s));
    if (w == "make" || w == "made") return constructed(t, s);
    if (w == "all" || w == "exists") {
      scope inside = s; const std::string q = id("q", ++inside.depth);
      return quantified(w == "all" ? "forall" : "exists", inside.depth, 1, [&](std::size_t) { return sort_named(t[1][1]); }, with(t[1], q, t[2], inside));
    }
    if (w == "in" && type_of(t[1], s, of)) return member(t[1], term(t[2], element(of.number), s), s);
    return w == "in" ? "false" : throw refusal("the core: nothing is known of (" + w + " ...)");
  }
};
}  // namespace recheck
