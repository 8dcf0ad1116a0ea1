// SPDX-License-Identifier: MIT
#include "refimpl/net/lists.hpp"

namespace quiesce::refimpl {

void debug_list_add_tail(stack& s, list_head* node, list_head* head, const char* where) {
  if (s.options.debug_list && (head->prev == node || head == node))
    throw machine_check(machine_check::kind::list_corruption, std::string(where) + ": list_add double add");
  list_add_tail(node, head);
}

void dev_shutdown(net_device& dev) { dev.owner.emit(event_kind::dev_shutdown, &dev); }
void dev_uc_flush(net_device& dev) {
  dev.uc_count = 0;
  dev.owner.emit(event_kind::dev_uc_flush, &dev);
}
void dev_mc_flush(net_device& dev) {
  dev.mc_count = 0;
  dev.owner.emit(event_kind::dev_mc_flush, &dev);
}
void netdev_unregister_kobject(net_device& dev) { dev.owner.emit(event_kind::netdev_unregister_kobject, &dev); }

status check_rtnl(stack& s) { return s.rtnl_is_held_by_me() ? status() : status(error::eperm); }

status check_registered(stack& s, net_device& dev) {
  if (!s.known(&dev)) return error::enodev;
  if (!s.rtnl_is_held_by_me()) return error::eperm;
  if (dev.reg_state.load(std::memory_order_relaxed) != reg_state::registered) return error::einval;
  return {};
}

span_scope::span_scope(stack& s, event_kind begin, event_kind end, const list_head* devs, const net_device* one)
    : stack_(s), end_(end) {
  task& by = s.sched.current();
  by.spans.push_back(s.events.new_span());
  std::vector<const net_device*> members;
  if (one != nullptr) members.push_back(one);
  if (devs != nullptr) list_for_each_entry<net_device>(devs, s.turns("span"), [&](net_device& d) { members.push_back(&d); });
  s.emit(begin, one, static_cast<std::int64_t>(members.size()));
  for (const net_device* d : members) s.emit(event_kind::span_member, d);
}

span_scope::~span_scope() {
  stack_.emit(end_, nullptr);
  stack_.sched.current().spans.pop_back();
}

namespace {
// Runs a driver operation; what it throws counts as -EFAULT.
template <class F>
int guarded(net_device& dev, const char* what, F f) {
  try {
    return f();
  } catch (const machine_check&) {
    throw;
  } catch (...) {
    dev.owner.note_callback_threw(std::string(what) + " of " + dev.name);
    return -static_cast<int>(error::efault);
  }
}
// include/linux/err.h, MAX_ERRNO. register_netdevice of the kernel makes -EIO of a positive value, too.
error to_error(int ret) {
  constexpr int max_errno = 4095;
  if (ret == 0) return error::none;
  return ret > 0 || ret < -max_errno ? error::eio : static_cast<error>(-ret);
}

// While the driver is in ndo_init or ndo_open, another call of it for the same device is refused: a kernel would recurse
// until its stack ends.
class in_driver {
 public:
  explicit in_driver(net_device& dev) : dev_(dev) { dev_.in_driver = true; }
  ~in_driver() { dev_.in_driver = false; }
  in_driver(const in_driver&) = delete;
  in_driver& operator=(const in_driver&) = delete;

 private:
  net_device& dev_;
};
}  // namespace

error call_ndo_init(net_device& dev) {
  if (dev.netdev_ops == nullptr) return error::none;
  dev.owner.emit(event_kind::ndo_init, &dev);
  in_driver running(dev);
  return to_error(guarded(dev, "ndo_init", [&] { return dev.netdev_ops->ndo_init(dev); }));
}

error call_ndo_open(net_device& dev) {
  dev.owner.emit(event_kind::ndo_open, &dev);
  if (dev.netdev_ops == nullptr) return error::none;
  in_driver running(dev);
  return to_error(guarded(dev, "ndo_open", [&] { return dev.netdev_ops->ndo_open(dev); }));
}

void call_ndo_stop(net_device& dev) {
  dev.owner.emit(event_kind::ndo_stop, &dev);
  if (dev.netdev_ops != nullptr) guarded(dev, "ndo_stop", [&] { return dev.netdev_ops->ndo_stop(dev), 0; });
}

void call_ndo_uninit(net_device& dev, event_kind as) {
  dev.owner.emit(as, &dev);
  if (dev.netdev_ops != nullptr && dev.initialized)
    guarded(dev, "ndo_uninit", [&] { return dev.netdev_ops->ndo_uninit(dev), 0; });
  dev.initialized = false;
}

void call_ndo_neigh_destroy(net_device& dev) {
  if (dev.netdev_ops != nullptr)
    guarded(dev, "ndo_neigh_destroy", [&] { return dev.netdev_ops->ndo_neigh_destroy(dev), 0; });
}

}  // namespace quiesce::refimpl
