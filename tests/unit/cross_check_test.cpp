// SPDX-License-Identifier: MIT
// What claims say of finite scopes, by the search of all states and by SAT solver: the same shortest runs, and none where a
// rule holds. By default a few of them; all that fit with QUIESCE_CROSS=all (CONTRIBUTING.md).

#include <gtest/gtest.h>

#include <cstdlib>

#include "model/symbolic/engine.hpp"
#include "model/verdict/claim.hpp"
#include "properties/diagnostic.hpp"
#include "quiesce_paths.hpp"

namespace quiesce::test {
namespace {

struct effort {
  std::size_t every;          // of the groups of claims, this many-th
  std::uint64_t most_states;  // of those that fit
  std::uint64_t depth;        // where no run is to be found
  std::uint64_t longest_run;  // to be found again
  double seconds;             // for one question; 0: until it is decided
};

struct counts {
  std::size_t groups = 0, left_out = 0, compared = 0, runs = 0, too_long = 0, gave_up = 0;
};

void compare(const claim_group& g, const answer& all, const symbolic::finite_system& encoded, const effort& e, counts& n) {
  for (std::uint32_t k = 0; k < all.verdicts.size(); ++k) {
    const verdict& v = all.verdicts[k];
    const std::string what = g.claims[0]->claim.name + ", property " + v.property;
    const bool sometimes = g.check.system().program().properties[k].sometimes;
    const bool run = v.kind == (sometimes ? verdict_kind::holds : verdict_kind::violated) && v.counterexample;
    if (run && v.counterexample->length() > e.longest_run) {
      ++n.too_long;
      continue;
    }
    symbolic::engine_options o;
    o.max_depth = run ? std::max<std::uint64_t>(1, v.counterexample->length()) : std::min(e.depth, all.depth + 1);
    o.timeout_s = e.seconds;
    const symbolic::engine_result r = symbolic::bounded(g.check.system(), encoded, k, o);
    const bool found = r.answer == symbolic::engine_answer::violated;
    if (!found && r.depth < o.max_depth && r.note.find("longer") == std::string::npos) {
      ++n.gave_up;
      continue;
    }
    ++n.compared;
    n.runs += run ? 1 : 0;
    EXPECT_EQ(found, run) << what;
    if (found && run) {
      EXPECT_EQ(words_of(g.check.system(), *r.run, "").length(), v.counterexample->length()) << what;
    }
  }
}

counts cross_check(const effort& e) {
  catalogue inputs(QUIESCE_SOURCE_DIR);
  std::vector<const claim_entry*> claims;
  for (const claim_entry* c : inputs.all_claims()) claims.push_back(c);
  counts n;
  const std::vector<claim_group> groups = group_claims(inputs, claims);
  for (std::size_t i = 0; i < groups.size(); i += e.every) {
    ++n.groups;
    if (groups[i].check.asked_response()) {  // about runs without end
      ++n.left_out;
      continue;
    }
    limits most;
    most.threads = 1;
    most.max_states = e.most_states;
    most.native = native_mode::off;
    try {
      const answer all = groups[i].check.run(most, {});
      if (!all.complete) throw diagnostic("too many states");
      compare(groups[i], all, symbolic::encode(groups[i].check.system()), e, n);
    } catch (const diagnostic&) {
      ++n.left_out;  // too many states, or no form as a circuit
    }
  }
  return n;
}

TEST(cross_check, both_engines_say_the_same_of_claims) {
  const char* wanted = std::getenv("QUIESCE_CROSS");
  const bool all = wanted != nullptr && std::string(wanted) == "all";
  const counts n = cross_check(all ? effort{1, 300000, 24, 60, 60} : effort{19, 3000, 6, 8, 0});
  std::cout << n.groups << " groups of claims, " << n.left_out << " left out; " << n.compared << " questions compared, "
            << n.runs << " with a run; " << n.too_long << " runs too long, " << n.gave_up << " not decided in time\n";
  EXPECT_GT(n.compared, 5u);
  EXPECT_GT(n.runs, 0u);
}

}  // namespace
}  // namespace quiesce::test
