// SPDX-License-Identifier: MIT
// Which device a record means.

#include <algorithm>

#include "conformance/observe_builder.hpp"
#include "conformance/observe_format_list.hpp"

namespace quiesce::observe {
namespace {

bool fits(const device_info& d, const sighting& s) {
  if (s.net && d.net && s.net != d.net) return false;
  return !(s.ifindex && d.ifindex && s.ifindex != d.ifindex && (!s.net || s.net == d.net));
}

}  // namespace

// Devices of the name that may be in the namespace of the record, those that are known to be first. Each list is ascending.
template <typename F>
void event_builder::each_named(const sighting& s, F&& f) const {
  const auto found = names_.find(std::string(s.name));
  if (found == names_.end()) return;
  if (s.net == 0) {
    for (const auto& [net, those] : found->second)
      if (!f(those)) return;
    return;
  }
  for (std::uint64_t net : {s.net, std::uint64_t{0}})
    if (const auto those = found->second.find(net); those != found->second.end() && !f(those->second)) return;
}

void event_builder::unname(slot which, const device_info& d) {
  const auto same = names_.find(d.name);
  if (same == names_.end()) return;
  const auto those = same->second.find(d.net);
  if (those == same->second.end()) return;
  std::erase(those->second, which);
  if (those->second.empty()) same->second.erase(those);
  if (same->second.empty()) names_.erase(same);
}

void event_builder::name(slot which, const device_info& d) {
  std::vector<slot>& those = names_[d.name][d.net];
  those.insert(std::upper_bound(those.begin(), those.end(), which), which);
}

slot event_builder::create(const sighting& s) {
  if (devices_.size() >= limits_.devices) forget_oldest();
  const slot made = next_++;
  devices_[made] = {std::string(s.name), s.ifindex, s.net};
  name(made, devices_[made]);
  if (s.net) {
    net_number(s.net);
    ++nets_[s.net].devices;
  }
  return made;
}

slot event_builder::fresh(const sighting& s) { return create(s); }

slot event_builder::device(const sighting& s, std::string_view step, bool live) {
  slot found = among_members(s, step);
  if (found == no_slot) found = by_name(s, live);
  return found == no_slot ? create(s) : bind(found, s);
}

slot event_builder::among_members(const sighting& s, std::string_view step) {
  if (!task_) return no_slot;
  for (auto open = task_->spans.rbegin(); open != task_->spans.rend(); ++open) {
    const std::vector<slot> same = fitting_members(*open, s);
    if (same.empty()) continue;
    if (same.size() == 1) return same.front();
    if (s.net)
      for (slot m : same)
        if (devices_[m].net == s.net) return m;
    if (s.net) return same.front();
    const std::uint32_t mention = open->mentions[std::string(step) + '/' + std::string(s.name)]++;
    return same[mention % same.size()];
  }
  return no_slot;
}

slot event_builder::find_member(std::string_view name) const {
  if (!task_) return no_slot;
  for (auto open = task_->spans.rbegin(); open != task_->spans.rend(); ++open)
    if (open->kind == span_kind::rollback)
      if (const std::vector<slot> same = fitting_members(*open, {name}); !same.empty()) return same.front();
  return no_slot;
}

// Position of a member in a large span; its size: none.
std::size_t event_builder::span::position(slot m) const {
  if (members.size() <= searched)
    return static_cast<std::size_t>(std::find(members.begin(), members.end(), m) - members.begin());
  for (; indexed < members.size(); ++indexed) index.try_emplace(members[indexed], indexed);
  const auto found = index.find(m);
  return found == index.end() ? members.size() : found->second;
}

// In the order of the members. Of a large span the index of names is asked, so that a batch takes no quadratic time.
std::vector<slot> event_builder::fitting_members(const span& open, const sighting& s) const {
  std::vector<slot> same;
  if (open.members.size() <= span::searched) {
    for (slot m : open.members)
      if (const device_info& d = devices_.at(m); d.name == s.name && fits(d, s)) same.push_back(m);
    return same;
  }
  each_named(s, [&](const std::vector<slot>& candidates) {
    for (slot m : candidates)
      if (fits(devices_.at(m), s) && open.position(m) < open.members.size()) same.push_back(m);
    return true;
  });
  std::sort(same.begin(), same.end(), [&](slot a, slot b) { return open.position(a) < open.position(b); });
  return same;
}

// Registered ones come first, then those on their way out, then freed ones; of each those in the namespace of the record,
// then the oldest. One name twice without a word about the namespace is nobody in particular.
slot event_builder::by_name(const sighting& s, bool live) const {
  slot best[4] = {no_slot, no_slot, no_slot, no_slot};
  std::size_t registered = 0;
  const auto look = [&](const std::vector<slot>& candidates) {
    slot here[4] = {no_slot, no_slot, no_slot, no_slot};
    for (slot candidate : candidates) {
      const device_info& d = devices_.at(candidate);
      if (!fits(d, s)) continue;
      registered += d.state == device_info::life::registered;
      slot& first = here[static_cast<std::size_t>(d.state)];
      if (first == no_slot) first = candidate;
      if (registered > 1) break;  // all is decided
    }
    for (std::size_t rank = 0; rank < 4; ++rank)
      if (best[rank] == no_slot || (!s.net && here[rank] < best[rank])) best[rank] = here[rank];
  };
  each_named(s, [&](const std::vector<slot>& candidates) {
    look(candidates);
    return registered <= 1;
  });
  if (registered == 1 || (registered > 1 && s.net)) return best[0];
  if (registered > 1 || live) return no_slot;
  for (std::size_t rank = 1; rank < 4; ++rank)
    if (best[rank] != no_slot) return best[rank];
  return no_slot;
}

slot event_builder::registered(const sighting& s) {
  const slot found = by_name(s, true);
  if (found != no_slot) return bind(found, s);
  return create(s);
}

slot event_builder::bind(slot which, const sighting& s) {
  device_info& d = devices_[which];
  if (s.ifindex && !d.ifindex) d.ifindex = s.ifindex;
  if (!s.net || d.net) return which;
  const std::vector<slot> there = names_[d.name][s.net];
  for (slot other : there) {
    const device_info& o = devices_[other];
    if (other != which && fits(o, s) && o.state != device_info::life::freed && o.state != device_info::life::unregistered) {
      merge(which, other);
      return other;
    }
  }
  set_net(which, s.net);
  return which;
}

void event_builder::merge(slot from, slot to) {
  const auto replace = [&](std::vector<slot>& in) { std::replace(in.begin(), in.end(), from, to); };
  for (held& h : pending_) {
    if (h.dev == from) h.dev = to;
    replace(h.members);
  }
  bool in_rollback = false;
  for (auto& [name, task] : tasks_)
    for (span& open : task.spans) {
      in_rollback = in_rollback || (open.kind == span_kind::rollback &&
                                    std::find(open.members.begin(), open.members.end(), from) != open.members.end());
      replace(open.members);
      open.index.clear();
      open.indexed = 0;
    }
  if (in_rollback) set_state(to, device_info::life::in_rollback);
  unname(from, devices_[from]);
  devices_.erase(from);
}

void event_builder::set_net(slot which, std::uint64_t net) {
  device_info& d = devices_[which];
  if (d.net == net) return;
  if (d.net && nets_.count(d.net)) --nets_[d.net].devices;
  unname(which, d);
  d.net = net;
  name(which, d);
  net_number(net);
  ++nets_[net].devices;
}

void event_builder::set_state(slot which, device_info::life state) {
  const auto found = devices_.find(which);
  if (found == devices_.end() || found->second.state == state) return;
  found->second.state = state;
  if (state == device_info::life::unregistered) unregistered_.push_back(which);
  if (state == device_info::life::freed) freed_.push_back(which);
}

const device_info* event_builder::info(slot which) const {
  const auto found = devices_.find(which);
  return found == devices_.end() ? nullptr : &found->second;
}

// --- forgetting, so that memory stays bounded ---

void event_builder::forget(slot which) {
  const auto found = devices_.find(which);
  if (found == devices_.end()) return;
  const device_info d = std::move(found->second);
  devices_.erase(found);
  unname(which, d);
  to_.gone(which);
  const auto net = nets_.find(d.net);
  if (net == nets_.end() || --net->second.devices > 0) return;
  to_.gone_net(net->second.number);
  inodes_.erase(net->second.number);
  nets_.erase(net);
}

void event_builder::forget_departed() {
  const auto trim = [&](std::deque<slot>& from, device_info::life state, std::size_t limit) {
    while (from.size() > limit) {
      const device_info* d = info(from.front());
      if (d && d->state == state) forget(from.front());
      from.pop_front();
    }
  };
  trim(freed_, device_info::life::freed, limits_.freed);
  trim(unregistered_, device_info::life::unregistered, std::max(limits_.unregistered, 2 * largest_batch_));
}

void event_builder::forget_oldest() {
  doubtful(doubt::too_many, line_, "more devices than are kept: the oldest are forgotten");
  flush();
  std::vector<slot> all;
  for (const auto& [which, d] : devices_)
    if (d.state != device_info::life::in_rollback) all.push_back(which);
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < all.size() / 4 + 1 && i < all.size(); ++i) forget(all[i]);
}

std::string event_builder::device_name(std::int64_t dev) const {
  const device_info* d = dev < 0 ? nullptr : info(static_cast<slot>(dev));
  return d ? printable(d->name) : "?";
}

std::uint64_t event_builder::net_inode(std::int64_t net) const {
  const auto found = inodes_.find(net);
  return found == inodes_.end() ? 0 : found->second;
}

}  // namespace quiesce::observe
