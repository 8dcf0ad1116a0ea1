// SPDX-License-Identifier: MIT
#include "conformance/live_mirror.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <deque>
#include <stdexcept>
#include <thread>

#include "conformance/execution.hpp"
#include "conformance/scenario_internal.hpp"
#include "conformance/world.hpp"
#include "refimpl/net/addrconf.hpp"
#include "refimpl/net/upper.hpp"

namespace quiesce::conformance {

namespace {

// Simulated devices, and the stack's namespaces by the scenario's numbers.
class mirrored_driver : public scenario_driver {
 public:
  void net_created(net_ref n, refimpl::net& on) override { nets[n] = &on; }
  refimpl::net_device_ops* operations(device_ref, const device_plan&) override { return &devices_.emplace_back(); }
  stack_nets nets;

 private:
  std::deque<refimpl::simulated_driver> devices_;
};

void must(const rtnetlink::answer& a) {
  if (!a) throw std::runtime_error("real devices cannot be driven here: " + a.text);
}

class mirror {
 public:
  mirror(const scenario& s, const mirror_settings& settings)
      : scenario_(s),
        settings_(settings),
        exec_(s.options.order),
        stack_(settings.policy, exec_.sched(), exec_.rcu(), {}),
        world_(s, stack_, driver_),
        kernel_(s, !settings.kernel_defaults) {
    stack_.events.set_sink([this](const refimpl::event& e) { world_.note(e); });
  }
  mirror_result run();

 private:
  void both(const operation& op);
  std::string unmodelled(const operation& op) const;
  void follow_link_local();
  bool settled();
  void compare(const std::string& after);
  const refimpl::net_device* device(device_ref d) const;

  const scenario& scenario_;
  const mirror_settings& settings_;
  mirrored_driver driver_;
  in_turn exec_;
  refimpl::stack stack_;
  world world_;
  kernel_world kernel_;
  mirror_result result_;
};

const refimpl::net_device* mirror::device(device_ref d) const {
  const std::string name = is_loopback(d) ? "lo" : device_name(d);
  for (const refimpl::net_device* dev : stack_.devices()) {
    if (dev->name != name || dev->reg_state.load() != refimpl::reg_state::registered) continue;
    if (!is_loopback(d)) return dev;
    const auto at = driver_.nets.find(-1 - d);
    if (at != driver_.nets.end() && at->second == dev->nd_net.load()) return dev;
  }
  return nullptr;
}

bool open_macvlan_above(const refimpl::net_device& dev) {
  for (const refimpl::net_device* up : dev.adj_upper)
    if (dev_up(*up)) return true;
  return false;
}

// Why the stack has no account of what the kernel would do, or nothing. A macvlan's carrier follows the device below.
std::string mirror::unmodelled(const operation& op) const {
  for (const device_ref d : op.devices) {
    const refimpl::net_device* dev = device(d);
    if (op.kind == op_kind::register_ && !is_loopback(d)) {
      const device_plan& plan = scenario_.devices[static_cast<std::size_t>(d)];
      const bool upper = plan.kind == device_kind::macvlan;
      if (upper && scenario_.devices[static_cast<std::size_t>(plan.lower)].kind == device_kind::macvlan)
        return "a macvlan on a macvlan (the kernel takes the one below)";
    }
    if (dev == nullptr) continue;
    if (op.kind == op_kind::open && dev->rtnl_link_ops == &refimpl::macvlan_link_ops) {
      const auto* priv = static_cast<const refimpl::upper_priv*>(dev->priv.get());
      if (priv->lower != nullptr && !dev_up(*priv->lower)) return "open of a macvlan without carrier";
    }
    if ((op.kind == op_kind::close || op.kind == op_kind::move) && open_macvlan_above(*dev))
      return "close below an open macvlan (its carrier)";
  }
  return "";
}

// addrgenmode none keeps the kernel from making the link-local address that the stack makes: it is asked for.
void mirror::follow_link_local() {
  if (settings_.kernel_defaults) return;
  kernel_tables now;
  must(kernel_.dump(now));
  const std::vector<std::string> there = observed_tables(now);
  for (const refimpl::net_device* dev : stack_.devices()) {
    const refimpl::inet6_dev* idev = dev->ip6_ptr.load();
    if (idev == nullptr) continue;
    for (const auto& [n, on] : driver_.nets)
      for (const refimpl::inet6_ifaddr& a : idev->addr_list)
        if (on == dev->nd_net.load() && a.addr.hi == 0xfe80000000000000ull) {
          const auto answer = kernel_.add_address(n, dev->name, AF_INET6, a.addr, a.prefixlen);
          if (!answer && answer.code != EEXIST) must(answer);
        }
  }
}

bool mirror::settled() {
  kernel_tables now;
  must(kernel_.dump(now));
  const std::vector<std::string> observed = observed_tables(now);
  result_.mismatches =
      differences(expected_tables(stack_, driver_.nets, settings_.kernel_defaults ? &now : nullptr), observed);
  if (result_.mismatches.empty()) result_.lines += observed.size();
  return result_.mismatches.empty();
}

void mirror::compare(const std::string& after) {
  std::erase_if(driver_.nets, [](const auto& entry) { return entry.second->dead.load(); });
  follow_link_local();
  const rtnetlink::deadline until = rtnetlink::in(settings_.settle);
  ++result_.comparisons;
  for (std::chrono::milliseconds pause{1}; !settled(); pause *= 2) {
    if (rtnetlink::milliseconds_to(until) == 0) {
      result_.failed_operation = after;
      return;
    }
    std::this_thread::sleep_for(pause);
  }
}

void mirror::both(const operation& op) {
  if (!result_.failed_operation.empty()) return;
  if (const std::string why = unmodelled(op); !why.empty()) {
    ++result_.missing[why];
    return;
  }
  operation mine = op;
  if (op.kind == op_kind::unregister) mine.kind = op_kind::dellink;
  const refimpl::error stack_says = world_.execute(mine);
  const rtnetlink::answer kernel_says = kernel_.execute(mine);
  ++result_.operations;
  if ((stack_says == refimpl::error::none) != static_cast<bool>(kernel_says)) {
    result_.failed_operation = format(op);
    result_.mismatches = {
        fmt::format("the stack answers {}, the kernel {}", refimpl::name(stack_says), kernel_says ? "0" : kernel_says.text)};
    return;
  }
  if (!settings_.kernel_defaults) compare(format(op));
}

mirror_result mirror::run() {
  must(kernel_.start());
  world_.make_nets();
  for (std::size_t i = 0; i < scenario_.devices.size(); ++i) {
    if (scenario_.devices[i].late) continue;
    operation op{op_kind::register_};
    op.devices = {static_cast<device_ref>(i)};
    both(op);
    op.kind = op_kind::open;
    if (scenario_.devices[i].up) both(op);
  }
  for (const operation& op : scenario_.setup) both(op);
  std::size_t longest = 0;
  for (const auto& task : scenario_.tasks) longest = std::max(longest, task.size());
  for (std::size_t i = 0; i < longest; ++i)
    for (const auto& task : scenario_.tasks)
      if (i < task.size()) both(task[i]);
  if (settings_.kernel_defaults && result_.failed_operation.empty()) compare("the last operation");
  return std::move(result_);
}

}  // namespace

mirror_result run_mirrored(const scenario& s, const mirror_settings& settings) { return mirror(s, settings).run(); }

}  // namespace quiesce::conformance
