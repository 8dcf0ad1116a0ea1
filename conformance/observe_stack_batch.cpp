// SPDX-License-Identifier: MIT
// One batch of calls of the notifier chain: which of them are whose, and the events that follow.

#include <fmt/format.h>

#include <algorithm>

#include "conformance/observe_stacks.hpp"

namespace quiesce::observe {
namespace {

// A rollback, close or move at one depth of nesting: calls that belong together.
struct instance {
  int depth = 0;
  bool rollback = false, move = false;
  std::vector<std::size_t> up_first, up_second,
      gone;                               // calls: GOING_DOWN, DOWN, by the unregistering function; a move's own
  std::size_t first = 0, last = 0;        // calls
  std::vector<slot> devices;              // of a rollback: in its order; else those that went down
  std::vector<std::size_t> device_of_up;  // i-th GOING_DOWN and i-th DOWN -> index in devices
  bool pairs = false;                     // UNREGISTER and PRE_UNINIT for each device
};

bool belongs(const instance& i, const chain_call& c) {
  if (i.depth != c.depth || i.rollback != c.in_rollback || i.move != c.in_move) return false;
  const bool closing = c.kind == call_kind::going_down || c.kind == call_kind::down;
  if (!closing) return true;
  return i.gone.empty() && (c.kind == call_kind::down || i.up_second.empty());
}

std::vector<instance> split(const std::vector<chain_call>& calls) {
  std::vector<instance> done;
  std::vector<std::size_t> open;  // indices in `done`, outermost first
  for (std::size_t at = 0; at < calls.size(); ++at) {
    const chain_call& c = calls[at];
    while (!open.empty() &&
           (done[open.back()].depth > c.depth || (done[open.back()].depth == c.depth && !belongs(done[open.back()], c))))
      open.pop_back();
    if (open.empty() || done[open.back()].depth != c.depth) {
      open.push_back(done.size());
      done.push_back({c.depth, c.in_rollback, c.in_move});
      done.back().first = at;
    }
    instance& i = done[open.back()];
    i.last = at;
    if (c.kind == call_kind::going_down)
      i.up_first.push_back(at);
    else if (c.kind == call_kind::down)
      i.up_second.push_back(at);
    else
      i.gone.push_back(at);
  }
  // An instance ends with the ones inside it.
  for (std::size_t o = done.size(); o-- > 0;)
    for (std::size_t k = o + 1; k < done.size() && done[k].depth > done[o].depth; ++k)
      done[o].last = std::max(done[o].last, done[k].last);
  return done;
}

// Whether two calls for each device explain what stands there.
bool explained_by_pairs(const instance& i, const std::vector<chain_call>& calls) {
  if (i.gone.size() % 2) return false;
  for (std::size_t k = 1; k < i.gone.size(); k += 2)
    if (!calls[i.gone[k]].hint.empty()) return false;
  return i.up_first.size() <= i.gone.size() / 2;
}

// NETDEV_UNREGISTER is sent from one place of the function and NETDEV_PRE_UNINIT from another, in turn. Which place is which
// is not asked.
bool sites_in_turn(const instance& i, const std::vector<chain_call>& calls) {
  const std::size_t step = i.pairs ? 2 : 1;
  for (std::size_t k = step; k < i.gone.size(); ++k)
    if (calls[i.gone[k]].site != calls[i.gone[k - step]].site) return false;
  return !i.pairs || i.gone.size() < 2 || calls[i.gone[0]].site.empty() || calls[i.gone[0]].site != calls[i.gone[1]].site;
}

std::size_t hinted(const instance& i, const std::vector<chain_call>& calls) {
  return static_cast<std::size_t>(
      std::count_if(i.gone.begin(), i.gone.end(), [&](std::size_t k) { return !calls[k].hint.empty(); }));
}

}  // namespace

namespace {

class batch_events {
 public:
  batch_events(event_builder& to, const source_hints& options, std::size_t& named, bool& pre_uninit, const std::string& task,
               const std::vector<chain_call>& calls)
      : to_(to), options_(options), named_(named), pre_uninit_(pre_uninit), task_(task), calls_(calls), all_(split(calls)) {}

  void emit() {
    for (instance& i : all_) {
      decide_pairs(i);
      name_devices(i);
      assign_up(i);
    }
    place();
    for (std::size_t at = 0; at < calls_.size(); ++at) {
      to_.record_again(task_, calls_[at].line, calls_[at].time);
      const place_of& p = places_[at];
      if (p.of->first == at) begin(*p.of);
      one(p);
      for (auto i = p.ending.rbegin(); i != p.ending.rend(); ++i) finish(**i);
    }
  }

 private:
  enum class role : std::uint8_t { going_down, down, gone };
  struct place_of {
    const instance* of = nullptr;
    role as = role::gone;
    std::size_t k = 0;
    std::vector<const instance*> ending;  // with this call, outermost first
  };

  void place() {
    places_.resize(calls_.size());
    for (const instance& i : all_) {
      const auto put = [&](const std::vector<std::size_t>& calls, role as) {
        for (std::size_t k = 0; k < calls.size(); ++k) {
          places_[calls[k]].of = &i;
          places_[calls[k]].as = as;
          places_[calls[k]].k = k;
        }
      };
      put(i.up_first, role::going_down);
      put(i.up_second, role::down);
      put(i.gone, role::gone);
      places_[i.last].ending.push_back(&i);
    }
  }

  void doubtful(const std::string& text) { to_.doubtful(doubt::unexpected_size, calls_.front().line, text); }

  void decide_pairs(instance& i) {
    if (!i.rollback) return;
    const bool pairs = explained_by_pairs(i, calls_);
    using known = source_hints::pre_uninit;
    if (options_.sends_pre_uninit == known::sent) {
      i.pairs = true;
      if (!pairs) doubtful("a batch does not send NETDEV_UNREGISTER and NETDEV_PRE_UNINIT in turn, as its kernel does");
    } else if (options_.sends_pre_uninit == known::unknown) {
      const std::size_t half = i.gone.size() / 2;
      i.pairs = pairs && half > 0 && (i.up_first.size() == half || hinted(i, calls_) == half);
      if (!i.pairs && pairs && i.up_first.size() < i.gone.size())
        doubtful("a batch may have sent NETDEV_PRE_UNINIT or not: its number of devices is not known");
    }
    if (!sites_in_turn(i, calls_))
      doubtful("a batch's notifications do not come from the places of the unregistering function in turn");
    pre_uninit_ = pre_uninit_ || i.pairs;
  }

  slot name_device(const std::string& hint) {
    if (!hint.empty()) return to_.device({hint}, "notifier_run", true);
    if (named_ < options_.dellink_order.size()) return to_.device({options_.dellink_order[named_++]}, "notifier_run", true);
    return to_.fresh({"?"});
  }

  void name_devices(instance& i) {
    if (i.rollback) {
      for (std::size_t k = 0; k < i.gone.size(); k += i.pairs ? 2 : 1)
        i.devices.push_back(name_device(calls_[i.gone[k]].hint));
      const bool kworker = task_.starts_with("kworker");
      if (kworker && options_.batch_size && i.depth == 0 && i.devices.size() != options_.batch_size)
        doubtful(fmt::format("a kworker's batch has {} devices, not {}: others' are among them", i.devices.size(),
                             options_.batch_size));
      return;
    }
    const std::size_t n = std::max({i.up_first.size(), i.up_second.size(), std::size_t{i.move}});
    for (std::size_t k = 0; k < n; ++k) i.devices.push_back(to_.fresh({"?"}));
  }

  // Which devices of the rollback were up: all, or those whose queueing discipline was destroyed.
  void assign_up(instance& i) {
    const std::size_t n = std::max(i.up_first.size(), i.up_second.size());
    if (i.up_first.size() != i.up_second.size())
      doubtful("a batch does not send NETDEV_GOING_DOWN and NETDEV_DOWN to the same number of devices");
    for (std::size_t k = 0; k < i.gone.size() && i.rollback; k += i.pairs ? 2 : 1)
      if (!calls_[i.gone[k]].hint.empty()) i.device_of_up.push_back(k / (i.pairs ? 2 : 1));
    if (i.device_of_up.size() == n) return;
    i.device_of_up.clear();
    if (i.rollback && n != i.devices.size()) doubtful("it is not known which devices of a batch were up");
    for (std::size_t k = 0; k < n; ++k) i.device_of_up.push_back(k);
    while (i.devices.size() < n) i.devices.push_back(to_.fresh({"?"}));
  }

  void begin(const instance& i) {
    if (i.rollback) to_.open(span_kind::rollback, i.devices, true);
    if (i.rollback || !i.move) to_.open(span_kind::close, i.devices, true);
  }

  void one(const place_of& p) {
    const instance& i = *p.of;
    if (p.as != role::gone)
      return to_.emit(p.as == role::down ? seen::NETDEV_DOWN : seen::NETDEV_GOING_DOWN, i.devices[i.device_of_up[p.k]],
                      true);
    if (i.move) {
      if (p.k == 0) to_.emit(seen::NETDEV_UNREGISTER, i.devices.front(), true);
      if (p.k > 0 && p.k + 1 == i.gone.size()) to_.emit(seen::NETDEV_REGISTER, i.devices.front(), true);
      return;
    }
    if (p.k == 0) to_.close(span_kind::close, true);
    const bool second = i.pairs && p.k % 2;
    to_.emit(second ? seen::NETDEV_PRE_UNINIT : seen::NETDEV_UNREGISTER, i.devices[p.k / (i.pairs ? 2 : 1)], true);
  }

  void finish(const instance& i) {
    if (i.rollback)
      to_.close(span_kind::rollback, true);
    else if (!i.move)
      to_.close(span_kind::close, true);
  }

  event_builder& to_;
  const source_hints& options_;
  std::size_t& named_;
  bool& pre_uninit_;
  const std::string& task_;
  const std::vector<chain_call>& calls_;
  std::vector<instance> all_;
  std::vector<place_of> places_;
};

}  // namespace

void stack_reader::finish(batch& b) { batch_events(to_, options_, named_, pre_uninit_seen_, b.task, b.calls).emit(); }

}  // namespace quiesce::observe
