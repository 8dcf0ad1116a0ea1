// SPDX-License-Identifier: MIT
// Which elements of models are interchangeable, and that those that are not stay apart: the reduced states are exactly the
// representatives of the reachable ones.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "model/explicit/search.hpp"
#include "model/explicit/symmetry.hpp"
#include "model/verdict/check.hpp"
#include "quiesce_paths.hpp"
#include "tests/support/model_text.hpp"

namespace quiesce::test {
namespace {

using states = std::set<std::vector<word>>;

states explored(const transition_system& s, bool reduced) {
  search_options o;
  o.threads = 1;
  o.symmetry = reduced;
  states out;
  for (auto& x : reachable_states(s, o)) out.insert(x);
  return out;
}

// Expects a group of this order, and that it is right.
void expect_group(const transition_system& s, std::uint64_t order) {
  const symmetry group(s);
  EXPECT_EQ(group.order(), order) << group.why();
  const states all = explored(s, false);
  states representatives;
  const auto canonical = group.make_canonicaliser();
  for (std::vector<word> x : all)
    for (std::uint64_t g = 0; g < group.order(); ++g) {
      std::vector<word> image = x;
      group.permute(image.data(), g);
      canonical->canonical(image.data());
      canonical->canonical(x.data());
      EXPECT_EQ(image, x);
      representatives.insert(x);
    }
  EXPECT_EQ(representatives, explored(s, true));
}

const std::string take_one = "process p { atomic { choose e: dev where !used(e); used(e) := true; last := e; } }\n";

TEST(symmetry_groups, elements_that_nothing_names) {
  expect_group(*from_text("sort dev;\nvar used: dev -> bool;\nvar last: option<dev>;\n" + take_one, {{"dev", 3}}), 6);
}
TEST(symmetry_groups, none_where_there_are_too_many_initial_states) {
  const auto system =
      from_text("sort dev;\nvar t: dev, dev -> bool = any;\nvar n: dev -> 0..2 = any;\nprocess p { skip; }\n", {{"dev", 4}});
  const symmetry group(*system);
  EXPECT_TRUE(group.trivial());
  EXPECT_EQ(group.why(), "not used: more than 2097152 initial states\n");
}
TEST(symmetry_groups, a_named_element_leaves) {
  expect_group(*from_text("sort dev = 3 with d0;\nvar used: dev -> bool;\nvar last: option<dev>;\n" + take_one +
                              "process q { atomic { wait until used(d0); used(d0) := false; } }\n",
                          {}),
               2);
}
TEST(symmetry_groups, named_places_that_are_written_leave) {
  expect_group(*from_text("sort dev = 4 with d0, d1;\nvar used: dev -> bool;\nvar last: option<dev>;\n" + take_one +
                              "process q { atomic { used(d0) := true; used(d1) := true; } }\n",
                          {}),
               2);
}
TEST(symmetry_groups, orders_are_permuted_with_what_they_order) {
  expect_group(
      *from_text("sort dev;\nvar used: dev -> bool;\nvar last: option<dev>;\nrigid before: dev, dev -> bool "
                 "where (all x: dev : !before(x, x)) && (all x: dev, y: dev : x == y || before(x, y) || before(y, x)) "
                 "&& (all x: dev, y: dev, z: dev : before(x, y) && before(y, z) => before(x, z));\n" +
                     take_one,
                 {{"dev", 3}}),
      6);  // each order is an initial state, so they are permuted together
}

// Elements that all signatures leave equal, and that are not alike: cycles of two lengths among them. Functions from four
// elements to themselves, up to names: 19, from five: 47 (OEIS A001372).
TEST(symmetry_groups, cycles_are_told_apart) {
  const std::string text = "sort el;\nvar next: el -> el = any;\nprocess p { skip; }\n";
  for (const auto& [n, orbits] : std::map<std::int64_t, std::size_t>{{3, 7}, {4, 19}, {5, 47}}) {
    const auto system = from_text(text, {{"el", n}});
    search_options o;
    o.threads = 1;
    o.symmetry = true;
    EXPECT_EQ(explore(*system, o).states, 2 * orbits) << n;  // p has taken its step or not
  }
  expect_group(*from_text(text, {{"el", 4}}), 24);
}

struct of_rules : testing::TestWithParam<std::vector<const char*>> {};

// Rules that remember something of each device of a batch, one at a time and together.
TEST_P(of_rules, of_batches_lose_nothing) {
  catalogue inputs(QUIESCE_SOURCE_DIR);
  question q{&inputs.model(inputs.model_path("teardown")), {}, {}};
  q.settings.variant = "J1";
  q.settings.scope = {{"dev", 2}, {"net", 2}};
  for (const char* name : GetParam()) q.properties.push_back(&inputs.property(name));
  const prepared_check check(inputs, q);
  expect_group(check.system(), 4);
}

INSTANTIATE_TEST_SUITE_P(symmetry_groups, of_rules,
                         testing::Values(std::vector<const char*>{"unlist_before_unregister"},
                                         std::vector<const char*>{"final_after_barrier", "arp_walks_at_most_twice"},
                                         std::vector<const char*>{"all_unregister_before_any_uninit", "freed_once",
                                                                  "rollback_stops_all_before_down"}));

}  // namespace
}  // namespace quiesce::test
