// SPDX-License-Identifier: MIT
#pragma once
// A finite lowered system, with its monitors, written for other tools. A writer is one file and one line in the table.
//
// Same states, same steps: what a writer cannot say it refuses by name.

#include <cstdint>
#include <string>
#include <vector>

#include "model/system/system.hpp"

namespace quiesce::exporting {

struct export_options {
  std::string title;                 // model, variant, scope, properties: one line for the reader
  bool symmetry = false;             // interchangeable elements as such, where the other language has them
  std::uint64_t max_states = 10000;  // of what is written state by state
};

// Throws diagnostic.
std::string write_promela(const transition_system&, const export_options&);
std::string write_murphi(const transition_system&, const export_options&);
std::string write_dot(const transition_system&, const export_options&);

struct writer {
  const char* name;
  const char* summary;
  std::string (*write)(const transition_system&, const export_options&);
  bool symmetry;  // understands export_options::symmetry
};
const std::vector<writer>& writers();

}  // namespace quiesce::exporting
