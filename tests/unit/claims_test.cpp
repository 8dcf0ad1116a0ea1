// SPDX-License-Identifier: MIT
// What the shipped claims promise beside their verdicts: which known bugs they show, and how.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "model/verdict/claim.hpp"
#include "model/verdict/nearest.hpp"
#include "tests/support/repository.hpp"

namespace quiesce::test {
namespace {

catalogue& shipped() {
  static catalogue inputs(repository().string());
  return inputs;
}

const claim_entry* claim_named(const std::string& name) {
  for (const claim_entry* c : shipped().all_claims())
    if (c->claim.name == name) return c;
  return nullptr;
}

bool shows_a_bug(ast::expectation e) { return e == ast::expectation::violated || e == ast::expectation::deadlock; }

std::map<std::string, std::vector<const claim_entry*>> claims_of_bugs() {
  std::map<std::string, std::vector<const claim_entry*>> found;
  for (const claim_entry* c : shipped().all_claims())
    for (const std::string& bug : c->claim.bugs) found[bug].push_back(c);
  return found;
}

std::set<std::string> bugs_of_the_table() {
  std::set<std::string> bugs;
  std::smatch row;
  for (const std::string& line : lines_of(read_text(repository() / "model/netdev/README.md")))
    if (std::regex_match(line, row, std::regex(R"(\| (HB[0-9]+) \| .* \|)"))) bugs.insert(row[1]);
  return bugs;
}

TEST(claims, name_the_bugs_of_the_table_and_no_others) {
  const std::set<std::string> table = bugs_of_the_table();
  EXPECT_GE(table.size(), 19u);
  std::set<std::string> named;
  for (const auto& [bug, claims] : claims_of_bugs()) {
    named.insert(bug);
    const auto broken = [](const claim_entry* c) { return c->claim.expect == ast::expectation::violated; };
    EXPECT_TRUE(std::any_of(claims.begin(), claims.end(), broken)) << bug;
  }
  EXPECT_EQ(named, table);
}

// The claim in the last column of each row below "Looks like a bug".
TEST(claims, hold_for_what_looks_like_a_bug_and_is_not) {
  const std::string readme = read_text(repository() / "model/netdev/README.md");
  std::size_t rows = 0;
  std::smatch row;
  for (const std::string& line : lines_of(readme.substr(readme.find("## Looks like a bug")))) {
    if (!std::regex_match(line, row, std::regex(R"(\| .* \| `(\w+)` \|)"))) continue;
    const claim_entry* c = claim_named(row[1]);
    ASSERT_TRUE(c) << row[1];
    EXPECT_EQ(c->claim.expect, ast::expectation::holds) << row[1];
    ++rows;
  }
  EXPECT_GE(rows, 9u);
}

// L1, L2, ... of the rule lists that the properties implement.
std::set<std::string> rules() {
  const std::map<std::string, int> lists = {{"L", 13}, {"E", 19}, {"O", 12}, {"F", 10}, {"N", 13},
                                            {"R", 10}, {"W", 11}, {"NS", 7}, {"G", 12}};
  std::set<std::string> names;
  for (const auto& [list, count] : lists)
    for (int i = 1; i <= count; ++i) names.insert(list + std::to_string(i));
  return names;
}

TEST(properties, implement_every_rule_or_say_why_not) {
  std::set<std::string> found;
  for (const property_entry& p : shipped().properties()) {
    if (p.origin != property_origin::shipped) continue;
    found.insert(p.property.rules.begin(), p.property.rules.end());
  }
  const std::string readme = read_text(repository() / "properties/README.md");
  std::smatch row;
  for (const std::string& line : lines_of(readme.substr(readme.find("Rules that are no property of their own")))) {
    if (!std::regex_match(line, row, std::regex(R"(\| ([A-Z0-9, ]+) \| .*\w.* \|)"))) continue;
    const std::string names = row[1];
    const std::regex name("[A-Z]+[0-9]+");
    found.insert(std::sregex_token_iterator(names.begin(), names.end(), name), std::sregex_token_iterator());
  }
  EXPECT_EQ(found, rules());
}

TEST(claims, have_names_of_their_own) {
  std::set<std::string> names;
  for (const claim_entry* c : shipped().all_claims()) EXPECT_TRUE(names.insert(c->claim.name).second) << c->claim.name;
}

std::size_t size_of(const claim_entry* c) {
  std::size_t size = 0;
  for (const ast::named_integer& n : c->claim.scope) size += static_cast<std::size_t>(n.value);
  return size;
}

bool in_kernel(const step_text& s) {
  return std::any_of(s.path.begin(), s.path.end(), [](const ir::frame& f) { return !f.kernel_function.empty(); });
}

TEST(claims, show_each_known_bug_by_a_shortest_run_in_kernel_functions) {
  for (const auto& [bug, claims] : claims_of_bugs()) {
    std::vector<const claim_entry*> broken;
    std::copy_if(claims.begin(), claims.end(), std::back_inserter(broken),
                 [](auto* c) { return shows_a_bug(c->claim.expect); });
    const claim_entry* least =
        *std::min_element(broken.begin(), broken.end(), [](auto* a, auto* b) { return size_of(a) < size_of(b); });
    const claim_report found = evaluate(group_claims(shipped(), {least}), {least}, {.threads = 1}, {});
    ASSERT_EQ(found.unexpected, 0u) << least->claim.name;
    const verdict& v = found.answers[0].verdicts[found.results[0].property];
    ASSERT_TRUE(v.counterexample) << least->claim.name;
    EXPECT_TRUE(v.counterexample->shortest);
    const std::vector<step_text>& steps = v.counterexample->steps;
    EXPECT_TRUE(in_kernel(steps.back())) << least->claim.name;
    // What is outside is the environment: who calls, and with which devices.
    EXPECT_GT(2 * std::count_if(steps.begin(), steps.end(), in_kernel), static_cast<std::ptrdiff_t>(steps.size() - 1))
        << least->claim.name;
  }
}

TEST(nearest, changes_the_fewest_options) {
  const auto all = shipped().all_claims();
  const auto of = [&](const char* claim) {
    return nearest_claimed(shipped(), situation_of(shipped(), *claim_named(claim)), all);
  };
  const auto p1 = of("fib_neigh_P1_no_foreign_neighbour_removed");
  ASSERT_TRUE(p1);
  EXPECT_EQ(name_of(*p1), "K44 with_fib=false");  // the series itself breaks it; options that belong to the situation stay
  EXPECT_EQ(changes_of(*p1), "deferred_flush = false, batch_rebroadcast = false");
  const auto j1 = of("fib_neigh_J1_no_foreign_neighbour_removed");
  ASSERT_TRUE(j1);
  EXPECT_EQ(name_of(*j1), "one_net with_fib=false");
  EXPECT_EQ(changes_of(*j1), "arp_scope = one_net, null_matches = false");
}

TEST(nearest, is_found_by_checking_where_nothing_claims_it) {
  std::vector<std::string> undecided;
  const situation asked = situation_of(shipped(), *claim_named("R16_short_release_exact"));
  EXPECT_FALSE(nearest_claimed(shipped(), asked, shipped().all_claims()));
  const auto found = nearest_checked(shipped(), asked, {.threads = 1, .max_states = 100000, .stop_early = true}, undecided);
  ASSERT_TRUE(found);
  EXPECT_EQ(name_of(*found), "R1");
  EXPECT_TRUE(undecided.empty());
}

}  // namespace
}  // namespace quiesce::test
