// SPDX-License-Identifier: MIT
#pragma once
// Observers: what a source of a running kernel says (text, netlink messages), as events of properties/events.prop.
//
//   source -> records (one grammar for each kind of line) -> sightings -> event_builder -> events -> event_consumer
//
// An observer says for each record what it shows; `event_builder` finds out which device is meant, keeps the spans of each
// task, holds events back until the devices and namespaces of the batch around them are known, and hands them on in the
// order of the records. What does not stand in the source but follows from it is marked `inferred`. What a source cannot
// show stays unknown: namespace -1, and the coverage (observe_coverage.hpp) says which events it does not show at all.

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace quiesce::observe {

// The events of the vocabulary that some source shows.
// clang-format off
#define QUIESCE_OBSERVED_EVENTS(X)                                                                                          \
  X(NETDEV_REGISTER) X(NETDEV_UP) X(NETDEV_GOING_DOWN) X(NETDEV_DOWN) X(NETDEV_UNREGISTER) X(NETDEV_PRE_UNINIT)             \
  X(NETDEV_UNREGISTER_FINAL) X(unlist_netdevice) X(ndo_stop) X(ndo_uninit) X(dev_uc_flush) X(dev_mc_flush)                  \
  X(netdev_unregister_kobject) X(run_todo_begin) X(run_todo_end) X(free_netdev) X(dev_hold) X(dev_put)                      \
  X(synchronize_net_begin) X(synchronize_net_end) X(rcu_barrier_begin) X(rcu_barrier_end) X(fib_sync_down_dev)              \
  X(fib_flush) X(rt_cache_flush) X(rt_flush_dev) X(arp_ifdown) X(neigh_flush) X(pneigh_flush) X(rtnl_lock) X(rtnl_unlock)   \
  X(RTM_NEWLINK) X(RTM_DELLINK) X(close_begin) X(close_end) X(rollback_begin) X(rollback_end) X(rebroadcast_begin)          \
  X(rebroadcast_end)
// clang-format on
enum class seen : std::uint8_t {
#define X(name) name,
  QUIESCE_OBSERVED_EVENTS(X)
#undef X
};
inline constexpr std::size_t seen_kinds = 0
#define X(name) +1
    QUIESCE_OBSERVED_EVENTS(X)
#undef X
    ;
std::string_view name_of(seen);

// Parameters that the event has in the vocabulary, in its order.
enum class shape : std::uint8_t { nothing, dev, dev_net, net, net_dev, devs };
shape shape_of(seen);

struct observed_event {
  seen kind{};
  bool inferred = false;
  std::uint32_t task = 0;             // number of the task, in order of appearance
  std::int64_t dev = -1;              // -1: none. Never given to another device.
  std::int64_t net = -1;              // -1: none, or not known
  std::vector<std::int64_t> members;  // of the begin of a close or rollback: in their order, as far as that is known
  std::uint64_t line = 0;             // of the record, from 1
  std::int64_t time = -1;             // nanoseconds of the source's clock; -1: not shown
  std::int8_t up = -1;                // IFF_UP of the device, where the record says it
};

// Why the rules that rest on order, or on nothing being missed, cannot be decided from here on.
enum class doubt : std::uint8_t {
  lost_records,     // the kernel or the recorder dropped some
  unread_line,      // a line that no grammar explains
  foreign_task,     // a record of another task inside a batch whose records are told apart by order
  unexpected_size,  // a batch whose number of notifications fits no number of devices
  began_inside,     // the source begins inside a batch
  unmatched,        // calls and returns, or begins and ends, do not fit: one is missing, or there twice
  too_many,         // more devices, tasks or pending events than are kept
  time_back,        // the time of a record is before that of an earlier one: several recordings, or one that was changed
  contradiction     // a record says what no kernel does, or two things that exclude each other
};
inline constexpr std::size_t doubts = 9;

class event_consumer {
 public:
  virtual ~event_consumer() = default;
  virtual void event(const observed_event&) = 0;
  virtual void gone(std::int64_t dev) = 0;  // will not be mentioned again
  virtual void gone_net(std::int64_t net) = 0;
};

// What is wrong with, or worth knowing about, single lines. Kept up to a number, counted beyond.
struct remark {
  std::uint64_t line = 0;
  std::string text;
};

// unregister_netdevice: waiting for NAME to become free. Usage count = N, and what reference tracking prints behind it.
struct wait_report {
  std::uint64_t line = 0;
  std::int64_t time = -1;
  std::string device;
  std::int64_t count = 0;
  struct holder {
    std::string what;                // "2/4 users", or empty
    std::vector<std::string> stack;  // functions, innermost first
  };
  std::vector<holder> holders;
};

// What a source contained besides events.
struct source_summary {
  std::string format;
  std::string kernel;  // empty: the source does not say
  std::uint64_t lines = 0, records = 0, events = 0, unexplained = 0;
  std::uint64_t lost = 0;                // records, as far as the source counts them
  bool cut = false;                      // the last line has no end
  bool loss = false;                     // some were lost, counted or not
  std::array<bool, seen_kinds> shown{};  // what the source shows whenever it happens
  std::array<bool, doubts> doubted{};
  std::map<std::string, std::uint64_t, std::less<>> others;  // records that show no event, by name; capped
  std::vector<remark> unexplained_lines;
  std::vector<remark> remarks;
  std::vector<std::string> labels;  // scenario markers
  std::vector<wait_report> waits;   // capped
  std::uint64_t more_waits = 0;
};

class event_builder;

// One format. Lines come without their end. Netlink messages come as one "line" each.
class observer {
 public:
  virtual ~observer() = default;
  virtual void line(std::string_view text, std::uint64_t number) = 0;
  virtual void end() = 0;  // no more lines; hands on what was held back
  // Whether the source shows the event whenever it happens. `seen` says which names and functions occurred.
  virtual bool shows(seen kind) const = 0;
  // Whether another recording of this format could show it: that this one does not may be because it did not happen.
  virtual bool could_show(seen kind) const { return shows(kind); }
  // It happened without being shown: something else says so.
  virtual bool missed(seen) const { return false; }
  // Says why not, for a reader.
  virtual std::string why_not(seen kind) const = 0;
  virtual bool shows_net() const = 0;
  virtual bool shows_tasks() const { return true; }  // who does what
  // Whether what `shows` says at the first event stays so.
  virtual bool fixed_coverage() const { return false; }
};

struct format {
  const char* name;
  const char* what;
  // How well the first lines fit: 0 not at all.
  int (*fits)(std::string_view head);
  std::unique_ptr<observer> (*make)(event_builder&);
  bool binary = false;  // netlink messages instead of lines
};

// Adding a format is a file and a line in this table (observe_formats.cpp).
const std::vector<format>& formats();
// The format that fits best; null: none does.
const format* detect(std::string_view head);
const format* format_named(std::string_view name);

// Feeds a file (plain, or .xz) or standard input (`-`) to the observer of its format. Memory does not grow with the file.
// Throws diagnostic: cannot be read, no format fits, is not a valid .xz.
struct observed_source {
  source_summary summary;
  std::unique_ptr<observer> by;
};
struct observe_options {
  std::string format;                           // empty: detect
  std::string kernel;                           // empty: what the source says
  std::function<void(const observer&)> opened;  // before the first line
};
observed_source observe_file(const std::string& path, const observe_options&, event_builder&);

}  // namespace quiesce::observe
