// SPDX-License-Identifier: MIT
#include "model/system/ir.hpp"

#include <bit>
#include <stdexcept>

namespace quiesce::ir {

const char* name(error_kind kind) {
  switch (kind) {
    case error_kind::range:
      return "range";
    case error_kind::list_corruption:
      return "list_corruption";
    case error_kind::endless_traversal:
      return "endless_traversal";
    case error_kind::lock_misuse:
      return "lock_misuse";
    case error_kind::value_of_none:
      return "value_of_none";
    case error_kind::assertion:
      return "assertion";
    case error_kind::division:
      return "division";
  }
  return "?";
}

const char* name(bound_kind kind) {
  switch (kind) {
    case bound_kind::recursion:
      return "recursion";
    case bound_kind::capacity:
      return "capacity";
    case bound_kind::horizon:
      return "horizon";
  }
  return "?";
}

namespace {

// The greatest code, so that sets of 64 elements need no special case.
std::uint64_t greatest_code(const program& p, type_id id, int depth) {
  if (id >= p.types.size() || depth > 8) throw std::logic_error("malformed type");
  const type& t = p.types[id];
  switch (t.kind) {
    case type_kind::boolean:
      return 1;
    case type_kind::integer:
      if (t.high < t.low) throw std::logic_error("integer type without values");
      return static_cast<std::uint64_t>(t.high) - static_cast<std::uint64_t>(t.low);
    case type_kind::enumeration:
      if (t.labels.empty()) throw std::logic_error("enumeration without labels");
      return t.labels.size() - 1;
    case type_kind::element:
      // A sort without elements has no values; its variables are never read (tables over it are empty).
      return p.sorts.at(t.sort).element.empty() ? 0 : p.sorts.at(t.sort).element.size() - 1;
    case type_kind::option: {
      std::uint64_t inner = greatest_code(p, t.inner, depth + 1);
      if (inner == ~std::uint64_t{0}) throw std::logic_error("option type of more than 64 bits");
      if (p.types[t.inner].kind == type_kind::element && p.sorts.at(p.types[t.inner].sort).element.empty()) return 0;
      return inner + 1;
    }
    case type_kind::set: {
      std::size_t n = p.sorts.at(t.sort).element.size();
      if (n > 64) throw std::logic_error("set over a sort of more than 64 elements");
      return n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
    }
  }
  throw std::logic_error("malformed type");
}

}  // namespace

std::uint64_t max_code(const program& p, type_id id) { return greatest_code(p, id, 0); }

std::uint32_t bits(const program& p, type_id id) { return static_cast<std::uint32_t>(std::bit_width(max_code(p, id))); }

std::uint64_t element_count(const program& p, const variable& v) {
  std::uint64_t n = 1;
  for (sort_id s : v.index) n *= p.sorts.at(s).element.size();
  return n;
}

std::int64_t low(const program& p, type_id id) {
  const type& t = p.types.at(id);
  return t.kind == type_kind::integer ? t.low : 0;
}

}  // namespace quiesce::ir
