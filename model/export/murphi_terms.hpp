// SPDX-License-Identifier: MIT
#pragma once
// Types and expressions in rumur's dialect of Murphi.
//
//   sort          scalarset where its elements are interchangeable and are to be told so, else a range
//   element       that type; in a scalarset undefined where nobody will read the value
//   option        of an element of a scalarset: that type, undefined for none; else a range, 0 for none
//   set           array [sort] of boolean

#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/export/names.hpp"
#include "model/export/term.hpp"

namespace quiesce::exporting {

// Elements of the sort would have to be told apart. Thrown; the writer begins again with a range for it.
struct not_interchangeable {
  ir::sort_id sort;
  std::string why;
};

class murphi_terms {
 public:
  murphi_terms(const ir::program&, const std::set<ir::sort_id>& scalarsets, names&);

  std::string types() const;      // declarations
  std::string variables() const;  // declarations
  const std::string& functions() const { return functions_; }

  bool scalarset(ir::sort_id s) const { return scalarsets_.count(s) != 0; }
  // The sort, if a value of the type is an element of a scalarset or an option of one; `option` says which.
  bool named(ir::type_id, ir::sort_id& sort, bool& option) const;
  bool is_set(ir::type_id t) const { return p_.types[t].kind == ir::type_kind::set; }
  const std::string& sort_name(ir::sort_id s) const { return sort_.at(s); }
  std::string type_name(ir::type_id) const;
  // Of a temp that holds such a value. Plain numbers and Booleans share one variable for each temp.
  std::string temp(ir::temp_id, ir::type_id);
  std::string element_temp(ir::temp_id, ir::sort_id scalarset);
  // Declarations of the temps used since the last call.
  std::string locals();

  std::string place(ir::variable_id, const std::vector<term>& index);
  std::string truth(const term&);
  // `target` := t, as statements. The target has the type, or is a temp for numbers.
  std::string assign(const std::string& target, const term& t, ir::type_id, const std::string& indent,
                     bool plain_temp = false);
  // The element number `k` of the sort, where elements may be named: by name[k], else as a number.
  std::string element(ir::sort_id, std::int64_t k, const std::vector<std::vector<std::string>>* names) const;
  // While it lives, the temp is written as `text`.
  void bind(ir::temp_id t, std::string text) { bound_[t] = std::move(text); }
  void release(ir::temp_id t) { bound_.erase(t); }

 private:
  std::string number(const term&);
  std::string element_of(ir::sort_id, const term&);
  std::string equal(const term&, const term&);
  std::string equal_named(const term&, const term&, ir::sort_id, bool option);
  std::string equal_sets(const term&, const term&, ir::sort_id);
  std::string has(const term& set, const std::string& element, ir::sort_id);
  std::string bit(const std::string& number, const std::string& element, ir::sort_id) const;
  std::string quantifier(const char* word, const term&);
  std::string counted(const term& body, ir::sort_id, ir::temp_id);
  std::string none(const term& option, ir::sort_id);
  bool boolean(const term&) const;
  ir::sort_id set_sort(const term&) const;
  ir::sort_id option_sort(const term&, bool& option) const;
  std::string bound_name(const term&);
  void free_temps(const term&, std::map<std::string, std::string>& types, std::set<ir::temp_id>& bound);

  const ir::program& p_;
  term_builder build_;
  std::set<ir::sort_id> scalarsets_;
  names& names_;
  std::vector<std::string> sort_, set_, variable_;
  std::map<ir::temp_id, std::string> bound_;
  std::map<std::string, std::string> locals_;  // name, type
  std::string functions_;
  unsigned fresh_ = 0;
};

}  // namespace quiesce::exporting
