// SPDX-License-Identifier: MIT
#include "model/explicit/search.hpp"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <thread>

#include "model/explicit/candidates.hpp"
#include "model/explicit/seen_set.hpp"
#include "model/explicit/symmetry.hpp"

namespace quiesce {

namespace {

constexpr seen_set::index grains_worth_a_thread = 8;

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

class exploration {
 public:
  exploration(const transition_system& s, const search_options& o)
      : system_(s),
        options_(o),
        masks_(s.program(), o.wanted),
        seen_(s.state_layout().words()),
        watch_({o.max_states, o.max_memory_bytes, o.timeout_s}) {
    if (o.symmetry) symmetry_ = std::make_unique<symmetry>(s);
    if (symmetry_) {
      result_.group_order = symmetry_->order();
      result_.symmetry_note = symmetry_->why();
      if (symmetry_->trivial()) symmetry_.reset();
    }
    result_.properties.resize(s.program().properties.size());
    threads_ = o.threads ? o.threads : std::max(1u, std::thread::hardware_concurrency());
  }

  search_result run() {
    begin_level_ = 0;
    next_level_ = 0;
    need_workers(1);
    workers_[0]->start();
    absorb(*workers_[0]);
    settle(workers_[0]->found, 0);
    workers_[0]->clear();
    std::uint64_t depth = 0;
    while (seen_.size() > next_level_ && !stop(depth)) {
      begin_level_ = next_level_;
      next_level_ = seen_.size();
      expand_level(depth);
      result_.depth = depth;
      ++depth;
    }
    if (seen_.size() > next_level_) result_.depth = depth;
    bool exhausted = !watch_.ended() && seen_.size() == next_level_;
    return finish(exhausted);
  }

  seen_set& seen() { return seen_; }

 private:
  struct out_of_budget {};
  struct worker {
    explicit worker(exploration& e) : home(e), found(e.seen_), steps(e.system_.make_stepper()) {
      if (e.symmetry_) {
        canonical = e.symmetry_->make_canonicaliser();
        scratch.resize(e.seen_.words());
      }
    }

    void start() {
      try {
        steps->initial([&](const step& x) { take(x, seen_set::none); });
      } catch (const out_of_budget&) {
      }
    }

    void expand(seen_set::index i) {
      bool any = false;
      const word* s = home.seen_.state(i);
      steps->successors(s, [&](const step& x) {
        any = true;
        ++transitions;
        take(x, i);
      });
      if (!any && !steps->resting(s)) found.add_state({finding_kind::deadlock, 0}, i);
    }

    const word* representative(const word* s) {
      if (!canonical) return s;
      std::copy_n(s, scratch.size(), scratch.begin());
      canonical->canonical(scratch.data());
      return scratch.data();
    }

    // One state may have very many steps, and there may be very many initial states: budgets end those too.
    void watch() {
      if (++taken % 1024 == 0 && home.watch_.check(home.seen_.size(), home.seen_.memory_bytes())) throw out_of_budget();
    }

    void take(const step& x, seen_set::index parent) {
      watch();
      marked |= x.marked;
      const property_masks& m = home.masks_;
      std::uint64_t seen = (x.violated & m.wanted & ~m.sometimes) | (x.marked & m.sometimes);
      if (x.outcome == step_outcome::error) seen |= m.by_error[x.kind] & ~m.sometimes;
      const word* s = representative(x.state);
      properties(seen, [&](finding_key k) { found.add_step(k, s, parent); });
      switch (x.outcome) {
        case step_outcome::error:
          found.add_step({finding_kind::error, x.kind}, s, parent);
          return;
        case step_outcome::bound:
          found.add_step({finding_kind::bound, x.kind}, s, parent);
          return;
        case step_outcome::stuck:
          found.add_step({finding_kind::deadlock, 1}, s, parent);
          return;
        case step_outcome::state:
          break;
      }
      seen_set::outcome o = home.seen_.insert(s, parent, home.next_level_);
      if (!o.fresh) return;
      std::uint64_t failing = steps->failing_invariants(home.seen_.state(o.at)) & m.wanted;
      marked |= failing & m.sometimes;
      properties(failing, [&](finding_key k) { found.add_state(k, o.at); });
    }

    // Calls add(key) for each property of the mask that is still without a finding.
    template <class adder>
    void properties(std::uint64_t mask, adder&& add) {
      for (mask &= ~home.decided_; mask; mask &= mask - 1) {
        auto i = static_cast<std::uint32_t>(__builtin_ctzll(mask));
        add({home.masks_.sometimes >> i & 1 ? finding_kind::reached : finding_kind::violation, i});
      }
    }

    void clear() {
      found.clear();
      transitions = marked = 0;
    }

    exploration& home;
    candidates found;
    std::unique_ptr<stepper> steps;
    std::unique_ptr<symmetry::canonicaliser> canonical;
    std::vector<word> scratch;
    std::uint64_t transitions = 0, marked = 0, taken = 0;
  };

  void absorb(const worker& w) {
    result_.transitions += w.transitions;
    result_.marked |= w.marked;
  }

  bool stop(std::uint64_t) const { return watch_.ended() || (options_.stop_at_first && found_wanted_); }

  // Kept from level to level, for what they have allocated and cached.
  void need_workers(unsigned n) {
    while (workers_.size() < n) workers_.push_back(std::make_unique<worker>(*this));
  }

  void expand_level(std::uint64_t depth) {
    std::atomic<seen_set::index> next{begin_level_};
    seen_set::index size = next_level_ - begin_level_;
    const seen_set::index block = std::max<seen_set::index>(1, options_.grain);
    unsigned n = size < grains_worth_a_thread * std::uint64_t{block} ? 1 : std::min<unsigned>(threads_, size / block);
    need_workers(n);
    std::vector<std::exception_ptr> failures(n);
    auto work = [&](unsigned t) {
      try {
        drain(*workers_[t], next, depth, t == 0);
      } catch (...) {
        failures[t] = std::current_exception();
        next.store(next_level_);
      }
    };
    std::vector<std::jthread> others;
    for (unsigned t = 1; t < n; ++t) others.emplace_back(work, t);
    work(0);
    others.clear();
    for (const auto& f : failures)
      if (f) std::rethrow_exception(f);
    candidates all(seen_);
    for (unsigned t = 0; t < n; ++t) {
      absorb(*workers_[t]);
      all.merge(workers_[t]->found);
      workers_[t]->clear();
    }
    settle(all, depth + 1);
  }

  void drain(worker& w, std::atomic<seen_set::index>& next, std::uint64_t depth, bool reports) {
    const seen_set::index block = std::max<seen_set::index>(1, options_.grain);
    for (;;) {
      seen_set::index from = next.load(std::memory_order_relaxed);
      do {
        if (from >= next_level_) return;
      } while (!next.compare_exchange_weak(from, from + std::min(block, next_level_ - from), std::memory_order_relaxed));
      seen_set::index to = from + std::min(block, next_level_ - from);
      try {
        for (seen_set::index i = from; i < to; ++i) w.expand(i);
      } catch (const out_of_budget&) {
        return;
      }
      if (watch_.check(seen_.size(), seen_.memory_bytes())) return;
      if (reports) report(w, depth);
    }
  }

  void report(const worker& w, std::uint64_t depth) {
    if (!options_.progress) return;
    double now = watch_.elapsed_s();
    if (now - reported_s_ < 1.0) return;
    reported_s_ = now;
    options_.progress(
        {seen_.size(), result_.transitions + w.transitions, depth, next_level_ - begin_level_, seen_.memory_bytes(), now});
  }

  // Turns the candidates of a level into findings. `depth`: of the steps that were taken.
  void settle(const candidates& level, std::uint64_t depth) {
    if (level.empty()) return;
    auto settled = level.settle();
    for (const auto& [key, c] : settled) {
      finding f{key.kind, 0, 0, depth, {}};
      switch (key.kind) {
        case finding_kind::violation:
        case finding_kind::reached:
          f.property = key.which;
          found_wanted_ = true;
          decided_ |= std::uint64_t{1} << key.which;
          result_.properties[key.which] = with_run(std::move(f), c);
          break;
        case finding_kind::error:
          f.which = static_cast<std::uint8_t>(key.which);
          if (!result_.errors.count(static_cast<ir::error_kind>(key.which)))
            result_.errors[static_cast<ir::error_kind>(key.which)] = with_run(std::move(f), c);
          break;
        case finding_kind::bound:
          f.which = static_cast<std::uint8_t>(key.which);
          if (!result_.bounds.count(static_cast<ir::bound_kind>(key.which)))
            result_.bounds[static_cast<ir::bound_kind>(key.which)] = with_run(std::move(f), c);
          break;
        case finding_kind::deadlock:
          if (result_.deadlock || !options_.check_deadlock) break;
          found_wanted_ = true;
          f.depth = key.which == 0 ? depth - 1 : depth;
          result_.deadlock = with_run(std::move(f), c);
          break;
      }
    }
  }

  finding with_run(finding f, const candidate& c) {
    if (options_.traces) f.run = rebuild(f, c);
    return f;
  }

  // The canonical states before the last step, from the initial one on.
  std::vector<seen_set::index> path_to(seen_set::index last) const {
    std::vector<seen_set::index> path;
    for (; last != seen_set::none; last = seen_.parent(last)) path.push_back(last);
    std::reverse(path.begin(), path.end());
    return path;
  }

  // Under symmetry a step that ends in an error half-way through a loop over interchangeable elements may stop at another of
  // them.
  trace rebuild(const finding& f, const candidate& c) {
    try {
      return rebuild(f, c, true);
    } catch (const std::logic_error&) {
      if (!symmetry_ || c.of_state) throw;
      return rebuild(f, c, false);
    }
  }

  trace rebuild(const finding& f, const candidate& c, bool exact) {
    auto canonical = symmetry_ ? symmetry_->make_canonicaliser() : nullptr;
    std::vector<word> image(seen_.words());
    auto becomes = [&](const word* concrete, const word* wanted) {
      std::copy_n(concrete, image.size(), image.begin());
      if (canonical) canonical->canonical(image.data());
      return std::equal(image.begin(), image.end(), wanted);
    };
    std::vector<step_filter> filters;
    for (seen_set::index i : path_to(c.of_state ? c.state : c.parent))
      filters.push_back(
          [&, i](const step& x) { return x.outcome == step_outcome::state && becomes(x.state, seen_.state(i)); });
    if (!c.of_state)
      filters.push_back([&](const step& x) { return is_finding(f, x) && (!exact || becomes(x.state, c.target.data())); });
    return run_trace(system_, filters);
  }

  bool is_finding(const finding& f, const step& x) const {
    switch (f.kind) {
      case finding_kind::violation:
        return (x.violated >> f.property & 1) ||
               (x.outcome == step_outcome::error && (masks_.by_error[x.kind] >> f.property & 1));
      case finding_kind::reached:
        return x.marked >> f.property & 1;
      case finding_kind::error:
        return x.outcome == step_outcome::error && x.kind == f.which;
      case finding_kind::bound:
        return x.outcome == step_outcome::bound && x.kind == f.which;
      case finding_kind::deadlock:
        return x.outcome == step_outcome::stuck;
    }
    return false;
  }

  search_result finish(bool exhausted) {
    result_.states = seen_.size();
    result_.complete = exhausted;
    result_.ended_by = watch_.reason();
    result_.elapsed_s = watch_.elapsed_s();
    result_.memory_bytes = seen_.memory_bytes();
    return std::move(result_);
  }

  const transition_system& system_;
  const search_options& options_;
  const property_masks masks_;
  seen_set seen_;
  budget_watch watch_;
  std::unique_ptr<symmetry> symmetry_;
  unsigned threads_ = 1;
  std::vector<std::unique_ptr<worker>> workers_;
  seen_set::index begin_level_ = 0, next_level_ = 0;
  std::uint64_t decided_ = 0;  // properties that have a finding
  bool found_wanted_ = false;
  double reported_s_ = 0;
  search_result result_;
};

}  // namespace

search_result explore(const transition_system& s, const search_options& o) { return exploration(s, o).run(); }

std::vector<std::vector<word>> reachable_states(const transition_system& s, const search_options& o) {
  exploration e(s, o);
  e.run();
  std::vector<std::vector<word>> out;
  for (seen_set::index i = 0; i < e.seen().size(); ++i)
    out.emplace_back(e.seen().state(i), e.seen().state(i) + e.seen().words());
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace quiesce
