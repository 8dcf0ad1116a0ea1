// SPDX-License-Identifier: MIT
#include "model/system/core_expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace quiesce::core {

using namespace ir;

expressions::expressions(const program& p) : p_(p) {
  std::set<std::string> used;
  for (const variable& v : p.variables) {
    std::string name = v.name;
    for (int n = 2; !used.insert(name).second; ++n) name = fmt::format("{} #{}", v.name, n);
    names_.push_back(quoted(name));
  }
}

void expressions::start_naming() {
  naming_ = true;
  definitions_.clear();
  name_of_text_.clear();
}

term expressions::named(term t, std::size_t longest) {
  if (!naming_ || t->text.size() <= longest) return t;
  const auto [at, is_new] = name_of_text_.emplace(t->text, fmt::format("d{}", definitions_.size()));
  if (is_new) definitions_.push_back({at->second, t->text});
  return within(counted(opaque(at->second, t->low, t->high), fewest(t), most(t)), t->within);
}

void mark_used(const std::string& text, std::vector<bool>& used) {
  bool inside = false;
  for (std::size_t k = 0; k + 1 < text.size(); ++k) {
    if (text[k] == '\\' && inside) {
      ++k;
      continue;
    }
    if (text[k] == '"') inside = !inside;
    if (inside || text[k] != 'd' || (k > 0 && text[k - 1] != ' ' && text[k - 1] != '(')) continue;
    if (text[k + 1] >= '0' && text[k + 1] <= '9') used[std::stoul(text.substr(k + 1, 12))] = true;
  }
}

term expressions::value(path& x, expr_id id) {
  term out = plain(x, id);
  return naming_ && bound_ == 0 ? named(std::move(out), 120) : out;
}

std::string expressions::type_text(type_id id) const {
  const type& t = p_.types[id];
  switch (t.kind) {
    case type_kind::boolean:
      return "bool";
    case type_kind::integer:
      return t.high >= far / 2 ? fmt::format("(int {} any)", t.low) : fmt::format("(int {} {})", t.low, t.high);
    case type_kind::enumeration: {
      std::string out = "(enum";
      for (const std::string& l : t.labels) out += ' ' + quoted(l);
      return out + ')';
    }
    case type_kind::element:
      return "(elem " + quoted(p_.sorts[t.sort].name) + ')';
    case type_kind::option:
      return "(option " + type_text(t.inner) + ')';
    case type_kind::set:
      return "(set " + quoted(p_.sorts[t.sort].name) + ')';
  }
  return "?";
}

bool expressions::open(sort_id s) const { return p_.sorts[s].unbounded || p_.sorts[s].closed; }
std::int64_t expressions::elements(sort_id s) const {
  return open(s) ? far : static_cast<std::int64_t>(p_.sorts[s].element.size());
}

std::int64_t expressions::high(type_id t) const {
  const type& ty = p_.types[t];
  if (p_.parametrised && ty.kind == type_kind::set) return far;
  if (ty.kind == type_kind::element && open(ty.sort)) return far;
  if (ty.kind == type_kind::option) return std::min(far, 1 + high(ty.inner) - low(p_, ty.inner));
  std::uint64_t m = max_code(p_, t);
  return m > static_cast<std::uint64_t>(far) ? far : low(p_, t) + static_cast<std::int64_t>(m);
}

// --- terms ---

term expressions::load(const path& x, variable_id v, const std::vector<term>& index) const {
  const variable& var = p_.variables[v];
  term out;
  if (initial_ && !x.arbitrary.count(v)) {
    out = number(low(p_, var.type));
  } else {
    std::string text = "(f " + names_[v];
    for (const term& t : index) text += ' ' + t->text;
    out = opaque(text + ')', low(p_, var.type), high(var.type));
    const type& t = p_.types[var.type];
    if (naming_ && t.kind == type_kind::set) out = counted(out, 0, static_cast<int>(elements(t.sort)));
  }
  auto it = x.writes.find(v);
  if (it == x.writes.end()) return out;
  for (const write& w : it->second)
    out = w.everywhere ? w.everywhere(index, out) : choice(both(w.when, same_place(w.index, index)), w.value, out);
  return out;
}

term expressions::same_place(const std::vector<term>& a, const std::vector<term>& b) {
  term out = truth(true);
  for (std::size_t k = 0; k < a.size(); ++k) out = both(out, equality(a[k], b[k]));
  return out;
}

std::vector<term> expressions::terms(path& x, const std::vector<expr_id>& es) {
  std::vector<term> out;
  for (expr_id e : es) out.push_back(value(x, e));
  return out;
}

term expressions::plain(path& x, expr_id id) {
  const expr& e = p_.exprs[id];
  auto kid = [&](std::size_t k) { return value(x, e.kids[k]); };
  switch (e.code) {
    case op::constant:
      return number(e.value);
    case op::temp: {
      auto it = x.temps.find(e.temp);
      return it == x.temps.end() ? number(0) : it->second;
    }
    case op::load:
      return load(x, e.var, terms(x, e.kids));
    case op::not_:
      return negation(kid(0));
    case op::and_: {
      term a = kid(0);
      return is(a, 0) ? a : both(a, kid(1));
    }
    case op::or_: {
      term a = kid(0);
      return a->constant && a->low ? a : either(a, kid(1));
    }
    case op::implies: {
      term a = kid(0);
      if (is(a, 0)) return truth(true);
      term b = kid(1);
      if (is(b, 1) || a->constant) return b;
      return opaque(call("=>", a, b), 0, 1);
    }
    case op::equal:
      return equal(kid(0), kid(1));
    case op::not_equal:
      return negation(equal(kid(0), kid(1)));
    case op::less:
      return less(kid(0), kid(1));
    case op::less_equal:
      return less_equal(kid(0), kid(1));
    case op::select: {
      term c = kid(0);
      if (c->constant) return kid(c->low ? 1 : 2);
      return choice(c, kid(1), kid(2));
    }
    case op::all:
    case op::some:
    case op::count:
    case op::collect:
      return quantified(x, e);
    case op::wrap:
      return wrapped(e.type, kid(0));
    case op::unwrap:
      return unwrapped(e.type, kid(0));
    case op::construct:
      return opaque(constructor_text("make", e) + kid(0)->text + ')',
                    static_cast<std::int64_t>(p_.sorts[e.sort].element.size()), far);
    case op::constructed: {
      const term a = kid(0);
      if (a->constant) return truth(false);
      if (a->text.starts_with("(make ")) return truth(a->text.starts_with(constructor_text("make", e)));
      return opaque(constructor_text("made", e) + a->text + ')', 0, 1);
    }
    case op::subtract_set:
      return without(x, kid(0), kid(1));
    default:
      return computed(e.code, kid(0), e.kids.size() > 1 ? kid(1) : nullptr);
  }
}

// Nothing is without members that has some.
term expressions::equal(const term& a, const term& b) const {
  if (naming_ && ((is(b, 0) && fewest(a) > 0) || (is(a, 0) && fewest(b) > 0))) return truth(false);
  return equality(a, b);
}

// A loop takes the members of a set out one by one: how many there are left tells where it ends.
term expressions::without(const path& x, const term& a, const term& b) {
  const term out = computed(op::subtract_set, a, b);
  const std::string one = "(single ";
  if (!naming_ || out->constant || !b->text.starts_with(one)) return out;
  const term inside = opaque("(in " + a->text + ' ' + b->text.substr(one.size()), 0, 1);
  const term known = bound_ == 0 ? named(inside, 120) : inside;
  if (std::none_of(x.assumed.begin(), x.assumed.end(), [&](const term& t) { return same(t, known); })) return out;
  return most(a) <= 1 ? number(0) : counted(out, std::max(fewest(a) - 1, 0), most(a) - 1);
}

std::string expressions::constructor_text(const char* word, const expr& e) const {
  const sort& s = p_.sorts[e.sort];
  return fmt::format("({} {} {} ", word, quoted(s.name), quoted(s.constructors[static_cast<std::size_t>(e.value)].name));
}

term expressions::wrapped(type_id option, const term& a) const {
  type_id inner = p_.types[option].inner;
  if (a->constant) return number(a->low >= low(p_, inner) && a->low <= high(inner) ? 1 + a->low - low(p_, inner) : -1);
  bool fits = a->low >= low(p_, inner) && a->high <= high(inner);
  return opaque("(some " + type_text(inner) + ' ' + a->text + ')', fits ? 1 : -1, 1 + high(inner) - low(p_, inner));
}
term expressions::unwrapped(type_id inner, const term& o) const {
  if (o->constant) return number(o->low - 1 + low(p_, inner));
  return opaque("(the " + type_text(inner) + ' ' + o->text + ')', o->low - 1 + low(p_, inner), o->high - 1 + low(p_, inner));
}

term expressions::computed(op code, const term& a, const term& b) const {
  bool known = a->constant && (!b || b->constant);
  if (p_.parametrised || naming_) {
    if (code == op::contains && is(a, 0)) return truth(false);
    if ((code == op::unite && is(a, 0)) || (code == op::intersect && is(b, 0))) return b;
    if ((code == op::unite || code == op::subtract_set) && is(b, 0)) return a;
    if ((code == op::intersect || code == op::subtract_set) && is(a, 0)) return a;
    // With any number of elements the only set with a number is the empty one.
    known = known && (!p_.parametrised || (code != op::singleton && code != op::contains));
  }
  std::int64_t x = a->low, y = b ? b->low : 0;
  auto name = [&](const char* f) { return b ? call(f, a, b) : call(f, a); };
  switch (code) {
    case op::negate:
      return known ? number(-x) : opaque(name("neg"), -a->high, -a->low);
    case op::add:
      return known ? number(x + y) : opaque(name("+"), a->low + b->low, a->high + b->high);
    case op::subtract:
      return known ? number(x - y) : opaque(name("-"), a->low - b->high, a->high - b->low);
    case op::multiply:
      return known ? number(x * y) : opaque(name("*"), -far, far);
    case op::divide:
      return known ? number(y > 0 ? x / y : 0) : opaque(name("/"), -far, far);
    case op::minimum:
      return known ? number(std::min(x, y)) : opaque(name("min"), std::min(x, y), std::min(a->high, b->high));
    case op::maximum:
      return known ? number(std::max(x, y)) : opaque(name("max"), std::max(x, y), std::max(a->high, b->high));
    case op::contains:
      return known ? truth(x >> y & 1) : opaque(name("in"), 0, 1);
    case op::singleton:
      return known ? number(static_cast<std::int64_t>(std::uint64_t{1} << x)) : opaque(name("single"), -far, far);
    case op::unite:
      return known ? number(x | y) : opaque(name("union"), -far, far);
    case op::intersect:
      return known ? number(x & y) : opaque(name("inter"), -far, far);
    case op::subtract_set:
      return known ? number(x & ~y) : opaque(name("minus"), -far, far);
    default:
      return known ? number(__builtin_popcountll(static_cast<std::uint64_t>(x))) : opaque(name("card"), 0, 64);
  }
}

namespace {

// "S" where the text begins with `(in S b)`, also as the first part of an `and`, and S does not depend on b.
std::string first_set(std::string_view text, const std::string& b) {
  while (text.starts_with("(and ")) text.remove_prefix(5);
  const std::size_t end = text.find(' ' + b + ')');
  if (!text.starts_with("(in ") || end == text.npos) return {};
  const std::string_view set = text.substr(4, end - 4);
  std::ptrdiff_t open = 0;
  for (std::size_t k = 0; k < set.size(); ++k) {
    open += (set[k] == '(') - (set[k] == ')');
    if (open < 0 || (open == 0 && set[k] == ' ')) return {};
  }
  return open == 0 && set.find(b) == set.npos ? std::string(set) : std::string();
}

}  // namespace

// What follows from an element being in a set that is part of another one.
term expressions::also_in(path& x, expr_id id) {
  const expr& e = p_.exprs[id];
  if (!naming_ || e.code != op::contains) return truth(true);
  const term set = value(x, e.kids[0]);
  return set->within.empty() ? truth(true)
                             : named(opaque("(in " + set->within + ' ' + value(x, e.kids[1])->text + ')', 0, 1), 120);
}

term expressions::quantified(path& x, const expr& e) {
  auto n = elements(e.sort);
  std::string bound = fmt::format("b{}", ++bound_);
  auto saved = x.temps;
  x.temps[e.temp] = opaque(bound, 0, std::max<std::int64_t>(n - 1, 0));
  if (n == 1) x.temps[e.temp] = opaque(bound, 0, 0);
  term body = value(x, e.kids[0]);
  x.temps = std::move(saved);
  --bound_;
  if (e.code == op::all && body->constant && (body->low || n > 0)) return truth(body->low != 0);
  if (e.code == op::some && body->constant && (!body->low || n > 0)) return truth(body->low != 0);
  if ((p_.parametrised || naming_) && e.code == op::collect && is(body, 0)) return body;
  const char* name = e.code == op::all ? "all" : e.code == op::some ? "exists" : e.code == op::count ? "count" : "collect";
  std::string text = fmt::format("({} ({} {}) {})", name, bound, quoted(p_.sorts[e.sort].name), body->text);
  if (e.code == op::count) return opaque(text, 0, n);
  if (e.code != op::collect) return opaque(text, 0, 1);
  const term set = opaque(text, -far, far);
  return naming_ ? within(set, first_set(body->text, bound)) : set;
}

term expressions::fit(const term& v, type_id t) const {
  if (p_.types[t].kind == type_kind::set) {
    // Sets are built from elements of their sort only.
    return truth(true);
  }
  if (v->low >= low(p_, t) && v->high <= high(t)) return truth(true);
  if (v->high < low(p_, t) || v->low > high(t)) return truth(false);
  return opaque("(fits " + type_text(t) + ' ' + v->text + ')', 0, 1);
}

}  // namespace quiesce::core
