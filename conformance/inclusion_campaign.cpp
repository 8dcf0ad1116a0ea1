// SPDX-License-Identifier: MIT
#include "conformance/inclusion_campaign.hpp"

#include <algorithm>
#include <chrono>
#include <random>

#include <fmt/format.h>

namespace quiesce::conformance {

namespace {

class generator {
 public:
  explicit generator(std::uint64_t seed) : source_(seed) {}

  scenario make() {
    scenario s;
    s.options.ipv6 = false;
    if (chance(2)) s.nets.push_back({});
    const std::size_t devices = pick(1, 4);
    for (std::size_t d = 0; d < devices; ++d) s.devices.push_back(device(s));
    for (std::size_t d = 0; d < devices; ++d)
      if (chance(6)) s.setup.push_back(address(static_cast<device_ref>(d)));
    // Half of them unregister everything in a batch; what may be gone is named alone.
    const std::size_t tasks = pick(1, 2);
    for (std::size_t t = 0; t < tasks; ++t) s.tasks.push_back({});
    std::vector<device_ref> all;
    for (std::size_t d = 0; d < devices; ++d) all.push_back(static_cast<device_ref>(d));
    std::shuffle(all.begin(), all.end(), source_);
    const std::size_t batch = std::min<std::size_t>(pick(1, 2), all.size());
    s.tasks[0].push_back(on(chance(3) ? op_kind::close : op_kind::unregister,
                            {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(batch)}));
    for (std::size_t i = 0, more = pick(0, 2); i < more; ++i) {
      const op_kind k = chance(2) ? op_kind::close : op_kind::unregister;
      s.tasks[pick(0, tasks - 1)].push_back(on(k, {all[pick(0, all.size() - 1)]}));
    }
    if (tasks == 2 && s.tasks[1].empty()) s.tasks[1].push_back(on(op_kind::unregister, {all.back()}));
    for (auto& task : s.tasks)
      for (operation& op : task) leave_below(s, op);
    return s;
  }

 private:
  std::size_t pick(std::size_t low, std::size_t high) { return low + source_() % (high - low + 1); }
  bool chance(std::size_t of) { return source_() % of == 0; }

  device_plan device(const scenario& s) {
    device_plan d;
    d.net = s.nets.empty() ? 0 : static_cast<net_ref>(pick(0, 1));
    d.up = chance(2);
    if (s.devices.empty() || !chance(3)) return d;
    const auto below = static_cast<device_ref>(pick(0, s.devices.size() - 1));
    const device_plan& lower = s.devices[static_cast<std::size_t>(below)];
    const bool taken = std::any_of(s.devices.begin(), s.devices.end(),
                                   [&](const device_plan& x) { return is_upper(x) && x.lower == below; });
    if (taken || is_upper(lower)) return d;
    d.kind = chance(2) ? device_kind::vlan : device_kind::macvlan;
    d.lower = below;
    d.net = lower.net;
    d.up = d.up && lower.up;
    return d;
  }

  static bool is_upper(const device_plan& d) { return d.kind == device_kind::vlan || d.kind == device_kind::macvlan; }

  // As in the kernel and in the model, a device that leaves has left the one below first.
  static void leave_below(const scenario& s, operation& op) {
    const bool above = std::any_of(op.devices.begin(), op.devices.end(),
                                   [&](device_ref d) { return is_upper(s.devices[static_cast<std::size_t>(d)]); });
    if (op.kind == op_kind::unregister && above) op.kind = op_kind::dellink;
  }

  static operation on(op_kind k, std::vector<device_ref> devices) {
    operation op;
    op.kind = k;
    op.devices = std::move(devices);
    return op;
  }

  static operation address(device_ref d) {
    operation op = on(op_kind::address, {d});
    op.ip = ipv4(0x0a000001u + (static_cast<std::uint32_t>(d) << 8), 24);
    return op;
  }

  std::mt19937_64 source_;
};

}  // namespace

namespace {

// The model's name of what stopped the stack.
std::string error_of(const refimpl::stop_report& r) {
  using kind = refimpl::machine_check::kind;
  return r.kind == kind::endless_traversal ? "endless_traversal" : r.kind == kind::list_corruption ? "list_corruption" : "";
}

// Whether all that one task does from there on is one turn again and again, at least twice, the last one perhaps in part.
bool goes_round(const std::vector<seen_event>& trace, std::size_t from) {
  std::vector<seen_event> own;
  for (std::size_t i = from; i < trace.size(); ++i)
    if (trace[i].task == trace.back().task) own.push_back(trace[i]);
  for (std::size_t turn = 1; turn * 2 <= own.size(); ++turn) {
    bool same = true;
    for (std::size_t i = turn; i < own.size() && same; ++i) same = own[i] == own[i - turn];
    if (same) return true;
  }
  return false;
}

}  // namespace

scenario generate_driven(std::uint64_t seed) {
  generator g(seed);
  for (int attempt = 0;; ++attempt) {
    scenario s = g.make();
    if (defect(s).empty() && driven_models()[0].unsupported(s).empty()) return s;
    if (attempt % 20 == 19)
      g = generator(seed + 1 + static_cast<std::uint64_t>(attempt));  // no initial state suits the script
  }
}

judged_schedule judge_schedule(const scripted_model& m, const scenario& s, std::string_view variant, chooser& drive,
                               const control_bounds& bounds) {
  judged_schedule out;
  actor_names names;
  recording_chooser recorded(drive, names);
  run_settings settings;
  settings.policy = refimpl::variant(variant);
  settings.end_all = false;
  out.result = run_controlled(s, settings, recorded, names, bounds);
  out.actors = std::move(recorded.actors);
  // A stack that stopped, or was made to give up, has not come to rest.
  const bool whole = !out.result.run.stopped && !out.result.control.hung && !out.result.control.too_long;
  if (!out.result.run.stopped) {
    out.outcome = check_trace(m, out.result.run.events, whole);
    return out;
  }
  std::vector<refimpl::event> before(out.result.run.events.begin(),
                                     out.result.run.events.begin() + static_cast<std::ptrdiff_t>(out.result.before_stop));
  out.outcome = check_trace(m, before, false);
  inclusion_result& r = out.outcome.result;
  out.same_error = r.verdict == inclusion_verdict::unknown && r.errors.count(error_of(*out.result.run.stopped)) != 0 &&
                   goes_round(m.project(before), r.matched);
  if (out.same_error) r.verdict = inclusion_verdict::included;
  return out;
}

inclusion_campaign run_inclusion(script_cache& cache, const driven_model& model, std::string_view variant,
                                 const inclusion_campaign_settings& o) {
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  inclusion_campaign out;
  const std::size_t lowered = cache.lowered();
  for (std::uint64_t i = 0; i < o.count && (o.seconds == 0 || elapsed() < o.seconds); ++i) {
    const scenario s = generate_driven(o.seed + i);
    const scripted_model m(cache, model, s, variant, script_place::state);
    const auto drive = random_chooser(o.seed + i);
    judged_schedule run = judge_schedule(m, s, variant, *drive, o.bounds);
    ++out.runs;
    out.events += run.outcome.compared;
    out.steps += run.outcome.result.steps;
    out.stopped += run.result.run.stopped ? 1 : 0;
    out.stopped_both += run.same_error ? 1 : 0;
    if (run.outcome.result.verdict == inclusion_verdict::unknown) {
      ++out.unknown;
      if (out.first_unknown.empty()) out.first_unknown = fmt::format("seed {}: {}", o.seed + i, run.outcome.result.reason);
    }
    if (run.outcome.result.verdict != inclusion_verdict::not_included) continue;
    out.mismatches.push_back(
        {o.seed + i, {std::string(variant), o.bounds, s, std::move(run.actors)}, std::move(run.outcome.text)});
    if (out.mismatches.size() >= o.keep) break;
  }
  out.lowered = cache.lowered() - lowered;
  out.elapsed_s = elapsed();
  return out;
}

}  // namespace quiesce::conformance
