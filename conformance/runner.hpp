// SPDX-License-Identifier: MIT
#pragma once
// Runs a scenario on a reference stack.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conformance/driver.hpp"
#include "conformance/execution.hpp"
#include "conformance/scenario.hpp"
#include "refimpl/core/event.hpp"
#include "refimpl/core/variant.hpp"

namespace quiesce::conformance {

// Called in the emitting task with each event as it happens, in order of the stream, and the stack to look at. It may read
// the stack and must not call operations.
using event_sink = std::function<void(const refimpl::event&, refimpl::stack&)>;

struct run_settings {
  refimpl::variant_policy policy;
  const driver_entry* driver = nullptr;  // NULL: simulated
  execution* exec = nullptr;             // NULL: in_turn with the scenario's order
  bool keep_events = true;               // in run_result::events
  // After the tasks: drop what the scenario still holds, delete its devices, end its namespaces. A leak shows then.
  bool end_all = true;
  event_sink sink;  // may be empty
  // Called behind the tasks, when nobody is inside the stack and it has not stopped; may be empty.
  std::function<void(refimpl::stack&)> at_rest;
};

// What an operation returned. Task -1: the set-up, -2: the end.
struct op_outcome {
  int task = 0;
  int index = 0;
  refimpl::error code = refimpl::error::none;
  bool operator==(const op_outcome&) const = default;
};

struct run_result {
  std::vector<refimpl::event> events;
  std::vector<op_outcome> outcomes;
  std::optional<refimpl::stop_report> stopped;  // what a kernel would have crashed or hung with
  std::vector<std::string> inconsistent;        // stack::check_consistency at the end
  std::uint64_t warnings = 0;                   // WARN_ON
  std::vector<std::string> complaints;          // of the driver: what real devices did otherwise
  std::string leaked;                           // devices that are left though everything was deleted, or nothing
};

// The identity in events of a device of the scenario follows from the order of registration; `device_id` tells it.
// before: the scenario has no defect() and the driver supports it.
run_result run(const scenario&, const run_settings&);

}  // namespace quiesce::conformance
