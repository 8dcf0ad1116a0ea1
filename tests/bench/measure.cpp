// SPDX-License-Identifier: MIT
#include "tests/bench/measure.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <regex>
#include <stdexcept>

namespace quiesce::bench {

namespace {

double seconds(const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6; }

[[noreturn]] void become(const std::string& command, const std::string& directory, const std::string& output) {
  setpgid(0, 0);
  const int out = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), in = open("/dev/null", O_RDONLY);
  if (out < 0 || in < 0 || chdir(directory.c_str()) != 0) _exit(126);
  dup2(in, 0);
  dup2(out, 1);
  dup2(out, 2);
  execl("/bin/sh", "sh", "-c", ("exec " + command).c_str(), static_cast<char*>(nullptr));
  _exit(127);
}

}  // namespace

run_result run_command(const std::string& command, const std::string& directory, double limit_s) {
  using clock = std::chrono::steady_clock;
  run_result out;
  const std::string output = directory + "/output";
  const auto begun = clock::now();
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process can be made");
  if (child == 0) become(command, directory, output);
  int status = 0;
  rusage used{};
  const auto elapsed = [&] { return std::chrono::duration<double>(clock::now() - begun).count(); };
  while (wait4(child, &status, WNOHANG, &used) == 0) {
    if (elapsed() > limit_s) kill(-child, SIGKILL);
    usleep(elapsed() < 1 ? 2000 : 20000);
  }
  out.wall_s = elapsed();
  out.cpu_s = seconds(used.ru_utime) + seconds(used.ru_stime);
  out.peak_bytes = static_cast<std::uint64_t>(used.ru_maxrss) * 1024;
  out.finished = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  std::ifstream in(output, std::ios::binary);
  out.output.assign((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  return out;
}

double median(std::vector<double> all) {
  if (all.empty()) return 0;
  std::sort(all.begin(), all.end());
  const std::size_t half = all.size() / 2;
  return all.size() % 2 ? all[half] : (all[half - 1] + all[half]) / 2;
}

std::uint64_t number_before(const std::string& text, const std::string& words) {
  const std::regex wanted("([0-9]+) " + words);
  std::uint64_t out = 0;
  for (std::sregex_iterator i(text.begin(), text.end(), wanted), end; i != end; ++i) out = std::stoull((*i)[1]);
  return out;
}

}  // namespace quiesce::bench
