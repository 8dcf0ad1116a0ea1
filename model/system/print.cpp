// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <stdexcept>

#include "model/system/system.hpp"

namespace quiesce {

namespace {

std::string element_name(const ir::program& p, ir::sort_id s, std::int64_t value) {
  const auto& names = p.sorts.at(s).element;
  if (value < 0 || static_cast<std::uint64_t>(value) >= names.size()) return fmt::format("<{}>", value);
  return names[static_cast<std::size_t>(value)];
}

std::string set_text(const ir::program& p, ir::sort_id s, std::uint64_t value) {
  std::string out = "{";
  for (std::size_t i = 0; i < 64; ++i)
    if (value >> i & 1) out += (out.size() > 1 ? ", " : "") + element_name(p, s, static_cast<std::int64_t>(i));
  return out + "}";
}

}  // namespace

std::string print_value(const ir::program& p, ir::type_id id, std::int64_t value) {
  const ir::type& t = p.types.at(id);
  switch (t.kind) {
    case ir::type_kind::boolean:
      return value == 0 ? "false" : value == 1 ? "true" : fmt::format("<{}>", value);
    case ir::type_kind::integer:
      return std::to_string(value);
    case ir::type_kind::enumeration:
      if (value < 0 || static_cast<std::uint64_t>(value) >= t.labels.size()) return fmt::format("<{}>", value);
      return t.labels[static_cast<std::size_t>(value)];
    case ir::type_kind::element:
      return element_name(p, t.sort, value);
    case ir::type_kind::option:
      return value == 0 ? "none" : print_value(p, t.inner, value - 1 + ir::low(p, t.inner));
    case ir::type_kind::set:
      return set_text(p, t.sort, static_cast<std::uint64_t>(value));
  }
  throw std::logic_error("malformed type");
}

std::int64_t read_variable(const transition_system& s, const word* state, ir::variable_id id,
                           const std::vector<std::uint32_t>& index) {
  const ir::program& p = s.program();
  const ir::variable& v = p.variables.at(id);
  if (index.size() != v.index.size()) throw std::logic_error("read of " + v.name + " with a wrong number of indices");
  std::uint64_t flat = 0;
  for (std::size_t i = 0; i < index.size(); ++i) {
    std::uint64_t size = p.sorts[v.index[i]].element.size();
    if (index[i] >= size) throw std::logic_error("read of " + v.name + " out of range");
    flat = flat * size + index[i];
  }
  return static_cast<std::int64_t>(get(state, s.state_layout().slots()[v.first_slot + flat])) + ir::low(p, v.type);
}

}  // namespace quiesce
