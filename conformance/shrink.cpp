// SPDX-License-Identifier: MIT
// Simpler scenarios: what is taken out takes its references along.
#include <algorithm>
#include <functional>

#include "conformance/generate.hpp"

namespace quiesce::conformance {

namespace {

// Renumbers references above `gone`; false: the reference was to what is gone.
bool renumber(int& reference, int gone) {
  if (reference == gone) return false;
  if (reference > gone) --reference;
  return true;
}

// An operation without one device, namespace or callback; false: nothing of it is left.
bool without_device(operation& op, device_ref gone) {
  std::vector<device_ref> kept;
  for (device_ref d : op.devices)
    if (is_loopback(d) || renumber(d, gone)) kept.push_back(d);
  const bool survives = kept.size() == op.devices.size() || !kept.empty();
  op.devices = kept;
  return survives;
}

bool without_net(operation& op, net_ref gone) {
  std::vector<net_ref> kept;
  for (net_ref n : op.nets)
    if (renumber(n, gone)) kept.push_back(n);
  bool survives = kept.size() == op.nets.size() || !kept.empty();
  op.nets = kept;
  for (device_ref& d : op.devices)
    if (is_loopback(d)) {
      net_ref n = -1 - d;
      survives = renumber(n, gone) && survives;
      d = loopback_of(n);
    }
  return survives;
}

template <class F>
void filter(std::vector<operation>& ops, F keep) {
  std::vector<operation> kept;
  for (operation op : ops)
    if (keep(op)) kept.push_back(op);
  ops.swap(kept);
}

template <class F>
void filter_all(scenario& s, F keep) {
  filter(s.setup, keep);
  for (auto& task : s.tasks) filter(task, keep);
  for (callback_plan& c : s.callbacks)
    if (c.react == reaction::act && !keep(c.act)) {
      c.react = reaction::none;
      c.act = {};
    }
}

scenario drop_device(scenario s, device_ref gone) {
  filter_all(s, [&](operation& op) { return without_device(op, gone); });
  s.devices.erase(s.devices.begin() + gone);
  for (device_plan& d : s.devices) {
    const bool upper = d.kind == device_kind::vlan || d.kind == device_kind::macvlan;
    if (upper && !renumber(d.lower, gone)) {
      d.kind = device_kind::dummy;
      d.lower = 0;
      d.loose = false;
    }
  }
  std::vector<fault_plan> faults;
  for (fault_plan f : s.faults)
    if (f.kind == fault_kind::alloc || f.kind == fault_kind::site || renumber(f.device, gone)) faults.push_back(f);
  s.faults = faults;
  for (callback_plan& c : s.callbacks)
    if (!c.any_device && !is_loopback(c.device) && !renumber(c.device, gone)) {
      c = callback_plan{"*", true};
    }
  return s;
}

scenario drop_net(scenario s, net_ref gone) {
  for (device_plan& d : s.devices)
    if (!renumber(d.net, gone)) d.net = gone > 1 ? 1 : 0;
  filter_all(s, [&](operation& op) { return without_net(op, gone); });
  for (callback_plan& c : s.callbacks)
    if (is_loopback(c.device)) {
      net_ref n = -1 - c.device;
      if (renumber(n, gone))
        c.device = loopback_of(n);
      else
        c = callback_plan{"*", true};
    }
  s.nets.erase(s.nets.begin() + gone - 1);
  return s;
}

scenario drop_callback(scenario s, int gone) {
  filter_all(s, [&](operation& op) {
    const bool uses = op.kind == op_kind::watch || op.kind == op_kind::unwatch;
    return !uses || renumber(op.callback, gone);
  });
  s.callbacks.erase(s.callbacks.begin() + gone);
  return s;
}

class candidates {
 public:
  explicit candidates(const scenario& s) : s_(s) {}
  std::vector<scenario> all() {
    objects();
    for (std::size_t t = 0; t < s_.tasks.size(); ++t)
      lists([t](scenario& s) -> std::vector<operation>& { return s.tasks[t]; });
    lists([](scenario& s) -> std::vector<operation>& { return s.setup; });
    attributes();
    return std::move(found_);
  }

 private:
  template <class F>
  void offer(F change) {
    scenario next = s_;
    change(next);
    offer(std::move(next));
  }
  void offer(scenario next) {
    if (!(next == s_) && defect(next).empty()) found_.push_back(std::move(next));
  }
  void objects() {
    for (std::size_t i = s_.tasks.size(); i-- > 0;)
      offer([&](scenario& s) { s.tasks.erase(s.tasks.begin() + static_cast<long>(i)); });
    for (std::size_t i = s_.devices.size(); i-- > 0;) offer(drop_device(s_, static_cast<device_ref>(i)));
    for (std::size_t i = s_.nets.size(); i-- > 0;) offer(drop_net(s_, static_cast<net_ref>(i) + 1));
    for (std::size_t i = s_.callbacks.size(); i-- > 0;) offer(drop_callback(s_, static_cast<int>(i)));
    for (std::size_t i = s_.faults.size(); i-- > 0;)
      offer([&](scenario& s) { s.faults.erase(s.faults.begin() + static_cast<long>(i)); });
    if (s_.tasks.size() > 1)
      offer([](scenario& s) {
        s.tasks[0].insert(s.tasks[0].end(), s.tasks.back().begin(), s.tasks.back().end());
        s.tasks.pop_back();
      });
  }
  template <class At>
  void lists(At at) {
    const std::size_t n = at(s_).size();
    if (n > 1) offer([&](scenario& s) { at(s).clear(); });
    for (std::size_t i = n; i-- > 0;) offer([&](scenario& s) { at(s).erase(at(s).begin() + static_cast<long>(i)); });
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = at(s_)[i].devices.size(); k-- > 0 && at(s_)[i].devices.size() > 1;)
        offer([&](scenario& s) { at(s)[i].devices.erase(at(s)[i].devices.begin() + static_cast<long>(k)); });
      for (std::size_t k = at(s_)[i].nets.size(); k-- > 0 && at(s_)[i].nets.size() > 1;)
        offer([&](scenario& s) { at(s)[i].nets.erase(at(s)[i].nets.begin() + static_cast<long>(k)); });
      if (at(s_)[i].number > 1) {
        offer([&](scenario& s) { at(s)[i].number = 1; });
        offer([&](scenario& s) { at(s)[i].number /= 2; });
      }
    }
  }
  void attributes() {
    // None of these undoes another: that would go on for ever.
    offer([](scenario& s) {
      s.options = {};
      s.options.ipv6 = false;
    });
    offer([](scenario& s) { s.options.ipv6 = false; });
    offer([](scenario& s) { s.options.order = 0; });
    for (std::size_t i = 0; i < s_.devices.size(); ++i) {
      auto set = [&](auto change) { offer([&](scenario& s) { change(s.devices[i]); }); };
      set([](device_plan& d) {
        d.kind = device_kind::dummy;
        d.lower = 0;
        d.loose = false;
      });
      set([](device_plan& d) { d.up = false; });
      set([](device_plan& d) { d.late = false; });
      set([](device_plan& d) { d.group = 0; });
      set([](device_plan& d) { d.loose = d.local = d.ops_lock = false; });
      if (s_.devices[i].net > 1) set([](device_plan& d) { d.net = 1; });
      if (s_.devices[i].net > 0) set([](device_plan& d) { d.net = 0; });
    }
    for (std::size_t i = 0; i < s_.callbacks.size(); ++i) {
      offer([&](scenario& s) { s.callbacks[i].priority = 0; });
      for (net_ref n = 0; n <= static_cast<net_ref>(s_.nets.size()); ++n)
        offer([&](scenario& s) {
          callback_plan& c = s.callbacks[i];
          if (!c.any_device && !is_loopback(c.device)) c.device = loopback_of(n);
        });
      offer([&](scenario& s) { s.callbacks[i].late = false; });
      offer([&](scenario& s) { s.callbacks[i].react = reaction::none, s.callbacks[i].act = {}; });
    }
  }
  scenario s_;
  std::vector<scenario> found_;
};

}  // namespace

std::vector<scenario> simpler(const scenario& s) { return candidates(s).all(); }

// In turn, from where the last one succeeded, until none of them does: what failed before mostly fails again.
scenario shrink(scenario s, const std::function<bool(const scenario&)>& fails, std::size_t most) {
  std::vector<scenario> all = simpler(s);
  for (std::size_t at = 0, failed = 0; failed < all.size() && most > 0; --most) {
    at %= all.size();
    if (fails(all[at])) {
      s = std::move(all[at]);
      all = simpler(s);
      failed = 0;
    } else {
      ++at;
      ++failed;
    }
  }
  return s;
}

}  // namespace quiesce::conformance
