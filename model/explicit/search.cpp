// SPDX-License-Identifier: MIT
#include "model/explicit/search.hpp"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <thread>

#include "model/explicit/candidates.hpp"
#include "model/explicit/checkpoint.hpp"
#include "model/explicit/compact_search.hpp"
#include "model/explicit/explored.hpp"
#include "model/explicit/level_shares.hpp"
#include "model/explicit/reduced_search.hpp"
#include "model/explicit/seen_set.hpp"
#include "model/explicit/symmetry.hpp"
#include "model/explicit/worker.hpp"
#include "properties/diagnostic.hpp"

namespace quiesce {

namespace {

constexpr std::size_t grains_worth_a_thread = 8;

class exploration {
 public:
  exploration(const transition_system& s, const search_options& o)
      : system_(s),
        options_(o),
        shared_{s,
                property_masks(s.program(), o.wanted),
                seen_set(s.state_layout().words()),
                budget_watch({o.max_states, o.max_memory_bytes, o.timeout_s}),
                nullptr,
                nullptr},
        seen_(shared_.seen) {
    if (o.symmetry) use_symmetry();
    if (o.reduce.any()) shared_.reduced = std::make_unique<reducer>(s, o.reduce);
    result_.properties.resize(s.program().properties.size());
    threads_ = o.threads ? o.threads : std::max(1u, std::thread::hardware_concurrency());
  }

  search_result run() {
    need_workers(1);
    std::uint64_t depth = options_.checkpoint.resume.empty() ? begin() : resume();
    while (!level_.empty() && depth < options_.max_depth && !stop()) {
      use_native();
      shared_.level = seen_.end();
      keep(depth);
      expand_level(depth);
      result_.depth = depth;
      result_.native_levels += native_used_;
      ++depth;
    }
    if (shared_.watch.ended()) save();
    if (!level_.empty()) result_.depth = depth;
    result_.covered = shared_.watch.ended() && depth > 0 ? depth - 1 : depth;
    bool exhausted = !shared_.watch.ended() && level_.empty();
    if (options_.examine) options_.examine({system_, seen_, all_});
    return finish(exhausted);
  }

  const seen_set& seen() const { return seen_; }
  const std::vector<seen_set::range>& all() const { return all_; }

 private:
  void use_symmetry() {
    shared_.symmetric = std::make_unique<symmetry>(system_);
    result_.group_order = shared_.symmetric->order();
    result_.symmetry_note = shared_.symmetric->why();
    if (shared_.symmetric->trivial()) shared_.symmetric.reset();
  }

  std::uint64_t begin() {
    workers_[0]->start();
    absorb(*workers_[0]);
    settle(workers_[0]->found, 0);
    workers_[0]->clear();
    close_level();
    return 0;
  }

  std::uint64_t resume() {
    level_start at = read_checkpoint(options_.checkpoint.resume, checkpoint_key(system_, options_), seen_);
    result_.transitions = at.transitions;
    result_.marked = at.marked;
    level_ = std::move(at.level);
    built_ = {level_};
    all_ = std::move(at.all);
    for (const settled_finding& f : at.findings) settle(f.key, f.where, f.depth);
    return at.depth;
  }

  // What a checkpoint written during the coming level says.
  void keep(std::uint64_t depth) {
    if (options_.checkpoint.file.empty()) return;
    kept_ = {depth, result_.transitions, result_.marked, seen_.end(), level_, all_, settled_};
    kept_is_saved_ = false;
    if (checkpoint_key_.empty()) {
      checkpoint_key_ = checkpoint_key(system_, options_);
      write_checkpoint(options_.checkpoint.file, checkpoint_key_, kept_, seen_);  // better now than never
      kept_is_saved_ = true;
      saved_s_ = shared_.watch.elapsed_s();
    }
    save_in_time();
  }

  // Seldom enough that writing takes no more than a twentieth of the time.
  void save_in_time() {
    if (options_.checkpoint.file.empty() || kept_is_saved_) return;
    const double every = options_.checkpoint.every_s;
    if (shared_.watch.elapsed_s() - saved_s_ >= (every > 0 ? std::max(every, 20 * save_took_s_) : 0)) save();
  }

  void save() {
    if (options_.checkpoint.file.empty() || kept_is_saved_ || checkpoint_key_.empty()) return;
    kept_is_saved_ = true;
    const double begun = shared_.watch.elapsed_s();
    try {
      write_checkpoint(options_.checkpoint.file, checkpoint_key_, kept_, seen_);
      result_.checkpoint_note.clear();
    } catch (const diagnostic& e) {
      result_.checkpoint_note = e.sentence;  // the search goes on; the older file is still there
    }
    saved_s_ = shared_.watch.elapsed_s();
    save_took_s_ = saved_s_ - begun;
  }

  void absorb(const search_worker& w) {
    result_.transitions += w.transitions();
    result_.marked |= w.marked();
  }

  bool stop() const {
    return shared_.watch.ended() || (options_.stop_at_first && found_wanted_) ||
           (options_.enough && options_.enough(result_));
  }

  // Kept from level to level, for what they have allocated and cached.
  void need_workers(unsigned n) {
    while (workers_.size() < n) {
      workers_.push_back(std::make_unique<search_worker>(shared_));
      if (native_used_) workers_.back()->use(native_->make_stepper());
    }
  }

  // Between two levels: compiled code takes over as soon as it is there.
  void use_native() {
    if (options_.native == native_mode::off || native_used_) return;
    const bool waits = options_.native == native_mode::wait;
    if (!native_) {
      if (!waits && seen_.size() < options_.native_from) return;
      native_ = std::make_unique<native_code>(system_);
    }
    if (waits) native_->wait();
    if (native_->now() != native_code::state::ready) return;
    native_used_ = true;
    for (const auto& w : workers_) w->use(native_->make_stepper());
  }

  // The states of the level that was built become the level to expand.
  void close_level() {
    std::vector<seen_set::inserter*> all;
    built_.clear();
    for (const auto& w : workers_) {
      all.push_back(&w->inserter());
      built_.push_back(w->inserter().runs);
    }
    level_ = seen_.close_level(all);
    for (seen_set::range r : level_) {
      if (!all_.empty() && all_.back().first + all_.back().count == r.first)
        all_.back().count += r.count;
      else
        all_.push_back(r);
    }
  }

  void expand_level(std::uint64_t depth) {
    const unsigned n = threads_worth_it();
    level_shares work(built_, n, options_.grain);
    need_workers(n);
    std::vector<std::exception_ptr> failures(n);
    auto drain_with = [&](unsigned t) {
      try {
        drain(*workers_[t], work, t, n == 1, depth);
      } catch (...) {
        failures[t] = std::current_exception();
        work.drop();
      }
    };
    std::vector<std::jthread> others;
    for (unsigned t = 1; t < n; ++t) others.emplace_back(drain_with, t);
    drain_with(0);
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
    close_level();
  }

  unsigned threads_worth_it() const {
    std::uint64_t states = 0;
    for (seen_set::range r : level_) states += r.count;
    const std::uint64_t grains = states / std::max<std::uint32_t>(1, options_.grain);
    return grains < grains_worth_a_thread ? 1 : static_cast<unsigned>(std::min<std::uint64_t>(threads_, grains));
  }

  void drain(search_worker& w, level_shares& work, unsigned t, bool alone, std::uint64_t depth) {
    while (!w.stopped()) {
      const auto grain = work.take(t);
      if (!grain) break;
      w.expand(*grain, alone);
      if (t > 0) continue;  // the first thread's business
      report(w, depth);
      save_in_time();
    }
    w.finish(alone);
  }

  void report(const search_worker& w, std::uint64_t depth) {
    if (!options_.progress) return;
    double now = shared_.watch.elapsed_s();
    if (now - reported_s_ < 1.0) return;
    reported_s_ = now;
    std::uint64_t frontier = 0;
    for (seen_set::range r : level_) frontier += r.count;
    options_.progress({seen_.size(), result_.transitions + w.transitions(), depth, frontier, seen_.memory_bytes(),
                       options_.max_memory_bytes, options_.max_states, now});
  }

  // Turns the candidates of a level into findings. `depth`: of the steps that were taken.
  void settle(const candidates& level, std::uint64_t depth) {
    if (level.empty()) return;
    for (const auto& [key, c] : level.settle()) settle(key, c, depth);
  }

  void settle(finding_key key, const candidate& c, std::uint64_t depth) {
    finding f{key.kind, 0, static_cast<std::uint8_t>(key.which), depth, {}};
    switch (key.kind) {
      case finding_kind::violation:
      case finding_kind::reached:
        f.property = key.which;
        f.which = 0;
        found_wanted_ = true;
        shared_.decided |= std::uint64_t{1} << key.which;
        result_.properties[key.which] = with_run(std::move(f), c);
        break;
      case finding_kind::error:
        if (result_.errors.count(static_cast<ir::error_kind>(key.which))) return;
        result_.errors[static_cast<ir::error_kind>(key.which)] = with_run(std::move(f), c);
        break;
      case finding_kind::bound:
        if (result_.bounds.count(static_cast<ir::bound_kind>(key.which))) return;
        result_.bounds[static_cast<ir::bound_kind>(key.which)] = with_run(std::move(f), c);
        break;
      case finding_kind::deadlock:
        if (result_.deadlock || !options_.check_deadlock) return;
        found_wanted_ = true;
        f.depth = key.which == 0 ? depth - 1 : depth;
        f.which = 0;
        result_.deadlock = with_run(std::move(f), c);
        break;
    }
    settled_.push_back({key, depth, c});
  }

  finding with_run(finding f, const candidate& c) {
    if (options_.traces) f.run = rebuild(f, c);
    if (shared_.reduced && options_.traces) f.depth = f.run.steps.size() - 1;
    return f;
  }

  // The canonical states before the last step, from the initial one on.
  std::vector<seen_set::index> path_to(seen_set::index last) const {
    std::vector<seen_set::index> path;
    for (; last != seen_set::none; last = seen_.parent(last)) path.push_back(last);
    std::reverse(path.begin(), path.end());
    return path;
  }

  // The canonical states of a run along them, those in between included that were not kept.
  std::vector<std::vector<word>> states_along(const std::vector<seen_set::index>& path,
                                              symmetry::canonicaliser* canonical) const {
    std::vector<std::vector<word>> out;
    std::unique_ptr<stepper> steps;
    if (shared_.reduced) steps = shared_.reduced->make_stepper(system_.make_stepper());
    for (std::size_t k = 0; k < path.size(); ++k) {
      const word* to = seen_.state(path[k]);
      if (k == 0 || !steps) {
        out.emplace_back(to, to + seen_.words());
        continue;
      }
      bool found = false;
      shared_.reduced->runs(*steps, seen_.state(path[k - 1]), [&](std::vector<std::vector<word>> run) {
        if (canonical)
          for (auto& x : run) canonical->canonical(x.data());
        if (!std::equal(run.back().begin(), run.back().end(), to)) return false;
        out.insert(out.end(), run.begin(), run.end());
        return found = true;
      });
      if (!found) throw std::logic_error("a step under reductions is not found again");
    }
    return out;
  }

  // Under symmetry a step that ends in an error half-way through a loop over interchangeable elements may stop at another of
  // them.
  trace rebuild(const finding& f, const candidate& c) {
    try {
      return rebuild(f, c, true);
    } catch (const std::logic_error&) {
      if (!shared_.symmetric || c.of_state) throw;
      return rebuild(f, c, false);
    }
  }

  trace rebuild(const finding& f, const candidate& c, bool exact) {
    auto canonical = shared_.symmetric ? shared_.symmetric->make_canonicaliser() : nullptr;
    std::vector<word> image(seen_.words());
    auto becomes = [&](const word* concrete, const word* wanted) {
      std::copy_n(concrete, image.size(), image.begin());
      if (canonical) canonical->canonical(image.data());
      return std::equal(image.begin(), image.end(), wanted);
    };
    const auto states = states_along(path_to(c.of_state ? c.state : c.parent), canonical.get());
    std::vector<step_filter> filters;
    for (const std::vector<word>& state : states)
      filters.push_back([&](const step& x) { return x.outcome == step_outcome::state && becomes(x.state, state.data()); });
    if (!c.of_state)
      filters.push_back([&](const step& x) { return is_finding(f, x) && (!exact || becomes(x.state, c.target.data())); });
    return run_trace(system_, filters);
  }

  bool is_finding(const finding& f, const step& x) const {
    switch (f.kind) {
      case finding_kind::violation:
        return (x.violated >> f.property & 1) ||
               (x.outcome == step_outcome::error && (shared_.masks.by_error[x.kind] >> f.property & 1));
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
    result_.ended_by = shared_.watch.reason();
    result_.elapsed_s = shared_.watch.elapsed_s();
    result_.memory_bytes = seen_.memory_bytes();
    if (native_ && native_->now() == native_code::state::unavailable) result_.native_note = native_->why();
    return std::move(result_);
  }

  const transition_system& system_;
  const search_options& options_;
  search_shared shared_;
  seen_set& seen_;
  unsigned threads_ = 1;
  std::unique_ptr<native_code> native_;  // outlives the workers that use it
  bool native_used_ = false;
  std::vector<std::unique_ptr<search_worker>> workers_;
  std::vector<seen_set::range> level_, all_;
  std::vector<std::vector<seen_set::range>> built_;  // level_, by the threads that built it
  bool found_wanted_ = false;
  double reported_s_ = 0;
  level_start kept_;
  bool kept_is_saved_ = true;
  double saved_s_ = 0, save_took_s_ = 0;
  std::string checkpoint_key_;
  std::vector<settled_finding> settled_;
  search_result result_;
};

}  // namespace

namespace {
search_result explore_once(const transition_system& s, const search_options& o) { return exploration(s, o).run(); }
}  // namespace

search_result explore(const transition_system& s, const search_options& o) {
  if (o.store != state_store::full) return explore_compactly(s, o);
  return o.reduce.any() ? explore_reduced(s, o, explore_once) : explore_once(s, o);
}

std::vector<std::vector<word>> reachable_states(const transition_system& s, const search_options& o) {
  exploration e(s, o);
  e.run();
  std::vector<std::vector<word>> out;
  for (seen_set::range r : e.all())
    for (seen_set::index i = r.first; i < r.first + r.count; ++i)
      out.emplace_back(e.seen().state(i), e.seen().state(i) + e.seen().words());
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace quiesce
