// SPDX-License-Identifier: MIT
#include "conformance/schedule_run.hpp"

#include <algorithm>
#include <exception>
#include <random>

#include <fmt/format.h>

namespace quiesce::conformance {

controlled_result run_controlled(const scenario& s, run_settings settings, chooser& drive, actor_names& names,
                                 const control_bounds& bounds) {
  controlled_execution exec(drive, names, bounds);
  std::vector<refimpl::event> events;
  settings.exec = &exec;
  const bool keep = settings.keep_events;
  settings.keep_events = false;
  const event_sink outer = std::move(settings.sink);
  bool watched = false, stopped = false;
  std::size_t before_stop = 0;
  settings.sink = [&](const refimpl::event& e, refimpl::stack& on) {
    if (!watched) exec.watch_stop([&on] { return on.stopped().has_value(); });
    watched = true;
    if (exec.in_tasks() && keep) {
      events.push_back(e);
      stopped = stopped || std::uncaught_exceptions() > 0 || on.stopped();
      before_stop += stopped ? 0 : 1;
    }
    if (outer) outer(e, on);
    exec.note(e);
  };
  controlled_result out;
  out.run = run(s, settings);
  out.run.events = std::move(events);
  out.before_stop = before_stop;
  out.control = exec.report();
  return out;
}

namespace {

class uniform : public chooser {
 public:
  explicit uniform(std::uint64_t seed) : source_(seed) {}
  std::uint32_t choose(const std::vector<std::uint32_t>& enabled) override { return enabled[source_() % enabled.size()]; }

 private:
  std::mt19937_64 source_;
};

class pct : public chooser {
 public:
  pct(std::uint64_t seed, unsigned depth, std::size_t length) : source_(seed) {
    for (unsigned i = 1; i < depth; ++i) changes_.push_back(source_() % std::max<std::size_t>(length, 1));
  }
  std::uint32_t choose(const std::vector<std::uint32_t>& enabled) override {
    std::uint32_t best = enabled.front();
    for (const std::uint32_t a : enabled)
      if (priority(a) > priority(best)) best = a;
    const std::size_t now = at_++;
    for (std::size_t i = 0; i < changes_.size(); ++i)
      if (changes_[i] == now) priorities_[best] = i;  // below every initial priority
    return best;
  }

 private:
  std::uint64_t priority(std::uint32_t actor) {
    while (priorities_.size() <= actor) priorities_.push_back((source_() | std::uint64_t{1} << 63));
    return priorities_[actor];
  }
  std::mt19937_64 source_;
  std::vector<std::uint64_t> changes_, priorities_;
  std::size_t at_ = 0;
};

}  // namespace

std::unique_ptr<chooser> random_chooser(std::uint64_t seed) { return std::make_unique<uniform>(seed); }
std::unique_ptr<chooser> pct_chooser(std::uint64_t seed, unsigned depth, std::size_t length) {
  return std::make_unique<pct>(seed, depth, length);
}

std::string format_moves(const std::vector<std::string>& actors) {
  std::string out;
  for (std::size_t i = 0, n = 0; i < actors.size(); i += n) {
    for (n = 1; i + n < actors.size() && actors[i + n] == actors[i];) ++n;
    out += fmt::format("  {} {}\n", n, actors[i]);
  }
  return out;
}

std::uint32_t replay_chooser::choose(const std::vector<std::uint32_t>& enabled) {
  if (at_ >= actors_.size()) {
    if (deviation.empty())
      deviation = fmt::format("the schedule ends after {} moves, the execution does not", actors_.size());
    return enabled.front();
  }
  const std::string& wanted = actors_[at_++];
  for (const std::uint32_t a : enabled)
    if (names_.name(a) == wanted) return a;
  std::string possible;
  for (const std::uint32_t a : enabled) possible += (possible.empty() ? "" : ", ") + names_.name(a);
  if (deviation.empty()) deviation = fmt::format("move {}: '{}' cannot move; these can: {}", at_, wanted, possible);
  return enabled.front();
}

}  // namespace quiesce::conformance
