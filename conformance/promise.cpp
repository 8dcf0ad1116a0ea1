// SPDX-License-Identifier: MIT
#include "conformance/promise.hpp"

#include <fmt/format.h>

#include <charconv>

namespace quiesce::conformance {

using refimpl::variant_policy;

namespace {

// "v5.18" as 5018; 0: none.
int release_of(std::string_view text) {
  if (text.empty() || text[0] != 'v') return 0;
  int major = 0, minor = 0;
  const char* end = text.data() + text.size();
  const auto dot = std::from_chars(text.data() + 1, end, major).ptr;
  if (dot != end && *dot == '.') std::from_chars(dot + 1, end, minor);
  return major * 1000 + minor;
}

// The kernel whose rules bind a variant. The posted series are judged by the kernel that they were posted for.
struct binding {
  std::string_view variant;
  int release;
};
constexpr binding releases[] = {
    {"H09", 2006},  {"R16", 5008},  {"R1", 5010},       {"RANY", 5018},      {"RLZ", 6009},  {"G520", 5008},
    {"GO", 5008},   {"GM", 5008},   {"G63", 6003},      {"G69", 6009},       {"G618", 6018}, {"6.1", 6001},
    {"6.18", 6018}, {"J618", 6018}, {"grecheck", 6018}, {"reference", 9999},
};
int release_of(const variant_policy& v) {
  for (const binding& b : releases)
    if (b.variant == v.name) return b.release;
  return 4004;
}

bool any_order(const variant_policy& v) { return v.wait == refimpl::wait_rule::rany || v.wait == refimpl::wait_rule::rlz; }
bool plain_exit(const variant_policy& v) { return v.exit == refimpl::exit_rule::plain; }
bool no_limit(const variant_policy& v) { return !v.gc.refuse_over_max; }
bool hard_limit(const variant_policy& v) { return v.gc.refuse_over_max; }
bool own_events(const variant_policy& v) { return v.collect == refimpl::batch_collect::devices_of_batch; }
bool two_passes(const variant_policy& v) { return v.ops_lock_pass; }
bool no_recheck(const variant_policy& v) { return !v.gc.recheck; }
bool everyone(const variant_policy&) { return true; }
bool per_device_events(const variant_policy& v) { return v.collect == refimpl::batch_collect::per_device; }

bool walks_all(const variant_policy& v) { return v.name != "reference"; }

constexpr const char* once_a_run = "a run of the stack has rollbacks besides the exit's";

// Rules that a later kernel gave up, and proposals that go further than what was proposed keeps.
struct given_up {
  std::string_view property;
  bool (*by)(const variant_policy&);
  const char* why;
};
constexpr given_up exceptions[] = {
    {"loopback_outlives_siblings", any_order, "given up by faab39f63c1f, which frees in any order"},
    {"loopback_outlives_its_namespace_devices", any_order, "given up by faab39f63c1f, which frees in any order"},
    {"net_outlives_its_devices", plain_exit, "the wait for it was removed by 8a4fc54b07d7"},
    {"routes_limited", no_limit, "max_size was given up by af6d10345ca7"},
    {"never_refused", hard_limit, "the variant still has the limit that af6d10345ca7 removed"},
    {"arp_walks_never_for_one_device", everyone, "the removal of the last address walks it in every variant"},
    {"fib_flush_once_per_rollback", everyone, "the removal of the last address flushes directly in every variant"},
    {"flag_means_dead_route", everyone, "a direct flush in between is allowed in every variant"},
    {"batch_once_per_exit", everyone, once_a_run},
    {"unregister_only_if_told", everyone, "every variant tells the whole chain of a device that was refused"},
    {"min_interval_between_gcs", no_recheck, "the interval is tested before the lock is taken, and not again"},
    {"spins_for_one_gc", no_recheck, "whoever waits for the lock collects when he has it"},
    {"never_sleeps", everyone, "a reference that is kept for a time makes every variant sleep"},
    {"down_batch_once_per_rollback", own_events, "each close ends with a batch event of its own"},
    {"rollback_stops_all_before_down", two_passes, "closes devices that need the instance lock in a pass of their own"},
    {"rollback_in_reverse", everyone, "the order inside one namespace is no promise"},
    {"arp_walk_once_per_close", walks_all, "each namespace's batch event walks the entries of all devices"},
    {"arp_flush_names_its_namespace", walks_all, "a batch event walks the entries of all devices"},
    {"batch_once_per_net", per_device_events, "the variant sends one for each device"},
};

bool of_batch_series(const variant_policy& v) { return v.batch_at != refimpl::batch_place::none && v.down_batch; }

}  // namespace

std::string not_promised(const variant_policy& v, const ast::property& p) {
  for (const given_up& e : exceptions)
    if (e.property == p.name && e.by(v)) return e.why;
  if (p.status != ast::property_status::proposed) {
    const int since = release_of(p.status_text);
    return since <= release_of(v) ? std::string()
                                  : fmt::format("not a rule of this kernel; required since {}", p.status_text);
  }
  const bool of_series = p.status_text.find("batch-fib_flush") != p.status_text.npos;
  const bool binds = of_series ? of_batch_series(v) : v.name == "reference";
  return binds ? std::string() : "not a rule of this kernel; proposed";
}

namespace {

bool does_in(const scenario& s, std::string_view event, op_kind kind) {
  for (const callback_plan& c : s.callbacks)
    if (c.event == event && c.react == reaction::act && c.act.kind == kind) return true;
  return false;
}

bool closes_in_rollback(const scenario& s) {
  for (const callback_plan& c : s.callbacks) {
    const bool takes_down =
        c.act.kind == op_kind::close || c.act.kind == op_kind::unregister || c.act.kind == op_kind::dellink;
    if (c.react == reaction::act && takes_down) return true;
  }
  return false;
}
bool opens(const scenario& s) {
  for (const callback_plan& c : s.callbacks)
    if (c.react == reaction::act && c.act.kind == op_kind::open) return true;
  return false;
}
bool replays(const scenario& s) { return !s.callbacks.empty(); }
constexpr const char* handlers_close = "the close is a handler's own, of another device, within the rollback";

struct narrower {
  std::string_view property;
  bool (*in)(const scenario&);
  const char* why;
};
constexpr narrower sentences[] = {
    {"no_down_batch_after_unregister", closes_in_rollback, handlers_close},
    {"down_batch_once_per_rollback", closes_in_rollback, handlers_close},
    {"rollback_stops_all_before_down", closes_in_rollback, handlers_close},
    {"batch_once_per_exit", [](const scenario&) { return true; }, once_a_run},
    {"all_stopped_before_down", opens, "a handler opens a device that the close left out because it was down"},
    {"down_only_if_up", replays, "a replay sends NETDEV_DOWN to one notifier while the device stays up"},
};

}  // namespace

std::string beyond_rule(const variant_policy& v, std::string_view property, const scenario& s) {
  const bool opens = does_in(s, "NETDEV_DOWN", op_kind::open) || does_in(s, "NETDEV_GOING_DOWN", op_kind::open) ||
                     does_in(s, "NETDEV_UNREGISTER", op_kind::open);
  if (opens && !v.open_refuses_leaving) return "a handler opens a device that is leaving; only the reference refuses that";
  for (const narrower& n : sentences)
    if (n.property == property && n.in(s)) return n.why;
  return {};
}

}  // namespace quiesce::conformance
