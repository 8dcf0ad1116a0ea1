// SPDX-License-Identifier: MIT
#pragma once
// Expressions of the lowered system as terms of the core, with what a path knows folded in. Internal to core.cpp.

#include <map>
#include <string>
#include <vector>

#include "model/system/core_path.hpp"
#include "model/system/core_term.hpp"
#include "model/system/ir.hpp"

namespace quiesce::core {

using ir::expr;
using ir::expr_id;
using ir::program;
using ir::sort_id;
using ir::type_id;

// Sets used[k] where the text has the name d<k>, outside of quoted names.
void mark_used(const std::string& text, std::vector<bool>& used);

class expressions {
 public:
  // Locals of different processes, and what rules remember, may have the name of another variable: then they are numbered.
  explicit expressions(const program&);

  const std::string& name_of(variable_id v) const { return names_[v]; }  // quoted
  std::string type_text(type_id) const;
  bool open(sort_id) const;
  std::int64_t elements(sort_id) const;
  std::int64_t high(type_id) const;  // the greatest value; `far` where there is none

  // The value of an expression behind the writes of the path.
  term value(path&, expr_id);
  std::vector<term> terms(path&, const std::vector<expr_id>&);
  term load(const path&, variable_id, const std::vector<term>& index) const;
  // Where the expression is that an element is in a set: what follows from that; else true.
  term also_in(path&, expr_id);
  // Is the value one of the type?
  term fit(const term& v, type_id) const;
  static term same_place(const std::vector<term>& a, const std::vector<term>& b);

  // From here on a long term is replaced by a name, and the definition is kept. Equal terms have one name.
  void start_naming();
  void stop_naming() { naming_ = false; }
  bool naming() const { return naming_; }
  term named(term t, std::size_t longest = 40);
  struct definition {
    std::string name, text;
  };
  const std::vector<definition>& definitions() const { return definitions_; }

 protected:
  const program& p_;
  bool initial_ = false;  // nothing was written before: functions have their least values
  unsigned bound_ = 0;    // variables of quantifiers around

 private:
  term plain(path&, expr_id);
  term equal(const term& a, const term& b) const;
  term without(const path&, const term& a, const term& b);
  std::string constructor_text(const char* word, const expr&) const;
  term wrapped(type_id option, const term&) const;
  term unwrapped(type_id inner, const term&) const;
  term computed(ir::op, const term& a, const term& b) const;
  term quantified(path&, const expr&);

  std::vector<std::string> names_;
  bool naming_ = false;
  std::vector<definition> definitions_;
  std::map<std::string, std::string> name_of_text_;
};

}  // namespace quiesce::core
