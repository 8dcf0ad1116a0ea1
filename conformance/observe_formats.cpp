// SPDX-License-Identifier: MIT
// The table of formats, which of them a file is, and reading it.

#include <fmt/format.h>

#include <vector>

#include "conformance/observe_builder.hpp"
#include "conformance/observe_decidable.hpp"
#include "conformance/observe_format_list.hpp"
#include "conformance/observe_input.hpp"
#include "properties/diagnostic.hpp"

namespace quiesce::observe {
namespace {

constexpr std::size_t head_size = 1 << 16;

std::string read_head(byte_source& from) {
  std::string head(head_size, '\0');
  std::size_t filled = 0;
  while (filled < head.size()) {
    const std::size_t got = from.read(head.data() + filled, head.size() - filled);
    if (got == 0) break;
    filled += got;
  }
  head.resize(filled);
  return head;
}

std::string all_names() {
  std::string names;
  for (const format& f : formats()) names += (names.empty() ? "" : ", ") + std::string(f.name);
  return names;
}

const format& chosen(const std::string& path, std::string_view head, const observe_options& options) {
  const format* found = options.format.empty() ? detect(head) : format_named(options.format);
  if (found) return *found;
  if (!options.format.empty()) throw diagnostic(fmt::format("there is no trace format '{}'", options.format), all_names());
  if (head.empty()) throw diagnostic(fmt::format("{}: the file is empty", path), "--input-format says of what it is one");
  throw diagnostic(fmt::format("{}: the format of the trace is not recognised", path),
                   fmt::format("--input-format says which it is: {}", all_names()));
}

// "# kernel: 6.1.192" in the comments of a text format.
class kernel_notes {
 public:
  kernel_notes(event_builder& to, std::string asked) : to_(to), asked_(std::move(asked)) { to_.kernel(asked_); }
  void line(std::string_view text, std::uint64_t number) {
    constexpr std::string_view mark = "# kernel: ";
    if (!text.starts_with(mark)) return;
    const std::string said(text.substr(mark.size()));
    const kernel_version version = parse_version(said);
    if (!version.known()) return to_.remark_at(number, "not a version of Linux: " + printable(said));
    if (said_.empty() && asked_.empty()) to_.kernel(said);
    if (!asked_.empty() && version != parse_version(asked_))
      to_.remark_at(number, fmt::format("the recording is of kernel {}; it is judged as one of {}, as --kernel says",
                                        printable(said), printable(asked_)));
    if (asked_.empty() && !said_.empty() && !to_.summary().kernel.empty() && version != parse_version(said_)) {
      to_.remark_at(number,
                    fmt::format("the recording is of kernel {} and of kernel {}: --kernel says as which it is judged",
                                printable(said_), printable(said)));
      to_.kernel("");
      return;
    }
    if (said_.empty()) said_ = said;
  }

 private:
  event_builder& to_;
  std::string asked_, said_;
};

}  // namespace

namespace {

// Bytes of the UTF-8 character that begins there, if it is one that prints; else 0.
std::size_t printing(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t n = first >= 0xf0 && first < 0xf5 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (n == 0 || first >= 0xf5) return 0;
  for (std::size_t i = 1; i < n; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  return first == 0xc2 && byte(1) < 0xa0 ? 0 : n;  // control characters of Latin 1
}

}  // namespace

std::string printable(std::string_view text, std::size_t most) {
  std::string out;
  const std::string_view shown = text.substr(0, most);
  for (std::size_t i = 0; i < shown.size();) {
    const std::size_t n = printing(shown.substr(i));
    if (n == 0)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(shown[i++]));
    else
      out += shown.substr(i, n), i += n;
  }
  return text.size() > most ? out + "..." : out;
}

const std::vector<format>& formats() {
  static const std::vector<format> table = {tracefs_format(), kernel_log_format(), ip_monitor_format(), bpftrace_format(),
                                            rtnetlink_format()};
  return table;
}

const format* detect(std::string_view head) {
  const format* best = nullptr;
  int most = 0;
  for (const format& f : formats())
    if (const int fit = f.fits(head); fit > most) {
      best = &f;
      most = fit;
    }
  return best;
}

const format* format_named(std::string_view name) {
  for (const format& f : formats())
    if (name == f.name) return &f;
  return nullptr;
}

observed_source observe_file(const std::string& path, const observe_options& options, event_builder& builder) {
  byte_source bytes(path);
  const std::string head = read_head(bytes);
  const format& as = chosen(path, head, options);
  observed_source out;
  out.by = as.make(builder);
  if (options.opened) options.opened(*out.by);
  source_summary& summary = builder.summary();
  summary.format = as.name;
  kernel_notes notes(builder, options.kernel);
  const auto line = [&](std::string_view text, std::uint64_t number, bool complete) {
    ++summary.lines;
    if (!text.empty() && text.front() == '#') notes.line(text, number);
    if (complete) return out.by->line(text, number);
    if (text.size() >= longest_line) return builder.unread(number, "the line is longer than a mebibyte");
    summary.cut = true;
    builder.remark_at(number, "the last line has no end; it may be cut off and is not used");
  };
  if (as.binary)
    each_message(bytes, head, [&](std::string_view m, std::uint64_t number, bool complete) { line(m, number, complete); });
  else
    each_line(bytes, head, line);
  out.by->end();
  builder.flush();
  for (std::size_t k = 0; k < seen_kinds; ++k) summary.shown[k] = out.by->shows(static_cast<seen>(k));
  out.summary = summary;
  return out;
}

}  // namespace quiesce::observe
