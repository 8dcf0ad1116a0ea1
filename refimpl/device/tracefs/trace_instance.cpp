// SPDX-License-Identifier: MIT
#include "refimpl/device/tracefs/trace_instance.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>

namespace quiesce::tracefs {

namespace {

constexpr std::string_view prefix = "quiesce-record-";

// Its maker holds a lock on the directory, which ends with it however it ends. A number of a process would not do: it may be
// that of a zombie, of another process by now, or of one in another namespace.
int lock(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return -1;
  if (flock(fd, LOCK_EX | LOCK_NB) == 0) return fd;
  ::close(fd);
  return -1;
}

// rmdir of an instance fails while it records.
bool remove_instance(const std::string& path) {
  std::ofstream(path + "/tracing_on") << 0 << std::flush;
  std::ofstream(path + "/events/enable") << 0 << std::flush;
  return rmdir(path.c_str()) == 0;
}

}  // namespace

std::vector<std::string> trace_instance::remove_stale(const std::string& root) {
  std::vector<std::string> removed;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(root + "/instances", failed)) {
    const std::string name = entry.path().filename().string(), path = entry.path().string();
    if (!name.starts_with(prefix)) continue;
    const int fd = lock(path);
    if (fd < 0) continue;
    ::close(fd);
    if (remove_instance(path)) removed.push_back(name);
  }
  return removed;
}

trace_instance::~trace_instance() {
  if (lock_ >= 0) ::close(lock_);
  if (!path_.empty()) remove_instance(path_);
}

answer trace_instance::write(const std::string& file, const std::string& value) const {
  const std::string where = path_ + "/" + file;
  const int fd = ::open(where.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (fd < 0) return rtnetlink::failed(errno, where);
  const bool done = ::write(fd, value.data(), value.size()) == static_cast<ssize_t>(value.size());
  const int code = errno;
  ::close(fd);
  return done ? answer{} : rtnetlink::failed(code, where);
}

answer trace_instance::set_up(const recording_settings& settings) {
  if (answer a = write("tracing_on", "0"); !a) return a;
  if (answer a = write("buffer_size_kb", std::to_string(settings.buffer_kb)); !a) return a;
  if (answer a = write("trace_clock", "mono"); !a) return a;
  for (const char* option : {"options/stacktrace", "options/sym-offset"})
    if (answer a = write(option, "1"); !a) return a;
  if (settings.mode == recording_mode::one_callback)
    if (answer a = write("events/notifier/notifier_run/filter", "cb.function == " + settings.callback); !a) return a;
  if (answer a = write("events/notifier/notifier_run/enable", "1"); !a) return a;
  // Names devices that were up, where the kernel has the event.
  if (answer a = write("events/qdisc/qdisc_destroy/enable", "1"); !a && a.code != ENOENT) return a;
  return {};
}

answer trace_instance::open(const recording_settings& settings) {
  remove_stale(settings.root);
  if (access((settings.root + "/events/notifier/notifier_run").c_str(), F_OK) != 0)
    return {ENOENT, settings.root +
                        "/events/notifier/notifier_run is not there: tracefs is not mounted, or this kernel has no "
                        "such event (then `quiesce record --probes`)"};
  const std::string path = fmt::format("{}/instances/{}{}", settings.root, prefix, getpid());
  if (mkdir(path.c_str(), 0700) < 0) return rtnetlink::failed(errno, path);
  path_ = path;
  lock_ = lock(path_);
  if (lock_ < 0) return rtnetlink::failed(errno, path_ + ": lock");
  return set_up(settings);
}

answer trace_instance::start() { return write("tracing_on", "1"); }
answer trace_instance::stop() { return write("tracing_on", "0"); }

answer trace_instance::losses(loss_counts& out) const {
  out = {};
  std::error_code failed;
  for (const auto& cpu : std::filesystem::directory_iterator(path_ + "/per_cpu", failed)) {
    std::ifstream stats(cpu.path() / "stats");
    std::string line;
    while (std::getline(stats, line)) {
      const std::size_t colon = line.find(": ");
      if (colon == std::string::npos) continue;
      const std::string key = line.substr(0, colon);
      std::uint64_t value = 0;
      std::from_chars(line.data() + colon + 2, line.data() + line.size(), value);
      if (key == "overrun") out.overrun += value;
      if (key == "commit overrun") out.commit_overrun += value;
      if (key == "dropped events") out.dropped += value;
    }
  }
  return failed ? answer{failed.value(), path_ + "/per_cpu: " + failed.message()} : answer{};
}

answer trace_instance::read(const std::function<void(std::string_view)>& piece) const {
  const std::string where = path_ + "/trace";
  const int fd = ::open(where.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return rtnetlink::failed(errno, where);
  std::string buffer(1 << 16, 0);
  for (;;) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    const int code = errno;
    if (got <= 0) {
      ::close(fd);
      return got == 0 ? answer{} : rtnetlink::failed(code, where);
    }
    piece({buffer.data(), static_cast<std::size_t>(got)});
  }
}

}  // namespace quiesce::tracefs
