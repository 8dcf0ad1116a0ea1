// SPDX-License-Identifier: MIT
// The table of the batching thread: D devices deleted beside R routes.
#include <fmt/format.h>

#include "refimpl/bench/bench.hpp"
#include "refimpl/bench/child.hpp"
#include "refimpl/bench/delete_devices.hpp"

namespace quiesce::bench {

namespace {

const std::vector<std::string> compared = {"K44", "P1", "P1a", "P1b", "J1", "E1", "reference"};
constexpr deletion_way ways[] = {deletion_way::one_by_one, deletion_way::one_batch, deletion_way::namespace_exit};
constexpr device_load loads[] = {device_load::address, device_load::nothing, device_load::route};

struct measured {
  deletion_input in;
  child_outcome child;
  deletion_result result;  // when the child gave one
  bool complete() const { return child.failure.empty() && result.stopped.empty(); }
};

measured measure_once(const deletion_input& in, const options& o) {
  measured m{in, run_in_child([&] { return to_json(delete_devices(in)); }, o.limit_s), {}};
  if (m.child.failure.empty()) m.result = deletion_from_json(m.child.value);
  return m;
}

// A short time is taken from the best of three runs; their counts are equal.
constexpr double short_hold_s = 0.5;
constexpr int short_repetitions = 3;

measured measure(const deletion_input& in, const options& o) {
  o.progress(fmt::format("{} routes, {}, {}, {}", in.routes, name(in.load), name(in.way), in.variant));
  measured best = measure_once(in, o);
  for (int i = 1; i < short_repetitions && best.complete() && best.result.rtnl_hold_s < short_hold_s; ++i)
    if (const measured again = measure_once(in, o); again.complete() && again.result.rtnl_hold_s < best.result.rtnl_hold_s) best = again;
  return best;
}

row row_of(const measured& m) {
  const deletion_result& r = m.result;
  row out = {m.in.routes, name(m.in.load), name(m.in.way), m.in.variant};
  if (!m.child.failure.empty()) {
    out.resize(18);
    out.push_back(m.child.failure);
    return out;
  }
  const double elapsed = r.cpu_s + r.waits_s;
  const bool whole = r.stopped.empty();
  out.insert(out.end(), {number(r.rtnl_hold_s), number(r.rtnl_waits_s), number(r.waits_s - r.rtnl_waits_s)});
  out.push_back(whole && elapsed > 0 ? number(static_cast<double>(r.devices_freed) / elapsed, 3) : json());
  for (std::uint64_t v : {r.fib_walks, r.fib_walks_from_address, r.aliases_visited, r.neighbour_walks, r.neighbours_visited})
    out.push_back(v);
  for (std::uint64_t v : {r.dead_routes_left, r.neighbours_left}) out.push_back(whole ? json(v) : json());
  for (std::uint64_t v : {r.rebroadcasts, r.devices_freed}) out.push_back(v);
  out.push_back(number(m.child.peak_rss_mb, 3));
  out.push_back(whole ? "complete" : "never ends: " + r.stopped);
  return out;
}

using results = std::vector<measured>;

const measured* find(const results& all, std::size_t routes, device_load load, deletion_way way,
                     const std::string& variant) {
  for (const measured& m : all)
    if (m.in.routes == routes && m.in.load == load && m.in.way == way && m.in.variant == variant) return &m;
  return nullptr;
}

void compare_hold(const results& all, std::size_t routes, std::vector<std::string>& findings) {
  for (device_load load : loads)
    for (deletion_way way : ways) {
      const measured* base = find(all, routes, load, way, "K44");
      if (base == nullptr || !base->complete()) continue;
      std::string line;
      for (const std::string& v : compared)
        if (const measured* m = find(all, routes, load, way, v); v != "K44" && m != nullptr && m->complete())
          line += fmt::format(" {} {:.3g}", v, base->result.rtnl_hold_s / m->result.rtnl_hold_s);
      if (!line.empty())
        findings.push_back(
            fmt::format("{} routes, {}, {}: RTNL hold time of K44 over that of{}", routes, name(load), name(way), line));
    }
}

// A variant whose batch event is never sent is rescued by the repeated UNREGISTER: one wait for all devices of a batch.
void note_rebroadcast_rate(const results& all, std::vector<std::string>& findings) {
  for (const measured& m : all)
    if (m.complete() && m.in.way == deletion_way::one_batch && m.result.rebroadcasts != 0)
      findings.push_back(fmt::format("{} routes, {}, one batch, {}: {:.0f} devices per second although {} dead routes outlive the RTNL hold: all "
                                     "wait once, {:.3f} s, until the repeated UNREGISTER has them flushed",
                                     m.in.routes, name(m.in.load), m.in.variant,
                                     static_cast<double>(m.result.devices_freed) / (m.result.cpu_s + m.result.waits_s),
                                     m.result.dead_routes_left, m.result.waits_s - m.result.rtnl_waits_s));
}

struct judgement {
  std::uint64_t rows = 0, unfinished = 0, never_flushed = 0, late = 0, dead_routes = 0, neighbours = 0, rebroadcasts = 0;
};

judgement judge(const results& all, const std::string& variant) {
  judgement j;
  for (const measured& m : all) {
    if (m.in.variant != variant) continue;
    ++j.rows;
    j.unfinished += !m.complete();
    if (!m.complete()) continue;
    const measured* base = find(all, m.in.routes, m.in.load, m.in.way, "K44");
    const bool base_walks = base != nullptr && base->complete() && base->result.fib_walks != 0;
    j.never_flushed += base_walks && m.result.fib_walks == 0;
    j.late += m.result.dead_routes_left + m.result.neighbours_left != 0;
    j.dead_routes += m.result.dead_routes_left;
    j.neighbours += m.result.neighbours_left;
    j.rebroadcasts += m.result.rebroadcasts;
  }
  return j;
}

// Does the gain of a variant survive delivery, or does it come from flushes that did not happen while RTNL was held?
void judge_gain(const results& all, std::vector<std::string>& findings) {
  for (const std::string& variant : compared) {
    const judgement j = judge(all, variant);
    if (j.rows == 0) continue;
    std::string text = fmt::format("{}: {} of {} runs end", variant, j.rows - j.unfinished, j.rows);
    if (j.never_flushed != 0) text += fmt::format("; in {} of them no flush happens where K44 has some", j.never_flushed);
    if (j.late != 0)
      text += fmt::format(
          "; {} let go of RTNL with {} dead routes and {} neighbours left, for {} rebroadcasts a second or more later",
          j.late, j.dead_routes, j.neighbours, j.rebroadcasts);
    text += j.never_flushed + j.late + j.unfinished != 0 ? ": a gain there is work not done"
                                                         : ", every flush delivered before RTNL is let go";
    findings.push_back(text);
  }
}

section empty_section() {
  return {"deletion",
          {"routes", "devices have", "way", "variant", "RTNL held s", "RTNL waits s", "other waits s", "devices/s",
           "FIB walks", "by address", "aliases", "ARP walks", "neighbours", "dead routes left", "neighbours left",
           "rebroadcasts", "freed", "peak RSS MB", "outcome"},
          {}};
}

}  // namespace

report run_delete(const options& o) {
  deletion_input in;
  if (o.devices != 0) in.devices = o.devices;
  if (o.neighbours != 0) in.neighbours = o.neighbours;
  const std::vector<std::size_t> sizes = o.routes.empty() ? std::vector<std::size_t>{100'000, 512'000} : o.routes;
  report out{"delete", fmt::format("{} devices deleted beside many routes through a device that stays", in.devices)};
  out.inputs = {{"devices", fmt::format("{}", in.devices), "deleted; each is up"},
                {"neighbours", fmt::format("{}", in.neighbours), "of each deleted device"},
                {"grace period", fmt::format("{} ms", in.grace_period_ms), "length of every RCU grace period, simulated"},
                {"repetitions", fmt::format("{}", short_repetitions), "where RTNL is held for less than 0.5 s; the shortest counts"},
                {"limit per row", fmt::format("{:g} s", o.limit_s), "real time after which a run is stopped"},
                {"IPv6", "off", "the thread is about IPv4"}};
  out.reported = {
      "100,000 routes: RTNL held 13 s for 1000 interfaces, with the series 5 s",
      "512,000 routes: RTNL held 36 s, with the series 5.5 s",
      "512,000 routes, later mail: 35 interfaces per second, with the series 620",
      "the two sets disagree: 1000 interfaces at 35 per second take 28.6 s, not 36; at 620 per second 1.6 s, not 5.5"};
  const std::vector<std::string> variants = chosen_variants(o, compared);
  for (std::size_t routes : sizes) {
    in.routes = routes;
    require_possible(in);
  }
  section table = empty_section();
  results all;
  for (std::size_t routes : sizes)
    for (device_load load : loads)
      for (deletion_way way : ways)
        for (const std::string& variant : variants) {
          in.routes = routes;
          in.load = load;
          in.way = way;
          in.variant = variant;
          all.push_back(measure(in, o));
          table.rows.push_back(row_of(all.back()));
        }
  out.sections.push_back(std::move(table));
  for (std::size_t routes : sizes) compare_hold(all, routes, out.findings);
  note_rebroadcast_rate(all, out.findings);
  judge_gain(all, out.findings);
  return out;
}

}  // namespace quiesce::bench
