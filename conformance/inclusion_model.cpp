// SPDX-License-Identifier: MIT
#include "conformance/inclusion_model.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "conformance/model_elements.hpp"
#include "conformance/schedule_control.hpp"
#include "model/language/parse.hpp"

namespace quiesce::conformance {

namespace {

std::string net_element(net_ref n) { return n == 0 ? "init_net" : fmt::format("n{}", n); }
// --- teardown -------------------------------------------------------------------------------------------------------------

bool is_teardown(op_kind k) { return k == op_kind::close || k == op_kind::unregister || k == op_kind::dellink; }

// What a set-up may do that the model's varied in_devices and routes stand for.
bool is_address_or_route(op_kind k) {
  return k == op_kind::address || k == op_kind::route || k == op_kind::neighbour || k == op_kind::proxy;
}

// The model refuses an operation of which one device is gone; the runner does what is left of it.
bool names_what_may_be_gone(const scenario& s) {
  const auto takes = [&](const operation& op, device_ref d) {
    if (op.kind == op_kind::close) return false;
    const device_plan& plan = s.devices[static_cast<std::size_t>(d)];
    const bool above = plan.kind == device_kind::vlan || plan.kind == device_kind::macvlan;
    return std::any_of(op.devices.begin(), op.devices.end(),
                       [&](device_ref x) { return x == d || (above && x == plan.lower); });
  };
  for (const auto& task : s.tasks)
    for (const operation& op : task)
      for (const device_ref d : op.devices)
        for (const auto& other : s.tasks)
          for (const operation& before : other)
            if (op.devices.size() > 1 && &before != &op && takes(before, d)) return true;
  return false;
}

std::string beyond_teardown(const scenario& s) {
  if (!s.faults.empty()) return "faults";
  if (!s.callbacks.empty()) return "callbacks";
  for (const net_plan& n : s.nets)
    if (n.late) return "namespaces made by an operation";
  std::vector<int> uppers(s.devices.size(), 0);
  for (const device_plan& d : s.devices) {
    if (d.late) return "devices registered by an operation";
    if (d.loose || d.local) return "devices that are loosely bound or local to their namespace";
    const bool upper = d.kind == device_kind::vlan || d.kind == device_kind::macvlan;
    if (!upper) continue;
    if (is_loopback(d.lower)) return "devices above a loopback device";
    const device_plan& lower = s.devices[static_cast<std::size_t>(d.lower)];
    if (lower.kind == device_kind::vlan || lower.kind == device_kind::macvlan)
      return "devices above a device that is above another";
    if (++uppers[static_cast<std::size_t>(d.lower)] > 1) return "two devices above one";
    if (d.up && !lower.up) return "a device that is up above one that is down";
  }
  for (const operation& op : s.setup)
    if (!is_address_or_route(op.kind) || op.ip.v6) return fmt::format("'{}' in the set-up", entry_of(op.kind).word);
  for (const auto& task : s.tasks)
    for (const operation& op : task) {
      if (!is_teardown(op.kind)) return fmt::format("the operation '{}'", entry_of(op.kind).word);
      if (std::any_of(op.devices.begin(), op.devices.end(), is_loopback)) return "operations on a loopback device";
    }
  if (names_what_may_be_gone(s)) return "an operation on several devices of which one may be gone";
  return {};
}

std::string teardown_variant(std::string_view v) {
  if (v == "6.1") return "K61";
  if (v == "6.18") return "K618";
  for (const char* same : {"K44", "H09", "P1", "P1a", "P1b", "P1i", "J1", "J2", "E1", "J618", "reference"})
    if (v == same) return same;
  return {};
}

const char* const teardown_abstracts =
    "A section of run_todo under RTNL in which nothing happens is left out: it only counts dev_unreg_count. So is the "
    "RTM_NEWLINK "
    "that answers a notification which the model does not have, as NETDEV_CHANGEUPPER. fib_flush and rt_cache_flush depend "
    "on the "
    "routes that are there, which the model leaves open: they are not compared.";

}  // namespace

const std::vector<driven_model>& driven_models() {
  static const std::vector<driven_model> all = {{"teardown", teardown_abstracts, beyond_teardown, teardown_variant}};
  return all;
}

const driven_model* find_driven_model(std::string_view name) {
  for (const driven_model& m : driven_models())
    if (m.name == name) return &m;
  return nullptr;
}

// --- the instance ---------------------------------------------------------------------------------------------------------

namespace {

bool chosen_initially(const ast::variable_decl& v) {
  return v.rigid || (!v.initial.empty() && v.initial[0].kind == ast::expr_kind::any);
}

}  // namespace

std::shared_ptr<const transition_system> script_cache::get(const driven_model& model, const std::string& script,
                                                           const instance& settings, std::size_t devices, std::size_t nets) {
  std::string key = fmt::format("{} {} {} {}\n{}", model.name, settings.variant, devices, nets, script);
  for (const auto& [option, value] : settings.options) key += option + "=" + value + "\n";
  if (const auto found = systems_.find(key); found != systems_.end()) return found->second;
  if (systems_.size() >= most_) systems_.clear();
  loaded_model m = inputs_.model(inputs_.model_path(model.name)).loaded;
  std::vector<std::string> device_names, net_names;
  for (std::size_t d = 1; d <= devices; ++d) device_names.push_back(fmt::format("d{}", d));
  for (std::size_t n = 0; n < nets; ++n) net_names.push_back(net_element(static_cast<net_ref>(n)));
  name_elements(m.model, "dev", device_names);
  name_elements(m.model, "net", net_names);
  give_initial_state(m.model, chosen_initially);  // the scenario's is written over it
  ast::model extra = language::parse_model(inputs_.sources(), inputs_.sources().add("scenario", "model script\n" + script));
  for (ast::item& i : extra.items) m.model.items.push_back(std::move(i));
  ++lowered_;
  return systems_[key] = make_interpreter(lower(m, settings, {}).program);
}

// In the order of first use, then the others.
void scripted_model::order_devices(const scenario& s) {
  std::size_t next = 0;
  constexpr std::size_t none = ~std::size_t{0};
  place_.assign(s.devices.size(), none);
  for (const auto& task : s.tasks)
    for (const operation& op : task)
      for (const device_ref d : op.devices)
        if (auto& at = place_[static_cast<std::size_t>(d)]; at == none && script_ == script_place::text) at = next++;
  for (std::size_t& at : place_)
    if (at == none) at = next++;
}

std::string scripted_model::environment_text(const scenario& s) const {
  std::string out = "environment scenario \"the tasks of a scenario\" {\n";
  for (std::size_t t = 0; t < s.tasks.size(); ++t) {
    out += fmt::format("  process t{} {{\n", t + 1);
    for (const operation& op : s.tasks[t]) {
      std::string devices;
      for (const device_ref d : op.devices)
        devices += fmt::format("{}d{}", devices.empty() ? "" : ", ", place_[static_cast<std::size_t>(d)] + 1);
      out += fmt::format("    perform {}([{}]);\n", op.kind == op_kind::close ? "close_devices" : "unregister_devices",
                         devices);
    }
    out += "  }\n";
  }
  return out + "}\n";
}

// Variables k_T_I and d_T_I: what the Ith operation of task T is, and of which devices.
std::string scripted_model::environment_of_shape(const scenario& s) {
  std::string variables, out = "environment scenario \"the tasks of a scenario\" {\n";
  for (std::size_t t = 1; t <= s.tasks.size(); ++t) {
    out += fmt::format("  process t{} {{\n", t);
    for (std::size_t i = 1; i <= s.tasks[t - 1].size(); ++i) {
      variables += fmt::format("var closes_{0}_{1}: bool;\nvar devs_{0}_{1}: seq<dev>;\n", t, i);
      out += fmt::format(
          "    if closes_{0}_{1} {{ perform close_devices(devs_{0}_{1}); }} else {{ perform "
          "unregister_devices(devs_{0}_{1}); }}\n",
          t, i);
    }
    out += "  }\n";
  }
  return variables + out + "}\n";
}

void scripted_model::put_script(const scenario& s) {
  for (std::size_t t = 1; t <= s.tasks.size(); ++t)
    for (std::size_t i = 1; i <= s.tasks[t - 1].size(); ++i) {
      const operation& op = s.tasks[t - 1][i - 1];
      const std::string list = fmt::format("devs_{}_{}", t, i);
      put(fmt::format("closes_{}_{}", t, i), 0, op.kind == op_kind::close ? 1 : 0);
      put(list + ".len", 0, static_cast<std::int64_t>(op.devices.size()));
      for (std::size_t d = 0; d < op.devices.size(); ++d) put(list, static_cast<std::int64_t>(d), element(op.devices[d]));
    }
}

// What a script does not do is in the alphabet all the same: the stack is not to do it either.
std::shared_ptr<const transition_system> scripted_model::whole_model(script_cache& cache, instance settings) const {
  scenario one;
  one.tasks.assign(1, {operation{}});
  settings.scope = {{"dev", 2}, {"net", 2}};
  return cache.get(model_, environment_of_shape(one), settings, 2, 2);
}

scripted_model::scripted_model(script_cache& cache, const driven_model& model, const scenario& s, std::string_view variant,
                               script_place script)
    : inputs_(cache.inputs()), model_(model), script_(script) {
  const bool shared = script == script_place::state;
  order_devices(s);
  nets_ = static_cast<net_ref>(s.nets.size()) + 1;
  std::size_t devices = std::max<std::size_t>(1, s.devices.size());
  if (shared) nets_ = std::max(nets_, 2), devices += devices % 2;
  instance settings;
  settings.variant = model.variant(variant);
  settings.environment = "scenario";
  settings.scope = {{"dev", static_cast<std::int64_t>(devices)}, {"net", nets_}};
  settings.options = {{"inet", "varied"}, {"nested", "true"}, {"macvlan", "true"}};
  const std::string text = shared ? environment_of_shape(s) : environment_text(s);
  system_ = cache.get(model, text, settings, devices, static_cast<std::size_t>(nets_));
  options_.visible = alphabet(whole_model(cache, settings)->program());
  number_identities(s);
  set_up(s);
  if (shared) put_script(s);
}

// Elements of dev: d1, d2, ... and then lo of each namespace; of net: in order.
std::int64_t scripted_model::element(device_ref d) const {
  const std::string name = is_loopback(d) ? fmt::format("lo({})", net_element(-1 - d))
                                          : fmt::format("d{}", place_[static_cast<std::size_t>(d)] + 1);
  for (const ir::sort& x : system_->program().sorts)
    if (x.name == "dev") return std::find(x.element.begin(), x.element.end(), name) - x.element.begin();
  return -1;
}

// The runner sets up init_net, then the namespaces, then the devices; identities count in that order.
void scripted_model::number_identities(const scenario& s) {
  const ir::program& p = system_->program();
  const auto nets = static_cast<net_ref>(s.nets.size()) + 1;
  for (net_ref n = 0; n < nets; ++n) {
    options_.identities["net"][n] = n;
    options_.identities["dev"][n] = element(loopback_of(n));
  }
  for (device_ref d = 0; d < static_cast<device_ref>(s.devices.size()); ++d)
    options_.identities["dev"][nets + d] = element(d);
  for (std::size_t t = 0; t < s.tasks.size(); ++t)
    for (std::uint32_t q = 0; q < p.processes.size(); ++q)
      if (p.processes[q].name == fmt::format("t{}", t + 1))
        options_.tasks[first_task_id + static_cast<std::int64_t>(t)] = {q, 0};
  options_.search_identities = options_.search_tasks = false;
  for (const char* found : {"fib_flush", "rt_cache_flush"}) options_.visible.erase(found);
  options_.independent = [this](const model_event& a, const model_event& b) {
    return !dependent(letter_of(a).touches, letter_of(b).touches);
  };
  for (std::uint32_t e = 0; e < p.events.size(); ++e) event_number_[p.events[e].name] = e;
}

// A variable that this variant does not have says nothing.
void scripted_model::put(const std::string& variable, std::int64_t element, std::int64_t value) {
  const ir::program& p = system_->program();
  for (const ir::variable& v : p.variables)
    if (v.name == variable && v.kind != ir::variable_kind::local && v.index.size() <= 1) {
      const slot& at = system_->state_layout().slots()[v.first_slot + static_cast<std::size_t>(element)];
      const bool optional = p.types[v.type].kind == ir::type_kind::option;
      quiesce::put(options_.start.data(), at, static_cast<word>(optional ? value + 1 : value - ir::low(p, v.type)));
    }
}

void scripted_model::set_up(const scenario& s) {
  system_->make_stepper()->initial([&](const step& first) {
    if (options_.start.empty()) options_.start.assign(first.state, first.state + system_->state_layout().words());
  });
  const auto devices = static_cast<device_ref>(s.devices.size());
  for (net_ref n = 0; n < nets_; ++n) {
    put("home", element(loopback_of(n)), n);
    put("up", element(loopback_of(n)), 1);
    put("in_device", element(loopback_of(n)), 1);
  }
  for (device_ref d = 0; d < devices; ++d) {
    const device_plan& plan = s.devices[static_cast<std::size_t>(d)];
    put("home", element(d), plan.net);
    put("in_device", element(d), 1);
    put("up", element(d), plan.up ? 1 : 0);
    put("ops_locked", element(d), plan.ops_lock ? 1 : 0);
    if (plan.kind == device_kind::vlan) put("vlan_of", element(d), element(plan.lower));
    if (plan.kind == device_kind::macvlan) put("macvlan_of", element(d), element(plan.lower));
  }
  for (const operation& op : s.setup)
    if (op.kind == op_kind::address) put("has_address", element(op.devices.front()), 1);
}

std::string scripted_model::place(source_range where) const {
  const language::source_set& sources = inputs_.sources();
  const language::position at = sources.locate(where.file, where.begin);
  std::string line(sources.line(where.file, at.line));
  line.erase(0, line.find_first_not_of(' '));
  const std::string& path = sources.path(where.file);
  return fmt::format("{}:{}: {}", path.substr(path.rfind('/') + 1), at.line, line);
}

inclusion_outcome check_trace(const scripted_model& m, const std::vector<refimpl::event>& events, bool complete) {
  inclusion_outcome out;
  const std::vector<seen_event> trace = m.project(events);
  inclusion_options o = m.options();
  o.complete = complete;
  out.compared = trace.size();
  out.result = check_inclusion(m.system(), trace, o);
  out.text = explain(out.result, trace, [&](source_range where) { return m.place(where); });
  return out;
}

}  // namespace quiesce::conformance
