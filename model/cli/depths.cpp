// SPDX-License-Identifier: MIT
// quiesce depths: after how many steps each event of a model can happen first.

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "model/cli/verb.hpp"
#include "model/symbolic/depths.hpp"
#include "model/verdict/check.hpp"

namespace quiesce::cli {
namespace {

struct depths_options {
  selection what;
  std::string model;
  std::uint64_t depth = 0;
  double timeout = 0;
};

outcome run_depths(catalogue& inputs, const depths_options& o) {
  const prepared_check check(inputs, one_question(inputs, o.what, o.model, {}, "depths"));
  const symbolic::finite_system encoded = symbolic::encode(check.system());
  symbolic::engine_options options;
  options.max_depth = o.depth;
  options.timeout_s = o.timeout;
  options.progress = [](const std::string& what, std::uint64_t depth) { log_progress(fmt::format("{}: {}", what, depth)); };
  const symbolic::event_depths found = symbolic::first_depths(check.system(), encoded, options);
  std::vector<std::pair<std::uint64_t, std::string>> rows;
  for (std::size_t k = 0; k < found.first.size(); ++k)
    if (encoded.step.emitted[k] != symbolic::always_false)  // else the model has no such step
      rows.emplace_back(found.first[k].value_or(~std::uint64_t{0}), check.system().program().events[k].name);
  std::stable_sort(rows.begin(), rows.end());
  std::string out = fmt::format("{:>6}  event, in {}\n", "step", scope_text(check.scope()));
  for (const auto& [depth, name] : rows)
    out += depth == ~std::uint64_t{0} ? fmt::format("{:>6}  {}\n", "-", name) : fmt::format("{:>6}  {}\n", depth, name);
  return {exit_ok, out + fmt::format("looked at: {}\n", found.note)};
}

}  // namespace

action add_depths(CLI::App& app) {
  auto options = std::make_shared<depths_options>();
  app.add_option("MODEL", options->model, "name or file")->required();
  add_selection(app, options->what, false);
  app.add_option("--depth", options->depth, "steps to look at; without, and 0: until no run is longer")->check(not_whole);
  app.add_option("--timeout", options->timeout, "seconds; 0: no limit")->check(not_seconds);
  return [options](catalogue& inputs) { return run_depths(inputs, *options); };
}

}  // namespace quiesce::cli
