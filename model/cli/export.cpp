// SPDX-License-Identifier: MIT
// quiesce export: a model in one scope, with the monitors of properties, for another tool.

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "model/cli/verb.hpp"
#include "model/export/export.hpp"
#include "model/verdict/check.hpp"

namespace quiesce::cli {
namespace {

struct export_verb {
  selection what;
  std::string model, to, out;
  std::vector<std::string> properties;
  exporting::export_options how;
  const CLI::App* given = nullptr;
};

const exporting::writer& writer_named(const std::string& name) {
  std::string all;
  for (const exporting::writer& w : exporting::writers()) {
    if (w.name == name) return w;
    all += (all.empty() ? "" : ", ") + std::string(w.name);
  }
  usage_error(fmt::format("there is no format '{}' to export to", name), "there are " + all);
}

std::string title_of(const export_verb& o, const prepared_check& check) {
  std::string out = o.model;
  if (!check.asked().settings.variant.empty()) out += " " + check.asked().settings.variant;
  out += ", " + scope_text(check.scope());
  for (const std::string& p : o.properties) out += ", " + p;
  for (char& c : out)
    if (c == '\n') c = ' ';
  return out;
}

outcome run_export(catalogue& inputs, const export_verb& o) {
  const exporting::writer& to = writer_named(o.to);
  if (o.how.symmetry && !to.symmetry) usage_error(fmt::format("{} has no --symmetry", o.to));
  if (o.to != "dot") refuse_given(*o.given, {"--max-states"}, "belongs to --to dot");
  const prepared_check check(inputs, one_question(inputs, o.what, o.model, o.properties, "export"));
  if (check.asked_response())
    throw diagnostic(check.asked().properties[0]->property.where, "a property with `leads to` is not exported",
                     "it is about runs without end: `quiesce check` decides it");
  exporting::export_options how = o.how;
  how.title = title_of(o, check);
  std::string text = to.write(check.system(), how);
  if (o.out.empty()) return {exit_ok, std::move(text)};
  write_file(o.out, text);
  return {exit_ok, ""};
}

}  // namespace

action add_export(CLI::App& app) {
  auto options = std::make_shared<export_verb>();
  app.add_option("MODEL", options->model, "name or file")->required();
  app.add_option("--to", options->to, "promela, murphi or dot")->required();
  add_selection(app, options->what);
  app.add_option("--property", options->properties, "with the monitor of this property; repeatable")
      ->allow_extra_args(false);
  app.add_flag("--symmetry", options->how.symmetry, "murphi: sorts whose elements are interchangeable as scalarsets");
  app.add_option("--max-states", options->how.max_states, "dot: refuse more than this many states")->check(not_whole);
  app.add_option("--out", options->out, "write to this file instead of the standard output");
  options->given = &app;
  return [options](catalogue& inputs) { return run_export(inputs, *options); };
}

}  // namespace quiesce::cli
