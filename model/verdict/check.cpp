// SPDX-License-Identifier: MIT
#include "model/verdict/check.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "model/explicit/budget_text.hpp"
#include "model/verdict/hash.hpp"
#include "model/verdict/range_error.hpp"

namespace quiesce {
namespace {

std::vector<const ast::property*> trees(const question& q) {
  std::vector<const ast::property*> out;
  for (const property_entry* entry : q.properties) out.push_back(&entry->property);
  return out;
}

// What keeps an exploration from deciding, in the order in which a verdict names it; empty: nothing.
std::vector<std::string> obstacles_of(const transition_system& system, const search_result& found, const limits& most) {
  std::vector<std::string> out;
  for (const auto& [kind, f] : found.errors) out.push_back("beyond " + ending_text(system, f.run));
  for (const auto& [kind, f] : found.bounds) out.push_back(fmt::format("bound {} reached", ir::name(kind)));
  if (found.ended_by != budget::none) {
    out.push_back(text_of(found.ended_by));
    if (!most.reduce.any()) out.back() += fmt::format(", runs of up to {} steps covered", found.covered);
  }
  if (found.omission_probability > 0)
    out.push_back(fmt::format("hash compaction: states were omitted with a probability of at most {:.1e}",
                              found.omission_probability));
  if (!found.complete && out.empty() && !most.stop_early) out.push_back("exploration not complete");
  return out;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

struct judge {
  const transition_system& system;
  const search_result& found;
  const std::vector<std::string>& obstacles;

  // The least deep of the finding of the property itself and of the errors that it forbids.
  const finding* violation(std::size_t i) const {
    const finding* best = found.properties[i] ? &*found.properties[i] : nullptr;
    for (const ir::error_kind kind : system.program().properties[i].errors) {
      const auto at = found.errors.find(kind);
      if (at != found.errors.end() && (!best || at->second.depth < best->depth)) best = &at->second;
    }
    return best;
  }

  verdict undecided(verdict v) const {
    v.kind = verdict_kind::unknown;
    v.reason = obstacles.empty() ? "exploration not complete" : joined(obstacles);
    return v;
  }

  bool decided() const { return found.complete && obstacles.empty(); }

  // `sometimes`: a run that reaches it decides, whatever else happens; not to reach it takes the whole state space.
  verdict existence(verdict v, std::size_t i) const {
    if (const finding* witness = violation(i)) {
      v.kind = verdict_kind::holds;
      v.counterexample = words_of(system, witness->run, "reached");
      v.counterexample->shortest = witness->minimal;
      return v;
    }
    if (!decided()) return undecided(std::move(v));
    v.kind = verdict_kind::violated;
    return v;
  }

  verdict operator()(const std::string& property, std::size_t i) const {
    const ir::checked_property& checked = system.program().properties[i];
    verdict v;
    v.property = property;
    if (checked.sometimes) return existence(std::move(v), i);
    if (const finding* broken = violation(i)) {
      v.kind = verdict_kind::violated;
      v.counterexample = words_of(system, broken->run, "");
      v.counterexample->shortest = broken->minimal;
      return v;
    }
    if (found.deadlock) {
      v.kind = verdict_kind::deadlock;
      v.counterexample = words_of(system, found.deadlock->run, "");
      v.counterexample->shortest = found.deadlock->minimal;
      if (v.counterexample->ending.empty()) v.counterexample->ending = "no process can move, and not all rest";
      return v;
    }
    if (!decided()) return undecided(std::move(v));
    if (found.states == 0) v.reason = no_initial_state;
    const bool triggered = found.states > 0 && (!checked.has_trigger || (found.marked >> i & 1));
    v.kind = triggered ? verdict_kind::holds : verdict_kind::vacuous;
    return v;
  }
};

template <class Pairs>
std::string lines_of(const Pairs& pairs) {
  std::string text;
  for (const auto& [name, value] : pairs) text += fmt::format("{}={}\n", name, value);
  return text;
}

}  // namespace

std::uint64_t memory_to_spare() {
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size) / 4 * 3 : 0;
}

run_text words_of(const transition_system& system, const trace& path, std::string ending) {
  run_text out;
  const word* before = nullptr;
  for (const trace_step& s : path.steps) {
    const step done{s.state.data(), s.outcome, s.kind, s.process, s.instance, s.violated, s.marked, s.at};
    out.steps.push_back(describe(system, before, done, s.record, false));
    before = s.state.data();
  }
  out.ending = ending.empty() ? ending_text(system, path) : std::move(ending);
  return out;
}

prepared_check::prepared_check(catalogue& inputs, question q)
    : question_(std::move(q)), vocabulary_(inputs.vocabulary_text()) {
  for (const property_entry* p : question_.properties) {
    if (!is_response(p->property)) continue;
    if (question_.properties.size() > 1)
      throw diagnostic(p->property.where, fmt::format("'{}' is asked for together with other properties", p->property.name),
                       "a property with `leads to` is a question of its own");
    response_ = std::make_unique<response>(lower_response(question_.model->loaded, question_.settings, p->property));
    scope_ = response_->low.scope;
    system_ = make_interpreter(std::move(response_->low.program));
    return;
  }
  lowered low = lower(question_.model->loaded, question_.settings, trees(question_));
  if (low.program.parametrised)
    throw diagnostic("any number of elements is not explored",
                     "`quiesce prove` proves claims about it; `quiesce dump --core` prints its core");
  scope_ = std::move(low.scope);
  system_ = make_interpreter(std::move(low.program));
}

std::string prepared_check::input_hash(std::size_t property, const limits& most) const {
  return sha256({{"version", QUIESCE_VERSION},
                 {"model", question_.model->loaded.canonical},
                 {"vocabulary", vocabulary_},
                 {"property", question_.properties[property]->canonical()},
                 {"variant", question_.settings.variant},
                 {"options", lines_of(scope_.options)},
                 {"environment", question_.settings.environment},
                 {"sizes", lines_of(scope_.sizes)},
                 {"bounds", lines_of(scope_.bounds)},
                 {"time", scope_.urgent ? fmt::format("urgent {}", scope_.horizon) : "free"},
                 {"engine", fmt::format("{} symmetry={} states={} memory={} seconds={}{}{}{}", most.engine, most.symmetry,
                                        most.max_states, most.max_bytes, most.seconds,
                                        most.max_depth == 0 ? "" : fmt::format(" depth={}", most.max_depth),
                                        most.store == state_store::hash_compact ? " store=hash-compact" : "",
                                        most.reduce.any() ? fmt::format(" reduce={}", name(most.reduce)) : "")}});
}

search_result prepared_check::search(const limits& most, const progress& report) const {
  search_options options;
  options.threads = most.threads;
  options.max_states = most.max_states;
  options.max_memory_bytes = most.max_bytes ? most.max_bytes : memory_to_spare();
  options.timeout_s = most.seconds;
  options.symmetry = most.symmetry;
  options.reduce = most.reduce;
  options.native = most.native;
  options.store = most.store;
  options.expected_states = most.expected_states;
  options.stop_at_first = most.stop_early && question_.properties.size() == 1;
  options.progress = report;
  options.examine = most.examine;
  options.checkpoint = most.checkpoint;
  options.checkpoint.identity = fmt::format("quiesce {} {}", QUIESCE_VERSION, question_.model->loaded.model.name);
  search_result found = explore(*system_, options);
  // A deadlock that ended the search may hide a violation farther away, and a violation is the stronger verdict.
  const bool only_deadlock = options.stop_at_first && found.deadlock && !found.properties[0];
  if (!only_deadlock) return found;
  options.stop_at_first = false;
  return explore(*system_, options);
}

answer prepared_check::run(const limits& most, const progress& report) const {
  require_sound(most);
  if (response_) return respond(most, report);
  if (most.engine != "explicit") return solve(most, report);
  const search_result found = search(most, report);
  answer out;
  out.scope = scope_;
  out.states = found.states;
  out.transitions = found.transitions;
  out.depth = found.depth;
  out.complete = found.complete && found.omission_probability == 0;
  out.group_order = found.group_order;
  out.reduced = most.reduce;
  out.states_again = found.states_again;
  out.symmetry_note = found.symmetry_note;
  while (!out.symmetry_note.empty() && out.symmetry_note.back() == '\n') out.symmetry_note.pop_back();
  out.table_bytes = found.memory_bytes;
  out.elapsed_s = found.elapsed_s;
  out.native_note = found.native_note;
  out.native_levels = found.native_levels;
  out.checkpoint_note = found.checkpoint_note;
  out.obstacles = obstacles_of(*system_, found, most);
  const judge decide{*system_, found, out.obstacles};
  for (std::size_t i = 0; i < question_.properties.size(); ++i) {
    out.verdicts.push_back(decide(question_.properties[i]->property.name, i));
    out.verdicts.back().hash = input_hash(i, most);
  }
  return out;
}

}  // namespace quiesce
