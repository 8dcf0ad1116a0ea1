// SPDX-License-Identifier: MIT
// Real devices deleted on the running kernel, beside the reference stack on the same scenario.
#include <fmt/format.h>

#include <stdexcept>

#include "refimpl/bench/bench.hpp"
#include "refimpl/bench/child.hpp"
#include "refimpl/bench/live_deletion.hpp"
#include "refimpl/device/rtnetlink/testbed.hpp"

namespace quiesce::bench {

namespace {

constexpr deletion_way ways[] = {deletion_way::one_by_one, deletion_way::one_batch, deletion_way::namespace_exit};
constexpr device_load loads[] = {device_load::address, device_load::nothing};

struct scenario_size {
  std::size_t devices, routes;
};

json to_json(const live_result& r) {
  return {{"wall_s", r.wall_s},          {"system_s", r.system_s},
          {"requests", r.rtnl.requests}, {"longest_s", r.rtnl.longest_s},
          {"waited_s", r.rtnl.waited_s}, {"alone_s", r.rtnl.alone_s}};
}

row common(const scenario_size& size, device_load load, deletion_way way, const std::string& who) {
  return {size.devices, size.routes, name(load), name(way), who};
}

void add_kernel_row(section& to, const scenario_size& size, device_load load, deletion_way way, const std::string& who,
                    const options& o) {
  const child_outcome child =
      run_in_child([&] { return to_json(delete_real_devices(way, load, size.devices, size.routes)); }, o.limit_s);
  row r = common(size, load, way, who);
  if (!child.failure.empty()) {
    for (int i = 0; i < 6; ++i) r.push_back(nullptr);
    r.push_back(child.failure);
  } else {
    const json& v = child.value;
    const double wall = v["wall_s"];
    r.insert(r.end(), {number(wall), number(static_cast<double>(size.devices) / wall)});
    r.push_back(way == deletion_way::namespace_exit ? json(nullptr) : number(v["system_s"]));
    r.insert(r.end(), {number(v["waited_s"]), number(v["longest_s"]), v["requests"], "done"});
  }
  to.rows.push_back(std::move(r));
}

// CPU time while RTNL is held, and the simulated waits under it; wall: both, outside RTNL too.
void add_stack_row(section& to, const scenario_size& size, device_load load, deletion_way way, const std::string& variant,
                   const options& o) {
  deletion_input in;
  in.variant = variant;
  in.way = way;
  in.load = load;
  in.devices = size.devices;
  in.routes = size.routes;
  const child_outcome child = run_in_child([&] { return to_json(delete_devices(in)); }, o.limit_s);
  row r = common(size, load, way, "stack " + variant);
  if (!child.failure.empty()) {
    for (int i = 0; i < 6; ++i) r.push_back(nullptr);
    r.push_back(child.failure);
  } else {
    const deletion_result d = deletion_from_json(child.value);
    const double wall = d.cpu_s + d.waits_s;
    r.insert(r.end(),
             {number(wall), number(static_cast<double>(size.devices) / wall), number(d.cpu_s),
              number(d.rtnl_hold_s + d.rtnl_waits_s), nullptr, nullptr, d.stopped.empty() ? json("done") : json(d.stopped)});
  }
  to.rows.push_back(std::move(r));
}

std::vector<scenario_size> sizes_of(const options& o) {
  const std::size_t devices = o.devices != 0 ? o.devices : rtnetlink::devices_without_asking;
  std::vector<std::size_t> routes = o.routes;
  if (routes.empty()) routes = {0, o.yes ? 100'000 : rtnetlink::routes_without_asking};
  std::vector<scenario_size> out;
  for (const std::size_t r : routes) out.push_back({devices, r});
  for (const scenario_size& s : out)
    if (const std::string refused = rtnetlink::too_large(s.devices, s.routes, o.yes); !refused.empty())
      throw std::invalid_argument(refused);
  return out;
}

}  // namespace

report run_live(const options& o) {
  const std::vector<scenario_size> sizes = sizes_of(o);
  if (const std::string reason = rtnetlink::why_not(); !reason.empty())
    throw std::invalid_argument("real devices cannot be driven here: " + reason);
  const rtnetlink::running_kernel kernel = rtnetlink::this_kernel();
  const std::string who = "kernel " + kernel.release;
  report out{"live", fmt::format("{} real devices deleted in a namespace of their own, on {}", sizes[0].devices, who)};
  const std::vector<std::string> variants = chosen_variants(o, {kernel.variant, "K44", "J1", "reference"});
  out.inputs = {
      {"devices", fmt::format("{}", sizes[0].devices), "deleted; each is up; dummy, or ifb where the kernel has no dummy"},
      {"grace period", "10 ms", "of the stack's rows, simulated; the kernel's are its own"},
      {"canary", "RTM_SETLINK of an unchanged MTU, every 0.1 ms", "its waits are the RTNL column of the kernel's rows"},
      {"limit per row", fmt::format("{:g} s", o.limit_s), "real time after which a run is stopped"}};
  out.reported = {"1000 interfaces beside 100,000 routes: RTNL held 13 s, with the series 5 s, on another machine"};
  if (!kernel.listed)
    out.findings.push_back(fmt::format("kernel {} is not listed: the variant {} beside it is only the nearest",
                                       kernel.release, kernel.variant));
  section table{"deletion",
                {"devices", "routes", "devices have", "way", "who", "wall s", "devices/s", "CPU s", "RTNL s",
                 "longest wait s", "canary requests", "outcome"},
                {}};
  for (const scenario_size& size : sizes)
    for (const device_load load : loads)
      for (const deletion_way way : ways) {
        o.progress(fmt::format("{} routes, {}, {}", size.routes, name(load), name(way)));
        add_kernel_row(table, size, load, way, who, o);
        for (const std::string& v : variants) add_stack_row(table, size, load, way, v, o);
      }
  out.sections.push_back(std::move(table));
  return out;
}

}  // namespace quiesce::bench
