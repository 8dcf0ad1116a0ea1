// SPDX-License-Identifier: MIT
#pragma once
// What the files of trace inclusion share. See inclusion.hpp.

#include <unordered_map>

#include "conformance/inclusion.hpp"

namespace quiesce::conformance {

// Identities of a trace, numbered: one slot for each (sort, identity) and one for each task.
struct identity_table {
  static constexpr std::uint32_t of_tasks = ir::nothing;  // in place of a sort
  struct slot {
    std::uint32_t sort = of_tasks;
    std::int64_t identity = 0;
    std::int32_t bound = -1;  // element, or number of the process; -1: free
    bool closed = false;      // not free and bound to nothing: equals no element
  };
  std::vector<slot> slots;
  std::uint32_t number(std::uint32_t sort, std::int64_t identity);
};

// A trace event with its identities numbered.
struct numbered_value {
  seen_value::kind what = seen_value::kind::unknown;
  std::int64_t value = 0;              // plain value, or slot
  std::vector<std::uint32_t> members;  // slots
};
struct numbered_event {
  std::uint32_t event = 0;
  std::optional<std::uint32_t> task;  // slot
  std::vector<numbered_value> args;
};

struct configuration {
  std::vector<word> state;
  std::vector<std::int32_t> binding;  // for each slot: element, process number, or -1
  std::vector<model_event> pending;   // in the order of the model's run
  // The path has ended: 0 not, 1 at a bound or stuck, 2 and the number of the run-time error.
  std::uint8_t ended = 0;
  bool operator==(const configuration&) const = default;
};
struct configuration_hash {
  std::size_t operator()(const configuration&) const;
};

// Sets of configurations in order of discovery.
class configuration_set {
 public:
  bool add(configuration c) {
    const auto [at, fresh] = numbers_.emplace(std::move(c), items_.size());
    if (fresh) items_.push_back(&at->first);
    return fresh;
  }
  std::size_t size() const { return items_.size(); }
  const configuration& operator[](std::size_t i) const { return *items_[i]; }

 private:
  std::unordered_map<configuration, std::size_t, configuration_hash> numbers_;
  std::vector<const configuration*> items_;
};

// Matches model events against numbered trace events.
class matcher {
 public:
  matcher(const ir::program& p, const identity_table& t);
  std::uint32_t process_number(process_place at) const { return first_process_[at.process] + at.instance; }
  std::uint32_t processes() const { return first_process_.back(); }
  process_place process_at(std::uint32_t number) const;
  // Calls `each` with every extension of `binding` under which the two are the same event.
  void match(const model_event&, const numbered_event&, const std::vector<std::int32_t>& binding,
             const std::function<void(std::vector<std::int32_t>)>& each) const;

 private:
  using bindings = std::vector<std::vector<std::int32_t>>;
  bool bind(std::uint32_t slot, std::int32_t element, std::vector<std::int32_t>& binding) const;
  void match_value(ir::type_id, std::int64_t, const numbered_value&, bindings&) const;
  void match_set(std::uint64_t members, const numbered_value&, bindings&) const;

  const ir::program& program_;
  const identity_table& table_;
  std::vector<std::uint32_t> first_process_;
};

// What an explanation needs of a construction that got stuck.
struct stuck_point {
  const transition_system& system;
  const matcher& names;
  const std::vector<bool>& visible;      // by event number
  const configuration& at;               // of the set behind the prefix
  const numbered_event* came = nullptr;  // NULL: the trace ended, but the model does not come to rest
  std::vector<word> start;               // an initial state
};
// For each process that has not ended: why it does not do what came.
std::vector<refusal> refusals(const stuck_point&);
// Whether a hidden step leads on from there.
bool has_hidden_step(const stuck_point&);
// Variables that differ from their value at the start, program counters and monitors left out.
std::vector<std::string> state_text(const stuck_point&);
allowed_event describe_allowed(const transition_system&, const model_event&, const word* before);

}  // namespace quiesce::conformance
