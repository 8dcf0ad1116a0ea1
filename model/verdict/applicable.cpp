// SPDX-License-Identifier: MIT
#include "model/verdict/applicable.hpp"

#include <algorithm>

#include "model/system/response.hpp"

namespace quiesce {

std::vector<inapplicable> split_applicable(catalogue& inputs, const model_entry& model, const instance& settings,
                                           std::vector<const property_entry*>& applicable) {
  lower(model.loaded, settings, {});  // what is wrong without any property is wrong with the model or its settings
  std::vector<inapplicable> others;
  const auto own = [](const property_entry& e) { return e.origin == property_origin::user; };
  const auto all = inputs.properties();
  const bool given = std::any_of(all.begin(), all.end(), own);
  for (const property_entry& entry : all) {
    if (given && entry.origin == property_origin::shipped) continue;
    try {
      if (is_response(entry.property))
        lower_response(model.loaded, settings, entry.property);
      else
        lower(model.loaded, settings, {&entry.property});
      applicable.push_back(&entry);
    } catch (const diagnostic& problem) {
      if (own(entry)) throw;   // a rule written for this model: what is wrong with it is an error
      others.push_back({&entry, problem.sentence});
    }
  }
  return others;
}

std::vector<std::string> variant_names(const model_entry& model) {
  std::vector<std::string> names;
  for (const ast::item& item : model.loaded.model.items)
    if (const auto* variant = std::get_if<ast::variant_decl>(&item)) names.push_back(variant->name);
  return names;
}

}  // namespace quiesce
