// SPDX-License-Identifier: MIT
#pragma once
// Tracepoint notifier:notifier_run with the kernel stack: each record is one handler's run and carries neither the event nor
// the device. Which event it is follows from the function that calls the chain; which device, from records in between that
// name one (qdisc_destroy, qdisc_reset), or from the order of the kernel's DELLINK messages; else devices are numbered.
//
// NETDEV_UNREGISTER and NETDEV_PRE_UNINIT come from one function. A rollback that sends both sends them to each device in
// turn, so the second of a pair is NETDEV_PRE_UNINIT; nothing is read into a build's offsets.

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/observe_builder.hpp"

namespace quiesce::observe {

struct handler_run {
  std::string_view task;
  std::string_view handler;
  std::vector<std::string_view> frames;  // function names, innermost first
  std::uint64_t line = 0;
  std::int64_t time = -1;
};

// What a call of the netdevice notifier chain is for.
enum class call_kind : std::uint8_t { going_down, down, unregister, other };

struct chain_call {
  call_kind kind = call_kind::other;
  std::string caller;  // first function outside the chain's own
  std::string root;    // below the rollback, close or move: who asked for it
  bool in_rollback = false, in_move = false, in_close = false;
  int depth = 0;  // calls of the chain around this one
  std::uint64_t line = 0;
  std::int64_t time = -1;
  std::string hint;  // device that records before it name; empty: none
};

class stack_reader {
 public:
  stack_reader(event_builder& to, source_hints options) : to_(to), options_(std::move(options)) {}
  void run(const handler_run&);
  // qdisc_destroy dev=v0: the next NETDEV_UNREGISTER of the task is of this device, if it was up.
  void destroyed(std::string_view task, std::string_view device);
  void end();
  bool used() const { return used_; }
  bool pre_uninit_seen() const { return pre_uninit_seen_; }
  // As observer::shows, of what stacks tell; only once stacks were seen.
  bool shows(seen kind) const;

 private:
  struct open_call {
    std::uint64_t stack = 0;  // hash of the functions from the caller on
    std::string first;        // its first handler: once more, and it is another call
  };
  struct task_view {
    std::vector<open_call> calls;
    std::string hint;
  };
  struct batch {
    std::string task;
    std::vector<chain_call> calls;
    bool closed = false;
  };
  bool starts_call(task_view&, const handler_run&, std::uint64_t stack);
  void call(std::string_view task, chain_call);
  void finish(batch&);
  void finish_ready(std::size_t keep);

  event_builder& to_;
  source_hints options_;
  std::map<std::string, task_view, std::less<>> tasks_;
  std::deque<batch> batches_;
  std::string leader_;     // first handler of a call whose beginning was seen for certain
  std::size_t named_ = 0;  // of dellink_order
  bool used_ = false, pre_uninit_seen_ = false;
};

// Functions of a stack: what the call of the chain is for. False: another chain, or no chain at all.
bool classify(const std::vector<std::string_view>& frames, chain_call&, std::uint64_t& stack);

}  // namespace quiesce::observe
