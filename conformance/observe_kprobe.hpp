// SPDX-License-Identifier: MIT
#pragma once
// Kprobe events on the functions of a teardown: each record says which function ran, for which device. Functions are known
// by their own names in the record, not by the names that the user gave the events.
//
// Probe arguments that are read: name= (the device), event=, ifindex=, net= (of call_netdevice_notifiers_info, fib_flush,
// rt_cache_flush), type= and name= (rtmsg_*), head= (unregister_netdevice_queue), newnet= (__dev_change_net_namespace).

#include <array>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "conformance/observe_builder.hpp"
#include "conformance/observe_ftrace.hpp"
#include "conformance/observe_kprobe_calls.hpp"

namespace quiesce::observe {

// What became of one probe record.
enum class probe_use : std::uint8_t { event, nothing, other };

class kprobe_reader {
 public:
  explicit kprobe_reader(event_builder& to);

  // The builder stands at the record already. False: the text of a function that is read cannot be parsed.
  bool read(std::string_view task, std::string_view text);
  void end();
  // "# NETDEV_PRE_UNINIT = 40": the number of an event in this kernel; the ones of v6.1 are known.
  void event_number(std::uint64_t number, seen kind) { numbers_[number] = kind; }

  bool shows(seen kind) const;
  bool could_show(seen kind) const;
  std::string why_not(seen kind) const;
  bool shows_net() const { return net_shown_; }
  // It must have happened, but no record says when.
  bool missed(seen kind) const { return kind == seen::fib_flush && flush_due_ > 0 && !has("fib_flush"); }
  bool used() const { return !functions_.empty(); }
  bool has_notifications() const { return has("call_netdevice_notifiers_info"); }

 private:
  struct task_view {
    struct queue {
      std::uint64_t head;
      std::vector<slot> devices;
    };
    std::vector<queue> queues;  // unregister_netdevice_queue, by list head; the last one used comes last
    bool locking = false;       // rtnl_lock was called; it is held at the task's next record
    bool many = false;          // unregister_netdevice_many was called; its work may show as another function
    int waiting = 0;            // depth of functions that wait for one grace period
    slot moving = no_slot;      // __dev_change_net_namespace
    std::uint64_t new_net = 0;
    bool in_todo = false, todo_begun = false;
    bool rebroadcasting = false;
    int building = 0;                       // RTM_* that rtmsg_ifinfo is about to build; 0: none
    std::unordered_map<slot, int> built;    // RTM_* messages that are built but not sent
    std::pair<slot, int> sent{no_slot, 0};  // the last one; 0: rtmsg_ifinfo sends it
    call_stack calls;
    int found_routes = -1;      // what fib_sync_down_dev returned for a device that goes: 0 or 1; -1: nothing to come of it
    bool going = false;         // it was called for NETDEV_DOWN or NETDEV_UNREGISTER
    bool closed_early = false;  // unlist_netdevice was taken for the end of dev_close_many
    std::vector<slot> not_stopped;  // NETDEV_DOWN was seen in the close that is open, ndo_stop was not
    std::vector<slot> to_stop;      // NETDEV_GOING_DOWN was seen, neither ndo_stop nor NETDEV_DOWN
    std::vector<slot> flushed;      // dev_mc_flush was seen, ndo_uninit was not
    bool idle() const {
      return queues.empty() && built.empty() && to_stop.empty() && flushed.empty() && !locking && !many && waiting == 0 &&
             moving == no_slot && !in_todo && calls.idle() && found_routes < 0;
    }
  };
  struct reading {
    void (kprobe_reader::*enter)();
    void (kprobe_reader::*leave)();
    std::size_t number = 0;
  };
  static std::unordered_map<std::string_view, reading> with_handlers(std::unordered_map<std::string_view, reading>);
  static const std::unordered_map<std::string_view, reading>& table();

  bool has(std::string_view function) const { return functions_.count(std::string(function)) > 0; }
  bool has_return(std::string_view function) const { return returns_.count(std::string(function)) > 0; }
  void settle_task(std::string_view function);
  void missing(const std::string& text);
  void check_flush(bool flushes);
  void sync_down_return();
  slot named(bool live = false);
  std::uint64_t net_of();
  void of_device(seen kind);
  void of_net(seen kind);
  void begin_wait();
  void end_wait();
  void begin_rollback();

  // One for each function of the table.
  void ignored() {}
  void notify();
  void notify_return();
  void unregister_many();
  void unregister_many_return();
  void unregister_many_front();
  void close_many();
  void close_many_return();
  void queue();
  void unlist();
  void uc_flush();
  void mc_flush();
  void kobject();
  void freed();
  void arp_down();
  void route_flush_dev();
  void neigh_down();
  void sync_down_dev();
  void fib_flushed();
  void cache_flushed();
  void barrier();
  void barrier_return();
  void run_todo();
  void run_todo_return();
  void todo_begins();
  void rtnl_locked();
  void rtnl_unlocked();
  void change_net();
  void link_build();
  void link_send();
  void link_info();
  bool driver_step();
  void uninit(slot);
  void uninit_unseen(slot);
  void note_unregister(slot);

  event_builder& to_;
  std::unordered_map<std::string, task_view> tasks_;
  task_view* task_ = nullptr;
  std::string task_text_;  // whose it is
  probe_text probe_;
  std::map<std::uint64_t, seen> numbers_;
  std::unordered_set<std::string> functions_, returns_;
  std::array<std::array<bool, 2>, 128> noted_{};  // by number in the table: a call, a return was seen
  returning_functions returning_;
  std::uint64_t flush_due_ = 0;  // line where a fib_flush must have been and is not; 0: none
  bool net_shown_ = false, driver_uninit_ = false, driver_stop_ = false;
  bool stops_unseen_ = false;  // a device went down without a record of its ndo_stop
};

}  // namespace quiesce::observe
