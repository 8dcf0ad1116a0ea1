// SPDX-License-Identifier: MIT
#include "conformance/model_elements.hpp"

namespace quiesce::conformance {

void name_elements(ast::model& m, const std::string& sort, const std::vector<std::string>& names) {
  for (ast::item& i : m.items)
    if (auto* s = std::get_if<ast::sort_decl>(&i); s != nullptr && s->name == sort) {
      std::vector<ast::sort_extra> extras;
      for (const std::string& n : names) extras.push_back({s->where, n, ""});
      for (const ast::sort_extra& e : s->extras)
        if (!e.over.empty()) extras.push_back(e);
      s->extras = std::move(extras);
    }
}

void give_initial_state(ast::model& m, const std::function<bool(const ast::variable_decl&)>& which) {
  for (ast::item& i : m.items)
    if (auto* v = std::get_if<ast::variable_decl>(&i); v != nullptr && which(*v)) {
      v->rigid = false;
      v->initial.clear();
      v->filter.clear();
    }
}

}  // namespace quiesce::conformance
