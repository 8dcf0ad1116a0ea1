// SPDX-License-Identifier: MIT
#pragma once
// The text of a parametrised core, read back. model/system/CORE.md gives its grammar and meaning. What is proved is derived
// from this text alone.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace quiesce::symbolic {

// A text that is no core, or one without a reading in first-order logic. The message says why.
struct core_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct node {
  bool atom = false;
  bool quoted = false;  // atom: was in double quotes
  std::string text;     // atom
  std::vector<node> kids;
  const node& operator[](std::size_t i) const;  // throws core_error
  bool is(const char* head) const { return !atom && !kids.empty() && kids[0].atom && kids[0].text == head; }
};

// All top-level expressions. Throws core_error.
std::vector<node> read_nodes(const std::string&);

struct type;
using type_ref = std::shared_ptr<const type>;
enum class type_kind { boolean, integer, enumeration, element, option, set };
struct type {
  type_kind kind = type_kind::boolean;
  std::int64_t low = 0, high = 0;
  bool unlimited = false;  // integer without a greatest value
  std::vector<std::string> labels;
  std::size_t sort = 0;  // element, set
  type_ref inner;        // option
};
bool same(const type&, const type&);

enum class sort_kind { finite, any, closed };
struct sort {
  sort_kind kind = sort_kind::finite;
  std::string name;
  std::vector<std::string> elements;
  std::vector<std::pair<std::string, std::size_t>> constructors;  // name, sort of its argument
};
struct function {
  std::string name;
  std::vector<std::size_t> args;
  type_ref value;
  bool arbitrary = false;
};
struct parameter {
  std::string name;
  type_ref value;
};
struct update {
  std::vector<std::pair<std::string, std::size_t>> each;  // bound variables, one for each argument; or none
  std::size_t function = 0;
  std::vector<node> args;
  node value;
};
struct effect {
  std::string property;
  node when;
};
struct action {
  std::string name;
  std::vector<parameter> params;
  node guard;
  std::vector<update> updates;
  std::vector<effect> violates, marks;
  std::string ends;  // "", "error range", "bound capacity", "stuck"
};
struct property {
  std::string name, kind;  // monitored, invariant, sometimes, no-error
  std::optional<node> condition;
};
struct invariant {
  std::string name;
  node condition;
};

struct core {
  std::vector<sort> sorts;
  std::vector<function> functions;
  std::vector<action> initial, actions;
  std::vector<property> properties;
  std::vector<invariant> invariants;
  std::map<std::string, std::size_t> sort_number, function_number;
};
// Throws core_error.
core read_core(const std::string& text);
type_ref read_type(const core&, const node&);

}  // namespace quiesce::symbolic
