// SPDX-License-Identifier: MIT
// What the tasks of a trace asked for: batches that they closed, unregistered or moved.

#include <algorithm>

#include "conformance/observe_model.hpp"

namespace quiesce::observe {
namespace {

class finder {
 public:
  finder(const std::vector<observed_event>& events, bool todo_shown) : events_(events), todo_shown_(todo_shown) {}

  std::vector<asked_operation> run() {
    for (std::size_t i = 0; i < events_.size(); ++i) one(i, events_[i]);
    std::erase_if(found_, [](const asked_operation& o) { return o.devices.empty(); });
    std::sort(found_.begin(), found_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return std::move(found_);
  }

 private:
  struct task_view {
    std::ptrdiff_t current = -1;  // in found_
    int depth = 0;                // open closes and rollbacks
    bool released = false, in_todo = false, again = false;
  };

  using kind = asked_operation::kind;

  void start(task_view& t, std::size_t i, kind what) {
    t = {static_cast<std::ptrdiff_t>(found_.size()), 0, false, false, false};
    found_.push_back({what, events_[i].task, {}, -1, i, i, {}});
  }

  void add(task_view& t, std::size_t i) {
    asked_operation& o = found_[static_cast<std::size_t>(t.current)];
    o.events.push_back(i);
    o.last = i;
  }

  void device(task_view& t, std::int64_t dev) {
    std::vector<std::int64_t>& devices = found_[static_cast<std::size_t>(t.current)].devices;
    if (std::find(devices.begin(), devices.end(), dev) == devices.end()) devices.push_back(dev);
  }

  void one(std::size_t i, const observed_event& e) {
    task_view& t = tasks_[e.task];
    const bool begins = e.kind == seen::close_begin || e.kind == seen::rollback_begin;
    const bool ends = e.kind == seen::close_end || e.kind == seen::rollback_end;
    if (begins && t.depth == 0) {
      start(t, i, e.kind == seen::close_begin ? kind::close : kind::unregister);
      found_.back().devices = e.members;
    }
    if (begins) ++t.depth;
    if (t.current < 0 && t.depth == 0) return outside(t, i, e);
    if (t.depth > 0) {
      if (found_[static_cast<std::size_t>(t.current)].what == kind::close && e.dev >= 0) device(t, e.dev);
      add(t, i);
      if (e.kind == seen::NETDEV_REGISTER) unregistered_.erase(e.dev);
      if (e.kind == seen::NETDEV_UNREGISTER && found_[static_cast<std::size_t>(t.current)].what == kind::unregister)
        unregistered_.insert(e.dev);
      if (ends) --t.depth;
      return;
    }
    if (!tail(t, i, e)) {
      t.current = -1;
      outside(t, i, e);
    }
  }

  void outside(task_view& t, std::size_t i, const observed_event& e) {
    const bool going = e.kind == seen::NETDEV_GOING_DOWN,
               leaving = e.kind == seen::unlist_netdevice || e.kind == seen::NETDEV_UNREGISTER;
    if (!going && !leaving) return;
    if (unregistered_.count(e.dev)) return;
    start(t, i, going ? kind::set_down : kind::move);
    device(t, e.dev);
    add(t, i);
  }

  // Behind the last span of an operation. False: the event is not of the operation any more.
  bool tail(task_view& t, std::size_t i, const observed_event& e) {
    asked_operation& o = found_[static_cast<std::size_t>(t.current)];
    switch (e.kind) {
      case seen::rtnl_unlock:
        if (t.released && !t.in_todo) return false;
        t.released = true;
        break;
      case seen::run_todo_begin:
        t.in_todo = true;
        break;
      case seen::run_todo_end:
        add(t, i);
        t.current = -1;
        return true;
      case seen::rebroadcast_begin:
        t.again = true;
        break;
      case seen::rebroadcast_end:
        t.again = false;
        break;
      case seen::dev_hold:
      case seen::dev_put:
        break;
      default:
        if (t.released && !t.in_todo && !t.again && (todo_shown_ || !is_todo_step(e.kind))) return false;
        if (!t.released || t.in_todo || t.again || todo_shown_)
          if (!t.in_todo && !t.again && !of_rest(o, e)) return false;
    }
    add(t, i);
    return true;
  }

  static bool is_todo_step(seen kind) {
    return kind == seen::rcu_barrier_begin || kind == seen::rcu_barrier_end || kind == seen::free_netdev;
  }

  // A move goes on behind its close; a single device is closed without a span.
  bool of_rest(asked_operation& o, const observed_event& e) {
    if (o.what == kind::unregister) return false;
    const bool own = e.dev < 0 || std::find(o.devices.begin(), o.devices.end(), e.dev) != o.devices.end();
    if (!own) return false;
    if (e.kind == seen::NETDEV_UNREGISTER || e.kind == seen::unlist_netdevice) {
      if (o.devices.size() != 1) return false;
      o.what = kind::move;
    }
    if (e.kind == seen::NETDEV_GOING_DOWN && o.what == kind::move) return false;
    if (e.kind == seen::NETDEV_REGISTER) o.to_net = e.net;
    return true;
  }

  const std::vector<observed_event>& events_;
  bool todo_shown_;
  std::set<std::int64_t> unregistered_;  // in an operation already
  std::vector<asked_operation> found_;
  std::map<std::uint32_t, task_view> tasks_;
};

}  // namespace

std::vector<asked_operation> operations_of(const std::vector<observed_event>& events, bool todo_shown) {
  return finder(events, todo_shown).run();
}

}  // namespace quiesce::observe
