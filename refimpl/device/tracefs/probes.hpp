// SPDX-License-Identifier: MIT
#pragma once
// Definitions of kprobe events for a kernel that has no notifier:notifier_run or where more is wanted (namespaces, grace
// periods, FIB flushes): lines for tracefs' kprobe_events, with the positions of arguments and the offsets of fields of that
// kernel. They are printed, not installed: kprobe_events belongs to the whole machine.

#include <string>
#include <vector>

#include "refimpl/device/rtnetlink/answer.hpp"

namespace quiesce::tracefs {

struct probe_list {
  std::vector<std::string> definitions;
  std::vector<std::string> notes;    // lines that a recording needs as comments: numbers that differ between kernels
  std::vector<std::string> missing;  // functions that this kernel has not, or has inlined, or whose arguments do not fit
};

// From the kernel's type information: /sys/kernel/btf/vmlinux, or a file with a .BTF section or raw BTF. errors: -ENOENT and
// others as libbpf gives them; -EINVAL where a structure lacks a field that is needed.
rtnetlink::answer probe_definitions(const std::string& btf_file, probe_list& out);

}  // namespace quiesce::tracefs
