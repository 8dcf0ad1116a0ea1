// SPDX-License-Identifier: MIT
#include <algorithm>

#include <fmt/format.h>

#include "conformance/counterexample_internal.hpp"

namespace quiesce::conformance {

const std::vector<converted_model>& converted_models() {
  static const std::vector<converted_model> all = {
      {"teardown", convert_teardown},         {"register", convert_register},
      {"namespaces", convert_namespaces},     {"replay", convert_replay},
      {"fib_neigh", convert_fib_neigh},       {"proxy_queue", convert_proxy_queue},
      {"wait_allrefs", convert_wait_allrefs}, {"fib6_gc", convert_fib6_gc},
      {"wait_backoff", convert_wait_backoff}, {"wait_list", convert_wait_backoff},
      {"wait_rcu", convert_wait_backoff},
  };
  return all;
}

ip_prefix own_address(device_ref d) { return ipv4(0x0a000001u + (static_cast<std::uint32_t>(d) << 8), 24); }
ip_prefix host_behind(device_ref d, unsigned host) {
  return ipv4(0x0a000000u + (static_cast<std::uint32_t>(d) << 8) + 100 + host);
}
ip_prefix route_to(unsigned number) { return ipv4(0x14000000u + (number << 8), 24); }

std::string script_maker::initially(std::string_view variable, std::string_view of) const {
  const auto found = initial_.find(of.empty() ? std::string(variable) : fmt::format("{}({})", variable, of));
  return found != initial_.end() ? found->second : std::string();
}

std::vector<std::string> script_maker::all_with(std::string_view variable) const {
  std::vector<std::string> out;
  const std::string head = std::string(variable) + "(";
  for (const auto& [name, value] : initial_)
    if (name.starts_with(head)) out.push_back(name.substr(head.size(), name.size() - head.size() - 1));
  return out;
}

std::string script_maker::option(const std::string& name, const std::string& otherwise) const {
  const auto found = settings_.options.find(name);
  return found != settings_.options.end() ? found->second : otherwise;
}

std::vector<std::string> script_maker::elements(const std::string& text) {
  std::vector<std::string> out;
  std::string one;
  for (const char c : text + ",") {
    if (c == ',' && !one.empty()) out.push_back(std::exchange(one, {}));
    if (c != '{' && c != '}' && c != ' ' && c != ',' && c != '[' && c != ']') one += c;
  }
  return out;
}

std::string script_maker::choice(const step_text& s, std::string_view what) {
  for (const trace_choice& c : s.choices)
    if (c.what == what) {
      const std::string head = fmt::format("{} = ", what);
      return c.shown.starts_with(head) ? c.shown.substr(head.size()) : c.value;
    }
  return {};
}

// A set that no variable shows is a number: its bits are the elements in order, dev0 first.
std::vector<std::string> script_maker::chosen_set(const step_text& s, std::string_view what, std::string_view sort) {
  const std::string text = choice(s, what);
  if (text.empty() || text.find_first_not_of("0123456789") != text.npos) return elements(text);
  std::vector<std::string> out;
  const std::uint64_t bits = std::stoull(text);
  for (unsigned i = 0; i < 64; ++i)
    if ((bits >> i & 1) != 0) out.push_back(fmt::format("{}{}", sort, i));
  return out;
}

std::string script_maker::performed(const step_text& s) {
  constexpr std::string_view perform = "perform ";
  if (!s.statement.starts_with(perform)) return {};
  return s.statement.substr(perform.size(), s.statement.find('(') - perform.size());
}

net_ref script_maker::net(const std::string& name) {
  if (name == "init_net") return 0;
  if (const auto found = nets_.find(name); found != nets_.end()) return found->second;
  const net_ref number = init_net_free_ ? 0 : static_cast<net_ref>(out_.what.nets.size()) + 1;
  if (number > 0) out_.what.nets.push_back({});
  init_net_free_ = false;
  return nets_[name] = number;
}

device_ref script_maker::add_device(const std::string& name, device_plan plan) {
  const auto number = static_cast<device_ref>(out_.what.devices.size());
  numbers_[name] = number;
  out_.what.devices.push_back(plan);
  return number;
}

device_ref script_maker::device(const std::string& name) {
  if (is_loopback_name(name)) return loopback_of(net(name.substr(3, name.size() - 4)));
  return numbers_.at(name);
}

std::size_t script_maker::task(const std::string& process) {
  const auto found = std::find(processes_.begin(), processes_.end(), process);
  if (found != processes_.end()) return static_cast<std::size_t>(found - processes_.begin());
  processes_.push_back(process);
  out_.what.tasks.push_back({});
  return processes_.size() - 1;
}

void script_maker::follow(const step_text& s) {
  const auto found = std::find(processes_.begin(), processes_.end(), s.process);
  if (found == processes_.end()) return;
  due(fmt::format("t{}", found - processes_.begin() + 1), s);
}

void script_maker::due(const std::string& task, const step_text& s) {
  const due_event silent{task, {}};
  if (s.events.empty() && (out_.steps.empty() || out_.steps.back() != silent)) out_.steps.push_back(silent);
  for (const trace_event& e : s.events) {
    out_.order.push_back({task, e.name});
    out_.steps.push_back({task, e.name});
  }
}

counterexample_script script_maker::finish() {
  // What is broken from the start, or by softirqs alone.
  const bool nothing = run_.length() == 0 || settings_.environment == "packets_and_timer";
  if (out_.what.tasks.empty() && nothing) out_.what.tasks.push_back({on(op_kind::sleep, {}, 1), on(op_kind::sleep, {}, 1)});
  std::erase_if(out_.what.tasks, [](const auto& t) { return t.empty(); });
  if (out_.beyond.empty() && out_.what.tasks.empty()) out_.beyond = "no operation is performed";
  if (out_.beyond.empty()) out_.beyond = defect(out_.what);
  return std::move(out_);
}

}  // namespace quiesce::conformance
