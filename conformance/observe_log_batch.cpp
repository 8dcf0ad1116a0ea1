// SPDX-License-Identifier: MIT
#include "conformance/observe_log_batch.hpp"

#include "conformance/observe_format_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace quiesce::observe {
namespace {

constexpr std::size_t held_back = 1 << 20, depth_kept = 64;

bool known(std::string_view name, seen& kind) {
  static constexpr seen kinds[] = {seen::NETDEV_REGISTER, seen::NETDEV_UP,         seen::NETDEV_GOING_DOWN,
                                   seen::NETDEV_DOWN,     seen::NETDEV_UNREGISTER, seen::NETDEV_PRE_UNINIT};
  for (seen k : kinds)
    if (name == name_of(k)) return kind = k, true;
  return false;
}

// include/linux/netdevice.h enum netdev_cmd; 0: its number is not the same in all kernels.
std::uint64_t number_of(seen k) {
  switch (k) {
    case seen::NETDEV_UP:
      return 1;
    case seen::NETDEV_DOWN:
      return 2;
    case seen::NETDEV_REGISTER:
      return 5;
    case seen::NETDEV_UNREGISTER:
      return 6;
    case seen::NETDEV_GOING_DOWN:
      return 10;
    default:
      return 0;
  }
}

// IFF_UP goes between NETDEV_GOING_DOWN and NETDEV_DOWN; what is unregistered is closed before. Of NETDEV_UNREGISTER with
// the flag a rule tells.
bool contradicts(seen k, int up) {
  return (k == seen::NETDEV_DOWN && up == 1) || ((k == seen::NETDEV_GOING_DOWN || k == seen::NETDEV_UP) && up == 0);
}

bool closes(seen k) { return k == seen::NETDEV_GOING_DOWN || k == seen::NETDEV_DOWN; }

bool of_batch(seen k) { return closes(k) || k == seen::NETDEV_UNREGISTER || k == seen::NETDEV_PRE_UNINIT; }

}  // namespace

std::size_t log_batches::slot_list::place(slot s) const {
  const std::size_t mask = places_.size() - 1;
  std::size_t at = s * std::size_t{0x9e3779b1} & mask;
  while (places_[at] != 0 && order[places_[at] - 1] != s) at = (at + 1) & mask;
  return at;
}

void log_batches::slot_list::add(slot s) {
  if (2 * (order.size() + 1) > places_.size()) {
    places_.assign(std::max<std::size_t>(16, 2 * places_.size()), 0);
    for (std::size_t i = 0; i < order.size(); ++i) places_[place(order[i])] = static_cast<std::uint32_t>(i + 1);
  }
  const std::size_t at = place(s);
  if (places_[at] != 0) return;
  order.push_back(s);
  places_[at] = static_cast<std::uint32_t>(order.size());
}

void log_batches::record(const module_record& r, std::uint64_t line, std::int64_t time) {
  if (r.what == "hi")
    ++begins_;
  else if (r.what == "lo" || r.what.starts_with("batch"))
    begins_ = 0;
  line_ = line;
  time_ = time;
  if (r.what == "hi" || r.what == "lo") {
    if (primary_.empty()) primary_ = r.what;
    if (r.what == "hi" && primary_ == "lo") {
      to_.doubtful(doubt::began_inside, line, "the log begins inside a notification");
      primary_ = "hi";
    }
    if (r.what == primary_) notification(r);
    if (r.what == "lo") chain_end(r);
    return;
  }
  if (r.what == "batch_del" || r.what == "batch_close") return batch_mark(r);
  if (r.what == "hold" || r.what == "put")
    return add(r.what == "hold" ? seen::dev_hold : seen::dev_put, device(r, false), r);
  to_.other(r.what);
}

// A device on its way out is only told of again (reg_state 3), held and put.
slot log_batches::device(const module_record& r, bool live) { return to_.device({r.device, r.ifindex, r.net}, "log", live); }

void log_batches::notification(const module_record& r) {
  const bool nests = primary_ == "hi";
  if (nests && open_.size() < depth_kept) open_.emplace_back(r.event, std::string(r.device));
  seen kind{};
  if (!known(r.event_name, kind)) return to_.other(r.event_name);
  if (const std::uint64_t number = number_of(kind); number != 0 && number != r.event)
    return to_.unread(line_, fmt::format("{} is number {}, not {}", r.event_name, number, r.event));
  if (contradicts(kind, r.up))
    to_.doubtful(doubt::contradiction, line_,
                 fmt::format("{} of {} with up={}: no kernel sends it so", r.event_name, printable(r.device), r.up));
  slot dev = no_slot;
  if (kind == seen::NETDEV_REGISTER) {
    finish();
    to_.record_again("kernel", line_, time_);
    const device_info* moved = moving_ == no_slot ? nullptr : to_.info(moving_);
    if (moved && moved->name == r.device) {
      to_.set_net(moving_, r.net);
      dev = std::exchange(moving_, no_slot);
    } else {
      dev = to_.registered({r.device, r.ifindex, r.net});
    }
  } else {
    dev = device(r, !(kind == seen::NETDEV_UNREGISTER && r.state == 3));
  }
  add(kind, dev, r);
}

void log_batches::chain_end(const module_record& r) {
  if (primary_ == "lo") return;
  if (open_.empty() || open_.back() != std::pair{r.event, std::string(r.device)}) {
    to_.doubtful(doubt::lost_records, line_, "a notification ends that is not the one that began last");
    open_.clear();
    return;
  }
  open_.pop_back();
}

// The logging module closed or unregistered the devices itself and says where that begins and ends.
void log_batches::batch_mark(const module_record& r) {
  const bool fits = r.rest == "begin" ? !explicit_ : r.rest == "end" ? explicit_ : !explicit_;
  if (!fits) to_.doubtful(doubt::unmatched, line_, "the begin or the end of the module's batch is missing, or there twice");
  check_ends();
  if (r.rest == "after") return to_.other(r.what);
  finish();
  if (r.rest == "end") {
    to_.record_again("kernel", line_, time_);
    to_.emit(seen::rtnl_unlock, no_slot, true);
  }
  explicit_ = r.rest == "begin";
  explicit_close_ = explicit_ && r.what == "batch_close";
  to_.other(r.what);
}

void log_batches::add(seen kind, slot dev, const module_record& r) {
  const int depth = static_cast<int>(open_.size()) - (primary_ == "hi" && (r.what == "hi" || r.what == "lo") ? 1 : 0);
  entry e{kind, dev, r.net, r.state, r.up, depth, line_, time_};
  const bool again = kind == seen::NETDEV_UNREGISTER && r.state == 3;
  const bool alone = again || !of_batch(kind);
  const bool holder = kind == seen::dev_hold || kind == seen::dev_put;
  if (depth == 0 && alone && !holder) finish();
  if (entries_.size() >= held_back) {
    to_.doubtful(doubt::too_many, line_, "a batch has more records than are held back");
    finish();
  }
  // A device closed after others were unregistered: the batch before is over.
  if (depth == 0 && !explicit_ && of_batch(kind) && !top_.continues(e)) finish();
  entries_.push_back(e);
  if (depth == 0 && of_batch(kind)) top_.take(e);
  if (depth == 0 && alone && !holder) finish();
}

bool log_batches::instance::continues(const entry& e) const {
  if (e.kind == seen::NETDEV_GOING_DOWN) return gone.empty() && !any_down && !closed.has(e.dev);
  if (e.kind == seen::NETDEV_DOWN) return gone.empty();
  if (e.kind == seen::NETDEV_UNREGISTER) return gone.empty() || (!gone.has(e.dev) && !move && e.state != 1);
  return true;
}

void log_batches::instance::take(const entry& e) {
  if (closes(e.kind)) closed.add(e.dev);
  any_down = any_down || e.kind == seen::NETDEV_DOWN;
  if (e.kind != seen::NETDEV_UNREGISTER) return;
  gone.add(e.dev);
  move = e.state == 1;
}

std::vector<log_batches::instance> log_batches::split() const {
  std::vector<instance> done;
  std::vector<std::size_t> open;
  for (std::size_t at = 0; at < entries_.size(); ++at) {
    const entry& e = entries_[at];
    if (!of_batch(e.kind)) continue;
    while (!open.empty() &&
           (done[open.back()].depth > e.depth || (done[open.back()].depth == e.depth && !done[open.back()].continues(e))))
      open.pop_back();
    if (open.empty() || done[open.back()].depth != e.depth) {
      open.push_back(done.size());
      done.emplace_back();
      done.back().depth = e.depth;
      done.back().first = at;
    }
    for (std::size_t o : open) done[o].last = at;
    done[open.back()].take(e);
  }
  return done;
}

// A single device closed by itself may have been closed by a function that closes no lists.
void log_batches::begin(const instance& i) {
  const bool rollback = !i.gone.empty() && !i.move;
  if (rollback) to_.open(span_kind::rollback, i.gone.order, !explicit_);
  if (rollback || explicit_close_ || (!i.move && i.closed.order.size() > 1))
    to_.open(span_kind::close, rollback ? i.gone.order : i.closed.order, !explicit_);
}

void log_batches::write(const instance& i, const entry& e) {
  const bool first_gone = e.kind == seen::NETDEV_UNREGISTER && !i.move && !i.gone.empty() && e.dev == i.gone.order.front();
  if (first_gone) to_.close(span_kind::close, true);
  to_.emit_at(e.kind, e.dev, e.net, false, e.up);
}

void log_batches::end(const instance& i) {
  if (i.move) moving_ = i.gone.order.back();
  to_.close(!i.gone.empty() && !i.move ? span_kind::rollback : span_kind::close, !explicit_);
}

void log_batches::rebroadcast(const entry& e) {
  to_.record_again("kernel", e.line, e.time);
  to_.open(span_kind::rebroadcast, {e.dev}, true);
  to_.emit_at(seen::NETDEV_UNREGISTER, e.dev, e.net, false);
  to_.close(span_kind::rebroadcast, true);
}

void log_batches::finish() {
  const bool again = entries_.size() == 1 && entries_.front().kind == seen::NETDEV_UNREGISTER && entries_.front().state == 3;
  const std::vector<instance> parts = again ? std::vector<instance>{} : split();
  const std::vector<entry> all = std::exchange(entries_, {});
  top_ = {};
  if (again) return rebroadcast(all.front());
  std::vector<const instance*> open;
  std::size_t next = 0;
  for (std::size_t at = 0; at < all.size(); ++at) {
    to_.record_again("kernel", all[at].line, all[at].time);
    for (; next < parts.size() && parts[next].first == at; ++next) {
      begin(parts[next]);
      open.push_back(&parts[next]);
    }
    if (open.empty())
      to_.emit_at(all[at].kind, all[at].dev, all[at].net, false, all[at].up);
    else
      write(*open.back(), all[at]);
    for (; !open.empty() && open.back()->last == at; open.pop_back()) end(*open.back());
  }
}

// Notifications nest: at the end of everything none is open, unless the log is cut off right behind its begin.
void log_batches::check_ends() {
  if (!open_.empty())
    to_.doubtful(doubt::lost_records, line_,
                 "the end of a notification is missing, or the log ends inside it: " + open_.back().second);
  open_.clear();
}

void log_batches::mark() {
  finish();
  check_ends();
}

void log_batches::end() {
  finish();
  if (begins_ < open_.size()) check_ends();
}

}  // namespace quiesce::observe
