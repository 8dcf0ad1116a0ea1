// SPDX-License-Identifier: MIT
#include "model/verdict/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "model/language/parse.hpp"
#include "model/verdict/applicable.hpp"
#include "model/verdict/claim.hpp"

namespace quiesce {
namespace {

template <class Decl>
std::vector<const Decl*> all(const ast::model& m) {
  std::vector<const Decl*> found;
  for (const ast::item& item : m.items)
    if (const auto* d = std::get_if<Decl>(&item)) found.push_back(d);
  return found;
}

void set(option_values& options, const std::string& name, const std::string& value) {
  for (auto& [known, at] : options)
    if (known == name) at = value;
}

// The settings of a variant behind those of its base. `depth` ends a circle, which lowering reports.
void apply_variant(const ast::model& m, const std::string& name, option_values& options, std::size_t depth) {
  const auto variants = all<ast::variant_decl>(m);
  const auto at =
      std::find_if(variants.begin(), variants.end(), [&](const ast::variant_decl* v) { return v->name == name; });
  if (at == variants.end()) throw diagnostic(fmt::format("the model has no variant '{}'", name));
  if (!(*at)->base.empty() && depth < variants.size()) apply_variant(m, (*at)->base, options, depth + 1);
  for (const ast::option_setting& s : (*at)->settings) set(options, s.name, language::format_expression(s.value));
}

option_values difference(const option_values& from, const option_values& to) {
  option_values out;
  for (std::size_t i = 0; i < from.size(); ++i)
    if (from[i].second != to[i].second) out.push_back(to[i]);
  return out;
}

struct extent {
  std::map<std::string, std::int64_t> sizes, bounds;
};

extent extent_of(const ast::model& m, const std::map<std::string, std::int64_t>& scope) {
  extent out;
  const auto asked = [&](const std::string& name, std::int64_t standard) {
    const auto at = scope.find(name);
    return at == scope.end() ? standard : at->second;
  };
  for (const auto* s : all<ast::sort_decl>(m)) {
    std::int64_t& size = out.sizes[s->name];
    size = std::max(size, asked(s->name, s->standard));
  }
  for (const auto* b : all<ast::bound_decl>(m)) out.bounds[b->name] = asked(b->name, b->value);
  return out;
}

// A run in the scope `small` is one in the scope `large` too, in which the other elements do nothing.
bool covers(const extent& large, const extent& small) {
  const auto enough = [&](const auto& size) { return large.sizes.at(size.first) >= size.second; };
  return large.bounds == small.bounds && std::all_of(small.sizes.begin(), small.sizes.end(), enough);
}

using rank = std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>;

// An orthogonal option belongs to the situation rather than to the version: it is kept if that is possible.
std::size_t orthogonal(const ast::model& m, const option_values& changed) {
  const auto options = all<ast::option_decl>(m);
  return static_cast<std::size_t>(std::count_if(changed.begin(), changed.end(), [&](const auto& change) {
    return std::any_of(options.begin(), options.end(),
                       [&](const auto* o) { return o->orthogonal && o->name == change.first; });
  }));
}

rank rank_of(const model_entry& model, const neighbour& n) {
  const std::vector<std::string> order = variant_names(model);
  const auto at = std::find(order.begin(), order.end(), n.variant) - order.begin();
  return {orthogonal(model.loaded.model, n.changed), n.changed.size(), static_cast<std::size_t>(at), n.options.size()};
}

}  // namespace

option_values options_of(const ast::model& m, const std::string& variant, const std::map<std::string, std::string>& on_top) {
  option_values out;
  for (const auto* o : all<ast::option_decl>(m)) out.emplace_back(o->name, language::format_expression(o->value));
  if (!variant.empty()) apply_variant(m, variant, out, 0);
  for (const auto& [name, value] : on_top) set(out, name, value);
  return out;
}

situation situation_of(catalogue& inputs, const claim_entry& c) {
  return {&model_of(inputs, c), settings_of(c.claim), c.claim.property};
}

std::optional<neighbour> nearest_claimed(catalogue& inputs, const situation& asked,
                                         const std::vector<const claim_entry*>& claims) {
  const ast::model& m = asked.model->loaded.model;
  const option_values here = options_of(m, asked.settings.variant, asked.settings.options);
  const extent needed = extent_of(m, asked.settings.scope);
  std::optional<neighbour> best;
  for (const claim_entry* c : claims) {
    if (c->claim.expect != ast::expectation::holds || c->claim.property != asked.property || c->claim.model != m.name)
      continue;
    const situation other = situation_of(inputs, *c);
    const instance& s = other.settings;
    if (other.model != asked.model || s.environment != asked.settings.environment) continue;
    if (!covers(extent_of(m, s.scope), needed)) continue;
    neighbour n{s.variant, s.options, difference(here, options_of(m, s.variant, s.options)), c};
    if (n.changed.empty()) continue;
    if (!best || rank_of(*asked.model, n) < rank_of(*asked.model, *best)) best = std::move(n);
  }
  return best;
}

std::optional<neighbour> nearest_checked(catalogue& inputs, const situation& asked, const limits& most,
                                         std::vector<std::string>& undecided) {
  const ast::model& m = asked.model->loaded.model;
  const option_values here = options_of(m, asked.settings.variant, asked.settings.options);
  std::vector<neighbour> others;
  for (const std::string& variant : variant_names(*asked.model)) {
    for (const auto& on_top : {asked.settings.options, std::map<std::string, std::string>()}) {
      neighbour n{variant, on_top, difference(here, options_of(m, variant, on_top)), nullptr};
      if (!n.changed.empty()) others.push_back(std::move(n));
      if (asked.settings.options.empty()) break;
    }
  }
  std::stable_sort(others.begin(), others.end(), [&](const neighbour& a, const neighbour& b) {
    return rank_of(*asked.model, a) < rank_of(*asked.model, b);
  });
  const property_entry& property = inputs.property(asked.property);
  limits left = most;
  for (const neighbour& n : others) {
    instance settings = asked.settings;
    settings.variant = n.variant;
    settings.options = n.options;
    try {
      const prepared_check check(inputs, {asked.model, settings, {&property}});
      const answer found = check.run(left, {});
      if (found.verdicts[0].kind == verdict_kind::holds) return n;
      if (found.verdicts[0].kind == verdict_kind::unknown) undecided.push_back(name_of(n));
      if (most.max_states && found.states >= left.max_states) break;
      if (most.max_states) left.max_states -= found.states;
    } catch (const diagnostic&) {  // the scope or an option on top does not fit this variant
    }
  }
  return std::nullopt;
}

std::string name_of(const neighbour& n) {
  std::string text = n.variant;
  for (const auto& [option, value] : n.options) text += fmt::format(" {}={}", option, value);
  return text;
}

std::string changes_of(const neighbour& n) {
  std::string text;
  for (const auto& [option, value] : n.changed) text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", option, value);
  return text;
}

}  // namespace quiesce
