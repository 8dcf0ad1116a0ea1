// SPDX-License-Identifier: MIT
#include "conformance/observe_batches.hpp"

#include <algorithm>

namespace quiesce::observe {
namespace {

constexpr std::size_t tasks_kept = 1 << 12;

// Those that make up the order of a batch; the others are counted.
bool in_order(seen kind) {
  switch (kind) {
    case seen::NETDEV_REGISTER:
    case seen::NETDEV_UP:
    case seen::NETDEV_GOING_DOWN:
    case seen::NETDEV_DOWN:
    case seen::NETDEV_UNREGISTER:
    case seen::NETDEV_PRE_UNINIT:
    case seen::NETDEV_UNREGISTER_FINAL:
    case seen::unlist_netdevice:
    case seen::ndo_stop:
    case seen::ndo_uninit:
    case seen::dev_uc_flush:
    case seen::dev_mc_flush:
    case seen::netdev_unregister_kobject:
    case seen::dev_hold:
    case seen::dev_put:
    case seen::RTM_NEWLINK:
    case seen::RTM_DELLINK:
      return true;
    default:
      return false;
  }
}

}  // namespace

void batch_log::event(const observed_event& e) {
  if (tasks_.size() > tasks_kept)
    std::erase_if(tasks_, [](const auto& entry) { return !entry.second.current && entry.second.spans.empty(); });
  task_view& task = tasks_[e.task];
  switch (e.kind) {
    case seen::close_begin:
    case seen::rollback_begin:
      return begin(task, e);
    case seen::close_end:
    case seen::rollback_end:
      return finish_span(task, e);
    case seen::rtnl_lock:
      task.rtnl_taken = e.time;
      return;
    case seen::rtnl_unlock:
      if (task.current && task.current->rtnl_released < 0) {
        task.current->rtnl_taken = task.rtnl_taken;
        task.current->rtnl_released = e.time;
      }
      task.rtnl_taken = -1;
      return;
    default:
      break;
  }
  if (!task.spans.empty()) return step(task, e);
  if (task.current && task.current->in_todo) return todo(task, e);
  outside(task, e);
}

void batch_log::begin(task_view& task, const observed_event& e) {
  const bool rollback = e.kind == seen::rollback_begin;
  const bool own = rollback || task.open.empty();
  task.spans.push_back(own);
  if (!own) return;
  auto made = std::make_shared<batch>();
  made->kind = rollback ? batch_kind::rollback : batch_kind::close;
  made->task = e.task;
  made->inferred = e.inferred;
  made->first_line = made->last_line = e.line;
  made->first_time = made->last_time = e.time;
  for (std::int64_t m : e.members) add_device(*made, m, -1);
  if (task.open.empty()) {
    hand_on(task);
    task.current = made;
  } else {
    task.open.back()->turns.push_back({-1, {}, made});
  }
  task.open.push_back(std::move(made));
}

void batch_log::finish_span(task_view& task, const observed_event& e) {
  if (task.spans.empty()) return;
  const bool own = task.spans.back();
  task.spans.pop_back();
  if (!own || task.open.empty()) return;
  batch& b = *task.open.back();
  b.ended = true;
  b.last_line = e.line;
  b.last_time = e.time;
  // A rollback that found nothing to do is not worth a word.
  if (b.kind == batch_kind::rollback && b.devices.empty() && b.turns.empty() && task.open.size() == 1) task.current.reset();
  task.open.pop_back();
}

void batch_log::count(task_view& task, const observed_event& e) {
  if (e.kind == seen::synchronize_net_end)
    for (auto& b : task.open) ++b->grace_periods;
  if (e.kind == seen::rcu_barrier_end)
    for (auto& b : task.open) ++b->barriers;
  for (auto& b : task.open) ++b->counts[e.kind];
}

void batch_log::step(task_view& task, const observed_event& e) {
  if (task.open.empty()) return;
  count(task, e);
  batch& b = *task.open.back();
  b.last_line = e.line;
  if (e.kind == seen::synchronize_net_end) return add_step(b, e, "grace period");
  if (e.kind == seen::rcu_barrier_end) return add_step(b, e, "rcu_barrier");
  if (in_order(e.kind)) add_step(b, e, name_of(e.kind));
}

void batch_log::add_step(batch& b, const observed_event& e, std::string_view text) {
  if (e.dev >= 0) add_device(b, e.dev, e.net);
  if (b.turns.empty() || b.turns.back().inside || b.turns.back().dev != e.dev) b.turns.push_back({e.dev, {}, nullptr});
  b.turns.back().steps.push_back(text);
}

void batch_log::add_device(batch& b, std::int64_t dev, std::int64_t net) {
  const auto [entry, inserted] = b.index.try_emplace(dev, b.devices.size());
  if (inserted) {
    b.names[dev] = device_name_(dev);
    b.devices.push_back({dev, b.names[dev], {}, {}});
  }
  batch_device& d = b.devices[entry->second];
  if (net < 0) return;
  const std::string name = net_name_(net);
  if (d.net.empty()) d.net = name;
  if (d.net != name) d.new_net = name;
}

void batch_log::start(task_view& task, const observed_event& e, batch_kind kind) {
  hand_on(task);
  task.current = std::make_shared<batch>();
  task.current->kind = kind;
  task.current->task = e.task;
  task.current->inferred = kind == batch_kind::messages;
  task.current->first_line = e.line;
  task.current->first_time = e.time;
}

// After netdev_run_todo began.
void batch_log::todo(task_view& task, const observed_event& e) {
  batch& b = *task.current;
  if (e.kind == seen::rcu_barrier_end) ++b.todo_barriers;
  if (e.kind == seen::free_netdev) b.freed.push_back(e.dev);
  if (e.dev >= 0) b.names.try_emplace(e.dev, device_name_(e.dev));
  if (e.kind == seen::rebroadcast_begin) b.rebroadcasts.push_back({e.dev, e.line, e.time});
  if (e.kind == seen::run_todo_end) hand_on(task);
}

// No rollback and no close is open: moves, single devices that are closed, messages.
void batch_log::outside(task_view& task, const observed_event& e) {
  const auto mine = [&] { return task.current && task.current->index.count(e.dev) > 0; };
  if (e.kind == seen::run_todo_begin) {
    if (task.current) task.current->in_todo = true;
    return;
  }
  if (e.kind == seen::rebroadcast_begin || e.kind == seen::rebroadcast_end) {
    task.rebroadcasting = e.kind == seen::rebroadcast_begin;
    if (task.current && task.rebroadcasting) task.current->rebroadcasts.push_back({e.dev, e.line, e.time});
    return;
  }
  if (task.rebroadcasting) return;
  // With RTNL released only the list of netdev_run_todo, and references, belong to it still.
  if (task.current && task.current->rtnl_released >= 0 && e.kind != seen::dev_put && e.kind != seen::dev_hold) hand_on(task);
  const bool message = e.kind == seen::RTM_NEWLINK || e.kind == seen::RTM_DELLINK;
  if (!task.current) {
    if (!in_order(e.kind)) return;
    start(task, e, message ? batch_kind::messages : batch_kind::link);
  } else if (task.current->kind == batch_kind::messages) {
    const bool gone = !task.current->turns.empty() && task.current->turns.back().steps.back() == name_of(seen::RTM_DELLINK);
    if (gone && e.kind == seen::RTM_NEWLINK) start(task, e, batch_kind::messages);
  } else if (in_order(e.kind) && !mine() && e.kind != seen::dev_put && e.kind != seen::dev_hold) {
    start(task, e, message ? batch_kind::messages : batch_kind::link);
  }
  batch& b = *task.current;
  if (e.kind == seen::NETDEV_UNREGISTER && b.kind != batch_kind::rollback) b.kind = batch_kind::move;
  if (b.kind == batch_kind::rollback && !in_order(e.kind)) return;
  ++b.counts[e.kind];
  if (e.kind == seen::synchronize_net_end) ++b.grace_periods;
  if (e.kind == seen::rcu_barrier_end) ++b.barriers;
  b.last_line = e.line;
  b.last_time = e.time;
  b.ended = true;
  if (e.kind == seen::synchronize_net_end) return add_step(b, e, "grace period");
  if (e.kind == seen::rcu_barrier_end) return add_step(b, e, "rcu_barrier");
  if (in_order(e.kind)) add_step(b, e, name_of(e.kind));
}

void batch_log::hand_on(task_view& task) {
  if (!task.current) return;
  batch done = std::move(*task.current);
  done.task_name = task_name_(done.task);
  task.current.reset();
  to_(std::move(done));
}

void batch_log::end() {
  for (auto& [number, task] : tasks_) hand_on(task);
}

}  // namespace quiesce::observe
