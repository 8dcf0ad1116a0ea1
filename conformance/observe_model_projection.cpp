// SPDX-License-Identifier: MIT
#include "conformance/observe_model_projection.hpp"

#include <algorithm>

namespace quiesce::observe {
namespace {

conformance::seen_value value_of(std::int64_t identity) {
  return identity < 0 ? conformance::seen_value{} : conformance::seen_value::of(identity);
}

bool is_reference(seen kind) { return kind == seen::dev_hold || kind == seen::dev_put; }

conformance::seen_event converted(const observed_event& e) {
  conformance::seen_event out{std::string(name_of(e.kind)), e.task, {}};
  if (is_reference(e.kind)) out.task.reset();  // by whom does not matter
  switch (shape_of(e.kind)) {
    case shape::nothing:
      break;
    case shape::dev:
      out.args = {value_of(e.dev)};
      break;
    case shape::net:
      out.args = {value_of(e.net)};
      break;
    case shape::dev_net:
      out.args = {value_of(e.dev), value_of(e.net)};
      break;
    case shape::net_dev:
      out.args = {value_of(e.net), value_of(e.dev)};
      break;
    case shape::devs:
      // No source shows the list of a close inside a rollback.
      if (e.kind == seen::rollback_begin) out.args = {conformance::seen_value::set_of(e.members)};
      if (e.kind == seen::close_begin) out.args = {conformance::seen_value{}};
  }
  return out;
}

// A grace period between dev_mc_flush and the message or the end in sysfs: some drivers wait for one in their ndo_uninit.
class uninit_waits {
 public:
  bool covers(const observed_event& e) {
    if (e.kind == seen::dev_mc_flush) inside_[e.task] = true;
    if (e.kind == seen::RTM_DELLINK || e.kind == seen::netdev_unregister_kobject || e.kind == seen::NETDEV_UNREGISTER ||
        e.kind == seen::rollback_end)
      inside_[e.task] = false;
    return (e.kind == seen::synchronize_net_begin || e.kind == seen::synchronize_net_end) && inside_[e.task];
  }

 private:
  std::map<std::uint32_t, bool> inside_;
};

// rcu_barrier in netdev_run_todo each time that netdev_wait_allrefs_any looks at the references again. The first one, and
// the one behind NETDEV_UNREGISTER sent again, are the model's.
class wait_polls {
 public:
  bool covers(const observed_event& e) {
    state& s = tasks_[e.task];
    if (e.kind == seen::run_todo_begin) s = {true, true, false};
    if (e.kind == seen::run_todo_end) s = {};
    if (e.kind == seen::rebroadcast_begin) s.due = true;
    if (e.kind == seen::rcu_barrier_begin) s.polling = s.in_todo && !s.due;
    if (e.kind == seen::rcu_barrier_end && !s.polling) s.due = false;
    return s.polling && (e.kind == seen::rcu_barrier_begin || e.kind == seen::rcu_barrier_end);
  }

 private:
  struct state {
    bool in_todo = false, due = false, polling = false;  // due: the next one is the model's
  };
  std::map<std::uint32_t, state> tasks_;
};

// Steps that devices go through in an operation only.
bool is_teardown(seen kind) {
  switch (kind) {
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
    case seen::RTM_DELLINK:
    case seen::free_netdev:
    case seen::rebroadcast_begin:
    case seen::rebroadcast_end:
      return true;
    default:
      return false;
  }
}

// Of a task that has had an operation: the rest of one whose begin is missing.
bool is_rest(seen kind) { return kind == seen::run_todo_begin || kind == seen::run_todo_end; }

}  // namespace

std::vector<std::size_t> references_of(const std::vector<observed_event>& all, const compared_part& p) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const observed_event& e = all[i];
    if (!is_reference(e.kind) || std::find(p.devices.begin(), p.devices.end(), e.dev) == p.devices.end()) continue;
    if (i < p.first && e.kind == seen::dev_put) {
      const auto taken = std::find_if(out.begin(), out.end(), [&](std::size_t k) { return all[k].dev == e.dev; });
      if (taken != out.end()) out.erase(taken);
      continue;
    }
    const auto again = p.until.find(e.dev);
    if (again == p.until.end() || i < again->second) out.push_back(i);
  }
  return out;
}

projected project(const std::vector<observed_event>& all, const compared_part& p, const std::set<std::string>& visible) {
  std::vector<std::size_t> order = references_of(all, p);
  for (const asked_operation* o : p.operations)
    for (std::size_t i : o->events)
      if (!is_reference(all[i].kind)) order.push_back(i);
  std::sort(order.begin(), order.end());
  projected out;
  uninit_waits waits;
  wait_polls polls;
  for (std::size_t i : order) {
    const bool driver = waits.covers(all[i]), poll = polls.covers(all[i]);
    if (!visible.count(std::string(name_of(all[i].kind)))) continue;
    out.driver_waits += driver;
    out.polls += poll;
    if (driver || poll) continue;
    out.events.push_back(converted(all[i]));
    out.places.push_back(i);
  }
  return out;
}

std::vector<std::size_t> left_over(const std::vector<observed_event>& all, const std::vector<asked_operation>& operations) {
  std::vector<bool> used(all.size());
  std::map<std::int64_t, std::size_t> first_of_device;  // device -> where its first operation begins
  std::map<std::uint32_t, std::size_t> first_of_task;
  for (const asked_operation& o : operations) {
    for (std::size_t i : o.events) used[i] = true;
    for (std::int64_t d : o.devices) first_of_device.try_emplace(d, o.first);
    first_of_task.try_emplace(o.task, o.first);
  }
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const observed_event& e = all[i];
    if (used[i]) continue;
    const auto device = first_of_device.find(e.dev);
    const auto task = first_of_task.find(e.task);
    if (is_teardown(e.kind) ? device != first_of_device.end() && device->second < i
                            : is_rest(e.kind) && task != first_of_task.end() && task->second < i)
      out.push_back(i);
  }
  return out;
}

}  // namespace quiesce::observe
