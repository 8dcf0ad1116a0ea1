// SPDX-License-Identifier: MIT
// Which device a record means.

#include <algorithm>

#include "conformance/observe_builder.hpp"

namespace quiesce::observe {
namespace {

bool fits(const device_info& d, const sighting& s) {
  if (s.net && d.net && s.net != d.net) return false;
  return !(s.ifindex && d.ifindex && s.ifindex != d.ifindex && (!s.net || s.net == d.net));
}

}  // namespace

slot event_builder::create(const sighting& s) {
  if (devices_.size() >= limits_.devices) forget_oldest();
  const slot made = next_++;
  devices_[made] = {std::string(s.name), s.ifindex, s.net};
  names_[std::string(s.name)].push_back(made);
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
    std::vector<slot> same;
    for (slot m : open->members) {
      const device_info& d = devices_[m];
      if (d.name == s.name && fits(d, s)) same.push_back(m);
    }
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
      for (slot m : open->members)
        if (devices_.at(m).name == name) return m;
  return no_slot;
}

// Registered ones come first, then those on their way out, then freed ones. One name twice without a word about the
// namespace is nobody in particular.
slot event_builder::by_name(const sighting& s, bool live) const {
  const auto found = names_.find(std::string(s.name));
  if (found == names_.end()) return no_slot;
  slot best[4] = {no_slot, no_slot, no_slot, no_slot};
  std::size_t registered = 0;
  for (slot candidate : found->second) {
    const device_info& d = devices_.at(candidate);
    if (!fits(d, s)) continue;
    const std::size_t rank = static_cast<std::size_t>(d.state);
    registered += d.state == device_info::life::registered;
    if (best[rank] == no_slot || (s.net && d.net == s.net && devices_.at(best[rank]).net != s.net)) best[rank] = candidate;
  }
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
  for (slot other : names_[d.name]) {
    const device_info& o = devices_[other];
    if (other != which && o.net == s.net && fits(o, s) && o.state != device_info::life::freed &&
        o.state != device_info::life::unregistered) {
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
    }
  if (in_rollback) set_state(to, device_info::life::in_rollback);
  std::erase(names_[devices_[from].name], from);
  devices_.erase(from);
}

void event_builder::set_net(slot which, std::uint64_t net) {
  device_info& d = devices_[which];
  if (d.net == net) return;
  if (d.net && nets_.count(d.net)) --nets_[d.net].devices;
  d.net = net;
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
  std::vector<slot>& same = names_[d.name];
  std::erase(same, which);
  if (same.empty()) names_.erase(d.name);
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
  return d ? d->name : "?";
}

std::uint64_t event_builder::net_inode(std::int64_t net) const {
  const auto found = inodes_.find(net);
  return found == inodes_.end() ? 0 : found->second;
}

}  // namespace quiesce::observe
