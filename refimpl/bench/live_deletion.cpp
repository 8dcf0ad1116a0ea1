// SPDX-License-Identifier: MIT
#include "refimpl/bench/live_deletion.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <chrono>
#include <stdexcept>

#include "refimpl/device/rtnetlink/table_requests.hpp"
#include "refimpl/device/rtnetlink/testbed.hpp"

namespace quiesce::bench {

namespace {

using namespace std::chrono;

constexpr std::uint32_t group = 42;
constexpr std::uint32_t staying_address = 0x0a000001, gateway = 0x0a000002;  // 10.0.0.1/8, 10.0.0.2
constexpr std::uint32_t subnets = 0x0b000000, destinations = 0x10000000;     // as in delete_devices.cpp
constexpr minutes limit{20};

void require(const rtnetlink::answer& a) {
  if (!a) throw std::runtime_error("bench: " + a.text);
}

double system_seconds() {
  rusage used{};
  getrusage(RUSAGE_THREAD, &used);
  return static_cast<double>(used.ru_stime.tv_sec) + static_cast<double>(used.ru_stime.tv_usec) / 1e6;
}

class bed {
 public:
  bed(device_load load, std::size_t devices, std::size_t routes) : bed_({true, true}) {
    if (const rtnetlink::answer a = bed_.start(); !a) throw std::invalid_argument(a.text);
    require(bed_.add_net(1));
    for (std::size_t i = 0; i < devices; ++i) add_device(load, i);
    rtnetlink::real_device stays;
    require(bed_.create(1, "dummy", "stays", 0, 0, stays));
    require(set_link_up(net(), stays.ifindex, true, soon()));
    address(stays.ifindex, staying_address, 8);
    require(add_many_routes(net(), stays.ifindex, refimpl::ipv4_key(gateway), destinations, routes, soon()));
  }

  void act(deletion_way way) {
    switch (way) {
      case deletion_way::one_by_one:
        for (const int ifindex : devices_) require(delete_link(net(), ifindex, soon()));
        return;
      case deletion_way::one_batch:
        return require(delete_group(net(), group, soon()));
      case deletion_way::namespace_exit:
        return require(bed_.exit_net(1, soon()));
    }
  }

 private:
  static rtnetlink::deadline soon() { return rtnetlink::in(limit); }
  rtnetlink::private_net& net() { return bed_.net(1); }
  void address(int ifindex, std::uint32_t local, std::uint8_t length) {
    require(change_address(net(), ifindex, AF_INET, refimpl::ipv4_key(local), length, true, soon()));
  }
  void add_device(device_load load, std::size_t i) {
    rtnetlink::real_device made;
    require(bed_.create(1, "dummy", fmt::format("d{}", i), 0, group, made));
    require(set_link_up(net(), made.ifindex, true, soon()));
    if (load == device_load::address) address(made.ifindex, subnets | (static_cast<std::uint32_t>(i) << 8) | 1, 24);
    devices_.push_back(made.ifindex);
  }

  rtnetlink::testbed bed_;
  std::vector<int> devices_;
};

}  // namespace

live_result delete_real_devices(deletion_way way, device_load load, std::size_t devices, std::size_t routes) {
  live_result out;
  bed on(load, devices, routes);
  canary watching;
  watching.start();
  const double system = system_seconds();
  const auto began = steady_clock::now();
  on.act(way);
  out.wall_s = duration<double>(steady_clock::now() - began).count();
  out.system_s = system_seconds() - system;
  out.rtnl = watching.stop();
  if (!out.rtnl.failure.empty()) throw std::runtime_error("bench: " + out.rtnl.failure);
  return out;
}

}  // namespace quiesce::bench
