// SPDX-License-Identifier: MIT
// quiesce recheck: hands over to quiesce-recheck, a program of its own that shares no code with this one.

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <filesystem>

#include "model/cli/verb.hpp"

namespace quiesce::cli {
namespace {

namespace fs = std::filesystem;

struct recheck_options {
  std::vector<std::string> certificates, solvers;
  unsigned seconds = 300;
  bool with_checker = false;
};

bool is_certificate(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "certificate.json", ignored);
}

std::vector<std::string> folders_of(const catalogue& inputs, const recheck_options& o) {
  const fs::path shipped = fs::path(inputs.root()) / "proofs";
  std::vector<std::string> out;
  for (const std::string& name : o.certificates)
    out.push_back(!is_certificate(name) && is_certificate(shipped / name) ? (shipped / name).string() : name);
  if (!out.empty()) return out;
  std::error_code ignored;
  for (const fs::directory_entry& e : fs::directory_iterator(shipped, ignored))
    if (is_certificate(e.path())) out.push_back(e.path().string());
  std::sort(out.begin(), out.end());
  if (out.empty()) throw diagnostic(fmt::format("no certificates in {}", shipped.string()));
  return out;
}

outcome run_recheck(catalogue& inputs, const recheck_options& o) {
  const fs::path self = fs::read_symlink("/proc/self/exe"), program = self.parent_path() / "quiesce-recheck";
  std::vector<std::string> words{program.string(), "--timeout", std::to_string(o.seconds)};
  for (const std::string& s : o.solvers) words.insert(words.end(), {"--solver", s});
  if (o.with_checker) words.insert(words.end(), {"--with-checker", self.string()});
  for (std::string& folder : folders_of(inputs, o)) words.push_back(std::move(folder));
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  execv(program.c_str(), argv.data());
  throw diagnostic(fmt::format("cannot start {}: {}", program.string(), std::strerror(errno)));
}

}  // namespace

action add_recheck(CLI::App& app) {
  auto options = std::make_shared<recheck_options>();
  app.add_option("CERTIFICATE", options->certificates, "folders of certificates, or their names; none: all in proofs/");
  app.add_option("--solver", options->solvers,
                 "z3, cvc5, or a command that reads SMT-LIB 2; repeatable; default: z3 and cvc5")
      ->allow_extra_args(false);
  app.add_option("--timeout", options->seconds, "seconds for one certificate and solver")->check(CLI::Range(1u, 86400u));
  app.add_flag("--with-checker", options->with_checker, "compare the core with the one that the model has now");
  return [options](catalogue& inputs) { return run_recheck(inputs, *options); };
}

}  // namespace quiesce::cli
