// SPDX-License-Identifier: MIT
// The table of formats, which of them a file is, and reading it.

#include <fmt/format.h>

#include <vector>

#include "conformance/observe_builder.hpp"
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
  if (head.empty()) throw diagnostic(fmt::format("{}: the file is empty", path));
  throw diagnostic(fmt::format("{}: the format of the trace is not recognised", path),
                   fmt::format("--input-format says which it is: {}", all_names()));
}

// "# kernel: 6.1.192" in the comments of a text format.
void note_kernel(std::string_view line, source_summary& summary) {
  constexpr std::string_view mark = "# kernel: ";
  if (line.starts_with(mark) && summary.kernel.empty()) summary.kernel = line.substr(mark.size());
}

}  // namespace

std::string printable(std::string_view text, std::size_t most) {
  std::string out;
  for (char c : text.substr(0, most)) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      out += c;
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
  summary.kernel = options.kernel;
  const auto line = [&](std::string_view text, std::uint64_t number, bool complete) {
    ++summary.lines;
    if (!text.empty() && text.front() == '#') note_kernel(text, summary);
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
  out.summary = summary;
  return out;
}

}  // namespace quiesce::observe
