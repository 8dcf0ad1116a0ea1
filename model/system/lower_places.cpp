// SPDX-License-Identifier: MIT
#include "model/system/lower_places.hpp"

#include <algorithm>
#include <iterator>

namespace quiesce::lowering {

namespace {

std::set<std::size_t> others(const builder& b, const place_set& s) {
  std::set<std::size_t> out;
  for (std::size_t l = 0; l < b.program.processes[s.process].locations.size(); ++l)
    if (!s.locations.count(l)) out.insert(l);
  return out;
}

// What the term is where all its operands ask about one process.
std::optional<place_set> combined(const builder& b, const ir::expr& e, const std::map<expr_id, place_set>& known) {
  if (e.code != op::and_ && e.code != op::or_ && e.code != op::not_) return std::nullopt;
  std::vector<const place_set*> kids;
  for (const expr_id kid : e.kids) {
    const auto it = known.find(kid);
    if (it == known.end()) return std::nullopt;
    kids.push_back(&it->second);
    if (kids[0]->process != kids.back()->process || kids[0]->element != kids.back()->element) return std::nullopt;
  }
  place_set out = *kids[0];
  if (e.code == op::not_) {
    out.locations = others(b, out);
    return out;
  }
  for (std::size_t k = 1; k < kids.size(); ++k) {
    const std::set<std::size_t> before = std::move(out.locations), &more = kids[k]->locations;
    out.locations.clear();
    const auto into = std::inserter(out.locations, out.locations.end());
    if (e.code == op::and_)
      std::set_intersection(before.begin(), before.end(), more.begin(), more.end(), into);
    else
      std::set_union(before.begin(), before.end(), more.begin(), more.end(), into);
  }
  return out;
}

expr_id is_one_of(builder& b, const place_set& s, const std::set<std::size_t>& locations) {
  const ir::process& p = b.program.processes[s.process];
  const expr_id pc = b.load(p.pc, p.over == ir::nothing ? std::vector<expr_id>{} : std::vector<expr_id>{s.element});
  expr_id out = b.truth(false);
  for (const std::size_t l : locations)
    out = b.either(out, b.equal(pc, b.constant(static_cast<std::int64_t>(l), b.type_of(pc))));
  return out;
}

}  // namespace

void patch_places(builder& b, std::map<expr_id, place_set> known) {
  for (expr_id e = 0; e < b.program.exprs.size(); ++e)  // operands come before what they are operands of
    if (!known.count(e))
      if (auto s = combined(b, b.at(e), known)) known.emplace(e, std::move(*s));
  for (const auto& [e, s] : known) {
    const std::set<std::size_t> outside = others(b, s);
    const bool few_outside = outside.size() < s.locations.size();
    const expr_id there = is_one_of(b, s, few_outside ? outside : s.locations);
    b.program.exprs[e].code = op::select;  // as what is reserved
    b.patch(e, few_outside ? b.negated(there) : there);
  }
}

}  // namespace quiesce::lowering
