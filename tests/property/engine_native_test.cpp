// SPDX-License-Identifier: MIT
// Compiled steps against the interpreter's: random programs, and one group of claims of each shipped model.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "model/explicit/native_cache.hpp"
#include "model/explicit/search.hpp"
#include "model/verdict/catalogue.hpp"
#include "model/verdict/claim.hpp"
#include "quiesce_paths.hpp"
#include "tests/support/random_program.hpp"

namespace quiesce::test {
namespace {

namespace fs = std::filesystem;

// A cache of our own for as long as the test runs.
struct private_cache {
  std::string directory = (fs::temp_directory_path() / "quiesce_native_XXXXXX").string();
  private_cache() {
    if (!mkdtemp(directory.data())) throw std::runtime_error("no temporary directory");
    setenv("XDG_CACHE_HOME", directory.c_str(), 1);
  }
  ~private_cache() {
    std::error_code ignored;
    fs::remove_all(directory, ignored);
  }
  std::vector<fs::path> entries() const {
    std::vector<fs::path> out;
    for (const auto& e : fs::directory_iterator(fs::path(directory) / "quiesce")) out.push_back(e.path());
    return out;
  }
};

std::string difference(const finding& a, const finding& b) {
  if (a.depth != b.depth || a.run.steps.size() != b.run.steps.size()) return "length of a run";
  for (std::size_t i = 0; i < a.run.steps.size(); ++i) {
    const trace_step &x = a.run.steps[i], &y = b.run.steps[i];
    if (x.state != y.state || x.process != y.process || x.instance != y.instance || x.outcome != y.outcome ||
        x.kind != y.kind)
      return "step of a run";
  }
  return "";
}

template <class map>
std::string difference(const map& a, const map& b) {
  if (a.size() != b.size()) return "number of errors or bounds";
  for (auto i = a.begin(), j = b.begin(); i != a.end(); ++i, ++j)
    if (i->first != j->first || !difference(i->second, j->second).empty()) return "errors or bounds";
  return "";
}

std::string difference(const std::optional<finding>& a, const std::optional<finding>& b) {
  if (a.has_value() != b.has_value()) return "what is found";
  return a ? difference(*a, *b) : "";
}

// Nothing where both searches say the same in everything.
std::string difference(const search_result& a, const search_result& b) {
  if (a.states != b.states || a.transitions != b.transitions || a.depth != b.depth) return "counts";
  if (a.complete != b.complete || a.marked != b.marked) return "completeness or triggers";
  for (std::size_t i = 0; i < a.properties.size(); ++i)
    if (auto d = difference(a.properties[i], b.properties[i]); !d.empty()) return d;
  for (const auto& d : {difference(a.errors, b.errors), difference(a.bounds, b.bounds), difference(a.deadlock, b.deadlock)})
    if (!d.empty()) return d;
  return "";
}

std::string native_differs(const transition_system& s, bool symmetry, std::uint64_t most) {
  search_options o;
  o.threads = 1;
  o.symmetry = symmetry;
  o.max_states = most;
  const search_result interpreted = explore(s, o);
  o.native = native_mode::wait;
  for (unsigned threads : {1u, 2u}) {
    o.threads = threads;
    o.grain = threads == 1 ? 128 : 1;
    const search_result compiled = explore(s, o);
    if (!compiled.native_note.empty()) return compiled.native_note;
    if (interpreted.states && compiled.native_levels == 0) return "compiled steps were not used";
    if (most && !interpreted.complete) return "more states than this test is for";
    if (auto d = difference(interpreted, compiled); !d.empty()) return d;
  }
  return "";
}

TEST(engine_native, random_programs_have_the_same_searches) {
  if (find_compiler().path.empty()) GTEST_SKIP() << "no compiler";
  private_cache here;
  int left = 24;  // each costs a compiler
  rc::check([&] {
    if (left <= 0) return;
    program_shape shape;
    shape.names_elements = *rc::gen::arbitrary<bool>();
    auto system = make_interpreter(
        random_program([](int low, int high) { return *rc::gen::resize(100, rc::gen::inRange(low, high + 1)); }, shape));
    search_options o;
    o.threads = 1;
    o.max_states = 3000;
    o.traces = false;
    const search_result first = explore(*system, o);
    if (!first.complete || first.states < 20) RC_DISCARD("not of a size to compare");
    --left;
    const std::string d = native_differs(*system, shape.names_elements, 0);
    if (!d.empty()) RC_FAIL(d);
  });
}

TEST(engine_native, shipped_models_have_the_same_searches) {
  if (find_compiler().path.empty()) GTEST_SKIP() << "no compiler";
  private_cache here;
  catalogue inputs(QUIESCE_SOURCE_DIR);
  std::set<std::string> models;
  std::vector<const claim_entry*> chosen;
  for (const claim_entry* c : inputs.all_claims())
    if (models.insert(c->claim.model).second) chosen.push_back(c);
  ASSERT_GE(models.size(), 8u);
  for (const claim_group& g : group_claims(inputs, chosen))
    EXPECT_EQ(native_differs(g.check.system(), false, 0), "") << g.claims[0]->claim.name;
}

// The cache holds code that would be run: what is not as it was put there is made again.
TEST(engine_native, corrupt_and_foreign_entries_are_built_again) {
  if (find_compiler().path.empty()) GTEST_SKIP() << "no compiler";
  private_cache here;
  catalogue inputs(QUIESCE_SOURCE_DIR);
  const auto groups = group_claims(inputs, {inputs.all_claims().front()});
  const transition_system& s = groups.front().check.system();
  ASSERT_EQ(native_differs(s, false, 0), "");
  ASSERT_EQ(here.entries().size(), 1u);
  const fs::path entry = here.entries().front();
  const auto size = fs::file_size(entry);
  {
    std::fstream file(entry, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(size / 2));
    file.write("\xcc\xcc\xcc\xcc", 4);
  }
  ASSERT_EQ(native_differs(s, false, 0), "");
  ASSERT_EQ(fs::file_size(entry), size);
  fs::resize_file(entry, size / 3);
  ASSERT_EQ(native_differs(s, false, 0), "");
  ASSERT_EQ(fs::file_size(entry), size);
  fs::permissions(entry, fs::perms::group_write, fs::perm_options::add);
  ASSERT_EQ(native_differs(s, false, 0), "");
  EXPECT_EQ(fs::status(entry).permissions() & fs::perms::group_write, fs::perms::none);
  fs::permissions(entry.parent_path(), fs::perms::others_write, fs::perm_options::add);
  EXPECT_EQ(native_differs(s, false, 0), "there is no cache directory");
}

TEST(engine_native, the_cache_keeps_what_was_used_last) {
  private_cache here;
  const auto cache = native_cache::open();
  ASSERT_TRUE(cache);
  const fs::path directory = fs::path(here.directory) / "quiesce";
  const auto now = fs::file_time_type::clock::now();
  for (int k = 0; k < 6; ++k) {
    const fs::path entry = directory / (std::to_string(k) + ".so");
    std::ofstream(entry) << std::string(1000, 'x');
    fs::last_write_time(entry, now - std::chrono::hours((k * 5) % 6));  // 5 is the youngest but one
  }
  fs::create_directory(directory / "make.live");
  fs::create_directory(directory / "make.left");
  fs::last_write_time(directory / "make.left", now - std::chrono::hours(50));
  cache->prune(3500);
  std::set<std::string> left;
  for (const fs::path& p : here.entries()) left.insert(p.filename().string());
  EXPECT_EQ(left, (std::set<std::string>{"0.so", "5.so", "4.so", "make.live"}));
}

}  // namespace
}  // namespace quiesce::test
