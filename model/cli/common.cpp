// SPDX-License-Identifier: MIT
// What the verbs share: selecting a model, output files, logs.

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "model/cli/verb.hpp"
#include "model/verdict/applicable.hpp"
#include "model/verdict/check.hpp"

namespace quiesce::cli {
namespace {

std::pair<std::string, std::string> split(const std::string& text, const char* flag, const char* form) {
  const std::size_t at = text.find('=');
  if (at == std::string::npos || at == 0 || at + 1 == text.size() || text.find('=', at + 1) != std::string::npos)
    usage_error(fmt::format("{} {}: expected {}", flag, text, form));
  return {text.substr(0, at), text.substr(at + 1)};
}

void add_size(const std::string& item, std::map<std::string, std::int64_t>& scope) {
  const auto [name, text] = split(item, "--scope", "NAME=NUMBER,...");
  if (text == "any") {
    if (!scope.emplace(name, any_number).second) usage_error(fmt::format("--scope gives '{}' twice", name));
    return;
  }
  std::int64_t value = 0;
  const auto [stop, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed == std::errc::invalid_argument || stop != text.data() + text.size())
    usage_error(fmt::format("--scope {}: '{}' is not a number", item, text));
  if (failed != std::errc()) throw diagnostic(fmt::format("--scope {}: {} is beyond every bound", item, text));
  if (!scope.emplace(name, value).second) usage_error(fmt::format("--scope gives '{}' twice", name));
}

}  // namespace

void usage_error(std::string sentence, std::string hint) {
  diagnostic problem(std::move(sentence), std::move(hint));
  problem.usage = true;
  throw problem;
}

void refuse_given(const CLI::App& app, const std::vector<std::string>& names, const std::string& why) {
  for (const std::string& name : names)
    if (app.count(name) > 0) usage_error(name + " " + why);
}

std::string not_whole(const std::string& text) {
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  return digits ? "" : fmt::format("{} is not a whole number from 0 on", text);
}

std::string not_seconds(const std::string& text) {
  double value = -1;
  const auto [stop, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool good = failed == std::errc() && stop == text.data() + text.size() && std::isfinite(value) && value >= 0;
  return good ? "" : fmt::format("{} is not a number of seconds", text);
}

void add_selection(CLI::App& app, selection& to, bool with_properties) {
  app.add_option("--variant", to.variants, "variant of the model; repeatable")->allow_extra_args(false);
  app.add_option("--option", to.options, "NAME=VALUE: set an option on top of the variant; repeatable")
      ->allow_extra_args(false);
  app.add_option("--scope", to.scopes, "sizes and bounds: dev=2,net=1; repeatable")->allow_extra_args(false);
  app.add_option("--environment", to.environment, "environment that calls the model's operations");
  if (!with_properties) return;
  app.add_option("--properties", to.property_files, "a further file of properties; repeatable")->allow_extra_args(false);
}

instance instance_of(const selection& from) {
  instance out;
  out.environment = from.environment;
  for (const std::string& text : from.options) {
    const auto [name, value] = split(text, "--option", "NAME=VALUE");
    if (!out.options.emplace(name, value).second) usage_error(fmt::format("--option gives '{}' twice", name));
  }
  for (const std::string& list : from.scopes) {
    std::size_t start = 0;
    while (start <= list.size()) {
      const std::size_t end = std::min(list.find(',', start), list.size());
      add_size(list.substr(start, end - start), out.scope);
      start = end + 1;
    }
  }
  return out;
}

void add_property_files(catalogue& inputs, const selection& from) {
  for (const std::string& path : from.property_files) inputs.add_properties(path);
}

std::string one_variant(const selection& from, const model_entry& model, const std::string& verb) {
  if (from.variants.size() > 1) usage_error(verb + " takes one --variant");
  if (!from.variants.empty()) return from.variants[0];
  const std::vector<std::string> all = variant_names(model);
  return all.size() == 1 ? all[0] : "";
}

const model_entry& model_named(catalogue& inputs, const std::string& text) {
  const std::string path = inputs.model_path(text);
  if (!path.empty()) return inputs.model(path);
  std::error_code ignored;
  if (std::filesystem::exists(text, ignored)) return inputs.model(text);
  std::vector<std::string> names;
  for (const std::string& p : inputs.model_paths()) names.push_back(std::filesystem::path(p).stem().string());
  const std::string near = nearest(text, names);
  throw diagnostic(fmt::format("no model is called '{}', and there is no such file", text),
                   near.empty() ? "`quiesce list models` prints their names" : fmt::format("did you mean '{}'?", near));
}

const claim_entry* claim_named(catalogue& inputs, const std::string& name) {
  const auto all = inputs.all_claims();
  const auto at = std::find_if(all.begin(), all.end(), [&](const claim_entry* c) { return c->claim.name == name; });
  return at == all.end() ? nullptr : *at;
}

question one_question(catalogue& inputs, const selection& from, const std::string& model,
                      const std::vector<std::string>& properties, const std::string& verb) {
  if (!from.property_files.empty() && properties.empty())
    usage_error("--properties alone has no effect here", "--property NAME says which of them is watched");
  add_property_files(inputs, from);
  question out;
  out.settings = instance_of(from);
  out.model = &model_named(inputs, model);
  out.settings.variant = one_variant(from, *out.model, verb);
  for (const std::string& name : properties) out.properties.push_back(&inputs.property(name));
  return out;
}

namespace {

// A device, a pipe or a socket is written into; a file is replaced as a whole.
bool is_written_in_place(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto kind = std::filesystem::status(path, ignored).type();
  using enum std::filesystem::file_type;
  return kind == character || kind == block || kind == fifo || kind == socket;
}

bool written(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  return static_cast<bool>(out);
}

}  // namespace

void write_file(const std::string& given, const std::string& text) {
  std::error_code failed;
  const std::filesystem::path resolved = std::filesystem::weakly_canonical(given, failed);  // what a link names is replaced
  const std::string path = failed || !std::filesystem::is_symlink(given) ? given : resolved.string();
  const bool in_place = is_written_in_place(path);
  const std::string temporary = in_place ? path : fmt::format("{}.{}.tmp", path, getpid());
  failed.clear();
  const bool complete = written(temporary, text);
  if (complete && !in_place) std::filesystem::rename(temporary, path, failed);
  if (complete && !failed) return;
  std::error_code ignored;
  if (!in_place) std::filesystem::remove(temporary, ignored);
  throw diagnostic(fmt::format("{}: cannot be written", given), "is its directory there, and writable?");
}

void log(const std::string& text) { fmt::print(stderr, "{}\n", text); }

void log_progress(const std::string& text) {
  static const bool terminal = isatty(STDERR_FILENO) == 1;
  if (terminal) fmt::print(stderr, "\r\033[K{}", text);
}

}  // namespace quiesce::cli
