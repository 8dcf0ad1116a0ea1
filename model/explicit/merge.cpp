// SPDX-License-Identifier: MIT
#include "model/explicit/merge.hpp"

#include <algorithm>
#include <stdexcept>

#include "model/system/single.hpp"

namespace quiesce {

namespace {

// The steps of single instances, as they come.
class step_list {
 public:
  explicit step_list(std::uint32_t words)
      : words_(words), space_(std::size_t{batch} * words), special_space_(space_.size()) {
    parents_.resize(batch);
    special_list_.resize(batch);
    buffer_.words = space_.data();
    buffer_.parents = parents_.data();
    buffer_.capacity = batch;
    buffer_.special_words = special_space_.data();
    buffer_.specials = special_list_.data();
    buffer_.special_capacity = batch;
    buffer_.violated_mask = buffer_.marked_mask = ~word{0};
    buffer_.owner = this;
    buffer_.flush = [](successor_buffer* b) {
      static_cast<step_list*>(b->owner)->drain();
      return std::uint32_t{0};
    };
  }

  struct part {
    bool known = false;
    std::uint32_t first = 0, count = 0;                  // plain steps
    std::uint32_t special_first = 0, special_count = 0;  // those that violate or mark, too; and those that end
    bool ends = false;                                   // one of them ends in an error, a bound or stuck
    std::uint64_t transitions = 0;
  };

  void clear() {
    states_.clear();
    special_states_.clear();
    specials_.clear();
    buffer_.transitions = 0;
  }

  part steps_of(single_stepper& from, const word* state, const process_instance& i) {
    part p{true, plain(), 0, special(), 0, false, buffer_.transitions};
    if (from.steps_of(state, i.process, i.instance, 0, buffer_) == single_stepper::result::not_here) {
      drain();
      states_.resize(std::size_t{p.first} * words_);
      special_states_.resize(std::size_t{p.special_first} * words_);
      specials_.resize(p.special_first);
      buffer_.transitions = p.transitions;
      from.slower().steps_of(state, i.process, i.instance, 0, buffer_);
    }
    drain();
    p.count = plain() - p.first;
    p.special_count = special() - p.special_first;
    p.transitions = buffer_.transitions - p.transitions;
    for (std::uint32_t k = 0; k < p.special_count; ++k)
      p.ends = p.ends || specials_[p.special_first + k].outcome != static_cast<std::uint8_t>(step_outcome::state);
    return p;
  }

  const word* state(std::uint32_t k) const { return &states_[std::size_t{k} * words_]; }
  const special_step& special(std::uint32_t k) const { return specials_[k]; }
  const word* special_state(std::uint32_t k) const { return &special_states_[std::size_t{k} * words_]; }

 private:
  static constexpr std::uint32_t batch = 128;
  std::uint32_t plain() const { return static_cast<std::uint32_t>(states_.size() / words_); }
  std::uint32_t special() const { return static_cast<std::uint32_t>(specials_.size()); }

  void drain() {
    states_.insert(states_.end(), space_.begin(), space_.begin() + std::ptrdiff_t{buffer_.count} * words_);
    special_states_.insert(special_states_.end(), special_space_.begin(),
                           special_space_.begin() + std::ptrdiff_t{buffer_.special_count} * words_);
    specials_.insert(specials_.end(), special_list_.begin(), special_list_.begin() + buffer_.special_count);
    buffer_.count = buffer_.special_count = 0;
  }

  const std::uint32_t words_;
  successor_buffer buffer_{};
  std::vector<word> space_, special_space_, states_, special_states_;
  std::vector<std::uint32_t> parents_;
  std::vector<special_step> special_list_, specials_;
};

}  // namespace

class reducer::reduced_stepper final : public stepper {
 public:
  reduced_stepper(const reducer& r, std::unique_ptr<stepper> other)
      : r_(r),
        other_(std::move(other)),
        single_(dynamic_cast<single_stepper*>(other_.get())),
        all_(r.order_.relation().instances()),
        words_(other_->words_of_state()),
        here_(words_),
        there_(words_),
        parts_(all_.size()),
        ahead_(all_.size()),
        at_(words_) {
    if (!single_) throw std::logic_error("steps of one process are asked of a stepper that cannot give them");
  }

  bool expand(const word* states, std::uint32_t first, std::uint32_t count, successor_buffer& b) override {
    for (std::uint32_t i = 0; i < count; ++i)
      if (one(states + std::size_t{i} * words_, first + i, b)) return true;
    return false;
  }

  void runs(const word* state, const run_visitor& visit) {
    for (std::uint32_t i : choose(state))
      for (std::uint32_t k = 0; k < parts_[i].count; ++k) {
        std::copy_n(here_.state(parts_[i].first + k), words_, at_.data());
        std::vector<std::vector<word>> run{at_};
        std::uint64_t ignored = 0;
        follow(ignored, ignored, &run);
        if (visit(run)) return;
      }
  }

  std::uint64_t failing_invariants(const word* s) override { return other_->failing_invariants(s); }
  void initial(const step_visitor& v) override { other_->initial(v); }
  void initial_recorded(const record_visitor& v) override { other_->initial_recorded(v); }
  void successors(const word* s, const step_visitor& v) override { other_->successors(s, v); }
  void successors_recorded(const word* s, const record_visitor& v) override { other_->successors_recorded(s, v); }
  bool resting(const word* s) override { return other_->resting(s); }
  std::uint32_t words_of_state() const override { return words_; }

 private:
  using part = step_list::part;

  // The instances whose steps are explored from a state; parts_ has them.
  const std::vector<std::uint32_t>& choose(const word* s) {
    here_.clear();
    std::fill(parts_.begin(), parts_.end(), part{});
    chosen_.clear();
    const auto get = [&](std::uint32_t i) -> const part& {
      return parts_[i].known ? parts_[i] : parts_[i] = here_.steps_of(*single_, s, all_[i]);
    };
    for (std::uint32_t i = 0; r_.what_.partial_order && i < all_.size(); ++i) {
      if (!r_.order_.may_move_alone(s, i)) continue;
      const part& p = get(i);
      if (p.count == 0 || p.ends) continue;
      chosen_.push_back(i);
      return chosen_;
    }
    for (const bool late : {false, true}) {
      for (std::uint32_t i = 0; i < all_.size(); ++i)
        if (all_[i].late == late && get(i).transitions > 0) chosen_.push_back(i);
      if (!chosen_.empty()) break;
    }
    return chosen_;
  }

  bool one(const word* s, std::uint32_t parent, successor_buffer& b) {
    bool any = false;
    for (std::uint32_t i : choose(s)) {
      const part& p = parts_[i];
      any = true;
      b.transitions += p.transitions;
      for (std::uint32_t k = p.special_first; k < p.special_first + p.special_count; ++k)
        if (put_special(here_.special(k), here_.special_state(k), parent, b)) return true;
      for (std::uint32_t k = p.first; k < p.first + p.count; ++k) {
        std::copy_n(here_.state(k), words_, at_.data());
        follow(b.transitions, b.marked, nullptr);
        std::copy_n(at_.data(), words_, b.words + std::size_t{b.count} * words_);
        b.parents[b.count] = parent;
        if (++b.count == b.capacity && b.flush(&b) != 0) return true;
      }
    }
    if (any) return false;
    return put_special({parent, special_step::no_step, 0, 0, 0}, s, parent, b);
  }

  static bool ends(const special_step& x) { return x.outcome != static_cast<std::uint8_t>(step_outcome::state); }

  bool put_special(const special_step& x, const word* state, std::uint32_t parent, successor_buffer& b) {
    b.marked |= x.marked;
    if (!ends(x) && !(x.violated & b.violated_mask) && !(x.marked & b.marked_mask)) return false;
    std::copy_n(state, words_, b.special_words + std::size_t{b.special_count} * words_);
    b.specials[b.special_count] = x;
    b.specials[b.special_count].parent = parent;
    return ++b.special_count == b.special_capacity && b.flush(&b) != 0;
  }

  // Does in at_ what must follow.
  void follow(std::uint64_t& transitions, std::uint64_t& marked, std::vector<std::vector<word>>* run) {
    if (!r_.what_.merge) return;
    for (std::uint32_t n = 0; n < most_merged; ++n) {
      if (r_.invariants_ && other_->failing_invariants(at_.data())) return;
      const part* p = must_follow();
      if (!p) return;
      for (std::uint32_t k = p->special_first; k < p->special_first + p->special_count; ++k)
        marked |= there_.special(k).marked;
      ++transitions;
      std::copy_n(there_.state(p->first), words_, at_.data());
      if (run) run->push_back(at_);
    }
  }

  // One step to a state, which violates nothing and is not what a `sometimes` waits for.
  bool plain(const part& p) const {
    if (p.count != 1 || p.ends) return false;
    for (std::uint32_t k = p.special_first; k < p.special_first + p.special_count; ++k)
      if (there_.special(k).violated || (there_.special(k).marked & r_.sometimes_)) return false;
    return true;
  }

  const part* must_follow() {
    there_.clear();
    std::fill(ahead_.begin(), ahead_.end(), part{});
    const auto get = [&](std::uint32_t i) -> const part& {
      return ahead_[i].known ? ahead_[i] : ahead_[i] = there_.steps_of(*single_, at_.data(), all_[i]);
    };
    for (std::uint32_t i = 0; i < all_.size(); ++i)
      if (r_.order_.may_move_alone(at_.data(), i) && plain(get(i))) return &ahead_[i];
    for (const bool late : {false, true}) {
      const part* only = nullptr;
      std::uint64_t steps = 0;
      for (std::uint32_t i = 0; i < all_.size() && steps < 2; ++i) {
        if (all_[i].late != late || get(i).transitions == 0) continue;
        steps += ahead_[i].transitions;
        only = &ahead_[i];
      }
      if (steps > 0) return steps == 1 && plain(*only) ? only : nullptr;
    }
    return nullptr;
  }

  const reducer& r_;
  std::unique_ptr<stepper> other_;
  single_stepper* single_;
  const std::vector<process_instance>& all_;
  const std::uint32_t words_;
  step_list here_, there_;
  std::vector<part> parts_, ahead_;
  std::vector<std::uint32_t> chosen_;
  std::vector<word> at_;
};

reducer::reducer(const transition_system& s, reductions what) : what_(what), order_(s) {
  const auto& properties = s.program().properties;
  for (std::size_t i = 0; i < properties.size(); ++i) {
    if (properties[i].sometimes) sometimes_ |= std::uint64_t{1} << i;
    invariants_ = invariants_ || properties[i].invariant != ir::nothing;
  }
}

std::unique_ptr<stepper> reducer::make_stepper(std::unique_ptr<stepper> other) const {
  return std::make_unique<reduced_stepper>(*this, std::move(other));
}

void reducer::runs(stepper& s, const word* state, const run_visitor& visit) const {
  static_cast<reduced_stepper&>(s).runs(state, visit);
}

}  // namespace quiesce
