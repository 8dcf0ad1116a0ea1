// SPDX-License-Identifier: MIT
#include "conformance/known.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "refimpl/core/variant.hpp"

namespace quiesce::conformance {

namespace {

// fib_neigh's P1 has an event list that works.
struct counterpart {
  std::string_view model, variant, stack;
};
constexpr counterpart counterparts[] = {
    {"fib_neigh", "P1", "P1b"},
    {"fib6_gc", "rechecked", "grecheck"},
    {"*", "K61", "6.1"},
    {"*", "K618", "6.18"},
};

// What the stack's variant takes over from another one, as refimpl/core/variant.cpp makes them.
struct base {
  std::string_view variant, from;
};
constexpr base bases[] = {{"P1a", "P1"}, {"P1i", "P1"}, {"P1b", "P1"}, {"J1", "P1b"}, {"J2", "J1"}, {"E1", "J1"}};

bool has(const ast::claim& c, std::string_view option) {
  return std::any_of(c.with.begin(), c.with.end(), [&](const ast::option_setting& o) { return o.name == option; });
}

// Options that the stack does not have, or only as a mutant of the variant: without CONFIG_NET_NS; RTNL let go of in the
// middle; no instance lock, no rcu_barrier in netdev_run_todo.
bool of_another_stack(const ast::claim& c) {
  return has(c, "net_ns") || has(c, "drop_rtnl") || has(c, "instance_lock") || has(c, "todo_barrier");
}

bool about_handlers(const ast::claim& c) {
  return c.model == "replay" || has(c, "callback") || has(c, "unregister_on_down");
}

}  // namespace

std::string stack_variant(const ast::claim& c) {
  if (has(c, "mistake")) return {};  // a mutant of the variant
  for (const counterpart& x : counterparts)
    if ((x.model == "*" || c.model == x.model) && c.variant == x.variant) return std::string(x.stack);
  return refimpl::find_variant(c.variant) ? c.variant : std::string();
}

known_breaks::known_breaks(catalogue& inputs) {
  for (const claim_entry* entry : inputs.all_claims()) {
    const ast::claim& c = entry->claim;
    const std::string variant = stack_variant(c);
    if (variant.empty() || of_another_stack(c)) continue;
    about& a = by_variant_[variant][c.property];
    a.kept = a.kept || c.expect == ast::expectation::holds;
    if (c.expect != ast::expectation::violated) continue;
    if (a.claimed.empty()) a.claimed = fmt::format("claim {}{}{}", c.name, c.because.empty() ? "" : ": ", c.because);
    if (c.bugs.empty()) continue;
    std::string& known = about_handlers(c) ? a.with_handlers : a.plainly;
    if (known.empty()) known = fmt::format("{}, claim {}: {}", fmt::join(c.bugs, " "), c.name, c.because);
  }
}

std::string known_breaks::of(std::string_view variant, const ast::property& p, const scenario& s) const {
  for (bool more = true; more;) {
    if (const auto found = by_variant_.find(variant); found != by_variant_.end()) {
      if (const auto at = found->second.find(p.name); at != found->second.end()) {
        const about& a = at->second;
        if (p.status != ast::property_status::proposed && !a.plainly.empty()) return a.plainly;
        if (!s.callbacks.empty() && !a.with_handlers.empty()) return a.with_handlers;
        if (a.kept) return {};
      }
    }
    const auto from = std::find_if(std::begin(bases), std::end(bases), [&](const base& b) { return b.variant == variant; });
    more = from != std::end(bases);
    if (more) variant = from->from;
  }
  return {};
}

std::string known_breaks::claimed(std::string_view variant, std::string_view property) const {
  for (;;) {
    if (const auto found = by_variant_.find(variant); found != by_variant_.end())
      if (const auto at = found->second.find(property); at != found->second.end() && !at->second.claimed.empty())
        return at->second.claimed;
    const auto from = std::find_if(std::begin(bases), std::end(bases), [&](const base& b) { return b.variant == variant; });
    if (from == std::end(bases)) return {};
    variant = from->from;
  }
}

}  // namespace quiesce::conformance
