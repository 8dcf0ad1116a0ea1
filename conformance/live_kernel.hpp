// SPDX-License-Identifier: MIT
#pragma once
// A scenario's namespaces and devices on the running kernel: its operations as requests, its tables as dumps.

#include <map>
#include <optional>

#include "conformance/scenario.hpp"
#include "refimpl/device/rtnetlink/dump.hpp"
#include "refimpl/device/rtnetlink/testbed.hpp"

namespace quiesce::conformance {

// The tables of all namespaces of a scenario, by namespace.
struct kernel_tables {
  struct of_net {
    std::vector<rtnetlink::link_entry> links;
    std::vector<rtnetlink::address_entry> addresses;
    std::vector<rtnetlink::route_entry> routes;
    std::vector<rtnetlink::neighbour_entry> neighbours;
  };
  std::map<net_ref, of_net> nets;
};

class kernel_world {
 public:
  // `quiet` as in testbed_options: false keeps the kernel's defaults.
  kernel_world(const scenario& s, bool quiet);
  // Makes init_net and the namespaces that are not late.
  rtnetlink::answer start();
  // before: is_drivable(op.kind). The errno of the kernel, or -ENODEV where something that the operation names is not there.
  // A batch is a group delete, one for each namespace that the devices are in.
  rtnetlink::answer execute(const operation& op);
  rtnetlink::answer dump(kernel_tables& out);
  // An address that the kernel was told not to make by itself.
  rtnetlink::answer add_address(net_ref n, const std::string& device, int family, const rtnetlink::ip_key& local,
                                int length);

 private:
  struct place {
    net_ref net = 0;
    int ifindex = 0;
    std::string name;
  };
  std::optional<place> find(device_ref d);
  std::vector<place> find_all(const operation& op);
  rtnetlink::answer register_device(device_ref d);
  rtnetlink::answer remove(const std::vector<place>& devices);
  rtnetlink::answer remove_group(net_ref n, const std::vector<place>& devices);
  rtnetlink::answer on_device(const operation& op, const place& at);
  rtnetlink::answer on_net(const operation& op);
  rtnetlink::answer route(const operation& op, net_ref n, bool add);
  rtnetlink::answer exit_nets(const operation& op);
  rtnetlink::answer rescan();

  const scenario& scenario_;
  rtnetlink::testbed bed_;
  std::map<std::string, place> devices_;  // by name of the scenario: d1, lo, lo1
};

}  // namespace quiesce::conformance
