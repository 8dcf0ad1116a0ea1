// SPDX-License-Identifier: MIT
#include "conformance/driver_rtnetlink.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <stdexcept>

#include "conformance/driver_follow.hpp"
#include "conformance/scenario_internal.hpp"
#include "refimpl/device/rtnetlink/bound_driver.hpp"

namespace quiesce::conformance {

namespace {

const char* kind_word(device_kind k) { return word(device_words, k); }

// Asked once: the kernel does not change.
const rtnetlink::testbed& probe() {
  static rtnetlink::testbed bed;
  static const rtnetlink::answer started = bed.start();
  if (!started) throw std::runtime_error("real devices cannot be driven here: " + started.text);
  return bed;
}

// What stands for a device that stands alone. They differ in what their drivers do when they come and go: a bridge and a tap
// have no carrier, a tap is made through a character device.
const char* real_kind(device_ref d, device_kind k) {
  static constexpr const char* alone[] = {"dummy", "tap", "dummy", "bridge"};
  const char* chosen = alone[static_cast<std::size_t>(d) % std::size(alone)];
  return k == device_kind::dummy && probe().missing(chosen).empty() ? chosen : kind_word(k);
}

class bound : public scenario_driver, public follows_operations {
 public:
  explicit bound(const scenario& s) : devices_(s.devices.size(), nullptr) { must(driver_.start()); }
  std::unique_ptr<refimpl::stack_driver> observer(refimpl::stack&) override {
    return std::make_unique<rtnetlink::bound_addresses>(driver_);
  }
  void net_created(net_ref ref, refimpl::net& n) override {
    must(driver_.add_net(n));
    nets_[ref] = n.id;
  }
  refimpl::net_device_ops* operations(device_ref d, const device_plan& plan) override {
    rtnetlink::bound_device*& slot = devices_[static_cast<std::size_t>(d)];
    const bool upper = plan.kind == device_kind::vlan || plan.kind == device_kind::macvlan;
    rtnetlink::bound_device* lower = upper ? devices_[static_cast<std::size_t>(plan.lower)] : nullptr;
    slot = &driver_.add_device(real_kind(d, plan.kind), lower, static_cast<std::uint32_t>(plan.group));
    return slot;
  }
  std::vector<std::string> complaints() const override { return driver_.complaints(); }
  void carried_out(const operation& op) override;

 private:
  // Without namespaces nothing can be judged: not a finding about the stack or the kernel.
  static void must(const rtnetlink::answer& a) {
    if (!a) throw std::runtime_error("real devices cannot be driven here: " + a.text);
  }
  rtnetlink::bound_driver driver_;
  std::vector<rtnetlink::bound_device*> devices_;
  std::map<net_ref, int> nets_;
};

// IPv4 addresses are followed as the stack's observer tells of them. A route over several devices is several routes here:
// one is enough to have something of the device in the kernel's table. Loopback devices are the kernel's own.
void bound::carried_out(const operation& op) {
  const int family = op.ip.v6 ? AF_INET6 : AF_INET;
  const rtnetlink::ip_key key{op.ip.hi, op.ip.lo};
  const auto length = static_cast<std::uint8_t>(op.ip.length);
  if (op.kind == op_kind::del_route)
    if (const auto n = nets_.find(op.nets.front()); n != nets_.end()) driver_.remove_route(n->second, family, key, length);
  for (const device_ref d : op.devices) {
    const rtnetlink::bound_device* on = d < 0 ? nullptr : devices_[static_cast<std::size_t>(d)];
    if (on == nullptr) continue;
    switch (op.kind) {
      case op_kind::route:
        driver_.route(*on, family, key, length, true);
        break;
      case op_kind::neighbour:
      case op_kind::del_neighbour:
        driver_.neighbour(*on, family, key, false, op.kind == op_kind::neighbour);
        break;
      case op_kind::proxy:
      case op_kind::del_proxy:
        driver_.neighbour(*on, family, key, true, op.kind == op_kind::proxy);
        break;
      case op_kind::address:
      case op_kind::del_address:
        if (op.ip.v6) driver_.address6(*on, key, length, op.kind == op_kind::address);
        break;
      default:
        break;
    }
  }
}

std::string unsupported(const scenario& s) {
  if (const std::string reason = rtnetlink::why_not(); !reason.empty()) return reason;
  left_out missing;
  drivable(s, missing);
  return missing.empty() ? "" : "user space cannot do `" + missing.begin()->first + "`";
}

std::unique_ptr<scenario_driver> make_bound(const scenario& s) { return std::make_unique<bound>(s); }

void fit_device(device_plan& d, left_out& missing) {
  const std::string lacking = d.kind == device_kind::physical ? "" : probe().missing(kind_word(d.kind));
  if (d.kind == device_kind::physical || !lacking.empty()) {
    ++missing[fmt::format("a {} device", kind_word(d.kind))];
    d.kind = device_kind::dummy;
    d.lower = 0;
  }
  for (auto [flag, what] : {std::pair{&d.local, "local"}, {&d.ops_lock, "ops_lock"}, {&d.loose, "loose"}}) {
    if (*flag) ++missing[what];
    *flag = false;
  }
}

void fit_operations(std::vector<operation>& ops, left_out& missing, bool moves) {
  std::erase_if(ops, [&](const operation& op) {
    if (is_drivable(op.kind, moves)) return false;
    ++missing[entry_of(op.kind).word];
    return true;
  });
}

scenario fitted(const scenario& s, left_out& missing) { return drivable(s, missing); }

}  // namespace

bool is_drivable(op_kind k, bool moves) {
  if (k == op_kind::move) return moves;
  static constexpr op_kind drivable[] = {op_kind::register_, op_kind::open,          op_kind::close,     op_kind::unregister,
                                         op_kind::dellink,   op_kind::group_dellink, op_kind::setup_net, op_kind::exit_net,
                                         op_kind::address,   op_kind::del_address,   op_kind::route,     op_kind::del_route,
                                         op_kind::neighbour, op_kind::del_neighbour, op_kind::proxy,     op_kind::del_proxy};
  return std::find(std::begin(drivable), std::end(drivable), k) != std::end(drivable);
}

scenario drivable(const scenario& s, left_out& missing, bool moves) {
  scenario out = s;
  for (device_plan& d : out.devices) fit_device(d, missing);
  if (!out.callbacks.empty()) missing["a callback"] += out.callbacks.size();
  if (!out.faults.empty()) missing["a fault"] += out.faults.size();
  out.callbacks.clear();
  out.faults.clear();
  fit_operations(out.setup, missing, moves);
  for (auto& task : out.tasks) fit_operations(task, missing, moves);
  return out;
}

driver_entry rtnetlink_driver() {
  return {"rtnetlink", "devices of the running kernel, in namespaces made for the run", true, unsupported, make_bound,
          fitted};
}

}  // namespace quiesce::conformance
