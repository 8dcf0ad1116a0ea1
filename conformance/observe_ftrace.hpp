// SPDX-License-Identifier: MIT
#pragma once
// One line of a tracefs `trace` file. Kernel: kernel/trace/trace_output.c trace_print_context, print_lat_context.

#include <cstdint>
#include <string_view>
#include <vector>

namespace quiesce::observe {

//          iproute2-153     [000] .....    35.302753: notify: (call_netdevice_notifiers_info+0x0/0x90) event=10 name="d0"
struct ftrace_line {
  std::string_view task;   // iproute2-153
  std::string_view cpu;    // 000
  std::int64_t time = -1;  // nanoseconds
  std::string_view name;   // notify; <stack trace> for a stack's head
  std::string_view text;   // what follows the colon and a blank
};

bool parse_ftrace(std::string_view line, ftrace_line& out);

// CPU:1 [LOST 21231 EVENTS]; 0: the number is not known
bool parse_lost(std::string_view line, std::uint64_t& lost);
// # entries-in-buffer/entries-written: 983/983   #P:2
bool parse_entries(std::string_view line, std::uint64_t& in_buffer, std::uint64_t& written);
//  => unregister_netdevice_many_notify+0x289/0xb10 [module]: the function, with its offset
bool parse_frame(std::string_view line, std::string_view& function);

// The text of a kprobe or kretprobe event. Kernel: kernel/trace/trace_kprobe.c print_kprobe_event, print_kretprobe_event.
//   (function+0x0/0x90 [module]) key=value ...     (caller+0x5f/0x110 <- function) key=value ...
struct probe_text {
  std::string_view function;
  std::string_view caller;  // of a return; empty: an entry
  bool returns = false;
  struct field {
    std::string_view key, value;  // without quotes
  };
  std::vector<field> fields;
  std::string_view value(std::string_view key) const;
  // Absent, or not a number: 0. Decimal or 0x.
  std::uint64_t number(std::string_view key) const;
};
bool is_probe(std::string_view text);                // begins like one
std::string_view probed_function(std::string_view);  // quick: up to '+' behind '('; of a return: behind "<- "
bool parse_probe(std::string_view text, probe_text& out);

// dev=v0 kind=noqueue parent=ffff:ffff ...: the value of one key; empty: none
std::string_view field_of(std::string_view text, std::string_view key);

}  // namespace quiesce::observe
