// SPDX-License-Identifier: MIT
#pragma once
// From sightings to events: which device a record means, the spans of each task, and what is held back until it is known.
//
// A device is known by what records say of it: name, namespace, ifindex. A record with a name alone means a device of the
// task's own batch, else one on its way out, else the only registered one of that name. Two of one name in a batch (the
// loopback devices of two namespaces) are told apart by the order of the batch; that is marked as inferred.

#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "conformance/observe.hpp"

namespace quiesce::observe {

// A device as a record names it. What the record does not say is empty or 0.
struct sighting {
  std::string_view name;
  std::int32_t ifindex = 0;
  std::uint64_t net = 0;  // inode of the namespace
};

using slot = std::uint32_t;
inline constexpr slot no_slot = std::numeric_limits<slot>::max();

enum class span_kind : std::uint8_t { close, rollback, rebroadcast, replay };

struct device_info {
  std::string name;
  std::int32_t ifindex = 0;
  std::uint64_t net = 0;  // inode; 0: not known yet
  enum class life : std::uint8_t { registered, in_rollback, unregistered, freed } state = life::registered;
};

// What is known about a recording that does not stand in it.
struct source_hints {
  enum class pre_uninit : std::uint8_t { unknown, sent, not_sent } sends_pre_uninit = pre_uninit::unknown;
  std::size_t batch_size = 0;              // devices in the user's own batch; 0: not known
  std::vector<std::string> dellink_order;  // names in the order of RTM_DELLINK, recorded together
};

struct builder_limits {
  std::size_t pending = 1 << 20;  // events held back
  std::size_t devices = 1 << 16;
  std::size_t freed = 32;         // devices that are freed but may be mentioned again
  std::size_t unregistered = 16;  // devices on their way out; twice the largest batch if that is more
  std::size_t tasks = 1 << 14;
  std::size_t remarks = 100;
  std::size_t names = 4096;  // of other records
};

class event_builder {
 public:
  explicit event_builder(event_consumer& to, source_hints hints = {}, builder_limits limits = {})
      : to_(to), hints_(std::move(hints)), limits_(limits) {}
  const source_hints& hints() const { return hints_; }
  // The version of the kernel, once it is known; empty: it is not.
  void kernel(const std::string& version);

  // --- where the record stands; call before anything else of a record
  void record(std::string_view task, std::uint64_t line, std::int64_t time);
  // The same for a record that was held back: it isn't counted again.
  void record_again(std::string_view task, std::uint64_t line, std::int64_t time);
  // The time of the next record in the order of the file (`record` does it itself); -1: it has none.
  void clock(std::uint64_t line, std::int64_t time);

  // --- devices
  // The device that the record means. `step` (a function's name) counts mentions within a batch, to tell devices of one name
  // apart. `live`: one that is on its way out, or freed, isn't meant; another of its name has taken its place unseen.
  slot device(const sighting&, std::string_view step = {}, bool live = false);
  slot find_member(std::string_view name) const;  // in the innermost rollback of the task; no_slot: none
  slot fresh(const sighting&);                    // one that was not there before
  slot registered(const sighting&);               // NETDEV_REGISTER: the one that arrives, or a new one
  void set_net(slot, std::uint64_t net);
  void set_state(slot, device_info::life);
  const device_info* info(slot) const;

  // --- events of the current record
  void emit(seen kind, slot dev = no_slot, bool inferred = false);  // net: the device's
  void emit_net(seen kind, std::uint64_t net, bool inferred = false);
  void emit_at(seen kind, slot dev, std::uint64_t net, bool inferred, int up = -1);

  // --- spans of the current task
  void open(span_kind, std::vector<slot> members, bool inferred);
  void add_member(slot);  // to the innermost rollback, or close, if it is not in it
  // Closes the innermost span of the kind; spans inside it that the source left open are closed too. False: there is none.
  bool close(span_kind, bool inferred = false);
  void close_all(bool inferred);                      // of the current task
  bool within(span_kind) const;                       // of the current task
  std::size_t depth() const;                          // open spans of the current task
  const std::vector<slot>* members(span_kind) const;  // of the innermost one
  bool anything_open() const { return open_count_ > 0; }

  // --- what could not be read or is missing
  void lost(std::uint64_t records, std::uint64_t line, std::string text);
  void unread(std::uint64_t line, std::string text);
  void doubtful(doubt, std::uint64_t line, std::string text);
  void remark_at(std::uint64_t line, std::string text);
  void other(std::string_view name);  // a record that shows no event
  void label(std::string_view text);

  void flush();  // hands on everything held back
  source_summary& summary() { return summary_; }
  std::uint64_t line_number() const { return line_; }

  // Names for output. Valid until the device or namespace is gone.
  std::string device_name(std::int64_t dev) const;
  std::uint64_t net_inode(std::int64_t net) const;
  std::string task_name(std::uint32_t number) const;

 private:
  struct span {
    span_kind kind;
    std::size_t begin;  // index of its begin event among all events so far
    std::vector<slot> members;
    std::unordered_map<std::string, std::uint32_t> mentions;
    static constexpr std::size_t searched = 16;  // members that are looked through; of more there is an index
    mutable std::unordered_map<slot, std::size_t> index;
    mutable std::size_t indexed = 0;  // members that are in the index
    std::size_t position(slot) const;
  };
  struct task_state {
    std::uint32_t number = 0;
    std::vector<span> spans;
  };
  struct held {
    observed_event event;
    slot dev = no_slot;
    std::uint64_t net = 0;
    bool with_net = false;  // the event has a namespace
    std::vector<slot> members;
  };

  slot create(const sighting&);
  slot among_members(const sighting&, std::string_view step);
  slot by_name(const sighting&, bool live) const;
  std::vector<slot> fitting_members(const span&, const sighting&) const;
  template <typename F>
  void each_named(const sighting&, F&&) const;
  void name(slot, const device_info&);
  void unname(slot, const device_info&);
  slot bind(slot, const sighting&);  // the slot, or the one that it turned out to be
  void merge(slot from, slot to);
  void push(held);
  void settle();  // flushes unless a span is open
  void hand_on(held&);
  std::int64_t net_number(std::uint64_t inode);
  void forget(slot);
  void forget_departed();
  void forget_oldest();
  task_state& current();

  event_consumer& to_;
  source_hints hints_;
  builder_limits limits_;
  source_summary summary_;
  std::unordered_map<std::string, task_state> tasks_;
  task_state* task_ = nullptr;
  std::string task_text_;
  std::unordered_map<std::uint32_t, std::string> task_names_;
  std::uint32_t next_task_ = 0;
  std::uint64_t line_ = 0;
  std::int64_t time_ = -1;
  std::int64_t latest_ = -1;  // of all records so far
  std::size_t open_count_ = 0;
  std::deque<held> pending_;
  std::size_t handed_ = 0;  // events handed on: pending_[i] is event number handed_ + i
  std::unordered_map<slot, device_info> devices_;
  std::unordered_map<std::string, std::unordered_map<std::uint64_t, std::vector<slot>>> names_;  // by name and namespace
  std::deque<slot> unregistered_, freed_;
  std::size_t largest_batch_ = 0;
  slot next_ = 0;
  struct net_info {
    std::int64_t number;
    std::size_t devices;
  };
  std::unordered_map<std::uint64_t, net_info> nets_;
  std::unordered_map<std::int64_t, std::uint64_t> inodes_;
  std::int64_t next_net_ = 0;
};

}  // namespace quiesce::observe
