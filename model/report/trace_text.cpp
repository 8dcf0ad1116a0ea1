// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <charconv>

#include "model/report/trace_file.hpp"

namespace quiesce::report {

trace_file read_trace_json(const language::source_set&, std::uint32_t file);  // trace_json.cpp

namespace {

std::string comment_lines(const step_text& s) {
  std::string out;
  if (!s.statement.empty())
    out += fmt::format("  # {}{}\n", s.path.empty() ? "" : s.path.back().procedure + ": ", s.statement);
  for (const trace_event& e : s.events) {
    std::string args;
    for (const std::string& a : e.args) args += (args.empty() ? "" : ", ") + a;
    out += fmt::format("  # emits {}({})\n", e.name, args);
  }
  if (s.process.empty()) return out;
  for (const trace_change& c : s.changes) out += fmt::format("  # {}: {} -> {}\n", c.variable, c.before, c.after);
  return out;
}

struct line_reader {
  line_reader(std::string_view t, std::uint32_t f) : text(t), file(f) {}
  std::string_view text;
  std::uint32_t file;
  std::uint32_t begin = 0, end = 0;  // of the line, without blanks around it

  source_range where() const { return {file, begin, end}; }
  std::string_view line() const { return text.substr(begin, end - begin); }
  [[noreturn]] void fail(const std::string& sentence) const { throw diagnostic(where(), sentence); }

  // The next line that is not empty; false at the end.
  bool next() {
    while (next_ < text.size()) {
      std::size_t stop = text.find('\n', next_);
      if (stop == std::string_view::npos) stop = text.size();
      std::size_t first = next_, last = stop;
      next_ = stop + 1;
      while (first < last && (text[first] == ' ' || text[first] == '\t')) ++first;
      while (last > first && (text[last - 1] == ' ' || text[last - 1] == '\r')) --last;
      begin = static_cast<std::uint32_t>(first);
      end = static_cast<std::uint32_t>(last);
      if (first < last && text[first] != '#') return true;
    }
    return false;
  }

 private:
  std::size_t next_ = 0;
};

// NAME = VALUE, at the last " = ".
std::pair<std::string, std::string> pair_of(const line_reader& in, std::string_view rest) {
  const std::size_t at = rest.rfind(" = ");
  if (at == std::string_view::npos) in.fail("expected NAME = VALUE");
  return {std::string(rest.substr(0, at)), std::string(rest.substr(at + 3))};
}

std::int64_t number_of(const line_reader& in, const std::string& text) {
  std::int64_t value = 0;
  const auto [stop, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || stop != text.data() + text.size()) in.fail("expected a number");
  return value;
}

void read_item(const line_reader& in, const std::string& key, const std::string& rest, trace_file& out) {
  if (key == "model") {
    out.model = rest;
  } else if (key == "variant") {
    out.settings.variant = rest;
  } else if (key == "environment") {
    out.settings.environment = rest;
  } else if (key == "property") {
    out.properties.push_back(rest);
  } else if (key == "properties") {
    out.property_files.push_back(rest);
  } else if (key == "end") {
    out.outcome = rest;
  } else if (key == "option") {
    out.settings.options.insert(pair_of(in, rest));
  } else if (key == "scope") {
    const auto [name, value] = pair_of(in, rest);
    out.settings.scope[name] = number_of(in, value);
  } else if (key == "initial" || key == "step") {
    if ((key == "initial") != out.run.steps.empty()) in.fail("the first step must be `initial`, and only the first");
    out.run.steps.emplace_back().process = rest;
  } else if (key == "loop") {
    if (out.run.steps.empty() || out.run.loop_from) in.fail("`loop` stands once, behind the step at which it begins");
    out.run.loop_from = out.run.steps.size() - 1;
  } else if (key == "choose") {
    if (out.run.steps.empty()) in.fail("`choose` belongs below `initial` or `step`");
    auto [what, value] = pair_of(in, rest);
    out.run.steps.back().choices.push_back({std::move(what), std::move(value), ""});
  } else {
    in.fail(fmt::format("'{}' is not an item of a trace", key));
  }
}

}  // namespace

std::string write_trace_text(const trace_file& t) {
  std::string out = fmt::format("quiesce-trace 1\nmodel {}\n", t.model);
  if (!t.settings.variant.empty()) out += fmt::format("variant {}\n", t.settings.variant);
  for (const auto& [name, value] : t.settings.options) out += fmt::format("option {} = {}\n", name, value);
  out += fmt::format("environment {}\n", t.settings.environment);
  for (const auto& [name, value] : t.settings.scope) out += fmt::format("scope {} = {}\n", name, value);
  for (const std::string& path : t.property_files) out += fmt::format("properties {}\n", path);
  for (const std::string& name : t.properties) out += fmt::format("property {}\n", name);
  for (const step_text& s : t.run.steps) {
    out += s.process.empty() ? "initial\n" : fmt::format("step {}\n", s.process);
    for (const trace_choice& c : s.choices) out += fmt::format("  choose {} = {}\n", c.what, c.value);
    out += comment_lines(s);
    if (t.run.loop_from == static_cast<std::size_t>(&s - t.run.steps.data())) out += "loop\n";
  }
  return out + fmt::format("end {}\n", t.outcome);
}

trace_file read_trace(const language::source_set& sources, std::uint32_t file) {
  const std::string_view text = sources.text(file);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] == '{') return read_trace_json(sources, file);
  line_reader in{text, file};
  if (!in.next() || in.line() != "quiesce-trace 1") in.fail("this is not a trace: its first line must be `quiesce-trace 1`");
  trace_file out;
  bool ended = false;
  while (in.next()) {
    const std::string_view line = in.line();
    const std::size_t blank = std::min(line.find(' '), line.size());
    const std::size_t rest = std::min(blank + 1, line.size());
    if (ended) in.fail("nothing may follow the line `end OUTCOME`");
    const std::string key(line.substr(0, blank));
    read_item(in, key, std::string(line.substr(rest)), out);
    ended = key == "end";
  }
  if (out.model.empty()) in.fail("the trace names no model");
  if (!ended || text.back() != '\n') in.fail("the trace is cut off: its last line must be `end OUTCOME`, with its newline");
  return out;
}

}  // namespace quiesce::report
