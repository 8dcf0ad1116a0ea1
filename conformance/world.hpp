// SPDX-License-Identifier: MIT
#pragma once
// The objects of a scenario on a stack while it runs, and what each operation does there.

#include <deque>
#include <map>
#include <memory>

#include "conformance/runner.hpp"
#include "refimpl/net/notifier.hpp"
#include "refimpl/net/route.hpp"

namespace quiesce::conformance {

class world {
 public:
  world(const scenario& s, refimpl::stack& on, scenario_driver& driver);
  ~world();
  world(const world&) = delete;

  // An operation of a task; takes RTNL itself where it needs it.
  refimpl::error execute(const operation& op);
  // Seen by the runner: a device that is freed is forgotten.
  void note(const refimpl::event& e);

  void make_nets();
  void register_devices();  // those that are not late
  void watch_all();         // callbacks that are not late
  void inject_faults();
  void let_go();      // destinations, user references, callbacks
  void delete_all();  // devices of init_net, then all namespaces

 private:
  using error = refimpl::error;
  error execute_on_stack(const operation& op);
  error on_rtnl(const operation& op);  // RTNL is held
  error on_device(const operation& op, refimpl::net_device& dev);
  error on_addresses(const operation& op, refimpl::net_device& dev);
  error on_net(const operation& op, refimpl::net& n);
  error on_neighbours(const operation& op, refimpl::net& n, refimpl::net_device* dev);
  error without_rtnl(const operation& op);
  error register_device(device_ref d);
  error close_many(const operation& op);
  error unregister_many(const operation& op);
  error close_unasked(const operation& op);
  error unregister_unasked(const operation& op);
  error put(const operation& op);
  error add_route(const operation& op);
  error add_exceptions(const operation& op);
  error add_local_route(const operation& op, refimpl::net_device& dev);
  error exit_nets(const operation& op);
  void set_limits(refimpl::net& n);
  error use(refimpl::net_device& dev);
  error use_locked(refimpl::net_device& dev);

  refimpl::net_device* device(device_ref d) const;  // NULL: not there
  refimpl::net* net_at(net_ref n) const;
  std::vector<refimpl::net_device*> devices_of(const operation& op) const;

  const scenario& scenario_;
  refimpl::stack& s_;
  scenario_driver& driver_;
  std::vector<refimpl::net*> nets_;
  std::vector<refimpl::net_device*> devices_;
  std::vector<int> user_holds_;
  std::vector<std::int32_t> freed_;  // identity of a device that was freed, else no_id
  std::vector<int> owed_;            // references to it that users held then
  struct watcher {
    refimpl::notifier_block block;
    int left = 0;
    bool on_chain = false;
  };
  int react(const callback_plan& plan, watcher& w, const refimpl::netdev_notifier_info& info);
  bool concerns(const callback_plan& plan, const refimpl::netdev_notifier_info& info) const;
  refimpl::net_device* coming_ = nullptr;  // the loopback device of a namespace that is being set up, in a callback
  std::deque<watcher> watchers_;
  std::vector<refimpl::rtable*> destinations_;
};

}  // namespace quiesce::conformance
