// SPDX-License-Identifier: MIT
// Murphi, in rumur's dialect: one rule for each place where a process can stand. A step that turns out not to exist (a false
// `await`) is an assumption that fails, which rumur takes as if the rule had not been enabled. What a step chooses are
// parameters of its rule; those that a path does not use have to be 0.

#include <fmt/format.h>

#include <algorithm>

#include "model/explicit/dead_locals.hpp"
#include "model/explicit/symmetry.hpp"
#include "model/export/export.hpp"
#include "model/export/murphi_rule.hpp"
#include "properties/diagnostic.hpp"

namespace quiesce::exporting {

namespace {

constexpr std::size_t most_initial = 20000;

class murphi {
 public:
  murphi(const transition_system& s, const std::set<ir::sort_id>& scalarsets)
      : s_(s), p_(s.program()), build_(p_), dead_(p_), terms_(p_, scalarsets, names_), scalarsets_(scalarsets) {
    for (const ir::checked_property& c : p_.properties)
      property_.push_back((c.sometimes ? "not reached: " : "property: ") + c.name);
  }

  std::string run(const std::string& heading) {
    initial();
    for (const ir::process& q : p_.processes)
      for (std::uint32_t l = 0; l < q.locations.size(); ++l)
        if (!q.locations[l].ended) location(q, l);
    resting();
    invariants();
    return heading + "type\n" + terms_.types() + "\nvar\n" + terms_.variables() + "\n" + terms_.functions() +
           late_function_ + out_;
  }

 private:
  // --- initial states ---

  // Each by itself. Elements of scalarsets have no names: they are those of any permutation.
  void initial() {
    std::vector<std::vector<word>> states;
    s_.make_stepper()->initial([&](const step& x) {
      if (x.outcome != step_outcome::state || x.violated)
        throw diagnostic("murphi: an initial state ends in an error, or breaks a property");
      states.emplace_back(x.state, x.state + s_.state_layout().words());
    });
    std::sort(states.begin(), states.end());
    states.erase(std::unique(states.begin(), states.end()), states.end());
    if (states.size() > most_initial)
      throw diagnostic(fmt::format("murphi: there are {} initial states", states.size()), "a smaller scope");
    name_elements();
    out_ += element_params_;
    for (const auto& state : states) {
      out_ += "startstate\nbegin\n" + elements_differ_;
      for (ir::variable_id v = 0; v < p_.variables.size(); ++v) table(state.data(), v);
      out_ += "end;\n\n";
    }
    if (!element_params_.empty()) out_ += "end;\n\n";
  }

  void name_elements() {
    names_of_.resize(p_.sorts.size());
    for (const ir::sort_id s : scalarsets_)
      for (std::size_t k = 0; k < build_.elements(s); ++k) {
        const std::string name = names_.fresh(fmt::format("{}_{}", terms_.sort_name(s), k));
        element_params_ += fmt::format("{}{}: {}", element_params_.empty() ? "ruleset " : "; ", name, terms_.sort_name(s));
        for (const std::string& other : names_of_[s]) elements_differ_ += fmt::format("  assume {} != {};\n", other, name);
        names_of_[s].push_back(name);
      }
    if (!element_params_.empty()) element_params_ += " do\n";
  }

  void table(const word* state, ir::variable_id v) {
    const ir::variable& x = p_.variables[v];
    for (std::uint64_t k = 0; k < ir::element_count(p_, x); ++k) {
      std::vector<std::uint32_t> index(x.index.size());
      std::uint64_t rest = k;
      for (std::size_t d = index.size(); d-- > 0; rest /= build_.elements(x.index[d]))
        index[d] = static_cast<std::uint32_t>(rest % build_.elements(x.index[d]));
      std::string place = terms_.place(v, {});
      for (std::size_t d = 0; d < index.size(); ++d) place += "[" + terms_.element(x.index[d], index[d], &names_of_) + "]";
      const auto code = static_cast<std::int64_t>(get(state, s_.state_layout().slots()[x.first_slot + k]));
      value(place, x, code + ir::low(p_, x.type), unread(state, v, index));
    }
  }

  // Will nobody read this element-valued local?
  bool unread(const word* state, ir::variable_id v, const std::vector<std::uint32_t>& index) const {
    const ir::variable& x = p_.variables[v];
    if (x.kind != ir::variable_kind::local || x.owner == ir::nothing) return false;
    const ir::process& q = p_.processes[x.owner];
    if (q.pc == ir::nothing) return false;
    const std::uint32_t instance = q.over == ir::nothing ? 0 : index[0];
    const auto at = get(state, s_.state_layout().slots()[p_.variables[q.pc].first_slot + instance]);
    return dead_.dead(v, static_cast<std::uint32_t>(at));
  }

  void value(const std::string& place, const ir::variable& x, std::int64_t v, bool unread) {
    ir::sort_id s = ir::nothing;
    bool option = false;
    if (terms_.is_set(x.type)) {
      s = p_.types[x.type].sort;
      for (std::size_t k = 0; k < build_.elements(s); ++k)
        out_ += fmt::format("  {}[{}] := {};\n", place, terms_.element(s, static_cast<std::int64_t>(k), &names_of_),
                            v >> k & 1 ? "true" : "false");
    } else if (!terms_.named(x.type, s, option)) {
      const bool boolean = p_.types[x.type].kind == ir::type_kind::boolean;
      out_ += fmt::format("  {} := {};\n", place, !boolean ? std::to_string(v) : v ? "true" : "false");
    } else if (option ? v == 0 : unread) {
      out_ += fmt::format("  undefine {};\n", place);
    } else {
      out_ += fmt::format("  {} := {};\n", place, terms_.element(s, option ? v - 1 : v, &names_of_));
    }
  }

  // --- rules ---

  void location(const ir::process& q, std::uint32_t l) {
    if (q.over != ir::nothing && build_.elements(q.over) == 0) return;
    const murphi_rule rule(p_, terms_, q, l, property_);
    const std::string guard = guard_of(q, l);
    out_ += "-- " + q.locations[l].statement + "\n";
    if (!rule.params().empty()) out_ += "ruleset " + rule.params() + " do\n";
    out_ += fmt::format("rule \"{} {}\" {} ==>\n{}begin\n{}end;\n", q.name, l, guard, rule.variables(), rule.body());
    out_ += rule.params().empty() ? "\n" : "end;\n\n";
  }

  std::string guard_of(const ir::process& q, std::uint32_t l) {
    std::string out = "true";
    if (q.pc != ir::nothing)
      out = fmt::format("{}{} = {}", terms_.place(q.pc, {}), q.over == ir::nothing ? "" : "[self_]", l);
    return q.only_when_stuck ? out + " & " + nothing_else() : out;
  }

  // No step but late ones.
  std::string nothing_else() {
    if (!nothing_else_.empty()) return nothing_else_;
    term any = build_.truth(false);
    for (const ir::process& q : p_.processes)
      for (std::uint32_t l = 0; l < q.locations.size() && !q.only_when_stuck; ++l)
        for (std::size_t k = 0; k < (q.over == ir::nothing ? 1 : build_.elements(q.over)) && !q.locations[l].ended; ++k)
          any = build_.either(any, exists(q, l, k));
    const std::string name = names_.fresh("nothing_else");
    late_function_ = fmt::format("function {}(): boolean;\nbegin\n  return !{};\nend;\n\n", name, terms_.truth(any));
    return nothing_else_ = name + "()";
  }

  term exists(const ir::process& q, std::uint32_t l, std::size_t k) const {
    const term self = build_.constant(static_cast<std::int64_t>(k));
    std::vector<term> index;
    if (q.over != ir::nothing) index.push_back(self);
    const auto rest = exists_step(p_, q.code, q.locations[l].entry, self);
    if (!rest)
      throw diagnostic(q.locations[l].where, "murphi: the condition under which this step exists is too long",
                       "a smaller scope, or shorter atomic blocks");
    if (q.pc == ir::nothing) return *rest;
    return build_.both(build_.equality(build_.load(q.pc, index, p_.variables[q.pc].type, {}), build_.constant(l)), *rest);
  }

  // Resting is no deadlock: a rule that changes nothing.
  void resting() {
    std::string all;
    for (const ir::process& q : p_.processes) {
      std::string here;
      if (q.over != ir::nothing && build_.elements(q.over) == 0) continue;
      for (std::uint32_t l = 0; l < q.locations.size(); ++l) {
        if (!q.locations[l].resting && !q.locations[l].ended) continue;
        if (q.pc == ir::nothing) here = "true";
        if (q.pc != ir::nothing)
          here += fmt::format("{}{}{} = {}", here.empty() ? "" : " | ", terms_.place(q.pc, {}),
                              q.over == ir::nothing ? "" : "[x]", l);
      }
      if (here.empty()) return;
      if (q.over != ir::nothing) here = fmt::format("forall x: {} do {} end", terms_.sort_name(q.over), here);
      all += (all.empty() ? "(" : " & (") + here + ")";
    }
    if (!all.empty()) out_ += fmt::format("rule \"everybody rests\" {} ==> begin end;\n\n", all);
  }

  void invariants() {
    for (std::size_t k = 0; k < p_.properties.size(); ++k) {
      const ir::checked_property& c = p_.properties[k];
      if (c.invariant == ir::nothing) continue;
      const std::string holds = terms_.truth(build_.build(c.invariant, {}));
      out_ += fmt::format("invariant \"{}\" {}{};\n", property_[k], c.sometimes ? "!" : "", holds);
    }
  }

  const transition_system& s_;
  const ir::program& p_;
  term_builder build_;
  dead_locals dead_;
  names names_;
  murphi_terms terms_;
  std::set<ir::sort_id> scalarsets_;
  std::vector<std::string> property_;
  std::vector<std::vector<std::string>> names_of_;
  std::string element_params_, elements_differ_, nothing_else_, late_function_, out_;
};

std::string heading(const export_options& o, const std::string& sorts) {
  std::string out = "-- " + o.title + "\n";
  out += "-- rumur --deadlock-detection stuck";
  out += o.symmetry ? " --symmetry-reduction exhaustive" : "";
  out += " --output FILE.c FILE.m && cc -O2 -std=c11 -mcx16 FILE.c -lpthread -latomic\n" + sorts + "\n";
  return out;
}

// Does any state or process have to do with the sort?
bool used(const ir::program& p, ir::sort_id s) {
  const auto of = [&](ir::type_id t) {
    while (p.types[t].kind == ir::type_kind::option) t = p.types[t].inner;
    const bool named = p.types[t].kind == ir::type_kind::element || p.types[t].kind == ir::type_kind::set;
    return named && p.types[t].sort == s;
  };
  for (const ir::variable& v : p.variables)
    if (of(v.type) || std::find(v.index.begin(), v.index.end(), s) != v.index.end()) return true;
  return std::any_of(p.processes.begin(), p.processes.end(), [&](const ir::process& q) { return q.over == s; });
}

// All elements of the sort may be exchanged, and no other sort that is used is made of it.
std::set<ir::sort_id> candidates(const transition_system& s, std::string& why) {
  std::set<ir::sort_id> out;
  const symmetry group(s);
  const ir::program& p = s.program();
  for (ir::sort_id k = 0; k < p.sorts.size(); ++k)
    if (p.sorts[k].element.size() > 1 && group.interchangeable(k)) out.insert(k);
  for (ir::sort_id k = 0; k < p.sorts.size(); ++k)
    for (const ir::element_origin& o : p.sorts[k].origin)
      if (used(p, k) && o.over != ir::nothing && o.over != k && out.erase(o.over))
        why += fmt::format("-- {} is a range: {} is made of it\n", p.sorts[o.over].name, p.sorts[k].name);
  return out;
}

}  // namespace

std::string write_murphi(const transition_system& s, const export_options& o) {
  if (s.program().parametrised) throw diagnostic("murphi: a scope with `any` is not finite");
  std::string why;
  std::set<ir::sort_id> scalarsets;
  if (o.symmetry) scalarsets = candidates(s, why);
  for (;;) {
    try {
      return murphi(s, scalarsets).run(heading(o, why));
    } catch (const not_interchangeable& x) {
      if (!scalarsets.erase(x.sort))
        throw diagnostic(fmt::format("murphi: sort {}: {}", s.program().sorts[x.sort].name, x.why));
      why += fmt::format("-- {} is a range: {}\n", s.program().sorts[x.sort].name, x.why);
    }
  }
}

}  // namespace quiesce::exporting
