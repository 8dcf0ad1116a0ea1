// SPDX-License-Identifier: MIT
#pragma once
// Monitors on a stream of events: the same compiled properties that a model's state carries, run on a trace.
//
// The caller numbers the elements of each sort densely from 0 (`interner` does it) and the processes as it likes. Each
// process has its own stack of spans, opened and closed by the events <span>_begin and <span>_end. A variable that an event
// does not bind, and a quantifier, range over the elements declared or seen so far, this event included.
//
// One event costs a constant number of hash table accesses (amortised) for each instance that it concerns: one for each
// check and update of its name, times the open spans of `within`, times the elements that free variables and quantifiers
// range over; those are the ones that can make a difference, where that shows in the condition (stream_domain.hpp).

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "properties/compiled.hpp"
#include "properties/stream_domain.hpp"

namespace quiesce::monitors {

// Names of the elements of each sort, numbered in order of first appearance.
class interner {
 public:
  std::int64_t number(const std::string& sort, const std::string& name);
  const std::string* name(const std::string& sort, std::int64_t number) const;  // null: not one of its numbers

 private:
  struct names {
    std::unordered_map<std::string, std::int64_t> numbers;
    std::vector<std::string> texts;
  };
  std::map<std::string, names> sorts_;
};

// An event's argument: a value as compiled.hpp codes it (option: 0 none, else 1 + value), or the members of a set.
struct argument {
  std::int64_t value = 0;
  std::vector<std::int64_t> members;
  argument() = default;
  argument(std::int64_t v) : value(v) {}  // NOLINT: an integer is an argument
  explicit argument(std::vector<std::int64_t> m) : members(std::move(m)) {}
};
inline argument none_argument() { return {}; }
inline argument some_argument(std::int64_t value) { return {value + 1}; }

struct stream_options {
  std::map<std::string, std::int64_t> declared;  // sort -> elements 0 .. n-1 exist from the start
  std::map<std::string, std::int64_t> named;     // init_net -> its number. Absent: equals nothing.
  std::map<std::pair<std::string, std::int64_t>, std::int64_t>
      constructed;  // (lo, n) -> number of lo(n). Absent: equals nothing.
  std::function<std::string(const std::string& sort, std::int64_t)> print;  // empty: sort and number, `dev3`
  bool first_only = false;  // only the first violation of a property is described: the others have no text, no bindings
};

struct violation {
  std::size_t property = 0;                                   // index in monitor_set::monitors
  std::uint64_t sequence = 0;                                 // of the event, from 0
  std::vector<std::pair<std::string, std::string>> bindings;  // variable, value; in order of the property's binders
  std::string text;                                           // one line
};

// How one property came out. An unmatched one is vacuous. Spans still open leave `at end of` undecided for them, and triggers
// that are not answered yet leave `leads to` undecided: a stream shows the beginning of a run, and which of its processes were
// kept from going on it does not tell.
struct outcome {
  std::uint64_t matched = 0;      // events that were its trigger; `sometimes`: with a true condition
  std::uint64_t violated = 0;     // violations reported
  std::uint64_t undecided = 0;    // open spans whose end would be judged; answers that are due
  std::uint64_t first_match = 0;  // sequence number; meaningless if matched == 0
  bool state_property = false;    // reads a model's state: not decided by events
};

using table_key = std::array<std::int64_t, 4>;
struct table_key_hash {
  std::size_t operator()(const table_key&) const;
};
using table =
    std::unordered_map<table_key, std::int64_t, table_key_hash>;  // entries that differ from the initial value only

struct open_span {
  int kind = 0;
  std::vector<std::int64_t> members;     // of the first argument, if a set: ascending
  std::map<std::uint32_t, table> cells;  // cell number -> this span's copy
  std::uint64_t begun = 0;               // sequence number; not part of the state
  bool operator==(const open_span&) const;
};

// All that later verdicts depend on. Equal states give equal verdicts to equal continuations.
struct stream_state {
  std::vector<table> cells;
  std::vector<table> ghosts;
  std::map<std::int64_t, std::vector<open_span>> stacks;  // process -> open spans, outermost first; no empty stacks
  struct elements {
    std::string sort;
    std::vector<bool> exists;  // by number; ends with a true
    bool operator==(const elements&) const = default;
  };
  std::vector<elements> universe;  // the sorts of the set and of the options, in one order for each set
  bool operator==(const stream_state&) const = default;
};

class stream_monitor {
 public:
  // `set` must live as long as the monitor.
  explicit stream_monitor(const monitor_set& set, stream_options = {});
  ~stream_monitor();
  stream_monitor(stream_monitor&&) noexcept;

  // One event. The violations it makes, by property, then innermost span first, then by the values of free variables. Throws
  // diagnostic: an unknown event, wrong arguments, the end of a span that isn't the innermost one (the state is then
  // unchanged); value(none) in a property (the monitor is then of no further use).
  std::vector<violation> push(std::int64_t process, std::string_view event, const std::vector<argument>& args);
  std::vector<violation> push(std::int64_t process, std::uint32_t event, const std::vector<argument>& args);

  std::vector<outcome> finish() const;                  // one for each property; may be called at any time
  std::uint64_t sequence() const { return sequence_; }  // number of events so far
  const stream_state& state() const { return state_; }
  // Goes back to a state and the number of events before it (open spans are told apart by the number of their first event).
  void restore(stream_state s, std::uint64_t sequence) {
    state_ = std::move(s);
    sequence_ = sequence;
  }

  // Takes out of the state what is remembered under elements that are gone, by sort and number: their numbers are free.
  // Members of open spans stay. Takes time in the size of the state.
  void forget(const std::map<std::string, std::vector<bool>>& gone);

  // Checks the property no more: it matches and is violated no more. For a caller to whom no later answer makes a
  // difference.
  void retire(std::size_t property);

  // As newly made with the same set and options: for the next stream, without the cost of compiling the tables again.
  void reset();

  // A named element or constructor whose number became known later.
  void set_named(const std::string& name, std::int64_t number) { options_.named[name] = number; }
  void set_constructed(const std::string& name, std::int64_t of, std::int64_t number) {
    options_.constructed[{name, of}] = number;
  }

 private:
  struct environment;
  struct write;
  struct scratch;  // kept from event to event for its memory
  // What a variable ranges over.
  struct range {
    const value_type* type = nullptr;
    std::size_t sort = 0;                        // of the universe, if the type is an element's
    std::optional<std::vector<mention>> beside;  // none: all of them
  };
  struct check_code {
    std::uint32_t property = 0;
    const check* code = nullptr;
    bool alternative = false;  // the property has another check at this event: both may find the same instance
    std::vector<range> free;   // by its free variables
  };
  struct event_code {
    std::vector<check_code> checks;
    std::vector<const update*> updates;
    std::vector<const ghost_update*> ghost_updates;
    std::vector<std::size_t> sorts;  // by parameter: of the universe; no_sort for a value
    int begins = -1, ends = -1;      // span kind
  };
  static constexpr std::size_t no_sort = static_cast<std::size_t>(-1);

  std::size_t sort_number(const std::string& sort);
  range range_of(const value_type&, std::optional<std::vector<mention>>);
  void prepare_quantifiers(const term&);
  void prepare(const pattern&);
  void prepare_monitors();

  void require_valid(std::int64_t process, std::uint32_t event, const std::vector<argument>& args) const;
  void require_valid(const value_type&, const argument&, const std::string& event) const;
  void meet(const value_type&, std::size_t sort, const argument&);
  void meet(std::size_t sort, std::int64_t number);

  std::int64_t evaluate(const term&, environment&) const;
  std::int64_t evaluate_table(const term&, environment&) const;
  std::int64_t evaluate_quantifier(const term&, environment&) const;
  std::int64_t evaluate_named(const term&, environment&) const;
  void each_value(const value_type&, const std::function<void(std::int64_t)>&) const;
  template <typename F>
  void each_in(const range&, const environment&, F&&) const;
  template <typename List>
  void mentioned(const range&, const environment&, List&) const;
  template <typename F>
  void each_match(const pattern&, environment&, F&&) const;
  bool match_arguments(const pattern&, environment&) const;

  void run_checks(const event_code&, environment&, std::vector<violation>&);
  void run_check(const check_code&, environment&, std::vector<violation>&, bool& matched);
  void assign_free(const check_code&, std::size_t from, environment&, std::vector<violation>&, bool& matched);
  void violated(const check_code&, const environment&, std::vector<violation>&) const;
  violation describe(std::uint32_t property, const check&, const environment&) const;
  std::string print(const value_type&, std::int64_t) const;
  std::string print(const value_type&, const argument&) const;

  void collect(const update&, environment&, std::vector<write>&) const;
  void collect_partial(const update&, environment&, std::size_t frame, std::vector<write>&) const;
  const table* cell_table(std::uint32_t cell, const open_span*) const;
  void apply(const std::vector<write>&, std::vector<open_span>*);

  const monitor_set& set_;
  stream_options options_;
  std::vector<event_code> code_;
  std::unordered_map<const term*, range> quantifiers_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  stream_state state_;
  std::vector<outcome> outcomes_;
  std::uint64_t sequence_ = 0;
  std::unique_ptr<scratch> scratch_;
};

}  // namespace quiesce::monitors
