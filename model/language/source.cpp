// SPDX-License-Identifier: MIT
#include "model/language/source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace quiesce::language {
namespace {

constexpr std::size_t size_limit = 1u << 20;

struct descriptor {
  int number = -1;
  ~descriptor() {
    if (number >= 0) ::close(number);
  }
};

[[noreturn]] void fail(const std::string& path, const std::string& why, std::string hint = {}) {
  throw diagnostic(fmt::format("cannot read '{}': {}", path, why), std::move(hint));
}
std::string reason(int error) { return std::generic_category().message(error); }

// The length of the UTF-8 character at `at`, or 0. Rejects overlong forms, surrogates and what is beyond U+10FFFF.
std::size_t character_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u; };
  const auto follows = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xbf) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return follows(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    const bool second = follows(1, lead == 0xe0 ? 0xa0 : 0x80, lead == 0xed ? 0x9f : 0xbf);
    return second && follows(2) ? 3 : 0;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    const bool second = follows(1, lead == 0xf0 ? 0x90 : 0x80, lead == 0xf4 ? 0x8f : 0xbf);
    return second && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

void check_text(const std::string& path, std::string_view text) {
  if (text.empty()) fail(path, "the file is empty");
  std::size_t line = 1;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '\0') fail(path, fmt::format("line {} holds a NUL byte, so it is not a text", line));
    if (text[i] == '\n') ++line;
    const std::size_t length = character_length(text, i);
    if (length == 0) fail(path, fmt::format("line {} is not valid UTF-8", line));
    i += length;
  }
}

// Never waits: a FIFO without a writer opens at once and is refused by its kind.
std::string read_file(const std::string& path) {
  descriptor file{::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)};
  if (file.number < 0) fail(path, errno == ENOENT ? "there is no such file" : reason(errno));
  struct stat status {};
  if (::fstat(file.number, &status) != 0) fail(path, reason(errno));
  if (S_ISDIR(status.st_mode)) fail(path, "it is a directory");
  if (!S_ISREG(status.st_mode)) fail(path, "it is not a regular file");
  if (static_cast<std::uint64_t>(status.st_size) > size_limit)
    fail(path, fmt::format("it has {} bytes; at most {} are read", status.st_size, size_limit));
  std::string text(static_cast<std::size_t>(status.st_size) + 1, '\0');  // one more: it may have grown
  std::size_t length = 0;
  while (length <= size_limit) {
    if (length == text.size()) text.resize(std::min(2 * length, size_limit + 1));
    const ssize_t count = ::read(file.number, text.data() + length, text.size() - length);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(path, reason(errno));
    if (count == 0) break;
    length += static_cast<std::size_t>(count);
  }
  if (length > size_limit) fail(path, fmt::format("it has more than {} bytes", size_limit));
  text.resize(length);
  return text;
}

}  // namespace

std::uint32_t source_set::read(const std::string& path) {
  std::string text = read_file(path);
  check_text(path, text);
  return add(path, std::move(text));
}

std::uint32_t source_set::add(std::string path, std::string text) {
  entry file{std::move(path), std::move(text), {0}};
  for (std::size_t i = 0; i < file.text.size(); ++i)
    if (file.text[i] == '\n') file.line_starts.push_back(static_cast<std::uint32_t>(i + 1));
  files_.push_back(std::move(file));
  return static_cast<std::uint32_t>(files_.size() - 1);
}

const std::string& source_set::path(std::uint32_t file) const { return files_.at(file).path; }
std::string_view source_set::text(std::uint32_t file) const { return files_.at(file).text; }

position source_set::locate(std::uint32_t file, std::uint32_t offset) const {
  const auto& starts = files_.at(file).line_starts;
  const auto next = std::upper_bound(starts.begin(), starts.end(), offset);
  const auto line = static_cast<std::uint32_t>(next - starts.begin());
  return {line, offset - starts[line - 1] + 1};
}

std::string_view source_set::line(std::uint32_t file, std::uint32_t line) const {
  const entry& source = files_.at(file);
  const std::string_view rest = std::string_view(source.text).substr(source.line_starts.at(line - 1));
  std::string_view found = rest.substr(0, rest.find('\n'));
  if (!found.empty() && found.back() == '\r') found.remove_suffix(1);
  return found;
}

}  // namespace quiesce::language
