// SPDX-License-Identifier: MIT
// The lowering against a direct reading of the manual, on random models: the globals have the same histories, and there
// are the same run-time errors, bounds and deadlocks. QUIESCE_SEED=n runs one model and prints it; QUIESCE_COUNT=n as many.

#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>

#include "model/language/parse.hpp"
#include "model/system/lower.hpp"
#include "model/system/system.hpp"
#include "tests/property/naive_model.hpp"
#include "tests/property/random_model.hpp"

namespace quiesce::test {
namespace {

constexpr std::size_t most_states = 2500;

// Reads the globals of packed states in the form of the naive reading.
class projection {
 public:
  explicit projection(const transition_system& s) : system_(s) {
    for (ir::variable_id v = 0; v < s.program().variables.size(); ++v)
      if (s.program().variables[v].kind == ir::variable_kind::global) ids_[s.program().variables[v].name] = v;
  }

  std::string operator()(const word* state) const {
    std::map<std::string, std::vector<cell_value>> out;
    for (const auto& [name, id] : ids_) {
      if (name.ends_with(".len")) continue;
      if (const auto length = ids_.find(name + ".len"); length != ids_.end()) {
        cell_value members;
        const auto n = read_variable(system_, state, length->second, {});
        for (std::uint32_t i = 0; i < n; ++i) members.push_back(stored(state, id, i));
        out[name] = {members};
        continue;
      }
      const ir::variable& v = system_.program().variables[id];
      const std::uint32_t cells = v.index.empty() ? 1 : static_cast<std::uint32_t>(system_.program().sorts[v.index[0]].element.size());
      for (std::uint32_t i = 0; i < cells; ++i) out[name].push_back({v.index.empty() ? plain(state, id, {}) : plain(state, id, {i})});
    }
    return shown_globals(out);
  }

 private:
  const transition_system& system_;
  std::map<std::string, ir::variable_id> ids_;

  std::int64_t stored(const word* state, ir::variable_id id, std::uint32_t i) const {
    const bool option = system_.program().types[system_.program().variables[id].type].kind == ir::type_kind::option;
    return read_variable(system_, state, id, {i}) - option;
  }
  std::int64_t plain(const word* state, ir::variable_id id, const std::vector<std::uint32_t>& at) const {
    const bool option = id == ids_.at("o");
    return read_variable(system_, state, id, at) - option;
  }
};

naive_outcomes explore_lowered(const transition_system& system) {
  naive_outcomes out;
  const projection globals(system);
  const auto steps = system.make_stepper();
  const std::uint32_t words = system.state_layout().words();
  std::map<std::vector<word>, std::uint32_t> number;
  std::deque<std::vector<word>> waiting;
  std::size_t moves = 0;
  std::vector<std::uint32_t> next;
  const auto visit = [&](const step& s) {
    ++moves;
    if (s.outcome == step_outcome::error) out.errors.insert(ir::name(static_cast<ir::error_kind>(s.kind)));
    if (s.outcome == step_outcome::bound) out.bounds.insert(ir::name(static_cast<ir::bound_kind>(s.kind)));
    if (s.outcome == step_outcome::stuck) out.deadlocks.insert(globals(s.state));
    if (s.outcome != step_outcome::state) return;
    const auto [it, fresh] = number.emplace(std::vector<word>(s.state, s.state + words), static_cast<std::uint32_t>(number.size()));
    next.push_back(it->second);
    if (!fresh) return;
    out.graph.push_back({globals(s.state), {}});
    waiting.push_back(it->first);
  };
  steps->initial(visit);
  for (std::size_t at = 0; !waiting.empty() && (out.complete = number.size() <= most_states); ++at) {
    const std::vector<word> state = waiting.front();
    waiting.pop_front();
    moves = 0;
    next.clear();
    steps->successors(state.data(), visit);
    out.graph[at].next = next;
    if (moves == 0 && !steps->resting(state.data())) out.deadlocks.insert(out.graph[at].globals);
  }
  return out;
}

std::string missing(const std::set<std::string>& from, const std::set<std::string>& in) {
  for (const auto& x : from)
    if (!in.count(x)) return x;
  return {};
}

enum class comparison { same, too_large, refused };

comparison compare(std::uint64_t seed, const std::string& text) {
  language::source_set sources;
  loaded_model loaded;
  std::unique_ptr<transition_system> system;
  try {
    loaded.model = language::parse_model(sources, sources.add("random.model", text));
    system = make_interpreter(lower(loaded, {}, {}).program);
  } catch (const diagnostic& d) {
    ADD_FAILURE() << "seed " << seed << "\n" << text << language::render(sources, d);
    return comparison::refused;
  }
  naive_outcomes lowered;
  try {
    lowered = explore_lowered(*system);
  } catch (const diagnostic&) {   // a step that does not end
    return comparison::too_large;
  }
  const naive_outcomes naive = explore_model(loaded.model, false, most_states);
  const naive_outcomes early = explore_model(loaded.model, true, most_states);
  if (!lowered.complete || !naive.complete || !early.complete) return comparison::too_large;
  const std::string about = "seed " + std::to_string(seed) + "\n" + text;
  bool gave_up = false;
  EXPECT_EQ(lost_history(naive, lowered, gave_up), "") << "a run is lost; " << about;
  EXPECT_EQ(lost_history(lowered, naive, gave_up), "") << "a run is invented; " << about;
  EXPECT_EQ(lowered.errors, naive.errors) << about;
  EXPECT_EQ(lowered.bounds, naive.bounds) << about;
  EXPECT_EQ(missing(naive.deadlocks, lowered.deadlocks), "") << "a deadlock is lost; " << about;
  EXPECT_EQ(missing(lowered.deadlocks, early.deadlocks), "") << "a deadlock is invented; " << about;
  return gave_up ? comparison::too_large : comparison::same;
}

TEST(lowering, agrees_with_the_manual_on_random_models) {
  const char* only = std::getenv("QUIESCE_SEED");
  const char* count = std::getenv("QUIESCE_COUNT");
  const std::uint64_t first = only ? std::strtoull(only, nullptr, 10) : 0, n = only ? 1 : count ? std::strtoull(count, nullptr, 10) : 300;
  std::size_t compared = 0;
  for (std::uint64_t seed = first; seed < first + n; ++seed) {
    const std::string text = random_model(seed);
    if (only) std::printf("%s", text.c_str());
    compared += compare(seed, text) == comparison::same;
  }
  RecordProperty("compared", static_cast<int>(compared));
  if (!only) {
    EXPECT_GE(compared, n / 2);
  }
}

}  // namespace
}  // namespace quiesce::test
