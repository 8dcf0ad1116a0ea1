// SPDX-License-Identifier: MIT
#include "model/explicit/partial_order.hpp"

#include <algorithm>

namespace quiesce {

namespace {

// Heads of the cycles of a graph: what the edges of a depth-first search that lead back to its own path lead to.
class cycle_heads {
 public:
  explicit cycle_heads(const std::vector<std::vector<std::uint32_t>>& edges)
      : edges_(edges), colour_(edges.size(), unseen), head_(edges.size(), false) {
    for (std::uint32_t n = 0; n < edges.size(); ++n)
      if (colour_[n] == unseen) visit(n);
  }
  const std::vector<bool>& heads() const { return head_; }

 private:
  enum colour : std::uint8_t { unseen, open, closed };

  void visit(std::uint32_t root) {
    std::vector<std::pair<std::uint32_t, std::size_t>> path{{root, 0}};
    colour_[root] = open;
    while (!path.empty()) {
      auto& [n, next] = path.back();
      if (next == edges_[n].size()) {
        colour_[n] = closed;
        path.pop_back();
        continue;
      }
      const std::uint32_t to = edges_[n][next++];
      if (colour_[to] == open) head_[to] = true;
      if (colour_[to] != unseen) continue;
      colour_[to] = open;
      path.push_back({to, 0});
    }
  }

  const std::vector<std::vector<std::uint32_t>>& edges_;
  std::vector<colour> colour_;
  std::vector<bool> head_;
};

}  // namespace

partial_order::partial_order(const transition_system& s) : p_(s.program()), independence_(s) {
  const auto& all = independence_.instances();
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    std::vector<place> of(p_.processes[all[i].process].locations.size(), place::usable);
    for (std::uint32_t l = 0; l < of.size(); ++l)
      if (independence_.next(i, l).writes.meets(independence_.visible())) of[l] = place::visible;
    places_.push_back(std::move(of));
  }
  for (std::uint32_t q = 0; q < p_.processes.size(); ++q) find_anchors(q);
}

// The same for all instances of a template. A location that is visible for each of them breaks its cycles already.
void partial_order::find_anchors(std::uint32_t process) {
  const auto& all = independence_.instances();
  const std::size_t n = p_.processes[process].locations.size();
  std::vector<bool> usable(n, false);
  std::vector<std::vector<std::uint32_t>> edges(n);
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    if (all[i].process != process) continue;
    for (std::uint32_t l = 0; l < n; ++l) {
      if (places_[i][l] == place::usable) usable[l] = true;
      for (std::uint32_t to : independence_.next(i, l).next) edges[l].push_back(to);
    }
  }
  for (std::uint32_t l = 0; l < n; ++l) {
    if (!usable[l]) edges[l].clear();
    std::sort(edges[l].begin(), edges[l].end());
    edges[l].erase(std::unique(edges[l].begin(), edges[l].end()), edges[l].end());
  }
  const std::vector<bool> heads = cycle_heads(edges).heads();
  for (std::uint32_t i = 0; i < all.size(); ++i)
    for (std::uint32_t l = 0; l < n; ++l)
      if (all[i].process == process && heads[l]) places_[i][l] = place::anchor;
}

bool partial_order::may_move_alone(const word* state, std::uint32_t i) const {
  const process_instance& x = independence_.instances()[i];
  if (x.late || places_[i][independence_.location(state, i)] != place::usable) return false;
  return independence_.undisturbed(state, i);
}

partial_order::statistics partial_order::counts() const {
  statistics out;
  for (const auto& of : places_)
    for (place x : of) {
      ++out.locations;
      out.anchors += x == place::anchor;
      out.visible += x == place::visible;
    }
  return out;
}

}  // namespace quiesce
