// SPDX-License-Identifier: MIT
#include "model/export/murphi_terms.hpp"

#include <fmt/format.h>

#include "properties/diagnostic.hpp"

namespace quiesce::exporting {

using ir::op;
using ir::type_kind;

namespace {

constexpr const char* plain = "number_";  // the type of temps that hold numbers or Booleans

bool quantifies(op c) { return c == op::all || c == op::some || c == op::count || c == op::collect; }

}  // namespace

murphi_terms::murphi_terms(const ir::program& p, const std::set<ir::sort_id>& scalarsets, names& n)
    : p_(p), build_(p), scalarsets_(scalarsets), names_(n) {
  for (const ir::sort& s : p.sorts) sort_.push_back(names_.fresh(s.name));
  for (const ir::sort& s : p.sorts) set_.push_back(names_.fresh("set_of_" + s.name));
  for (const ir::variable& v : p.variables) variable_.push_back(names_.fresh(v.name));
}

bool murphi_terms::named(ir::type_id t, ir::sort_id& sort, bool& option) const {
  const ir::type& outer = p_.types[t];
  option = outer.kind == type_kind::option;
  const ir::type& inner = option ? p_.types[outer.inner] : outer;
  const bool element = inner.kind == type_kind::element && scalarset(inner.sort);
  if (element) sort = inner.sort;
  const ir::type* deep = &inner;
  while (deep->kind == type_kind::option) deep = &p_.types[deep->inner];
  if (option && deep->kind == type_kind::set) throw diagnostic("murphi: there are no options of sets");
  if (!element && deep != &outer && deep->kind == type_kind::element && scalarset(deep->sort))
    throw not_interchangeable{deep->sort, "an option of an option of it"};
  return element;
}

std::string murphi_terms::type_name(ir::type_id t) const {
  ir::sort_id sort = ir::nothing;
  bool option = false;
  if (named(t, sort, option)) return sort_[sort];
  const ir::type& x = p_.types[t];
  if (x.kind == type_kind::boolean) return "boolean";
  if (x.kind == type_kind::set) return set_[x.sort];
  if (x.kind == type_kind::element) return sort_[x.sort];
  return fmt::format("{} .. {}", build_.least(t), build_.greatest(t));
}

std::string murphi_terms::types() const {
  std::string out = fmt::format("  {}: -1048576 .. 1048576;\n", plain);
  for (ir::sort_id s = 0; s < p_.sorts.size(); ++s) {
    const std::size_t n = build_.elements(s);
    if (n == 0) continue;
    out +=
        scalarset(s) ? fmt::format("  {}: scalarset({});\n", sort_[s], n) : fmt::format("  {}: 0 .. {};\n", sort_[s], n - 1);
    out += fmt::format("  {}: array [{}] of boolean;\n", set_[s], sort_[s]);
  }
  return out;
}

std::string murphi_terms::variables() const {
  std::string out;
  for (ir::variable_id v = 0; v < p_.variables.size(); ++v) {
    if (ir::element_count(p_, p_.variables[v]) == 0) continue;
    out += "  " + variable_[v] + ": ";
    for (const ir::sort_id s : p_.variables[v].index) out += "array [" + sort_[s] + "] of ";
    out += type_name(p_.variables[v].type) + ";\n";
  }
  return out;
}

std::string murphi_terms::element_temp(ir::temp_id t, ir::sort_id s) {
  const std::string name = fmt::format("t{}_{}", t, sort_[s]);
  locals_[name] = sort_[s];
  return name;
}

std::string murphi_terms::temp(ir::temp_id t, ir::type_id type) {
  ir::sort_id sort = ir::nothing;
  bool option = false;
  std::string name = fmt::format("t{}_", t), of = plain;
  if (named(type, sort, option)) {
    name += (option ? "option_" : "") + sort_[sort];
    of = sort_[sort];
    if (!option) return element_temp(t, sort);
  } else if (is_set(type)) {
    of = set_[p_.types[type].sort];
    name += of;
  }
  locals_[name] = of;
  return name;
}

std::string murphi_terms::locals() {
  std::string out;
  for (const auto& [name, type] : locals_) out += "    " + name + ": " + type + ";\n";
  locals_.clear();
  return out;
}

std::string murphi_terms::bound_name(const term& t) {
  const auto it = bound_.find(t->temp);
  if (it != bound_.end()) return it->second;
  if (t->sort != ir::nothing) throw diagnostic("murphi: a bound variable has lost its quantifier");
  return temp(t->temp, t->type);
}

std::string murphi_terms::element(ir::sort_id s, std::int64_t k,
                                  const std::vector<std::vector<std::string>>* by_name) const {
  if (!scalarset(s)) return std::to_string(k);
  if (!by_name) throw not_interchangeable{s, "an element of it is named"};
  return (*by_name)[s].at(static_cast<std::size_t>(k));
}

std::string murphi_terms::place(ir::variable_id v, const std::vector<term>& index) {
  std::string out = variable_[v];
  for (std::size_t k = 0; k < index.size(); ++k) out += "[" + element_of(p_.variables[v].index[k], index[k]) + "]";
  return out;
}

// --- what kind of value ---

bool murphi_terms::boolean(const term& t) const {
  switch (t->code) {
    case op::not_:
    case op::and_:
    case op::or_:
    case op::equal:
    case op::less:
    case op::less_equal:
    case op::contains:
    case op::all:
    case op::some:
      return true;
    case op::load:
      return p_.types[t->type].kind == type_kind::boolean;
    case op::select:
      return boolean(t->kids[1]) || boolean(t->kids[2]);
    default:
      return false;
  }
}

// The sort of what the set has; ir::nothing where it is no set.
ir::sort_id murphi_terms::set_sort(const term& t) const {
  switch (t->code) {
    case op::constant:
      return ir::nothing;
    case op::collect:
      return t->sort;
    case op::unite:
    case op::intersect:
    case op::subtract_set: {
      const ir::sort_id a = set_sort(t->kids[0]);
      return a != ir::nothing ? a : set_sort(t->kids[1]);
    }
    case op::select: {
      const ir::sort_id a = set_sort(t->kids[1]);
      return a != ir::nothing ? a : set_sort(t->kids[2]);
    }
    case op::singleton:
    case op::load:
    case op::temp:
      return t->sort == ir::nothing && is_set(t->type) ? p_.types[t->type].sort : ir::nothing;
    default:
      return ir::nothing;
  }
}

// The scalarset of an element or option; ir::nothing where it is neither.
ir::sort_id murphi_terms::option_sort(const term& t, bool& option) const {
  ir::sort_id s = ir::nothing;
  option = false;
  if (t->code == op::constant) return ir::nothing;
  if (t->code == op::temp && t->sort != ir::nothing) return scalarset(t->sort) ? t->sort : ir::nothing;
  if (t->code == op::select) {
    s = option_sort(t->kids[1], option);
    return s != ir::nothing ? s : option_sort(t->kids[2], option);
  }
  const bool typed = t->code == op::load || t->code == op::temp || t->code == op::wrap || t->code == op::unwrap;
  return typed && named(t->type, s, option) ? s : ir::nothing;
}

// --- values ---

std::string murphi_terms::element_of(ir::sort_id s, const term& t) {
  if (!scalarset(s)) return number(t);
  if (t->constant()) throw not_interchangeable{s, "an element of it is named"};
  bool option = false;
  if (t->code == op::select)
    return fmt::format("({} ? {} : {})", truth(t->kids[0]), element_of(s, t->kids[1]), element_of(s, t->kids[2]));
  if (t->code == op::unwrap && t->kids[0]->code == op::wrap) return element_of(s, t->kids[0]->kids[0]);
  if (t->code == op::unwrap && t->kids[0]->code == op::select) {
    node yes = *t, no = *t;
    yes.kids = {t->kids[0]->kids[1]};
    no.kids = {t->kids[0]->kids[2]};
    return fmt::format("({} ? {} : {})", truth(t->kids[0]->kids[0]), element_of(s, std::make_shared<const node>(yes)),
                       element_of(s, std::make_shared<const node>(no)));
  }
  if (option_sort(t, option) != s || option) throw not_interchangeable{s, "elements of it are computed with"};
  if (t->code == op::unwrap) {
    const term& o = t->kids[0];
    if (o->code == op::load) return place(o->var, o->kids);
    if (o->code == op::temp) return bound_name(o);
    throw not_interchangeable{s, "elements of it are computed with"};
  }
  if (t->code == op::load) return place(t->var, t->kids);
  return bound_name(t);
}

std::string murphi_terms::truth(const term& t) {
  if (t->constant()) return t->low ? "true" : "false";
  const auto kid = [&](std::size_t k) { return truth(t->kids[k]); };
  switch (t->code) {
    case op::not_:
      return "!" + kid(0);
    case op::and_:
      return fmt::format("({} & {})", kid(0), kid(1));
    case op::or_:
      return fmt::format("({} | {})", kid(0), kid(1));
    case op::equal:
      return equal(t->kids[0], t->kids[1]);
    case op::less:
      return fmt::format("({} < {})", number(t->kids[0]), number(t->kids[1]));
    case op::less_equal:
      return fmt::format("({} <= {})", number(t->kids[0]), number(t->kids[1]));
    case op::select:
      return fmt::format("({} ? {} : {})", kid(0), kid(1), kid(2));
    case op::contains: {
      const ir::sort_id s = set_sort(t->kids[0]);
      if (s != ir::nothing) return has(t->kids[0], element_of(s, t->kids[1]), s);
      if (t->kids[0]->low == 0) return "false";
      std::string out;
      for (int k = 0; k < 40; ++k)
        if (t->kids[0]->low >> k & 1) out += fmt::format("{}{} = {}", out.empty() ? "(" : " | ", number(t->kids[1]), k);
      return out + ")";
    }
    case op::all:
      return quantifier("forall", t);
    case op::some:
      return quantifier("exists", t);
    case op::load:
      if (boolean(t)) return place(t->var, t->kids);
      [[fallthrough]];
    default:
      return fmt::format("({} != 0)", number(t));
  }
}

std::string murphi_terms::quantifier(const char* word, const term& t) {
  const std::string name = fmt::format("b{}", ++fresh_);
  const auto saved = bound_;
  bound_[t->temp] = name;
  const std::string body = truth(t->kids[0]);
  bound_ = saved;
  return fmt::format("({} {}: {} do {} end)", word, name, sort_[t->sort], body);
}

std::string murphi_terms::number(const term& t) {
  if (t->constant()) return t->low < 0 ? fmt::format("({})", t->low) : std::to_string(t->low);
  if (boolean(t)) return fmt::format("({} ? 1 : 0)", truth(t));
  bool option = false;
  const ir::sort_id s = option_sort(t, option);
  if (s != ir::nothing) throw not_interchangeable{s, "an element of it is used as a number"};
  const auto kid = [&](std::size_t k) { return number(t->kids[k]); };
  const auto binary = [&](const char* sign) { return fmt::format("({} {} {})", kid(0), sign, kid(1)); };
  switch (t->code) {
    case op::temp:
      return bound_name(t);
    case op::load:
      return place(t->var, t->kids);
    case op::negate:
      return "(-" + kid(0) + ")";
    case op::add:
      return binary("+");
    case op::subtract:
      return binary("-");
    case op::multiply:
      return binary("*");
    case op::divide:
      return binary("/");
    case op::minimum:
      return fmt::format("({0} < {1} ? {0} : {1})", kid(0), kid(1));
    case op::maximum:
      return fmt::format("({0} < {1} ? {1} : {0})", kid(0), kid(1));
    case op::select:
      return fmt::format("({} ? {} : {})", truth(t->kids[0]), kid(1), kid(2));
    case op::wrap: {
      const ir::type_id inner = p_.types[t->type].inner;
      const std::string code = fmt::format("({} + {})", kid(0), 1 - build_.least(inner));
      const term fits = build_.fits(t->kids[0], inner);
      return fits->constant() ? code : fmt::format("({} ? {} : -1)", truth(fits), code);
    }
    case op::unwrap:
      return fmt::format("({} - {})", kid(0), 1 - build_.least(t->type));
    case op::count:
      return counted(t->kids[0], t->sort, t->temp);
    case op::cardinality: {
      const ir::sort_id of = set_sort(t->kids[0]);
      if (of == ir::nothing) throw diagnostic("murphi: a set is used as a number");
      node has_it;
      has_it.code = op::contains;
      has_it.high = 1;
      node member;
      member.code = op::temp;
      member.temp = static_cast<ir::temp_id>(60000 + ++fresh_);
      member.sort = of;
      member.high = static_cast<std::int64_t>(build_.elements(of));
      const ir::temp_id bound = member.temp;
      has_it.kids = {t->kids[0], std::make_shared<const node>(std::move(member))};
      return counted(std::make_shared<const node>(std::move(has_it)), of, bound);
    }
    default:
      throw diagnostic("murphi: a set is used as a number");
  }
}

// How many elements make the body true: a function of its own, that takes what is not in the state.
std::string murphi_terms::counted(const term& body, ir::sort_id s, ir::temp_id bound) {
  std::map<std::string, std::string> free;  // as written here, type
  std::set<ir::temp_id> inner{bound};
  free_temps(body, free, inner);
  const std::string name = names_.fresh(fmt::format("count_{}", sort_[s]));
  const std::string element = fmt::format("b{}", ++fresh_);
  const auto saved = bound_;
  bound_[bound] = element;
  const std::string condition = truth(body);
  bound_ = saved;
  std::string params, args;
  for (const auto& [text, type] : free) {
    params += (params.empty() ? "" : "; ") + text + ": " + type;
    args += (args.empty() ? "" : ", ") + text;
  }
  functions_ += fmt::format(
      "function {0}({1}): number_;\nvar n: number_;\nbegin\n  n := 0;\n  for {2}: {3} do\n    if {4} then "
      "n := n + 1; end;\n  end;\n  return n;\nend;\n\n",
      name, params, element, sort_[s], condition);
  return fmt::format("{}({})", name, args);
}

void murphi_terms::free_temps(const term& t, std::map<std::string, std::string>& types, std::set<ir::temp_id>& inner) {
  if (t->code == op::temp && !inner.count(t->temp)) {
    ir::sort_id s = t->sort;
    bool option = false;
    const std::string text = bound_name(t);
    if (s != ir::nothing)
      types[text] = sort_[s];
    else
      types[text] = named(t->type, s, option) ? sort_[s] : is_set(t->type) ? set_[p_.types[t->type].sort] : plain;
    return;
  }
  const bool fresh = quantifies(t->code) && inner.insert(t->temp).second;
  for (const term& k : t->kids) free_temps(k, types, inner);
  if (fresh) inner.erase(t->temp);
}

// --- equality ---

std::string murphi_terms::equal(const term& a, const term& b) {
  for (const term& side : {a, b}) {
    const ir::sort_id set = set_sort(side);
    if (set != ir::nothing) return equal_sets(a, b, set);
    bool option = false;
    const ir::sort_id s = option_sort(side, option);
    if (s != ir::nothing) return equal_named(a, b, s, option);
  }
  if (boolean(a) || boolean(b)) {
    if (a->constant()) return a->low == 1 ? truth(b) : a->low == 0 ? "!" + truth(b) : "false";
    if (b->constant()) return equal(b, a);
    return fmt::format("({} = {})", truth(a), truth(b));
  }
  return fmt::format("({} = {})", number(a), number(b));
}

std::string murphi_terms::none(const term& o, ir::sort_id s) {
  if (o->constant()) {
    if (o->low != 0) throw not_interchangeable{s, "an element of it is named"};
    return "true";
  }
  if (o->code == op::select)
    return fmt::format("({} ? {} : {})", truth(o->kids[0]), none(o->kids[1], s), none(o->kids[2], s));
  if (o->code == op::wrap) return "false";
  if (o->code == op::load) return "isundefined(" + place(o->var, o->kids) + ")";
  if (o->code == op::temp) return "isundefined(" + bound_name(o) + ")";
  throw not_interchangeable{s, "options of it are computed with"};
}

std::string murphi_terms::equal_named(const term& a, const term& b, ir::sort_id s, bool option) {
  if (!option) return fmt::format("({} = {})", element_of(s, a), element_of(s, b));
  if (a->constant() || b->constant()) return a->constant() ? (none(a, s), none(b, s)) : (none(b, s), none(a, s));
  if (a->code == op::select)
    return fmt::format("({} ? {} : {})", truth(a->kids[0]), equal_named(a->kids[1], b, s, true),
                       equal_named(a->kids[2], b, s, true));
  if (b->code == op::select) return equal_named(b, a, s, true);
  const auto inner = [&](const term& o) {
    return o->code == op::wrap ? element_of(s, o->kids[0]) : o->code == op::load ? place(o->var, o->kids) : bound_name(o);
  };
  const std::string x = none(a, s), y = none(b, s);
  return fmt::format("({} ? {} : (!{} & {} = {}))", x, y, y, inner(a), inner(b));
}

std::string murphi_terms::equal_sets(const term& a, const term& b, ir::sort_id s) {
  const std::string name = fmt::format("b{}", ++fresh_);
  const std::string x = has(a, name, s), y = has(b, name, s);
  const std::string same = y == "false" ? "!" + x : y == "true" ? x : fmt::format("{} = {}", x, y);
  return fmt::format("(forall {}: {} do {} end)", name, sort_[s], same);
}

// Is `e` in a set that is stored as the number of its members' bits?
std::string murphi_terms::bit(const std::string& number, const std::string& e, ir::sort_id s) const {
  if (scalarset(s)) throw not_interchangeable{s, "a set of it is used as a number"};
  std::string out;
  for (std::size_t k = 0; k < build_.elements(s); ++k)
    out += fmt::format("{}({} = {} & ({} / {}) % 2 = 1)", k ? " | " : "(", e, k, number, std::uint64_t{1} << k);
  return out + ")";
}

std::string murphi_terms::has(const term& set, const std::string& e, ir::sort_id s) {
  if (set->constant()) {
    const std::int64_t n = static_cast<std::int64_t>(build_.elements(s));
    if (set->low == 0) return "false";
    if (set->low == (std::int64_t{1} << n) - 1) return "true";
    if (scalarset(s)) throw not_interchangeable{s, "an element of it is named"};
    std::string out;
    for (std::int64_t k = 0; k < n; ++k)
      if (set->low >> k & 1) out += fmt::format("{}{} = {}", out.empty() ? "(" : " | ", e, k);
    return out + ")";
  }
  const auto kid = [&](std::size_t k) { return has(set->kids[k], e, s); };
  switch (set->code) {
    case op::load:
      return place(set->var, set->kids) + "[" + e + "]";
    case op::temp:
      return set_sort(set) == ir::nothing ? bit(bound_name(set), e, s) : bound_name(set) + "[" + e + "]";
    case op::singleton:
      return fmt::format("({} = {})", element_of(s, set->kids[0]), e);
    case op::unite:
      return fmt::format("({} | {})", kid(0), kid(1));
    case op::intersect:
      return fmt::format("({} & {})", kid(0), kid(1));
    case op::subtract_set:
      return fmt::format("({} & !{})", kid(0), kid(1));
    case op::select:
      return fmt::format("({} ? {} : {})", truth(set->kids[0]), kid(1), kid(2));
    case op::collect: {
      const auto saved = bound_;
      bound_[set->temp] = e;
      const std::string body = truth(set->kids[0]);
      bound_ = saved;
      return body;
    }
    default:
      throw diagnostic("murphi: a set is computed with as a number");
  }
}

// --- statements ---

std::string murphi_terms::assign(const std::string& target, const term& t, ir::type_id type, const std::string& indent,
                                 bool plain_temp) {
  ir::sort_id s = ir::nothing;
  bool option = false;
  if (is_set(type)) {
    s = p_.types[type].sort;
    const std::string e = fmt::format("e{}", ++fresh_), copy = fmt::format("set{}", fresh_);
    locals_[copy] = set_[s];
    const std::string member = has(t, e, s);
    const bool direct = t->constant() || t->code == op::load || t->code == op::temp;
    if (direct) return fmt::format("{}for {}: {} do {}[{}] := {}; end;\n", indent, e, sort_[s], target, e, member);
    return fmt::format("{0}for {1}: {2} do {4}[{1}] := {3}; end;\n{0}for {1}: {2} do {5}[{1}] := {4}[{1}]; end;\n", indent,
                       e, sort_[s], member, copy, target);
  }
  if (!named(type, s, option)) {
    const bool yes = p_.types[type].kind == type_kind::boolean && !plain_temp;
    return fmt::format("{}{} := {};\n", indent, target, yes ? truth(t) : number(t));
  }
  if (t->constant()) {
    if (t->low != 0) throw not_interchangeable{s, "an element of it is named"};
    return indent + "undefine " + target + ";\n";
  }
  if (t->code == op::select)
    return fmt::format("{0}if {1} then\n{2}{0}else\n{3}{0}end;\n", indent, truth(t->kids[0]),
                       assign(target, t->kids[1], type, indent + "  "), assign(target, t->kids[2], type, indent + "  "));
  if (option && t->code == op::wrap) return fmt::format("{}{} := {};\n", indent, target, element_of(s, t->kids[0]));
  const std::string from = t->code == op::load   ? place(t->var, t->kids)
                           : t->code == op::temp ? bound_name(t)
                                                 : element_of(s, t);
  if (t->code == op::temp && t->sort != ir::nothing) return fmt::format("{}{} := {};\n", indent, target, from);
  if (t->code == op::unwrap && !option) return fmt::format("{}{} := {};\n", indent, target, from);
  return fmt::format("{0}if isundefined({2}) then undefine {1}; else {1} := {2}; end;\n", indent, target, from);
}

}  // namespace quiesce::exporting
