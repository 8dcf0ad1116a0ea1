// SPDX-License-Identifier: MIT
#pragma once
// What a check says about one property, and nothing more than it may say.
//
//   holds     every reachable state and step of the finite scope was explored and none breaks the property;
//             for `sometimes`: some run reaches it
//   violated  a run breaks it; for `sometimes`: every reachable state was explored and none reaches it
//   deadlock  nothing breaks it, but a state is reachable in which some process waits for ever and nothing can move
//   vacuous   nothing breaks it because its trigger never happens in any run
//   unknown   anything else; `reason` says what stood in the way

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/language/ast.hpp"
#include "model/verdict/trace.hpp"

namespace quiesce {

enum class verdict_kind : std::uint8_t { holds, violated, deadlock, vacuous, unknown };

struct verdict {
  std::string property;
  verdict_kind kind = verdict_kind::unknown;
  std::string reason;                     // unknown: what was reached; vacuous: why, where it is not the trigger
  std::optional<run_text> counterexample;    // violated, deadlock; `sometimes`: the witness
  bool liveness = false;                  // of `leads to`: a counterexample is a run without end
  std::string method;                     // of engines that visit no states: what was done; empty: explicit
  std::string hash;                       // SHA-256 of the input (prepared_check::input_hash), 64 hexadecimal digits
};

// Whatever is asked of a system without runs is vacuous.
inline constexpr const char* no_initial_state = "there is no initial state";

// Exit status of the process.
enum exit_status : int {
  exit_ok = 0, exit_unknown = 2, exit_unexpected = 10, exit_deadlock = 11, exit_violated = 12, exit_liveness = 13,
  exit_vacuous = 14, exit_usage = 64, exit_input = 65, exit_internal = 70
};

exit_status status_of(verdict_kind);
exit_status status_of(const verdict&);  // `leads to` has a status of its own
// The one status of several results: the first of 70, 65, 64, 10, 12, 11, 13, 14, 2 that occurs, else 0.
int combine(int a, int b);

const char* name(verdict_kind);                // HOLDS, VIOLATED, ...
const char* name(ast::expectation);            // holds, violated, ...
bool meets(ast::expectation, verdict_kind);

}  // namespace quiesce
