// SPDX-License-Identifier: MIT
#include "model/verdict/verdict.hpp"

#include <algorithm>
#include <array>

namespace quiesce {

exit_status status_of(verdict_kind kind) {
  switch (kind) {
    case verdict_kind::holds: return exit_ok;
    case verdict_kind::violated: return exit_violated;
    case verdict_kind::deadlock: return exit_deadlock;
    case verdict_kind::vacuous: return exit_vacuous;
    case verdict_kind::unknown: return exit_unknown;
  }
  return exit_internal;
}

exit_status status_of(const verdict& v) {
  return v.liveness && v.kind == verdict_kind::violated ? exit_liveness : status_of(v.kind);
}

int combine(int a, int b) {
  static constexpr std::array<int, 10> order = {exit_internal, exit_input,    exit_usage,   exit_unexpected, exit_violated,
                                                exit_deadlock, exit_liveness, exit_vacuous, exit_unknown,    exit_ok};
  return *std::find_if(order.begin(), order.end() - 1, [&](int status) { return status == a || status == b; });
}

const char* name(verdict_kind kind) {
  switch (kind) {
    case verdict_kind::holds: return "HOLDS";
    case verdict_kind::violated: return "VIOLATED";
    case verdict_kind::deadlock: return "DEADLOCK";
    case verdict_kind::vacuous: return "VACUOUS";
    case verdict_kind::unknown: return "UNKNOWN";
  }
  return "?";
}

const char* name(ast::expectation expected) {
  switch (expected) {
    case ast::expectation::holds: return "holds";
    case ast::expectation::violated: return "violated";
    case ast::expectation::deadlock: return "deadlock";
    case ast::expectation::vacuous: return "vacuous";
    case ast::expectation::unknown: return "unknown";
  }
  return "?";
}

bool meets(ast::expectation expected, verdict_kind kind) {
  switch (expected) {
    case ast::expectation::holds: return kind == verdict_kind::holds;
    case ast::expectation::violated: return kind == verdict_kind::violated;
    case ast::expectation::deadlock: return kind == verdict_kind::deadlock;
    case ast::expectation::vacuous: return kind == verdict_kind::vacuous;
    case ast::expectation::unknown: return kind == verdict_kind::unknown;
  }
  return false;
}

}  // namespace quiesce
