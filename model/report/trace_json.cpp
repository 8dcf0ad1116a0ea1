// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "model/report/trace_file.hpp"

namespace quiesce::report {
namespace {

using nlohmann::json;

json frame_json(const ir::frame& f) {
  json out = {{"procedure", f.procedure}};
  if (f.kernel_function.empty()) return out;
  out["kernel"] = {{"file", f.kernel_file}, {"function", f.kernel_function}, {"version", f.kernel_version}};
  return out;
}

json step_json(const step_text& s) {
  json out = {{"choices", json::array()}, {"events", json::array()}, {"changes", json::array()}};
  for (const trace_choice& c : s.choices) out["choices"].push_back({{"what", c.what}, {"value", c.value}});
  for (const trace_event& e : s.events) out["events"].push_back({{"name", e.name}, {"args", e.args}});
  for (const trace_change& c : s.changes) {
    json change = {{"variable", c.variable}, {"after", c.after}};
    if (!s.process.empty()) change["before"] = c.before;
    out["changes"].push_back(std::move(change));
  }
  if (s.process.empty()) return out;
  out["process"] = s.process;
  out["statement"] = s.statement;
  out["path"] = json::array();
  for (const ir::frame& f : s.path) out["path"].push_back(frame_json(f));
  return out;
}

step_text step_of(const json& in) {
  step_text s;
  s.process = in.value("process", "");
  for (const json& c : in.at("choices")) s.choices.push_back({c.at("what"), c.at("value"), ""});
  return s;
}

trace_file file_of(const json& in) {
  trace_file out;
  if (in.at("format") != "quiesce-trace" || in.at("version") != 1) throw diagnostic("this is not a trace of a known version");
  out.model = in.at("model");
  out.settings.variant = in.value("variant", "");
  out.settings.environment = in.value("environment", "default");
  out.settings.options = in.at("options").get<std::map<std::string, std::string>>();
  out.settings.scope = in.at("scope").get<std::map<std::string, std::int64_t>>();
  out.property_files = in.at("property_files").get<std::vector<std::string>>();
  out.properties = in.at("properties").get<std::vector<std::string>>();
  out.outcome = in.at("outcome");
  for (const json& s : in.at("steps")) {
    out.run.steps.push_back(step_of(s));
    if (out.run.steps.back().process.empty() != (out.run.steps.size() == 1))
      throw diagnostic("every step but the first names its process");
  }
  if (in.contains("loop_from")) {
    out.run.loop_from = in.at("loop_from").get<std::size_t>();
    if (*out.run.loop_from >= out.run.steps.size()) throw diagnostic("`loop_from` is the number of a step");
  }
  return out;
}

}  // namespace

json steps_json(const run_text& t) {
  json out = json::array();
  for (const step_text& s : t.steps) out.push_back(step_json(s));
  return out;
}

std::string write_trace_json(const trace_file& t) {
  json out = {{"format", "quiesce-trace"},
                    {"version", 1},
                    {"model", t.model},
                    {"variant", t.settings.variant},
                    {"options", t.settings.options},
                    {"environment", t.settings.environment},
                    {"scope", t.settings.scope},
                    {"property_files", t.property_files},
                    {"properties", t.properties},
                    {"steps", steps_json(t.run)},
                    {"outcome", t.outcome}};
  if (t.run.loop_from) out["loop_from"] = *t.run.loop_from;
  return out.dump(1) + "\n";
}

trace_file read_trace_json(const language::source_set& sources, std::uint32_t file) {
  try {
    return file_of(json::parse(sources.text(file)));
  } catch (const json::parse_error& e) {
    const auto at = static_cast<std::uint32_t>(e.byte ? e.byte - 1 : 0);
    const auto size = static_cast<std::uint32_t>(sources.text(file).size());
    throw diagnostic(source_range{file, std::min(at, size), std::min(at + 1, size)}, "this is not JSON");
  } catch (const json::exception& e) {
    throw diagnostic(fmt::format("{}: this is not a trace: {}", sources.path(file), e.what()));
  } catch (const diagnostic& e) {
    throw diagnostic(fmt::format("{}: {}", sources.path(file), e.sentence));
  }
}

}  // namespace quiesce::report
