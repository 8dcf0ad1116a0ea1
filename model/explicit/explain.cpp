// SPDX-License-Identifier: MIT
#include "model/explicit/explain.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "model/explicit/distinct.hpp"
#include "model/explicit/state_hash.hpp"

namespace quiesce {

namespace {

constexpr std::uint64_t most_sampled = 20000;

class part_counter {
 public:
  part_counter(std::string name, std::uint32_t words)
      : mask_(words, 0), masked_(words), values_(most_exact), without_(most_exact) {
    part_.name = std::move(name);
  }

  void take(const transition_system& s, ir::variable_id v) {
    const ir::variable& x = s.program().variables[v];
    for (std::uint64_t k = 0; k < ir::element_count(s.program(), x); ++k) {
      const slot& at = s.state_layout().slots()[x.first_slot + k];
      mask_[at.index] |= at.mask << at.shift;
      part_.bits += at.bits;
    }
  }
  bool empty() const { return part_.bits == 0; }
  void see(const word* state) {
    const auto n = static_cast<std::uint32_t>(mask_.size());
    for (std::uint32_t w = 0; w < n; ++w) masked_[w] = state[w] & mask_[w];
    values_.add(hash_state<0>(masked_.data(), n));
    for (std::uint32_t w = 0; w < n; ++w) masked_[w] = state[w] & ~mask_[w];
    without_.add(hash_state<0>(masked_.data(), n));
  }
  bool exact() const { return values_.exact() && without_.exact(); }
  state_part result() const {
    state_part out = part_;
    out.values = values_.count();
    out.without = without_.count();  // an estimate may be above the number of states
    return out;
  }

 private:
  state_part part_;
  std::vector<word> mask_, masked_;
  distinct_counter values_, without_;
};

template <class visitor>
void each_state(const explored& x, visitor&& visit) {
  for (const seen_set::range& r : x.all)
    for (seen_set::index i = r.first; i < r.first + r.count; ++i) visit(x.seen.state(i));
}

bool belongs_to_process(const ir::variable& v) {
  return v.kind == ir::variable_kind::local || v.kind == ir::variable_kind::pc;
}

void count_parts(const explored& x, explanation& out) {
  const ir::program& p = x.system.program();
  const std::uint32_t words = x.seen.words();
  std::vector<part_counter> variables, processes;
  for (const ir::process& q : p.processes) processes.emplace_back(q.name, words);
  for (ir::variable_id v = 0; v < p.variables.size(); ++v) {
    const ir::variable& one = p.variables[v];
    const bool local = belongs_to_process(one) && one.owner < processes.size();
    variables.emplace_back(local ? p.processes[one.owner].name + " " + one.name : one.name, words);
    variables.back().take(x.system, v);
    if (local) processes[one.owner].take(x.system, v);
    if (one.kind == ir::variable_kind::pc) variables.pop_back();  // a process has its line
  }
  const auto without_bits = [](const part_counter& c) { return c.empty(); };
  std::erase_if(variables, without_bits);
  std::erase_if(processes, without_bits);
  each_state(x, [&](const word* state) {
    ++out.states;
    for (part_counter& c : variables) c.see(state);
    for (part_counter& c : processes) c.see(state);
  });
  const auto collect = [&](const std::vector<part_counter>& from, std::vector<state_part>& to) {
    for (const part_counter& c : from) {
      to.push_back(c.result());
      to.back().without = std::min(to.back().without, out.states);
      to.back().values = std::min(to.back().values, out.states);
      out.estimated = out.estimated || !c.exact();
    }
    std::sort(to.begin(), to.end(), [](const state_part& a, const state_part& b) {
      return std::tie(a.without, a.name) < std::tie(b.without, b.name);
    });
  };
  collect(variables, out.variables);
  collect(processes, out.processes);
}

std::uint32_t place_of(const transition_system& s, const word* state, std::uint32_t process, std::uint32_t instance) {
  const ir::process& q = s.program().processes[process];
  if (q.pc == ir::nothing) return 0;
  const slot& at = s.state_layout().slots()[s.program().variables[q.pc].first_slot + instance];
  return static_cast<std::uint32_t>(get(state, at));
}

void count_steps(const explored& x, explanation& out) {
  using place = std::pair<std::uint32_t, std::uint32_t>;  // process, location
  std::map<place, branching_place> places;
  const std::uint64_t every = std::max<std::uint64_t>(1, out.states / most_sampled);
  const auto steps = x.system.make_stepper();
  std::uint64_t number = 0;
  each_state(x, [&](const word* state) {
    if (number++ % every != 0) return;
    ++out.sampled;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> of_instance;
    steps->successors(state, [&](const step& s) { ++of_instance[{s.process, s.instance}]; });
    for (const auto& [who, n] : of_instance) {
      branching_place& b = places[{who.first, place_of(x.system, state, who.first, who.second)}];
      ++b.visits;
      b.steps += n;
      b.most = std::max(b.most, n);
      out.sampled_steps += n;
    }
  });
  for (auto& [at, b] : places) {
    const ir::process& q = x.system.program().processes[at.first];
    b.process = q.name;
    if (at.second < q.locations.size()) {
      b.statement = q.locations[at.second].statement;
      b.where = q.locations[at.second].where;
    }
    out.places.push_back(std::move(b));
  }
  std::stable_sort(out.places.begin(), out.places.end(), [](const branching_place& a, const branching_place& b) {
    return std::tie(b.most, b.steps) < std::tie(a.most, a.steps);
  });
}

}  // namespace

explanation explain(const explored& x) {
  explanation out;
  count_parts(x, out);
  count_steps(x, out);
  return out;
}

}  // namespace quiesce
