// SPDX-License-Identifier: MIT
// Three small systems written three times: as a model, for spin and for rumur. All must count the same states and
// transitions.
//
// spin (-o1 -o2 -o3, -DNOREDUCE -DSAFETY: no merging of statements, no partial order) counts the initial state as stored and
// prints "transitions (= stored+matched)", which is one more than the transitions, for the initial state. An `if` or `do` is
// no step of its own: its guard is. d_step is one step. Processes never end: a Promela process that ends takes one more step
// to die. rumur counts states, and each rule fired; with --symmetry-reduction exhaustive a scalarset's states are counted by
// orbit.

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <regex>

#include "model/explicit/search.hpp"
#include "model/system/lower.hpp"
#include "model/system/system.hpp"
#include "quiesce_paths.hpp"

namespace quiesce::test {
namespace {

struct counts {
  std::uint64_t states = 0, transitions = 0;
  bool operator==(const counts&) const = default;
};
std::ostream& operator<<(std::ostream& out, const counts& c) {
  return out << c.states << " states, " << c.transitions << " transitions";
}

std::string output_of(const std::string& command) {
  std::string out;
  std::array<char, 4096> part;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe) return out;
  while (std::size_t n = fread(part.data(), 1, part.size(), pipe)) out.append(part.data(), n);
  return pclose(pipe) == 0 ? out : "failed: " + out;
}

bool installed(const char* tool) { return !output_of(std::string("command -v ") + tool).starts_with("failed"); }

std::uint64_t number_before(const std::string& text, const std::string& words) {
  std::smatch m;
  if (!std::regex_search(text, m, std::regex("([0-9]+) " + words))) ADD_FAILURE() << "no '" << words << "' in: " << text;
  return m.empty() ? 0 : std::stoull(m[1]);
}

class engine_twins : public testing::TestWithParam<std::tuple<const char*, const char*, int>> {
 protected:
  std::string name() const { return std::get<0>(GetParam()); }
  std::string source(const char* ending) const { return QUIESCE_SOURCE_DIR "/tests/differential/twins/" + name() + ending; }

  std::filesystem::path scratch() const {
    auto d = std::filesystem::temp_directory_path() / ("quiesce-twins-" + std::to_string(getpid()) + "-" + name());
    std::filesystem::create_directories(d);
    return d;
  }
  void TearDown() override { std::filesystem::remove_all(scratch()); }

  search_result ours(bool symmetry) const {
    language::source_set sources;
    instance chosen;
    chosen.scope[std::get<1>(GetParam())] = std::get<2>(GetParam());
    lowered model = lower(load_model(sources, source(".model"), {}), chosen, {});
    auto system = make_interpreter(std::move(model.program));
    search_options o;
    o.threads = 1;
    o.symmetry = symmetry;
    return explore(*system, o);
  }

  counts rumur(const char* reduction) const {
    const std::string d = scratch().string();
    output_of("rumur --deadlock-detection off --symmetry-reduction " + std::string(reduction) + " --output " + d + "/r.c " +
              source(".m"));
    std::string built = output_of("cc -O1 -std=c11 -mcx16 -o " + d + "/r " + d + "/r.c -lpthread -latomic");
    std::string text = output_of(d + "/r");
    return {number_before(text, "states, "), number_before(text, "rules fired")};
  }
};

TEST_P(engine_twins, spin_counts_the_same) {
  if (!installed("spin")) GTEST_SKIP() << "spin is not installed";
  const std::string d = scratch().string();
  output_of("cd " + d + " && spin -a -o1 -o2 -o3 " + source(".pml"));
  output_of("cd " + d + " && cc -O1 -w -DNOREDUCE -DSAFETY -o pan pan.c");
  const std::string text = output_of("cd " + d + " && ./pan -m100000 -c0");
  const search_result mine = ours(false);
  ASSERT_TRUE(mine.complete);
  EXPECT_EQ((counts{mine.states, mine.transitions}),
            (counts{number_before(text, "states, stored"), number_before(text, "transitions") - 1}));
  EXPECT_FALSE(mine.deadlock);
}

TEST_P(engine_twins, rumur_counts_the_same) {
  if (!installed("rumur")) GTEST_SKIP() << "rumur is not installed";
  const search_result mine = ours(false);
  EXPECT_EQ((counts{mine.states, mine.transitions}), rumur("off"));
}

// Where nothing left the group the orbits are the same. Where something did, the note says so, and the reduced states lie
// between. Peterson's turn starts with one side, so its sides are told apart here and are a plain range there.
TEST_P(engine_twins, rumur_counts_the_same_orbits) {
  if (!installed("rumur")) GTEST_SKIP() << "rumur is not installed";
  const search_result mine = ours(true), full = ours(false);
  const counts theirs = rumur("exhaustive");
  if (mine.symmetry_note.empty()) {
    EXPECT_EQ((counts{mine.states, mine.transitions}), theirs);
    EXPECT_GT(mine.group_order, 1u);
  } else {
    EXPECT_GE(mine.states, theirs.states) << mine.symmetry_note;
    EXPECT_LE(mine.states, full.states) << mine.symmetry_note;
    EXPECT_LE(full.states, mine.states * mine.group_order);
  }
}

INSTANTIATE_TEST_SUITE_P(twins, engine_twins,
                         testing::Values(std::tuple{"peterson", "side", 2}, std::tuple{"trylock", "task", 3},
                                         std::tuple{"teardown_queue", "dev", 3}),
                         [](const auto& info) { return std::get<0>(info.param); });

}  // namespace
}  // namespace quiesce::test
