// SPDX-License-Identifier: MIT
// Which code of the stack a variant and the options of a model stand for.
#include <fmt/format.h>

#include "conformance/counterexample.hpp"

namespace quiesce::conformance {

namespace {

using refimpl::mutation;
using refimpl::variant_policy;

template <mutation m>
void mutant(variant_policy& p) {
  p.mutant = m;
}
void same(variant_policy&) {}

// A variant of a model that has another name in the stack, or is a change of one. "*": of every model that has it.
struct counterpart {
  const char *model, *variant, *base, *change;
  void (*apply)(variant_policy&);
};
constexpr counterpart counterparts[] = {
    {"*", "K61", "6.1", "", same},
    {"*", "K618", "6.18", "", same},
    {"fib_neigh", "P1", "P1b", "", same},  // over an event list that works
    {"fib6_gc", "rechecked", "grecheck", "", same},
    {"*", "P618", "J618", "batch events behind ndo_uninit",
     [](variant_policy& p) { p.batch_at = refimpl::batch_place::after_uninit; }},
    {"proxy_queue", "K60", "K44", "a purge of one namespace",
     [](variant_policy& p) { p.proxy_purge = refimpl::proxy_purge_rule::per_net; }},
    {"replay", "K417", "K44", "pernet_ops_rwsem", [](variant_policy& p) { p.pernet_ops_rwsem = true; }},
    {"replay", "no_going_down", "K44", "replay_without_going_down", mutant<mutation::replay_without_going_down>},
    {"replay", "stays_on_chain", "K44", "refused_stays", mutant<mutation::refused_stays>},
    {"teardown", "unlist_late", "K44", "unlist_too_late", mutant<mutation::unlist_too_late>},
    {"teardown", "no_gp1", "J1", "no_first_grace_period", mutant<mutation::no_first_grace_period>},
    {"teardown", "no_gp2", "J1", "no_second_grace_period", mutant<mutation::no_second_grace_period>},
    {"namespaces", "closes_down", "K44", "close_of_down_devices", mutant<mutation::close_of_down_devices>},
    {"namespaces", "queued_twice", "K44", "queued_twice", mutant<mutation::queued_twice>},
    {"namespaces", "not_pushed", "K44", "physical_not_pushed", mutant<mutation::physical_not_pushed>},
    {"namespaces", "loopback_first", "K44", "loopback_first", mutant<mutation::loopback_first>},
    {"namespaces", "move_without_batch", "P1b", "move_without_batch", mutant<mutation::move_without_batch>},
    {"namespaces", "any_order_only", "K44", "freed in any order",
     [](variant_policy& p) { p.wait = refimpl::wait_rule::rany; }},
    {"namespaces", "no_wait", "K44", "no rtnl_lock_unregistering",
     [](variant_policy& p) { p.exit = refimpl::exit_rule::plain; }},
    {"fib_neigh", "quiet", "P1a", "no batch event of a rebroadcast", [](variant_policy& p) { p.rebroadcast_batch = false; }},
    {"fib_neigh", "siblings_live", "K44", "sibling_nexthop_lives", mutant<mutation::sibling_nexthop_lives>},
    {"fib_neigh", "uncached_kept", "K44", "uncached_kept", mutant<mutation::uncached_kept>},
    {"proxy_queue", "no_purge", "K44", "queue_not_purged",
     [](variant_policy& p) {
       p.proxy_purge = refimpl::proxy_purge_rule::per_device;
       p.mutant = mutation::queue_not_purged;
     }},
    {"wait_allrefs", "rtnl_while_waiting", "RLZ", "todo_under_rtnl", mutant<mutation::todo_under_rtnl>},
    {"wait_backoff", "eager_rebroadcast", "K44", "eager_rebroadcast", mutant<mutation::eager_rebroadcast>},
    {"wait_backoff", "eager_warning", "K44", "eager_warning", mutant<mutation::eager_warning>},
    {"fib6_gc", "timer_never_armed", "G618", "gc_timer_not_armed", mutant<mutation::gc_timer_not_armed>},
    {"fib6_gc", "rechecked_G520", "G520", "a second look at last_gc", [](variant_policy& p) { p.gc.recheck = true; }},
};

// Options that change the code; all others say what the environment does, and become the scenario.
struct option_change {
  const char *option, *value;
  void (*apply)(variant_policy&);  // NULL: the stack has nothing that stands for it
};
constexpr option_change option_changes[] = {
    {"net_ns", "false", [](variant_policy& p) { p.net_ns = false; }},
    {"drop_rtnl", "true", mutant<mutation::rtnl_dropped_in_rollback>},
    {"uppers_stay", "true", mutant<mutation::uppers_left_alone>},
    {"instance_lock", "omitted", [](variant_policy& p) { p.instance_lock = false; }},
    {"todo_barrier", "false", mutant<mutation::no_barrier_in_todo>},
    {"multipath", "false", nullptr},
};

stack_version named(const std::string& model, const std::string& variant) {
  for (const counterpart& c : counterparts) {
    if (c.variant != variant || (c.model != std::string_view("*") && c.model != model)) continue;
    stack_version v{c.base, refimpl::variant(c.base), {}, *c.change == 0};
    c.apply(v.policy);
    if (*c.change != 0) v.name += fmt::format(" + {}", c.change);
    return v;
  }
  if (const auto found = refimpl::find_variant(variant)) return {variant, *found, {}, true};
  return {variant, {}, "the stack has no such variant", false};
}

}  // namespace

stack_version version_of(const std::string& model, const instance& settings) {
  stack_version v = named(model, settings.variant);
  if (!v.why_not.empty()) return v;
  if (const auto mistake = settings.options.find("mistake"); mistake != settings.options.end())
    return {fmt::format("{} + {}", settings.variant, mistake->second), {}, "the stack has no such mutant", false};
  for (const auto& [name, value] : settings.options)
    for (const option_change& c : option_changes) {
      if (c.option != name || c.value != value) continue;
      if (c.apply == nullptr) v.why_not = fmt::format("nothing in the stack stands for {} = {}", name, value);
      if (c.apply != nullptr) c.apply(v.policy), v.as_is = false;
    }
  return v;
}

}  // namespace quiesce::conformance
