// SPDX-License-Identifier: MIT
#pragma once
// A flow of control of the stack: a thread, a fiber of a controlled run, or a softirq. Owns its stack of open spans.

#include <cstdint>
#include <string>
#include <vector>

namespace quiesce::refimpl {

struct task {
  task(std::uint32_t number, std::string label) : id(number), name(std::move(label)) {}
  std::uint32_t id;
  std::string name;
  std::vector<std::uint32_t> spans;  // innermost last; 0 is never a span
  unsigned operation_depth = 0;      // public operations that the task is inside of
  bool callback_threw = false;       // during the outermost of them
  std::uint32_t innermost() const { return spans.empty() ? 0 : spans.back(); }
};

}  // namespace quiesce::refimpl
