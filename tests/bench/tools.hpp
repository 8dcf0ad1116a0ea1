// SPDX-License-Identifier: MIT
#pragma once
// The programs that are measured side by side. One is one line in tools().

#include <cstdint>
#include <string>
#include <vector>

#include "tests/bench/measure.hpp"

namespace quiesce::bench {

// A system in the languages of the tools. `hand_written`: options of the compiler for hand_written.cpp; empty: there is
// none.
struct subject {
  std::string name, model, properties, property, promela, murphi, hand_written;
  unsigned table_bits = 22;  // of tables that are made once: two places for each state at least
};

struct tool {
  const char* name;
  const char* option;  // what makes it this one of several of a program
  // Writes what it needs into the directory and builds it: the command to measure. Empty: it cannot do this subject.
  std::string (*prepare)(const tool&, const subject&, const std::string& directory);
  const char* states;  // regular expressions behind the numbers in what it prints
  const char* transitions;
  bool slow;  // not for systems of ten million states
};

const std::vector<tool>& tools();

// Where they are.
struct places {
  std::string quiesce, source;  // the program, the root of the checkout
};
places& where();

}  // namespace quiesce::bench
