// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "conformance/scenario_internal.hpp"

namespace quiesce::conformance {

std::string format(const operation& op) {
  const op_entry& e = entry_of(op.kind);
  std::string text = e.word;
  for (const char c : std::string_view(e.shape)) switch (c) {
      case 'd':
      case 'D':
        for (device_ref d : op.devices) text += " " + device_name(d);
        break;
      case 'n':
      case 'N':
        for (net_ref n : op.nets) text += " " + net_name(n);
        break;
      case 'p':
        text += " " + format(op.ip);
        break;
      case 'a': {
        const std::string full = format(op.ip);
        text += " " + full.substr(0, full.find('/'));
        break;
      }
      case '#':
        text += fmt::format(" {}", op.number);
        break;
      default:
        text += fmt::format(" c{}", op.callback + 1);
    }
  return text;
}

namespace {

std::string options(const scenario_options& o) {
  const scenario_options plain;
  std::string text;
  if (o.ipv6 != plain.ipv6) text += fmt::format("option ipv6 {}\n", o.ipv6 ? "on" : "off");
  if (o.debug_list != plain.debug_list) text += fmt::format("option debug_list {}\n", o.debug_list ? "on" : "off");
  if (o.hz != plain.hz) text += fmt::format("option hz {}\n", o.hz);
  if (o.gc_thresh != plain.gc_thresh) text += fmt::format("option gc_thresh {}\n", o.gc_thresh);
  if (o.max_size != plain.max_size) text += fmt::format("option max_size {}\n", o.max_size);
  if (o.order != plain.order) text += fmt::format("option order {}\n", o.order);
  return text;
}

std::string device(const device_plan& d, int number) {
  std::string text = fmt::format("device {} {} {}", device_name(number), net_name(d.net), word(device_words, d.kind));
  if (d.kind == device_kind::vlan || d.kind == device_kind::macvlan) text += " on " + device_name(d.lower);
  for (const auto& [set, name] :
       {std::pair{d.up, " up"}, {d.late, " late"}, {d.loose, " loose"}, {d.local, " local"}, {d.ops_lock, " ops_lock"}})
    if (set) text += name;
  if (d.group != 0) text += fmt::format(" group {}", d.group);
  return text + "\n";
}

std::string callback(const callback_plan& c, int number) {
  std::string text = fmt::format("callback c{} on {} {}", number + 1, c.event, c.any_device ? "*" : device_name(c.device));
  if (c.late) text += " late";
  if (c.priority != 0) text += fmt::format(" priority {}", c.priority);
  if (c.times != 1) text += fmt::format(" times {}", c.times);
  text += fmt::format(" {}", word(reaction_words, c.react));
  if (c.react == reaction::act) text += " " + format(c.act);
  return text + "\n";
}

std::string fault(const fault_plan& f) {
  const char* kind = word(fault_words, f.kind);
  if (f.kind == fault_kind::alloc) return fmt::format("fault {} {}\n", kind, f.nth);
  return fmt::format("fault {} {}\n", kind, f.kind == fault_kind::site ? f.site : device_name(f.device));
}

std::string operations(const std::vector<operation>& ops) {
  std::string text;
  for (const operation& op : ops) text += "  " + format(op) + "\n";
  return text;
}

}  // namespace

std::string format(const scenario& s) {
  std::string text = options(s.options);
  for (std::size_t i = 0; i < s.nets.size(); ++i) text += fmt::format("net n{}{}\n", i + 1, s.nets[i].late ? " late" : "");
  for (std::size_t i = 0; i < s.devices.size(); ++i) text += device(s.devices[i], static_cast<int>(i));
  for (std::size_t i = 0; i < s.callbacks.size(); ++i) text += callback(s.callbacks[i], static_cast<int>(i));
  for (const fault_plan& f : s.faults) text += fault(f);
  if (!s.setup.empty()) text += "setup\n" + operations(s.setup);
  for (std::size_t i = 0; i < s.tasks.size(); ++i) text += fmt::format("task t{}\n", i + 1) + operations(s.tasks[i]);
  return text;
}

}  // namespace quiesce::conformance
