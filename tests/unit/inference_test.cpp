// SPDX-License-Identifier: MIT
// The finite instances that inference looks at are the system of the finite scope.

#include <gtest/gtest.h>

#include "model/inference/reach.hpp"
#include "model/verdict/check.hpp"
#include "model/verdict/claim.hpp"
#include "model/verdict/prove.hpp"
#include "quiesce_paths.hpp"

namespace quiesce::test {
namespace {

TEST(inference, finite_instances_have_the_states_of_the_finite_scope) {
  catalogue inputs(QUIESCE_SOURCE_DIR);
  std::size_t compared = 0;
  for (const claim_entry* claim : inputs.claims(QUIESCE_SOURCE_DIR "/proofs/protocols.claim")) {
    const std::string& name = claim->claim.name;
    if (name != "lock_server" && name != "sharded_kv" && name != "ring_leader") continue;
    const proof_input in = prepare_proof(inputs, *claim);
    const symbolic::core core = symbolic::read_core(core_of(in));
    const auto found = inference::reach(core, std::vector<std::size_t>(core.sorts.size(), 1), 10000, 1000);
    question q{in.model, in.settings, {in.property}};
    for (auto& [sort, size] : q.settings.scope) size = 2;
    EXPECT_TRUE(found.complete) << name;
    EXPECT_EQ(found.states.size(), prepared_check(inputs, q).run({}, {}).states) << name;
    ++compared;
  }
  EXPECT_EQ(compared, 3u);
}

}  // namespace
}  // namespace quiesce::test
