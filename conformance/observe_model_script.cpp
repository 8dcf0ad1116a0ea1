// SPDX-License-Identifier: MIT
#include "conformance/observe_model_script.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "conformance/model_elements.hpp"
#include "conformance/observe_model_projection.hpp"
#include "model/language/parse.hpp"
#include "model/system/system.hpp"
#include "properties/diagnostic.hpp"

namespace quiesce::observe {
namespace {

using kind = asked_operation::kind;

constexpr std::int64_t most_rebroadcasts = 2;   // bound `rebroadcasts` of the library
constexpr std::int64_t most_cache_flushes = 5;  // for the routes of an address: fib_inetaddr_event of the library

// What the trace tells about one device before anything happened.
struct known_device {
  std::int64_t net = -1, lower = -1;
  bool up = false, loopback = false, has_route = false;
  std::size_t dead_marks = 0;  // fib_sync_down_dev behind its NETDEV_UNREGISTER
  std::size_t again = 0;
  std::int64_t taken = 0, dropped = 0;  // references
  bool overtaken = false;               // one behind it in the list of netdev_run_todo is freed before it
};

class writer {
 public:
  writer(const std::vector<observed_event>& events, const compared_part& part,
         const std::map<std::int64_t, std::string>& names, bool references)
      : events_(events), operations_(part.operations), references_(references), moves_(part.moves) {
    for (std::int64_t d : part.devices) known_[d].loopback = names.count(d) && names.at(d) == "lo";
    order_ = part.devices;
    for (std::size_t i : references_of(events, part)) {
      known_device& d = known_[events[i].dev];
      ++(events[i].kind == seen::dev_hold ? d.taken : d.dropped);
    }
  }

  script write() {
    out_.model = moves_ ? "namespaces" : "teardown";
    look();
    name_elements();
    out_.text = "model script\n" + init_text() + environment_text();
    if (moves_) return std::move(out_);
    out_.options["inet"] = "varied";
    if (std::any_of(known_.begin(), known_.end(), [](const auto& d) { return d.second.lower >= 0; }))
      out_.options["macvlan"] = "true";
    return std::move(out_);
  }

 private:
  void refuse(const std::string& text) {
    if (out_.unsupported.empty()) out_.unsupported = text;
  }

  known_device& device(std::int64_t d) {
    if (!known_.count(d)) order_.push_back(d);
    return known_[d];
  }

  void look() {
    std::vector<std::size_t> all;
    for (const asked_operation* o : operations_) all.insert(all.end(), o->events.begin(), o->events.end());
    std::sort(all.begin(), all.end());
    std::map<std::uint32_t, std::vector<std::int64_t>>
        unregistering;  // by task: whose notification is the last, outermost first
    std::map<std::uint32_t, std::int64_t> down;
    std::set<std::int64_t> told;
    std::map<std::uint32_t, int> rebroadcasting;
    for (std::size_t i : all) {
      const observed_event& e = events_[i];
      if (e.dev >= 0) {
        known_device& d = device(e.dev);
        if (d.net < 0 && e.net >= 0) d.net = e.net;
        if (e.kind == seen::NETDEV_GOING_DOWN && !told.count(e.dev)) d.up = true;
        if (e.kind == seen::rebroadcast_begin) ++d.again;
        if (e.kind == seen::fib_sync_down_dev && told.count(e.dev) && !rebroadcasting[e.task]) ++d.dead_marks;
      }
      if (e.net >= 0 && std::find(nets_.begin(), nets_.end(), e.net) == nets_.end()) nets_.push_back(e.net);
      if (e.kind == seen::rebroadcast_begin) rebroadcasting[e.task] = 1;
      if (e.kind == seen::rebroadcast_end) rebroadcasting[e.task] = 0;
      if (e.kind == seen::NETDEV_DOWN) down[e.task] = e.dev;
      if (e.kind == seen::fib_flush && down.count(e.task)) known_[down[e.task]].has_route = true;
      if (e.kind == seen::unlist_netdevice) down.erase(e.task);
      if (e.kind == seen::NETDEV_UNREGISTER && !rebroadcasting[e.task]) {
        told.insert(e.dev);
        unregistering[e.task] = {e.dev};
      }
      // A rollback inside a notification: its devices are above the one that is told.
      if (e.kind == seen::rollback_begin) {
        const std::vector<std::int64_t>& outer = unregistering[e.task];
        if (open_rollbacks_[e.task]++ > 0 && !outer.empty())
          for (std::int64_t m : e.members) device(m).lower = outer.back();
      }
      if (e.kind == seen::rollback_end) --open_rollbacks_[e.task];
      look_at_limits(e);
      look_at_todo(e);
    }
  }

  // Who is freed late had references for longer.
  void look_at_todo(const observed_event& e) {
    std::vector<std::vector<std::int64_t>>& open = rolled_back_[e.task];
    std::vector<std::int64_t>& todo = todo_[e.task];
    if (e.kind == seen::rollback_begin) open.push_back(e.members);
    if (e.kind == seen::rollback_end && !open.empty()) {
      todo.insert(todo.end(), open.back().begin(), open.back().end());
      open.pop_back();
    }
    const auto freed = e.kind == seen::free_netdev ? std::find(todo.begin(), todo.end(), e.dev) : todo.end();
    if (freed == todo.end()) return;
    for (auto before = todo.begin(); before != freed; ++before) known_[*before].overtaken = true;
    todo.erase(freed);
  }

  // What kernels do and the model does not: devices above that close with their lower one, more addresses than one or two.
  void look_at_limits(const observed_event& e) {
    std::vector<seen>& spans = spans_[e.task];
    if (e.kind == seen::close_begin || e.kind == seen::rollback_begin) {
      if (e.kind == seen::close_begin && !spans.empty() && spans.back() == seen::close_begin)
        refuse("a close inside a close");
      spans.push_back(e.kind);
    }
    if ((e.kind == seen::close_end || e.kind == seen::rollback_end) && !spans.empty()) spans.pop_back();
    if (e.kind == seen::NETDEV_UNREGISTER || e.kind == seen::fib_sync_down_dev) cache_flushes_[e.task] = 0;
    if (e.kind == seen::rt_cache_flush && ++cache_flushes_[e.task] > most_cache_flushes)
      refuse("a device has more addresses than the model's one");
  }

  void name_elements() {
    if (nets_.empty()) nets_.push_back(-1);
    const auto goes_nowhere = [](const asked_operation* o) { return o->what == kind::move && o->to_net < 0; };
    if (std::any_of(operations_.begin(), operations_.end(), goes_nowhere)) nets_.push_back(-1);
    for (std::size_t n = 0; n < nets_.size(); ++n) {
      out_.nets.push_back(fmt::format("n{}", n + 1));
      if (nets_[n] >= 0) out_.net_of[nets_[n]] = out_.nets.back();
    }
    std::set<std::string> loopbacks;
    for (std::int64_t d : order_) {
      std::string name = fmt::format("d{}", out_.devices.size() + 1);
      if (known_[d].loopback) {
        name = fmt::format("lo({})", net_of(d));
        if (!loopbacks.insert(name).second) refuse("two loopback devices of one namespace");
      } else {
        out_.devices.push_back(name);
      }
      out_.device_of[d] = name;
    }
    if (out_.devices.size() > 60 || nets_.size() > 60) refuse("a batch has more devices than a set of the model");
  }

  std::string net_of(std::int64_t d) {
    const std::int64_t net = known_[d].net;
    return net < 0 ? out_.nets.front() : out_.net_of.at(net);
  }

  std::string init_text() {
    std::string out = "init {\n";
    const auto set = [&](const std::string& what, const std::string& of, const std::string& value) {
      out += fmt::format("  {}({}) := {};\n", what, of, value);
    };
    const std::string home = moves_ ? "nd_net" : "home";
    for (const std::string& n : out_.nets) {
      set(home, fmt::format("lo({})", n), n);
      set("up", fmt::format("lo({})", n), "true");
    }
    if (moves_) set("is_init_net", out_.nets.front(), "true");
    for (std::int64_t d : order_) {
      const known_device& k = known_[d];
      const std::string& element = out_.device_of[d];
      set(home, element, net_of(d));
      set("up", element, k.up ? "true" : "false");
      if (moves_) {
        set("route", element, k.has_route ? "alive" : "absent");
        set("route_net", element, net_of(d));
        continue;
      }
      set("in_device", element, "true");
      set("has_address", element, k.dead_marks > 1 || !marks_shown() ? "true" : "false");
      if (k.lower >= 0) set("macvlan_of", element, fmt::format("{}", out_.device_of[k.lower]));
    }
    return out + "}\n";
  }

  bool marks_shown() const {
    return std::any_of(known_.begin(), known_.end(), [](const auto& d) { return d.second.dead_marks > 0; });
  }

  std::string list(const std::vector<std::int64_t>& devices) {
    std::string out;
    for (std::int64_t d : devices) out += (out.empty() ? "" : ", ") + out_.device_of[d];
    return "[" + out + "]";
  }

  std::string unregister_text(const asked_operation& o) {
    std::vector<std::int64_t> ordinary;
    std::vector<std::int64_t> loopbacks;
    for (std::int64_t d : o.devices) (known_[d].loopback ? loopbacks : ordinary).push_back(d);
    if (moves_) {
      if (o.devices.size() != 1 || !loopbacks.empty()) refuse("moves beside batches of several devices");
      return fmt::format("perform unregister_device({});", out_.device_of[o.devices.front()]);
    }
    if (loopbacks.empty()) return fmt::format("perform unregister_devices({});", list(ordinary));
    if (loopbacks.size() > 1) refuse("two namespaces exit in one batch");
    if (o.devices.back() != loopbacks.front()) refuse("a loopback device is not the last of its batch");
    return fmt::format("perform default_device_exit_batch({}, {});", list(ordinary), net_of(loopbacks.front()));
  }

  std::string perform_text(const asked_operation& o) {
    switch (o.what) {
      case kind::unregister:
        return unregister_text(o);
      case kind::close:
        if (moves_) refuse("moves beside closes");
        return fmt::format("perform close_devices({});", list(o.devices));
      case kind::set_down:
        if (moves_) refuse("moves beside closes");
        return fmt::format("perform link_set_down({});", out_.device_of[o.devices.front()]);
      case kind::move:
        break;
    }
    // Where it arrives may not be shown, or not yet: then it is a namespace of which nothing else is known.
    const std::string to = out_.net_of.count(o.to_net) ? out_.net_of[o.to_net] : out_.nets.back();
    return fmt::format("perform move_device({}, {});", out_.device_of[o.devices.front()], to);
  }

  std::string environment_text() {
    std::map<std::uint32_t, std::string> tasks;
    for (const asked_operation* o : operations_) tasks[o->task] += "    " + perform_text(*o) + "\n";
    std::string out = "environment script \"what the trace says was asked for\" {\n";
    for (const auto& [task, text] : tasks) {
      out_.process_of[task] = fmt::format("task{}", task);
      out += fmt::format("  process task{} {{\n{}  }}\n", task, text);
    }
    std::size_t again = 0;
    for (std::int64_t d : order_) {
      const known_device& k = known_[d];
      again = std::max(again, k.again);
      const std::int64_t holders = references_ ? k.taken : k.again > 0 || k.overtaken;
      out_.holders = std::max(out_.holders, holders);
      out_.all_dropped = out_.all_dropped && (!references_ || k.taken == k.dropped);
      if (holders > 0 && moves_) refuse("references that last beside moves");
      if (holders > 0)
        out += fmt::format("  process holds_{0}(c: cpu) {{\n    dev_hold({0}, c);\n    dev_put({0}, c);\n  }}\n",
                           out_.device_of[d]);
    }
    if (again > most_rebroadcasts) refuse("NETDEV_UNREGISTER is sent again more often than the model's bound allows");
    if (!moves_ && again > 0) out_.bounds["rebroadcasts"] = static_cast<std::int64_t>(again);
    return out + "}\n";
  }

  const std::vector<observed_event>& events_;
  const std::vector<const asked_operation*>& operations_;
  bool references_, moves_;
  std::map<std::int64_t, known_device> known_;
  std::map<std::uint32_t, int> open_rollbacks_;
  std::map<std::uint32_t, std::vector<std::vector<std::int64_t>>> rolled_back_;  // members, outermost first
  std::map<std::uint32_t, std::vector<std::int64_t>> todo_;
  std::map<std::uint32_t, std::vector<seen>> spans_;
  std::map<std::uint32_t, std::int64_t> cache_flushes_;
  std::vector<std::int64_t> order_, nets_;
  script out_;
};

// What the script gives of the initial state.
bool given(const ast::variable_decl& v) {
  static const std::set<std::string> names = {"home",        "ops_locked", "up",     "in_device", "has_address",
                                              "vlan_of",     "macvlan_of", "nd_net", "route",     "cached_route",
                                              "is_init_net", "physical",   "tunnel"};
  return names.contains(v.name);
}

}  // namespace

script write_script(const std::vector<observed_event>& events, const compared_part& part,
                    const std::map<std::int64_t, std::string>& names, bool references) {
  return writer(events, part, names, references).write();
}

script_model::script_model(catalogue& inputs, const script& s, const std::string& variant) : inputs_(inputs), script_(s) {
  loaded_model m = inputs.model(inputs.model_path(s.model)).loaded;
  conformance::name_elements(m.model, "dev", s.devices);
  conformance::name_elements(m.model, "net", s.nets);
  conformance::give_initial_state(m.model, given);
  ast::model extra = language::parse_model(inputs.sources(), inputs.sources().add("trace", s.text));
  for (ast::item& i : extra.items) m.model.items.push_back(std::move(i));
  instance settings;
  settings.variant = variant;
  settings.environment = "script";
  settings.options = s.options;
  settings.scope = {{"dev", std::max<std::int64_t>(1, static_cast<std::int64_t>(s.devices.size()))},
                    {"net", static_cast<std::int64_t>(s.nets.size())}};
  if (s.holders > 1) settings.scope["cpu"] = s.holders;
  for (const auto& [bound, value] : s.bounds) settings.scope[bound] = value;
  system_ = make_interpreter(lower(m, settings, {}).program);
}

std::int64_t script_model::element(const char* sort, const std::string& name) const {
  for (const ir::sort& x : system_->program().sorts)
    if (x.name == sort) return std::find(x.element.begin(), x.element.end(), name) - x.element.begin();
  return -1;
}

conformance::inclusion_options script_model::options() const {
  conformance::inclusion_options out;
  const ir::program& p = system_->program();
  for (const auto& [identity, name] : script_.device_of) out.identities["dev"][identity] = element("dev", name);
  for (const auto& [identity, name] : script_.net_of) out.identities["net"][identity] = element("net", name);
  for (const auto& [task, name] : script_.process_of)
    for (std::uint32_t q = 0; q < p.processes.size(); ++q)
      if (p.processes[q].name == name) out.tasks[task] = {q, 0};
  out.search_identities = out.search_tasks = false;
  out.visible = conformance::alphabet(p);
  out.max_configurations = 50'000;
  out.max_steps = 4'000'000;
  return out;
}

std::string script_model::place(source_range where) const {
  const language::source_set& sources = inputs_.sources();
  const language::position at = sources.locate(where.file, where.begin);
  std::string line(sources.line(where.file, at.line));
  line.erase(0, line.find_first_not_of(' '));
  const std::string& path = sources.path(where.file);
  return fmt::format("{}:{}: {}", path.substr(path.rfind('/') + 1), at.line, line);
}

}  // namespace quiesce::observe
