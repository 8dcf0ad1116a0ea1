// SPDX-License-Identifier: MIT
// Types, variables, locks, timers and pointer lists: allocation of the tables that hold them.

#include <fmt/format.h>

#include "model/system/lower_symbols.hpp"

namespace quiesce::lowering {

std::int64_t symbols::integer_constant(const ast::expr& e) {
  using k = ast::expr_kind;
  if (e.kind == k::integer) {
    if (is_unlimited(e.value)) throw diagnostic(e.where, "a constant here is less than 2^39");
    return e.value;
  }
  if (e.kind == k::name) {
    const auto it = constants.find(e.text);
    if (it != constants.end() && b.type(b.type_of(it->second)).kind == ir::type_kind::integer)
      return *b.constant_of(it->second);
  }
  if (e.kind == k::apply && e.text == "size" && e.args.size() == 1) {
    const sort_id of = sort_named(e.args[0].text, e.args[0].where).id;
    return b.program.sorts[of].unbounded ? unlimited : b.size(of);
  }
  if (e.kind == k::apply && (e.text == "min" || e.text == "max") && e.args.size() == 2) {
    const auto x = integer_constant(e.args[0]), y = integer_constant(e.args[1]);
    return (e.text == "min") == (x < y) ? x : y;
  }
  if (e.kind == k::unary && e.text == "-") return -integer_constant(e.args[0]);
  if (e.kind == k::binary && (e.text == "+" || e.text == "-" || e.text == "*")) {
    const auto x = integer_constant(e.args[0]), y = integer_constant(e.args[1]);
    if (is_unlimited(x) || (is_unlimited(y) && e.text != "-")) return unlimited;
    const __int128 v = e.text == "+" ? __int128{x} + y : e.text == "-" ? __int128{x} - y : __int128{x} * y;
    if (v >= unlimited / 2 || v <= -unlimited / 2) throw diagnostic(e.where, "a constant here is less than 2^39");
    return static_cast<std::int64_t>(v);
  }
  throw diagnostic(e.where, "this must be a constant integer", "integers, options, bounds, size(SORT), + - * min max");
}

resolved_type symbols::resolve(const ast::type_expr& t) {
  using k = ast::type_kind;
  const auto scalar = [&](const ast::type_expr& inner) {
    const resolved_type r = resolve(inner);
    if (r.sequence) throw diagnostic(inner.where, "a sequence cannot be inside another type");
    return r.type;
  };
  switch (t.kind) {
    case k::boolean:
      return {false, false, b.boolean(), 0};
    case k::range: {
      const auto low = integer_constant(t.bounds[0]), high = integer_constant(t.bounds[1]);
      if (is_unlimited(low) || low > high) throw diagnostic(t.where, fmt::format("{}..{} is not a range", low, high));
      if (!is_unlimited(high) && high - low > (std::int64_t{1} << 32))
        throw diagnostic(t.where, fmt::format("the range {}..{} is too wide", low, high), "2^32 + 1 values at most");
      return {false, false, b.integer(low, high), 0};
    }
    case k::named:
      if (auto it = enums.find(t.text); it != enums.end()) return {false, false, it->second, 0};
      if (auto it = sorts.find(t.text); it != sorts.end()) return {false, false, b.element(it->second.id), 0};
      throw diagnostic(t.where, fmt::format("there is no type '{}'", t.text));
    case k::labels:
      return {false, false, b.enumeration(t.labels), 0};
    case k::option:
      return {false, false, b.option(scalar(t.args[0])), 0};
    case k::process:
      return {false, false, b.option(b.element(process_sort)), 0};
    case k::set: {
      const type_id inner = scalar(t.args[0]);
      if (b.type(inner).kind != ir::type_kind::element) throw diagnostic(t.where, "a set holds elements of a sort");
      return {false, false, b.set(b.type(inner).sort), 0};
    }
    case k::seq:
    case k::queue: {
      const type_id inner = scalar(t.args[0]);
      if (b.parametrised()) {
        if (!t.bounds.empty() || b.type(inner).kind != ir::type_kind::element)
          throw diagnostic(t.where, "a sequence of this type has no reading for any number of elements",
                           "a sequence of elements of a sort, without a capacity, has");
        return {true, t.kind == k::queue, inner, 0};
      }
      const auto all = b.cardinality(inner);
      const std::int64_t cap =
          t.bounds.empty() ? (all ? static_cast<std::int64_t>(*all) : 0) : integer_constant(t.bounds[0]);
      if (cap < 1 || cap > 64) throw diagnostic(t.where, "the capacity of a sequence must be 1..64");
      return {true, t.kind == k::queue, inner, static_cast<std::uint32_t>(cap)};
    }
    case k::event:
      throw diagnostic(t.where, "an event is not a value: it can only be a parameter");
  }
  return {};
}

int symbols::lock_number(const std::string& name, source_range where) const {
  if (name.empty()) return -1;
  const auto it = globals.find(name);
  if (it == globals.end() || it->second.kind != global_kind::lock)
    throw diagnostic(where, fmt::format("there is no lock '{}'", name));
  if (!it->second.index.empty())
    throw diagnostic(where, fmt::format("'{}' is a lock for each element; a guard is one lock", name));
  return it->second.lock;
}

sort_id symbols::positions(std::uint32_t capacity) {
  const std::string name = fmt::format("position{}", capacity);
  for (sort_id s = 0; s < b.program.sorts.size(); ++s)
    if (b.program.sorts[s].name == name) return s;
  ir::sort out;
  out.name = name;
  for (std::uint32_t i = 0; i < capacity; ++i) {
    out.element.push_back(std::to_string(i));
    out.origin.push_back({});
  }
  b.program.sorts.push_back(out);
  return static_cast<sort_id>(b.program.sorts.size() - 1);
}

void symbols::declare_variable(const ast::variable_decl& d) {
  declare(d.name, d.where);
  global g;
  g.where = d.where;
  g.name = d.name;
  g.rigid = d.rigid;
  for (const auto& s : d.index) g.index.push_back(sort_named(s, d.where).id);
  if (g.index.size() > 2) throw diagnostic(d.where, "a variable is a function over one or two sorts");
  g.type = resolve(d.type);
  g.guard = lock_number(d.guard, d.where);
  const auto kind = d.rigid ? ir::variable_kind::rigid : ir::variable_kind::global;
  if (g.type.sequence) {
    g.kind = global_kind::sequence;
    if (b.parametrised()) {
      g.members = b.variable(d.name, b.set(b.type(g.type.type).sort), g.index, kind);
      globals[d.name] = g;
      return;
    }
    g.length = b.variable(d.name + ".len", b.integer(0, g.type.capacity), g.index, kind);
    auto index = g.index;
    index.push_back(positions(g.type.capacity));
    g.members = b.variable(d.name, stored(g.type.type), index, kind);
  } else {
    g.var = b.variable(d.name, g.type.type, g.index, kind);
  }
  globals[d.name] = g;
}

void symbols::declare_list_spaces() {
  for (const auto* d : items<ast::node_decl>()) {
    declare(d->name, d->where);
    pointer_space s;
    s.name = d->name;
    s.owner = sort_named(d->sort, d->where).id;
    s.guard = lock_number(d->guard, d->where);
    if (b.parametrised()) {  // a name; whatever uses it is refused
      global g;
      g.kind = global_kind::node;
      g.name = d->name;
      g.where = d->where;
      g.index = {s.owner};
      g.space = static_cast<std::uint32_t>(spaces.size());
      spaces.push_back(s);
      globals[d->name] = g;
      continue;
    }
    s.sort = static_cast<sort_id>(b.program.sorts.size());
    ir::sort addresses;
    addresses.name = d->name + " address";
    for (const char* n : {"NULL", "dangling", "LIST_POISON"}) {
      addresses.element.push_back(n);
      addresses.origin.push_back({});
    }
    for (std::uint32_t e = 0; e < b.size(s.owner); ++e) {
      addresses.element.push_back(fmt::format("&{}.{}", b.program.sorts[s.owner].element[e], d->name));
      ir::element_origin o = b.program.sorts[s.owner].origin[e];
      o.constructor += 1000;  // nodes of the owner's kinds of elements; heads have their own numbers
      addresses.origin.push_back(o.over == ir::nothing ? ir::element_origin{} : o);
    }
    b.program.sorts.push_back(addresses);
    s.next = b.variable(d->name + ".next", b.element(s.sort), {s.sort}, ir::variable_kind::global);
    s.prev = b.variable(d->name + ".prev", b.element(s.sort), {s.sort}, ir::variable_kind::global);
    s.size = b.reserve(b.integer(0, 1 << 16));
    global g;
    g.kind = global_kind::node;
    g.name = d->name;
    g.where = d->where;
    g.index = {s.owner};
    g.guard = s.guard;
    g.space = static_cast<std::uint32_t>(spaces.size());
    spaces.push_back(s);
    globals[d->name] = g;
  }
  for (const auto* d : items<ast::list_decl>()) {
    declare(d->name, d->where);
    const auto it = globals.find(d->node);
    if (it == globals.end() || it->second.kind != global_kind::node)
      throw diagnostic(d->where, fmt::format("there is no list node '{}'", d->node));
    global g;
    g.kind = global_kind::list;
    g.name = d->name;
    g.where = d->where;
    g.space = it->second.space;
    g.guard = lock_number(d->guard, d->where);
    if (b.parametrised()) {
      globals[d->name] = g;
      continue;
    }
    ir::sort& a = b.program.sorts[spaces[g.space].sort];
    g.address = static_cast<std::uint32_t>(a.element.size());
    a.element.push_back("&" + d->name);
    a.origin.push_back({});
    globals[d->name] = g;
  }
}

void symbols::declare_globals() {
  for (const auto* d : items<ast::lock_decl>()) {
    declare(d->name, d->where);
    global g;
    g.kind = global_kind::lock;
    g.name = d->name;
    g.where = d->where;
    g.spin = d->spin;
    g.lock = static_cast<int>(locks.size());
    if (g.lock >= 64) throw diagnostic(d->where, "more than 64 locks");
    locks.push_back(d->name);
    if (!d->sort.empty()) g.index.push_back(sort_named(d->sort, d->where).id);
    g.var = b.variable(d->name, b.option(b.element(process_sort)), g.index, ir::variable_kind::global);
    globals[d->name] = g;
  }
  for (const auto* d : items<ast::variable_decl>()) declare_variable(*d);
  declare_list_spaces();
  for (const auto* d : items<ast::timer_decl>()) {
    declare(d->name, d->where);
    global g;
    g.kind = global_kind::timer;
    g.name = d->name;
    g.where = d->where;
    if (!d->sort.empty()) g.index.push_back(sort_named(d->sort, d->where).id);
    g.var = b.variable(d->name, urgent ? b.option(b.integer(0, horizon)) : b.boolean(), g.index, ir::variable_kind::global);
    globals[d->name] = g;
  }
  if (urgent && b.parametrised())
    throw diagnostic("urgent time has no reading for any number of elements", "a scope with numbers, or free time");
  if (urgent) clock = b.variable("now", b.integer(0, horizon), {}, ir::variable_kind::global);
}

}  // namespace quiesce::lowering
