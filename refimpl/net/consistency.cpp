// SPDX-License-Identifier: MIT
// stack::check_consistency: the rules that can be read off the tables at one moment. Each check names the rule it looks at.
#include <map>
#include <set>

#include "refimpl/net/addrconf.hpp"
#include "refimpl/net/fib.hpp"
#include "refimpl/net/fib_trie.hpp"
#include "refimpl/net/inetdev.hpp"
#include "refimpl/net/linkwatch.hpp"
#include "refimpl/net/neigh.hpp"
#include "refimpl/net/stack.hpp"

namespace quiesce::refimpl {

namespace {

// References that the tables account for, by device and holder.
using accounted = std::map<std::pair<const net_device*, holder>, std::int64_t>;

struct checker {
  stack& s;
  bool at_rest;
  std::vector<std::string> found{};
  accounted refs{};

  void fail(const std::string& rule, const std::string& text) { found.push_back(rule + ": " + text); }
  void require(bool ok, const char* rule, const std::string& text) {
    if (!ok) fail(rule, text);
  }
  // A list that can be walked both ways within the number of objects there are.
  std::size_t walk(const list_head* head, const char* rule, const std::string& what) {
    std::size_t n = 0;
    const list_head* prev = head;
    for (const list_head* pos = head->next; pos != head; pos = pos->next) {
      if (bad_link(pos) || pos->prev != prev || ++n > 100'000'000) {
        fail(rule, what + " is corrupted");
        return n;
      }
      prev = pos;
    }
    return n;
  }

  void devices();
  void device(net_device& dev);
  void of_net(net& n);
  void fib(net& n);
  void neighbours(neigh_table& tbl);
  void compare_references();
};

bool leaving_or_gone(const net_device& dev) {
  return dev.reg_state.load() == reg_state::unregistered || dev.reg_state.load() == reg_state::released;
}

void checker::device(net_device& dev) {
  const reg_state state = dev.reg_state.load();
  if (at_rest) {
    require(list_empty(&dev.close_list), "L8", dev.name + " is on a close_list");
    require(list_empty(&dev.ifdown_list), "L1", dev.name + " is on an ifdown list");
    require(!dev.dismantle.load() || state != reg_state::registered, "O5", dev.name + " is being dismantled but registered");
    require(list_empty(&dev.todo_list) || state == reg_state::unregistering || state == reg_state::unregistered, "L10",
            dev.name + " is on the todo list in state " + name(state));
  }
  if (state == reg_state::uninitialized)
    require(dev.refs.of(holder::registration) == 0, "R8", dev.name + " holds itself unregistered");
  if (state == reg_state::registered)
    require(dev.refs.of(holder::registration) == 1, "R8", dev.name + " lacks its registration reference");
  require(dev.refs.of(holder::base) == s.policy.base_refcount, "R2", dev.name + ": base reference");
  require(!leaving_or_gone(dev) || !dev_up(dev), "E10", dev.name + " is up and unregistered");
  if (dev.linkwatch_pending.load()) ++refs[{&dev, holder::linkwatch}];
  for (const net_device* up : dev.adj_upper) {
    ++refs[{&dev, holder::upper}];
    require(s.known(up), "O6", dev.name + " has an upper device that is gone");
  }
  if (dev.reg_state.load() == reg_state::registered) ++refs[{&dev, holder::registration}];
}

void checker::devices() {
  for (net_device* dev : s.devices()) device(*dev);
  if (!at_rest) return;
  require(list_empty(&s.net_todo_list), "L11", "net_todo_list is not empty while RTNL is free");
  require(!s.dangling_head, "L6", "a list head on a stack frame was left with nodes on it");
}

void checker::of_net(net& n) {
  const std::string id = "net " + std::to_string(n.id);
  const std::size_t listed = walk(&n.dev_base_head, "O1", id + ": device list");
  require(listed == n.devices, "O1", id + ": device count");
  const bool initialised = !bad_link(n.event_list.next);
  if (s.policy.node_init) require(initialised, "L2", id + ": event_list was never initialised");
  if (at_rest && initialised) require(list_empty(&n.event_list), "L1", id + ": event_list is on a list at rest");
  if (at_rest) require(n.ipv4 == nullptr || !n.ipv4->needs_fib_flush, "F1", id + ": needs_fib_flush at rest");
  std::set<std::string> names;
  std::set<int> indices;
  list_for_each_entry<net_device>(&n.dev_base_head, s.turns("check"), [&](net_device& d) {
    require(&dev_net(d) == &n, "E8", d.name + " is listed in a namespace that is not its own");
    require(names.insert(d.name).second && indices.insert(d.ifindex).second, "O1", id + ": name or ifindex taken twice");
    require(__dev_get_by_index(n, d.ifindex) == &d && __dev_get_by_name(n, d.name) == &d, "O1", d.name + ": hash chains");
    if (at_rest)
      require(d.reg_state.load() == reg_state::registered, "O5", d.name + " is listed but " + name(d.reg_state.load()));
  });
  fib(n);
}

void checker::fib(net& n) {
  if (n.ipv4 == nullptr) return;
  std::set<const fib_info*> infos;
  std::map<const fib_info*, int> users;
  for (const route_view& r : fib_dump(n)) {
    infos.insert(r.fi);
    ++users[r.fi];
    if (at_rest)
      require((r.fi->fib_flags.load() & RTNH_F_DEAD) == 0, "F3",
              "net " + std::to_string(n.id) + ": a dead route is in a table");
  }
  std::size_t routes = 0;
  for (auto& [fi, count] : users) {
    routes += static_cast<std::size_t>(count);
    require(fi->fib_treeref == count, "F3", "fib_treeref differs from the aliases that use the info");
    for (const auto& nh : fi->nhs) {
      if (nh->nh_dev == nullptr) continue;
      require(s.known(nh->nh_dev), "F3", "a next hop's device is gone");
      if (at_rest && s.known(nh->nh_dev))
        require(nh->nh_dev->reg_state.load() == reg_state::registered, "F3",
                "a next hop's device " + nh->nh_dev->name + " is unregistered");
    }
  }
  require(routes == n.ipv4->routes, "F3", "count of routes");
}

void checker::neighbours(neigh_table& tbl) {
  std::size_t entries = 0;
  for (const neighbour* head : tbl.buckets)
    for (const neighbour* n = head; n != nullptr; n = n->next) {
      ++entries;
      require(!n->dead, "N6", "a dead neighbour is in the table");
      require(s.known(n->dev), "N8", "a neighbour's device is gone");
      if (at_rest && s.known(n->dev))
        require(!leaving_or_gone(*n->dev), "N8", "a neighbour of unregistered " + n->dev->name);
    }
  require(entries == tbl.entries, "N6", "count of neighbours");
  for (const pneigh_entry& e : tbl.phash)
    if (e.dev != nullptr) ++refs[{e.dev, holder::pneigh}];
  for (const proxy_packet& p : tbl.proxy_queue) ++refs[{p.dev, holder::proxy_queue}];
  if (!tbl.proxy_queue.empty()) require(s.timers.timer_pending(tbl.proxy_timer), "N9", "proxy packets wait without a timer");
}

// Holders whose every reference sits in a table that was walked above.
void checker::compare_references() {
  for (net_device* dev : s.devices()) {
    for (holder h : {holder::registration, holder::pneigh, holder::proxy_queue, holder::linkwatch, holder::upper}) {
      const std::int64_t have = dev->refs.of(h);
      const auto at = refs.find({dev, h});
      const std::int64_t expected = at != refs.end() ? at->second : 0;
      const bool leaving = h == holder::registration && dev->reg_state.load() != reg_state::registered;
      if (!leaving)
        require(have == expected, "R8",
                dev->name + ": " + refimpl::name(h) + " holds " + std::to_string(have) + ", expected " +
                    std::to_string(expected));
    }
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < holders; ++i) sum += dev->refs.of(static_cast<holder>(i));
    require(sum == dev->refs.read(), "R8", dev->name + ": total and per-holder counts differ");
  }
}

}  // namespace

std::vector<std::string> stack::check_consistency(bool rest) {
  checker c{*this, rest};
  try {
    c.devices();
    c.walk(&net_namespace_list, "NS4", "net_namespace_list");
    for (net* n : nets()) c.of_net(*n);
    c.neighbours(*arp_tbl);
    c.neighbours(*nd_tbl);
    c.compare_references();
  } catch (const machine_check& m) {
    c.fail("L3", m.what());
  }
  return c.found;
}

}  // namespace quiesce::refimpl
