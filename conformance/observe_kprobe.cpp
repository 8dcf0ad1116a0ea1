// SPDX-License-Identifier: MIT
#include "conformance/observe_kprobe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace quiesce::observe {
namespace {

constexpr std::size_t tasks_kept = 1 << 14;
constexpr int rtm_newlink = 16, rtm_dellink = 17;  // include/uapi/linux/rtnetlink.h

// Registered as netdevice notifiers: `event=` and `name=` again, once for each of them.
constexpr std::string_view handlers[] = {
    "fib_netdev_event",   "inetdev_event",     "addrconf_notify",      "rtnetlink_event",      "arp_netdev_event",
    "ndisc_netdev_event", "packet_notifier",   "dev_map_notification", "nh_netdev_event",      "ip6mr_device_event",
    "ipmr_device_event",  "igmp_netdev_event", "ip6_route_dev_notify", "ipv6_mc_netdev_event", "netprio_device_event",
    "fib_rules_event",    "xfrm_dev_event",    "macvlan_device_event", "tun_device_event"};

}  // namespace

std::unordered_map<std::string_view, kprobe_reader::reading> kprobe_reader::with_handlers(
    std::unordered_map<std::string_view, reading> all) {
  for (std::string_view name : handlers) all[name] = {nullptr, nullptr};
  std::size_t number = 0;
  for (auto& [name, r] : all) r.number = number++;
  return all;
}

const std::unordered_map<std::string_view, kprobe_reader::reading>& kprobe_reader::table() {
  using k = kprobe_reader;
  static const std::unordered_map<std::string_view, reading> functions = with_handlers({
      {"call_netdevice_notifiers_info", {&k::notify, &k::notify_return}},
      {"unregister_netdevice_many_notify", {&k::unregister_many, &k::unregister_many_return}},
      {"rollback_registered_many", {&k::unregister_many, &k::unregister_many_return}},
      {"unregister_netdevice_many", {&k::unregister_many_front, &k::unregister_many_return}},
      {"dev_close_many", {&k::close_many, &k::close_many_return}},
      {"netif_close_many", {&k::close_many, &k::close_many_return}},
      {"unregister_netdevice_queue", {&k::queue, &k::ignored}},
      {"unlist_netdevice", {&k::unlist, &k::ignored}},
      {"dev_uc_flush", {&k::uc_flush, &k::ignored}},
      {"dev_mc_flush", {&k::mc_flush, &k::ignored}},
      {"netdev_unregister_kobject", {&k::kobject, &k::ignored}},
      {"free_netdev", {&k::freed, &k::ignored}},
      {"arp_ifdown", {&k::arp_down, &k::ignored}},
      {"rt_flush_dev", {&k::route_flush_dev, &k::ignored}},
      {"neigh_ifdown", {&k::neigh_down, &k::ignored}},
      {"fib_sync_down_dev", {&k::sync_down_dev, &k::sync_down_return}},
      {"fib_flush", {&k::fib_flushed, &k::ignored}},
      {"rt_cache_flush", {&k::cache_flushed, &k::ignored}},
      {"synchronize_net", {&k::begin_wait, &k::end_wait}},
      {"synchronize_rcu", {&k::begin_wait, &k::end_wait}},
      {"synchronize_rcu_expedited", {&k::begin_wait, &k::end_wait}},
      {"rcu_barrier", {&k::barrier, &k::barrier_return}},
      {"netdev_run_todo", {&k::run_todo, &k::run_todo_return}},
      {"rtnl_lock", {&k::rtnl_locked, &k::ignored}},
      {"__rtnl_unlock", {&k::rtnl_unlocked, &k::ignored}},
      {"__dev_change_net_namespace", {&k::change_net, &k::ignored}},
      {"rtmsg_ifinfo_build_skb", {&k::link_build, &k::ignored}},
      {"rtmsg_ifinfo_send", {&k::link_send, &k::ignored}},
      {"rtmsg_ifinfo", {&k::link_info, &k::ignored}},
      {"dev_close", {&k::ignored, &k::ignored}},
  });
  return functions;
}

kprobe_reader::kprobe_reader(event_builder& to) : to_(to) {
  numbers_ = {{1, seen::NETDEV_UP},
              {2, seen::NETDEV_DOWN},
              {5, seen::NETDEV_REGISTER},
              {6, seen::NETDEV_UNREGISTER},
              {10, seen::NETDEV_GOING_DOWN}};  // include/linux/netdevice.h enum netdev_cmd
}

bool kprobe_reader::read(std::string_view task, std::string_view text) {
  const std::string_view function = probed_function(text);
  const auto found = table().find(function);
  if (found != table().end() && !found->second.enter) {
    to_.other(function);
    return text.back() == '"' || text.back() == ')';
  }
  if (tasks_.size() > tasks_kept) {
    std::erase_if(tasks_, [](const auto& entry) { return entry.second.idle(); });
    task_ = nullptr;
  }
  if (tasks_.size() > 2 * tasks_kept) {
    to_.doubtful(doubt::too_many, to_.line_number(), "more tasks at work than are kept");
    tasks_.clear();
  }
  if (!task_ || task != task_text_) {
    task_text_ = task;
    task_ = &tasks_[task_text_];
  }
  settle_task(function);
  if (found == table().end() &&
      (function.ends_with("_uninit") || function.ends_with("_close") || function.ends_with("_stop"))) {
    if (!parse_probe(text, probe_)) return false;
    if (driver_step()) return true;
  }
  if (found == table().end()) {
    to_.other(function);
    return text.find(')') != std::string_view::npos;
  }
  if (!parse_probe(text, probe_)) return false;
  if (!std::exchange(noted_[found->second.number][probe_.returns], true))
    (probe_.returns ? returns_ : functions_).emplace(function);
  if (found->second.leave != &kprobe_reader::ignored)
    missing(probe_.returns ? task_->calls.ret(found->first.data(), returning_)
                           : task_->calls.call(found->first.data(), returning_));
  (this->*(probe_.returns ? found->second.leave : found->second.enter))();
  return true;
}

// A call whose effect shows only at the task's next record.
void kprobe_reader::settle_task(std::string_view function) {
  if (task_->locking) {
    task_->locking = false;
    to_.emit(seen::rtnl_lock, no_slot, true);
  }
  if (!task_->many) return;
  task_->many = false;
  if (function != "unregister_netdevice_many_notify" && function != "rollback_registered_many") begin_rollback();
}

void kprobe_reader::end() {
  if (flush_due_ && has("fib_flush"))
    to_.doubtful(doubt::unmatched, flush_due_,
                 "records are missing or there twice: fib_sync_down_dev found routes, but no fib_flush follows");
}

void kprobe_reader::missing(const std::string& text) {
  if (!text.empty()) to_.doubtful(doubt::unmatched, to_.line_number(), "records are missing or there twice: " + text);
}

// --- what the records name ---

slot kprobe_reader::named(bool live) {
  const std::string_view name = probe_.value("name");
  if (name.empty() || name == "(fault)") return no_slot;
  return to_.device({name, static_cast<std::int32_t>(probe_.number("ifindex")), probe_.number("net")}, probe_.function,
                    live);
}

void kprobe_reader::of_device(seen kind) {
  if (const slot dev = named(); dev != no_slot) to_.emit(kind, dev);
}

void kprobe_reader::of_net(seen kind) { to_.emit_net(kind, probe_.number("net")); }

// --- notifications ---

void kprobe_reader::notify() {
  const auto kind = numbers_.find(probe_.number("event"));
  net_shown_ = net_shown_ || probe_.number("net") != 0;
  if (kind == numbers_.end()) return to_.other(fmt::format("netdev event {}", probe_.number("event")));
  const sighting what{probe_.value("name"), static_cast<std::int32_t>(probe_.number("ifindex")), probe_.number("net")};
  if (what.name.empty() || what.name == "(fault)")
    return to_.doubtful(doubt::unread_line, to_.line_number(), "a notification without a device's name");
  if (kind->second == seen::NETDEV_REGISTER) {
    if (task_->moving != no_slot && what.net) to_.set_net(task_->moving, what.net);
    const slot dev = task_->moving != no_slot ? task_->moving : to_.registered(what);
    task_->moving = no_slot;
    return to_.emit_at(kind->second, dev, what.net, false);
  }
  const slot dev = to_.device(what, "notify", kind->second != seen::NETDEV_UNREGISTER);
  if (kind->second == seen::NETDEV_UNREGISTER) note_unregister(dev);
  if (kind->second == seen::NETDEV_UNREGISTER && to_.within(span_kind::rollback)) to_.add_member(dev);
  if (kind->second == seen::NETDEV_GOING_DOWN || kind->second == seen::NETDEV_DOWN) to_.add_member(dev);
  if (kind->second == seen::NETDEV_GOING_DOWN) task_->to_stop.push_back(dev);
  // By a driver that has nothing to do, unseen, or late.
  if (kind->second == seen::NETDEV_DOWN && std::erase(task_->to_stop, dev) > 0) task_->not_stopped.push_back(dev);
  to_.emit_at(kind->second, dev, what.net, false);
}

// Inside netdev_run_todo it is netdev_wait_allrefs that sends it again.
void kprobe_reader::note_unregister(slot dev) {
  if (!task_->in_todo || to_.within(span_kind::rollback)) return;
  // Of one that was not unregistered before: netdev_run_todo has returned unseen.
  if (const device_info* d = to_.info(dev); d && d->state == device_info::life::registered)
    return void(task_->in_todo = false);
  todo_begins();
  if (task_->rebroadcasting) to_.close(span_kind::rebroadcast, true);
  to_.open(span_kind::rebroadcast, {dev}, true);
  task_->rebroadcasting = true;
}

void kprobe_reader::notify_return() {
  if (!task_->rebroadcasting) return;
  to_.close(span_kind::rebroadcast, true);
  task_->rebroadcasting = false;
}

// --- spans ---

void kprobe_reader::queue() {
  const slot dev = named(true);
  if (dev == no_slot) return;
  const std::uint64_t head = probe_.number("head");
  auto& queues = task_->queues;
  const auto known = std::find_if(queues.begin(), queues.end(), [&](const auto& q) { return q.head == head; });
  if (known == queues.end())
    queues.push_back({head, {dev}});
  else {
    if (std::find(known->devices.begin(), known->devices.end(), dev) == known->devices.end()) known->devices.push_back(dev);
    std::rotate(known, known + 1, queues.end());
  }
}

void kprobe_reader::begin_rollback() {
  std::vector<slot> members;
  if (!task_->queues.empty()) {
    members = std::move(task_->queues.back().devices);
    task_->queues.pop_back();
  }
  to_.open(span_kind::rollback, std::move(members), false);
}

void kprobe_reader::unregister_many_front() { task_->many = true; }
void kprobe_reader::unregister_many() { begin_rollback(); }
void kprobe_reader::unregister_many_return() {
  // Both functions may be probed; the outer one returns when its work is closed already.
  if (probe_.function == "unregister_netdevice_many" && has("unregister_netdevice_many_notify")) return;
  if (!to_.close(span_kind::rollback))
    to_.doubtful(doubt::began_inside, to_.line_number(), "a batch ends whose begin was not recorded");
}

void kprobe_reader::close_many() {
  std::vector<slot> members;
  if (const std::vector<slot>* devices = to_.members(span_kind::rollback); devices && !to_.within(span_kind::close))
    members = *devices;
  task_->closed_early = false;
  to_.open(span_kind::close, std::move(members), false);
}

void kprobe_reader::close_many_return() {
  stops_unseen_ = stops_unseen_ || !task_->not_stopped.empty();
  task_->not_stopped.clear();
  const bool early = std::exchange(task_->closed_early, false);  // a device was unlisted inside of it
  if (!to_.close(span_kind::close) && !early)
    to_.doubtful(doubt::began_inside, to_.line_number(), "a close ends whose begin was not recorded");
}

// --- steps ---

void kprobe_reader::unlist() {
  if (!has_return("dev_close_many") && !has_return("netif_close_many") && to_.within(span_kind::rollback))
    task_->closed_early = to_.close(span_kind::close, true);
  of_device(seen::unlist_netdevice);
}

void kprobe_reader::uc_flush() { of_device(seen::dev_uc_flush); }

void kprobe_reader::mc_flush() {
  const slot dev = named();
  if (dev == no_slot) return;
  to_.emit(seen::dev_mc_flush, dev);
  if (to_.within(span_kind::rollback)) task_->flushed.push_back(dev);
}

void kprobe_reader::uninit(slot dev) {
  std::erase(task_->flushed, dev);
  to_.emit(seen::ndo_uninit, dev);
}

// A driver without ndo_uninit, or one that is not probed: its place is behind dev_mc_flush and before the message that is
// sent and the end in sysfs.
void kprobe_reader::uninit_unseen(slot dev) {
  const auto found = std::find(task_->flushed.begin(), task_->flushed.end(), dev);
  if (found == task_->flushed.end()) return;
  task_->flushed.erase(found);
  to_.emit(seen::ndo_uninit, dev, true);
}

void kprobe_reader::kobject() {
  const slot dev = named();
  if (dev == no_slot) return;
  uninit_unseen(dev);
  to_.emit(seen::netdev_unregister_kobject, dev);
}

// dummy_dev_uninit, macvlan_stop, tun_net_close: a driver's ndo_uninit or ndo_stop, probed with the device's name.
bool kprobe_reader::driver_step() {
  if (probe_.returns || probe_.value("name").empty()) return false;
  const slot dev = named();
  if (probe_.function.ends_with("_uninit")) {
    driver_uninit_ = true;
    return uninit(dev), true;
  }
  driver_stop_ = true;
  if (has_notifications() && to_.within(span_kind::close)) {
    const auto due = std::find(task_->to_stop.begin(), task_->to_stop.end(), dev);
    if (due == task_->to_stop.end() && std::erase(task_->not_stopped, dev) == 0)
      missing("a device is stopped twice, or not between its NETDEV_GOING_DOWN and NETDEV_DOWN");
    else if (due != task_->to_stop.end())
      task_->to_stop.erase(due);
  }
  return to_.emit(seen::ndo_stop, dev), true;
}

void kprobe_reader::freed() {
  const slot dev = named();
  if (dev == no_slot) return;
  todo_begins();
  to_.emit(seen::free_netdev, dev);
  to_.set_state(dev, device_info::life::freed);
}

void kprobe_reader::arp_down() {
  check_flush(false);
  of_device(seen::arp_ifdown);
}
void kprobe_reader::route_flush_dev() { of_device(seen::rt_flush_dev); }
void kprobe_reader::sync_down_dev() {
  check_flush(false);
  const auto event = numbers_.find(probe_.number("event"));
  task_->going = event != numbers_.end() && (event->second == seen::NETDEV_DOWN || event->second == seen::NETDEV_UNREGISTER);
  of_device(seen::fib_sync_down_dev);
}
void kprobe_reader::fib_flushed() {
  check_flush(true);
  of_net(seen::fib_flush);
}

// fib_disable_ip: fib_flush if fib_sync_down_dev found something, else not; then arp_ifdown (net/ipv4/fib_frontend.c).
void kprobe_reader::sync_down_return() {
  if (task_->going && !probe_.value("ret").empty()) task_->found_routes = probe_.value("ret") != "0";
  task_->going = false;
}
void kprobe_reader::check_flush(bool flushes) {
  const int found = std::exchange(task_->found_routes, -1);
  if (found == 1 && !flushes && flush_due_ == 0) flush_due_ = to_.line_number();
  if (found == 0 && flushes) missing("fib_sync_down_dev found no routes, but fib_flush follows");
}
void kprobe_reader::cache_flushed() { of_net(seen::rt_cache_flush); }

// neigh_ifdown: neigh_flush_dev, then pneigh_ifdown_and_unlock (net/core/neighbour.c).
void kprobe_reader::neigh_down() {
  const slot dev = named();
  if (dev == no_slot) return;
  to_.emit(seen::neigh_flush, dev, true);
  to_.emit(seen::pneigh_flush, dev, true);
}

// --- grace periods ---

// synchronize_net calls synchronize_rcu or synchronize_rcu_expedited; where it is inlined only these show.
void kprobe_reader::begin_wait() {
  if (task_->waiting++ == 0) to_.emit(seen::synchronize_net_begin, no_slot, probe_.function != "synchronize_net");
}
void kprobe_reader::end_wait() {
  if (task_->waiting == 0) return;
  if (--task_->waiting == 0) to_.emit(seen::synchronize_net_end, no_slot, probe_.function != "synchronize_net");
}

// Behind the last notification that is sent again, whose return may not be recorded.
void kprobe_reader::barrier() {
  notify_return();
  todo_begins();
  to_.emit(seen::rcu_barrier_begin);
}
void kprobe_reader::barrier_return() { to_.emit(seen::rcu_barrier_end); }

// --- RTNL ---

void kprobe_reader::rtnl_locked() { task_->locking = true; }
void kprobe_reader::rtnl_unlocked() {
  notify_return();
  to_.emit(seen::rtnl_unlock);
}

void kprobe_reader::run_todo() {
  if (!has_return("unregister_netdevice_many_notify") && !has_return("unregister_netdevice_many") &&
      !has_return("rollback_registered_many"))
    to_.close_all(true);
  task_->in_todo = true;
  task_->todo_begun = false;
}

// It takes its own copy of the list, releases RTNL and returns if the list is empty; else it waits for callbacks first.
void kprobe_reader::todo_begins() {
  if (task_->in_todo && !std::exchange(task_->todo_begun, true)) to_.emit(seen::run_todo_begin, no_slot, true);
}

void kprobe_reader::run_todo_return() {
  notify_return();
  task_->in_todo = false;
  if (task_->todo_begun) to_.emit(seen::run_todo_end);
}

// --- moves ---

void kprobe_reader::change_net() {
  task_->moving = named(true);
  task_->new_net = probe_.number("newnet");
}

// --- messages to user space ---

// rtmsg_ifinfo builds and sends; unregister_netdevice_many builds before ndo_uninit and sends behind it.
void kprobe_reader::link_info() {
  const std::uint64_t type = probe_.number("type");
  task_->building = static_cast<int>(type);
  if (type == rtm_newlink) of_device(seen::RTM_NEWLINK);
  if (type == rtm_dellink) of_device(seen::RTM_DELLINK);
}

void kprobe_reader::link_build() {
  const int type = static_cast<int>(probe_.number("type"));
  const bool of_info = task_->building == type;
  task_->building = 0;
  if (of_info) return void(task_->sent = {named(), 0});
  // A move tells the old namespace at once, with a function that is inlined.
  if (task_->moving != no_slot && type == rtm_dellink) {
    if (const slot dev = named(); dev != no_slot) to_.emit(seen::RTM_DELLINK, dev, true);
    return;
  }
  if (const slot dev = named(); dev != no_slot) task_->built[dev] = type;
}

void kprobe_reader::link_send() {
  const slot dev = named();
  if (dev == no_slot) return;
  const auto found = task_->built.find(dev);
  if (found == task_->built.end() && task_->sent.first == dev && task_->sent.second == 0) return;
  if (found == task_->built.end() && task_->sent.first != dev) return missing("a message is sent that was not built");
  const int type = found == task_->built.end() ? task_->sent.second : found->second;  // the same once more
  task_->sent = {dev, type};
  if (found != task_->built.end()) task_->built.erase(found);
  if (type == rtm_dellink) uninit_unseen(dev);
  if (type == rtm_dellink || type == rtm_newlink) to_.emit(type == rtm_dellink ? seen::RTM_DELLINK : seen::RTM_NEWLINK, dev);
}

}  // namespace quiesce::observe
