// SPDX-License-Identifier: MIT
#pragma once
// quiesce certify --all: a line in a table for each claim about a finite scope that holds.

#include <string>
#include <vector>

#include "model/cli/verb.hpp"
#include "model/verdict/check.hpp"

namespace quiesce::cli {

struct certify_all_options {
  std::string out;                  // directory of the tables
  unsigned threads = 0;             // claims at a time; 0: one for each core
  limits most;                      // of each claim
  std::vector<std::string> models;  // empty: all that claims are about
};

// Writes OUT/MODEL.jsonl (unless it would be empty), one certificate without its core in a line, OUT/MODEL.without, one line
// for each claim that has none and why, and again all certificates that have a folder in OUT; claims in the order of their
// files. The status tells of claims that do not hold as they should.
outcome certify_all(catalogue&, const certify_all_options&);

// The whole of a certificate appears in the folder, or nothing does.
void write_exhaustive_certificate(const std::string& folder, const std::string& core, const std::string& json);

}  // namespace quiesce::cli
