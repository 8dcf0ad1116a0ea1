// SPDX-License-Identifier: MIT
// iproute2 scripts for counterexamples. User space can make one batch of devices by deleting a group (one namespace), or a
// veth device whose peer is in another namespace (two); it cannot call dev_close_many, hold references or time a grace
// period.
#include <fmt/format.h>

#include <map>
#include <set>

#include "model/report/cite.hpp"

namespace quiesce::report {
namespace {

// Which namespace each device that is unregistered lives in, by the last argument of its NETDEV_UNREGISTER or ndo_uninit.
std::map<std::string, std::string> homes(const run_text& run) {
  std::map<std::string, std::string> out;
  for (const step_text& s : run.steps)
    for (const trace_event& e : s.events)
      if ((e.name == "NETDEV_UNREGISTER" || e.name == "ndo_uninit" || e.name == "unlist_netdevice") && e.args.size() == 2)
        out[e.args[0]] = e.args[1];
  return out;
}

std::string quoted_name(std::string name) {
  std::string out;
  for (char c : name)
    if (isalnum(static_cast<unsigned char>(c)) || c == '_') out += c;
  return out.substr(0, 12);
}

std::string group_script(const std::map<std::string, std::string>& devices) {
  std::string out =
      "#!/bin/sh -e\n# one batch of one namespace; run as root\nip netns add q0\ntrap 'ip netns del q0' EXIT\n";
  for (const auto& [dev, net] : devices) {
    out += fmt::format("ip -n q0 link add {} type dummy 2>/dev/null || ip -n q0 link add {} type ifb\n", quoted_name(dev),
                       quoted_name(dev));
    out += fmt::format("ip -n q0 link set {} group 7 up\n", quoted_name(dev));
  }
  return out + "ip -n q0 link del group 7\n";
}

std::string pair_script(const std::map<std::string, std::string>& devices) {
  const std::string a = quoted_name(devices.begin()->first), b = quoted_name(devices.rbegin()->first);
  std::string out = "#!/bin/sh -e\n# one batch of two namespaces: a veth device takes its peer along; run as root\n";
  out += "ip netns add q0\nip netns add q1\ntrap 'ip netns del q0; ip netns del q1' EXIT\n";
  out +=
      fmt::format("ip -n q0 link add {} type veth peer name {} netns q1\nip -n q0 link set {} up\nip -n q1 link set {} up\n",
                  a, b, a, b);
  return out + fmt::format("ip -n q0 link del {}\n", a);
}

}  // namespace

reproducer reproduce(const citation& c) {
  const verdict& v = c.answered->verdicts[0];
  if (!v.counterexample || v.kind == verdict_kind::holds) return {"", "there is nothing to reproduce"};
  const std::string& model = c.check->asked().model->loaded.model.name;
  if (model != "teardown" || c.check->asked().settings.environment != "default")
    return {"", "user space cannot drive what the run does"};
  const auto devices = homes(*v.counterexample);
  std::set<std::string> nets;
  for (const auto& [dev, net] : devices) nets.insert(net);
  if (nets.size() == 1) return {group_script(devices), ""};
  if (nets.size() == 2 && devices.size() == 2) return {pair_script(devices), ""};
  return {"", "user space cannot make this batch"};
}

}  // namespace quiesce::report
