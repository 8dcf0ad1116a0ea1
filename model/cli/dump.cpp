// SPDX-License-Identifier: MIT
// quiesce dump: the lowered system as text.

#include <CLI/CLI.hpp>
#include <algorithm>

#include "model/cli/verb.hpp"
#include "model/system/core.hpp"
#include "model/system/dump.hpp"
#include "model/verdict/check.hpp"

namespace quiesce::cli {
namespace {

struct dump_options {
  selection what;
  std::string model;
  std::vector<std::string> properties;
  bool core = false;
};

outcome run_dump(catalogue& inputs, const dump_options& o) {
  question q = one_question(inputs, o.what, o.model, o.properties, "dump");
  const auto any = [](const auto& size) { return size.second == any_number; };
  if (std::any_of(q.settings.scope.begin(), q.settings.scope.end(), any)) {
    if (!o.core) usage_error("a scope with `any` has a core only: add --core");
    std::vector<const ast::property*> properties;
    for (const property_entry* p : q.properties) properties.push_back(&p->property);
    return {exit_ok, core_text(lower(q.model->loaded, q.settings, properties).program)};
  }
  const prepared_check check(inputs, std::move(q));
  if (check.asked_response())
    throw diagnostic(check.asked().properties[0]->property.where,
                     "a property with `leads to` is no part of the lowered text",
                     "it is about runs without end: `quiesce check` decides it");
  const ir::program& program = check.system().program();
  return {exit_ok, o.core ? core_text(program) : dump(program)};
}

}  // namespace

action add_dump(CLI::App& app) {
  auto options = std::make_shared<dump_options>();
  app.add_option("MODEL", options->model, "name or file")->required();
  app.add_flag("--core", options->core, "the core, a canonical text without processes; otherwise the lowered instructions");
  add_selection(app, options->what);
  app.add_option("--property", options->properties, "with the monitor of this property; repeatable")
      ->allow_extra_args(false);
  return [options](catalogue& inputs) { return run_dump(inputs, *options); };
}

}  // namespace quiesce::cli
