// SPDX-License-Identifier: MIT
#pragma once
// A test of the program as one file: input files, command lines, and what must come out.
//
//   file NAME            a file in an empty directory; its lines follow, each behind "| " (or "|" for an empty line)
//   run COMMAND          by /bin/sh in that directory, `quiesce` being the program; stdin is /dev/null
//   exit N               exit status of the last `run`; required
//   stdout empty         also stderr
//   stdout has TEXT      a line contains TEXT
//   stdout lacks TEXT    no line contains TEXT
//   stdout line REGEX    a whole line matches
//   stdout last REGEX    the last line matches
//   creates NAME         the commands leave this file; any other new file is a failure

#include <string>
#include <vector>

namespace quiesce::test {

struct expectation {
  std::string stream, check, text;
  int line = 0;
};

struct command {
  std::string text;
  int line = 0;
  int status = -1;   // -1: `exit` is missing
  std::vector<expectation> expected;
};

struct case_file {
  std::vector<std::pair<std::string, std::string>> files;
  std::vector<command> commands;
  std::vector<std::string> creates;
};

// Throws std::runtime_error for what is not a case.
case_file parse_case(const std::string& text);

// One line for each thing that is not as it should be.
std::vector<std::string> run_case(const case_file&);

}  // namespace quiesce::test
