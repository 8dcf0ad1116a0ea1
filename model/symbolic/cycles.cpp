// SPDX-License-Identifier: MIT
// Cycles among sorts. Where there is none, every formula has small models only and the solver is sure to end (Padon et al.,
// Paxos Made EPR, 2017, section 3).

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/symbolic/proof.hpp"

namespace quiesce::symbolic {

namespace {

using edges = std::map<std::pair<std::size_t, std::size_t>, std::string>;

std::optional<std::size_t> element_sort(const type& t) {
  if (t.kind == type_kind::option) return element_sort(*t.inner);
  if (t.kind == type_kind::element) return t.sort;
  return std::nullopt;
}

// `positive`: as the formula is asserted; an existential below a universal is a function from the one sort to the other.
void alternations(const core& c, const node& n, bool positive, std::vector<std::size_t> universal, const std::string& why,
                  edges& out) {
  if (n.atom || n.kids.empty()) return;
  const std::string head = n.kids[0].text;
  if ((head == "all" || head == "exists") && n.kids.size() == 3) {
    const std::size_t s = c.sort_number.at(n[1][1].text);
    if ((head == "all") == positive)
      universal.push_back(s);
    else
      for (const std::size_t u : universal) out.emplace(std::make_pair(u, s), why);
    return alternations(c, n[2], positive, universal, why, out);
  }
  for (std::size_t i = 1; i < n.kids.size(); ++i) {
    const bool both = head == "=" || (head == "if" && i == 1);
    const bool flips = head == "not" || (head == "=>" && i == 1);
    alternations(c, n.kids[i], positive != flips, universal, why, out);
    if (both) alternations(c, n.kids[i], positive == flips, universal, why, out);
  }
}

}  // namespace

std::vector<std::string> cycles(const core& c) {
  edges all;
  for (const function& f : c.functions)
    if (const auto to = element_sort(*f.value))
      for (const std::size_t from : f.args) all.emplace(std::make_pair(from, *to), f.name);
  for (std::size_t s = 0; s < c.sorts.size(); ++s)
    for (const auto& [name, of] : c.sorts[s].constructors)
      if (c.sorts[s].kind == sort_kind::any) all.emplace(std::make_pair(of, s), name);
  for (const invariant& v : c.invariants)
    for (const bool positive : {true, false}) alternations(c, v.condition, positive, {}, "invariant " + v.name, all);
  std::vector<std::string> out;
  std::set<std::size_t> done;
  std::vector<std::string> path;
  const std::function<bool(std::size_t, std::size_t, std::set<std::size_t>&)> back = [&](std::size_t from, std::size_t to,
                                                                                         std::set<std::size_t>& seen) {
    for (const auto& [edge, why] : all) {
      if (edge.first != from || c.sorts[edge.second].kind != sort_kind::any) continue;
      path.push_back(fmt::format("{} -> {} ({})", c.sorts[from].name, c.sorts[edge.second].name, why));
      if (edge.second == to || (seen.insert(edge.second).second && back(edge.second, to, seen))) return true;
      path.pop_back();
    }
    return false;
  };
  for (std::size_t s = 0; s < c.sorts.size(); ++s) {
    if (c.sorts[s].kind != sort_kind::any) continue;
    path.clear();
    std::set<std::size_t> seen;
    if (done.count(s) || !back(s, s, seen)) continue;
    for (const auto& [edge, why] : all)
      if (seen.count(edge.first)) done.insert(edge.first);
    done.insert(s);
    out.push_back(fmt::format("a cycle among sorts, so the solver may not end: {}", fmt::join(path, ", ")));
  }
  return out;
}

}  // namespace quiesce::symbolic
