// SPDX-License-Identifier: MIT
#include "conformance/world.hpp"

#include <algorithm>

#include "conformance/probe.hpp"
#include "conformance/scenario_internal.hpp"
#include "refimpl/net/lists.hpp"
#include "refimpl/net/rtnetlink.hpp"
#include "refimpl/net/upper.hpp"

namespace quiesce::conformance {

using refimpl::error;
using refimpl::net;
using refimpl::net_device;
using refimpl::status;

world::world(const scenario& s, refimpl::stack& on, scenario_driver& driver)
    : scenario_(s),
      s_(on),
      driver_(driver),
      nets_(s.nets.size() + 1, nullptr),
      devices_(s.devices.size(), nullptr),
      user_holds_(s.devices.size(), 0),
      freed_(s.devices.size(), refimpl::no_id),
      owed_(s.devices.size(), 0),
      watchers_(s.callbacks.size()) {
  nets_[0] = &on.init_net();
  set_limits(on.init_net());
  driver_.net_created(0, on.init_net());
  for (std::size_t i = 0; i < s.callbacks.size(); ++i) {
    const callback_plan& plan = s.callbacks[i];
    watcher& w = watchers_[i];
    w.left = plan.times;
    w.block.name = "c" + std::to_string(i + 1);
    w.block.priority = plan.priority;
    w.block.notifier_call = [this, &plan, &w](const refimpl::netdev_notifier_info& info) { return react(plan, w, info); };
  }
}

// By ownership: a stack that has stopped takes no more operations, and its chain must not point here.
world::~world() {
  for (watcher& w : watchers_) std::erase(s_.netdev_chain, &w.block);
  for (refimpl::rtable* rt : destinations_) refimpl::dst_release(rt);
}

net_device* world::device(device_ref d) const {
  if (!is_loopback(d)) return devices_[static_cast<std::size_t>(d)];
  net* n = net_at(-1 - d);
  return n != nullptr ? n->loopback_dev.load() : coming_;
}

net* world::net_at(net_ref n) const {
  net* found = nets_[static_cast<std::size_t>(n)];
  return found != nullptr && !found->dead.load() ? found : nullptr;
}

std::vector<net_device*> world::devices_of(const operation& op) const {
  std::vector<net_device*> found;
  for (device_ref d : op.devices)
    if (net_device* dev = device(d); dev != nullptr && std::find(found.begin(), found.end(), dev) == found.end())
      found.push_back(dev);
  return found;
}

void world::note(const refimpl::event& e) {
  if (e.kind != refimpl::event_kind::free_netdev) return;
  for (std::size_t i = 0; i < devices_.size(); ++i)
    if (devices_[i] != nullptr && devices_[i]->id == e.dev) {
      devices_[i] = nullptr;
      freed_[i] = e.dev;
      owed_[i] = std::exchange(user_holds_[i], 0);
    }
}

// --- set-up and end ---

void world::make_nets() {
  for (std::size_t i = 0; i < scenario_.nets.size(); ++i)
    if (!scenario_.nets[i].late) {
      operation op{op_kind::setup_net};
      op.nets = {static_cast<net_ref>(i) + 1};
      static_cast<void>(execute(op));
    }
}

void world::register_devices() {
  for (std::size_t i = 0; i < scenario_.devices.size(); ++i) {
    const device_plan& plan = scenario_.devices[i];
    if (plan.late) continue;
    operation op{op_kind::register_};
    op.devices = {static_cast<device_ref>(i)};
    static_cast<void>(execute(op));
    op.kind = op_kind::open;
    if (plan.up) static_cast<void>(execute(op));
  }
}

void world::watch_all() {
  for (std::size_t i = 0; i < scenario_.callbacks.size(); ++i) {
    if (scenario_.callbacks[i].late) continue;
    operation op{op_kind::watch};
    op.callback = static_cast<int>(i);
    static_cast<void>(execute(op));
  }
}

void world::inject_faults() {
  for (const fault_plan& f : scenario_.faults) {
    if (f.kind == fault_kind::alloc) s_.faults.fail_nth(static_cast<std::uint64_t>(f.nth));
    if (f.kind == fault_kind::site) s_.faults.fail_site(f.site);
  }
}

void world::let_go() {
  s_.faults.fail_nth(0);
  s_.faults.fail_site("", false);
  for (std::size_t i = 0; i < devices_.size(); ++i)
    for (; devices_[i] != nullptr && user_holds_[i] > 0; --user_holds_[i])
      static_cast<void>(refimpl::dev_put(*devices_[i], refimpl::holder::user));
  static_cast<void>(execute(operation{op_kind::uncache}));
  for (std::size_t i = 0; i < watchers_.size(); ++i) {
    operation op{op_kind::unwatch};
    op.callback = static_cast<int>(i);
    if (watchers_[i].on_chain) static_cast<void>(execute(op));
  }
}

void world::delete_all() {
  operation exit_all{op_kind::exit_net};
  for (std::size_t i = 1; i < nets_.size(); ++i)
    if (net_at(static_cast<net_ref>(i)) != nullptr) exit_all.nets.push_back(static_cast<net_ref>(i));
  if (!exit_all.nets.empty()) static_cast<void>(execute(exit_all));
  operation last{op_kind::dellink};
  for (std::size_t i = 0; i < devices_.size(); ++i)
    if (devices_[i] != nullptr && devices_[i]->reg_state.load() == refimpl::reg_state::registered)
      last.devices.push_back(static_cast<device_ref>(i));
  if (!last.devices.empty()) static_cast<void>(execute(last));
}

// --- callbacks ---

// The loopback device of a namespace that is being set up is the one of no namespace that is known.
bool world::concerns(const callback_plan& plan, const refimpl::netdev_notifier_info& info) const {
  if (plan.any_device) return true;
  if (info.dev == nullptr) return false;
  const bool coming = is_loopback(plan.device) && nets_[static_cast<std::size_t>(-1 - plan.device)] == nullptr;
  if (!coming) return info.dev == device(plan.device);
  return (info.dev->flags.load() & refimpl::IFF_LOOPBACK) != 0 &&
         std::find(nets_.begin(), nets_.end(), &refimpl::dev_net(*info.dev)) == nets_.end();
}

// In the replay of its own registration or removal a callback can refuse a device, and does nothing else.
int world::react(const callback_plan& plan, watcher& w, const refimpl::netdev_notifier_info& info) {
  if (plan.react == reaction::none || w.left == 0) return refimpl::NOTIFY_DONE;
  if (!w.on_chain && plan.react != reaction::veto) return refimpl::NOTIFY_DONE;
  if (plan.event != "*" && plan.event != refimpl::name(info.event)) return refimpl::NOTIFY_DONE;
  if (!concerns(plan, info)) return refimpl::NOTIFY_DONE;
  --w.left;
  switch (plan.react) {
    case reaction::veto:
      return refimpl::notifier_from_errno(error::ebusy);
    case reaction::throw_:
      throw std::runtime_error("callback of the scenario");
    case reaction::act:
      coming_ = info.dev != nullptr && (info.dev->flags.load() & refimpl::IFF_LOOPBACK) != 0 ? info.dev : nullptr;
      static_cast<void>(on_rtnl(plan.act));
      coming_ = nullptr;
      return refimpl::NOTIFY_DONE;
    case reaction::none:
      break;
  }
  return refimpl::NOTIFY_DONE;
}

// --- devices ---

error world::register_device(device_ref d) {
  const device_plan& plan = scenario_.devices[static_cast<std::size_t>(d)];
  net* n = net_at(plan.net);
  net_device*& slot = devices_[static_cast<std::size_t>(d)];
  if (slot != nullptr) return error::eexist;
  if (n == nullptr || n->leaving) return error::enodev;
  refimpl::net_device_ops* ops = driver_.operations(d, plan);
  if (plan.kind == device_kind::vlan || plan.kind == device_kind::macvlan) {
    net_device* lower = device(plan.lower);
    if (lower == nullptr) return error::enodev;
    const refimpl::upper_params params{device_name(d), d + 1, plan.loose, ops};
    auto made = plan.kind == device_kind::vlan ? register_vlan_device(*lower, params) : macvlan_newlink(*lower, params);
    if (!made) return made.code();
    slot = made.value();
    slot->group = plan.group;
    return &refimpl::dev_net(*slot) == n ? error::none : dev_change_net_namespace(*slot, *n, "").code();
  }
  refimpl::netdev_params params;
  params.name = device_name(d);
  params.ops = ops;
  params.link_ops = plan.kind == device_kind::dummy ? &refimpl::dummy_link_ops : nullptr;
  params.netns_local = plan.local;
  params.need_ops_lock = plan.ops_lock;
  params.group = plan.group;
  auto made = alloc_netdev(*n, params);
  if (!made) return made.code();
  slot = made.value();
  const status registered = register_netdevice(*slot);
  if (registered) return error::none;
  // Since v6.1 a refused device is on the todo list and frees itself when RTNL is dropped.
  if (slot->reg_state.load() == refimpl::reg_state::unregistering) {
    slot->needs_free_netdev = true;
  } else {
    static_cast<void>(free_netdev(slot));
  }
  return registered.code();
}

error world::close_many(const operation& op) {
  refimpl::stack_list_head head(&s_.dangling_head);
  error first = op.devices.empty() || devices_of(op).empty() ? error::enodev : error::none;
  for (net_device* dev : devices_of(op)) {
    // An outer close has it, or it is leaving: the callers in the kernel do not list it either.
    if (dev->reg_state.load() != refimpl::reg_state::registered || !refimpl::list_empty(&dev->close_list))
      first = error::ebusy;
    else
      refimpl::list_add_tail(&dev->close_list, &head);
  }
  if (refimpl::list_empty(&head)) return first;
  const error closed = dev_close_many(s_, &head, true).code();
  return closed != error::none ? closed : first;
}

error world::unregister_many(const operation& op) {
  refimpl::stack_list_head head(&s_.dangling_head);
  error first = devices_of(op).empty() ? error::enodev : error::none;
  for (net_device* dev : devices_of(op)) {
    const bool loopback = (dev->flags.load() & refimpl::IFF_LOOPBACK) != 0;
    // A node that is queued on another list stays there.
    const bool queued = !refimpl::list_empty(&dev->unreg_list);
    const error e = loopback                      ? error::eopnotsupp
                    : queued                      ? error::ebusy
                    : op.kind == op_kind::dellink ? queue_dellink(*dev, &head).code()
                                                  : unregister_netdevice_queue(*dev, &head).code();
    if (e != error::none) first = e;
  }
  const error done = unregister_netdevice_many(s_, &head).code();
  return done != error::none ? done : first;
}

// --- what no caller in the kernel does: for callbacks that misbehave ---

error world::close_unasked(const operation& op) {
  refimpl::stack_list_head head(&s_.dangling_head);
  for (net_device* dev : devices_of(op))
    if (dev->reg_state.load() == refimpl::reg_state::registered) refimpl::list_add_tail(&dev->close_list, &head);
  return refimpl::list_empty(&head) ? error::enodev : dev_close_many(s_, &head, true).code();
}

error world::unregister_unasked(const operation& op) {
  refimpl::stack_list_head head(&s_.dangling_head);
  for (net_device* dev : devices_of(op)) refimpl::list_move_tail(&dev->unreg_list, &head);
  return unregister_netdevice_many(s_, &head).code();
}

// A reference that outlived its device is given back to memory that is somebody else's by now.
error world::put(const operation& op) {
  if (is_loopback(op.devices.front())) return error::eopnotsupp;
  const auto at = static_cast<std::size_t>(op.devices.front());
  const bool unheld = op.kind == op_kind::put_unheld;
  net_device* dev = device(op.devices.front());
  if (dev == nullptr && freed_[at] != refimpl::no_id && (unheld || owed_[at] > 0)) {
    --owed_[at];
    s_.events.emit(refimpl::event_kind::dev_put, s_.sched.current(), freed_[at], refimpl::no_id, 0, "user");
    s_.stop({refimpl::machine_check::kind::bug, "dev_put of a device that was freed"});
    return error::eio;
  }
  if (dev == nullptr) return error::enodev;
  if (!unheld && user_holds_[at] == 0) return error::einval;
  if (unheld) {
    s_.emit(refimpl::event_kind::dev_put, dev, 0, "user");
    dev->refs.put_unheld();
    return error::none;
  }
  --user_holds_[at];
  return dev_put(*dev, refimpl::holder::user).code();
}

error world::exit_nets(const operation& op) {
  std::vector<net*> nets;
  for (net_ref n : op.nets)
    if (net* found = net_at(n)) nets.push_back(found);
  // A namespace ends when nothing uses it any more: the sockets that kept destinations are gone.
  std::erase_if(destinations_, [&](refimpl::rtable* rt) {
    const bool of_them = std::find(nets.begin(), nets.end(), &rt->ns) != nets.end();
    if (of_them) refimpl::dst_release(rt);
    return of_them;
  });
  return nets.empty() ? error::enodev : cleanup_net(s_, nets).code();
}

error world::use(net_device& dev) {
  net& n = refimpl::dev_net(dev);
  net_device* found = dev_get_by_name(n, dev.name);
  if (found == nullptr) return error::enodev;
  return dev_put(*found, refimpl::holder::lookup).code();
}

// Somebody who needs no RTNL: what he reads under the instance lock is to stay so until he lets go of it.
error world::use_locked(net_device& dev) {
  net_device* found = netdev_get_by_name_lock(refimpl::dev_net(dev), dev.name);
  if (found == nullptr) return error::enodev;
  const bool up = dev_up(*found);
  s_.emit(refimpl::event_kind::dev_use, found);
  const bool registered = found->reg_state.load() == refimpl::reg_state::registered;
  if (!registered || (up && !dev_up(*found))) s_.warn(changed_under_instance_lock, found);
  netdev_unlock_put(*found);
  return error::none;
}

}  // namespace quiesce::conformance
