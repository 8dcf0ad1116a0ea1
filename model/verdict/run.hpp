// SPDX-License-Identifier: MIT
#pragma once
// One run of a system, step by step: what simulate and replay drive, and what turns an engine's path into words.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/system/system.hpp"
#include "model/verdict/trace.hpp"

namespace quiesce {

// A step that can be taken now, copied out of the stepper.
struct enabled_step {
  std::vector<word> state;
  step done;  // done.state points into `state`
  step_record record;
};

class run {
 public:
  explicit run(const transition_system&);

  // The steps that are possible now, in the system's order: at first the initial states. Empty after a path has ended.
  const std::vector<enabled_step>& enabled() const { return enabled_; }
  step_text words(const enabled_step&, bool locals = false) const;
  void take(std::size_t number);  // index into enabled()
  bool undo();                    // false at the very start

  const std::vector<step_text>& taken() const { return taken_; }
  const std::vector<std::uint64_t>& violations() const { return violated_; }  // for each step taken: properties it broke
  std::uint64_t marked() const;  // properties whose trigger (or `sometimes` goal) has happened on the way
  const word* state() const { return states_.empty() ? nullptr : states_.back().data(); }
  const std::optional<step>& ended() const { return ended_; }  // error, bound or stuck: how the path ended
  // As describe_ending, and which value was out of range.
  const std::string& ending() const { return ending_; }
  bool deadlocked();  // no step, and a process that is not resting

 private:
  void look();

  const transition_system& system_;
  std::unique_ptr<stepper> stepper_;
  std::vector<std::vector<word>> states_;
  std::vector<step_text> taken_;
  std::vector<std::uint64_t> violated_, marked_;
  std::optional<step> ended_;
  std::string ending_;
  std::vector<enabled_step> enabled_;
};

// Properties broken by `s`: monitors, state invariants of the state it leads to, and run-time errors that a property names.
std::uint64_t broken_by(const transition_system&, stepper&, const step& s);

}  // namespace quiesce
