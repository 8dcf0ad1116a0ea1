// SPDX-License-Identifier: MIT
#include "model/symbolic/machine.hpp"

#include <stdexcept>

#include "properties/diagnostic.hpp"

namespace quiesce::symbolic {

using namespace ir;

namespace {
constexpr std::uint32_t rounds_without_question = 4, most_rounds = 4096;
}

machine::machine(const program& p, circuit& g, const std::vector<field>& fields, input_source input, oracle possible)
    : p_(p), g_(g), fields_(fields), input_(std::move(input)), possible_(std::move(possible)) {}

machine_state machine::least() const {
  machine_state x;
  for (const field& f : fields_) {
    x.bits.insert(x.bits.end(), f.width, always_false);
    if (f.one_hot && f.width > 0) x.bits[f.first] = always_true;
  }
  x.violated.assign(p_.properties.size(), always_false);
  x.marked.assign(p_.properties.size(), always_false);
  x.emitted.assign(p_.events.size(), always_false);
  return x;
}

void machine::merge(machine_state& a, const machine_state& b) {
  const auto pick = [&](std::vector<literal>& x, const std::vector<literal>& y) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = g_.choice(a.guard, x[i], y[i]);
  };
  pick(a.bits, b.bits);
  pick(a.violated, b.violated);
  pick(a.marked, b.marked);
  pick(a.emitted, b.emitted);
  if (a.temps.size() < b.temps.size()) a.temps.resize(b.temps.size(), constant(0));
  for (std::size_t i = 0; i < b.temps.size(); ++i)
    if (a.temps[i] != b.temps[i]) a.temps[i] = choice(g_, a.guard, a.temps[i], b.temps[i]);
  a.choices = std::max(a.choices, b.choices);
  a.guard = g_.either(a.guard, b.guard);
}

void machine::go(std::map<place, machine_state>& waiting, place to, machine_state&& x) {
  if (x.guard == always_false) return;
  if (to.first > rounds_without_question && !possible_(x.guard)) return;
  const auto at = waiting.find(to);
  if (at == waiting.end())
    waiting.emplace(to, std::move(x));
  else
    merge(at->second, x);
}

void machine::run(const std::vector<instruction>& code, std::map<std::uint32_t, machine_state> starts, step_effects& out,
                  const stop_handler& stopped) {
  std::map<place, machine_state> waiting;
  for (auto& [pc, x] : starts) go(waiting, {0, pc}, std::move(x));
  while (!waiting.empty()) {
    auto next = waiting.extract(waiting.begin());
    if (next.key().first > most_rounds)
      throw diagnostic(code[next.key().second].where, "the step with this statement is too long for circuits",
                       "use --engine explicit");
    try {
      step(code, next.key(), std::move(next.mapped()), waiting, out, stopped);
    } catch (const too_wide&) {
      throw diagnostic(code[next.key().second].where, "a number in this statement may have more than 80 bits",
                       "use --engine explicit, which computes with the values that occur");
    }
  }
}

void machine::end(const machine_state& x, step_effects& out) const {
  for (std::size_t k = 0; k < x.violated.size(); ++k) {
    out.violated[k] = g_.either(out.violated[k], g_.both(x.guard, x.violated[k]));
    out.marked[k] = g_.either(out.marked[k], g_.both(x.guard, x.marked[k]));
  }
  for (std::size_t k = 0; k < x.emitted.size(); ++k)
    out.emitted[k] = g_.either(out.emitted[k], g_.both(x.guard, x.emitted[k]));
}

// Runs straight on until the paths part or meet others.
void machine::step(const std::vector<instruction>& code, place at, machine_state x, std::map<place, machine_state>& waiting,
                   step_effects& out, const stop_handler& stopped) {
  const auto place_of = [&](std::uint32_t target) { return place{target <= at.second ? at.first + 1 : at.first, target}; };
  const instruction& i = code[at.second];
  switch (i.code) {
    case operation::set:
      assign(x, i, out);
      break;
    case operation::set_temp:
      if (x.temps.size() <= i.temp) x.temps.resize(i.temp + 1u, constant(0));
      x.temps[i.temp] = value(x, i.a);
      break;
    case operation::jump:
      return go(waiting, place_of(i.target), std::move(x));
    case operation::jump_if: {
      const literal c = as_condition(g_, value(x, i.a));
      machine_state taken = x;
      taken.guard = g_.both(x.guard, c);
      go(waiting, place_of(i.target), std::move(taken));
      x.guard = g_.both(x.guard, c ^ 1u);
      break;
    }
    case operation::await:
      x.guard = g_.both(x.guard, as_condition(g_, value(x, i.a)));
      break;
    case operation::choose:
      choose(x, i);
      break;
    case operation::emit:
      x.emitted[i.which] = always_true;
      break;
    case operation::violate:
      x.violated[i.which] = always_true;
      break;
    case operation::mark:
      x.marked[i.which] = always_true;
      break;
    case operation::error:
      out.error[i.which] = g_.either(out.error[i.which], x.guard);
      return end(x, out);
    case operation::bound:
      out.bound[i.which] = g_.either(out.bound[i.which], x.guard);
      return end(x, out);
    case operation::stuck:
      out.stuck = g_.either(out.stuck, x.guard);
      return end(x, out);
    case operation::stop:
      end(x, out);
      return stopped(x, i.which);
  }
  go(waiting, {at.first, at.second + 1}, std::move(x));
}

std::vector<literal> machine::selectors(variable_id v, const std::vector<number>& index) {
  std::vector<literal> out{always_true};
  for (std::size_t k = 0; k < index.size(); ++k) {
    const std::size_t n = p_.sorts[p_.variables[v].index[k]].element.size();
    std::vector<literal> wider;
    for (literal so_far : out)
      for (std::size_t e = 0; e < n; ++e) wider.push_back(g_.both(so_far, is(g_, index[k], static_cast<std::int64_t>(e))));
    out = std::move(wider);
  }
  return out;
}

literal machine::fits(type_id t, const number& a) {
  if (p_.types[t].kind == type_kind::set) return always_true;
  const number low = constant(ir::low(p_, t));
  const number high = add(g_, low, of_mask(max_code(p_, t)));
  return g_.both(less(g_, a, low) ^ 1u, less(g_, high, a) ^ 1u);
}

void machine::assign(machine_state& x, const instruction& i, step_effects& out) {
  const variable& var = p_.variables[i.var];
  const number v = value(x, i.a);
  std::vector<number> index;
  for (expr_id e : i.index) index.push_back(value(x, e));
  const literal ok = fits(var.type, v);
  if (ok != always_true) {
    machine_state bad = x;
    bad.guard = g_.both(x.guard, ok ^ 1u);
    literal& range = out.error[static_cast<std::size_t>(error_kind::range)];
    range = g_.either(range, bad.guard);
    end(bad, out);
    x.guard = g_.both(x.guard, ok);
  }
  const number code = subtract(g_, v, constant(low(p_, var.type)));
  const std::vector<literal> chosen = selectors(i.var, index);
  const std::vector<literal> stored = code_bits(fields_[var.first_slot], code);
  for (std::size_t e = 0; e < chosen.size(); ++e) {
    const field& f = fields_[var.first_slot + e];
    for (std::uint32_t b = 0; b < f.width; ++b) x.bits[f.first + b] = g_.choice(chosen[e], stored[b], x.bits[f.first + b]);
  }
}

// All elements of a table have fields of one shape.
std::vector<literal> machine::code_bits(const field& f, const number& code) {
  std::vector<literal> out = f.one_hot ? std::vector<literal>() : bits_of(g_, code);
  for (std::uint32_t b = 0; f.one_hot && b < f.width; ++b) out.push_back(is(g_, code, b));
  out.resize(std::max<std::size_t>(f.width, out.size()), out.empty() ? always_false : out.back());
  return out;
}

void machine::choose(machine_state& x, const instruction& i) {
  const std::uint64_t n = i.sort == nothing ? i.count : p_.sorts[i.sort].element.size();
  std::vector<literal> bits;
  for (std::size_t b = 0; b < 32 && (std::uint64_t{1} << b) < n; ++b) bits.push_back(input_(x.choices, b));
  ++x.choices;
  const number chosen = of_code(g_, bits, n);
  x.guard = g_.both(x.guard, less(g_, of_bits(bits), of_mask(n)));
  if (x.temps.size() <= i.temp) x.temps.resize(i.temp + 1u, constant(0));
  x.temps[i.temp] = chosen;
}

}  // namespace quiesce::symbolic
