// SPDX-License-Identifier: MIT
#include "conformance/schedule_explore.hpp"

#include <algorithm>
#include <chrono>
#include <map>

namespace quiesce::conformance {

namespace {

touch_mode mode_of(access_kind k) {
  if (k == access_kind::counts) return touch_mode::counts;
  return k == access_kind::reads || k == access_kind::follows ? touch_mode::reads : touch_mode::writes;
}

bool conflict(const access& a, const access& b) {
  return a.kind != access_kind::joins && b.kind != access_kind::joins && a.object == b.object &&
         !commute(mode_of(a.kind), mode_of(b.kind));
}

}  // namespace

bool independent(const move& a, const move& b) {
  if (a.actor == b.actor) return false;
  for (const access& x : a.accesses)
    for (const access& y : b.accesses)
      if (conflict(x, y)) return false;
  return true;
}

namespace {

bool has(const std::vector<std::uint32_t>& v, std::uint32_t x) { return std::find(v.begin(), v.end(), x) != v.end(); }

struct node {
  std::vector<std::uint32_t> enabled;
  std::vector<move> sleep;  // explored before from here or above, and still the same
  std::vector<move> done;   // explored from here
  std::vector<std::uint32_t> backtrack;
  move chosen;
  bool asleep(std::uint32_t actor) const {
    return std::any_of(sleep.begin(), sleep.end(), [&](const move& m) { return m.actor == actor; });
  }
  bool explored(std::uint32_t actor) const {
    return std::any_of(done.begin(), done.end(), [&](const move& m) { return m.actor == actor; });
  }
};

// --- happens-before and races of one execution
// ------------------------------------------------------------------------------

using clock_vector = std::vector<std::uint32_t>;  // actor -> 1 + its last move that happened before

void join(clock_vector& into, const clock_vector& other) {
  if (into.size() < other.size()) into.resize(other.size());
  for (std::size_t i = 0; i < other.size(); ++i) into[i] = std::max(into[i], other[i]);
}

class race_finder {
 public:
  explicit race_finder(const std::vector<node>& path) : path_(path) {
    for (const node& n : path) actors_ = std::max<std::size_t>(actors_, n.chosen.actor + 1u);
    last_.resize(actors_, none);
  }

  // Calls `race(i, j)` for each pair that happened in this order only by chance, j from `fresh` on.
  template <class F>
  void find(std::size_t fresh, F race) {
    for (std::uint32_t j = 0; j < path_.size(); ++j) {
      const move& m = path_[j].chosen;
      clock_vector c = last_[m.actor] == none ? clock_vector(actors_, 0) : clocks_[last_[m.actor]];
      std::vector<std::uint32_t> rivals;
      for (const access& a : m.accesses) look(a, m.actor, c, rivals);
      c[m.actor] = j + 1;
      clocks_.push_back(c);
      last_[m.actor] = j;
      for (const access& a : m.accesses) record(a, j);
      if (j < fresh) continue;
      std::sort(rivals.begin(), rivals.end());
      rivals.erase(std::unique(rivals.begin(), rivals.end()), rivals.end());
      for (const std::uint32_t i : rivals) race(i, j);
    }
  }

  // Actors that can move first when move i is put off until behind j, and what does not depend on it goes before.
  std::vector<std::uint32_t> initials(std::uint32_t i, std::uint32_t j) const {
    std::vector<std::uint32_t> first(actors_, none), out;
    for (std::uint32_t k = i + 1; k <= j; ++k) {
      const std::uint32_t actor = path_[k].chosen.actor;
      if (k != j && happened_before(i, k)) continue;
      if (first[actor] != none) continue;
      bool free = true;
      for (std::uint32_t a = 0; a < actors_ && free; ++a) free = a == actor || first[a] == none || clocks_[k][a] <= first[a];
      first[actor] = k;
      if (free) out.push_back(actor);
    }
    return out;
  }

 private:
  static constexpr std::uint32_t none = 0xffffffffu;
  struct history {
    std::uint32_t write = none;
    std::vector<std::uint32_t> reads, counts;  // since that write
    std::uint32_t acquire = none, release = none;
  };

  bool happened_before(std::uint32_t i, std::uint32_t k) const { return clocks_[k][path_[i].chosen.actor] > i; }

  void rival(std::uint32_t i, std::uint32_t actor, const clock_vector& c, std::vector<std::uint32_t>& rivals) const {
    if (i == none || path_[i].chosen.actor == actor || c[path_[i].chosen.actor] > i) return;
    rivals.push_back(i);
  }

  // All are judged by what happened before the access, before any of them adds to it.
  void against(const std::vector<std::uint32_t>& moves, std::uint32_t actor, clock_vector& c,
               std::vector<std::uint32_t>& rivals) {
    for (const std::uint32_t i : moves) rival(i, actor, c, rivals);
    pending_.insert(pending_.end(), moves.begin(), moves.end());
  }

  // Races of one access, given what happened before it; then what it adds to that.
  void look(const access& a, std::uint32_t actor, clock_vector& c, std::vector<std::uint32_t>& rivals) {
    if (a.kind == access_kind::joins) return join(c, clocks_[a.object]);
    history& h = objects_[a.object];
    const auto after = [&](std::uint32_t i) {
      if (i != none) join(c, clocks_[i]);
    };
    switch (a.kind) {
      case access_kind::acquires:
        rival(h.acquire, actor, c, rivals);
        after(h.release);
        break;
      case access_kind::follows:
        after(h.write);
        break;
      case access_kind::writes:
        against(h.reads, actor, c, rivals);
        against(h.counts, actor, c, rivals);
        against({h.write}, actor, c, rivals);
        break;
      case access_kind::counts:
        against(h.reads, actor, c, rivals);
        against({h.write}, actor, c, rivals);
        break;
      case access_kind::reads:
        against(h.counts, actor, c, rivals);
        against({h.write}, actor, c, rivals);
        break;
      default:
        break;
    }
    for (const std::uint32_t i : pending_) after(i);
    pending_.clear();
  }

  void record(const access& a, std::uint32_t j) {
    if (a.kind == access_kind::joins) return;
    history& h = objects_[a.object];
    if (a.kind == access_kind::acquires) h.acquire = j;
    if (a.kind == access_kind::releases) h.release = j;
    if (a.kind == access_kind::writes) h = {j, {}, {}, h.acquire, h.release};
    if (a.kind == access_kind::counts) h.counts.push_back(j);
    if (a.kind == access_kind::reads || a.kind == access_kind::follows) h.reads.push_back(j);
  }

  const std::vector<node>& path_;
  std::size_t actors_ = 0;
  std::vector<clock_vector> clocks_;
  std::vector<std::uint32_t> last_;
  std::map<std::uint64_t, history> objects_;
  std::vector<std::uint32_t> pending_;
};

// --- the search
// -------------------------------------------------------------------------------------------------------------

class search : public chooser {
 public:
  std::uint32_t choose(const std::vector<std::uint32_t>& enabled) override {
    if (redundant_) return enabled.front();
    if (at_ < path_.size()) {
      if (path_[at_].enabled != enabled) differs("what could move");
      return path_[at_].chosen.actor;
    }
    node n;
    n.enabled = enabled;
    if (at_ > 0) inherit_sleep(path_[at_ - 1], n);
    const std::uint32_t before = at_ > 0 ? path_[at_ - 1].chosen.actor : enabled.front();
    std::uint32_t pick = none;
    for (const std::uint32_t a : enabled)
      if (!n.asleep(a) && (pick == none || a == before)) pick = a;
    if (pick == none) {
      redundant_ = true;
      return enabled.front();
    }
    n.chosen.actor = pick;
    n.backtrack = {pick};
    path_.push_back(std::move(n));
    return pick;
  }

  void moved(const move& m) override {
    ++moves;
    if (redundant_) return;
    node& n = path_[at_];
    if (at_ < known_) {
      if (!(n.chosen.accesses == m.accesses)) differs("what the move did");
    } else {
      n.chosen = m;
    }
    ++at_;
  }

  void begin() {
    at_ = 0;
    redundant_ = false;
  }

  // Adds what the races of the execution demand and goes to the next one. False: there is none.
  bool next() {
    if (nondeterminism.empty()) {
      if (at_ < path_.size()) differs("the length of the execution");
      add_races();
    }
    while (!path_.empty()) {
      node& n = path_.back();
      if (!n.explored(n.chosen.actor)) n.done.push_back(n.chosen);
      for (const std::uint32_t a : n.backtrack)
        if (!n.explored(a) && !n.asleep(a)) {
          n.chosen = {a, {}};
          known_ = path_.size() - 1;
          return nondeterminism.empty();
        }
      path_.pop_back();
    }
    return false;
  }

  bool redundant() const { return redundant_; }
  std::vector<std::uint32_t> actors() const {
    std::vector<std::uint32_t> out;
    for (const node& n : path_) out.push_back(n.chosen.actor);
    return out;
  }

  std::uint64_t moves = 0;
  std::string nondeterminism;

 private:
  static constexpr std::uint32_t none = 0xffffffffu;

  static void inherit_sleep(const node& from, node& to) {
    for (const auto* list : {&from.sleep, &from.done})
      for (const move& m : *list)
        if (m.actor != from.chosen.actor && independent(m, from.chosen)) to.sleep.push_back(m);
  }

  void add_races() {
    race_finder races(path_);
    races.find(known_, [&](std::uint32_t i, std::uint32_t j) {
      node& n = path_[i];
      const std::vector<std::uint32_t> first = races.initials(i, j);
      for (const std::uint32_t a : first)
        if (has(n.backtrack, a)) return;
      const std::uint32_t wanted = path_[j].chosen.actor;
      if (has(first, wanted) && has(n.enabled, wanted)) return n.backtrack.push_back(wanted);
      for (const std::uint32_t a : first)
        if (has(n.enabled, a)) return n.backtrack.push_back(a);
      for (const std::uint32_t a : n.enabled)
        if (!has(n.backtrack, a)) n.backtrack.push_back(a);
    });
  }

  void differs(const char* what) {
    if (nondeterminism.empty())
      nondeterminism = std::string(what) + " at move " + std::to_string(at_) + " differs from the execution before";
    redundant_ = true;
  }

  std::vector<node> path_;
  std::size_t at_ = 0;
  std::size_t known_ = 0;  // moves that the execution repeats
  bool redundant_ = false;
};

}  // namespace

exploration_report explore_all(const std::function<void(chooser&)>& execute, const exploration_limits& limits,
                               const std::function<bool(const std::vector<std::uint32_t>&)>& done) {
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  exploration_report r;
  search s;
  for (bool more = true; more;) {
    s.begin();
    execute(s);
    if (s.redundant()) {
      ++r.redundant;
    } else {
      ++r.executions;
      const std::vector<std::uint32_t> actors = s.actors();
      r.longest = std::max(r.longest, actors.size());
      if (!done(actors)) break;
    }
    more = s.next();
    r.exhausted = !more && s.nondeterminism.empty();
    if (more && limits.executions != 0 && r.executions + r.redundant >= limits.executions) break;
    if (more && limits.seconds != 0 && elapsed() > limits.seconds) break;
  }
  r.moves = s.moves;
  r.nondeterminism = s.nondeterminism;
  r.elapsed_s = elapsed();
  return r;
}

}  // namespace quiesce::conformance
