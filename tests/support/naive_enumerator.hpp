// SPDX-License-Identifier: MIT
#pragma once
// An enumerator that is slow and simple: states are vectors of values, steps are interpreted instruction by instruction. It
// shares no code with the packed layout, the byte code, the search or the symmetry reduction, which are tested against it.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <vector>

#include "model/system/ir.hpp"

namespace quiesce::test {

using naive_state =
    std::vector<std::int64_t>;  // values (not codes) of all elements of all variables in order of declaration

enum class naive_end { state, error, bound, stuck };
struct naive_event {
  std::uint32_t event = 0;
  std::vector<std::int64_t> args;
};
struct naive_step {
  naive_state state;
  naive_end end = naive_end::state;
  std::uint32_t kind = 0, process = 0, instance = 0;
  std::uint64_t violated = 0, marked = 0;
  std::vector<naive_event> events;
};

struct naive_result {
  std::set<naive_state> states;
  std::uint64_t transitions = 0, marked = 0, depth = 0;
  std::map<std::uint32_t, std::uint64_t> property_depth, error_depth, bound_depth;  // least depth
  std::optional<std::uint64_t> deadlock_depth;
};

class naive_enumerator {
 public:
  explicit naive_enumerator(const ir::program&);
  std::vector<naive_step> initial() const;
  std::vector<naive_step> successors(const naive_state&) const;
  naive_result explore(std::size_t most_states) const;  // throws std::length_error beyond
  std::uint64_t invariants(const naive_state&) const;   // failing ones; `sometimes`: true ones
  bool resting(const naive_state&) const;
  // The element of `v` at `flat`.
  std::size_t place(ir::variable_id v, std::size_t flat) const { return first_[v] + flat; }

 private:
  struct context {
    naive_state state;
    std::vector<std::int64_t> temps;
    std::uint64_t violated = 0, marked = 0;
    std::size_t pc = 0;
    std::vector<naive_event> events;
  };
  std::int64_t eval(ir::expr_id, const naive_state&, std::vector<std::int64_t>& temps) const;
  std::size_t address(ir::variable_id, const std::vector<ir::expr_id>&, const naive_state&,
                      std::vector<std::int64_t>&) const;
  bool fits(ir::type_id, std::int64_t) const;
  std::int64_t lowest(ir::type_id) const;
  std::int64_t how_many(ir::type_id) const;
  void run(context, const std::vector<ir::instruction>&, const std::function<void(naive_step, std::uint32_t)>&) const;
  void steps_of(std::uint32_t process, const naive_state&, std::vector<naive_step>&) const;

  const ir::program& p_;
  std::vector<std::size_t> first_;
  std::size_t size_ = 0;
};

}  // namespace quiesce::test
