// SPDX-License-Identifier: MIT
// Closes and rollbacks: which lists their devices and namespaces are on, and which batch events they send.
#include <algorithm>
#include <exception>

#include "conformance/probe_internal.hpp"

namespace quiesce::conformance {

using refimpl::event_kind;

namespace {

bool has(const std::vector<int>& all, int one) { return std::find(all.begin(), all.end(), one) != all.end(); }

void begin(const look& l) {
  batch_span s;
  s.task = l.e.task;
  s.close = l.e.kind == event_kind::close_begin;
  s.members = l.e.value;
  l.m.spans[l.e.span] = s;
}

// A device that is down leaves the list at once, without an event in between.
void member(const look& l, batch_span& s) {
  if (s.members-- <= 0) return;
  const refimpl::net_device* dev = l.device();
  if (dev == nullptr || (s.close && !refimpl::dev_up(*dev))) return;
  const int net = refimpl::dev_net(*dev).id;
  if (!has(s.nets, net)) s.nets.push_back(net);
  if (!s.close) return;
  for (const auto& [number, other] : l.m.spans)
    l.require(&other == &s || !has(other.listed, l.e.dev), "close_list_node_on_one_list",
              "a device is added to a close_list while it is on another");
  s.listed.push_back(l.e.dev);
}

bool by_list(const look& l) {
  const refimpl::variant_policy& p = l.s.policy;
  return p.batch_at != refimpl::batch_place::none && p.collect == refimpl::batch_collect::event_list;
}

// The namespaces that are linked in, against those of the batch.
void due(const look& l, batch_span& s) {
  if (s.due || !by_list(l)) return;
  s.due = true;
  const std::set<int> wanted(s.nets.begin(), s.nets.end());
  l.require(s.linked == wanted, "event_list_is_the_nets_of_the_batch",
            "an event list has not the namespaces of its batch when their events are due");
}

void end(const look& l, std::map<std::uint32_t, batch_span>::iterator at) {
  batch_span& s = at->second;
  const bool unwinding = std::uncaught_exceptions() > 0;  // the stack has stopped in it
  if (by_list(l) && !unwinding) {
    due(l, s);
    l.require(s.sent == s.nets, "batch_order_as_devices",
              "the batch events do not come in the order of the devices, each namespace once");
  }
  l.m.spans.erase(at);
}

void add(const look& l) {
  const auto on = l.m.linked_by.find(l.e.net);
  if (l.e.value == 0) return;
  if (on != l.m.linked_by.end()) {
    l.fail("add_if_absent", "a namespace is linked to an event list while it is on one");
    l.require(on->second == l.e.span, "node_on_one_list", "a namespace is linked to an event list while it is on another");
  }
  l.m.linked_by[l.e.net] = l.e.span;
  if (const auto s = l.m.spans.find(l.e.span); s != l.m.spans.end()) s->second.linked.insert(l.e.net);
}

}  // namespace

void probe_batches(const look& l) {
  const auto at = l.m.spans.find(l.e.span);
  switch (l.e.kind) {
    case event_kind::close_begin:
    case event_kind::rollback_begin:
      return begin(l);
    case event_kind::span_member:
      if (at != l.m.spans.end()) member(l, at->second);
      return;
    case event_kind::NETDEV_DOWN:
      if (at != l.m.spans.end() && at->second.close) std::erase(at->second.listed, l.e.dev);
      return;
    case event_kind::net_add_event_list:
      return add(l);
    case event_kind::net_del_event_list:
      l.m.linked_by.erase(l.e.net);
      return;
    case event_kind::NETDEV_DOWN_BATCH:
    case event_kind::NETDEV_UNREGISTER_BATCH:
      if (at == l.m.spans.end()) return;
      due(l, at->second);
      at->second.sent.push_back(l.e.net);
      return;
    case event_kind::close_end:
    case event_kind::rollback_end:
      if (at != l.m.spans.end()) end(l, at);
      return;
    default:
      return;
  }
}

}  // namespace quiesce::conformance
