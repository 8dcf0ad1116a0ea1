// SPDX-License-Identifier: MIT
#include "refimpl/bench/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace quiesce::bench {

namespace {

constexpr double panel_width = 860, panel_height = 420, left = 80, right = 220, top = 40, bottom = 56;
// Okabe and Ito: distinguishable without colour vision.
constexpr const char* colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999"};

std::string escape(const std::string& text) {
  std::string out;
  for (char c : text) out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

struct axis {
  double low = 0, high = 1, from = 0, to = 1;  // of the data; of the page
  bool logarithmic = false;
  double at(double v) const {
    const double share =
        logarithmic ? (std::log(v) - std::log(low)) / (std::log(high) - std::log(low)) : (v - low) / (high - low);
    return from + share * (to - from);
  }
};

bool shown(const chart& c, const std::pair<double, double>& p) {
  return std::isfinite(p.first) && std::isfinite(p.second) && (!c.logarithmic || (p.first > 0 && p.second > 0));
}

// 1, 2 or 5 times a power of ten, at least `rough`.
double round_step(double rough) {
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (double m : {1.0, 2.0, 5.0})
    if (m * power >= rough * (1 - 1e-9)) return m * power;
  return 10 * power;
}

std::vector<double> ticks(const axis& a) {
  std::vector<double> out;
  if (a.logarithmic) {
    for (double power = std::pow(10.0, std::floor(std::log10(a.low))); power <= a.high; power *= 10)
      for (double m : {1.0, 2.0, 5.0})
        if (m * power >= a.low * (1 - 1e-9) && m * power <= a.high * (1 + 1e-9)) out.push_back(m * power);
    return out;
  }
  const double step = round_step((a.high - a.low) / 6);
  for (double v = std::ceil(a.low / step) * step; v <= a.high + step / 1e6; v += step) out.push_back(v);
  return out;
}

void fit(const chart& c, axis& x, axis& y) {
  bool first = true;
  for (const chart_series& s : c.series)
    for (const auto& p : s.points) {
      if (!shown(c, p)) continue;
      x.low = first ? p.first : std::min(x.low, p.first);
      x.high = first ? p.first : std::max(x.high, p.first);
      y.low = first ? p.second : std::min(y.low, p.second);
      y.high = first ? p.second : std::max(y.high, p.second);
      first = false;
    }
  if (!c.logarithmic) y.low = std::min(y.low, 0.0);
  for (axis* a : {&x, &y}) {
    a->logarithmic = c.logarithmic;
    if (a->high <= a->low) a->high = c.logarithmic ? a->low * 2 : a->low + 1;
  }
}

std::string text_at(double x, double y, const std::string& anchor, const std::string& text, const std::string& more = {}) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, more, escape(text));
}

std::string segment(double x1, double y1, double x2, double y2, const char* colour) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1, y1, x2, y2,
                     colour);
}

std::string grid(const axis& x, const axis& y) {
  std::string out;
  for (double v : ticks(x))
    out +=
        segment(x.at(v), y.from, x.at(v), y.to, "#dddddd") + text_at(x.at(v), y.from + 16, "middle", fmt::format("{:g}", v));
  for (double v : ticks(y))
    out +=
        segment(x.from, y.at(v), x.to, y.at(v), "#dddddd") + text_at(x.from - 6, y.at(v) + 4, "end", fmt::format("{:g}", v));
  return out;
}

std::string draw_series(const chart& c, const chart_series& s, const axis& x, const axis& y, const char* colour) {
  std::string path, dots;
  for (const auto& p : s.points) {
    if (!shown(c, p)) continue;
    path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "" : " ", x.at(p.first), y.at(p.second));
    dots +=
        fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" fill=\"{}\"/>\n", x.at(p.first), y.at(p.second), colour);
  }
  return fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"/>\n{}", path, colour, dots);
}

// Series that coincide are one line with all their names: the last drawn would hide the others.
chart with_coinciding_joined(const chart& c) {
  chart out = c;
  out.series.clear();
  for (const chart_series& s : c.series) {
    const auto same = std::find_if(out.series.begin(), out.series.end(),
                                   [&](const chart_series& known) { return known.points == s.points; });
    if (same == out.series.end())
      out.series.push_back(s);
    else
      same->name += ", " + s.name;
  }
  return out;
}

std::string panel(const chart& given, double offset) {
  const chart c = with_coinciding_joined(given);
  axis x, y;
  fit(c, x, y);
  x.from = left;
  x.to = panel_width - right;
  y.from = offset + panel_height - bottom;
  y.to = offset + top;
  std::string out = text_at(left, offset + 22, "start", c.title, " font-size=\"15\"");
  out += grid(x, y);
  out += text_at((x.from + x.to) / 2, y.from + 38, "middle", c.x);
  const double middle = (y.from + y.to) / 2;
  out += text_at(18, middle, "middle", c.y, fmt::format(" transform=\"rotate(-90 18 {:.1f})\"", middle));
  if (c.series.empty()) out += text_at((x.from + x.to) / 2, middle, "middle", "no points");
  double legend = offset + top + 10;
  for (std::size_t i = 0; i < c.series.size(); ++i, legend += 18) {
    const char* colour = colours[i % std::size(colours)];
    out += draw_series(c, c.series[i], x, y, colour);
    out += segment(x.to + 14, legend - 4, x.to + 38, legend - 4, colour) +
           text_at(x.to + 44, legend, "start", c.series[i].name);
  }
  return out;
}

}  // namespace

std::string to_svg(const std::vector<chart>& charts) {
  const double height = panel_height * static_cast<double>(std::max<std::size_t>(charts.size(), 1));
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" viewBox=\"0 0 {0:g} {1:g}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
      panel_width, height);
  double offset = 0;
  for (const chart& c : charts) {
    out += panel(c, offset);
    offset += panel_height;
  }
  return out + "</svg>\n";
}

}  // namespace quiesce::bench
