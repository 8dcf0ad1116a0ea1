// SPDX-License-Identifier: MIT
#pragma once
// Namespaces and devices of the running kernel that stand for those of one scenario. Everything lives in private namespaces
// and is gone when this object is, or the process. Namespaces go by numbers that the caller gives.

#include <map>
#include <set>

#include "refimpl/device/rtnetlink/capabilities.hpp"
#include "refimpl/device/rtnetlink/kernel_events.hpp"
#include "refimpl/device/rtnetlink/link_requests.hpp"

namespace quiesce::rtnetlink {

// RTNL belongs to the whole machine: what is larger needs the user's word.
inline constexpr std::size_t devices_without_asking = 100, routes_without_asking = 10'000;
// A sentence that refuses, or nothing.
std::string too_large(std::size_t devices, std::size_t routes, bool yes);

struct real_device {
  int net = 0;
  int ifindex = 0;
  std::string name;
};

struct testbed_options {
  // The kernel makes no address, probe or solicitation by itself where it can be told not to (settings of each namespace and
  // device). False: the kernel's defaults.
  bool quiet = true;
  bool exit_witness = false;  // see exit_net
};

class testbed {
 public:
  explicit testbed(testbed_options options = {}) : options_(options) {}
  // Detects the kinds of devices; opens the listener.
  answer start();

  answer add_net(int number);
  bool has_net(int number) const { return nets_.contains(number); }
  private_net& net(int number) { return *nets_.at(number); }
  std::vector<int> nets() const;
  // The number of a namespace that an event came from.
  int number_of(const private_net* n) const;

  // kind "dummy" is an ifb device where the kernel has no dummy. `lower` is an ifindex in the same namespace. The device is
  // down.
  answer create(int net, const std::string& kind, const std::string& name, int lower, std::uint32_t group, real_device& out);
  // A veth pair; `peer_net` may be another namespace. Both ends are down.
  answer create_pair(int net, const std::string& name, int peer_net, const std::string& peer_name, real_device& out,
                     real_device& peer);
  // Empty: the kernel has it. Else why not.
  std::string missing(const std::string& kind) const;

  // Gives the namespace up and waits until its exit has deleted its devices: with exit_witness, for RTM_DELLINK of the peer
  // outside of a pair whose other end the namespace holds, and then for one request that takes RTNL, after which the batch
  // is complete. -ETIMEDOUT. Without a witness it does not wait.
  answer exit_net(int number, deadline until);

  kernel_events& events() { return events_; }
  static std::string witness_name() { return "qwitness"; }

 private:
  answer settle_net(private_net& n);
  answer add_witness(int number);
  answer finish(int net, const std::string& name, real_device& out);
  answer await_dellink(const std::string& name, deadline until);

  testbed_options options_;
  std::vector<kind_support> kinds_;
  kernel_events events_;
  private_net outside_;  // holds the witnesses' peers
  kernel_events outside_events_;
  std::map<int, std::unique_ptr<private_net>> nets_;
  std::uint32_t last_mac_ = 0;
};

}  // namespace quiesce::rtnetlink
