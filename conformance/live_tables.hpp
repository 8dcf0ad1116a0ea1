// SPDX-License-Identifier: MIT
#pragma once
// The tables of a stack and of a kernel as lines that can be compared. A line of the kernel's is what its dump says. A line
// expected from the stack is an entry of the stack's tables as it stands, or comes from a named rule: what a kernel makes by
// itself, or shows in another place. Nothing of the kernel's is left out of the comparison.

#include <map>
#include <string>
#include <vector>

#include "conformance/live_kernel.hpp"
#include "refimpl/net/stack.hpp"

namespace quiesce::conformance {

struct table_rule {
  const char* name;
  const char* sentence;
};
// Every rule by which lines are derived.
const std::vector<table_rule>& table_rules();

struct expected_line {
  std::string rule;      // empty: an entry of the stack
  bool required = true;  // false: it may be there, and nothing else of its kind
};

// The stack's namespaces by the scenario's numbers.
using stack_nets = std::map<net_ref, const refimpl::net*>;
// `made_by_kernel`: what was seen of a kernel that keeps its defaults; its link-local addresses follow from the devices' MAC
// addresses. NULL: the kernel was given the stack's.
std::map<std::string, expected_line> expected_tables(const refimpl::stack& s, const stack_nets& nets,
                                                     const kernel_tables* made_by_kernel = nullptr);
std::vector<std::string> observed_tables(const kernel_tables& t);

// One sentence for each line that is on one side only. Empty: equal.
std::vector<std::string> differences(const std::map<std::string, expected_line>& expected,
                                     const std::vector<std::string>& observed);

}  // namespace quiesce::conformance
