// SPDX-License-Identifier: MIT
#pragma once
// The formats of the table in observe_formats.cpp, a file each.

#include "conformance/observe.hpp"

namespace quiesce::observe {

format tracefs_format();     // observe_tracefs.cpp: kprobe events, notifier_run with stack traces, qdisc events
format kernel_log_format();  // observe_kernel_log.cpp: the logging module, `waiting for ... to become free`, ref_tracker
format ip_monitor_format();  // observe_ip_monitor.cpp
format bpftrace_format();    // observe_bpftrace.cpp
format rtnetlink_format();   // observe_rtnetlink.cpp: messages as the kernel multicasts them

// For detection: the first lines of a head; the last one, which may be cut, is left out unless it is the only one.
template <typename F>
void for_some_lines(std::string_view head, std::size_t most, F&& each) {
  for (std::size_t n = 0; n < most; ++n) {
    const std::size_t end = head.find('\n');
    if (end == std::string_view::npos && n > 0) return;
    std::string_view line = head.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    each(line);
    if (end == std::string_view::npos) return;
    head.remove_prefix(end + 1);
  }
}

// The beginning of a line as it can be printed.
std::string printable(std::string_view text, std::size_t most = 80);

}  // namespace quiesce::observe
