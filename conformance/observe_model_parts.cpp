// SPDX-License-Identifier: MIT
// Operations that are compared in one run of the model.

#include <algorithm>

#include "conformance/observe_model.hpp"

namespace quiesce::observe {
namespace {

constexpr std::size_t devices_together = 24, operations_together = 40;

std::vector<compared_part> split(const std::vector<asked_operation>& all) {
  std::vector<compared_part> out;
  for (const asked_operation& o : all) {
    const bool full = !out.empty() && o.first > out.back().last &&
                      (out.back().devices.size() + o.devices.size() > devices_together ||
                       out.back().operations.size() >= operations_together);
    if (out.empty() || full) {
      out.emplace_back();
      out.back().first = o.first;
    }
    compared_part& p = out.back();
    p.operations.push_back(&o);
    p.last = std::max(p.last, o.last);
    p.moves = p.moves || o.what == asked_operation::kind::move;
    for (std::int64_t d : o.devices)
      if (std::find(p.devices.begin(), p.devices.end(), d) == p.devices.end()) p.devices.push_back(d);
  }
  return out;
}

}  // namespace

std::vector<compared_part> parts_of(const std::vector<asked_operation>& all, const std::vector<observed_event>& events) {
  std::vector<compared_part> out = split(all);
  std::map<std::int64_t, std::size_t> next;  // device -> first event of the part behind that has it
  for (auto p = out.rbegin(); p != out.rend(); ++p)
    for (std::int64_t d : p->devices) {
      if (const auto later = next.find(d); later != next.end()) p->until[d] = later->second;
      next[d] = p->first;
    }
  std::map<std::uint32_t, std::size_t> last_of_task;
  for (std::size_t i = 0; i < events.size(); ++i) last_of_task[events[i].task] = i;
  for (compared_part& p : out) {
    std::map<std::uint32_t, std::size_t> last_here;
    for (const asked_operation* o : p.operations) last_here[o->task] = std::max(last_here[o->task], o->last);
    p.ended = std::all_of(last_here.begin(), last_here.end(),
                          [&](const auto& entry) { return last_of_task[entry.first] > entry.second; });
  }
  return out;
}

}  // namespace quiesce::observe
