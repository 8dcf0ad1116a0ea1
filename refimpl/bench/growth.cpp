// SPDX-License-Identifier: MIT
// Devices and routes doubled in turn.
#include "refimpl/bench/growth.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "refimpl/bench/bench.hpp"
#include "refimpl/bench/child.hpp"
#include "refimpl/bench/delete_devices.hpp"

namespace quiesce::bench {

std::optional<double> fitted_exponent(const std::vector<std::pair<double, double>>& points) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const auto& [x, y] : points) {
    if (x <= 0 || y <= 0) continue;
    const double lx = std::log(x), ly = std::log(y);
    n += 1;
    sx += lx;
    sy += ly;
    sxx += lx * lx;
    sxy += lx * ly;
  }
  const double spread = n * sxx - sx * sx;
  if (n < 2 || spread < 1e-9) return std::nullopt;
  return (n * sxy - sx * sy) / spread;
}

namespace {

const std::vector<std::string> compared = {"K44", "P1b", "J1", "E1", "reference"};
constexpr int doublings = 4;
constexpr int repetitions = 3, short_repetitions = 9;  // a short hold time is easily disturbed
constexpr double short_hold_s = 0.02;

struct point {
  std::string variant;
  bool routes_grow;
  std::size_t devices, routes;
  deletion_result result;  // the repetition with the shortest hold: counts are equal in all
  std::string failure;
};

point measure(const std::string& variant, bool routes_grow, std::size_t devices, std::size_t routes, const options& o) {
  o.progress(fmt::format("{}, {} devices, {} routes", variant, devices, routes));
  point p{variant, routes_grow, devices, routes, {}, {}};
  const deletion_input in{variant, deletion_way::one_batch, device_load::address, devices, routes};
  const auto enough = [&](int done) {
    return done >= (p.result.rtnl_hold_s < short_hold_s ? short_repetitions : repetitions);
  };
  for (int i = 0; !enough(i); ++i) {
    const child_outcome c = run_in_child([&] { return to_json(delete_devices(in)); }, o.limit_s);
    if (!c.failure.empty()) {
      p.failure = c.failure;
      return p;
    }
    const deletion_result r = deletion_from_json(c.value);
    if (!r.stopped.empty()) p.failure = r.stopped;
    if (i == 0 || r.rtnl_hold_s < p.result.rtnl_hold_s) p.result = r;
  }
  return p;
}

struct quantity {
  const char* name;
  double (*of)(const deletion_result&);
};
constexpr quantity quantities[] = {
    {"RTNL held s", [](const deletion_result& r) { return r.rtnl_hold_s; }},
    {"FIB walks", [](const deletion_result& r) { return static_cast<double>(r.fib_walks); }},
    {"aliases", [](const deletion_result& r) { return static_cast<double>(r.aliases_visited); }},
    {"neighbours", [](const deletion_result& r) { return static_cast<double>(r.neighbours_visited); }},
};

using points = std::vector<std::pair<double, double>>;
points curve(const std::vector<point>& all, const std::string& variant, bool routes_grow, const quantity& q) {
  points out;
  for (const point& p : all)
    if (p.variant == variant && p.routes_grow == routes_grow && p.failure.empty())
      out.emplace_back(static_cast<double>(routes_grow ? p.routes : p.devices), q.of(p.result));
  return out;
}

section points_section(const std::vector<point>& all) {
  section s{"measured: one batch, devices with an address", {"variant", "growing", "devices", "routes"}, {}};
  for (const quantity& q : quantities) s.columns.push_back(q.name);
  s.columns.push_back("outcome");
  for (const point& p : all) {
    row cells = {p.variant, p.routes_grow ? "routes" : "devices", p.devices, p.routes};
    for (const quantity& q : quantities)
      cells.push_back(p.failure.empty() ? number(q.of(p.result), &q == quantities ? 4 : 12) : json());
    cells.push_back(p.failure.empty() ? "complete" : p.failure);
    s.rows.push_back(std::move(cells));
  }
  return s;
}

section exponent_section(const std::vector<point>& all, const std::vector<std::string>& variants) {
  section s{"fitted exponents k of quantity = c * size^k", {"variant", "growing"}, {}};
  for (const quantity& q : quantities) s.columns.push_back(q.name);
  for (const std::string& v : variants)
    for (bool routes_grow : {true, false}) {
      row cells = {v, routes_grow ? "routes" : "devices"};
      for (const quantity& q : quantities) {
        const auto k = fitted_exponent(curve(all, v, routes_grow, q));
        cells.push_back(k ? number(std::abs(*k) < 1e-9 ? 0.0 : *k, 3) : json());
      }
      s.rows.push_back(std::move(cells));
    }
  return s;
}

void reference_finding(const std::vector<point>& all, std::vector<std::string>& findings) {
  const points p = curve(all, "reference", true, quantities[0]);
  for (std::size_t i = 1; i < p.size(); ++i)
    findings.push_back(
        fmt::format("reference, same affected routes: {:g} instead of {:g} routes change the RTNL hold time by {:+.1f} %",
                    p[i].first, p[i - 1].first, 100 * (p[i].second / p[i - 1].second - 1)));
}

}  // namespace

report run_growth(const options& o) {
  if (o.routes.size() > 1) throw std::invalid_argument("growth takes one number of routes, the largest");
  const std::size_t devices = o.devices != 0 ? o.devices : 1000, routes = o.routes.empty() ? 100'000 : o.routes[0];
  constexpr std::size_t smallest = 1u << (doublings - 1);
  if (devices < smallest || routes < smallest)
    throw std::invalid_argument(fmt::format("growth needs at least {} of each", smallest));
  require_possible({"K44", deletion_way::one_batch, device_load::address, devices, routes});
  const std::vector<std::string> variants = chosen_variants(o, compared);
  report out{"growth", fmt::format("devices up to {} and routes up to {}, doubled in turn", devices, routes)};
  out.inputs = {{"largest", fmt::format("{} devices, {} routes", devices, routes), "each halved up to 3 times"},
                {"held fixed", fmt::format("{} devices, {} routes", devices / 4, routes / 4), "while the other grows"},
                {"repetitions", fmt::format("{}", repetitions),
                 fmt::format("{} where RTNL is held for less than {} s; the shortest hold time counts", short_repetitions,
                             short_hold_s)}};
  out.reported = {"100,000 routes: RTNL held 13 s, with the series 5 s; 512,000 routes: 36 s and 5.5 s",
                  fmt::format("between these two points: exponent {:.2f} before, {:.2f} with the series",
                              *fitted_exponent({{100e3, 13}, {512e3, 36}}), *fitted_exponent({{100e3, 5}, {512e3, 5.5}}))};
  std::vector<point> all;
  for (const std::string& v : variants)
    for (bool routes_grow : {true, false})
      for (int i = doublings - 1; i >= 0; --i)
        all.push_back(
            measure(v, routes_grow, routes_grow ? devices / 4 : devices >> i, routes_grow ? routes >> i : routes / 4, o));
  out.sections = {points_section(all), exponent_section(all, variants)};
  reference_finding(all, out.findings);
  for (bool routes_grow : {true, false}) {
    chart c{routes_grow ? "RTNL hold time by routes" : "RTNL hold time by devices",
            routes_grow ? "routes" : "devices",
            "seconds",
            true,
            {}};
    for (const std::string& v : variants) c.series.push_back({v, curve(all, v, routes_grow, quantities[0])});
    out.charts.push_back(std::move(c));
  }
  return out;
}

}  // namespace quiesce::bench
