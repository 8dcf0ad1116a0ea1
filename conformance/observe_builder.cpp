// SPDX-License-Identifier: MIT
// Events: where they stand, spans, what is held back until the devices of a batch are known.

#include "conformance/observe_builder.hpp"

#include "conformance/observe_decidable.hpp"
#include "conformance/observe_format_list.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace quiesce::observe {
namespace {

// Records of two processors may be printed in the wrong order, if they are close.
constexpr std::int64_t tolerated = 1'000'000;

constexpr std::pair<seen, seen> span_events(span_kind kind) {
  if (kind == span_kind::close) return {seen::close_begin, seen::close_end};
  if (kind == span_kind::rollback) return {seen::rollback_begin, seen::rollback_end};
  return {seen::rebroadcast_begin, seen::rebroadcast_end};
}

}  // namespace

std::string_view name_of(seen kind) {
  static constexpr std::string_view names[] = {
#define X(name) #name,
      QUIESCE_OBSERVED_EVENTS(X)
#undef X
  };
  return names[static_cast<std::size_t>(kind)];
}

shape shape_of(seen kind) {
  switch (kind) {
    case seen::fib_flush:
    case seen::rt_cache_flush:
      return shape::net;
    case seen::RTM_NEWLINK:
    case seen::RTM_DELLINK:
      return shape::net_dev;
    case seen::close_begin:
    case seen::rollback_begin:
      return shape::devs;
    case seen::ndo_stop:
    case seen::free_netdev:
    case seen::dev_hold:
    case seen::dev_put:
    case seen::rt_flush_dev:
    case seen::arp_ifdown:
    case seen::neigh_flush:
    case seen::pneigh_flush:
    case seen::rebroadcast_begin:
      return shape::dev;
    case seen::run_todo_begin:
    case seen::run_todo_end:
    case seen::synchronize_net_begin:
    case seen::synchronize_net_end:
    case seen::rcu_barrier_begin:
    case seen::rcu_barrier_end:
    case seen::rtnl_lock:
    case seen::rtnl_unlock:
    case seen::close_end:
    case seen::rollback_end:
    case seen::rebroadcast_end:
      return shape::nothing;
    default:
      return shape::dev_net;
  }
}

void event_builder::kernel(const std::string& version) {
  summary_.kernel = version;
  using sends = source_hints::pre_uninit;
  const kernel_version v = parse_version(version);
  hints_.sends_pre_uninit = !v.known() ? sends::unknown : happens_in("NETDEV_PRE_UNINIT", v) ? sends::sent : sends::not_sent;
}

void event_builder::record(std::string_view task, std::uint64_t line, std::int64_t time) {
  ++summary_.records;
  clock(line, time);
  record_again(task, line, time);
}

void event_builder::clock(std::uint64_t line, std::int64_t time) {
  if (time < 0) return;
  if (time < latest_ - tolerated)
    doubtful(
        doubt::time_back, line,
        fmt::format("time goes back by {} us in line {}: several recordings in one file?", (latest_ - time) / 1000, line));
  latest_ = std::max(latest_, time);
}

void event_builder::record_again(std::string_view task, std::uint64_t line, std::int64_t time) {
  line_ = line;
  time_ = time;
  if (task_ && task == task_text_) return;
  task_text_ = task;
  if (tasks_.size() >= limits_.tasks && !tasks_.count(task_text_)) {
    // Of a task without an open batch nothing but its name is known.
    std::erase_if(tasks_, [&](const auto& entry) {
      if (!entry.second.spans.empty()) return false;
      task_names_.erase(entry.second.number);
      return true;
    });
  }
  const auto [entry, inserted] = tasks_.try_emplace(task_text_);
  if (inserted) {
    entry->second.number = next_task_++;
    task_names_[entry->second.number] = task_text_;
  }
  task_ = &entry->second;
}

event_builder::task_state& event_builder::current() {
  if (!task_) record("?", line_, time_);
  return *task_;
}

// --- events ---

void event_builder::emit(seen kind, slot dev, bool inferred) { emit_at(kind, dev, 0, inferred); }
void event_builder::emit_net(seen kind, std::uint64_t net, bool inferred) { emit_at(kind, no_slot, net, inferred); }

void event_builder::emit_at(seen kind, slot dev, std::uint64_t net, bool inferred, int up) {
  held h;
  h.event.up = static_cast<std::int8_t>(up);
  h.event.kind = kind;
  h.event.inferred = inferred;
  h.dev = dev;
  const shape form = shape_of(kind);
  h.with_net = form == shape::dev_net || form == shape::net || form == shape::net_dev;
  h.net = net;
  if (h.with_net && net == 0 && dev != no_slot) h.net = devices_[dev].net;
  push(std::move(h));
}

void event_builder::push(held h) {
  h.event.task = current().number;
  h.event.line = line_;
  h.event.time = time_;
  pending_.push_back(std::move(h));
  settle();
}

void event_builder::settle() {
  if (open_count_ == 0) return flush();
  if (pending_.size() < limits_.pending) return;
  doubtful(doubt::too_many, line_, "a batch has more events than are held back; its devices are not all known");
  flush();
}

void event_builder::flush() {
  while (!pending_.empty()) {
    held h = std::move(pending_.front());
    pending_.pop_front();
    ++handed_;
    hand_on(h);
  }
  forget_departed();
}

void event_builder::hand_on(held& h) {
  observed_event& e = h.event;
  if (h.dev != no_slot) e.dev = h.dev;
  if (h.with_net) {
    std::uint64_t inode = h.net;
    if (inode == 0 && h.dev != no_slot) inode = devices_[h.dev].net;
    if (inode != 0) e.net = net_number(inode);
  }
  for (slot m : h.members) e.members.push_back(m);
  ++summary_.events;
  to_.event(e);
}

// Namespaces leave with their last device; those without a device, only mentioned, are forgotten when there are too many.
std::int64_t event_builder::net_number(std::uint64_t inode) {
  if (nets_.size() > limits_.devices && !nets_.count(inode)) {
    doubtful(doubt::too_many, line_, "more namespaces than are kept: those without devices are forgotten");
    std::erase_if(nets_, [&](const auto& entry) {
      if (entry.second.devices > 0) return false;
      to_.gone_net(entry.second.number);
      inodes_.erase(entry.second.number);
      return true;
    });
  }
  const auto [entry, inserted] = nets_.try_emplace(inode, net_info{next_net_, 0});
  if (inserted) inodes_[next_net_++] = inode;
  return entry->second.number;
}

// --- spans ---

void event_builder::open(span_kind kind, std::vector<slot> members, bool inferred) {
  task_state& task = current();
  ++open_count_;
  task.spans.push_back({kind, handed_ + pending_.size(), members, {}, {}, 0});
  if (kind == span_kind::rollback)
    for (slot m : members) set_state(m, device_info::life::in_rollback);
  held h;
  h.event.kind = span_events(kind).first;
  h.event.inferred = inferred;
  if (kind == span_kind::rebroadcast && !members.empty()) h.dev = members.front();
  if (kind != span_kind::rebroadcast) h.members = std::move(members);
  push(std::move(h));
}

void event_builder::add_member(slot dev) {
  std::vector<span>& spans = current().spans;
  for (auto s = spans.rbegin(); s != spans.rend(); ++s) {
    if (s->kind == span_kind::rebroadcast) continue;
    if (s->position(dev) == s->members.size()) {
      s->members.push_back(dev);
      if (s->begin >= handed_) pending_[s->begin - handed_].members.push_back(dev);
      if (s->kind == span_kind::rollback) set_state(dev, device_info::life::in_rollback);
    }
    if (s->kind == span_kind::rollback) return;
  }
}

bool event_builder::close(span_kind kind, bool inferred) {
  task_state& task = current();
  const auto same = [&](const span& s) { return s.kind == kind; };
  if (std::none_of(task.spans.begin(), task.spans.end(), same)) return false;
  bool done = false;
  while (!done) {
    span last = std::move(task.spans.back());
    done = last.kind == kind;
    task.spans.pop_back();
    if (last.kind == span_kind::rollback) largest_batch_ = std::max(largest_batch_, last.members.size());
    if (last.kind == span_kind::rollback)
      for (slot m : last.members) set_state(m, device_info::life::unregistered);
    --open_count_;
    held h;
    h.event.kind = span_events(last.kind).second;
    h.event.inferred = inferred || !done;
    push(std::move(h));
  }
  return true;
}

void event_builder::close_all(bool inferred) {
  while (!current().spans.empty()) close(current().spans.back().kind, inferred);
}

bool event_builder::within(span_kind kind) const {
  return task_ && std::any_of(task_->spans.begin(), task_->spans.end(), [&](const span& s) { return s.kind == kind; });
}

std::size_t event_builder::depth() const { return task_ ? task_->spans.size() : 0; }

const std::vector<slot>* event_builder::members(span_kind kind) const {
  if (!task_) return nullptr;
  for (auto s = task_->spans.rbegin(); s != task_->spans.rend(); ++s)
    if (s->kind == kind) return &s->members;
  return nullptr;
}

// --- what is missing ---

void event_builder::lost(std::uint64_t records, std::uint64_t line, std::string text) {
  summary_.lost += records;
  summary_.loss = true;
  doubtful(doubt::lost_records, line, std::move(text));
}

void event_builder::unread(std::uint64_t line, std::string text) {
  ++summary_.unexplained;
  summary_.doubted[static_cast<std::size_t>(doubt::unread_line)] = true;
  if (summary_.unexplained_lines.size() < limits_.remarks) summary_.unexplained_lines.push_back({line, std::move(text)});
}

void event_builder::doubtful(doubt why, std::uint64_t line, std::string text) {
  bool& known = summary_.doubted[static_cast<std::size_t>(why)];
  if (!known || why == doubt::lost_records) remark_at(line, std::move(text));
  known = true;
}

void event_builder::remark_at(std::uint64_t line, std::string text) {
  if (summary_.remarks.size() < limits_.remarks) summary_.remarks.push_back({line, std::move(text)});
}

void event_builder::other(std::string_view name) {
  const auto found = summary_.others.find(name);
  if (found != summary_.others.end())
    ++found->second;
  else if (summary_.others.size() < limits_.names)
    summary_.others.emplace(name, 1);
  else
    ++summary_.others["(more names)"];
}

void event_builder::label(std::string_view text) {
  if (summary_.labels.size() < limits_.remarks) summary_.labels.emplace_back(text);
}

std::string event_builder::task_name(std::uint32_t number) const {
  const auto found = task_names_.find(number);
  return found == task_names_.end() ? "?" : printable(found->second);
}

}  // namespace quiesce::observe
