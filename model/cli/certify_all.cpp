// SPDX-License-Identifier: MIT
#include "model/cli/certify_all.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "model/cli/side_by_side.hpp"
#include "model/verdict/claim.hpp"
#include "model/verdict/exhaustive.hpp"

namespace quiesce::cli {
namespace {

namespace fs = std::filesystem;

// About a finite scope, and expected to hold.
std::vector<const claim_entry*> finite_claims(catalogue& inputs, const std::vector<std::string>& models) {
  std::vector<const claim_entry*> out;
  for (const claim_entry* c : inputs.all_claims()) {
    if (c->claim.expect != ast::expectation::holds) continue;
    if (!models.empty() && std::find(models.begin(), models.end(), c->claim.model) == models.end()) continue;
    const instance settings = settings_of(c->claim);
    const auto any = [](const auto& size) { return size.second == any_number; };
    if (std::none_of(settings.scope.begin(), settings.scope.end(), any)) out.push_back(c);
  }
  return out;
}

// "+" and the certificate in one line, or "-" and why there is none; "!" where the verdict is not the expected one.
std::string one_line(catalogue& inputs, const claim_entry& claim, const certify_all_options& o) {
  limits most = o.most;
  most.threads = 1;
  try {
    const exhaustive_result r = certify_exhaustive(inputs, claim, most, {});
    const verdict& v = r.found.verdicts[0];
    if (r.written.id.empty())
      return (r.found.complete ? "!" : "-") + (v.reason.empty() ? std::string(name(v.kind)) : v.reason);
    const fs::path folder = fs::path(o.out) / claim.claim.name;
    if (!fs::exists(folder / "certificate.json")) return '+' + nlohmann::json::parse(r.written.json).dump();
    write_exhaustive_certificate(folder.string(), r.written.core, r.written.json);
    return "=";
  } catch (const diagnostic& problem) {
    return '-' + problem.sentence;
  }
}

struct table {
  std::string lines, why_not;
  std::size_t listed = 0, folders = 0, without = 0;
};

}  // namespace

void write_exhaustive_certificate(const std::string& folder, const std::string& core, const std::string& json) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) throw diagnostic(fmt::format("{}: cannot be created", folder), failed.message());
  write_file((fs::path(folder) / "core").string(), core);
  write_file((fs::path(folder) / "certificate.json").string(), json);
}

outcome certify_all(catalogue& inputs, const certify_all_options& o) {
  std::error_code failed;
  fs::create_directories(o.out, failed);
  if (failed) throw diagnostic(fmt::format("{}: cannot be created", o.out), failed.message());
  const std::vector<const claim_entry*> claims = finite_claims(inputs, o.models);
  if (claims.empty()) throw diagnostic("no claim about a finite scope of these models should hold");
  std::map<std::string, table> tables;
  outcome out;
  const auto take = [&](std::size_t i, std::optional<std::string> result) {
    const ast::claim& c = claims[i]->claim;
    if (!result || result->empty()) result = one_line(inputs, *claims[i], o);
    log_progress(fmt::format("{} of {} claims", i + 1, claims.size()));
    table& t = tables[c.model];
    const std::string text = result->substr(1) + '\n';
    if (result->front() == '+') {
      t.lines += text;
      ++t.listed;
    } else if (result->front() == '=') {
      ++t.folders;
    } else {
      t.why_not += c.name + ": " + text;
      ++t.without;
      if (result->front() == '!') out.status = combine(out.status, exit_unexpected);
    }
  };
  const unsigned most = o.threads ? o.threads : std::max(1u, std::thread::hardware_concurrency());
  side_by_side(
      claims.size(), most, [&](std::size_t i) { return one_line(inputs, *claims[i], o); }, take);
  for (const auto& [model, t] : tables) {
    if (t.listed > 0) write_file((fs::path(o.out) / (model + ".jsonl")).string(), t.lines);
    write_file((fs::path(o.out) / (model + ".without")).string(), t.why_not);
    out.output += fmt::format("{}: {} certificates in the table, {} in folders, {} claims without\n", model, t.listed,
                              t.folders, t.without) +
                  t.why_not;
  }
  return out;
}

}  // namespace quiesce::cli
