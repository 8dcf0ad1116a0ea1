// SPDX-License-Identifier: MIT
#pragma once
// The independence relation, stated once: it reduces the controlled schedules, it is the equivalence under which traces of
// the reference stack and of a model are compared, and it says which events may overtake each other in trace inclusion.
//
// Two events are dependent if one actor (task, softirq) did both, or if they touch an object in common, unless both only
// read it or both only count on it (holds and puts commute; a poll of the count reads it). What an event touches follows
// from its name and arguments alone:
//
//   RTNL      everything that happens under RTNL: notifications, spans, driver calls, tables, grace periods of a teardown.
//             Mutual exclusion orders these anyway.
//   dev(d)    what is about the existence or the references of a device, also outside RTNL: holds and puts (which count),
//             polls (which read), the wait for references, the free.
//   net(n)    a namespace is set up, ends, is freed.
//   readers   RCU read-side sections (which only read) against the ends of grace periods.
//   timers    timers are armed, disarmed, fire.
//   linkwatch the list of link events.
//   fib6      the IPv6 collector and what it counts.
//   other     every event that is not in the table.
//
// call_rcu, RCU callbacks and barriers touch nothing here: in a comparison they are ordered within their actor only, and the
// controlled scheduler knows more exactly which callback a barrier waits for.
//
// Mazurkiewicz, "Trace theory" (1987). Normal form: Cartier and Foata (1969): level by level, each letter as early as its
// dependences allow.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quiesce::conformance {

enum class object_kind : std::uint8_t {
  rtnl,
  dev,
  net,
  readers,
  callbacks_queued,
  callbacks_run,
  timers,
  linkwatch,
  fib6,
  stopped,
  other,
  lock,
  queue,
  none
};

enum class touch_mode : std::uint8_t { reads, counts, writes };
struct touch {
  std::uint64_t object = 0;
  touch_mode mode = touch_mode::writes;
  auto operator<=>(const touch&) const = default;
};
constexpr bool commute(touch_mode a, touch_mode b) { return a == b && a != touch_mode::writes; }
constexpr std::uint64_t object_of(object_kind k, std::uint64_t number = 0) {
  return static_cast<std::uint64_t>(k) << 56 | (number & 0x00ffffffffffffffu);
}

// How the table classifies an event, by name.
struct event_class {
  bool rtnl = false;
  bool dev = false;  // its device is touched as an object of its own
  touch_mode dev_mode = touch_mode::writes;
  bool net = false;
  object_kind more = object_kind::none;
  touch_mode more_mode = touch_mode::writes;
};
const event_class& class_of(std::string_view event_name);

// What an event touches. `dev`, `net`: numbers of its device and namespace, or -1.
std::vector<touch> touches_of(const event_class&, std::int64_t dev, std::int64_t net);

bool dependent(const std::vector<touch>&, const std::vector<touch>&);

// An event for comparison: who, what, about which devices and namespaces; `text` identifies and prints it.
struct letter {
  std::string text;
  std::uint32_t actor = 0;
  std::vector<touch> touches;
};

// The class of a trace, as its Foata normal form builds it up letter by letter. Equal ids: equivalent traces (up to a
// collision of 128 bits).
struct class_id {
  std::uint64_t high = 0, low = 0;
  auto operator<=>(const class_id&) const = default;
};
class normal_form {
 public:
  // The level of the letter in the form. O(touches).
  std::uint32_t add(const letter&);
  const class_id& id() const { return id_; }

 private:
  struct seen {
    std::uint64_t object;
    std::uint32_t level[3] = {0, 0, 0};  // highest so far, by mode; 0: none
  };
  seen& of(std::uint64_t object);
  std::vector<seen> objects_;
  class_id id_;
};

// The canonical representative: the letters level by level, within a level by text; as their numbers in the argument.
std::vector<std::size_t> foata(const std::vector<letter>&);
class_id class_of_trace(const std::vector<letter>&);

}  // namespace quiesce::conformance
