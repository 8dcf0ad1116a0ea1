// SPDX-License-Identifier: MIT
// What the scenario's callbacks were told.
#include <algorithm>

#include "conformance/probe_internal.hpp"

namespace quiesce::conformance {

using refimpl::event_kind;

namespace {

bool on_chain(const look& l, const std::string& name) {
  return std::any_of(l.s.netdev_chain.begin(), l.s.netdev_chain.end(),
                     [&](const refimpl::notifier_block* nb) { return nb->name == name; });
}

bool has(const std::vector<int>& devices, int dev) {
  return std::find(devices.begin(), devices.end(), dev) != devices.end();
}

// A callback's name begins with c and a digit; built-in handlers are not replayed.
bool of_scenario(const std::string& name) { return name.size() > 1 && name[0] == 'c' && name[1] >= '1' && name[1] <= '9'; }

void tell_register(const look& l, notifier_memory& m) {
  l.require(!has(m.told, l.e.dev), "notifier_told_once", "a notifier is told REGISTER of a device that it knows");
  std::erase(m.told, l.e.dev);
  m.told.push_back(l.e.dev);
}

// What a handler keeps of each device that it is told of, and drops when the handlers of this variant do: at once; or at a
// batch event, of the devices that are not IFF_UP, or of those that an event named.
void keep(const look& l, notifier_memory& m) {
  const refimpl::ifdown_rule rule = l.s.policy.ifdown;
  switch (static_cast<event_kind>(l.e.value)) {
    case event_kind::NETDEV_REGISTER:
      m.keeps.insert(l.e.dev);
      m.heard_of.insert(l.e.dev);
      return;
    case event_kind::NETDEV_DOWN:
    case event_kind::NETDEV_UNREGISTER:
      m.marked.insert(l.e.dev);
      if (rule == refimpl::ifdown_rule::per_device) m.keeps.erase(l.e.dev);
      return;
    case event_kind::NETDEV_DOWN_BATCH:
    case event_kind::NETDEV_UNREGISTER_BATCH:
      for (const refimpl::net_device* dev : l.devices()) {
        if (rule == refimpl::ifdown_rule::all_down && !refimpl::dev_up(*dev)) m.keeps.erase(dev->id);
        if (rule == refimpl::ifdown_rule::batch_devices && m.marked.count(dev->id) != 0) m.keeps.erase(dev->id);
      }
      m.marked.clear();
      return;
    default:
      return;
  }
}

void told(const look& l, notifier_memory& m) {
  if (static_cast<event_kind>(l.e.value) == event_kind::NETDEV_UNREGISTER) {
    l.require(m.heard_of.count(l.e.dev) != 0 || l.m.rebroadcasts[l.e.task] > 0, "unregister_only_if_told",
              "a notifier is told UNREGISTER of a device whose REGISTER did not reach it");
    m.heard_of.erase(l.e.dev);
  }
  keep(l, m);
  const auto what = static_cast<event_kind>(l.e.value);
  const bool replay = l.m.replays[l.e.task] > 0;
  if (what == event_kind::NETDEV_REGISTER) {
    if (replay) tell_register(l, m);
    m.undone.clear();
  } else if (what == event_kind::NETDEV_UNREGISTER) {
    l.require(l.m.rebroadcasts[l.e.task] > 0 || has(m.told, l.e.dev), "notifier_told_of_known_only",
              "a notifier is told UNREGISTER of a device that it does not know");
    if (replay) m.undone.push_back(l.e.dev);
    std::erase(m.told, l.e.dev);
  }
}

// Devices that the stack lists, by id.
std::vector<int> listed(refimpl::stack& s) {
  std::vector<int> ids;
  for (refimpl::net* n : s.nets())
    if (!refimpl::list_empty(&n->list))
      refimpl::list_for_each_entry<refimpl::net_device>(&n->dev_base_head, s.turns("probe"),
                                                        [&](refimpl::net_device& d) { ids.push_back(d.id); });
  return ids;
}

void replay_ended(const look& l, const std::string& name, notifier_memory& m) {
  const bool registering = m.registering;
  const bool there = on_chain(l, name);
  if (!there) {
    // The last one that it was told REGISTER of is the one that it refused; nothing is to be undone of that.
    std::vector<int> kept = m.told;
    if (registering && !kept.empty()) kept.pop_back();
    l.require(kept.empty(), "notifier_forgets_all", "a notifier that left was not told UNREGISTER of every device");
    // The refused device's REGISTER came last, and whoever refuses keeps nothing.
    if (registering && !m.order.empty()) m.keeps.erase(m.order.back());
    std::erase_if(m.keeps, [&](int dev) {
      return std::none_of(l.devices().begin(), l.devices().end(), [&](const auto* d) { return d->id == dev; });
    });
    l.require(m.keeps.empty(), "notifier_keeps_nothing",
              "the events that a notifier was told have not made it drop what it kept of every device");
    m.told = std::move(kept);  // what it was told of once, it knows
    m.keeps.clear();
    m.heard_of.clear();
  } else {
    for (int dev : listed(l.s))
      l.require(has(m.told, dev), "refused_notifier_off_chain", "a notifier on the chain does not know every device");
  }
  if (registering && m.undone.size() > 1) {
    const std::vector<int> reversed(m.undone.rbegin(), m.undone.rend());
    const bool reverse = std::includes(m.order.begin(), m.order.end(), reversed.begin(), reversed.end(), [&](int a, int b) {
      return std::find(m.order.begin(), m.order.end(), a) < std::find(m.order.begin(), m.order.end(), b);
    });
    l.require(reverse, "rollback_in_reverse", "the roll-back of a replay is not in reverse");
  }
  m.undone.clear();
  m.order.clear();
  m.registering = false;
}

}  // namespace

namespace {
void known_at_rest(const look& l) {
  if (l.m.notifiers.empty()) return;
  std::vector<int> registered;
  for (const refimpl::net_device* dev : l.devices())
    if (dev->reg_state.load() == refimpl::reg_state::registered) registered.push_back(dev->id);
  for (const auto& [name, m] : l.m.notifiers) {
    if (!on_chain(l, name)) continue;
    for (int dev : listed(l.s))
      l.require(has(m.told, dev), "refused_notifier_off_chain", "a notifier on the chain does not know every device");
    for (int dev : m.told)
      l.require(has(registered, dev), "refused_device_forgotten", "a notifier knows a device that is not registered");
  }
}
}  // namespace

void probe_replay(const look& l) {
  if (l.e.kind == event_kind::rtnl_unlock) known_at_rest(l);
  if (l.e.kind == event_kind::NETDEV_REGISTER && l.m.replays[l.e.task] == 0) {
    // The chain tells everybody on it; who comes behind a handler that refuses is told UNREGISTER all the same.
    for (const refimpl::notifier_block* nb : l.s.netdev_chain)
      if (of_scenario(nb->name)) tell_register(l, l.m.notifiers[nb->name]);
  } else if (l.e.kind == event_kind::callback && of_scenario(l.e.tag)) {
    notifier_memory& m = l.m.notifiers[l.e.tag];
    if (l.m.replays[l.e.task] > 0) {
      l.m.replayed = l.e.tag;
      if (static_cast<event_kind>(l.e.value) == event_kind::NETDEV_REGISTER) {
        m.registering = true;
        m.order.push_back(l.e.dev);
      }
    }
    told(l, m);
  } else if (l.e.kind == event_kind::replay_end && !l.m.replayed.empty()) {
    replay_ended(l, l.m.replayed, l.m.notifiers[l.m.replayed]);
    l.m.replayed.clear();
  }
}

}  // namespace quiesce::conformance
