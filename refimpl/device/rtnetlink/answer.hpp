// SPDX-License-Identifier: MIT
#pragma once
// How a request to the running kernel ended, and how long one may take.

#include <chrono>
#include <string>

namespace quiesce::rtnetlink {

// errno of the kernel or of a system call, and a sentence that says what was asked for and, where the kernel gave one, its
// extended acknowledgement. code 0: done.
struct [[nodiscard]] answer {
  int code = 0;
  std::string text;
  explicit operator bool() const { return code == 0; }
};

// answer{errno, "WHAT: text of errno"}.
answer failed(int code, const std::string& what);

// Every wait ends: -ETIMEDOUT at the deadline. RTNL belongs to the whole machine, so that others may make a request wait.
using deadline = std::chrono::steady_clock::time_point;
inline constexpr std::chrono::seconds usual_limit{30};
inline deadline in(std::chrono::milliseconds limit) { return std::chrono::steady_clock::now() + limit; }
// Milliseconds left, rounded up; 0 when it has passed.
int milliseconds_to(deadline when);

}  // namespace quiesce::rtnetlink
