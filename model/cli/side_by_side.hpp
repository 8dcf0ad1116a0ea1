// SPDX-License-Identifier: MIT
#pragma once
// Several pieces of work at a time, each in a process of its own: what works on them need not be safe with threads.

#include <functional>
#include <optional>
#include <string>

namespace quiesce::cli {

// Calls work(0) ... work(count - 1) in child processes, at most `most` at a time, and take(i, its result) here, in order of
// i. What a child says on stderr appears before its result is taken. nullopt: it threw or ended otherwise; whoever wants to
// know why calls work(i) here. The caller must have no threads.
void side_by_side(std::size_t count, std::size_t most, const std::function<std::string(std::size_t)>& work,
                  const std::function<void(std::size_t, std::optional<std::string>)>& take);

}  // namespace quiesce::cli
