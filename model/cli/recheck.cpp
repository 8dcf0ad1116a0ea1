// SPDX-License-Identifier: MIT
// quiesce recheck: hands over to quiesce-recheck, for proofs, and quiesce-reexplore, for finite scopes: programs of their
// own that share no code with this one.

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>

#include "model/cli/side_by_side.hpp"
#include "model/cli/verb.hpp"
#include "model/verdict/verdict.hpp"

namespace quiesce::cli {
namespace {

namespace fs = std::filesystem;

struct recheck_options {
  std::vector<std::string> certificates, solvers;
  unsigned seconds = 300;
  bool with_checker = false;
  unsigned threads = 0;
};

bool is_certificate(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "certificate.json", ignored);
}

bool is_table(const std::string& name) { return name.substr(0, name.find('#')).ends_with(".jsonl"); }

// TABLE#CLAIM, where a table has a certificate of the claim.
std::string listed(const fs::path& finite, const std::string& claim) {
  std::error_code ignored;
  for (const fs::directory_entry& e : fs::directory_iterator(finite, ignored)) {
    if (!is_table(e.path().string())) continue;
    std::ifstream in(e.path());
    for (std::string line; std::getline(in, line);)
      if (line.find("\"name\":\"" + claim + '"') != line.npos) return e.path().string() + '#' + claim;
  }
  return {};
}

// Of a scope that was explored; what cannot be read is the other program's to refuse.
bool is_exhaustive(const std::string& name) {
  if (is_table(name)) return true;
  const fs::path folder = name;
  std::ifstream in(folder / "certificate.json");
  const nlohmann::json j = nlohmann::json::parse(in, nullptr, false);
  return j.is_object() && j.contains("method") && j["method"] == "exhaustive search";
}

std::vector<std::string> folders_of(const catalogue& inputs, const recheck_options& o) {
  const fs::path shipped = fs::path(inputs.root()) / "proofs", finite = shipped / "finite";
  std::vector<std::string> out;
  for (const std::string& name : o.certificates) {
    fs::path folder = name;
    for (const fs::path& where : {shipped, finite})
      if (!is_certificate(folder) && is_certificate(where / name)) folder = where / name;
    const std::string line = is_certificate(folder) ? "" : listed(finite, name);
    out.push_back(line.empty() ? folder.string() : line);
  }
  if (!out.empty()) return out;
  std::error_code ignored;
  for (const fs::path& where : {shipped, finite})
    for (const fs::directory_entry& e : fs::directory_iterator(where, ignored))
      if (is_certificate(e.path()) || (where == finite && is_table(e.path().string()))) out.push_back(e.path().string());
  std::sort(out.begin(), out.end());
  if (out.empty()) throw diagnostic(fmt::format("no certificates in {}", shipped.string()));
  return out;
}

int status_of_program(std::vector<std::string> words) {
  std::cout.flush();
  const pid_t child = fork();
  if (child == 0) {
    std::vector<char*> argv;
    for (std::string& w : words) argv.push_back(w.data());
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) == 127)
    throw diagnostic(fmt::format("cannot run {}", words[0]));
  const int ended = WEXITSTATUS(status);
  return ended == exit_ok || ended == exit_violated || ended == exit_usage ? ended : exit_internal;
}

// What the program prints, behind the digit that is the place of its status in this list.
constexpr int statuses[] = {exit_ok, exit_violated, exit_usage, exit_internal};

std::string printed_by(const std::vector<std::string>& words) {
  std::FILE* file = std::tmpfile();
  if (!file || dup2(fileno(file), STDOUT_FILENO) < 0) throw diagnostic("no temporary file");
  const int status = status_of_program(words);
  std::string out(1, static_cast<char>('0' + (std::find(std::begin(statuses), std::end(statuses), status) - statuses)));
  char buffer[4096];
  std::rewind(file);
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) out.append(buffer, n);
  return out;
}

// Each proof by a process of its own, as many at a time as there are processors; printed in order.
void recheck_proofs(const std::vector<std::string>& words, const std::vector<std::string>& folders, outcome& out) {
  const auto with = [&](std::size_t i) {
    std::vector<std::string> all = words;
    all.push_back(folders[i]);
    return all;
  };
  const auto work = [&](std::size_t i) { return printed_by(with(i)); };
  side_by_side(folders.size(), std::max(1u, std::thread::hardware_concurrency()), work,
               [&](std::size_t i, std::optional<std::string> result) {
                 if (!result || result->empty()) {
                   out.status = combine(out.status, status_of_program(with(i)));
                   return;
                 }
                 std::cout << result->substr(1) << std::flush;
                 out.status = combine(out.status, statuses[result->front() - '0']);
               });
}

outcome run_recheck(catalogue& inputs, const recheck_options& o, const CLI::App& given) {
  const fs::path self = fs::read_symlink("/proc/self/exe"), programs = self.parent_path();
  std::vector<std::string> proofs{(programs / "quiesce-recheck").string(), "--timeout", std::to_string(o.seconds)};
  std::vector<std::string> finite{(programs / "quiesce-reexplore").string()};
  const unsigned threads = o.threads ? o.threads : std::max(1u, std::thread::hardware_concurrency());
  finite.insert(finite.end(), {"--threads", std::to_string(threads)});
  for (const std::string& s : o.solvers) proofs.insert(proofs.end(), {"--solver", s});
  if (o.with_checker)
    for (auto* words : {&proofs, &finite}) words->insert(words->end(), {"--with-checker", self.string()});
  const std::size_t finite_words = finite.size();
  std::vector<std::string> folders;
  for (std::string& folder : folders_of(inputs, o)) (is_exhaustive(folder) ? finite : folders).push_back(std::move(folder));
  if (folders.empty())
    refuse_given(given, {"--solver", "--timeout"}, "has no effect: these certificates are explored again, not proved");
  outcome out;
  recheck_proofs(proofs, folders, out);
  if (finite.size() > finite_words) out.status = combine(out.status, status_of_program(finite));
  return out;
}

}  // namespace

action add_recheck(CLI::App& app) {
  auto options = std::make_shared<recheck_options>();
  app.add_option("CERTIFICATE", options->certificates,
                 "folders or tables of certificates, or their names; none: all in proofs/ and proofs/finite/");
  app.add_option("--threads", options->threads, "finite scopes explored at a time (default: one for each core)")
      ->check(not_whole);
  app.add_option("--solver", options->solvers,
                 "z3, cvc5, or a command that reads SMT-LIB 2; repeatable; default: z3 and cvc5")
      ->allow_extra_args(false);
  app.add_option("--timeout", options->seconds, "seconds for one proof and solver; default: 300")
      ->check(CLI::Range(1u, 86400u));
  app.add_flag("--with-checker", options->with_checker,
               "compare the core with the one that the model has now, and explore those of tables");
  return [options, &app](catalogue& inputs) { return run_recheck(inputs, *options, app); };
}

}  // namespace quiesce::cli
