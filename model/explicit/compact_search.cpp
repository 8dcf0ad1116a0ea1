// SPDX-License-Identifier: MIT
#include "model/explicit/compact_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>
#include <set>

#include "model/explicit/bare_set.hpp"
#include "model/explicit/merge.hpp"
#include "model/explicit/quotient_set.hpp"
#include "model/explicit/recent_states.hpp"
#include "model/explicit/state_blocks.hpp"
#include "model/explicit/symmetry.hpp"
#include "model/explicit/worker.hpp"
#include "properties/diagnostic.hpp"

namespace quiesce {

namespace {

constexpr std::uint32_t most_steps = 512, most_specials = 64, states_at_once = 128;

class compact_exploration {
 public:
  compact_exploration(const transition_system& s, const search_options& o)
      : system_(s),
        options_(o),
        masks_(s.program(), o.wanted),
        watch_({o.max_states, o.max_memory_bytes, o.timeout_s}),
        words_(s.state_layout().words()),
        current_(words_),
        next_(words_) {
    if (o.reduce.any()) reduced_ = std::make_unique<reducer>(s, o.reduce);
    use(s.make_stepper());
    result_.properties.resize(s.program().properties.size());
    if (o.store == state_store::bare) set_ = bare_table(o.expected_states);
    if (o.store == state_store::compressed) set_ = std::make_unique<quotient_set>(used_bits(s.state_layout()));
    if (o.store == state_store::hash_compact) {
      auto hashes = std::make_unique<hash_set>(words_);
      hashes_ = hashes.get();
      set_ = std::move(hashes);
    }
    if (o.symmetry) use_symmetry();
    for (const ir::checked_property& p : s.program().properties) invariants_ = invariants_ || p.invariant != ir::nothing;
    prepare_buffer();
  }

  search_result run() {
    start();
    while (!current_.empty() && !watch_.ended() && !(options_.stop_at_first && found_wanted_)) {
      use_native();
      expand_level();
      result_.depth = depth_++;
      result_.native_levels += native_used_;
    }
    if (!current_.empty()) result_.depth = depth_;
    result_.covered = watch_.ended() && depth_ > 0 ? depth_ - 1 : depth_;
    result_.states = set_->size();
    result_.transitions = buffer_.transitions;
    result_.marked |= buffer_.marked;
    result_.complete = current_.empty() && !watch_.ended();
    result_.ended_by = watch_.reason();
    result_.memory_bytes = std::max(peak_bytes_, memory_bytes());
    if (hashes_) result_.omission_probability = hashes_->omission_probability();
    if (native_ && native_->now() == native_code::state::unavailable) result_.native_note = native_->why();
    search_again();
    result_.elapsed_s = watch_.elapsed_s();
    return std::move(result_);
  }

 private:
  void use_symmetry() {
    symmetry_ = std::make_unique<symmetry>(system_);
    result_.group_order = symmetry_->order();
    result_.symmetry_note = symmetry_->why();
    if (!symmetry_->trivial()) canonical_ = symmetry_->make_canonicaliser();
  }

  std::unique_ptr<compact_set> bare_table(std::uint64_t expected) const {
    try {
      return std::make_unique<bare_set>(words_, expected);
    } catch (const std::bad_alloc&) {
      throw diagnostic(
          fmt::format("there is no memory for a table of {} states of {} bytes", expected, words_ * sizeof(word)));
    }
  }

  void use(std::unique_ptr<stepper> s) { steps_ = reduced_ ? reduced_->make_stepper(std::move(s)) : std::move(s); }

  void prepare_buffer() {
    space_.resize(std::size_t{most_steps} * words_);
    parents_.resize(most_steps);
    special_space_.resize(std::size_t{most_specials} * words_);
    specials_.resize(most_specials);
    buffer_.words = space_.data();
    buffer_.parents = parents_.data();
    buffer_.capacity = most_steps;
    buffer_.special_words = special_space_.data();
    buffer_.specials = specials_.data();
    buffer_.special_capacity = most_specials;
    buffer_.owner = this;
    buffer_.flush = [](successor_buffer* b) {
      auto* self = static_cast<compact_exploration*>(b->owner);
      try {
        return std::uint32_t{self->flush()};
      } catch (...) {
        self->failure_ = std::current_exception();
        return std::uint32_t{1};
      }
    };
    set_masks();
  }

  void set_masks() {
    buffer_.marked_mask = masks_.sometimes & ~decided_;
    buffer_.violated_mask = masks_.wanted & ~masks_.sometimes & ~decided_;
  }

  void start() {
    struct enough {};
    const step_visitor keep = [&](const step& x) {
      if (put_step(buffer_, x, 0, words_)) throw enough{};
    };
    try {
      if (canonical_)
        symmetry_->initial(keep);
      else
        steps_->initial(keep);
    } catch (const enough&) {}
    close(0);
    buffer_.transitions = 0;
  }

  void use_native() {
    if (options_.native == native_mode::off || native_used_) return;
    const bool waits = options_.native == native_mode::wait;
    if (!native_) {
      if (!waits && set_->size() < options_.native_from) return;
      native_ = std::make_unique<native_code>(system_);
    }
    if (waits) native_->wait();
    if (native_->now() != native_code::state::ready) return;
    native_used_ = true;
    use(native_->make_stepper());
  }

  void expand_level() {
    while (!current_.empty() && !watch_.ended()) {
      std::uint32_t n = 0;
      const word* states = current_.front(states_at_once, n);
      steps_->expand(states, 0, n, buffer_);
      if (failure_) std::rethrow_exception(failure_);
      current_.taken(n);
      report();
    }
    close(depth_ + 1);
  }

  // Ends a level whose steps have this depth.
  void close(std::uint64_t depth) {
    flush();
    for (const auto& [kind, which] : keys_) note(kind, which, depth);
    keys_.clear();
    set_masks();
    peak_bytes_ = std::max(peak_bytes_, memory_bytes());
    current_ = std::move(next_);
    next_ = state_blocks(words_);
  }

  bool flush() {
    for (std::uint32_t k = 0; k < buffer_.special_count; ++k)
      take_special(buffer_.specials[k], buffer_.special_words + std::size_t{k} * words_);
    buffer_.special_count = 0;
    if (canonical_)
      for (std::uint32_t k = 0; k < buffer_.count; ++k) canonical_->canonical(buffer_.words + std::size_t{k} * words_);
    buffer_.count = recent_.keep_others(buffer_.words, buffer_.count);
    set_->insert_many(buffer_.words, buffer_.count, fresh_.get());
    for (std::uint32_t k = 0; k < buffer_.count; ++k)
      if (fresh_[k]) take(buffer_.words + std::size_t{k} * words_);
    buffer_.count = 0;
    return watch_.check(set_->size(), memory_bytes());
  }

  void take(const word* state) {
    next_.push(state);
    if (!invariants_) return;
    const std::uint64_t failing = steps_->failing_invariants(state) & masks_.wanted;
    result_.marked |= failing & masks_.sometimes;
    add(failing);
  }

  void take_special(const special_step& x, const word* state) {
    if (x.outcome == special_step::no_step) {
      if (!steps_->resting(state)) keys_.insert({finding_kind::deadlock, 0});
      return;
    }
    std::uint64_t seen = (x.violated & masks_.wanted & ~masks_.sometimes) | (x.marked & masks_.sometimes);
    const auto outcome = static_cast<step_outcome>(x.outcome);
    if (outcome == step_outcome::error) seen |= masks_.by_error[x.kind] & ~masks_.sometimes;
    add(seen);
    if (outcome == step_outcome::error) keys_.insert({finding_kind::error, x.kind});
    if (outcome == step_outcome::bound) keys_.insert({finding_kind::bound, x.kind});
    if (outcome == step_outcome::stuck) keys_.insert({finding_kind::deadlock, 1});
  }

  void add(std::uint64_t mask) {
    for (mask &= ~decided_; mask; mask &= mask - 1) {
      const auto i = static_cast<std::uint32_t>(__builtin_ctzll(mask));
      keys_.insert({masks_.sometimes >> i & 1 ? finding_kind::reached : finding_kind::violation, i});
    }
  }

  void note(finding_kind kind, std::uint32_t which, std::uint64_t depth) {
    const auto small = static_cast<std::uint8_t>(which);
    switch (kind) {
      case finding_kind::violation:
      case finding_kind::reached:
        found_wanted_ = true;
        decided_ |= std::uint64_t{1} << which;
        result_.properties[which] = finding{kind, which, 0, depth, {}};
        break;
      case finding_kind::error:
        result_.errors.try_emplace(static_cast<ir::error_kind>(which), finding{kind, 0, small, depth, {}});
        break;
      case finding_kind::bound:
        result_.bounds.try_emplace(static_cast<ir::bound_kind>(which), finding{kind, 0, small, depth, {}});
        break;
      case finding_kind::deadlock:
        if (result_.deadlock || !options_.check_deadlock) break;
        found_wanted_ = true;
        result_.deadlock = finding{kind, 0, 0, which == 0 ? depth - 1 : depth, {}};
        break;
    }
  }

  // The full search down to the deepest finding gives each its run. Where it finds no room for that, nothing was found for
  // sure.
  void search_again() {
    std::uint64_t deepest = 0;
    bool any = false;
    const auto see = [&](const finding& f) {
      any = true;
      deepest = std::max(deepest, f.depth);
    };
    for (const auto& f : result_.properties)
      if (f) see(*f);
    for (const auto& [kind, f] : result_.errors) see(f);
    for (const auto& [kind, f] : result_.bounds) see(f);
    if (result_.deadlock) see(*result_.deadlock);
    if (!any) return;
    set_.reset();
    hashes_ = nullptr;
    search_options o = options_;
    o.store = state_store::full;
    o.max_depth = deepest + 1;
    search_result full = explore(system_, o);
    result_.states_again = full.states + full.states_again;
    result_.properties = std::move(full.properties);
    result_.errors = std::move(full.errors);
    result_.bounds = std::move(full.bounds);
    result_.deadlock = std::move(full.deadlock);
    if (full.ended_by == budget::none) return;
    result_.ended_by = full.ended_by;
    result_.complete = false;
  }

  std::uint64_t memory_bytes() const { return set_->memory_bytes() + current_.memory_bytes() + next_.memory_bytes(); }

  void report() {
    if (!options_.progress) return;
    const double now = watch_.elapsed_s();
    if (now - reported_s_ < 1.0) return;
    reported_s_ = now;
    options_.progress({set_->size(), buffer_.transitions, depth_, current_.size(), memory_bytes(), options_.max_memory_bytes,
                       options_.max_states, now});
  }

  const transition_system& system_;
  const search_options& options_;
  const property_masks masks_;
  budget_watch watch_;
  const std::uint32_t words_;
  recent_states recent_{words_};
  std::unique_ptr<native_code> native_;  // outlives the steps that use it
  std::unique_ptr<reducer> reduced_;
  std::unique_ptr<stepper> steps_;
  std::unique_ptr<compact_set> set_;
  hash_set* hashes_ = nullptr;
  std::unique_ptr<symmetry> symmetry_;
  std::unique_ptr<symmetry::canonicaliser> canonical_;
  successor_buffer buffer_{};
  std::vector<word> space_, special_space_;
  state_blocks current_, next_;
  std::unique_ptr<bool[]> fresh_{new bool[most_steps]};
  std::uint64_t peak_bytes_ = 0;
  std::vector<std::uint32_t> parents_;
  std::vector<special_step> specials_;
  std::set<std::pair<finding_kind, std::uint32_t>> keys_;  // found in the level
  std::uint64_t decided_ = 0, depth_ = 0;
  bool found_wanted_ = false, invariants_ = false, native_used_ = false;
  double reported_s_ = 0;
  std::exception_ptr failure_;
  search_result result_;
};

}  // namespace

search_result explore_compactly(const transition_system& s, const search_options& o) {
  return compact_exploration(s, o).run();
}

}  // namespace quiesce
