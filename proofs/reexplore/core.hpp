// SPDX-License-Identifier: MIT
#pragma once
// The core of model/system/CORE.md in a finite scope, read and evaluated by its words. No code is shared with the checker.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace reexplore {

struct refusal : std::runtime_error {
  using runtime_error::runtime_error;
};

struct node {
  std::string text;
  bool list = false, quoted = false;
  std::vector<node> kids;
  const node& operator[](std::size_t i) const {
    return i < kids.size() ? kids[i] : throw refusal("the core: an item that is too short");
  }
  bool is(const char* word) const {
    return list && !kids.empty() && !kids[0].list && !kids[0].quoted && kids[0].text == word;
  }
};

class reader {
 public:
  explicit reader(const std::string& text) : text_(text) {}
  std::vector<node> run() {
    std::vector<node> out;
    for (blanks(); at_ < text_.size(); blanks()) out.push_back(one());
    return out;
  }

 private:
  void blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  char next() { return at_ < text_.size() ? text_[at_++] : throw refusal("the core ends early"); }
  node one() {
    node n;
    blanks();
    const char c = next();
    if (c == ')') throw refusal("the core: a ) without its (");
    if (c == '(') {
      n.list = true;
      for (blanks(); at_ < text_.size() && text_[at_] != ')'; blanks()) n.kids.push_back(one());
      next();
    } else if (c == '"') {
      n.quoted = true;
      for (char d = next(); d != '"'; d = next()) n.text += d == '\\' ? next() : d;
    } else {
      for (n.text = c; at_ < text_.size() && std::string(" \n()\"").find(text_[at_]) == std::string::npos;)
        n.text += text_[at_++];
    }
    return n;
  }
  const std::string& text_;
  std::size_t at_ = 0;
};

using number = std::int64_t;
using state = std::vector<number>;  // one value for each place of each function

struct type {
  number low = 0, count = 2;
  bool fits(number v) const { return v >= low && v - low < count; }
};
struct function {
  std::size_t first = 0;
  std::vector<number> sizes;  // of the sorts of the arguments
  type values;
};

inline number parse(const node& n) {
  std::size_t used = 0;
  number out = 0;
  try {
    out = n.list || n.quoted ? 0 : std::stoll(n.text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  return used == n.text.size() && used > 0 ? out : throw refusal("the core: a number is expected, not " + n.text);
}

// A term made ready: names are replaced by where they are kept.
struct term {
  enum class op {
    constant,
    variable,
    defined,
    place,
    both,
    either,
    implies,
    choice,
    no,
    minus_sign,
    same,
    differ,
    less,
    at_most,
    plus,
    minus,
    times,
    divide,
    least,
    most,
    member,
    single,
    unite,
    meet,
    without,
    card,
    fits,
    some,
    the,
    all,
    exists,
    count,
    collect
  };
  op what = op::constant;
  number value = 0;  // constant; variable, quantifiers: number of the variable
  const function* of = nullptr;
  type kind;        // fits, some, the
  number size = 0;  // quantifiers: of the sort
  std::vector<term> kids;
  std::shared_ptr<const term> definition{};  // defined: kept in variable `value` once the next one is 1
};

// Where terms are read: a state, and values of variables, -1 of those that have none. A term that reads such a parameter has
// no value yet: `wanted` says which parameter it was, the first one; what is evaluated after that is 0 and means nothing.
struct place_and_values {
  const state* s = nullptr;
  std::vector<number> v;
  number wanted = -1;
  std::vector<std::size_t> known{};  // the variables `value` of definitions that are kept, in the order of their evaluation

  explicit place_and_values(std::size_t variables) : v(variables, -1) {}
  // Definitions that were evaluated after there were `first` of them.
  void forget(std::size_t first) {
    for (; known.size() > first; known.pop_back()) v[known.back()] = v[known.back() + 1] = -1;
  }
};

inline number evaluate(const term& t, place_and_values& e) {
  using op = term::op;
  if (e.wanted >= 0) return 0;
  const auto kid = [&](std::size_t k) { return evaluate(t.kids[k], e); };
  const auto meaningless = [&](const char* why) { return e.wanted >= 0 ? 0 : throw refusal(why); };
  const auto bit = [&](number n) -> std::uint64_t {
    if (n < 0 || n >= 64) return meaningless("the core: an element that no set has");
    return std::uint64_t{1} << n;
  };
  switch (t.what) {
    case op::constant:
      return t.value;
    case op::variable: {
      const number x = e.v[static_cast<std::size_t>(t.value)];
      if (x >= 0) return x;
      e.wanted = t.value;
      return 0;
    }
    case op::defined: {
      const auto at = static_cast<std::size_t>(t.value);
      if (e.v[at + 1] < 0) {
        const number x = evaluate(*t.definition, e);
        if (e.wanted >= 0) return 0;
        e.v[at] = x;
        e.v[at + 1] = 1;
        e.known.push_back(at);
      }
      return e.v[at];
    }
    case op::place: {
      std::size_t flat = 0;
      for (std::size_t k = 0; k < t.kids.size(); ++k) {
        const number a = kid(k);
        if (a < 0 || a >= t.of->sizes[k]) return meaningless("the core: an argument out of its range");
        flat = flat * static_cast<std::size_t>(t.of->sizes[k]) + static_cast<std::size_t>(a);
      }
      return (*e.s)[t.of->first + flat];
    }
    case op::both:
      return kid(0) && kid(1);
    case op::either:
      return kid(0) || kid(1);
    case op::implies:
      return !kid(0) || kid(1);
    case op::choice:
      return kid(0) ? kid(1) : kid(2);
    case op::no:
      return !kid(0);
    case op::minus_sign:
      return -kid(0);
    case op::same:
      return kid(0) == kid(1);
    case op::differ:
      return kid(0) != kid(1);
    case op::less:
      return kid(0) < kid(1);
    case op::at_most:
      return kid(0) <= kid(1);
    case op::plus:
      return kid(0) + kid(1);
    case op::minus:
      return kid(0) - kid(1);
    case op::times:
      return kid(0) * kid(1);
    case op::divide: {
      const number by = kid(1);
      return by > 0 ? kid(0) / by : 0;
    }
    case op::least:
      return std::min(kid(0), kid(1));
    case op::most:
      return std::max(kid(0), kid(1));
    case op::member:
      return (static_cast<std::uint64_t>(kid(0)) & bit(kid(1))) != 0;
    case op::single:
      return static_cast<number>(bit(kid(0)));
    case op::unite:
      return kid(0) | kid(1);
    case op::meet:
      return kid(0) & kid(1);
    case op::without:
      return kid(0) & ~kid(1);
    case op::card:
      return __builtin_popcountll(static_cast<std::uint64_t>(kid(0)));
    case op::fits:
      return t.kind.fits(kid(0));
    case op::some: {
      const number x = kid(0);
      return t.kind.fits(x) ? 1 + x - t.kind.low : -1;
    }
    case op::the:
      return kid(0) - 1 + t.kind.low;
    case op::all:
    case op::exists:
    case op::count:
    case op::collect:
      break;
  }
  number n = 0, members = 0;
  const auto variable = static_cast<std::size_t>(t.value);
  for (number k = 0; k < t.size; ++k) {
    e.v[variable] = k;
    if (!kid(0)) continue;
    ++n;
    if (t.what == op::collect) members |= static_cast<number>(bit(k));
  }
  e.v[variable] = -1;
  if (t.what == op::collect) return members;
  return t.what == op::all ? n == t.size : t.what == op::exists ? n > 0 : n;
}

struct update {
  const function* of = nullptr;
  std::vector<term> at;
  term value;
  std::vector<term> when{};  // one or none
};
struct effect {
  enum class kind { violates, marks, error, bound, stuck } what = kind::stuck;
  std::string name;          // property; error or bound
  std::vector<term> when{};  // one or none
  std::string when_text{};
};
struct action {
  std::string name;
  bool late = false;
  std::vector<number> params;  // how many values each has; they are the first variables
  std::vector<term> guard;     // enabled where all are true, from left to right
  std::vector<update> updates;
  std::vector<effect> effects;
};
struct property {
  std::string name, kind;  // monitored, invariant, sometimes, no-error
  std::vector<std::string> errors;
  std::vector<term> condition;  // one or none
};

struct core {
  std::map<std::string, number> sorts;
  std::map<std::string, function> functions;
  std::vector<std::size_t> places_of;  // by function, in the order of the core
  std::vector<action> initial, actions;
  std::vector<property> properties;
  std::vector<term> resting;
  std::size_t variables = 0;  // of the item that has most
  state least;                // of all types, everywhere
};

class builder {
 public:
  explicit builder(const std::vector<node>& items) {
    if (items.empty() || !items[0].is("core") || parse(items[0][1]) != 1) throw refusal("the core: not of version 1");
    for (std::size_t i = 1; i < items.size(); ++i) add(items[i]);
    if (c_.resting.size() != 1) throw refusal("the core: it has to say once which states may rest");
  }
  core take() { return std::move(c_); }

 private:
  // What a name stands for: a term to be copied.
  using names = std::map<std::string, term>;

  static term variable(std::size_t number_of) {
    term t;
    t.what = term::op::variable;
    t.value = static_cast<number>(number_of);
    return t;
  }

  static const std::string& name(const node& n) {
    return n.quoted ? n.text : throw refusal("the core: a quoted name is expected");
  }
  number size_of(const node& n) const {
    const auto at = c_.sorts.find(name(n));
    return at != c_.sorts.end() ? at->second : throw refusal("the core: there is no sort " + n.text);
  }

  void add(const node& n) {
    if (n.is("sort")) {
      if (!c_.sorts.emplace(name(n[1]), static_cast<number>(n.kids.size()) - 2).second)
        throw refusal("the core: a sort twice");
    } else if (n.is("function")) {
      declare(n);
    } else if (n.is("initial") || n.is("action") || n.is("late-action")) {
      const std::size_t at = n.is("initial") ? 1 : 2;
      action a = read_action(n, at);
      if (at == 2) a.name = name(n[1]);
      a.late = n.is("late-action");
      (at == 1 ? c_.initial : c_.actions).push_back(std::move(a));
    } else if (n.is("resting")) {
      c_.resting.push_back(read_alone(n[1]));
    } else if (n.is("property")) {
      property p{name(n[1]), n[2].list ? n[2][0].text : n[2].text, {}, {}};
      for (std::size_t k = 1; n[2].list && k < n[2].kids.size(); ++k) p.errors.push_back(n[2][k].text);
      if (n.kids.size() > 3) p.condition.push_back(read_alone(n[3]));
      const bool known =
          p.kind == "monitored" || p.kind == "no-error" ||
          ((p.kind == "invariant" || p.kind == "sometimes") && (p.kind == "sometimes" || !p.condition.empty()));
      if (!known) throw refusal("the core: a property of an unknown kind");
      c_.properties.push_back(std::move(p));
    } else {
      throw refusal("the core: an item that is not known in a finite scope");
    }
  }

  term read_alone(const node& n) {
    next_ = 0;
    term t = read(n, {});
    c_.variables = std::max(c_.variables, next_);
    return t;
  }

  void declare(const node& n) {
    function f;
    f.first = c_.least.size();
    std::size_t count = 1;
    for (const node& s : n[2].kids) {
      f.sizes.push_back(size_of(s));
      count *= static_cast<std::size_t>(f.sizes.back());
    }
    f.values = read_type(n[3]);
    c_.least.resize(f.first + count, f.values.low);
    c_.places_of.push_back(count);
    if (!c_.functions.emplace(name(n[1]), std::move(f)).second) throw refusal("the core: a function twice");
  }

  type read_type(const node& n) const {
    if (!n.list && n.text == "bool") return {};
    if (n.is("int")) return {parse(n[1]), parse(n[2]) - parse(n[1]) + 1};
    if (n.is("enum")) return {0, static_cast<number>(n.kids.size()) - 1};
    if (n.is("elem")) return {0, size_of(n[1])};
    if (n.is("option")) return {0, read_type(n[1]).count + 1};
    if (!n.is("set")) throw refusal("the core: not a type");
    const number size = size_of(n[1]);
    // A set of 64 elements has the sign bit; nothing asks how many there are.
    return size > 62 ? type{INT64_MIN / 2, INT64_MAX} : type{0, number{1} << size};
  }

  action read_action(const node& n, std::size_t at) {
    action a;
    names known;
    for (const node& p : n[at].kids) {
      if (p[1].text == "=" && !p[1].quoted) continue;
      known[p[0].text] = variable(a.params.size());
      a.params.push_back(p[1].quoted ? size_of(p[1]) : parse(p[1]));
    }
    next_ = a.params.size();
    for (const node& p : n[at].kids)
      if (p[1].text == "=" && !p[1].quoted) known[p[0].text] = define(p[2], known);
    split(n[at + 1], known, a.guard);
    for (const node& u : n[at + 2].kids) {
      const auto f = c_.functions.find(name(u[0]));
      if (f == c_.functions.end() || u[1].kids.size() != f->second.sizes.size()) throw refusal("the core: a wrong update");
      update out{&f->second, {}, read(u[2], known)};
      for (const node& t : u[1].kids) out.at.push_back(read(t, known));
      if (u.kids.size() > 3) out.when.push_back(read(u[3], known));
      a.updates.push_back(std::move(out));
    }
    for (std::size_t k = at + 3; k < n.kids.size(); ++k) {
      a.effects.push_back(read_effect(n[k]));
      if (a.effects.back().name.empty() || n[k].is("ends") || n[k].kids.size() < 3) continue;
      a.effects.back().when.push_back(read(n[k][2], known));
      a.effects.back().when_text = text_of(n[k][2]);
    }
    c_.variables = std::max(c_.variables, next_);
    return a;
  }

  term define(const node& n, const names& known) {
    term t;
    t.definition = std::make_shared<const term>(read(n, known));
    t.what = term::op::defined;
    t.value = static_cast<number>(next_);
    next_ += 2;
    return t;
  }

  static std::string text_of(const node& n) {
    std::string out = n.quoted ? '"' + n.text + '"' : n.text;
    for (const node& k : n.kids) out += '(' + text_of(k) + ')';
    return out;
  }

  // The parts of a guard, in the order of their evaluation.
  void split(const node& n, const names& known, std::vector<term>& out) {
    if (!n.is("and")) return out.push_back(read(n, known));
    split(n[1], known, out);
    split(n[2], known, out);
  }

  static effect read_effect(const node& n) {
    if (n.is("violates")) return {effect::kind::violates, name(n[1])};
    if (n.is("marks")) return {effect::kind::marks, name(n[1])};
    if (!n.is("ends")) throw refusal("the core: an unknown effect");
    if (n[1].text == "error") return {effect::kind::error, n[2].text};
    if (n[1].text == "bound") return {effect::kind::bound, n[2].text};
    return n[1].text == "stuck" ? effect{} : throw refusal("the core: an unknown end");
  }

  term read(const node& n, const names& known) {
    using op = term::op;
    static const std::map<std::string, std::pair<op, std::size_t>> words = {
        {"and", {op::both, 2}},       {"or", {op::either, 2}},      {"=>", {op::implies, 2}},    {"if", {op::choice, 3}},
        {"not", {op::no, 1}},         {"neg", {op::minus_sign, 1}}, {"=", {op::same, 2}},        {"!=", {op::differ, 2}},
        {"<", {op::less, 2}},         {"<=", {op::at_most, 2}},     {"+", {op::plus, 2}},        {"-", {op::minus, 2}},
        {"*", {op::times, 2}},        {"/", {op::divide, 2}},       {"min", {op::least, 2}},     {"max", {op::most, 2}},
        {"in", {op::member, 2}},      {"single", {op::single, 1}},  {"union", {op::unite, 2}},   {"inter", {op::meet, 2}},
        {"minus", {op::without, 2}},  {"card", {op::card, 1}},      {"fits", {op::fits, 1}},     {"some", {op::some, 1}},
        {"the", {op::the, 1}},        {"all", {op::all, 1}},        {"exists", {op::exists, 1}}, {"count", {op::count, 1}},
        {"collect", {op::collect, 1}}};
    term t;
    if (!n.list) {
      const auto at = known.find(n.text);
      if (at != known.end()) return at->second;
      t.value = parse(n);
      return t;
    }
    std::size_t first = 1;
    const names* all = &known;
    names inner;
    if (n.is("f")) {
      const auto f = c_.functions.find(name(n[1]));
      if (f == c_.functions.end() || n.kids.size() != f->second.sizes.size() + 2)
        throw refusal("the core: " + n[1].text + " is no such function");
      t.what = op::place;
      t.of = &f->second;
      first = 2;
    } else {
      const auto w = n[0].list ? words.end() : words.find(n[0].text);
      if (w == words.end()) throw refusal("the core: an unknown operator");
      t.what = w->second.first;
      const bool typed = t.what == op::fits || t.what == op::some || t.what == op::the;
      const bool quantified = t.what == op::all || t.what == op::exists || t.what == op::count || t.what == op::collect;
      if (typed) t.kind = read_type(n[1]);
      if (quantified) {
        inner = known;
        all = &inner;
        inner[n[1][0].text] = variable(next_);
        t.value = static_cast<number>(next_++);
        t.size = size_of(n[1][1]);
      }
      first = typed || quantified ? 2 : 1;
      if (n.kids.size() != first + w->second.second) throw refusal("the core: a wrong number of operands of " + n[0].text);
    }
    for (std::size_t k = first; k < n.kids.size(); ++k) t.kids.push_back(read(n[k], *all));
    return t;
  }

  core c_;
  std::size_t next_ = 0;  // variable of the item that is read
};

}  // namespace reexplore
