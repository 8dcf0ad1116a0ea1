// SPDX-License-Identifier: MIT
// quiesce fmt: the canonical form of models, properties and claims.

#include <CLI/CLI.hpp>

#include "model/cli/verb.hpp"
#include "model/language/parse.hpp"
#include "model/verdict/verdict.hpp"

namespace quiesce::cli {
namespace {

struct fmt_options {
  std::vector<std::string> files;
  bool in_place = false, check = false;
};

outcome run_fmt(catalogue& inputs, const fmt_options& o) {
  outcome out;
  std::vector<std::pair<std::string, std::string>> changed;
  for (const std::string& path : o.files) {
    const std::uint32_t file = inputs.sources().read(path);
    std::string text = language::format(inputs.sources(), file);
    if (o.check || o.in_place) {
      if (text != inputs.sources().text(file)) changed.emplace_back(path, std::move(text));
    } else {
      out.output += text;
    }
  }
  for (const auto& [path, text] : changed) {
    if (o.in_place) write_file(path, text);
    if (o.check) out.output += path + "\n";
  }
  if (o.check && !changed.empty()) out.status = exit_unexpected;
  return out;
}

}  // namespace

action add_fmt(CLI::App& app) {
  auto options = std::make_shared<fmt_options>();
  app.add_option("FILE", options->files, "models, properties, claims")->required();
  auto* in_place = app.add_flag("-i,--in-place", options->in_place, "rewrite the files");
  app.add_flag("--check", options->check, "print the names of files that are not in canonical form; exit 10 if any")->excludes(in_place);
  return [options](catalogue& inputs) { return run_fmt(inputs, *options); };
}

}  // namespace quiesce::cli
