// SPDX-License-Identifier: MIT
#include "conformance/observe_model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "conformance/inclusion.hpp"
#include "conformance/observe_model_projection.hpp"
#include "conformance/observe_model_script.hpp"
#include "model/system/lower.hpp"

namespace quiesce::observe {
namespace {

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

bool kind_of(const std::string& name, seen& kind) {
  for (std::size_t k = 0; k < seen_kinds; ++k)
    if (name == name_of(static_cast<seen>(k))) return kind = static_cast<seen>(k), true;
  return false;
}

bool is_span(seen kind) {
  return kind == seen::close_begin || kind == seen::close_end || kind == seen::rollback_begin ||
         kind == seen::rollback_end || kind == seen::rebroadcast_begin || kind == seen::rebroadcast_end;
}

// What keeps a run from being one for certain; empty: nothing.
std::string doubt_of(const source_summary& source) {
  if (source.doubted == std::array<bool, doubts>{}) return {};
  if (source.doubted[static_cast<std::size_t>(doubt::time_back)]) return "time goes back";
  if (source.doubted[static_cast<std::size_t>(doubt::contradiction)]) return "a record says what no kernel does";
  return "not everything could be read, or records are missing";
}

bool is_reference(const std::string& event) { return event == "dev_hold" || event == "dev_put"; }

}  // namespace

// One part: what was compared, and how it went.
struct model_comparison::attempt {
  std::string unsupported;  // by the model; empty: it was compared
  conformance::inclusion_result result;
  projected trace;
  std::set<std::string> alphabet, visible, spans;  // all, those compared, those that are inferred
  std::vector<std::string> unrecorded;             // compared nowhere although the model does not go on without them
  std::string explanation;
  std::map<std::string, std::size_t> foreign, outside;  // events of the trace, not compared
  bool complete = false;                                // the trace goes on behind the part
  bool is(conformance::inclusion_verdict v) const { return unsupported.empty() && result.verdict == v; }
};

// Begins and ends that do not stand in the source were put there for the rules' sake; a device that is down moves without a
// close.
std::set<std::string> model_comparison::inferred_spans(const compared_part& p) const {
  std::set<std::string> out;
  if (p.moves) out = {"close_begin", "close_end"};
  for (const asked_operation* o : p.operations)
    for (std::size_t i : o->events)
      if (events_[i].inferred && is_span(events_[i].kind)) out.emplace(name_of(events_[i].kind));
  return out;
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
    out.reason = source.unexplained > 0 && source.records == 0 ? "no record could be read"
                 : source.records == 0                         ? "there are no records"
                                                               : "the source does not show the order of notifications";
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
  const auto doubted = [&](doubt d) { return source.doubted[static_cast<std::size_t>(d)]; };
  // Of these what is there is still certain.
  const std::ptrdiff_t certain = doubted(doubt::unmatched) + doubted(doubt::time_back) + doubted(doubt::contradiction);
  const bool certain_records = std::count(source.doubted.begin(), source.doubted.end(), true) == certain;
  const modelled_kernel& nearest = nearest_kernel(kernel);
  const std::vector<asked_operation> operations = operations_of(events_, by.shows(seen::run_todo_begin));
  out.is = model_answer::verdict::a_run;
  out.model = fmt::format("teardown {}", nearest.variant);
  if (operations.empty()) {
    out.is = model_answer::verdict::not_asked;
    out.reason = "nothing was closed, unregistered or moved";
  }
  std::set<std::string> unrecorded, compared;
  attempt all;  // what was left out of the parts together
  for (const compared_part& p : parts_of(operations, events_)) {
    if (p.moves) out.model = fmt::format("namespaces {}", nearest.variant);
    const bool references = !references_of(events_, p).empty();
    attempt a = compare(p, by, nearest.variant, references);
    if (!a.unsupported.empty()) {
      out.is = model_answer::verdict::unknown;
      out.reason = a.unsupported;
      continue;
    }
    out.events += a.result.matched;
    out.batches += p.operations.size();
    all.alphabet.insert(a.alphabet.begin(), a.alphabet.end());
    all.spans.insert(a.spans.begin(), a.spans.end());
    all.trace.driver_waits += a.trace.driver_waits;
    all.trace.polls += a.trace.polls;
    compared.insert(a.visible.begin(), a.visible.end());
    unrecorded.insert(a.unrecorded.begin(), a.unrecorded.end());
    if (a.is(conformance::inclusion_verdict::included)) continue;
    std::string reservation;
    if (nearest.version != kernel)
      reservation = fmt::format("the model is of v{}.{}", nearest.version.major, nearest.version.minor);
    if (freed_by_driver(a, p, operations)) reservation = "a device is freed behind netdev_run_todo, as some drivers do it";
    if (!certain_records) reservation = "not everything could be read, or records are missing";
    if (references && reservation.empty() &&
        compare(p, by, nearest.variant, false).is(conformance::inclusion_verdict::included))
      reservation = "references that the recording does not show could explain it";
    refuse(out, a, p, by, reservation);
    list_left_out(out, compared, all, by);
    return out;
  }
  count_outside(operations, all.alphabet, all.foreign, all.outside);
  list_left_out(out, compared, all, by);
  if (out.is != model_answer::verdict::a_run) return out;
  judge_rest(out, operations, unrecorded, doubt_of(source));
  if (out.is == model_answer::verdict::a_run && nearest.version != kernel) {
    out.is = model_answer::verdict::unknown;
    out.reason = fmt::format("what is read is a run; but the model is of v{}.{}, and the kernel is another",
                             nearest.version.major, nearest.version.minor);
  }
  return out;
}

// netdev_run_todo ends, and a device of the part is freed by its own driver later.
bool model_comparison::freed_by_driver(const attempt& a, const compared_part& p,
                                       const std::vector<asked_operation>& operations) const {
  const std::size_t at = a.result.matched;
  if (at >= a.trace.events.size() || a.trace.events[at].name != name_of(seen::run_todo_end)) return false;
  const std::vector<std::size_t> beside = left_over(events_, operations);
  return std::any_of(beside.begin(), beside.end(), [&](std::size_t i) {
    return events_[i].kind == seen::free_netdev && i > a.trace.places[at] &&
           std::find(p.devices.begin(), p.devices.end(), events_[i].dev) != p.devices.end();
  });
}

// Of the trace, what no part has, or no model.
void model_comparison::count_outside(const std::vector<asked_operation>& operations, const std::set<std::string>& alphabet,
                                     std::map<std::string, std::size_t>& foreign,
                                     std::map<std::string, std::size_t>& outside) const {
  std::vector<bool> used(events_.size());
  for (const asked_operation& o : operations)
    for (std::size_t i : o.events) used[i] = true;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const std::string name(name_of(events_[i].kind));
    if (!used[i])
      ++outside[name];
    else if (!alphabet.count(name))
      ++foreign[name];
  }
}

// What keeps a run from being one for certain.
void model_comparison::judge_rest(model_answer& out, const std::vector<asked_operation>& operations,
                                  const std::set<std::string>& unrecorded, const std::string& doubt) const {
  const std::vector<std::size_t> beside = left_over(events_, operations);
  if (!beside.empty()) {
    const observed_event& e = events_[beside.front()];
    out.line = e.line;
    out.reason = fmt::format("line {}: {}{} is in no close, rollback or move, and is not compared", e.line, name_of(e.kind),
                             e.dev >= 0 ? " of " + names_.at(e.dev) : "");
  } else if (!doubt.empty()) {
    out.reason = "what is read is a run; but " + doubt;
  } else if (!unrecorded.empty()) {
    out.reason = fmt::format("what is recorded is a run; but it has no {}: not recorded, or it did not happen",
                             fmt::join(unrecorded, ", "));
  } else if (more_) {
    out.reason = fmt::format("the first {} batches are a run; only the first {} events are compared (--compare N: more)",
                             out.batches, most_events_);
  } else {
    return;
  }
  out.is = model_answer::verdict::unknown;
}

void model_comparison::refuse(model_answer& out, const attempt& a, const compared_part& p, const observer& by,
                              const std::string& doubt) const {
  const bool refused = a.is(conformance::inclusion_verdict::not_included);
  const std::size_t at = a.result.matched;
  // Its task may be another than that of an operation before it, which still waits for references.
  const bool later_operation = !by.shows_tasks() && !references_of(events_, p).empty() && at < a.trace.places.size() &&
                               a.trace.places[at] > p.operations.front()->last;
  out.line = at < a.trace.places.size() ? events_[a.trace.places[at]].line : events_[p.last].line;
  out.is = refused && doubt.empty() ? model_answer::verdict::not_a_run : model_answer::verdict::unknown;
  if (!refused)
    out.reason = a.result.reason;
  else if (later_operation && doubt.empty())
    out.is = model_answer::verdict::unknown,
    out.reason = fmt::format("line {} is not explained, but which task does what is not shown", out.line);
  else if (!doubt.empty())
    out.reason = fmt::format("line {} is not explained, but {}", out.line, doubt);
  out.explanation = a.explanation;
}

model_comparison::attempt model_comparison::compare(const compared_part& p, const observer& by, const std::string& variant,
                                                    bool references) const {
  attempt out;
  const script s = write_script(events_, p, names_, references);
  out.unsupported = s.unsupported;
  if (!s.unsupported.empty()) return out;
  const script_model m(inputs_, s, variant);
  conformance::inclusion_options options = m.options();
  out.alphabet = options.visible;
  out.spans = inferred_spans(p);
  const auto shown = [&](const std::string& name) {
    seen kind{};
    if (!kind_of(name, kind) || out.spans.count(name)) return false;
    return is_reference(name) ? references : by.shows(kind);
  };
  std::erase_if(options.visible, [&](const std::string& name) { return !shown(name); });
  out.complete = options.complete = p.ended && s.all_dropped;
  out.visible = options.visible;
  out.trace = project(events_, p, options.visible);
  out.result = conformance::check_inclusion(m.system(), out.trace.events, options);
  if (out.is(conformance::inclusion_verdict::included)) {
    look_without_records(p, by, m, out);
  } else {
    out.explanation = conformance::explain(out.result, out.trace.events, [&](source_range where) { return m.place(where); });
  }
  return out;
}

// Events that the source could show but has no record of: either they did not happen, or nobody asked for them.
void model_comparison::look_without_records(const compared_part& p, const observer& by, const script_model& m,
                                            attempt& out) const {
  std::map<std::string, std::set<std::string>> groups;  // by what is not recorded
  for (const std::string& name : out.alphabet) {
    seen kind{};
    if (!kind_of(name, kind) || out.visible.count(name) || !by.could_show(kind) || by.shows(kind)) continue;
    if (p.moves && out.spans.count(name)) continue;
    if (out.spans.count(name) || by.missed(kind))
      out.unrecorded.push_back(name);
    else
      groups[by.why_not(kind)].insert(name);
  }
  conformance::inclusion_options options = m.options();
  options.complete = out.complete;
  const auto is_run = [&](const std::set<std::string>& more) {
    options.visible = out.visible;
    options.visible.insert(more.begin(), more.end());
    const projected trace = project(events_, p, options.visible);
    return conformance::check_inclusion(m.system(), trace.events, options).verdict ==
           conformance::inclusion_verdict::included;
  };
  std::set<std::string> absent;
  for (const auto& [why, names] : groups) {
    if (is_run(names))
      absent.insert(names.begin(), names.end());
    else
      out.unrecorded.insert(out.unrecorded.end(), names.begin(), names.end());
  }
  if (absent.empty()) return;
  if (is_run(absent))
    out.visible.insert(absent.begin(), absent.end());
  else
    out.unrecorded.insert(out.unrecorded.end(), absent.begin(), absent.end());
}

void model_comparison::list_left_out(model_answer& out, const std::set<std::string>& compared, const attempt& all,
                                     const observer& by) const {
  const auto add = [&](const std::string& why, const std::string& what) {
    for (auto& one : out.not_compared)
      if (one.why == why) return one.what.push_back(what);
    out.not_compared.push_back({why, {what}});
  };
  for (const std::string& name : all.alphabet) {
    seen kind{};
    if (all.spans.count(name))
      add(out.model.starts_with("namespaces") ? "a device that is down moves without it"
                                              : "follows from the records, but does not stand there",
          name);
    else if (!compared.count(name))
      add(is_reference(name)    ? "no record of references to these devices"
          : kind_of(name, kind) ? by.why_not(kind)
                                : "no source shows it",
          name);
  }
  const auto counted = [&](const std::string& why, const std::map<std::string, std::size_t>& events) {
    for (const auto& [name, n] : events) add(why, fmt::format("{} {}", name, n));
  };
  counted("no events of the model", all.foreign);
  counted("outside of closes, rollbacks and moves", all.outside);
  if (all.trace.driver_waits > 0)
    add("the driver's own, in its ndo_uninit", fmt::format("{} begins and ends of grace periods", all.trace.driver_waits));
  if (all.trace.polls > 0)
    add("of the wait for references, each time that it looks at them again",
        fmt::format("{} begins and ends of rcu_barrier", all.trace.polls));
}

}  // namespace quiesce::observe
