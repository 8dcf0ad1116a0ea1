// SPDX-License-Identifier: MIT
#include "model/system/lower_symbols.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "model/system/scope_problem.hpp"

namespace quiesce::lowering {

namespace {

constexpr std::int64_t most_elements = 64;

// A literal as the command line or a claim's text writes it.
ast::expr literal(const std::string& text) {
  ast::expr e;
  if (text == "true" || text == "false" || text == "y" || text == "n") {
    e.kind = ast::expr_kind::boolean;
    e.value = text == "true" || text == "y";
  } else if (text == "none") {
    e.kind = ast::expr_kind::none;
    e.text = text;
  } else if (!text.empty() && text.find_first_not_of("0123456789") == std::string::npos && text.size() < 18) {
    e.kind = ast::expr_kind::integer;
    e.value = std::stoll(text);
  } else {
    e.kind = ast::expr_kind::name;
    e.text = text;
  }
  return e;
}

std::string label_text(const ast::expr& e) { return e.kind == ast::expr_kind::none ? "none" : e.text; }

std::string print_literal(const builder& b, expr_id e) {
  const ir::type& t = b.type(b.type_of(e));
  const std::int64_t v = *b.constant_of(e);
  if (t.kind == ir::type_kind::boolean) return v ? "true" : "false";
  if (t.kind == ir::type_kind::enumeration) return t.labels[static_cast<std::size_t>(v)];
  return std::to_string(v);
}

}  // namespace

symbols::symbols(const loaded_model& m, const instance& i, builder& out) : source(m), wanted(i), b(out) {
  for (const auto& [name, n] : i.scope) b.program.parametrised |= n == any_number;
}

void symbols::declare(const std::string& name, source_range where) {
  if (!taken_.emplace(name, where).second) throw diagnostic(where, fmt::format("'{}' is declared twice", name));
}

// --- sorts -----------------------------------------------------------------------------------------------------------

void symbols::declare_sorts() {
  std::map<std::string, const ast::sort_decl*> seen;
  for (const auto* d : items<ast::sort_decl>()) {
    if (auto it = seen.find(d->name); it != seen.end()) {
      if (it->second->extras.size() != d->extras.size())
        throw diagnostic(d->where, fmt::format("sort '{}' was declared before in other words", d->name));
      continue;
    }
    seen[d->name] = d;
    declare(d->name, d->where);
    const auto given = wanted.scope.find(d->name);
    const std::int64_t n = given != wanted.scope.end() ? given->second : d->standard;
    if (given == wanted.scope.end() && d->standard == 0)
      throw scope_problem(d->where, d->name, fmt::format("the scope does not say how many '{}' there are", d->name),
                          fmt::format("add {}=N to the scope", d->name));
    const bool any = n == any_number;
    if (!any && (n < 1 || n > most_elements))
      throw scope_problem(d->where, d->name,
                          fmt::format("scope {}={} is not possible: it must be 1..{}", d->name, n, most_elements));
    sort_symbol s;
    s.id = static_cast<sort_id>(b.program.sorts.size());
    s.name = d->name;
    s.counted = any ? 0 : static_cast<std::uint32_t>(n);
    scope.sizes.emplace_back(d->name, n);
    ir::sort out;
    out.name = d->name;
    out.counted = true;
    out.unbounded = any;
    std::vector<std::string> names;
    for (const auto& x : d->extras)
      if (x.over.empty()) names.push_back(x.name);
    if (!any && static_cast<std::int64_t>(names.size()) > n)
      throw diagnostic(d->where, fmt::format("scope {}={} has no room for the named elements", d->name, n));
    s.named = static_cast<std::uint32_t>(names.size());
    const auto numbered = any ? std::max<std::int64_t>(1, static_cast<std::int64_t>(names.size())) : n;
    for (std::uint32_t e = 0; e < numbered; ++e) {
      const bool is_named = e < names.size();
      out.element.push_back(is_named ? names[e] : fmt::format("{}{}", d->name, e));
      out.origin.push_back(is_named ? ir::element_origin{} : ir::element_origin{0, s.id, e});
      if (is_named) {
        declare(names[e], d->where);
        named_elements[names[e]] = {d->name, e};
      }
    }
    b.program.sorts.push_back(out);
    sorts[d->name] = s;
  }
  for (const auto& [name, d] : seen) {
    sort_symbol& s = sorts.at(name);
    std::uint32_t constructor = 1;
    for (const auto& x : d->extras) {
      if (x.over.empty()) continue;
      const sort_symbol& over = sort_named(x.over, x.where);
      ir::sort& out = b.program.sorts[s.id];
      constructors[x.name] = {name, s.extras.size()};
      declare(x.name, x.where);
      if (b.parametrised()) {
        if (!out.unbounded)
          throw scope_problem(
              d->where, name,
              fmt::format("scope {}={}: in a scope with `any` this sort must be `any` as well", name, s.counted));
        s.extras.push_back({x.name, over.id, static_cast<std::uint32_t>(out.constructors.size())});
        out.constructors.push_back({x.name, over.id});
        continue;
      }
      s.extras.push_back({x.name, over.id, static_cast<std::uint32_t>(out.element.size())});
      for (std::uint32_t e = 0; e < over.counted; ++e) {
        const bool moves = e >= over.named;
        out.element.push_back(fmt::format("{}({})", x.name, b.program.sorts[over.id].element[e]));
        out.origin.push_back(moves ? ir::element_origin{constructor, over.id, e} : ir::element_origin{});
      }
      ++constructor;
    }
    if (!b.program.sorts[s.id].unbounded && b.size(s.id) > most_elements)
      throw diagnostic(d->where, fmt::format("sort '{}' would have more than {} elements", name, most_elements));
  }
  for (const auto& [name, n] : wanted.scope)
    if (!sorts.count(name)) {
      bool bound = false;
      for (const auto* d : items<ast::bound_decl>()) bound |= d->name == name;
      if (!bound)
        throw diagnostic(fmt::format("the model has neither a sort nor a bound '{}' (scope {}={})", name, name, n));
    }
}

const sort_symbol& symbols::sort_named(const std::string& name, source_range where) const {
  const auto it = sorts.find(name);
  if (it == sorts.end()) throw diagnostic(where, fmt::format("there is no sort '{}'", name));
  return it->second;
}

const sort_symbol* symbols::sort_of(sort_id id) const {
  for (const auto& [name, s] : sorts)
    if (s.id == id) return &s;
  return nullptr;
}

// --- enumerations, options, bounds, variants -----------------------------------------------------------------------------

void symbols::declare_constants() {
  for (const auto* d : items<ast::bound_decl>()) {
    declare(d->name, d->where);
    const auto given = wanted.scope.find(d->name);
    const std::int64_t v = given != wanted.scope.end() ? given->second : d->value;
    if (v == any_number) {
      scope.bounds.emplace_back(d->name, v);
      constants[d->name] = b.number(unlimited);
      continue;
    }
    if (v < d->low || v > d->high)
      throw scope_problem(d->where, d->name,
                          fmt::format("scope {}={} is beyond the bound's range {}..{}", d->name, v, d->low, d->high));
    scope.bounds.emplace_back(d->name, v);
    constants[d->name] = b.number(v);
  }
  for (const auto* d : items<ast::enum_decl>()) {
    declare(d->name, d->where);
    enums[d->name] = b.enumeration(d->labels);
  }
  for (const auto* d : items<ast::option_decl>()) {
    declare(d->name, d->where);
    options_[d->name] = d;
    set_option(*d, d->value);
  }
  declare_variant();
  for (const auto& [name, text] : wanted.options) {
    if (!options_.count(name)) throw diagnostic(fmt::format("the model has no option '{}'", name));
    set_option(*options_.at(name), literal(text));
  }
  for (const auto* d : items<ast::option_decl>())
    scope.options.emplace_back(d->name, print_literal(b, constants.at(d->name)));
  for (const auto* d : items<ast::time_decl>()) {
    urgent = d->urgent;
    horizon = d->horizon;
  }
  scope.urgent = urgent;
  scope.horizon = horizon;
}

void symbols::set_option(const ast::option_decl& d, const ast::expr& value) {
  const resolved_type t = resolve(d.type);
  const ir::type& ty = b.type(t.type);
  const auto wrong = [&] {
    const std::string what = fmt::format("'{}' is not a value of option '{}'",
                                         value.text.empty() ? std::to_string(value.value) : value.text, d.name);
    return value.where.end ? diagnostic(value.where, what) : diagnostic(what);
  };
  if (ty.kind == ir::type_kind::boolean && value.kind == ast::expr_kind::boolean) {
    constants[d.name] = b.truth(value.value != 0);
  } else if (ty.kind == ir::type_kind::integer && value.kind == ast::expr_kind::integer) {
    if (value.value < ty.low || value.value > ty.high) throw wrong();
    constants[d.name] = b.number(value.value);
  } else if (ty.kind == ir::type_kind::enumeration) {
    const auto it = std::find(ty.labels.begin(), ty.labels.end(), label_text(value));
    if (it == ty.labels.end()) throw wrong();
    constants[d.name] = b.constant(it - ty.labels.begin(), t.type);
    option_enums_.insert(t.type);
  } else {
    throw wrong();
  }
}

void symbols::apply_setting(const std::string& name, const ast::expr& value) {
  if (!options_.count(name)) throw diagnostic(value.where, fmt::format("the model has no option '{}'", name));
  set_option(*options_.at(name), value);
}

void symbols::declare_variant() {
  std::map<std::string, const ast::variant_decl*> all;
  std::string known;
  for (const auto* v : items<ast::variant_decl>()) {
    if (!all.emplace(v->name, v).second) throw diagnostic(v->where, fmt::format("variant '{}' is declared twice", v->name));
    known += (known.empty() ? "" : ", ") + v->name;
  }
  if (wanted.variant.empty()) {
    if (!all.empty()) throw diagnostic("the model has variants: name one", "one of " + known);
    return;
  }
  std::vector<const ast::variant_decl*> chain;
  for (std::string name = wanted.variant; !name.empty(); name = chain.back()->base) {
    const auto it = all.find(name);
    if (it == all.end()) {
      const std::string text = fmt::format("the model has no variant '{}'", name);
      throw chain.empty() ? diagnostic(text, known.empty() ? "" : "it has " + known) : diagnostic(chain.back()->where, text);
    }
    if (std::find(chain.begin(), chain.end(), it->second) != chain.end())
      throw diagnostic(it->second->where, fmt::format("variant '{}' extends itself", name));
    chain.push_back(it->second);
  }
  for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
    for (const auto& s : (*it)->settings) apply_setting(s.name, s.value);
    if (!(*it)->kernel.empty()) kernel = (*it)->kernel;
  }
}

std::vector<std::pair<type_id, std::int64_t>> symbols::labels(const std::string& name) const {
  std::vector<std::pair<type_id, std::int64_t>> out;
  for (type_id t = 0; t < b.program.types.size(); ++t) {
    const ir::type& ty = b.type(t);
    if (ty.kind != ir::type_kind::enumeration) continue;
    const auto it = std::find(ty.labels.begin(), ty.labels.end(), name);
    if (it != ty.labels.end()) out.emplace_back(t, it - ty.labels.begin());
  }
  return out;
}

// --- processes -----------------------------------------------------------------------------------------------------------

const ast::environment_decl* symbols::environment() const {
  const auto all = items<ast::environment_decl>();
  for (const auto* e : all)
    if (e->name == wanted.environment) return e;
  if (all.empty() && wanted.environment == "default") return nullptr;
  std::string known;
  for (const auto* e : all) known += (known.empty() ? "" : ", ") + e->name;
  throw diagnostic(fmt::format("the model has no environment '{}'", wanted.environment),
                   known.empty() ? "" : "it has " + known);
}

void symbols::declare_processes() {
  processes = items<ast::process_decl>();
  if (const auto* e = environment()) {
    for (const auto& p : e->processes) processes.push_back(&p);
    for (const auto& p : e->procedures) {
      declare(p.name, p.where);
      procedures[p.name] = &p;
    }
  }
  ir::sort out;
  out.name = "process";
  process_sort = static_cast<sort_id>(b.program.sorts.size());
  out.closed = b.parametrised();
  std::uint32_t constructor = 0;
  for (const auto* p : processes) {
    declare(p->name, p->where);
    process_base.push_back(static_cast<std::uint32_t>(out.element.size()));
    if (!p->params.empty() && b.parametrised()) {
      if (p->params[0].type.size() != 1 || p->params[0].type[0].kind != ast::type_kind::named)
        throw diagnostic(p->params[0].where, "the parameter of a process ranges over a sort");
      process_base.back() = static_cast<std::uint32_t>(out.constructors.size());
      out.constructors.push_back({p->name, sort_named(p->params[0].type[0].text, p->params[0].type[0].where).id});
    } else if (p->params.empty()) {
      out.element.push_back(p->name);
      out.origin.push_back({});
    } else {
      if (p->params[0].type.size() != 1 || p->params[0].type[0].kind != ast::type_kind::named)
        throw diagnostic(p->params[0].where, "the parameter of a process ranges over a sort");
      const sort_symbol& s = sort_named(p->params[0].type[0].text, p->params[0].type[0].where);
      for (std::uint32_t e = 0; e < b.size(s.id); ++e) {
        out.element.push_back(fmt::format("{}({})", p->name, b.program.sorts[s.id].element[e]));
        ir::element_origin o = b.program.sorts[s.id].origin[e];
        o.constructor = o.constructor * 1000 + ++constructor;
        out.origin.push_back(o.over == ir::nothing ? ir::element_origin{} : o);
        constructor -= 1;
      }
      ++constructor;
    }
  }
  b.program.sorts.push_back(out);
  for (const auto* d : items<ast::procedure_decl>()) {
    declare(d->name, d->where);
    procedures[d->name] = d;
  }
  for (const auto* d : items<ast::operation_decl>()) {
    declare(d->name, d->where);
    operations[d->name] = d;
  }
  handlers = items<ast::handler_decl>();
  std::stable_sort(handlers.begin(), handlers.end(), [](const auto* x, const auto* y) { return x->priority > y->priority; });
}

expr_id symbols::process_value(std::uint32_t p, expr_id element, type_id type) {
  const auto base = static_cast<std::int64_t>(process_base[p]);
  if (processes[p]->params.empty()) return b.constant(1 + base, type);
  if (b.parametrised()) return b.make(op::wrap, type, {b.construct(process_sort, process_base[p], element)});
  return b.make(op::add, type, {element, b.constant(1 + base, type)});
}

}  // namespace quiesce::lowering
