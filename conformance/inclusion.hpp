// SPDX-License-Identifier: MIT
#pragma once
// Trace inclusion: has a model a run with the same visible events as a recorded trace?
//
// Subset construction over the model's hidden steps: the set of all configurations that the model can be in after the events
// matched so far. A configuration is a state, a binding of the trace's identities to elements, and the visible events of
// steps already taken that the trace has not shown yet (a step may emit several). Tretmans, "Model based testing with
// labelled transition systems" (2008), calls the set `S after trace`; mismatches are explained as its `out` sets are.
//
// Exact, or `unknown`: a run that the model's bounds or run-time errors cut off, and a budget, never count as a mismatch.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/system/system.hpp"

namespace quiesce::conformance {

// An argument as a source shows it. Elements of sorts are identities: any numbers, mapped to elements by the options below.
struct seen_value {
  enum class kind : std::uint8_t { unknown, none, value, set };
  kind what = kind::unknown;
  std::int64_t value = 0;             // an identity; of a Boolean, integer or enumeration: the value
  std::vector<std::int64_t> members;  // of a set: identities, any order
  static seen_value of(std::int64_t v) { return {kind::value, v, {}}; }
  static seen_value nobody() { return {kind::none, 0, {}}; }
  static seen_value set_of(std::vector<std::int64_t> m) { return {kind::set, 0, std::move(m)}; }
  bool operator==(const seen_value&) const = default;
};

struct seen_event {
  std::string name;
  std::optional<std::int64_t> task;  // identity of who did it; absent: the source does not say
  std::vector<seen_value> args;      // one for each parameter of the model's event
  bool operator==(const seen_event&) const = default;
};

// "[task 1] NETDEV_DOWN(3, 1)"; `_` is unknown.
std::string text_of(const seen_event&);

// A process of the model: template and instance.
struct process_place {
  std::uint32_t process = 0, instance = 0;
  auto operator<=>(const process_place&) const = default;
};

// An event that a step of the model emits.
struct model_event {
  std::uint32_t event = 0;  // number in program().events
  process_place by;
  std::vector<std::int64_t> args;
  bool operator==(const model_event&) const = default;
};
std::string text_of(const ir::program&, const model_event&);

// Names of the events that the model's processes emit, for one lowered program: its alphabet.
std::set<std::string> alphabet(const ir::program&);

struct inclusion_options {
  // Events that are compared; all others of the model are hidden, and the trace has none of them. Empty: alphabet(program).
  std::set<std::string> visible;
  // Sort -> identity -> element. An identity that is not listed may be any element that no other identity is, once chosen
  // the same throughout; without search_identities it equals no element.
  std::map<std::string, std::map<std::int64_t, std::int64_t>> identities;
  std::map<std::int64_t, process_place> tasks;  // the same for who did it
  bool search_identities = true;
  bool search_tasks = true;
  // Which initial states the trace may start from; empty: all.
  std::function<bool(const word*)> initial;
  std::vector<word> start;  // not empty: this is the only one, whether or not the model would start there
  // The events of one step need not be adjacent in a trace: one that is still to come may be overtaken by events of other
  // processes that are independent of it. Symmetric. Empty: none are, the order is strict.
  std::function<bool(const model_event&, const model_event&)> independent;
  bool complete = false;  // the trace is a whole run: every process must be able to come to rest behind it
  std::size_t max_configurations = 200'000;  // in one set
  std::uint64_t max_steps = 20'000'000;      // of the model, in all
};

// One event that the model allows at the mismatch.
struct allowed_event {
  std::string event;      // as text_of
  std::string process;    // "unregister(task0)"
  std::string statement;  // of the step, one line
  std::string kernel;     // "rollback_registered_many (net/core/dev.c, v4.4)"; may be empty
  auto operator<=>(const allowed_event&) const = default;
};

// Why one process does not do the event that came.
struct refusal {
  std::string process;
  std::string statement;  // where it stands: the step it would take next
  std::string guard;      // what refuses, one phrase
  bool waits = false;     // a condition is false: `where` is its place; else `where` is the statement's
  source_range where;
  std::string kernel;
};

enum class inclusion_verdict : std::uint8_t { included, not_included, unknown };
const char* name(inclusion_verdict);

struct inclusion_result {
  inclusion_verdict verdict = inclusion_verdict::unknown;
  std::size_t matched = 0;             // events of the longest prefix that some run of the model has
  std::string reason;                  // of unknown: the budget, bound or error that stands in the way
  std::set<std::string> errors;        // run-time errors in which runs of the model with that prefix end, by name
  std::vector<allowed_event> allowed;  // behind that prefix, from all configurations; sorted
  std::vector<refusal> refused;        // by process, in one configuration: the first from which no hidden step leads on
  std::vector<std::string> state;      // of that configuration: `variable = value` where it differs from the start
  std::uint64_t steps = 0;             // of the model
  std::uint64_t configurations = 0;    // in all sets
  std::size_t widest = 0;              // the largest set
};

// Throws diagnostic: an event that the model does not declare, a wrong number or shape of arguments, an unknown sort.
// Time: events × (largest set) × steps of a state; memory: two sets.
inclusion_result check_inclusion(const transition_system&, const std::vector<seen_event>&, const inclusion_options&);

// For people: the last `context` matched events, the one that came, what was allowed, the guards and the state. Empty for
// `included`. `place` turns where a guard stands into "file:line: text"; may be empty.
using place_text = std::function<std::string(source_range)>;
std::string explain(const inclusion_result&, const std::vector<seen_event>&, const place_text& place = {},
                    std::size_t context = 5);

}  // namespace quiesce::conformance
