// SPDX-License-Identifier: MIT
#pragma once
// Recordings of tests/data/traces as lines, and reports on texts.

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "conformance/observe_input.hpp"
#include "conformance/observe_trace.hpp"
#include "tests/support/repository.hpp"

namespace quiesce::test {

using lines = std::vector<std::string>;

// Without the line that counts the records, so that a changed recording is one that a recorder could have made.
inline lines recording(const std::string& name) {
  observe::byte_source bytes((repository() / "tests/data/traces" / name).string());
  lines out;
  observe::each_line(bytes, {}, [&](std::string_view text, std::uint64_t, bool) { out.emplace_back(text); });
  std::erase_if(out, [](const std::string& l) { return l.starts_with("# entries-in-buffer"); });
  return out;
}

class temporary_file {
 public:
  explicit temporary_file(const std::string& text) {
    char name[] = "/tmp/quiesce_trace_XXXXXX";
    fd_ = mkstemp(name);
    path_ = name;
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~temporary_file() {
    ::close(fd_);
    std::filesystem::remove(path_);
  }
  const std::string& path() const { return path_; }

 private:
  int fd_;
  std::string path_;
};

inline std::string joined(const lines& all, const std::string& end = "\n") {
  std::string out;
  for (const std::string& l : all) out += l + end;
  return out;
}

inline catalogue& inputs() {
  static catalogue all(repository().string());
  return all;
}

inline observe::trace_report report_on(const std::string& text, const std::string& kernel = "6.1",
                                       const observe::trace_options& more = {}) {
  const temporary_file file(text);
  observe::trace_options options = more;
  options.kernel = kernel;
  return observe::report_on(inputs(), file.path(), options);
}

inline observe::trace_report report_on_recording(const std::string& name) {
  observe::trace_options options;
  options.kernel = name.starts_with("q61") ? "6.1" : "6.18";
  return observe::report_on(inputs(), (repository() / "tests/data/traces" / name).string(), options);
}

inline const observe::rule_result& rule(const observe::trace_report& r, const std::string& name) {
  for (const auto& one : r.rules)
    if (one.property->name == name) return one;
  throw std::out_of_range(name);
}

// The n-th line, from 0, that has all the parts.
inline std::size_t find_line(const lines& all, const std::vector<std::string>& parts, std::size_t n = 0) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto has = [&](const std::string& p) { return all[i].find(p) != std::string::npos; };
    if (std::all_of(parts.begin(), parts.end(), has) && n-- == 0) return i;
  }
  throw std::out_of_range(parts.front());
}

// The logging module numbers its records; a gap would be a loss.
inline void renumber(lines& all) {
  int next = 100;
  for (std::string& l : all)
    if (const std::size_t at = l.find("] ND "); at != std::string::npos) {
      const std::size_t end = l.find(' ', at + 5);
      l = l.substr(0, at + 5) + std::to_string(next++) + l.substr(end);
    }
}

}  // namespace quiesce::test
