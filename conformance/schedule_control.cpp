// SPDX-License-Identifier: MIT
#include "conformance/schedule_control.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <stdexcept>

#include "conformance/schedule_fiber.hpp"

namespace quiesce::conformance {

using refimpl::machine_check;
using refimpl::nanoseconds;

std::uint32_t actor_names::number(const std::string& name) {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found != names_.end()) return static_cast<std::uint32_t>(found - names_.begin());
  names_.push_back(name);
  return static_cast<std::uint32_t>(names_.size() - 1);
}

namespace {

constexpr std::uint32_t main_task = 1, inline_softirq = 2;
constexpr std::size_t stack_bytes = 192 * 1024;

// Locks by name and order of first use: in the set-up that order is the same in every execution, later it need not be.
class lock_numbers {
 public:
  struct number {
    std::uint64_t object;
    bool stable;
  };
  number of(const refimpl::lock_state& l, bool setting_up) {
    const auto [at, fresh] = known_.try_emplace(&l);
    if (fresh) {
      const auto id = (names_.try_emplace(l.name, names_.size()).first->second << 16) | count_[l.name]++;
      at->second = {object_of(object_kind::lock, id), setting_up};
    }
    return at->second;
  }

 private:
  std::map<const refimpl::lock_state*, number> known_;
  std::map<std::string, std::uint64_t> names_, count_;
};

// Kept from one execution to the next: fresh pages cost more than a short execution.
boost::context::pooled_fixedsize_stack& shared_stacks() {
  thread_local boost::context::pooled_fixedsize_stack stacks(stack_bytes, 8, 0);
  return stacks;
}

constexpr access_kind kind_of(touch_mode m) {
  return m == touch_mode::reads ? access_kind::reads : m == touch_mode::counts ? access_kind::counts : access_kind::writes;
}

// What these locks protect changes only together with an event that touches `object`, so that a section without one only
// reads. They are taken outside RTNL for every device, mostly to find nothing.
constexpr struct {
  std::string_view lock;
  object_kind object;
} quiet_locks[] = {{"lweventlist_lock", object_kind::linkwatch}};

std::uint64_t queue_object(const refimpl::wait_queue& q) {
  std::uint64_t h = 0;
  for (const char* c = q.name; *c != 0; ++c) h = h * 131 + static_cast<unsigned char>(*c);
  return object_of(object_kind::queue, h);
}

}  // namespace

class controlled_execution::state final : public refimpl::schedule, public refimpl::rcu {
 public:
  state(chooser& drive, actor_names& names, control_bounds bounds)
      : drive_(drive),
        names_(names),
        bounds_(bounds),
        stacks_(shared_stacks()),
        main_(main_task, "main"),
        softirq_(inline_softirq, "softirq") {}

  // --- refimpl::schedule ---
  refimpl::task& current() override { return now_on_ != nullptr ? now_on_->task : in_softirq_ ? softirq_ : main_; }

  void lock(refimpl::lock_state& l) override {
    if (now_on_ == nullptr) {
      if (!take(l)) throw machine_check(machine_check::kind::deadlock, std::string(l.name) + " is held by the only task");
      return;
    }
    if (!now_on_->softirq) pause(strand_at::lock, l.name, &l);
    while (l.owner.load() != nullptr) {
      give_up_if_told(l.name);
      pause(strand_at::lock, l.name, &l);
    }
    take(l);
  }

  bool trylock(refimpl::lock_state& l) override {
    if (now_on_ != nullptr && !now_on_->softirq) pause(strand_at::ready, l.name);
    if (take(l)) return true;
    touch_lock(l, access_kind::reads);
    return false;
  }

  void unlock(refimpl::lock_state& l) override {
    l.owner.store(nullptr);
    touch_lock(l, access_kind::releases);
  }

  void wait(refimpl::wait_queue& q, const std::function<bool()>& condition) override {
    add(access_kind::reads, queue_object(q));
    if (now_on_ == nullptr) return wait_inline(q, condition);
    while (!condition()) {
      give_up_if_told(q.name);
      if (now_on_->softirq) throw std::logic_error("a softirq waits");
      wait_here(q.name, condition);
    }
  }

  void wake(refimpl::wait_queue& q) override { add(access_kind::counts, queue_object(q)); }

  void sleep_until(nanoseconds when) override {
    if (now_on_ == nullptr) return sleep_inline(when);
    ++now_on_->sleeps;
    now_on_->slept_at = moves_;
    now_on_->held_back = false;
    pause(strand_at::sleep, "msleep");
    now_on_->clock = std::max(now_on_->clock, when);
  }

  nanoseconds now() override { return now_on_ != nullptr ? now_on_->clock : inline_now_; }
  bool controlled() const override { return true; }

  void visible(const refimpl::point& p) override {
    const bool point = p.kind == refimpl::point_kind::step || p.kind == refimpl::point_kind::unlock;
    const bool of_softirqs_too = p.kind == refimpl::point_kind::timer;
    if (now_on_ != nullptr && (of_softirqs_too || (point && !now_on_->softirq))) pause(strand_at::ready, p.name);
  }

  // --- refimpl::rcu: a grace period waits for the sections that were open when it began; callbacks of one actor run in
  // order ---
  void read_lock() override {
    add(access_kind::reads, object_of(object_kind::readers));
    if (now_on_ != nullptr) ++now_on_->readers;
  }

  void read_unlock() override {
    add(access_kind::reads, object_of(object_kind::readers));
    if (now_on_ == nullptr || --now_on_->readers != 0) return;
    add(access_kind::writes, section_object({now_on_, now_on_->section++}));
  }

  void call_rcu(refimpl::rcu_head* head, void (*func)(refimpl::rcu_head*)) override {
    head->func = func;
    callback_queue& q = queue_of(now_on_ != nullptr ? now_on_->name : "main");
    q.waiting.push_back({head, open_sections()});
    ++q.pushed;
    add(access_kind::writes, object_of(object_kind::callbacks_queued, q.actor + 1u));
  }

  void synchronize_rcu() override {
    const std::vector<section> open = open_sections();
    add(access_kind::writes, object_of(object_kind::readers));
    if (now_on_ == nullptr) return;
    const std::function<bool()> over = [&] { return ended(open); };
    do {
      give_up_if_told("synchronize_rcu");
      wait_here("synchronize_rcu", over);
    } while (!over());
    for (const section& o : open) add(access_kind::follows, section_object(o));
  }

  // Whether what it waits for has run already when it begins makes no difference to anybody.
  void rcu_barrier() override {
    std::vector<std::pair<callback_queue*, std::uint64_t>> wanted;
    add(access_kind::reads, object_of(object_kind::callbacks_queued));
    for (auto& [name, q] : callbacks_) {
      if (q.pushed != 0) wanted.emplace_back(&q, q.pushed);
      add(access_kind::reads, object_of(object_kind::callbacks_queued, q.actor + 1u));
    }
    const std::function<bool()> over = [&] {
      return std::all_of(wanted.begin(), wanted.end(), [](const auto& w) { return w.first->run >= w.second; });
    };
    if (now_on_ == nullptr) {
      while (!over()) run_callbacks_inline();
      return;
    }
    do {
      give_up_if_told("rcu_barrier");
      wait_here("rcu_barrier", over);
    } while (!over());
    for (const auto& [q, number] : wanted) add(access_kind::follows, run_object(*q, number));
  }

  // --- the execution ---
  void run(std::vector<task_body>& bodies) {
    if (++phase_ != 2) {
      for (task_body& b : bodies)
        for (auto& step : b.steps) step();
      return;
    }
    start(bodies);
    while (!all_done() || (bounds_.to_rest && moves_ < bounds_.moves && !options().empty())) move_once();
    if (!giving_up_) report.at_rest = resting();
    for (const auto& s : strands_) inline_now_ = std::max(inline_now_, s->clock);
    std::exception_ptr failure;
    for (const auto& s : strands_)
      if (s->failure) failure = s->failure;
    strands_.clear();
    if (failure) std::rethrow_exception(failure);
  }

  void note(const refimpl::event& e) {
    if (now_on_ == nullptr) return;
    const event_class& c = class_of(refimpl::name(e.kind));
    for (const touch& t : touches_of(c, e.dev, e.net)) add(kind_of(t.mode), t.object);
    if (!now_on_->softirq && (c.dev || c.net || c.more != object_kind::none))
      pause(strand_at::ready, refimpl::name(e.kind).data());
  }

  control_report report;
  std::function<bool()> stopped;
  bool in_tasks() const { return phase_ == 2; }

 private:
  struct section {
    const strand* reader;
    std::uint64_t number;
  };
  struct callback {
    refimpl::rcu_head* head;
    std::vector<section> open;
  };
  struct callback_queue {
    std::uint32_t actor = 0;  // of the softirq that runs them
    std::deque<callback> waiting;
    std::uint64_t pushed = 0, run = 0;
  };
  // What may move: a strand, or a softirq that would start.
  struct option {
    std::uint32_t actor = 0;
    strand* on = nullptr;
    std::function<void()> body;
    std::string name;
    nanoseconds due{0};  // a timer's: its handler does not run before
  };

  // --- accesses of the present move ---
  void add(access_kind k, std::uint64_t object) {
    if (now_on_ == nullptr) return;
    const access a{k, object};
    if (accesses_.empty() || !(accesses_.back() == a)) accesses_.push_back(a);
  }

  // `tried` is what trylock reads and everybody who takes or drops the lock writes.
  void touch_lock(refimpl::lock_state& l, access_kind k) {
    for (const auto& quiet : quiet_locks)
      if (quiet.lock == l.name) return add(access_kind::reads, object_of(quiet.object));
    const auto id = locks_.of(l, phase_ < 2);
    if (k != access_kind::reads) add(k, id.object);
    add(k == access_kind::reads ? access_kind::reads : access_kind::writes, id.object | std::uint64_t{1} << 55);
    if (!id.stable) add(access_kind::writes, object_of(object_kind::other));
  }

  bool take(refimpl::lock_state& l) {
    if (l.owner.load() != nullptr) return false;
    l.owner.store(&current());
    touch_lock(l, access_kind::acquires);
    return true;
  }

  // --- scheduling points of a strand ---
  void pause(strand_at at, const char* where, refimpl::lock_state* l = nullptr) {
    strand& s = *now_on_;
    s.at = at;
    s.where = where;
    s.lock = l;
    s.yield();
    s.at = strand_at::ready;
  }

  void wait_here(const char* where, const std::function<bool()>& condition) {
    now_on_->condition = &condition;
    now_on_->condition_held = false;
    pause(strand_at::wait, where);
    now_on_->condition = nullptr;
  }

  void give_up_if_told(const char* where) const {
    if (giving_up_) throw machine_check(machine_check::kind::deadlock, std::string(where) + ": nothing can end this wait");
  }

  // --- RCU ---
  std::vector<section> open_sections() const {
    std::vector<section> out;
    for (const auto& s : strands_)
      if (s->readers > 0 && s.get() != now_on_) out.push_back({s.get(), s->section});
    return out;
  }
  static std::uint64_t section_object(const section& o) {
    return object_of(object_kind::readers, (std::uint64_t{o.reader->actor} + 1) << 32 | o.number);
  }
  static bool ended(const std::vector<section>& open) {
    return std::all_of(open.begin(), open.end(),
                       [](const section& o) { return o.reader->section != o.number || o.reader->readers == 0; });
  }

  callback_queue& queue_of(const std::string& name) {
    const auto [at, fresh] = callbacks_.try_emplace(name);
    if (fresh) {
      at->second.actor = names_.number("rcu " + name);
      add(access_kind::writes, object_of(object_kind::callbacks_queued));  // a barrier before did not look at it
    }
    return at->second;
  }
  static std::uint64_t run_object(const callback_queue& q, std::uint64_t number) {
    return object_of(object_kind::callbacks_run, std::uint64_t{q.actor} << 32 | number);
  }
  void run_front(callback_queue& q) {
    const callback c = q.waiting.front();
    q.waiting.pop_front();
    c.head->func(c.head);
    ++q.run;
    add(access_kind::writes, run_object(q, q.run));
  }
  void run_callbacks_inline() {
    in_softirq_ = true;
    for (auto& [name, q] : callbacks_)
      while (!q.waiting.empty()) run_front(q);
    in_softirq_ = false;
  }

  // --- without control: simulated time ---
  void wait_inline(refimpl::wait_queue& q, const std::function<bool()>& condition) {
    while (!condition()) {
      run_callbacks_inline();
      if (condition()) return;
      refimpl::choice_source* best = earliest_source();
      if (best == nullptr)
        throw machine_check(machine_check::kind::deadlock, std::string(q.name) + ": nothing can end this wait");
      fire_inline(*best);
    }
  }
  void sleep_inline(nanoseconds when) {
    run_callbacks_inline();
    for (auto* s = earliest_source(); s != nullptr && s->due(*s->earliest()) <= when; s = earliest_source()) {
      fire_inline(*s);
      run_callbacks_inline();
    }
    inline_now_ = std::max(inline_now_, when);
  }
  refimpl::choice_source* earliest_source() {
    refimpl::choice_source* best = nullptr;
    for (auto* s : sources_)
      if (s->earliest() && (best == nullptr || s->due(*s->earliest()) < best->due(*best->earliest()))) best = s;
    return best;
  }
  void fire_inline(refimpl::choice_source& s) {
    const std::size_t i = *s.earliest();
    inline_now_ = std::max(inline_now_, s.due(i));
    in_softirq_ = true;
    s.fire(i);
    in_softirq_ = false;
  }

  // --- under control ---
  void start(std::vector<task_body>& bodies) {
    std::uint32_t id = first_task_id;
    for (task_body& b : bodies) {
      strands_.push_back(std::make_unique<strand>(b.name, names_.number(b.name), id++, false));
      strands_.back()->clock = inline_now_;
      queue_of(b.name);
      strands_.back()->start(stacks_, [&b] {
        for (auto& step : b.steps) step();
      });
    }
    bodies_ = bodies.size();
  }

  bool stopped_now() const { return stopped && stopped(); }

  bool all_done() const {
    return std::all_of(strands_.begin(), strands_.end(), [](const auto& s) { return s->at == strand_at::done; });
  }

  // No sleep, timer or callback is left that could go on.
  bool resting() const {
    for (const auto& s : strands_) {
      const bool stands = s->at == strand_at::wait || (s->at == strand_at::lock && s->lock->owner.load() != nullptr);
      if (s->at != strand_at::done && !stands) return false;
    }
    return std::all_of(callbacks_.begin(), callbacks_.end(), [](const auto& q) { return q.second.waiting.empty(); }) &&
           std::all_of(sources_.begin(), sources_.end(), [](auto* source) { return source->choices() == 0; });
  }

  bool softirq_at_work() const {
    return std::any_of(strands_.begin(), strands_.end(),
                       [](const auto& s) { return s->softirq && s->at != strand_at::done; });
  }

  bool can_move(strand& s) {
    if (bounds_.one_cpu && !s.softirq && softirq_at_work()) return false;
    switch (s.at) {
      case strand_at::ready:
        return true;
      case strand_at::lock:
        return s.lock->owner.load() == nullptr;
      case strand_at::wait:
        return (*s.condition)();
      case strand_at::sleep:
        if (s.sleeps <= bounds_.polls || moves_ > s.slept_at + 1) return true;
        report.polls_bounded += s.held_back ? 0 : 1;
        s.held_back = true;
        return false;
      case strand_at::done:
        return false;
    }
    return false;
  }

  bool running(std::uint32_t actor) const {
    return std::any_of(strands_.begin(), strands_.end(),
                       [&](const auto& s) { return s->actor == actor && s->at != strand_at::done; });
  }

  std::vector<option> options() {
    std::vector<option> out;
    for (const auto& s : strands_)
      if (can_move(*s)) out.push_back({s->actor, s.get(), {}, {}});
    for (auto& [name, q] : callbacks_)
      if (!q.waiting.empty() && ended(q.waiting.front().open) && !running(q.actor))
        out.push_back({q.actor, nullptr, [this, at = &q] { run_front(*at); }, "rcu " + name});
    for (refimpl::choice_source* source : sources_)
      for (std::size_t i = 0, n = source->choices(); i < n; ++i) offer(*source, i, out);
    std::sort(out.begin(), out.end(), [](const option& a, const option& b) { return a.actor < b.actor; });
    return out;
  }

  void offer(refimpl::choice_source& source, std::size_t i, std::vector<option>& out) {
    std::string name = source.describe(i);
    for (unsigned k = 2; std::any_of(out.begin(), out.end(), [&](const option& o) { return o.name == name; }); ++k)
      name = source.describe(i) + " #" + std::to_string(k);
    const std::uint32_t actor = names_.number(name);
    if (running(actor)) return;
    if (fired_[actor] >= bounds_.firings) {
      ++report.firings_bounded;
      return;
    }
    out.push_back({actor, nullptr,
                   [this, &source, i] { add(access_kind::writes, object_of(object_kind::timers)), source.fire(i); }, name,
                   source.due(i)});
  }

  strand& strand_of(option& o) {
    if (o.on != nullptr) return *o.on;
    ++fired_[o.actor];
    strands_.push_back(std::make_unique<strand>(o.name, o.actor, first_softirq_id + o.actor, true));
    strands_.back()->clock = std::max(inline_now_, o.due);
    strands_.back()->start(stacks_, std::move(o.body));
    return *strands_.back();
  }

  void move_once() {
    std::vector<option> all = options();
    for (const option& o : all) enabled_since_.try_emplace(o.actor, static_cast<long>(moves_) - 1);
    std::erase_if(enabled_since_, [&](const auto& e) {
      return std::none_of(all.begin(), all.end(), [&](const option& o) { return o.actor == e.first; });
    });
    if (all.empty() || moves_ >= bounds_.moves) give_up(all);
    std::uint32_t chosen = all.front().actor;
    if (!giving_up_) {
      std::vector<std::uint32_t> actors;
      for (const option& o : all) actors.push_back(o.actor);
      chosen = drive_.choose(actors);
    }
    const auto at = std::find_if(all.begin(), all.end(), [&](const option& o) { return o.actor == chosen; });
    if (at == all.end()) throw std::logic_error("the chooser chose " + names_.name(chosen) + ", which cannot move");
    make_move(*at);
  }

  // What made the move possible: the end of a wait, or the start of a softirq.
  void make_move(option& o) {
    accesses_.clear();
    const bool was_blocked = o.on == nullptr || o.on->at == strand_at::wait;
    strand& s = strand_of(o);
    now_on_ = &s;
    if (was_blocked && enabled_since_[o.actor] >= 0)
      add(access_kind::joins, static_cast<std::uint64_t>(enabled_since_[o.actor]));
    enabled_since_.erase(o.actor);
    const bool running = !stopped_now();
    s.resume();
    add(running && stopped_now() ? access_kind::writes : access_kind::reads, object_of(object_kind::stopped));
    now_on_ = nullptr;
    ++moves_;
    ++report.moves;
    if (!giving_up_) drive_.moved({s.actor, accesses_});
    if (s.softirq && s.failure) std::rethrow_exception(s.failure);
  }

  // Nothing can move, or the run is too long: whoever stands at a lock or a wait is told that it will not end.
  void give_up(std::vector<option>& all) {
    if (!giving_up_) {
      report.too_long = !all.empty();
      report.hung = all.empty();
      report.at_rest = all.empty() && resting();
      for (const auto& s : strands_)
        if (s->at != strand_at::done) report.hang += (report.hang.empty() ? "" : ", ") + s->name + " at " + s->where;
    }
    giving_up_ = true;
    if (!all.empty()) return;
    for (const auto& s : strands_)
      if (s->at != strand_at::done && (s->at != strand_at::lock || s->lock->owner.load() == nullptr || all.empty()))
        return all.push_back({s->actor, s.get(), {}, {}});
  }

  chooser& drive_;
  actor_names& names_;
  const control_bounds bounds_;
  boost::context::pooled_fixedsize_stack& stacks_;
  refimpl::task main_, softirq_;
  bool in_softirq_ = false;
  nanoseconds inline_now_{0};
  int phase_ = 0;
  std::size_t bodies_ = 0;
  std::vector<std::unique_ptr<strand>> strands_;
  std::map<std::string, callback_queue> callbacks_;
  std::map<std::uint32_t, unsigned> fired_;
  std::map<std::uint32_t, long> enabled_since_;  // actor -> the move behind which it could move
  strand* now_on_ = nullptr;
  std::vector<access> accesses_;
  lock_numbers locks_;
  std::size_t moves_ = 0;
  bool giving_up_ = false;
};

controlled_execution::controlled_execution(chooser& drive, actor_names& names, control_bounds bounds)
    : state_(std::make_unique<state>(drive, names, bounds)) {}
controlled_execution::~controlled_execution() = default;
refimpl::schedule& controlled_execution::sched() { return *state_; }
refimpl::rcu& controlled_execution::rcu() { return *state_; }
void controlled_execution::run(std::vector<task_body>& bodies) { state_->run(bodies); }
void controlled_execution::note(const refimpl::event& e) { state_->note(e); }
void controlled_execution::watch_stop(std::function<bool()> stopped) { state_->stopped = std::move(stopped); }
const control_report& controlled_execution::report() const { return state_->report; }
bool controlled_execution::in_tasks() const { return state_->in_tasks(); }

}  // namespace quiesce::conformance
