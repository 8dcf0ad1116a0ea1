// SPDX-License-Identifier: MIT
#include "model/explicit/native_cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <vector>

#include "model/explicit/sha256.hpp"

extern char** environ;

namespace quiesce {

const char* const native_flags = "-O2 -shared -fPIC -fno-exceptions -fno-rtti -w";

namespace {

constexpr std::size_t hash_length = 64;
const std::string mark = "\nquiesce ";

std::string read_all(int fd) {
  std::string out;
  char block[1 << 16];
  off_t at = 0;
  for (ssize_t n; (n = pread(fd, block, sizeof block, at)) > 0; at += n) out.append(block, static_cast<std::size_t>(n));
  return out;
}

// Of this user, and nobody else may write it.
bool private_to_us(const struct stat& s) { return s.st_uid == geteuid() && (s.st_mode & (S_IWGRP | S_IWOTH)) == 0; }

std::string own_directory() {
  const char* base = std::getenv("XDG_CACHE_HOME");
  if (base && base[0] == '/') return std::string(base) + "/quiesce";
  const char* home = std::getenv("HOME");
  return home && home[0] == '/' ? std::string(home) + "/.cache/quiesce" : "";
}

// Runs the compiler without a shell, its output nowhere. Its exit status, -1: it could not run.
int run(const std::string& path, const std::string& from, const std::string& to, child_process& process) {
  std::vector<std::string> words = {path};
  std::string flags = native_flags;
  for (std::size_t at = 0; at <= flags.size();) {
    const std::size_t end = std::min(flags.find(' ', at), flags.size());
    words.push_back(flags.substr(at, end - at));
    at = end + 1;
  }
  for (const char* w : {"-x", "c++", "-o"}) words.push_back(w);
  words.push_back(to);
  words.push_back(from);
  std::vector<char*> arguments;
  for (std::string& w : words) arguments.push_back(w.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  for (int fd : {1, 2}) posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t how;  // a process group of its own: what the compiler starts ends with it
  posix_spawnattr_init(&how);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&how, 0);
  pid_t pid = 0;
  const int failed = posix_spawn(&pid, path.c_str(), &actions, &how, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&how);
  if (failed) return -1;
  process.started(pid);
  // Left as it ended until nobody can send it a signal any more, so that its number is not used for another process.
  siginfo_t how_it_ended{};
  while (waitid(P_PID, static_cast<id_t>(pid), &how_it_ended, WEXITED | WNOWAIT) < 0 && errno == EINTR) {}
  process.ended();
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

void child_process::cancel() {
  std::lock_guard hold(lock_);
  cancelled_ = true;
  if (pid_ > 0) kill(-pid_, SIGKILL);
}

void child_process::started(int pid) {
  std::lock_guard hold(lock_);
  pid_ = pid;
  if (cancelled_) kill(-pid_, SIGKILL);
}

void child_process::ended() {
  std::lock_guard hold(lock_);
  pid_ = 0;
}

compiler_identity find_compiler() {
  const char* path = std::getenv("PATH");
  const std::string all = path ? path : "/usr/bin:/bin";
  for (std::size_t at = 0; at <= all.size();) {
    const std::size_t end = std::min(all.find(':', at), all.size());
    const std::string file = all.substr(at, end - at) + "/c++";
    at = end + 1;
    struct stat s {};
    if (file[0] != '/' || access(file.c_str(), X_OK) != 0 || stat(file.c_str(), &s) != 0 || !S_ISREG(s.st_mode)) continue;
    std::error_code none;
    const std::string real = std::filesystem::canonical(file, none).string();
    return {file, fmt::format("{} {} {}.{}", real, s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec)};
  }
  return {};
}

std::optional<native_cache> native_cache::open() {
  const std::string directory = own_directory();
  if (directory.empty()) return std::nullopt;
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(directory).parent_path(), failed);
  mkdir(directory.c_str(), 0700);
  struct stat s {};
  if (lstat(directory.c_str(), &s) != 0 || !S_ISDIR(s.st_mode) || !private_to_us(s)) return std::nullopt;
  return native_cache(directory);
}

int native_cache::find(const std::string& key) const {
  const int fd = ::open((directory_ + "/" + key + ".so").c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return -1;
  struct stat s {};
  if (fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && private_to_us(s)) {
    const std::string bytes = read_all(fd);
    const std::size_t tail = mark.size() + hash_length;
    if (bytes.size() > tail) {
      const std::string object = bytes.substr(0, bytes.size() - tail);
      if (bytes.compare(object.size(), std::string::npos, mark + sha256_hex(object)) == 0) {
        futimens(fd, nullptr);  // used now, for prune()
        return fd;
      }
    }
  }
  close(fd);
  return -1;
}

std::string native_cache::make(const std::string& key, const std::string& text, const std::string& compiler_path,
                               child_process& process) const {
  std::string scratch = directory_ + "/make.XXXXXX";
  if (!mkdtemp(scratch.data())) return fmt::format("{}: {}", directory_, std::strerror(errno));
  const std::string source = scratch + "/steps.cpp", object = scratch + "/steps.so";
  std::string problem;
  std::ofstream(source, std::ios::binary) << text;
  const int status = run(compiler_path, source, object, process);
  if (status != 0) {
    problem = status < 0 ? "the compiler could not run" : fmt::format("the compiler ended with status {}", status);
  } else {
    std::ifstream in(object, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    std::ofstream out(object, std::ios::binary | std::ios::app);
    out << mark << sha256_hex(bytes);
    out.close();
    if (!out || chmod(object.c_str(), 0600) != 0 || rename(object.c_str(), (directory_ + "/" + key + ".so").c_str()) != 0)
      problem = fmt::format("{}: the compiled steps could not be written", directory_);
  }
  std::error_code ignored;
  std::filesystem::remove_all(scratch, ignored);
  return problem;
}

}  // namespace quiesce
