// SPDX-License-Identifier: MIT
// The models wait_backoff, wait_list and wait_rcu: the wait in milliseconds, measured on the stack in simulated time. A
// clock that the model calls ideal has a tick of a microsecond here.
#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "conformance/counterexample_internal.hpp"
#include "conformance/runner.hpp"

namespace quiesce::conformance {

namespace {

using refimpl::event_kind;
using refimpl::nanoseconds;
using std::chrono::milliseconds;

constexpr unsigned ideal_hz = 1'000'000;

// synchronize_net under RTNL is expedited: it takes no time here, a callback a whole grace period.
class expedited_rcu : public refimpl::modelled_rcu {
 public:
  using modelled_rcu::modelled_rcu;
  void synchronize_rcu() override {}
};

// A sleeper wakes at a whole millisecond: without the tick that msleep adds, which an ideal clock does not have.
class whole_milliseconds : public refimpl::simulated_schedule {
 public:
  explicit whole_milliseconds(bool ideal) : ideal_(ideal) {}
  void sleep_until(nanoseconds when) override {
    simulated_schedule::sleep_until(ideal_ ? std::chrono::floor<milliseconds>(when) : when);
  }

 private:
  bool ideal_;
};

class timed_execution : public execution {
 public:
  timed_execution(milliseconds grace, bool ideal) : sched_(ideal), rcu_(sched_, grace) {}
  refimpl::schedule& sched() override { return sched_; }
  refimpl::rcu& rcu() override { return rcu_; }
  void run(std::vector<task_body>& bodies) override {
    for (task_body& b : bodies)
      for (auto& step : b.steps) step();
  }

 private:
  whole_milliseconds sched_;
  expedited_rcu rcu_;
};

// Of the device that is waited for, since its NETDEV_UNREGISTER; negative: it did not happen.
struct measured {
  double noticed = -1, first_rebroadcast = -1, longest_gap = 0;
};

class stopwatch {
 public:
  explicit stopwatch(int dev) : dev_(dev) {}

  void see(const refimpl::event& e, refimpl::stack& on) {
    const double now = std::chrono::duration<double, std::milli>(on.sched.now()).count();
    if (e.dev != dev_) return;
    if (e.kind == event_kind::NETDEV_UNREGISTER && began_ < 0) began_ = last_read_ = now;
    if (began_ < 0) return;
    if (e.kind == event_kind::rebroadcast_begin && out_.first_rebroadcast < 0) out_.first_rebroadcast = now - began_;
    if (e.kind == event_kind::netdev_refcnt_poll)
      out_.longest_gap = std::max(out_.longest_gap, now - std::exchange(last_read_, now));
    if (e.kind == event_kind::free_netdev) out_.noticed = now - began_;
  }
  const measured& result() const { return out_; }

 private:
  int dev_;
  double began_ = -1, last_read_ = 0;
  measured out_;
};

// The subject is the device `which` of the scenario; loopback of init_net is identity 0.
measured measure(const scenario& s, const refimpl::variant_policy& policy, milliseconds grace, device_ref which) {
  timed_execution exec(grace, s.options.hz == ideal_hz);
  stopwatch watch(which + 1);
  run_settings settings;
  settings.policy = policy;
  settings.exec = &exec;
  settings.keep_events = settings.end_all = false;
  settings.sink = [&](const refimpl::event& e, refimpl::stack& on) { watch.see(e, on); };
  static_cast<void>(run(s, settings));
  return watch.result();
}

class wait_measurement : script_maker {
 public:
  wait_measurement(const ast::claim& claim, const run_text& run, const instance& settings, const stack_version& version)
      : script_maker(run, settings), claim_(claim), version_(version) {
    const std::int64_t hz = std::stoll(option("HZ", "0"));
    out_.what.options.hz = hz == 0 ? ideal_hz : static_cast<unsigned>(hz);
    margin_ = static_cast<double>(bound("margin", 0));
  }

  counterexample_replay replay() {
    result_.how = "in turn, measured";
    if (claim_.model == "wait_backoff")
      backoff();
    else if (claim_.model == "wait_list")
      list();
    else
      chain();
    result_.devices = out_.what.devices.size();
    result_.what = out_.what;
    if (result_.outcome != replay_outcome::beyond) result_.schedules = 1;
    return std::move(result_);
  }

 private:
  std::int64_t bound(const std::string& name, std::int64_t otherwise) const {
    const auto found = settings_.scope.find(name);
    return found != settings_.scope.end() ? found->second : otherwise;
  }

  void decide(bool broken, std::string detail) {
    result_.outcome = broken ? replay_outcome::breaks : replay_outcome::keeps;
    result_.detail = std::move(detail);
  }

  // One device whose last reference is dropped that many milliseconds behind NETDEV_UNREGISTER.
  scenario released_after(std::int64_t ms) {
    scenario s = out_.what;
    s.devices.assign(1, {});
    s.setup.assign(1, on(ms == 0 ? op_kind::chain : op_kind::delay, {0}, ms));
    s.tasks.assign(1, {on(op_kind::unregister, {0})});
    return s;
  }

  // Every release of the range, against the loop that is compared: none is later by just the margin.
  void no_release() {
    const std::int64_t last = bound("last_release", 3000);
    refimpl::variant_policy other = version_.policy;
    other.wait = refimpl::wait_rule::k44;
    bool some = false;
    for (std::int64_t ms = 0; ms <= last && !some; ++ms) {
      out_.what = released_after(ms);
      some = measure(out_.what, version_.policy, milliseconds(0), 0).noticed ==
             measure(out_.what, other, milliseconds(0), 0).noticed + margin_;
    }
    decide(!some, fmt::format("{} a release of 0 to {} ms is noticed {} ms later", some ? "" : "not", last, margin_));
  }

  void backoff() {
    if (claim_.property == "sometimes_later_than_compared") return no_release();
    const std::int64_t release = std::stoll(initially("release", ""));
    out_.what = released_after(release);
    const measured m = measure(out_.what, version_.policy, milliseconds(0), 0);
    const std::string& p = claim_.property;
    if (p == "reads_at_most_margin_apart")
      return decide(m.longest_gap > margin_, fmt::format("{:.0f} ms between two reads", m.longest_gap));
    if (p == "notices_within_margin")
      return decide(m.noticed > static_cast<double>(release) + margin_,
                    fmt::format("released after {} ms, noticed after {:.0f} ms", release, m.noticed));
    if (p == "first_rebroadcast_within_margin")
      return decide(m.first_rebroadcast > 1000 + margin_,
                    fmt::format("the first rebroadcast after {:.0f} ms", m.first_rebroadcast));
    if (p != "no_later_than_compared") {
      result_.detail = "no measurement decides it";
      return;
    }
    refimpl::variant_policy other = version_.policy;
    other.wait = option("against", "fixed_250") == "posted" ? refimpl::wait_rule::r16 : refimpl::wait_rule::k44;
    const measured c = measure(out_.what, other, milliseconds(0), 0);
    decide(m.noticed > c.noticed + margin_,
           fmt::format("released after {} ms, noticed after {:.0f} ms, by the other loop after {:.0f} ms", release,
                       m.noticed, c.noticed));
  }

  // The order of the list is not told: each is tried.
  void list() {
    std::vector<std::string> names = all_with("slot");
    std::sort(names.begin(), names.end());
    do {
      scenario s = out_.what;
      s.devices.assign(names.size(), {});
      s.setup.clear();
      operation all = on(op_kind::unregister, {});
      device_ref stuck = 0;
      for (device_ref d = 0; d < static_cast<device_ref>(names.size()); ++d) {
        const std::string& name = names[static_cast<std::size_t>(d)];
        const std::int64_t ms = std::stoll(initially("slot", name)) * 100;
        const bool stays = initially("stuck", "") == name;
        if (stays) stuck = d;
        s.setup.push_back(on(stays ? op_kind::hold : ms == 0 ? op_kind::chain : op_kind::delay, {d}, stays ? 0 : ms));
        all.devices.push_back(d);
      }
      s.tasks.assign(1, {all});
      const measured m = measure(s, version_.policy, milliseconds(0), stuck);
      const bool late = m.first_rebroadcast < 0 || m.first_rebroadcast > 1000 + margin_;
      decide(late, fmt::format("the stuck device is asked for again after {:.0f} ms", m.first_rebroadcast));
      if (!late) continue;
      out_.what = s;
      return;
    } while (std::next_permutation(names.begin(), names.end()));
  }

  void chain() {
    const std::int64_t grace = bound("grace_ms", 10), lazy = bound("lazy_ms", 10);
    if (lazy != grace) {
      result_.detail = "RCU callbacks of the stack are not lazy";
      return;
    }
    out_.what.devices.assign(1, {});
    out_.what.setup.assign(1, on(op_kind::chain, {0}, bound("chain", 1)));
    out_.what.tasks.assign(1, {on(op_kind::unregister, {0})});
    const measured m = measure(out_.what, version_.policy, milliseconds(grace), 0);
    decide(m.noticed < 0 || m.noticed > margin_, fmt::format("noticed after {:.0f} ms", m.noticed));
  }

  const ast::claim& claim_;
  const stack_version& version_;
  double margin_ = 0;
  counterexample_replay result_;
};

}  // namespace

bool about_milliseconds(const std::string& model, const std::string& property) {
  const bool of_margin = property != "rebroadcast_after_a_second" && property != "warning_after_ten_seconds";
  return (model == "wait_backoff" && of_margin) || model == "wait_list" || model == "wait_rcu";
}

counterexample_replay measure_wait(const ast::claim& claim, const run_text& run, const instance& settings,
                                   const stack_version& version) {
  return wait_measurement(claim, run, settings, version).replay();
}

// Rules about the clock that a monitor decides: the last reference goes when the run says.
counterexample_script convert_wait_backoff(const run_text& run, const instance&) {
  counterexample_script out;
  out.in_turn = true;
  std::int64_t release = 1500;
  if (!run.steps.empty())
    for (const trace_change& c : run.steps[0].changes)
      if (c.variable == "release") release = std::stoll(c.after);
  out.what.options.ipv6 = false;
  out.what.devices.assign(1, {});
  operation late{op_kind::delay, {0}, {}, {}, std::max<std::int64_t>(release, 1), 0};
  out.what.setup.push_back(late);
  out.what.tasks.assign(1, {operation{op_kind::unregister, {0}, {}, {}, 0, 0}});
  return out;
}

}  // namespace quiesce::conformance
