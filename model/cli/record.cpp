// SPDX-License-Identifier: MIT
// quiesce record: a trace of the running kernel's netdevice notifications, for quiesce trace.

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>

#include "model/cli/verb.hpp"
#include "model/verdict/verdict.hpp"
#include "refimpl/device/rtnetlink/capabilities.hpp"
#include "refimpl/device/rtnetlink/link_recorder.hpp"
#include "refimpl/device/tracefs/probes.hpp"
#include "refimpl/device/tracefs/trace_instance.hpp"

namespace quiesce::cli {
namespace {

struct record_options {
  std::string output = "quiesce.trace", links, mode = "one", btf = "/sys/kernel/btf/vmlinux";
  std::vector<std::string> command;
  double seconds = 0;
  unsigned buffer_mb = 16;
  bool probes = false, even_if_failed = false;
};

void must(const rtnetlink::answer& a) {
  if (!a) throw diagnostic(a.text, a.code == EACCES || a.code == EPERM ? "recording needs root" : "");
}

outcome print_probes(const record_options& o) {
  tracefs::probe_list list;
  must(tracefs::probe_definitions(o.btf, list));
  std::string text = "# quiesce: kprobe events, for /sys/kernel/tracing/kprobe_events; offsets from " + o.btf + "\n";
  for (const std::string& d : list.definitions) text += d + "\n";
  for (const std::string& n : list.notes) text += "# " + n + "\n";
  if (!list.notes.empty()) text += "# the line above belongs into the recording, where quiesce trace looks for it\n";
  for (const std::string& f : list.missing) text += "# not in this kernel, or inlined: " + f + "\n";
  return {exit_ok, text};
}

// Interrupts and the end of the child as a descriptor, so that nothing is lost between looking and waiting.
class ending {
 public:
  ending() {
    sigemptyset(&set_);
    for (const int s : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&set_, s);
    sigprocmask(SIG_BLOCK, &set_, &before_);
    fd_ = signalfd(-1, &set_, SFD_CLOEXEC);
  }
  ~ending() {
    close(fd_);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  ending(const ending&) = delete;

  pid_t run(const std::vector<std::string>& command) {
    std::vector<char*> arguments;
    for (const std::string& a : command) arguments.push_back(const_cast<char*>(a.c_str()));
    arguments.push_back(nullptr);
    const pid_t parent = getpid(), child = fork();
    if (child != 0) return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
    dup2(STDERR_FILENO, STDOUT_FILENO);  // results are on stdout
    execvp(arguments[0], arguments.data());
    fmt::print(stderr, "quiesce: error: {}: {}\n", arguments[0], std::strerror(errno));
    _exit(127);
  }

  // Until a signal, the end of `child` (if there is one), or `seconds` (0: for ever); `heard` is called whenever there is
  // something to read from `other` (-1: never). The wait status of the child, or 0.
  int wait(pid_t child, double seconds, int other, const std::function<void()>& heard) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    for (;;) {
      const double left = std::chrono::duration<double>(until - std::chrono::steady_clock::now()).count();
      if (seconds > 0 && left <= 0) return 0;
      pollfd p[] = {{fd_, POLLIN, 0}, {other, POLLIN, 0}};
      if (poll(p, 2, seconds > 0 ? static_cast<int>(std::min(left * 1000 + 1, 1e9)) : -1) <= 0) continue;
      if (p[1].revents != 0) heard();
      if (p[0].revents == 0) continue;
      signalfd_siginfo signal{};
      if (read(fd_, &signal, sizeof signal) != sizeof signal) continue;
      if (signal.ssi_signo != SIGCHLD) return 0;
      int status = 0;
      if (child > 0 && waitpid(child, &status, WNOHANG) == child) return status;
    }
  }

 private:
  sigset_t set_{}, before_{};
  int fd_ = -1;
};

// A file under a temporary name until it is whole.
class new_file {
 public:
  explicit new_file(const std::string& path)
      : path_(checked(path)), temporary_(fmt::format("{}.{}.tmp", path_, getpid())), stream_(temporary_, std::ios::binary) {
    if (!stream_) fail();
  }
  ~new_file() { std::remove(temporary_.c_str()); }
  new_file(const new_file&) = delete;
  std::ofstream& stream() { return stream_; }
  void finish() {
    stream_.flush();
    if (!stream_ || std::rename(temporary_.c_str(), path_.c_str()) != 0) fail();
  }

 private:
  // What a link names is replaced; a device or a pipe cannot be.
  static std::string checked(const std::string& path) {
    std::error_code failed;
    if (std::filesystem::exists(path, failed) && !std::filesystem::is_regular_file(path, failed))
      throw diagnostic(fmt::format("{}: not a regular file", path), "a recording replaces a file as a whole");
    return std::filesystem::is_symlink(path, failed) ? std::filesystem::weakly_canonical(path).string() : path;
  }

  [[noreturn]] void fail() const { throw diagnostic(fmt::format("{}: {}", path_, std::strerror(errno))); }
  std::string path_, temporary_;
  std::ofstream stream_;
};

// Straight to the file: a recording may be larger than memory wants to be.
std::uint64_t save(const tracefs::trace_instance& from, const std::string& path) {
  new_file file(path);
  std::uint64_t records = 0;
  file.stream() << "# kernel: " << rtnetlink::this_kernel().release << '\n';
  must(from.read([&](std::string_view piece) {
    for (std::size_t at = 0; (at = piece.find("notifier_run: ", at)) != piece.npos; ++at) ++records;
    file.stream().write(piece.data(), static_cast<std::streamsize>(piece.size()));
  }));
  file.finish();
  return records;
}

// The link messages of the time of the recording, if they are wanted.
class link_messages {
 public:
  explicit link_messages(const std::string& path) {
    if (path.empty()) return;
    file_.emplace(path);
    must(from_.start());
  }
  int fd() const { return from_.fd(); }
  void take() {
    if (file_) must(from_.take(file_->stream()));
  }
  // What is said of them, written or not; `lost` if the kernel dropped some.
  std::string finish(bool& lost) {
    if (!file_) return {};
    take();
    file_->finish();
    lost = lost || from_.overruns() > 0;
    return fmt::format("recorded {} link messages; lost: {}\n", from_.messages(),
                       from_.overruns() > 0 ? fmt::format("some, {} times", from_.overruns()) : "0");
  }

 private:
  std::optional<new_file> file_;
  rtnetlink::link_recorder from_;
};

// Both are replaced as a whole.
void check_files(const record_options& o) {
  for (const std::string* file : {&o.output, &o.links})
    if (*file == "-") usage_error("record writes files, not to standard output");
  std::error_code failed;
  const auto where = [&](const std::string& f) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(f), failed);
  };
  if (!o.links.empty() && where(o.links) == where(o.output)) usage_error("--output and --links are the same file");
}

outcome run_record(const record_options& o, const CLI::App& given) {
  if (o.probes) {
    refuse_given(given, {"--output", "--links", "--mode", "--seconds", "--buffer", "--even-if-failed", "COMMAND"},
                 "has no effect with --probes: nothing is recorded");
    return print_probes(o);
  }
  refuse_given(given, {"--btf"}, "belongs to --probes");
  if (o.command.empty()) refuse_given(given, {"--even-if-failed"}, "belongs to a COMMAND");
  check_files(o);
  if (o.command.empty() && o.seconds == 0 && isatty(STDERR_FILENO) == 0)
    usage_error("record needs --seconds or a COMMAND where there is no terminal to interrupt it from");
  if (o.command.empty() && o.seconds == 0) log("quiesce: recording until interrupted (Ctrl-C)");
  ending until;
  tracefs::recording_settings settings;
  settings.mode = o.mode == "chain" ? tracefs::recording_mode::whole_chain : tracefs::recording_mode::one_callback;
  settings.buffer_kb = o.buffer_mb * 1024;
  tracefs::trace_instance instance;
  must(instance.open(settings));
  link_messages links(o.links);
  must(instance.start());
  const pid_t child = o.command.empty() ? 0 : until.run(o.command);
  if (child < 0) throw diagnostic(fmt::format("fork: {}", std::strerror(errno)));
  const int status = until.wait(child, o.seconds, links.fd(), [&] { links.take(); });
  must(instance.stop());
  tracefs::loss_counts lost;
  must(instance.losses(lost));
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (code != 0 && !o.even_if_failed)
    throw diagnostic(fmt::format("the command ended with {}; nothing is written", code),
                     "--even-if-failed writes it anyway");
  const std::uint64_t records = save(instance, o.output);
  std::string text = fmt::format("recorded {} runs of {}\nlost: {} (overrun {}, commit overrun {}, dropped {})\n", records,
                                 o.mode == "chain" ? "callbacks" : settings.callback, lost.total(), lost.overrun,
                                 lost.commit_overrun, lost.dropped);
  bool incomplete = lost.total() > 0;
  text += links.finish(incomplete);
  if (code != 0) text += fmt::format("the command ended with {}\n", code);
  text += fmt::format("read it: quiesce trace {}{}\n", o.links.empty() ? "" : "--with " + o.links + " ", o.output);
  return {incomplete || code != 0 ? exit_unknown : exit_ok, text};
}

}  // namespace

action add_record(CLI::App& app) {
  auto options = std::make_shared<record_options>();
  app.add_option("--output", options->output, "the file to write; default: quiesce.trace");
  app.add_option("--links", options->links,
                 "write the link messages of this network namespace to this file: they name the devices");
  app.add_option("--mode", options->mode,
                 "one: the runs of rtnetlink_event, which nothing is lost of; chain: every callback, in order")
      ->check(CLI::IsMember({"one", "chain"}));
  app.add_option("--seconds", options->seconds, "how long; default: until the command ends, or an interrupt")
      ->check([](const std::string& text) {
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        return *end == 0 && std::isfinite(value) && value > 0 && value <= 1e7 ? "" : text + " is no time to record for";
      });
  app.add_option("--buffer", options->buffer_mb, "MB of buffer for each CPU; default: 16")->check(CLI::Range(1u, 1024u));
  app.add_flag("--even-if-failed", options->even_if_failed, "write the recording also if COMMAND fails");
  app.add_flag("--probes", options->probes, "print kprobe definitions for this kernel instead of recording");
  app.add_option("--btf", options->btf, "type information to take offsets from, for --probes");
  app.add_option("COMMAND", options->command, "what to run meanwhile, after --");
  return [options, &app](catalogue&) { return run_record(*options, app); };
}

}  // namespace quiesce::cli
