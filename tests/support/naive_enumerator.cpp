// SPDX-License-Identifier: MIT
#include "tests/support/naive_enumerator.hpp"

namespace quiesce::test {

using ir::op;
using ir::operation;

naive_enumerator::naive_enumerator(const ir::program& p) : p_(p) {
  for (const ir::variable& v : p.variables) {
    first_.push_back(size_);
    std::size_t n = 1;
    for (ir::sort_id s : v.index) n *= p.sorts[s].element.size();
    size_ += n;
  }
}

std::int64_t naive_enumerator::lowest(ir::type_id t) const {
  return p_.types[t].kind == ir::type_kind::integer ? p_.types[t].low : 0;
}

std::int64_t naive_enumerator::how_many(ir::type_id id) const {
  const ir::type& t = p_.types[id];
  switch (t.kind) {
    case ir::type_kind::boolean:
      return 2;
    case ir::type_kind::integer:
      return t.high - t.low + 1;
    case ir::type_kind::enumeration:
      return static_cast<std::int64_t>(t.labels.size());
    case ir::type_kind::element:
      return static_cast<std::int64_t>(p_.sorts[t.sort].element.size());
    case ir::type_kind::option:
      return how_many(t.inner) + 1;
    case ir::type_kind::set:
      return std::int64_t{1} << p_.sorts[t.sort].element.size();  // small sorts only
  }
  return 0;
}

bool naive_enumerator::fits(ir::type_id t, std::int64_t v) const { return v >= lowest(t) && v < lowest(t) + how_many(t); }

std::size_t naive_enumerator::address(ir::variable_id v, const std::vector<ir::expr_id>& index, const naive_state& s,
                                      std::vector<std::int64_t>& temps) const {
  std::size_t flat = 0;
  for (std::size_t i = 0; i < index.size(); ++i) {
    std::int64_t at = eval(index[i], s, temps);
    std::int64_t n = static_cast<std::int64_t>(p_.sorts[p_.variables[v].index[i]].element.size());
    if (at < 0 || at >= n) throw std::logic_error("naive: index out of range");
    flat = flat * static_cast<std::size_t>(n) + static_cast<std::size_t>(at);
  }
  return first_[v] + flat;
}

std::int64_t naive_enumerator::eval(ir::expr_id id, const naive_state& s, std::vector<std::int64_t>& temps) const {
  const ir::expr& e = p_.exprs[id];
  auto kid = [&](std::size_t i) { return eval(e.kids[i], s, temps); };
  auto each = [&](auto&& body) {
    std::int64_t saved = temps[e.temp];
    for (std::size_t i = 0; i < p_.sorts[e.sort].element.size(); ++i) {
      temps[e.temp] = static_cast<std::int64_t>(i);
      body(static_cast<std::int64_t>(i), kid(0));
    }
    temps[e.temp] = saved;
  };
  switch (e.code) {
    case op::constant:
      return e.value;
    case op::temp:
      return temps[e.temp];
    case op::load:
      return s[address(e.var, e.kids, s, temps)];
    case op::not_:
      return !kid(0);
    case op::negate:
      return -kid(0);
    case op::and_:
      return kid(0) && kid(1);
    case op::or_:
      return kid(0) || kid(1);
    case op::implies:
      return !kid(0) || kid(1);
    case op::equal:
      return kid(0) == kid(1);
    case op::not_equal:
      return kid(0) != kid(1);
    case op::less:
      return kid(0) < kid(1);
    case op::less_equal:
      return kid(0) <= kid(1);
    case op::add:
      return kid(0) + kid(1);
    case op::subtract:
      return kid(0) - kid(1);
    case op::multiply:
      return kid(0) * kid(1);
    case op::divide:
      return kid(1) > 0 ? kid(0) / kid(1) : 0;
    case op::minimum: {
      std::int64_t a = kid(0), b = kid(1);
      return a < b ? a : b;
    }
    case op::maximum: {
      std::int64_t a = kid(0), b = kid(1);
      return a < b ? b : a;
    }
    case op::select:
      return kid(0) ? kid(1) : kid(2);
    case op::wrap: {
      std::int64_t v = kid(0);
      ir::type_id inner = p_.types[e.type].inner;
      return fits(inner, v) ? 1 + v - lowest(inner) : -1;
    }
    case op::unwrap:
      return kid(0) - 1 + lowest(e.type);
    case op::contains:
      return kid(0) >> kid(1) & 1;
    case op::singleton:
      return std::int64_t{1} << kid(0);
    case op::unite:
      return kid(0) | kid(1);
    case op::intersect:
      return kid(0) & kid(1);
    case op::subtract_set:
      return kid(0) & ~kid(1);
    case op::cardinality: {
      std::int64_t v = kid(0), n = 0;
      for (; v; v >>= 1) n += v & 1;
      return n;
    }
    case op::all: {
      bool r = true;
      each([&](std::int64_t, std::int64_t v) { r = r && v; });
      return r;
    }
    case op::some: {
      bool r = false;
      each([&](std::int64_t, std::int64_t v) { r = r || v; });
      return r;
    }
    case op::count: {
      std::int64_t n = 0;
      each([&](std::int64_t, std::int64_t v) { n += v != 0; });
      return n;
    }
    case op::collect: {
      std::int64_t r = 0;
      each([&](std::int64_t i, std::int64_t v) {
        if (v) r |= std::int64_t{1} << i;
      });
      return r;
    }
    case op::construct:  // of parametrised programs, which nothing runs
    case op::constructed:
      break;
  }
  throw std::logic_error("naive: unknown operator");
}

// All paths from `c` on; `done` gets the step and, for a stop, its location.
void naive_enumerator::run(context c, const std::vector<ir::instruction>& code,
                           const std::function<void(naive_step, std::uint32_t)>& done) const {
  for (;;) {
    const ir::instruction& i = code[c.pc];
    auto end = [&](naive_end how, std::uint32_t kind) {
      done({c.state, how, kind, 0, 0, c.violated, c.marked, c.events}, kind);
    };
    switch (i.code) {
      case operation::set: {
        std::int64_t v = eval(i.a, c.state, c.temps);
        std::size_t at = address(i.var, i.index, c.state, c.temps);
        if (!fits(p_.variables[i.var].type, v))
          return end(naive_end::error, static_cast<std::uint32_t>(ir::error_kind::range));
        c.state[at] = v;
        break;
      }
      case operation::set_temp:
        c.temps[i.temp] = eval(i.a, c.state, c.temps);
        break;
      case operation::jump:
        c.pc = i.target;
        continue;
      case operation::jump_if:
        if (eval(i.a, c.state, c.temps)) {
          c.pc = i.target;
          continue;
        }
        break;
      case operation::await:
        if (!eval(i.a, c.state, c.temps)) return;
        break;
      case operation::choose: {
        std::size_t n = i.sort == ir::nothing ? i.count : p_.sorts[i.sort].element.size();
        for (std::size_t k = 0; k < n; ++k) {
          context fork = c;
          fork.temps[i.temp] = static_cast<std::int64_t>(k);
          ++fork.pc;
          run(std::move(fork), code, done);
        }
        return;
      }
      case operation::emit: {
        naive_event e{i.which, {}};
        for (const ir::expr_id a : i.args) e.args.push_back(eval(a, c.state, c.temps));
        c.events.push_back(std::move(e));
        break;
      }
      case operation::violate:
        c.violated |= std::uint64_t{1} << i.which;
        break;
      case operation::mark:
        c.marked |= std::uint64_t{1} << i.which;
        break;
      case operation::error:
        return end(naive_end::error, i.which);
      case operation::bound:
        return end(naive_end::bound, i.which);
      case operation::stuck:
        return end(naive_end::stuck, 0);
      case operation::stop:
        return end(naive_end::state, i.which);
    }
    ++c.pc;
  }
}

std::vector<naive_step> naive_enumerator::initial() const {
  context c;
  for (const ir::variable& v : p_.variables) {
    std::size_t n = 1;
    for (ir::sort_id s : v.index) n *= p_.sorts[s].element.size();
    c.state.insert(c.state.end(), n, lowest(v.type));
  }
  c.temps.assign(p_.init_temps + 64, 0);
  std::vector<naive_step> out;
  run(c, p_.init, [&](naive_step s, std::uint32_t) {
    if (s.end == naive_end::state) s.kind = 0;
    out.push_back(std::move(s));
  });
  return out;
}

void naive_enumerator::steps_of(std::uint32_t process, const naive_state& s, std::vector<naive_step>& out) const {
  const ir::process& q = p_.processes[process];
  std::uint32_t n = q.over == ir::nothing ? 1 : static_cast<std::uint32_t>(p_.sorts[q.over].element.size());
  for (std::uint32_t k = 0; k < n; ++k) {
    const ir::location& l = q.locations[static_cast<std::size_t>(s[first_[q.pc] + k])];
    if (l.ended) continue;
    context c;
    c.state = s;
    c.temps.assign(q.temps + 64u, 0);
    c.temps[0] = k;
    c.pc = l.entry;
    run(c, q.code, [&](naive_step x, std::uint32_t location) {
      x.process = process;
      x.instance = k;
      if (x.end == naive_end::state) {
        x.state[first_[q.pc] + k] = location;
        x.kind = 0;
      }
      out.push_back(std::move(x));
    });
  }
}

std::vector<naive_step> naive_enumerator::successors(const naive_state& s) const {
  std::vector<naive_step> out;
  for (bool late : {false, true}) {
    if (late && !out.empty()) break;
    for (std::uint32_t p = 0; p < p_.processes.size(); ++p)
      if (p_.processes[p].only_when_stuck == late) steps_of(p, s, out);
  }
  return out;
}

std::uint64_t naive_enumerator::invariants(const naive_state& s) const {
  std::uint64_t out = 0;
  std::vector<std::int64_t> temps(p_.invariant_temps + 64u, 0);
  for (std::size_t i = 0; i < p_.properties.size(); ++i) {
    if (p_.properties[i].invariant == ir::nothing) continue;
    bool holds = eval(p_.properties[i].invariant, s, temps) != 0;
    if (holds == p_.properties[i].sometimes) out |= std::uint64_t{1} << i;
  }
  return out;
}

bool naive_enumerator::resting(const naive_state& s) const {
  for (const ir::process& q : p_.processes) {
    std::size_t n = q.over == ir::nothing ? 1 : p_.sorts[q.over].element.size();
    for (std::size_t k = 0; k < n; ++k) {
      const ir::location& l = q.locations[static_cast<std::size_t>(s[first_[q.pc] + k])];
      if (!l.resting && !l.ended) return false;
    }
  }
  return true;
}

naive_result naive_enumerator::explore(std::size_t most_states) const {
  naive_result r;
  std::vector<naive_state> level, next;
  auto least = [](std::map<std::uint32_t, std::uint64_t>& m, std::uint32_t k, std::uint64_t d) { m.try_emplace(k, d); };
  auto see = [&](const naive_step& x, std::uint64_t depth) {
    r.marked |= x.marked;
    for (std::uint32_t i = 0; i < p_.properties.size(); ++i) {
      const ir::checked_property& c = p_.properties[i];
      bool hit = (c.sometimes ? x.marked : x.violated) >> i & 1;
      if (!c.sometimes && x.end == naive_end::error)
        for (ir::error_kind e : c.errors) hit = hit || static_cast<std::uint32_t>(e) == x.kind;
      if (hit) least(r.property_depth, i, depth);
    }
    if (x.end == naive_end::error) least(r.error_depth, x.kind, depth);
    if (x.end == naive_end::bound) least(r.bound_depth, x.kind, depth);
    if (x.end == naive_end::stuck && !r.deadlock_depth) r.deadlock_depth = depth;
    if (x.end != naive_end::state || !r.states.insert(x.state).second) return;
    if (r.states.size() > most_states) throw std::length_error("naive: too many states");
    next.push_back(x.state);
    std::uint64_t f = invariants(x.state);
    for (std::uint32_t i = 0; i < p_.properties.size(); ++i)
      if (f >> i & 1) {
        least(r.property_depth, i, depth);
        if (p_.properties[i].sometimes) r.marked |= std::uint64_t{1} << i;
      }
  };
  for (const naive_step& x : initial()) see(x, 0);
  for (std::uint64_t depth = 0; !next.empty(); ++depth) {
    level.swap(next);
    next.clear();
    r.depth = depth;
    // Deadlocks of this level come before those that steps of this level run into.
    for (const naive_state& s : level)
      if (!r.deadlock_depth && successors(s).empty() && !resting(s)) r.deadlock_depth = depth;
    for (const naive_state& s : level)
      for (const naive_step& x : successors(s)) {
        ++r.transitions;
        see(x, depth + 1);
      }
  }
  return r;
}

}  // namespace quiesce::test
