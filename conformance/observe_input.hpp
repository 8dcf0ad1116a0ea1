// SPDX-License-Identifier: MIT
#pragma once
// Lines and blocks of a file, plain or .xz, in memory that does not grow with it.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace quiesce::observe {

// Bytes of a file or, for `-`, of standard input; decompressed if they are .xz.
class byte_source {
 public:
  // Throws diagnostic: cannot be opened.
  explicit byte_source(const std::string& path);
  ~byte_source();
  byte_source(byte_source&&) noexcept;
  // Up to `capacity` further bytes; 0 at the end. Throws diagnostic: a read error, not a valid .xz.
  std::size_t read(char* to, std::size_t capacity);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

inline constexpr std::size_t longest_line = 1 << 20;

// Calls `each(line, number, complete)` for every line, without '\n' and one '\r' before it. The last one is not complete if
// no
// '\n' ends it. A line beyond longest_line comes as its first longest_line bytes and is not complete.
void each_line(byte_source&, std::string_view already_read,
               const std::function<void(std::string_view, std::uint64_t, bool complete)>& each);

// The same for the netlink messages of a file: header and payload, by the length in the header.
void each_message(byte_source&, std::string_view already_read,
                  const std::function<void(std::string_view, std::uint64_t, bool complete)>& each);

}  // namespace quiesce::observe
