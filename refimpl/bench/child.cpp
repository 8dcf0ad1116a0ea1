// SPDX-License-Identifier: MIT
#include "refimpl/bench/child.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <system_error>

namespace quiesce::bench {

namespace {

using clock = std::chrono::steady_clock;

void write_all(int fd, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) _exit(1);
    done += static_cast<std::size_t>(n);
  }
}

[[noreturn]] void be_child(int fd, const std::function<json()>& work, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // it ended before the request was in place
  json answer;
  try {
    answer["value"] = work();
  } catch (const std::exception& problem) {
    answer["failure"] = problem.what();
  }
  write_all(fd, answer.dump());
  _exit(0);
}

// What the child wrote until it closed its end; false at the deadline.
bool read_until(int fd, clock::time_point deadline, std::string& text) {
  char buffer[65536];
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - clock::now()).count();
    if (left <= 0) return false;
    pollfd p{fd, POLLIN, 0};
    const int ready = poll(&p, 1, static_cast<int>(std::min<long long>(left, 60'000)));
    if (ready < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "poll");
    if (ready <= 0) continue;
    const ssize_t n = read(fd, buffer, sizeof buffer);
    if (n == 0) return true;
    if (n > 0) text.append(buffer, static_cast<std::size_t>(n));
    if (n < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "read");
  }
}

int reap(pid_t child, rusage& usage) {
  int status = 0;
  while (wait4(child, &status, 0, &usage) < 0)
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "wait4");
  return status;
}

}  // namespace

child_outcome run_in_child(const std::function<json()>& work, double limit_s) {
  int ends[2];
  if (pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) {
    const int why = errno;
    close(ends[0]);
    close(ends[1]);
    throw std::system_error(why, std::generic_category(), "fork");
  }
  if (child == 0) {
    close(ends[0]);
    be_child(ends[1], work, parent);
  }
  close(ends[1]);
  const auto deadline = clock::now() + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(limit_s));
  std::string text;
  const bool ended = read_until(ends[0], deadline, text);
  if (!ended) kill(child, SIGKILL);
  close(ends[0]);
  rusage usage{};
  const int status = reap(child, usage);
  child_outcome out;
  out.peak_rss_mb = static_cast<double>(usage.ru_maxrss) / 1024;
  if (!ended) {
    out.failure = fmt::format("stopped after {:g} s", limit_s);
  } else if (WIFSIGNALED(status)) {
    out.failure = fmt::format("ended by signal {}", WTERMSIG(status));
  } else if (const json answer = json::parse(text, nullptr, false); answer.is_discarded()) {
    out.failure = "ended without an answer";
  } else if (answer.contains("failure")) {
    out.failure = answer["failure"].get<std::string>();
  } else {
    out.value = answer["value"];
  }
  return out;
}

}  // namespace quiesce::bench
