// SPDX-License-Identifier: MIT
// Events of a trace against events of a model: identities, unknown values, sets.

#include <algorithm>
#include <bit>

#include <boost/container_hash/hash.hpp>

#include "conformance/inclusion_internal.hpp"

namespace quiesce::conformance {

std::uint32_t identity_table::number(std::uint32_t sort, std::int64_t identity) {
  for (std::uint32_t i = 0; i < slots.size(); ++i)
    if (slots[i].sort == sort && slots[i].identity == identity) return i;
  slots.push_back({sort, identity, -1, false});
  return static_cast<std::uint32_t>(slots.size() - 1);
}

std::size_t configuration_hash::operator()(const configuration& c) const {
  std::size_t h = boost::hash_range(c.state.begin(), c.state.end());
  boost::hash_combine(h, boost::hash_range(c.binding.begin(), c.binding.end()));
  for (const model_event& e : c.pending) {
    boost::hash_combine(h, e.event);
    boost::hash_combine(h, e.by.instance);
    boost::hash_combine(h, boost::hash_range(e.args.begin(), e.args.end()));
  }
  return h;
}

matcher::matcher(const ir::program& p, const identity_table& t) : program_(p), table_(t) {
  std::uint32_t next = 0;
  for (const ir::process& q : p.processes) {
    first_process_.push_back(next);
    next += q.over == ir::nothing ? 1 : static_cast<std::uint32_t>(p.sorts[q.over].element.size());
  }
  first_process_.push_back(next);
}

process_place matcher::process_at(std::uint32_t number) const {
  std::uint32_t p = 0;
  while (first_process_[p + 1] <= number) ++p;
  return {p, number - first_process_[p]};
}

// Bindings are injective: two identities of one sort are two elements.
bool matcher::bind(std::uint32_t slot, std::int32_t element, std::vector<std::int32_t>& binding) const {
  if (binding[slot] >= 0) return binding[slot] == element;
  const identity_table::slot& s = table_.slots[slot];
  if (s.closed) return false;
  for (std::uint32_t i = 0; i < binding.size(); ++i)
    if (table_.slots[i].sort == s.sort && binding[i] == element) return false;
  binding[slot] = element;
  return true;
}

// Which identity is which member is not known before they are bound: every assignment.
void matcher::match_set(std::uint64_t members, const numbered_value& v, bindings& all) const {
  if (static_cast<std::size_t>(std::popcount(members)) != v.members.size()) return all.clear();
  struct partial {
    std::vector<std::int32_t> binding;
    std::uint64_t left;
  };
  std::vector<partial> now;
  for (auto& b : all) now.push_back({std::move(b), members});
  for (const std::uint32_t slot : v.members) {
    std::vector<partial> next;
    for (const partial& p : now)
      for (std::uint64_t rest = p.left; rest != 0; rest &= rest - 1) {
        partial more = p;
        const int element = std::countr_zero(rest);
        more.left &= ~(std::uint64_t{1} << element);
        if (bind(slot, element, more.binding)) next.push_back(std::move(more));
      }
    now = std::move(next);
  }
  all.clear();
  for (partial& p : now) all.push_back(std::move(p.binding));
}

void matcher::match_value(ir::type_id id, std::int64_t value, const numbered_value& v, bindings& all) const {
  if (v.what == seen_value::kind::unknown) return;
  const ir::type& t = program_.types[id];
  if (t.kind == ir::type_kind::option) {
    const bool is_none = value == 0;
    if (is_none != (v.what == seen_value::kind::none)) return all.clear();
    if (!is_none) match_value(t.inner, value - 1 + ir::low(program_, t.inner), v, all);
    return;
  }
  if (t.kind == ir::type_kind::set) return match_set(static_cast<std::uint64_t>(value), v, all);
  if (t.kind != ir::type_kind::element) {
    if (value != v.value) all.clear();
    return;
  }
  bindings kept;
  for (auto& b : all)
    if (bind(static_cast<std::uint32_t>(v.value), static_cast<std::int32_t>(value), b)) kept.push_back(std::move(b));
  all = std::move(kept);
}

void matcher::match(const model_event& m, const numbered_event& t, const std::vector<std::int32_t>& binding,
                    const std::function<void(std::vector<std::int32_t>)>& each) const {
  if (m.event != t.event) return;
  bindings all = {binding};
  if (t.task && !bind(*t.task, static_cast<std::int32_t>(process_number(m.by)), all[0])) return;
  const auto& params = program_.events[m.event].params;
  for (std::size_t i = 0; i < params.size() && !all.empty(); ++i) match_value(params[i], m.args[i], t.args[i], all);
  for (auto& b : all) each(std::move(b));
}

}  // namespace quiesce::conformance
