// SPDX-License-Identifier: MIT
// A verdict's scope in words.

#include <fmt/format.h>

#include <map>
#include <sstream>

#include "model/verdict/check.hpp"

namespace quiesce {
namespace {

std::string shown(std::int64_t n) { return n == any_number ? "any" : std::to_string(n); }

template <class Pairs>
std::string pairs_text(const Pairs& pairs) {
  std::string text;
  for (const auto& [name, value] : pairs) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, shown(value));
  return text;
}

std::string steps_of(const run_text& run) {
  if (!run.loop_from) return fmt::format(" steps={}", run.length());
  return fmt::format(" steps={} loop={}", *run.loop_from, run.length() - *run.loop_from);
}

std::string count_of(const answer& a, const verdict& v) {
  switch (v.kind) {
    case verdict_kind::violated:
    case verdict_kind::deadlock: return v.counterexample ? steps_of(*v.counterexample) : "";
    case verdict_kind::unknown: return fmt::format(" ({})", v.reason);
    default:
      // Engines that visit no states look for no deadlock either.
      if (!v.method.empty() && a.states == 0) return fmt::format(" (deadlocks not looked for) engine={}", v.method.substr(0, v.method.find(':')));
      return fmt::format(" states={}", a.states);
  }
}

}  // namespace

std::string sizes_text(const scope_description& scope) {
  const std::map<std::string, std::int64_t> by_name(scope.sizes.begin(), scope.sizes.end());
  return pairs_text(by_name);
}

std::string scope_text(const scope_description& scope) {
  std::string text = sizes_text(scope);
  if (!scope.bounds.empty()) text += (text.empty() ? "bounds " : ", bounds ") + pairs_text(scope.bounds);
  if (scope.urgent) text += fmt::format(", time urgent up to {}", scope.horizon);
  return text;
}

std::string wrap(const std::string& text, std::size_t columns, const std::string& indent) {
  std::istringstream words(text);
  std::string out, line, word;
  while (words >> word) {
    if (!line.empty() && line.size() + 1 + word.size() > columns) {
      out += line + "\n";
      line = indent + word;
    } else {
      line += (line.empty() ? "" : " ") + word;
    }
  }
  return out + line;
}

std::string paste_line(const question& q, const answer& a, const verdict& v) {
  const std::string& variant = q.settings.variant;
  std::string text = fmt::format("quiesce: {}/{}", q.model->loaded.model.name, v.property);
  if (!variant.empty()) text += " " + variant;
  for (const auto& [option, value] : q.settings.options) text += fmt::format(" {}={}", option, value);
  text += fmt::format(" {}{}", name(v.kind), count_of(a, v));
  if (q.settings.environment != "default") text += " environment=" + q.settings.environment;
  // What was asked for; the rest of the scope is as the model declares it, and part of the hash.
  for (const std::string& part : {pairs_text(q.settings.scope), v.hash.substr(0, 12)})
    if (!part.empty()) text += " " + part;
  return wrap(text, 72, "  ");
}

}  // namespace quiesce
