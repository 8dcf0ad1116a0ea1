// SPDX-License-Identifier: MIT
#pragma once
// What happened in each batch: devices, namespaces, order, grace periods, flushes, RTNL time.

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "conformance/observe.hpp"

namespace quiesce::observe {

struct batch_device {
  std::int64_t id = -1;
  std::string name, net, new_net;  // new_net: where a move took it
};

struct batch;

// Steps in a row for one device, or without one; or a batch inside.
struct batch_turn {
  std::int64_t dev = -1;
  std::vector<std::string_view> steps;  // names of events, or other words that last
  std::shared_ptr<batch> inside;
};

enum class batch_kind : std::uint8_t { rollback, close, move, link, messages };

struct batch {
  batch_kind kind = batch_kind::link;
  std::uint32_t task = 0;
  std::string task_name;
  bool inferred = false;  // its begin and end do not stand in the source
  bool ended = false;
  std::uint64_t first_line = 0, last_line = 0;
  std::int64_t first_time = -1, last_time = -1;
  std::vector<batch_device> devices;                    // in the order in which they were queued, or seen
  std::unordered_map<std::int64_t, std::size_t> index;  // id -> place in devices
  std::unordered_map<std::int64_t, std::string> names;  // also of devices in batches inside, if they are freed behind it
  std::vector<batch_turn> turns;
  std::map<seen, std::uint64_t> counts;  // inner batches included
  std::uint64_t grace_periods = 0, barriers = 0;
  std::int64_t rtnl_taken = -1, rtnl_released = -1;  // time; taken -1: not shown
  bool in_todo = false;
  std::uint64_t todo_barriers = 0;
  std::vector<std::int64_t> freed;
  struct rebroadcast {
    std::int64_t dev;
    std::uint64_t line;
    std::int64_t time;
  };
  std::vector<rebroadcast> rebroadcasts;
};

class batch_log : public event_consumer {
 public:
  using naming = std::function<std::string(std::int64_t)>;
  // Each batch is handed on when it is complete, in order of completion.
  batch_log(naming device, naming net, naming task, std::function<void(batch&&)> to)
      : device_name_(std::move(device)), net_name_(std::move(net)), task_name_(std::move(task)), to_(std::move(to)) {}
  void event(const observed_event&) override;
  void gone(std::int64_t) override {}
  void gone_net(std::int64_t) override {}
  void end();

 private:
  struct task_view {
    std::shared_ptr<batch> current;            // outermost
    std::vector<std::shared_ptr<batch>> open;  // rollbacks and closes that are open, but closes inside a rollback
    std::vector<bool> spans;                   // for each open span: whether it has a batch of its own in `open`
    std::int64_t rtnl_taken = -1;
    bool rebroadcasting = false;
  };
  void begin(task_view&, const observed_event&);
  void finish_span(task_view&, const observed_event&);
  void step(task_view&, const observed_event&);
  void todo(task_view&, const observed_event&);
  void outside(task_view&, const observed_event&);
  void start(task_view&, const observed_event&, batch_kind);
  void hand_on(task_view&);
  void add_device(batch&, std::int64_t dev, std::int64_t net);
  void add_step(batch&, const observed_event&, std::string_view text);
  void count(task_view&, const observed_event&);

  naming device_name_, net_name_, task_name_;
  std::function<void(batch&&)> to_;
  std::map<std::uint32_t, task_view> tasks_;
};

}  // namespace quiesce::observe
