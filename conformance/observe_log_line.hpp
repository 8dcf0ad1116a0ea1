// SPDX-License-Identifier: MIT
#pragma once
// Lines of the kernel log.

#include <cstdint>
#include <string_view>

namespace quiesce::observe {

// "<4>[   15.554483] text": the text and the time; a line without a time stamp is all text.
struct log_line {
  std::int64_t time = -1;  // nanoseconds
  std::string_view text;
};
log_line parse_log_line(std::string_view line);

// The notifier-logging module:
//   ND 120 hi ev=10:NETDEV_GOING_DOWN if=d0 idx=2 net=4026532146 up=1 reg=1 group=7
//   ND 137 inet6addr ev=2 if=d0 addr=2001:db8::1 net=4026532146     ND 119 batch_del begin group=7     ND 1077 hold if=d1
struct module_record {
  std::uint64_t sequence = 0;
  std::string_view what;  // hi, lo, inetaddr, inet6addr, hold, put, batch_del, batch_close
  std::string_view rest;  // of a batch mark: begin, end, after
  std::uint64_t event = 0;
  std::string_view event_name, device;
  std::int32_t ifindex = 0;
  std::uint64_t net = 0;
  int up = -1, state = -1;  // IFF_UP; reg_state (1 registered, 2 unregistering, 3 unregistered); -1: not shown
};
bool is_module_record(std::string_view text);
bool parse_module_record(std::string_view text, module_record& out);

// unregister_netdevice: waiting for d1 to become free. Usage count = 2
bool parse_waiting(std::string_view text, std::string_view& device, std::int64_t& count);
// ref_tracker: eth%d@ff11000005c46e00 has 1/1 users at      leaked reference.
bool parse_tracker(std::string_view text, std::string_view& what);
//      dev_hold+0x12/0x40 [module]
bool parse_tracker_frame(std::string_view text, std::string_view& function);

}  // namespace quiesce::observe
