// SPDX-License-Identifier: MIT
#include <algorithm>

#include "model/symbolic/machine.hpp"
#include "model/symbolic/sat.hpp"
#include "properties/diagnostic.hpp"

namespace quiesce::symbolic {

using namespace ir;

namespace {

class encoder {
 public:
  explicit encoder(const transition_system& t) : p_(t.program()), solver_(out_.graph) {}

  finite_system run() {
    for (const process& q : p_.processes)
      if (q.only_when_stuck)
        throw diagnostic("a process that runs only where nothing else can, as time that is urgent, has no symbolic form",
                         "use --engine explicit");
    place_fields();
    for (std::size_t b = 0; b < width_; ++b) out_.state.push_back(out_.graph.input());
    clear(out_.initial);
    clear(out_.step);
    typing();
    initial();
    steps();
    conditions();
    return std::move(out_);
  }

 private:
  static constexpr std::size_t most_processes = 1024;
  static constexpr std::uint64_t most_one_hot = 32;

  void place_fields() {
    for (const variable& v : p_.variables)
      for (std::uint64_t e = 0; e < element_count(p_, v); ++e) {
        const std::uint64_t codes =
            v.kind == variable_kind::pc ? p_.processes[v.owner].locations.size() : max_code(p_, v.type) + 1;
        const bool one_hot = v.kind == variable_kind::pc || one_literal_each(v.type, codes);
        out_.fields.push_back({width_, one_hot ? static_cast<std::uint32_t>(codes) : bits(p_, v.type), one_hot});
        width_ += out_.fields.back().width;
      }
  }

  // Few values that are compared rather than computed with.
  bool one_literal_each(type_id id, std::uint64_t codes) const {
    const type& t = p_.types[id];
    return t.kind != type_kind::boolean && t.kind != type_kind::set && codes > 2 && codes <= most_one_hot;
  }

  void clear(step_effects& e) const {
    e.next.assign(width_, always_false);
    e.violated.assign(p_.properties.size(), always_false);
    e.marked = e.violated;
    e.emitted.assign(p_.events.size(), always_false);
    e.error.assign(static_cast<std::size_t>(error_kind::division) + 1, always_false);
    e.bound.assign(static_cast<std::size_t>(bound_kind::horizon) + 1, always_false);
  }

  literal input(std::vector<literal>& list, std::vector<std::vector<literal>>& table, std::size_t choice, std::size_t bit) {
    if (table.size() <= choice) table.resize(choice + 1);
    while (table[choice].size() <= bit) {
      table[choice].push_back(out_.graph.input());
      list.push_back(table[choice].back());
    }
    return table[choice][bit];
  }

  machine make(std::vector<literal>& list, std::vector<std::vector<literal>>& table) {
    return machine(
        p_, out_.graph, out_.fields,
        [this, &list, &table](std::size_t c, std::size_t b) { return input(list, table, c, b); },
        [this](literal l) { return solver_.solve({l}) != sat_answer::unsatisfiable; });
  }

  machine_state anywhere() const {
    machine_state x;
    x.bits = out_.state;
    x.violated.assign(p_.properties.size(), always_false);
    x.marked = x.violated;
    x.emitted.assign(p_.events.size(), always_false);
    return x;
  }

  literal in_range(type_id t, const std::vector<literal>& code) {
    if (p_.types[t].kind == type_kind::set) return always_true;
    return less(out_.graph, of_mask(max_code(p_, t)), of_bits(code)) ^ 1u;
  }

  void typing() {
    std::vector<literal> parts;
    for (const variable& v : p_.variables)
      for (std::uint64_t e = 0; e < element_count(p_, v); ++e) {
        const field& f = out_.fields[v.first_slot + e];
        const std::vector<literal> code(out_.state.begin() + f.first, out_.state.begin() + f.first + f.width);
        parts.push_back(f.one_hot ? exactly_one(out_.graph, code) : in_range(v.type, code));
      }
    for (literal l : parts) out_.well_typed = out_.graph.both(out_.well_typed, l);
    solver_.require(out_.well_typed);  // the oracle is asked about such states only
  }

  // What stops is merged into one successor.
  void stopped(step_effects& e, machine_state& x) {
    for (std::size_t b = 0; b < width_; ++b) e.next[b] = out_.graph.choice(x.guard, x.bits[b], e.next[b]);
    e.valid = out_.graph.either(e.valid, x.guard);
  }

  void initial() {
    std::vector<std::vector<literal>> table;
    machine m = make(out_.initial_choices, table);
    std::map<std::uint32_t, machine_state> starts;
    starts.emplace(0, m.least());
    m.run(p_.init, std::move(starts), out_.initial, [&](machine_state& x, std::uint32_t) { stopped(out_.initial, x); });
  }

  void select_processes() {
    for (std::uint32_t q = 0; q < p_.processes.size(); ++q) {
      const sort_id over = p_.processes[q].over;
      const std::size_t n = over == nothing ? 1 : p_.sorts[over].element.size();
      for (std::uint32_t i = 0; i < n; ++i) out_.instances.push_back({q, i, always_false});
    }
    if (out_.instances.size() > most_processes)
      throw diagnostic("more than 1024 processes are too many for circuits", "use --engine explicit");
    std::vector<literal> code;
    for (std::size_t b = 0; std::size_t{1} << b < out_.instances.size(); ++b) {
      code.push_back(out_.graph.input());
      out_.choices.push_back(code.back());
    }
    for (std::size_t k = 0; k < out_.instances.size(); ++k)
      out_.instances[k].selected =
          is(out_.graph, of_code(out_.graph, code, std::min<std::size_t>(out_.instances.size(), most_cases + 1)),
             static_cast<std::int64_t>(k));
  }

  void steps() {
    select_processes();
    std::vector<std::vector<literal>> table;
    machine m = make(out_.choices, table);
    for (const process_instance& who : out_.instances) steps_of(m, who);
  }

  void steps_of(machine& m, const process_instance& who) {
    const process& q = p_.processes[who.process];
    const field* pc =
        q.pc == nothing ? nullptr : &out_.fields[p_.variables[q.pc].first_slot + (q.over == nothing ? 0 : who.instance)];
    std::map<std::uint32_t, machine_state> starts;
    for (std::uint32_t l = 0; l < q.locations.size(); ++l) {
      if (q.locations[l].ended) continue;
      machine_state x = anywhere();
      x.guard = out_.graph.both(who.selected, pc == nullptr ? always_true : out_.state[pc->first + l]);
      x.temps.push_back(constant(who.instance));
      const auto [at, fresh] = starts.emplace(q.locations[l].entry, x);
      if (!fresh) m.merge(at->second, x);
    }
    m.run(q.code, std::move(starts), out_.step, [&](machine_state& x, std::uint32_t location) {
      if (pc != nullptr)
        for (std::uint32_t l = 0; l < pc->width; ++l) x.bits[pc->first + l] = l == location ? always_true : always_false;
      stopped(out_.step, x);
    });
  }

  void conditions() {
    std::vector<std::vector<literal>> none;
    std::vector<literal> list;
    machine m = make(list, none);
    for (const checked_property& c : p_.properties) {
      if (c.invariant == nothing) {
        out_.fails.push_back(always_false);
        continue;
      }
      const literal holds = condition(m, c.invariant, c.name);
      out_.fails.push_back(c.sometimes ? holds : holds ^ 1u);
    }
    for (const lemma& l : p_.lemmas) out_.lemmas.push_back(condition(m, l.condition, l.name));
  }

  literal condition(machine& m, expr_id what, const std::string& name) {
    try {
      return as_condition(out_.graph, m.value(anywhere(), what));
    } catch (const too_wide&) {
      throw diagnostic("a number in property '" + name + "' may have more than 80 bits",
                       "use --engine explicit, which computes with the values that occur");
    }
  }

  const program& p_;
  finite_system out_;
  sat_solver solver_;
  std::uint32_t width_ = 0;
};

}  // namespace

finite_system encode(const transition_system& t) { return encoder(t).run(); }

}  // namespace quiesce::symbolic
