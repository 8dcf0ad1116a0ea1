// SPDX-License-Identifier: MIT
#include "model/export/interval.hpp"

#include <algorithm>

namespace quiesce::exporting {

using ir::op;

namespace {

constexpr std::int64_t farthest = std::int64_t{1} << 60;

std::int64_t clamp(__int128 v) {
  return static_cast<std::int64_t>(std::clamp<__int128>(v, -static_cast<__int128>(farthest), farthest));
}

interval product(const interval& a, const interval& b) {
  const __int128 corners[] = {static_cast<__int128>(a.low) * b.low, static_cast<__int128>(a.low) * b.high,
                              static_cast<__int128>(a.high) * b.low, static_cast<__int128>(a.high) * b.high};
  return {clamp(*std::min_element(corners, corners + 4)), clamp(*std::max_element(corners, corners + 4))};
}

interval known(const term& t) {
  const interval all{t->low, t->high};
  return all.within(std::int64_t{1} << 39) ? all : interval{-most_in_temp, most_in_temp};
}

}  // namespace

interval interval_of(const term& t) {
  const bool arithmetic = t->code == op::negate || t->code == op::add || t->code == op::subtract ||
                          t->code == op::multiply || t->code == op::divide || t->code == op::minimum ||
                          t->code == op::maximum || t->code == op::select;
  if (!arithmetic || t->constant())
    return t->code == op::temp || t->code == op::unwrap ? known(t) : interval{t->low, t->high};
  const std::size_t first = t->code == op::select ? 1 : 0;
  const interval a = interval_of(t->kids[first]);
  const interval b = t->kids.size() > first + 1 ? interval_of(t->kids[first + 1]) : a;
  switch (t->code) {
    case op::negate:
      return {-a.high, -a.low};
    case op::add:
      return {clamp(a.low + b.low), clamp(a.high + b.high)};
    case op::subtract:
      return {clamp(a.low - b.high), clamp(a.high - b.low)};
    case op::multiply:
      return product(a, b);
    case op::divide:  // by a positive constant, of a non-negative number
      return {0, std::max<std::int64_t>(0, a.high)};
    case op::minimum:
      return {std::min(a.low, b.low), std::min(a.high, b.high)};
    case op::maximum:
      return {std::max(a.low, b.low), std::max(a.high, b.high)};
    default:
      return {std::min(a.low, b.low), std::max(a.high, b.high)};
  }
}

}  // namespace quiesce::exporting
