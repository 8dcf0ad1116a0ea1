// SPDX-License-Identifier: MIT
// Shipped models, exported: spin and rumur count the states that the explicit engine counts, and find what it finds.
//
// spin (pan -c0 goes on behind violations) has one state more, before the initial ones. A rule of rumur ends where it breaks
// a property, so states are compared where nothing is broken, and so is whether a deadlock exists. rumur's rules are the
// model's transitions and one for each state in which everybody rests.

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "model/explicit/search.hpp"
#include "model/export/export.hpp"
#include "model/verdict/check.hpp"
#include "model/verdict/claim.hpp"
#include "quiesce_paths.hpp"

namespace quiesce::test {
namespace {

struct twin {
  std::string model;
  instance settings;
  std::string property;  // or nothing
};

twin of(const std::string& model, const std::string& variant, std::map<std::string, std::int64_t> scope,
        const std::string& property = {}) {
  twin t{model, {}, property};
  t.settings.variant = variant;
  t.settings.scope = std::move(scope);
  return t;
}

std::ostream& operator<<(std::ostream& out, const twin& t) {
  out << t.model << ' ' << t.settings.variant << ' ' << t.settings.environment << ' ' << t.property;
  for (const auto& [name, n] : t.settings.scope) out << ' ' << name << '=' << n;
  return out;
}

std::string output_of(const std::string& command) {
  std::string out;
  std::array<char, 4096> part;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe) return out;
  while (std::size_t n = fread(part.data(), 1, part.size(), pipe)) out.append(part.data(), n);
  pclose(pipe);
  return out;
}

bool installed(const char* tool) { return !output_of(std::string("command -v ") + tool).empty(); }

std::optional<std::uint64_t> number_before(const std::string& text, const std::string& words) {
  std::smatch m;
  if (!std::regex_search(text, m, std::regex("([0-9]+) " + words))) return std::nullopt;
  return std::stoull(m[1]);
}

catalogue& shipped() {
  static catalogue inputs(QUIESCE_SOURCE_DIR);
  return inputs;
}

// What an engine found, in the words of the exporters.
struct findings {
  std::uint64_t states = 0;
  std::set<std::string> broken;
  bool deadlock = false;
};

std::string word_for(const std::string& name) {
  std::string out;
  for (const char c : name) out += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return out;
}

class directory {
 public:
  directory() : path_(std::filesystem::temp_directory_path() / ("quiesce-exported-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~directory() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string in() const { return "cd " + path_.string() + " && "; }
  void write(const std::string& name, const std::string& text) const { std::ofstream(file(name)) << text; }

 private:
  std::filesystem::path path_;
};

// How often rumur evaluates rules in one state: once for each combination of what their rulesets range over.
std::uint64_t rule_instances(const std::string& exported) {
  std::map<std::string, std::uint64_t> sizes;
  const std::regex type("\n  (\\w+): (?:0 \\.\\. (\\d+)|scalarset\\((\\d+)\\));");
  for (auto it = std::sregex_iterator(exported.begin(), exported.end(), type); it != std::sregex_iterator(); ++it)
    sizes[(*it)[1]] = (*it)[2].matched ? std::stoull((*it)[2]) + 1 : std::stoull((*it)[3]);
  std::uint64_t all = 0;
  const std::regex ruleset("\nruleset ([^\n]*) do\n"), parameter("(\\w+): (\\w+)");
  for (auto it = std::sregex_iterator(exported.begin(), exported.end(), ruleset); it != std::sregex_iterator(); ++it) {
    const std::string parameters = (*it)[1];
    std::uint64_t n = 1;
    for (auto p = std::sregex_iterator(parameters.begin(), parameters.end(), parameter); p != std::sregex_iterator(); ++p)
      n *= std::max<std::uint64_t>(1, sizes[(*p)[2]]);
    all += n;
  }
  return all;
}

class comparison {
 public:
  explicit comparison(const twin& t) {
    question q{&shipped().model(shipped().model_path(t.model)), t.settings, {}};
    if (!t.property.empty()) q.properties.push_back(&shipped().property(t.property));
    check_ = std::make_unique<prepared_check>(shipped(), std::move(q));
  }

  // False where there are too many states for a test.
  bool explore_here(std::uint64_t most) {
    search_options o;
    o.threads = 1;
    o.max_states = most;
    o.traces = false;
    const search_result r = explore(system(), o);
    if (!r.complete) return false;
    transitions_ = r.transitions;
    ours_.states = r.states;
    ours_.deadlock = r.deadlock.has_value();
    for (std::size_t k = 0; k < r.properties.size(); ++k) {
      const ir::checked_property& c = system().program().properties[k];
      if (r.properties[k] && c.errors.empty())
        ours_.broken.insert((c.sometimes ? "not_reached_" : "property_") + word_for(c.name));
    }
    for (const auto& [kind, f] : r.errors) ours_.broken.insert(std::string("no_error_") + ir::name(kind));
    for (const auto& [kind, f] : r.bounds) ours_.broken.insert(std::string("within_bound_") + ir::name(kind));
    return true;
  }

  void spin() const {
    const directory d;
    d.write("m.pml", exporting::write_promela(system(), {"a test"}));
    const std::string made = output_of(d.in() + "spin -a -o1 -o2 -o3 m.pml && cc -O0 -w -DNOREDUCE -DSAFETY -o pan pan.c");
    const std::string text = output_of(d.in() + "./pan -m2000000 -c0 | sort -u");
    const auto states = number_before(text, "states, stored");
    ASSERT_TRUE(states && text.find("max search depth") == std::string::npos) << made << text;
    EXPECT_EQ(*states - 1, ours_.states);
    findings theirs;
    const std::regex said("assertion violated ([a-z0-9A-Z_]+)");
    for (auto it = std::sregex_iterator(text.begin(), text.end(), said); it != std::sregex_iterator(); ++it)
      (*it)[1] == "no_deadlock" ? void(theirs.deadlock = true) : void(theirs.broken.insert((*it)[1]));
    EXPECT_EQ(theirs.broken, ours_.broken) << text;
    EXPECT_EQ(theirs.deadlock, ours_.deadlock) << text;
  }

  // False where it would take hours, or a loop in one step chooses more often than the Murphi text has parameters for.
  bool rumur() const {
    constexpr std::uint64_t most_evaluations = 200'000'000;
    const std::string exported = exporting::write_murphi(system(), {"a test"});
    if (rule_instances(exported) * ours_.states > most_evaluations) return false;
    const std::string text = run_rumur(exported, "off");
    if (text.find("chooses more often than this text provides for") != std::string::npos) return false;  // it says so itself
    compare_with_rumur(text);
    return true;
  }

  void compare_with_rumur(const std::string& text) const {
    findings theirs;
    const std::regex said("(property|not reached|no error|within bound): ([^\n\"]+)");
    for (auto it = std::sregex_iterator(text.begin(), text.end(), said); it != std::sregex_iterator(); ++it)
      theirs.broken.insert(word_for((*it)[1].str() + "_" + (*it)[2].str()));
    if (!ours_.broken.empty()) {
      EXPECT_FALSE(theirs.broken.empty()) << text;
      for (const std::string& b : theirs.broken) EXPECT_TRUE(ours_.broken.count(b)) << b;
      return;
    }
    EXPECT_EQ(theirs.broken, ours_.broken) << text;
    EXPECT_EQ(text.find("deadlock\n") != std::string::npos, ours_.deadlock) << text;
    EXPECT_EQ(number_before(text, "states, "), ours_.states) << text;
    if (ours_.deadlock) return;  // rumur ends there
    EXPECT_EQ(number_before(text, "rules fired in"), transitions_ + resting_states()) << text;
  }

  // The orbits, where rumur's group is the engine's. False where it is smaller.
  bool orbits() const {
    exporting::export_options how{"a test"};
    how.symmetry = true;
    const std::string exported = exporting::write_murphi(system(), how);
    search_options o;
    o.threads = 1;
    o.symmetry = true;
    o.traces = false;
    const search_result mine = explore(system(), o);
    std::uint64_t order = 1;
    const std::regex declared("scalarset\\(([0-9]+)\\)");
    for (auto it = std::sregex_iterator(exported.begin(), exported.end(), declared); it != std::sregex_iterator(); ++it)
      for (std::uint64_t k = 2; k <= std::stoull((*it)[1]); ++k) order *= k;
    if (order != mine.group_order || order == 1) return false;
    const std::string text = run_rumur(exported, "exhaustive");
    EXPECT_EQ(number_before(text, "states, "), mine.states) << text;
    return true;
  }

  const findings& ours() const { return ours_; }

 private:
  const transition_system& system() const { return check_->system(); }

  static std::string run_rumur(const std::string& exported, const std::string& reduction) {
    const directory d;
    d.write("m.m", exported);
    const std::string made = output_of(
        d.in() + "rumur --deadlock-detection stuck --counterexample-trace off --max-errors 1000000000 " +
        "--symmetry-reduction " + reduction + " --output r.c m.m && cc -O0 -w -std=c11 -mcx16 -o r r.c -lpthread -latomic");
    const std::string text = output_of(d.in() + "./r | sort -u");
    EXPECT_TRUE(number_before(text, "states, ")) << made << text;
    return text;
  }

  std::uint64_t resting_states() const {
    search_options o;
    o.threads = 1;
    const auto steps = system().make_stepper();
    std::uint64_t n = 0;
    for (const auto& s : reachable_states(system(), o)) n += steps->resting(s.data());
    return n;
  }

  std::unique_ptr<prepared_check> check_;
  findings ours_;
  std::uint64_t transitions_ = 0;
};

constexpr unsigned spin = 1, rumur = 2, orbits = 4;

constexpr std::uint64_t most_states = 30000;

// What did not compare it, or none where there are too many states.
std::optional<unsigned> left_out(const twin& t, unsigned tools) {
  SCOPED_TRACE(testing::Message() << t);
  comparison c(t);
  if (!c.explore_here(most_states)) return std::nullopt;
  unsigned out = 0;
  if (tools & spin) c.spin();
  if (tools & rumur && !c.rumur()) out |= rumur;
  if (tools & orbits) {
    EXPECT_TRUE(c.orbits());
  }
  return out;
}

void compare(const twin& t, unsigned tools) { EXPECT_EQ(left_out(t, tools), 0u) << t; }

class exported_twins : public testing::Test {
 protected:
  void SetUp() override {
    if (!installed("spin") || !installed("rumur")) GTEST_SKIP() << "spin or rumur is not installed";
  }
};

TEST_F(exported_twins, of_a_rule_that_is_broken) {
  compare(of("teardown", "P1", {{"dev", 1}, {"net", 1}}, "batch_once_per_net"), spin | rumur);
}
TEST_F(exported_twins, of_a_rule_that_is_kept) {
  compare(of("teardown", "J1", {{"dev", 2}, {"net", 1}}, "batch_before_uninit"), spin | rumur);
}
TEST_F(exported_twins, of_choices_in_the_middle_of_a_step) {
  compare(of("fib_neigh", "K44", {{"dev", 1}, {"net", 1}}), spin);
}
TEST_F(exported_twins, of_urgent_time) { compare(of("wait_list", "K44", {{"dev", 1}}), spin | rumur); }
TEST_F(exported_twins, of_a_deadlock) {
  compare(of("toy_consensus", "published", {{"peer", 3}, {"quorum", 2}, {"value", 2}}), spin | rumur);
}
TEST_F(exported_twins, of_interchangeable_elements) {
  compare(of("lock_server", "published", {{"client", 3}, {"server", 2}}), rumur | orbits);
}

TEST_F(exported_twins, of_a_queue_of_interchangeable_elements) {
  compare(of(QUIESCE_SOURCE_DIR "/tests/differential/twins/teardown_queue.model", "", {{"dev", 3}}), rumur | orbits);
}
TEST_F(exported_twins, of_two_interchangeable_sorts) {
  compare(of("sharded_kv", "published", {{"peer", 2}, {"key", 2}, {"value", 2}}), rumur | orbits);
}

// All variants of all shipped models; each with the claims of the smallest scopes. Takes long: CONTRIBUTING.md.
TEST_F(exported_twins, of_every_shipped_model) {
  const char* wanted = std::getenv("QUIESCE_TWINS");
  if (!wanted) GTEST_SKIP() << "QUIESCE_TWINS is not set";
  std::map<std::string, std::vector<twin>> twins;
  for (const claim_entry* entry : shipped().all_claims()) {
    const ast::claim& c = entry->claim;
    const twin t{c.model, settings_of(c), c.property};
    const auto any = [](const auto& size) { return size.second == any_number; };
    if (std::any_of(t.settings.scope.begin(), t.settings.scope.end(), any)) continue;
    if (std::string(wanted) != "all" && c.model != wanted) continue;
    if (shipped().property(c.property).property.kind == ast::property_kind::leads_to) continue;  // not exported
    twins[c.model + " " + c.variant].push_back(t);
  }
  std::size_t done = 0, beyond = 0, spin_alone = 0;
  for (auto& [name, all] : twins) {
    const auto size = [](const twin& t) {
      std::int64_t n = 0;
      for (const auto& [sort, k] : t.settings.scope) n += k;
      return n;
    };
    std::stable_sort(all.begin(), all.end(), [&](const twin& a, const twin& b) { return size(a) < size(b); });
    for (std::size_t k = 0; k < std::min<std::size_t>(all.size(), 2); ++k) {
      const std::optional<unsigned> missing = left_out(all[k], k ? spin : spin | rumur);
      ++(missing ? done : beyond);
      if (missing.value_or(0) & rumur) ++spin_alone;
      std::cout << name << ": " << (!missing ? "too many states" : *missing ? "spin alone" : "compared") << std::endl;
    }
  }
  std::cout << done << " twins compared, " << spin_alone << " of them with spin alone; " << beyond << " have more than "
            << most_states << " states\n";
  EXPECT_GT(done, 0u);
}

}  // namespace
}  // namespace quiesce::test
