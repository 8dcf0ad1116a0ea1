// SPDX-License-Identifier: MIT
// Histories of the globals, compared by sets of states.
#include "tests/property/naive_model_internal.hpp"

namespace quiesce::test {

namespace {

using states = std::set<std::uint32_t>;

// And all that follows without a change of the globals.
states closed(const naive_outcomes& g, states from) {
  std::vector<std::uint32_t> waiting(from.begin(), from.end());
  while (!waiting.empty()) {
    const auto at = waiting.back();
    waiting.pop_back();
    for (const auto n : g.graph[at].next)
      if (g.graph[n].globals == g.graph[at].globals && from.insert(n).second) waiting.push_back(n);
  }
  return from;
}

std::map<std::string, states> changes(const naive_outcomes& g, const states& from) {
  std::map<std::string, states> out;
  for (const auto at : from)
    for (const auto n : g.graph[at].next)
      if (g.graph[n].globals != g.graph[at].globals) out[g.graph[n].globals].insert(n);
  return out;
}

}  // namespace

std::string lost_history(const naive_outcomes& of, const naive_outcomes& in, bool& gave_up) {
  constexpr std::size_t most_pairs = 3000;
  using pair = std::pair<states, states>;
  std::map<pair, std::string> seen;  // with the history that led there
  std::deque<pair> waiting;
  const auto reach = [&](states a, states b, const std::string& history) {
    const pair p{closed(of, std::move(a)), closed(in, std::move(b))};
    if (seen.emplace(p, history).second) waiting.push_back(p);
  };
  reach({0}, {0}, of.graph[0].globals);
  for (; !waiting.empty(); waiting.pop_front()) {
    const pair p = waiting.front();
    const std::string history = seen.at(p);
    auto there = changes(in, p.second);
    for (const auto& [globals, a] : changes(of, p.first)) {
      const auto b = there.find(globals);
      if (b == there.end()) return history + "\n" + globals;
      if (seen.size() < most_pairs)
        reach(a, b->second, history + "\n" + globals);
      else
        gave_up = true;
    }
  }
  return {};
}

std::string shown_globals(const std::map<std::string, std::vector<cell_value>>& globals) {
  std::string out;
  for (const auto& [name, cells] : globals) {
    out += name + "=";
    for (const auto& cell : cells) {
      for (const auto v : cell) out += std::to_string(v) + ".";
      out += ",";
    }
    out += " ";
  }
  return out;
}

}  // namespace quiesce::test
