// SPDX-License-Identifier: MIT
// What the batching series changes, in counts: walks of the FIB, what is left behind, runs that never end.

#include <gtest/gtest.h>

#include <unistd.h>

#include <stdexcept>

#include "refimpl/bench/child.hpp"
#include "refimpl/bench/delete_devices.hpp"

namespace quiesce::bench {
namespace {

constexpr std::size_t devices = 40, routes = 500;

deletion_result run(const std::string& variant, deletion_way way, device_load load, std::size_t of_routes = routes) {
  return delete_devices({variant, way, load, devices, of_routes});
}

TEST(bench_delete, k44_walks_the_fib_for_every_device_of_a_batch_that_has_an_address) {
  const deletion_result r = run("K44", deletion_way::one_batch, device_load::address);
  EXPECT_GE(r.fib_walks, devices);
  EXPECT_GE(r.aliases_visited, devices * routes);
  EXPECT_EQ(r.devices_freed, devices);
  EXPECT_EQ(r.stopped, "");
}

TEST(bench_delete, j1_walks_the_fib_at_most_twice_beyond_what_the_removal_of_addresses_causes) {
  for (device_load load : {device_load::address, device_load::nothing, device_load::route}) {
    const deletion_result r = run("J1", deletion_way::one_batch, load);
    EXPECT_LE(r.fib_walks - r.fib_walks_from_address, 2u) << name(load);
    EXPECT_EQ(r.dead_routes_left + r.neighbours_left, 0u) << name(load);
    EXPECT_EQ(r.devices_freed, devices) << name(load);
  }
}

TEST(bench_delete, reference_visits_only_affected_routes) {
  const deletion_result few = run("reference", deletion_way::one_batch, device_load::address);
  const deletion_result many = run("reference", deletion_way::one_batch, device_load::address, 4 * routes);
  EXPECT_GT(few.aliases_visited, 0u);
  EXPECT_LE(few.aliases_visited, 4 * devices);  // an address brings at most four routes
  EXPECT_EQ(many.aliases_visited, few.aliases_visited);
  EXPECT_EQ(many.neighbours_visited, few.neighbours_visited);
  EXPECT_EQ(few.dead_routes_left + few.neighbours_left, 0u);
}

TEST(bench_delete, one_by_one_j1_walks_as_often_as_k44) {
  for (device_load load : {device_load::address, device_load::nothing, device_load::route}) {
    const deletion_result k44 = run("K44", deletion_way::one_by_one, load), j1 = run("J1", deletion_way::one_by_one, load);
    EXPECT_EQ(j1.fib_walks, k44.fib_walks) << name(load);
    EXPECT_EQ(j1.aliases_visited, k44.aliases_visited) << name(load);
  }
}

TEST(bench_delete, devices_without_any_route_cause_no_walk_in_any_variant) {
  for (const char* variant : {"K44", "P1a", "P1b", "J1", "E1", "reference"})
    EXPECT_EQ(run(variant, deletion_way::one_batch, device_load::nothing).fib_walks, 0u) << variant;
}

TEST(bench_delete, the_posted_series_never_ends_a_batch_of_several_devices) {
  const deletion_result r = run("P1", deletion_way::one_batch, device_load::address);
  EXPECT_NE(r.stopped.find("endless traversal"), std::string::npos) << r.stopped;
  EXPECT_EQ(r.devices_freed, 0u);
}

TEST(bench_delete, p1a_lets_go_of_rtnl_with_dead_routes_left) {
  const deletion_result r = run("P1a", deletion_way::one_batch, device_load::route);
  EXPECT_EQ(r.dead_routes_left, devices);
  EXPECT_GE(r.rebroadcasts, 1u);
  EXPECT_GT(r.waits_s, 1.0);  // simulated: the repeated UNREGISTER comes after a second
  EXPECT_EQ(run("P1a", deletion_way::one_batch, device_load::address).fib_walks, 0u);
}

TEST(bench_delete, a_namespace_exit_frees_its_loopback_and_the_device_that_stays_otherwise) {
  for (const char* variant : {"K44", "J1", "reference"})
    EXPECT_EQ(run(variant, deletion_way::namespace_exit, device_load::address).devices_freed, devices + 2) << variant;
}

TEST(bench_delete, sizes_beyond_the_scenario_are_refused) {
  EXPECT_THROW(delete_devices({"K44", deletion_way::one_batch, device_load::address, 0, 1}), std::invalid_argument);
  EXPECT_THROW(delete_devices({"K44", deletion_way::one_batch, device_load::address, 70'000, 1}), std::invalid_argument);
  EXPECT_THROW(delete_devices({"K44", deletion_way::one_batch, device_load::address, 1, 3'000'000}), std::invalid_argument);
  EXPECT_THROW(delete_devices({"K45", deletion_way::one_batch, device_load::address, 1, 1}), std::invalid_argument);
}

TEST(bench_delete, every_device_brings_its_neighbours) {
  deletion_input in{"K44", deletion_way::one_batch, device_load::nothing, devices, routes};
  const std::uint64_t one = delete_devices(in).neighbours_visited;
  in.neighbours = 5;
  EXPECT_GT(delete_devices(in).neighbours_visited, 4 * one);
}

TEST(bench_child, gives_its_answer_and_its_own_peak_memory) {
  const auto with_block = [](std::size_t mb) {
    return run_in_child([mb] { return json(std::string(mb << 20, 'x').size()); }, 60);
  };
  const child_outcome small = with_block(1), large = with_block(64), again = with_block(1);
  EXPECT_EQ(large.value, json(std::size_t{64} << 20));
  EXPECT_GT(large.peak_rss_mb, small.peak_rss_mb + 50);
  EXPECT_LT(again.peak_rss_mb, large.peak_rss_mb - 50);
}

TEST(bench_child, says_why_there_is_no_answer) {
  EXPECT_EQ(run_in_child([]() -> json { throw std::runtime_error("no scenario"); }, 60).failure, "no scenario");
  EXPECT_EQ(run_in_child([]() -> json { for (volatile bool on = true; on;) {} return {}; }, 0.2).failure, "stopped after 0.2 s");
  EXPECT_EQ(run_in_child([]() -> json { _exit(3); }, 60).failure, "ended without an answer");
}

TEST(bench_deletion_result, is_the_same_after_a_round_trip) {
  const deletion_result r = run("J1", deletion_way::one_batch, device_load::address);
  EXPECT_EQ(to_json(deletion_from_json(to_json(r))), to_json(r));
}

}  // namespace
}  // namespace quiesce::bench
