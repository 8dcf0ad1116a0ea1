// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "model/cli/verb.hpp"
#include "model/verdict/verdict.hpp"

namespace quiesce::cli {
namespace {

struct verb {
  const char* name;
  const char* summary;
  action (*add)(CLI::App&);   // null: not in this version
};

constexpr verb verbs[] = {
    {"check", "check claims, or properties of a model", add_check},
    {"list", "models, variants, properties, claims or events", add_list},
    {"fmt", "print the canonical form of files", add_fmt},
    {"reductions", "what each reduction of the state space brings, and that none changes an answer", add_reductions},
    {"simulate", "run a model step by step", add_simulate},
    {"replay", "follow a run that check or simulate wrote", add_replay},
    {"dump", "print the lowered system", add_dump},
    {"export", "a model for other tools: Promela, Murphi, Graphviz", add_export},
    {"depths", "after how many steps each event of a model can happen first", add_depths},
    {"prove", "prove claims about any number of elements", add_prove},
    {"certify", "explore a claim's finite scope to its end, and write its certificate", add_certify},
    {"recheck", "check certificates again, by a program of its own", add_recheck},
    {"cite", "one result as plain text for a mail", add_cite},
    {"conform", "the reference stack against the properties, on random scenarios", add_conform},
    {"trace", "what recordings of a kernel show, judged and compared with the model", add_trace},
    {"record", "record the running kernel's notifications, for trace", add_record},
    {"bench", "the measurements of the threads, variants side by side", add_bench},
};

// QUIESCE_DATA, else the data installed beside the program, else the checkout it was built from.
std::string data_root() {
  namespace fs = std::filesystem;
  if (const char* chosen = std::getenv("QUIESCE_DATA"); chosen && *chosen) return chosen;
  std::error_code failed;
  const fs::path self = fs::read_symlink("/proc/self/exe", failed);
  const fs::path installed = self.parent_path().parent_path() / "share" / "quiesce";
  if (!failed && fs::exists(installed / "properties", failed)) return installed.string();
  return QUIESCE_SOURCE_DIR;
}

// A descriptor 0, 1 or 2 that is closed would be given to the next file that is opened.
void occupy_standard_descriptors() {
  for (int fd = 0; fd <= 2; ++fd)
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
      const int opened = open("/dev/null", O_RDWR);
      if (opened >= 0 && opened != fd) {
        dup2(opened, fd);
        close(opened);
      }
    }
}

// False where stdout cannot take the text. A reader that went away is not an error.
bool print(const std::string& text) {
  errno = 0;
  const bool whole = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (whole || errno == EPIPE) return true;
  log(fmt::format("quiesce: error: the results cannot be written: {}", std::generic_category().message(errno)));
  return false;
}

int run_action(const action& act) {
  catalogue inputs(data_root());
  try {
    const outcome done = act(inputs);
    return print(done.output) ? done.status : combine(done.status, exit_internal);
  } catch (const diagnostic& problem) {
    if (problem.has_place)
      fmt::print(stderr, "{}", language::render(inputs.sources(), problem));
    else
      fmt::print(stderr, "quiesce: error: {}\n{}", problem.sentence, problem.hint.empty() ? "" : "hint: " + problem.hint + "\n");
    return problem.usage ? exit_usage : exit_input;
  }
}

int refuse(const char* name) {
  log(fmt::format("quiesce: error: {} is not available in this version", name));
  return exit_usage;
}

int parse_and_run(int argc, char** argv) {
  CLI::App app("quiesce checks the ordering rules of Linux net_device teardown", "quiesce");
  app.set_version_flag("--version", "quiesce " QUIESCE_VERSION);
  app.require_subcommand(1);
  std::vector<std::pair<CLI::App*, action>> actions;
  for (const verb& v : verbs) {
    if (!v.add && argc > 1 && std::string(argv[1]) == v.name) return refuse(v.name);
    if (!v.add) continue;
    CLI::App* sub = app.add_subcommand(v.name, v.summary);
    action act = v.add(*sub);
    actions.emplace_back(sub, std::move(act));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app.get_subcommands();
    return print(chosen.empty() ? app.help() : chosen[0]->help()) ? exit_ok : exit_internal;
  } catch (const CLI::CallForVersion&) {
    return print(app.version() + "\n") ? exit_ok : exit_internal;
  } catch (const CLI::ParseError& problem) {
    log(fmt::format("quiesce: error: {}\nhint: `quiesce --help` and `quiesce VERB --help` say what there is", problem.what()));
    return exit_usage;
  }
  for (const auto& [sub, act] : actions)
    if (sub->parsed()) return run_action(act);
  return exit_usage;
}

}  // namespace
}  // namespace quiesce::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  quiesce::cli::occupy_standard_descriptors();
  try {
    return quiesce::cli::parse_and_run(argc, argv);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "quiesce: internal error: %s\n", problem.what());
    return quiesce::exit_internal;
  }
}
