// SPDX-License-Identifier: MIT
#include "model/explicit/worker.hpp"

#include <algorithm>
#include <stdexcept>

namespace quiesce {

namespace {
constexpr std::uint32_t most_words = 4096, most_steps = 512, fewest_steps = 16, most_specials = 64;
}

search_worker::search_worker(search_shared& s)
    : found(s.seen), shared_(s), words_(s.seen.words()), inserter_(s.seen.make_inserter()) {
  use(s.system.make_stepper());
  if (s.symmetric) canonical_ = s.symmetric->make_canonicaliser();
  for (const ir::checked_property& p : s.system.program().properties)
    invariants_ = invariants_ || p.invariant != ir::nothing;
  const std::uint32_t capacity = std::max(fewest_steps, std::min(most_steps, most_words / words_));
  space_.resize(std::size_t{capacity} * words_);
  parents_.resize(capacity);
  special_space_.resize(std::size_t{most_specials} * words_);
  special_list_.resize(most_specials);
  buffer_.words = space_.data();
  buffer_.parents = parents_.data();
  buffer_.capacity = capacity;
  buffer_.special_words = special_space_.data();
  buffer_.specials = special_list_.data();
  buffer_.special_capacity = most_specials;
  buffer_.flush = flush_of;
  buffer_.owner = this;
}

void search_worker::prepare() {
  buffer_.marked_mask = shared_.masks.sometimes & ~shared_.decided;
  buffer_.violated_mask = shared_.masks.wanted & ~shared_.masks.sometimes & ~shared_.decided;
}

void search_worker::start() {
  prepare();
  alone_ = true;
  struct enough {};
  try {
    const step_visitor keep = [&](const step& x) {
      if (put_step(buffer_, x, seen_set::none, words_)) throw enough{};
    };
    if (shared_.symmetric)
      shared_.symmetric->initial(keep);
    else
      steps_->initial(keep);
  } catch (const enough&) {}
  finish(true);
  buffer_.transitions = 0;
}

void search_worker::expand(seen_set::range r, bool alone) {
  prepare();
  alone_ = alone;
  steps_->expand(shared_.seen.state(r.first), r.first, r.count, buffer_);
  if (failure_) std::rethrow_exception(failure_);
}

void search_worker::finish(bool alone) {
  alone_ = alone;
  flush();
  inserter_->flush(shared_.level, alone);
  examine_fresh();
  if (failure_) std::rethrow_exception(failure_);
}

// Nothing is thrown through generated code.
std::uint32_t search_worker::flush_of(successor_buffer* b) {
  auto* self = static_cast<search_worker*>(b->owner);
  try {
    return self->flush();
  } catch (...) {
    self->failure_ = std::current_exception();
    return 1;
  }
}

bool search_worker::flush() {
  specials();
  if (canonical_)
    for (std::uint32_t k = 0; k < buffer_.count; ++k) canonical_->canonical(buffer_.words + std::size_t{k} * words_);
  inserter_->insert(buffer_.words, buffer_.parents, buffer_.count, shared_.level, alone_);
  buffer_.count = 0;
  examine_fresh();
  if (shared_.seen.full()) shared_.watch.end(budget::states);
  stopped_ = shared_.watch.check(shared_.seen.size(), shared_.seen.memory_bytes());
  return stopped_;
}

void search_worker::specials() {
  for (std::uint32_t k = 0; k < buffer_.special_count; ++k)
    take_special(buffer_.specials[k], buffer_.special_words + std::size_t{k} * words_);
  buffer_.special_count = 0;
}

void search_worker::take_special(const special_step& x, word* state) {
  if (x.outcome == special_step::no_step) {
    if (!steps_->resting(state)) found.add_state({finding_kind::deadlock, 0}, x.parent);
    return;
  }
  if (canonical_) canonical_->canonical(state);
  const property_masks& m = shared_.masks;
  std::uint64_t seen = (x.violated & m.wanted & ~m.sometimes) | (x.marked & m.sometimes);
  const auto outcome = static_cast<step_outcome>(x.outcome);
  if (outcome == step_outcome::error) seen |= m.by_error[x.kind] & ~m.sometimes;
  properties(seen, [&](finding_key k) { found.add_step(k, state, x.parent); });
  if (outcome == step_outcome::error) found.add_step({finding_kind::error, x.kind}, state, x.parent);
  if (outcome == step_outcome::bound) found.add_step({finding_kind::bound, x.kind}, state, x.parent);
  if (outcome == step_outcome::stuck) found.add_step({finding_kind::deadlock, 1}, state, x.parent);
}

void search_worker::examine_fresh() {
  if (invariants_)
    for (seen_set::index i : inserter_->fresh) {
      const std::uint64_t failing = steps_->failing_invariants(shared_.seen.state(i)) & shared_.masks.wanted;
      if (!failing) continue;
      marked_ |= failing & shared_.masks.sometimes;
      properties(failing, [&](finding_key k) { found.add_state(k, i); });
    }
  inserter_->fresh.clear();
}

// Calls add(key) for each property of the mask that is still without a finding.
template <class adder>
void search_worker::properties(std::uint64_t mask, adder&& add) {
  for (mask &= ~shared_.decided; mask; mask &= mask - 1) {
    auto i = static_cast<std::uint32_t>(__builtin_ctzll(mask));
    add({shared_.masks.sometimes >> i & 1 ? finding_kind::reached : finding_kind::violation, i});
  }
}

void search_worker::clear() {
  found.clear();
  buffer_.transitions = buffer_.marked = marked_ = 0;
}

}  // namespace quiesce
