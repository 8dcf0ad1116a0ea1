// SPDX-License-Identifier: MIT
#pragma once
// The texts that a run has read, numbered, so that a source_range can be turned back into file, line and column.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "properties/diagnostic.hpp"

namespace quiesce::language {

struct position { std::uint32_t line = 1; std::uint32_t column = 1; };  // counted from 1; column in bytes

class source_set {
 public:
  // Reads a file. Throws diagnostic: missing, a directory, not readable, larger than 1 MiB, holds a NUL byte or invalid UTF-8, empty.
  std::uint32_t read(const std::string& path);
  std::uint32_t add(std::string path, std::string text);   // a text from elsewhere, no checks
  const std::string& path(std::uint32_t file) const;
  std::string_view text(std::uint32_t file) const;
  position locate(std::uint32_t file, std::uint32_t offset) const;
  std::string_view line(std::uint32_t file, std::uint32_t line) const;   // without its end

 private:
  struct entry { std::string path, text; std::vector<std::uint32_t> line_starts; };
  std::vector<entry> files_;
};

// path:line:column: error: sentence / the source line / carets under the exact span / hint: …   Ends with a newline.
std::string render(const source_set&, const diagnostic&);

}  // namespace quiesce::language
