// SPDX-License-Identifier: MIT
#pragma once
// One thread of a search: expands states, keeps what is new, notes what was found.

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "model/explicit/budget.hpp"
#include "model/explicit/candidates.hpp"
#include "model/explicit/merge.hpp"
#include "model/explicit/seen_set.hpp"
#include "model/explicit/symmetry.hpp"
#include "model/system/system.hpp"

namespace quiesce {

// What the steps of a property can contribute, as masks over properties.
struct property_masks {
  std::uint64_t wanted = 0, sometimes = 0;
  std::uint64_t by_error[8] = {};

  property_masks(const ir::program& p, std::uint64_t asked) {
    for (std::size_t i = 0; i < p.properties.size(); ++i) {
      std::uint64_t bit = std::uint64_t{1} << i;
      if (!(asked & bit)) continue;
      wanted |= bit;
      if (p.properties[i].sometimes) sometimes |= bit;
      for (ir::error_kind e : p.properties[i].errors) by_error[static_cast<std::size_t>(e)] |= bit;
    }
  }
};

// What the threads of a search share.
struct search_shared {
  const transition_system& system;
  const property_masks masks;
  seen_set seen;
  budget_watch watch;
  std::unique_ptr<symmetry> symmetric;  // nothing: no reduction
  std::unique_ptr<reducer> reduced;     // nothing: every step is explored
  seen_set::index level = 0;            // states numbered from here on belong to the level being built
  std::uint64_t decided = 0;            // properties that have a finding
};

class search_worker {
 public:
  explicit search_worker(search_shared&);
  search_worker(const search_worker&) = delete;
  search_worker& operator=(const search_worker&) = delete;

  // Initial states. Both throw what the steps throw.
  void start();
  // The steps of the states of `r`, which must stand in one page. New states are all kept only after finish().
  void expand(seen_set::range r, bool alone);
  void finish(bool alone);
  bool stopped() const { return stopped_; }  // by a budget

  void use(std::unique_ptr<stepper> s) {
    steps_ = shared_.reduced ? shared_.reduced->make_stepper(std::move(s)) : std::move(s);
  }
  void clear();

  candidates found;
  std::uint64_t transitions() const { return buffer_.transitions; }
  std::uint64_t marked() const { return marked_ | buffer_.marked; }
  seen_set::inserter& inserter() { return *inserter_; }

 private:
  static std::uint32_t flush_of(successor_buffer*);
  bool flush();
  void prepare();
  void specials();
  void take_special(const special_step&, word* state);
  void examine_fresh();
  template <class adder>
  void properties(std::uint64_t mask, adder&& add);

  search_shared& shared_;
  const std::uint32_t words_;
  std::unique_ptr<stepper> steps_;
  std::unique_ptr<seen_set::inserter> inserter_;
  std::unique_ptr<symmetry::canonicaliser> canonical_;
  successor_buffer buffer_{};
  std::vector<word> space_, special_space_;
  std::vector<std::uint32_t> parents_;
  std::vector<special_step> special_list_;
  bool alone_ = true, stopped_ = false, invariants_ = false;
  std::uint64_t marked_ = 0;
  std::exception_ptr failure_;
};

}  // namespace quiesce
