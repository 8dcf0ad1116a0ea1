// SPDX-License-Identifier: MIT
// From handler runs to calls of the netdevice notifier chain.

#include "conformance/observe_stacks.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace quiesce::observe {
namespace {

constexpr std::size_t tasks_kept = 1 << 12, calls_kept = 16, batches_kept = 8, calls_in_batch = 1 << 20, handlers_kept = 256;

template <std::size_t N>
bool any_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// addrconf_ifdown.isra.0+0x1f2
std::string_view base_name(std::string_view function) { return function.substr(0, function.find_first_of(".+")); }

bool is_recorder(std::string_view f) {
  return f.starts_with("trace_event_") || f.starts_with("__traceiter_") || f.starts_with("perf_trace_") ||
         f.starts_with("__bpf_") || f.starts_with("bpf_");
}
bool is_netdev_chain(std::string_view f) {
  static constexpr std::array<std::string_view, 8> names = {
      "notifier_call_chain",          "raw_notifier_call_chain",        "raw_notifier_call_chain_robust",
      "call_netdevice_notifiers",     "call_netdevice_notifiers_info",  "call_netdevice_notifiers_info_robust",
      "call_netdevice_notifiers_mtu", "call_netdevice_notifiers_extack"};
  return any_of(f, names);
}
bool is_other_chain(std::string_view f) {
  static constexpr std::array<std::string_view, 5> names = {
      "blocking_notifier_call_chain", "atomic_notifier_call_chain", "srcu_notifier_call_chain",
      "blocking_notifier_call_chain_robust", "atomic_notifier_call_chain_robust"};
  return any_of(f, names);
}
bool is_rollback(std::string_view f) {
  static constexpr std::array<std::string_view, 6> names = {"unregister_netdevice_many_notify", "unregister_netdevice_many",
                                                            "rollback_registered_many",         "rollback_registered",
                                                            "unregister_netdevice_queue",       "unregister_netdev"};
  return any_of(f, names);
}
bool is_close_many(std::string_view f) { return f == "dev_close_many" || f == "netif_close_many"; }
bool is_move(std::string_view f) {
  return f == "__dev_change_net_namespace" || f == "dev_change_net_namespace" || f == "netif_change_net_namespace";
}
bool sends_unregister(std::string_view f) {
  return f == "unregister_netdevice_many_notify" || f == "unregister_netdevice_many" || f == "rollback_registered_many";
}

// register_netdevice, __dev_notify_flags, netif_set_mtu_ext, do_setlink, ...; not update_pvclock_gtod.
bool of_devices(std::string_view caller) {
  for (std::string_view part : {"dev", "netif", "link"})
    if (caller.find(part) != std::string_view::npos) return true;
  return false;
}

call_kind kind_of(std::string_view caller) {
  if (caller == "__dev_close_many") return call_kind::going_down;
  if (is_close_many(caller)) return call_kind::down;
  return sends_unregister(caller) ? call_kind::unregister : call_kind::other;
}

}  // namespace

bool classify(const std::vector<std::string_view>& frames, chain_call& out, std::uint64_t& stack) {
  std::size_t at = 0;
  while (at < frames.size() && is_recorder(base_name(frames[at]))) ++at;
  if (at == frames.size() || !is_netdev_chain(base_name(frames[at]))) return false;
  bool certain = false;  // raw chains of others call the same functions
  for (; at < frames.size() && is_netdev_chain(base_name(frames[at])); ++at)
    certain = certain || base_name(frames[at]).starts_with("call_netdevice");
  if (at == frames.size() || is_other_chain(base_name(frames[at]))) return false;
  out.caller = base_name(frames[at]);
  if (!certain && !of_devices(out.caller)) return false;
  out.site = frames[at].find('+') == std::string_view::npos ? std::string_view{} : frames[at];
  out.kind = kind_of(out.caller);
  stack = 1469598103934665603ULL;  // FNV-1a
  bool level = true;               // still the functions between this call of the chain and the one around it
  for (std::size_t i = at; i < frames.size(); ++i) {
    for (char c : frames[i]) stack = (stack ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    stack = (stack ^ 0xff) * 1099511628211ULL;
    const std::string_view f = base_name(frames[i]);
    if (f == "notifier_call_chain") ++out.depth, level = false;
    if (!level) continue;
    const bool rollback = is_rollback(f), move = is_move(f), close = is_close_many(f);
    out.in_rollback = out.in_rollback || rollback;
    out.in_move = out.in_move || move;
    out.in_close = out.in_close || close;
    if (rollback || move || close || i == at)
      out.root.clear();
    else if (out.root.empty())
      out.root = f;
  }
  return true;
}

// Every call runs the same handlers in the same order, but for those that come and go, and those behind one that stops it.
void stack_reader::check_handlers(const open_call& c, std::uint64_t line, bool whole) {
  if (handlers_.empty() && whole) handlers_ = c.handlers;
  if (handlers_.empty()) return;
  const bool length = whole ? c.handlers.size() == handlers_.size() : c.handlers.size() <= handlers_.size();
  if (!length || !std::equal(c.handlers.begin(), c.handlers.end(), handlers_.begin()))
    to_.doubtful(doubt::unmatched, line, "the handlers that ran for one notification are not those that ran for another");
}

// A call's first handler again is the next call; so is another stack. Handlers that ran before the recording began are
// missing from the first call.
bool stack_reader::starts_call(task_view& task, const handler_run& r, std::uint64_t stack, int depth) {
  const auto known =
      std::find_if(task.calls.rbegin(), task.calls.rend(), [&](const open_call& c) { return c.stack == stack; });
  if (known != task.calls.rend()) {
    for (auto inner = known.base(); inner != task.calls.end(); ++inner) check_handlers(*inner, r.line, true);
    task.calls.erase(known.base(), task.calls.end());
    open_call& c = task.calls.back();
    const bool next = r.handler == c.handlers.front();
    if (next) {
      check_handlers(c, r.line, true);
      c.handlers.clear();
    }
    if (c.handlers.size() < handlers_kept) c.handlers.emplace_back(r.handler);
    return next;
  }
  while (!task.calls.empty() && task.calls.back().depth >= depth) {  // another call site, or another kind of call
    check_handlers(task.calls.back(), r.line, true);
    task.calls.pop_back();
  }
  if (task.calls.size() == calls_kept) task.calls.erase(task.calls.begin());
  task.calls.push_back({stack, depth, {std::string(r.handler)}});
  if (leader_.empty()) leader_ = r.handler;
  if (leader_ != r.handler) {
    to_.doubtful(doubt::began_inside, r.line, "the calls of the notifier chain do not all begin with the same handler");
    leader_ = r.handler;
  }
  return true;
}

void stack_reader::run(const handler_run& r) {
  used_ = true;
  if (r.frames.empty()) return to_.other("notifier_run without a stack");
  chain_call c;
  std::uint64_t stack = 0;
  if (!classify(r.frames, c, stack)) return to_.other("notifier_run of another chain");
  if (tasks_.size() > tasks_kept) std::erase_if(tasks_, [&](const auto& entry) { return entry.first != r.task; });
  auto task = tasks_.find(r.task);
  if (task == tasks_.end()) task = tasks_.emplace(std::string(r.task), task_view{}).first;
  if (!starts_call(task->second, r, stack, c.depth)) return;
  c.line = r.line;
  c.time = r.time;
  if (c.kind == call_kind::unregister) c.hint = std::exchange(task->second.hint, {});
  call(r.task, std::move(c));
}

void stack_reader::destroyed(std::string_view task, std::string_view device) {
  if (tasks_.size() > tasks_kept) std::erase_if(tasks_, [&](const auto& entry) { return entry.first != task; });
  tasks_[std::string(task)].hint = device;
}

// A batch goes on while its task's calls can belong to it: RTNL is held from its first call to its last.
void stack_reader::call(std::string_view task, chain_call c) {
  if (!c.in_rollback && !c.in_close && !c.in_move) return to_.other("netdevice notification by " + c.caller);
  const auto own =
      std::find_if(batches_.begin(), batches_.end(), [&](const batch& b) { return !b.closed && b.task == task; });
  if (own != batches_.end()) {
    const chain_call& before = own->calls.back();
    const bool same_work = c.depth > 0 || before.depth > 0 || (c.in_rollback == before.in_rollback && c.root == before.root);
    const bool back_again = c.depth == 0 && before.depth == 0 && before.kind == call_kind::unregister &&
                            (c.kind == call_kind::going_down || c.kind == call_kind::down);
    const bool move_ended =
        c.in_move && c.kind == call_kind::going_down && before.in_move && before.kind != call_kind::going_down;
    if (same_work && !back_again && !move_ended && own->calls.size() < calls_in_batch) {
      if (own + 1 != batches_.end())
        to_.doubtful(doubt::foreign_task, c.line, "another task's notifications stand between those of one batch");
      own->calls.push_back(std::move(c));
      return;
    }
    own->closed = true;
  }
  batches_.push_back({std::string(task), {}, false});
  batches_.back().calls.push_back(std::move(c));
  finish_ready(batches_kept);
}

void stack_reader::finish_ready(std::size_t keep) {
  while (!batches_.empty() && ((batches_.front().closed && batches_.size() > 1) || batches_.size() > keep)) {
    finish(batches_.front());
    batches_.pop_front();
  }
}

void stack_reader::end() {
  for (const auto& [name, task] : tasks_)
    for (const open_call& c : task.calls) check_handlers(c, to_.line_number(), false);
  finish_ready(0);
  if (!options_.dellink_order.empty() && named_ != options_.dellink_order.size())
    to_.doubtful(doubt::unexpected_size, to_.line_number(),
                 "the DELLINK messages recorded together are not as many as the devices that were unregistered");
}

bool stack_reader::shows(seen kind) const {
  switch (kind) {
    case seen::NETDEV_GOING_DOWN:
    case seen::NETDEV_DOWN:
    case seen::NETDEV_UNREGISTER:
    case seen::close_begin:
    case seen::close_end:
    case seen::rollback_begin:
    case seen::rollback_end:
      return used_;
    case seen::NETDEV_PRE_UNINIT:
      return pre_uninit_seen_;
    default:
      return false;
  }
}

}  // namespace quiesce::observe
