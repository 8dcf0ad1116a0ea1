// SPDX-License-Identifier: MIT
#pragma once
// The controlled scheduler: the tasks of a scenario as fibers (Boost.Context) of one thread, one of which moves at a time.
// Lock grants, ends of waits and grace periods, timer firings and RCU callbacks are choices of whoever drives it.
//
// A task moves from one scheduling point to the next: before it takes a lock, when it waits or sleeps, behind an unlock,
// inside a notifier call, and behind each event that touches more than RTNL (schedule_relation.hpp). Time is free: a sleep
// may end and an armed timer may fire at any moment; each task has a clock of its own. A softirq runs as an actor of its
// own, to its end, unless it has to spin for a lock or is about to touch a timer that others touch.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "conformance/execution.hpp"
#include "conformance/schedule_relation.hpp"
#include "refimpl/core/event.hpp"

namespace quiesce::conformance {

// What a move did to shared objects, in order. `follows`: it could only be made because of the last write to the object (the
// end of a wait). `joins`: object is the number of the move that made this one possible.
enum class access_kind : std::uint8_t { reads, counts, writes, acquires, releases, follows, joins };
struct access {
  access_kind kind = access_kind::reads;
  std::uint64_t object = 0;
  bool operator==(const access&) const = default;
};

struct move {
  std::uint32_t actor = 0;
  std::vector<access> accesses;
};

// Names of actors, numbered the same in all executions of one exploration: tasks first, then softirqs as they are met.
class actor_names {
 public:
  std::uint32_t number(const std::string& name);
  const std::string& name(std::uint32_t number) const { return names_.at(number); }
  std::size_t size() const { return names_.size(); }

 private:
  std::vector<std::string> names_;
};

// Task t1 of the scenario is this task of the stack's events, t2 the next one.
inline constexpr std::uint32_t first_task_id = 10;
// A softirq is this one and the number of its actor.
inline constexpr std::uint32_t first_softirq_id = 1000;

// Drives one execution.
class chooser {
 public:
  virtual ~chooser() = default;
  // One of `enabled`, which is not empty and ascending.
  virtual std::uint32_t choose(const std::vector<std::uint32_t>& enabled) = 0;
  // The move that was chosen has been made.
  virtual void moved(const move&) {}
};

struct control_bounds {
  unsigned polls = 3;    // sleeps of a task; each further one ends only after another actor has moved
  unsigned firings = 2;  // of each timer
  unsigned moves = 20'000;
  bool one_cpu = false;  // the tasks share a CPU: they stand still while a softirq is at work
  bool to_rest = false;  // behind the end of the tasks softirqs go on until nothing can move
};

// What a controlled execution ran into.
struct control_report {
  std::size_t moves = 0;
  std::uint64_t polls_bounded = 0;    // sleeps that were held back
  std::uint64_t firings_bounded = 0;  // moments at which a timer that could have fired was not offered
  bool hung = false;                  // nothing could move although not all tasks had ended
  std::string hang;                   // who stood where
  bool at_rest = false;               // nothing could move at the end, and no bound is why
  bool too_long = false;              // control_bounds::moves was reached: the tasks were made to give up
};

class controlled_execution : public execution {
 public:
  controlled_execution(chooser& drive, actor_names& names, control_bounds bounds = {});
  ~controlled_execution() override;
  refimpl::schedule& sched() override;
  refimpl::rcu& rcu() override;
  // The second call, the one for the tasks, is controlled; the others run one body after the other in simulated time.
  void run(std::vector<task_body>& bodies) override;
  // For run_settings::sink: each event of the stack.
  void note(const refimpl::event&);
  // Whether the stack has stopped: a flag that every operation reads. Without it no order of a stop and what follows is
  // missed only if nothing stops.
  void watch_stop(std::function<bool()> stopped);
  const control_report& report() const;
  // True while the tasks run: their events are what is compared.
  bool in_tasks() const;

 private:
  class state;
  std::unique_ptr<state> state_;
};

}  // namespace quiesce::conformance
