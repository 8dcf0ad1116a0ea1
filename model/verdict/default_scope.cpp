// SPDX-License-Identifier: MIT
#include "model/verdict/default_scope.hpp"

#include <algorithm>

#include "model/verdict/claim.hpp"

namespace quiesce {
namespace {

// The sizes that the model and its libraries give; 0: open.
std::map<std::string, std::int64_t> standard_sizes(const model_entry& model) {
  std::map<std::string, std::int64_t> sizes;
  for (const ast::item& item : model.loaded.model.items)
    if (const auto* sort = std::get_if<ast::sort_decl>(&item))
      sizes[sort->name] = std::max(sizes[sort->name], sort->standard);
  return sizes;
}

bool exhibits(const ast::claim& c) {
  return c.expect == ast::expectation::violated || c.expect == ast::expectation::deadlock;
}

}  // namespace

std::map<std::string, std::int64_t> exhibiting_scope(catalogue& inputs, const model_entry& model) {
  const std::map<std::string, std::int64_t> standard = standard_sizes(model);
  std::map<std::string, std::int64_t> needed;
  const std::vector<std::string> shipped = inputs.model_paths();
  if (std::find(shipped.begin(), shipped.end(), model.path) == shipped.end()) return needed;  // no claim speaks of it
  for (const claim_entry* c : inputs.all_claims()) {
    if (c->claim.model != model.loaded.model.name || !exhibits(c->claim) || &model_of(inputs, *c) != &model) continue;
    const auto scope = settings_of(c->claim).scope;
    for (const auto& [sort, size] : standard) {
      const auto at = scope.find(sort);
      needed[sort] = std::max(needed[sort], at == scope.end() ? size : at->second);
    }
  }
  return needed;
}

std::map<std::string, std::int64_t> default_scope(catalogue& inputs, const model_entry& model) {
  std::map<std::string, std::int64_t> scope = exhibiting_scope(inputs, model);
  const std::map<std::string, std::int64_t> standard = standard_sizes(model);
  for (auto& [sort, size] : scope)
    if (standard.at(sort) == 0) ++size;
  return scope;
}

}  // namespace quiesce
