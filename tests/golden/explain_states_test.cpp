// SPDX-License-Identifier: MIT
// `--explain-states` of a shipped model, as people see it.

#include <gtest/gtest.h>

#include <fstream>

#include "model/report/explain.hpp"
#include "model/verdict/catalogue.hpp"
#include "model/verdict/claim.hpp"
#include "tests/support/repository.hpp"

namespace quiesce::test {
namespace {

TEST(explain_states, names_what_makes_the_states_of_a_claim) {
  catalogue inputs(repository().string());
  std::vector<const claim_entry*> one;
  for (const claim_entry* c : inputs.all_claims())
    if (c->claim.name == "G44_one_gc" || one.empty()) one = {c};
  const std::vector<claim_group> groups = group_claims(inputs, one);
  std::string text = one[0]->claim.name + "\n";
  limits most;
  most.threads = 1;
  most.native = native_mode::off;
  most.examine = [&](const explored& all) { text += report::write_explanation(explain(all), inputs.sources()); };
  groups[0].check.run(most, {});
  const auto expected = repository() / "tests/golden/explain_states.expected";
  if (std::getenv("QUIESCE_RENEW_GOLDEN")) std::ofstream(expected) << text;
  EXPECT_EQ(text, read_text(expected));
}

}  // namespace
}  // namespace quiesce::test
