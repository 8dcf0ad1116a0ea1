// SPDX-License-Identifier: MIT
#include "conformance/observe_input.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <lzma.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

#include "properties/diagnostic.hpp"

namespace quiesce::observe {
namespace {

constexpr std::size_t block = 1 << 18;
constexpr unsigned char xz_magic[] = {0xfd, '7', 'z', 'X', 'Z', 0};

}  // namespace

struct byte_source::state {
  std::string path;
  int fd = -1;
  bool started = false, compressed = false, ended = false, input_ended = false;
  lzma_stream decoder = LZMA_STREAM_INIT;
  std::vector<char> input = std::vector<char>(block);
  std::size_t at = 0, filled = 0;

  ~state() {
    if (compressed) lzma_end(&decoder);
    if (fd > 0) ::close(fd);
  }

  void fill() {
    at = 0;
    ssize_t got = 0;
    do got = ::read(fd, input.data(), input.size());
    while (got < 0 && errno == EINTR);
    if (got < 0) throw diagnostic(fmt::format("{}: {}", path, std::generic_category().message(errno)));
    filled = static_cast<std::size_t>(got);
    input_ended = got == 0;
  }

  void start() {
    started = true;
    fill();
    // Short first reads of a pipe: enough bytes to tell the magic number.
    while (!input_ended && filled < sizeof xz_magic) {
      const ssize_t got = ::read(fd, input.data() + filled, input.size() - filled);
      if (got <= 0) break;
      filled += static_cast<std::size_t>(got);
    }
    compressed = filled >= sizeof xz_magic && std::memcmp(input.data(), xz_magic, sizeof xz_magic) == 0;
    if (compressed && lzma_stream_decoder(&decoder, std::uint64_t{256} << 20, LZMA_CONCATENATED) != LZMA_OK)
      throw diagnostic(fmt::format("{}: the .xz decoder cannot be started", path));
  }

  std::size_t plain(char* to, std::size_t capacity) {
    if (at == filled) fill();
    const std::size_t n = std::min(capacity, filled - at);
    std::memcpy(to, input.data() + at, n);
    at += n;
    return n;
  }

  std::size_t unpacked(char* to, std::size_t capacity) {
    decoder.next_out = reinterpret_cast<std::uint8_t*>(to);
    decoder.avail_out = capacity;
    while (decoder.avail_out == capacity && !ended) {
      if (at == filled && !input_ended) fill();
      decoder.next_in = reinterpret_cast<const std::uint8_t*>(input.data() + at);
      decoder.avail_in = filled - at;
      const lzma_ret result = lzma_code(&decoder, input_ended ? LZMA_FINISH : LZMA_RUN);
      at = filled - decoder.avail_in;
      ended = result == LZMA_STREAM_END;
      if (result != LZMA_OK && result != LZMA_STREAM_END)
        throw diagnostic(fmt::format("{}: the .xz data is damaged or cut off", path), "`xz --test` says more");
    }
    return capacity - decoder.avail_out;
  }
};

byte_source::byte_source(const std::string& path) : state_(std::make_unique<state>()) {
  state_->path = path == "-" ? "standard input" : path;
  state_->fd = path == "-" ? 0 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (state_->fd < 0) throw diagnostic(fmt::format("{}: {}", path, std::generic_category().message(errno)));
}

byte_source::~byte_source() = default;
byte_source::byte_source(byte_source&&) noexcept = default;

std::size_t byte_source::read(char* to, std::size_t capacity) {
  if (!state_->started) state_->start();
  return state_->compressed ? state_->unpacked(to, capacity) : state_->plain(to, capacity);
}

void each_line(byte_source& from, std::string_view already_read,
               const std::function<void(std::string_view, std::uint64_t, bool)>& each) {
  std::vector<char> buffer(longest_line + block);
  std::size_t filled = already_read.size();
  std::memcpy(buffer.data(), already_read.data(), filled);
  std::uint64_t number = 0;
  bool skipping = false;  // the rest of a line that was too long
  const auto line = [&](std::string_view text, bool complete) {
    if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
    if (!skipping) each(text, ++number, complete);
  };
  for (;;) {
    std::size_t start = 0;
    while (const void* end = std::memchr(buffer.data() + start, '\n', filled - start)) {
      const std::size_t stop = static_cast<std::size_t>(static_cast<const char*>(end) - buffer.data());
      line({buffer.data() + start, stop - start}, true);
      skipping = false;
      start = stop + 1;
    }
    if (filled - start >= longest_line) {
      line({buffer.data() + start, longest_line}, false);
      skipping = true;
      start = filled;
    }
    std::memmove(buffer.data(), buffer.data() + start, filled - start);
    filled -= start;
    const std::size_t got = from.read(buffer.data() + filled, buffer.size() - filled);
    if (got == 0) break;
    filled += got;
  }
  if (filled > 0) line({buffer.data(), filled}, false);
}

}  // namespace quiesce::observe
