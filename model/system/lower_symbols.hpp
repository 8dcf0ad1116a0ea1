// SPDX-License-Identifier: MIT
#pragma once
// What the names of a model stand for in one instance: sizes fixed, options chosen, tables allocated.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/system/lower.hpp"
#include "model/system/lower_builder.hpp"

namespace quiesce::lowering {

// A resolved type: a scalar that the lowered form knows, or a bounded sequence of scalars.
struct resolved_type {
  bool sequence = false;
  bool queue = false;  // in a parametrised program: the set of its members
  type_id type = 0;    // of the scalar, or of one member
  std::uint32_t capacity = 0;
};

struct sort_symbol {
  sort_id id = 0;
  std::string name;
  std::uint32_t counted = 0;  // elements that the scope gives
  std::uint32_t named = 0;    // of these, the first `named` have names of their own
  struct extra {
    std::string name;
    sort_id over;
    std::uint32_t first;
  };
  std::vector<extra> extras;  // lo(net): elements first + n
};

enum class global_kind { scalar, sequence, lock, timer, node, list };
struct global {
  global_kind kind = global_kind::scalar;
  source_range where;
  std::string name;
  variable_id var = ir::nothing;                            // scalar, lock (owner), timer (state)
  variable_id length = ir::nothing, members = ir::nothing;  // sequence
  std::vector<sort_id> index;
  resolved_type type;
  int guard = -1;  // number of the lock that guards it
  bool rigid = false;
  bool spin = false;          // lock
  int lock = -1;              // lock: its number
  std::uint32_t space = 0;    // node, list: the pointer space
  std::uint32_t address = 0;  // list: its head
};

// The address space of one kind of list node: NULL, dangling, poison, one node for each element, then heads.
struct pointer_space {
  std::string name;
  sort_id sort = 0;   // its addresses as a sort; grows as heads are found
  sort_id owner = 0;  // the sort whose elements have a node
  variable_id next = 0, prev = 0;
  int guard = -1;
  expr_id size = 0;  // reserved: number of addresses, known at the end
};
inline constexpr std::uint32_t null_address = 0, dangling_address = 1, poison_address = 2, first_node = 3;

struct symbols {
  const loaded_model& source;
  const instance& wanted;
  builder& b;
  scope_description scope;
  bool urgent = false;
  std::int64_t horizon = 0;
  std::string kernel;  // version of the variant

  std::map<std::string, sort_symbol> sorts;
  std::map<std::string, type_id> enums;
  std::map<std::string, expr_id> constants;                                     // options and bounds
  std::map<std::string, std::pair<std::string, std::uint32_t>> named_elements;  // init_net -> (net, 0)
  std::map<std::string, std::pair<std::string, std::size_t>> constructors;      // lo -> (dev, extra)
  std::map<std::string, global> globals;
  std::map<std::string, const ast::procedure_decl*> procedures;
  std::map<std::string, const ast::operation_decl*> operations;
  std::vector<const ast::handler_decl*> handlers;   // descending priority, ties in order of declaration
  std::vector<const ast::process_decl*> processes;  // in order; the environment's last
  std::vector<pointer_space> spaces;
  std::vector<std::string> locks;  // by number
  sort_id process_sort = 0;
  // The instance of template `p` for `element` (not looked at where the template has no parameter), as a value of `type`,
  // an option of process.
  expr_id process_value(std::uint32_t p, expr_id element, type_id type);
  struct end_question {
    expr_id reserved;
    std::uint32_t process;
    expr_id element;
  };
  std::vector<end_question> end_questions;  // ended(P(x)): answered when all code is known
  struct place_question {
    expr_id reserved;
    std::uint32_t process;
    expr_id element;
    std::string name;
    source_range where;
  };
  std::vector<place_question> place_questions;  // inside(P(x), NAME)
  // What rules remember of an event, for seen(EVENT, …): filled while code is woven.
  struct memory {
    std::string event, span;  // span: empty, or a kind of span
    std::uint32_t process;    // whose span
    std::string cell;
    variable_id var;
  };
  std::vector<memory> memories;
  std::map<std::string, variable_id> ghosts;
  std::vector<std::uint32_t> process_base;  // first element of each template in process_sort
  variable_id clock = ir::nothing;

  symbols(const loaded_model&, const instance&, builder&);
  // The passes, in this order. Constant expressions come through `evaluate`, set by the expression lowering.
  void declare_sorts();
  void declare_constants();
  void declare_processes();
  void declare_globals();

  resolved_type resolve(const ast::type_expr&);
  // How a member of a sequence is stored: elements as options, so that what is behind the end names no element.
  type_id stored(type_id member) { return b.type(member).kind == ir::type_kind::element ? b.option(member) : member; }
  sort_id positions(std::uint32_t capacity);  // 0..capacity-1 as a sort: indexes of sequences
  std::int64_t integer_constant(const ast::expr&);
  const sort_symbol& sort_named(const std::string& name, source_range where) const;
  const sort_symbol* sort_of(sort_id) const;
  // All labels with this name: (type, number).
  std::vector<std::pair<type_id, std::int64_t>> labels(const std::string& name) const;

  template <class T>
  std::vector<const T*> items() const {
    std::vector<const T*> out;
    for (const auto& i : source.model.items)
      if (const auto* p = std::get_if<T>(&i)) out.push_back(p);
    return out;
  }

 private:
  std::set<type_id> option_enums_;
  const ast::environment_decl* environment() const;
  void declare_variant();
  void apply_setting(const std::string& name, const ast::expr& value);
  void set_option(const ast::option_decl&, const ast::expr& value);
  void declare_variable(const ast::variable_decl&);
  void declare_list_spaces();
  int lock_number(const std::string& name, source_range where) const;
  void declare(const std::string& name, source_range where);
  std::map<std::string, source_range> taken_;
  std::map<std::string, const ast::option_decl*> options_;
};

}  // namespace quiesce::lowering
