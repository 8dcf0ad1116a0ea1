// SPDX-License-Identifier: MIT
#include "model/symbolic/unrolling.hpp"

namespace quiesce::symbolic {

namespace {

std::vector<literal> copy(substitution& s, const std::vector<literal>& all) {
  std::vector<literal> out;
  for (literal l : all) out.push_back(s.of(l));
  return out;
}

step_effects copy(substitution& s, const step_effects& e) {
  return {copy(s, e.next),    s.of(e.valid),    copy(s, e.violated), copy(s, e.marked),
          copy(s, e.emitted), copy(s, e.error), copy(s, e.bound),    s.of(e.stuck)};
}

}  // namespace

void unrolling::push(std::vector<literal> state) {
  substitution s(system_.graph, graph_);
  for (std::size_t b = 0; b < state.size(); ++b) s.set(system_.state[b], state[b]);
  frame f;
  f.fails = copy(s, system_.fails);
  f.lemmas = copy(s, system_.lemmas);
  f.step = copy(s, system_.step);
  for (const process_instance& who : system_.instances) f.selected.push_back(s.of(who.selected));
  f.state = std::move(state);
  if (frames_.empty()) well_typed_ = s.of(system_.well_typed);
  frames_.push_back(std::move(f));
}

void unrolling::from_initial() {
  substitution s(system_.graph, graph_);
  initial_ = copy(s, system_.initial);
  push(initial_.next);
}

void unrolling::from_anywhere() {
  std::vector<literal> state;
  for (std::size_t b = 0; b < system_.state.size(); ++b) state.push_back(graph_.input());
  push(std::move(state));
}

void unrolling::extend() { push(std::vector<literal>(frames_.back().step.next)); }

literal unrolling::differ(std::size_t a, std::size_t b) {
  literal out = always_false;
  for (std::size_t i = 0; i < system_.state.size(); ++i)
    out = graph_.either(out, graph_.same(frames_[a].state[i], frames_[b].state[i]) ^ 1u);
  return out;
}

literal breaks(const ir::program& p, unrolling& u, const step_effects& e, std::uint32_t property) {
  const ir::checked_property& c = p.properties[property];
  literal out = c.sometimes ? e.marked[property] : e.violated[property];
  for (ir::error_kind kind : c.errors) out = u.graph().either(out, e.error[static_cast<std::size_t>(kind)]);
  return out;
}

literal obstructs(unrolling& u, const step_effects& e) {
  return u.graph().either(any_of(u.graph(), e.error), any_of(u.graph(), e.bound));
}

std::vector<word> state_of(const transition_system& t, const finite_system& s, sat_solver& model,
                           const std::vector<literal>& bits) {
  std::vector<word> out(t.state_layout().words(), 0);
  for (std::size_t slot = 0; slot < s.fields.size(); ++slot) {
    const field& f = s.fields[slot];
    word code = 0;
    for (std::uint32_t b = 0; b < f.width; ++b)
      if (model.value(bits[f.first + b])) code = f.one_hot ? b : code | word{1} << b;
    if (t.state_layout().slots()[slot].bits != 0) put(out.data(), t.state_layout().slots()[slot], code);
  }
  return out;
}

}  // namespace quiesce::symbolic
