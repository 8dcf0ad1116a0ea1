// SPDX-License-Identifier: MIT
#include "model/inference/levels.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace quiesce::inference {

namespace {

std::vector<std::size_t> quantified(const core& c) {
  std::vector<std::size_t> out(c.sorts.size(), 0);
  bool any = false;
  for (const symbolic::property& p : c.properties) {
    if (!p.condition) continue;
    std::vector<std::size_t> here(c.sorts.size(), 0);
    for (const node* n = &*p.condition; n->is("all"); n = &(*n)[2]) {
      ++here[c.sort_number.at((*n)[1][1].text)];
      any = true;
    }
    for (std::size_t s = 0; s < here.size(); ++s) out[s] = std::max(out[s], here[s]);
  }
  for (std::size_t s = 0; s < out.size() && !any; ++s) out[s] = c.sorts[s].kind == symbolic::sort_kind::closed ? 0 : 1;
  for (const symbolic::function& f : c.functions) {
    std::vector<std::size_t> here(c.sorts.size(), 0);
    for (const std::size_t s : f.args) ++here[s];
    if (f.value->kind == symbolic::type_kind::set) ++here[f.value->sort];
    for (std::size_t s = 0; s < out.size(); ++s)
      if (out[s] != 0) out[s] = std::max(out[s], here[s]);
  }
  return out;
}

}  // namespace

levels::levels(const core& c) {
  const std::vector<std::size_t> base = quantified(c);
  const auto add = [&](const std::vector<std::size_t>& v, std::size_t length) {
    std::string name;
    for (std::size_t s = 0; s < v.size(); ++s)
      if (v[s] != 0) name += fmt::format("{}{}={}", name.empty() ? "" : " ", c.sorts[s].name, v[s]);
    all_.push_back({name, v, length});
  };
  const auto one_more = [&](std::size_t length) {
    for (std::size_t s = 0; s < base.size(); ++s) {
      if (c.sorts[s].kind == symbolic::sort_kind::closed) continue;
      std::vector<std::size_t> more = base;
      ++more[s];
      add(more, length);
    }
  };
  add(base, 3);
  add(base, 4);
  one_more(3);
  std::vector<std::size_t> more = base;
  for (std::size_t s = 0; s < base.size(); ++s) more[s] += c.sorts[s].kind == symbolic::sort_kind::closed ? 0 : 1;
  add(more, 3);
  one_more(4);
  add(base, 5);
  add(more, 4);
}

std::optional<level> levels::next() {
  if (at_ >= all_.size()) return std::nullopt;
  return all_[at_++];
}

}  // namespace quiesce::inference
