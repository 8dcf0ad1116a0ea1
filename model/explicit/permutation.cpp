// SPDX-License-Identifier: MIT
#include "model/explicit/permutation.hpp"

#include <map>
#include <stdexcept>
#include <tuple>

namespace quiesce {

moving_type moving(const ir::program& p, ir::type_id id) {
  moving_type out;
  const ir::type* t = &p.types.at(id);
  while (t->kind == ir::type_kind::option) {
    ++out.options;
    t = &p.types.at(t->inner);
  }
  if (t->kind != ir::type_kind::element && t->kind != ir::type_kind::set) return {};
  out.sort = t->sort;
  out.set = t->kind == ir::type_kind::set;
  return out;
}

element_orbits::element_orbits(const ir::program& p) : p_(p), moves_(p.sorts.size(), false) {
  std::map<std::tuple<ir::sort_id, std::uint32_t, std::uint64_t>, std::uint64_t> names;
  std::uint64_t next = 1;
  for (ir::sort_id s = 0; s < p.sorts.size(); ++s) {
    std::size_t n = p.sorts[s].element.size();
    roots_.emplace_back(n);
    roles_.emplace_back(n, 0);
    for (std::uint32_t i = 0; i < n; ++i) {
      roots_[s][i] = find_root(s, i, 0);
      if (roots_[s][i].sort != ir::nothing) moves_[s] = true;
    }
  }
  // Same sort, constructor and role of what it is made of; a base element's role is that of its sort.
  auto role = [&](auto&& self, ir::sort_id s, std::uint32_t i) -> std::uint64_t {
    if (roles_[s][i]) return roles_[s][i];
    if (roots_[s][i].sort == ir::nothing) return roles_[s][i] = next++;
    const ir::element_origin& o = p_.sorts[s].origin[i];
    bool base = o.over == s && o.of == i;
    std::uint64_t inner = base ? 0 : self(self, o.over, o.of);
    auto [it, fresh] = names.try_emplace({s, base ? ~0u : o.constructor, inner}, next);
    if (fresh) ++next;
    return roles_[s][i] = it->second;
  };
  for (ir::sort_id s = 0; s < p.sorts.size(); ++s)
    for (std::uint32_t i = 0; i < p.sorts[s].element.size(); ++i) role(role, s, i);
}

element_orbits::root element_orbits::find_root(ir::sort_id s, std::uint32_t i, int depth) const {
  if (depth > 16) throw std::logic_error("origins of elements go in a circle");
  if (p_.sorts[s].origin.empty()) return {};
  const ir::element_origin& o = p_.sorts[s].origin[i];
  if (o.over == ir::nothing) return {};
  if (o.over == s && o.of == i) return {s, i};
  return find_root(o.over, o.of, depth + 1);
}

std::optional<sort_images> element_orbits::induced(const sort_images& base) const {
  sort_images out(p_.sorts.size());
  for (ir::sort_id s = 0; s < p_.sorts.size(); ++s) out[s].assign(p_.sorts[s].element.size(), ~0u);
  bool ok = true;
  auto image = [&](auto&& self, ir::sort_id s, std::uint32_t i) -> std::uint32_t {
    if (out[s][i] != ~0u) return out[s][i];
    if (roots_[s][i].sort == ir::nothing) return out[s][i] = i;
    const ir::element_origin& o = p_.sorts[s].origin[i];
    if (o.over == s && o.of == i) return out[s][i] = base[s].empty() ? i : base[s][i];
    std::uint32_t of = self(self, o.over, o.of);
    for (std::uint32_t k = 0; k < p_.sorts[s].origin.size(); ++k) {
      const ir::element_origin& c = p_.sorts[s].origin[k];
      if (c.over == o.over && c.constructor == o.constructor && c.of == of) return out[s][i] = k;
    }
    ok = false;
    return out[s][i] = i;
  };
  for (ir::sort_id s = 0; s < p_.sorts.size(); ++s)
    for (std::uint32_t i = 0; i < p_.sorts[s].element.size(); ++i) image(image, s, i);
  if (!ok) return std::nullopt;
  return out;
}

}  // namespace quiesce
