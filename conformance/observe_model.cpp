// SPDX-License-Identifier: MIT
#include "conformance/observe_model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "conformance/inclusion.hpp"
#include "conformance/observe_model_script.hpp"
#include "model/system/lower.hpp"

namespace quiesce::observe {
namespace {

constexpr std::size_t devices_together = 24, operations_together = 40;

// Kernels whose models there are. Of others the next one below is taken, and a mismatch proves nothing.
struct modelled_kernel {
  kernel_version version;
  const char* variant;
};
constexpr modelled_kernel modelled[] = {{{4, 4}, "K44"}, {{6, 1}, "K61"}, {{6, 18}, "K618"}};

const modelled_kernel& nearest_kernel(kernel_version v) {
  const modelled_kernel* best = &modelled[0];
  for (const modelled_kernel& k : modelled)
    if (k.version <= v) best = &k;
  return *best;
}

std::vector<compared_part> parts_of(const std::vector<asked_operation>& all) {
  std::vector<compared_part> out;
  for (const asked_operation& o : all) {
    const bool full = !out.empty() && o.first > out.back().last &&
                      (out.back().devices.size() + o.devices.size() > devices_together ||
                       out.back().operations.size() >= operations_together);
    if (out.empty() || full) out.emplace_back();
    compared_part& p = out.back();
    p.operations.push_back(&o);
    p.last = std::max(p.last, o.last);
    p.moves = p.moves || o.what == asked_operation::kind::move;
    for (std::int64_t d : o.devices)
      if (std::find(p.devices.begin(), p.devices.end(), d) == p.devices.end()) p.devices.push_back(d);
  }
  return out;
}

conformance::seen_value value_of(std::int64_t identity) {
  return identity < 0 ? conformance::seen_value{} : conformance::seen_value::of(identity);
}

conformance::seen_event converted(const observed_event& e) {
  conformance::seen_event out{std::string(name_of(e.kind)), e.task, {}};
  switch (shape_of(e.kind)) {
    case shape::nothing:
      break;
    case shape::dev:
      out.args = {value_of(e.dev)};
      break;
    case shape::net:
      out.args = {value_of(e.net)};
      break;
    case shape::dev_net:
      out.args = {value_of(e.dev), value_of(e.net)};
      break;
    case shape::net_dev:
      out.args = {value_of(e.net), value_of(e.dev)};
      break;
    case shape::devs:
      // No source shows the list of a close inside a rollback.
      if (e.kind == seen::rollback_begin) out.args = {conformance::seen_value::set_of(e.members)};
      if (e.kind == seen::close_begin) out.args = {conformance::seen_value{}};
  }
  return out;
}

// The events of a part in the model's alphabet, and where each stands in the trace.
struct projected {
  std::vector<conformance::seen_event> events;
  std::vector<std::size_t> places;
};

class projection {
 public:
  projection(const std::vector<observed_event>& all, const std::set<std::string>& visible) : all_(all), visible_(visible) {}

  projected of(const compared_part& p) {
    std::vector<std::size_t> order;
    for (const asked_operation* o : p.operations) order.insert(order.end(), o->events.begin(), o->events.end());
    std::sort(order.begin(), order.end());
    projected out;
    for (std::size_t i : order) {
      if (left_out(all_[i])) continue;
      out.events.push_back(converted(all_[i]));
      if (all_[i].kind == seen::dev_hold || all_[i].kind == seen::dev_put) out.events.back().task.reset();
      out.places.push_back(i);
    }
    return out;
  }

 private:
  bool left_out(const observed_event& e) {
    if (e.kind == seen::dev_mc_flush) in_uninit_[e.task] = e.dev;
    if (e.kind == seen::RTM_DELLINK || e.kind == seen::netdev_unregister_kobject) in_uninit_.erase(e.task);
    if (!visible_.count(std::string(name_of(e.kind)))) return true;
    const bool waits = e.kind == seen::synchronize_net_begin || e.kind == seen::synchronize_net_end;
    return waits && in_uninit_.count(e.task);  // driver_grace_period
  }

  const std::vector<observed_event>& all_;
  const std::set<std::string>& visible_;
  std::map<std::uint32_t, std::int64_t> in_uninit_;
};

}  // namespace

// Spans that do not stand in the source were put there for the rules' sake; a device that is down moves without a close.
void model_comparison::hide_spans(const compared_part& p, std::set<std::string>& visible) const {
  if (p.moves) {
    visible.erase("close_begin");
    visible.erase("close_end");
  }
  constexpr std::pair<seen, seen> spans[] = {{seen::close_begin, seen::close_end},
                                             {seen::rollback_begin, seen::rollback_end},
                                             {seen::rebroadcast_begin, seen::rebroadcast_end}};
  for (const auto& [begin, end] : spans)
    for (const asked_operation* o : p.operations)
      for (std::size_t i : o->events)
        if (events_[i].inferred && (events_[i].kind == begin || events_[i].kind == end)) {
          visible.erase(std::string(name_of(begin)));
          visible.erase(std::string(name_of(end)));
        }
}

void model_comparison::event(const observed_event& e) {
  if (events_.size() >= most_events_) {
    more_ = true;
    return;
  }
  events_.push_back(e);
  const auto name = [&](std::int64_t d) { names_.try_emplace(d, device_name_(d)); };
  if (e.dev >= 0) name(e.dev);
  for (std::int64_t m : e.members) name(m);
}

model_answer model_comparison::answer(const observer& by, const source_summary& source, kernel_version kernel) const {
  model_answer out;
  if (!by.shows(seen::NETDEV_UNREGISTER) && !by.shows(seen::NETDEV_DOWN)) {
    out.reason = "the source does not show the order of notifications";
    return out;
  }
  if (!kernel.known()) {
    out.reason = "which kernel it is does not stand in the source; --kernel says it";
    return out;
  }
  if (most_events_ == 0) {
    out.reason = "--compare 0";
    return out;
  }
  const bool doubtful = source.doubted != std::array<bool, doubts>{};
  const modelled_kernel& nearest = nearest_kernel(kernel);
  const std::vector<asked_operation> operations = operations_of(events_);
  out.is = model_answer::verdict::a_run;
  out.model = fmt::format("teardown {}", nearest.variant);
  if (operations.empty()) {
    out.is = model_answer::verdict::not_asked;
    out.reason = "nothing was closed, unregistered or moved";
  }
  for (const compared_part& p : parts_of(operations)) {
    if (p.moves) out.model = fmt::format("namespaces {}", nearest.variant);
    const script s = write_script(events_, p.operations, p.devices, names_, p.moves);
    if (!s.unsupported.empty()) {
      out.is = model_answer::verdict::unknown;
      out.reason = s.unsupported;
      continue;
    }
    const script_model m(inputs_, s, nearest.variant);
    conformance::inclusion_options options = m.options();
    std::erase_if(options.visible, [&](const std::string& name) {
      for (std::size_t k = 0; k < seen_kinds; ++k)
        if (name == name_of(static_cast<seen>(k))) return !by.shows(static_cast<seen>(k));
      return true;
    });
    hide_spans(p, options.visible);
    const projected trace = projection(events_, options.visible).of(p);
    const conformance::inclusion_result r = conformance::check_inclusion(m.system(), trace.events, options);
    out.events += r.matched;
    out.batches += p.operations.size();
    if (r.verdict == conformance::inclusion_verdict::included) continue;
    const bool refused = r.verdict == conformance::inclusion_verdict::not_included;
    const bool certain = refused && nearest.version == kernel && !doubtful;
    out.is = certain ? model_answer::verdict::not_a_run : model_answer::verdict::unknown;
    out.line = r.matched < trace.places.size() ? events_[trace.places[r.matched]].line : 0;
    if (!refused)
      out.reason = r.reason;
    else if (doubtful)
      out.reason =
          fmt::format("line {} is not explained, but not everything could be read, or records are missing", out.line);
    else
      out.reason = fmt::format("line {} is not explained, but the model is of v{}.{}", out.line, nearest.version.major,
                               nearest.version.minor);
    out.explanation = conformance::explain(r, trace.events, [&](source_range where) { return m.place(where); });
    return out;
  }
  if (out.is == model_answer::verdict::a_run && more_) {
    out.is = model_answer::verdict::unknown;
    out.reason = fmt::format("the first {} batches are a run; only the first {} events are compared (--compare N: more)",
                             out.batches, most_events_);
  } else if (out.is == model_answer::verdict::a_run && doubtful) {
    out.is = model_answer::verdict::unknown;
    out.reason = "what is read is a run; but not everything could be read, or records are missing";
  }
  return out;
}

}  // namespace quiesce::observe
