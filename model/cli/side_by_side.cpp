// SPDX-License-Identifier: MIT
#include "model/cli/side_by_side.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <deque>

namespace quiesce::cli {
namespace {

struct child {
  pid_t pid = -1;
  std::FILE* result = nullptr;
  std::FILE* said = nullptr;
};

[[noreturn]] void run(const child& c, std::size_t i, const std::function<std::string(std::size_t)>& work) {
  dup2(fileno(c.said), STDERR_FILENO);
  int status = 1;
  try {
    const std::string text = work(i);
    const bool written = std::fwrite(text.data(), 1, text.size(), c.result) == text.size();
    if (written && std::fflush(c.result) == 0) status = 0;
  } catch (...) {  // the parent asks again
  }
  std::fflush(stderr);
  _exit(status);
}

child start(std::size_t i, const std::function<std::string(std::size_t)>& work) {
  child c{-1, std::tmpfile(), std::tmpfile()};
  std::fflush(stdout);
  std::fflush(stderr);
  if (c.result && c.said) c.pid = fork();
  if (c.pid == 0) run(c, i, work);
  return c;
}

std::string all_of(std::FILE* file) {
  std::string out;
  char buffer[4096];
  std::rewind(file);
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) out.append(buffer, n);
  return out;
}

std::optional<std::string> result_of(const child& c) {
  int status = 1;
  const bool good = c.pid > 0 && waitpid(c.pid, &status, 0) == c.pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  std::optional<std::string> out;
  if (good) {
    const std::string said = all_of(c.said);
    std::fwrite(said.data(), 1, said.size(), stderr);
    out = all_of(c.result);
  }
  for (std::FILE* file : {c.result, c.said})
    if (file) std::fclose(file);
  return out;
}

}  // namespace

void side_by_side(std::size_t count, std::size_t most, const std::function<std::string(std::size_t)>& work,
                  const std::function<void(std::size_t, std::optional<std::string>)>& take) {
  std::deque<child> running;
  std::size_t started = 0;
  for (std::size_t i = 0; i < count; ++i) {
    while (started < count && running.size() < most) running.push_back(start(started++, work));
    std::optional<std::string> result = result_of(running.front());
    running.pop_front();
    take(i, std::move(result));
  }
}

}  // namespace quiesce::cli
