// SPDX-License-Identifier: MIT
#include "conformance/driver.hpp"

#include <deque>

#include "conformance/driver_rtnetlink.hpp"

namespace quiesce::conformance {

namespace {

// One object per device, so that each can misbehave by itself.
class simulated : public scenario_driver {
 public:
  explicit simulated(const scenario& s) : drivers_(s.devices.size()) {
    for (const fault_plan& f : s.faults) inject(f);
  }
  refimpl::net_device_ops* operations(device_ref d, const device_plan&) override {
    return &drivers_[static_cast<std::size_t>(d)];
  }

 private:
  void inject(const fault_plan& f) {
    if (f.kind == fault_kind::alloc || f.kind == fault_kind::site) return;
    auto& faults = drivers_[static_cast<std::size_t>(f.device)].misbehave;
    constexpr int enomem = -12;
    if (f.kind == fault_kind::init) faults.init_errno = enomem;
    if (f.kind == fault_kind::open) faults.open_errno = enomem;
    if (f.kind == fault_kind::throw_open) faults.throw_in_open = true;
    if (f.kind == fault_kind::throw_stop) faults.throw_in_stop = true;
    if (f.kind == fault_kind::throw_uninit) faults.throw_in_uninit = true;
  }
  std::deque<refimpl::simulated_driver> drivers_;
};

std::string supports_all(const scenario&) { return {}; }
std::unique_ptr<scenario_driver> make_simulated(const scenario& s) { return std::make_unique<simulated>(s); }

}  // namespace

const std::vector<driver_entry>& driver_table() {
  static const std::vector<driver_entry> table = {
      {"simulated", "no devices: operations succeed, or fail as the scenario says", false, supports_all, make_simulated,
       nullptr},
      rtnetlink_driver(),
  };
  return table;
}

const driver_entry* find_driver(std::string_view name) {
  for (const driver_entry& d : driver_table())
    if (d.name == name) return &d;
  return nullptr;
}

}  // namespace quiesce::conformance
