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
  std::vector<std::string_view> frames;  // functions, with offsets where the recording has them; innermost first
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
  std::string site;  // the caller with the place in it, where the recording has that
  std::string hint;  // device that records before it name; empty: none
};

class stack_reader {
 public:
  explicit stack_reader(event_builder& to) : to_(to), options_(to.hints()) {}
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
    int depth = 0;
    std::vector<std::string> handlers;  // that have run; the first once more, and it is another call
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
  bool starts_call(task_view&, const handler_run&, std::uint64_t stack, int depth);
  void check_handlers(const open_call&, std::uint64_t line, bool whole);
  void call(std::string_view task, chain_call);
  void finish(batch&);
  void finish_ready(std::size_t keep);

  event_builder& to_;
  const source_hints& options_;  // which may become known while the source is read
  std::map<std::string, task_view, std::less<>> tasks_;
  std::deque<batch> batches_;
  std::vector<std::string> handlers_;  // of a whole call
  std::string leader_;                 // first handler of a call whose beginning was seen for certain
  std::size_t named_ = 0;              // of dellink_order
  bool used_ = false, pre_uninit_seen_ = false;
};

// Functions of a stack: what the call of the chain is for. False: another chain, or no chain at all.
bool classify(const std::vector<std::string_view>& frames, chain_call&, std::uint64_t& stack);

}  // namespace quiesce::observe
