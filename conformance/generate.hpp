// SPDX-License-Identifier: MIT
#pragma once
// Random scenarios, and smaller ones. The generator is a RapidCheck generator: it is given a source of random numbers and a
// size, and what it makes shrinks.

#include <rapidcheck/Gen.h>

#include <functional>
#include <vector>

#include "conformance/scenario.hpp"

namespace quiesce::conformance {

struct generator_options {
  bool live = false;  // only what a driver of real devices can follow: no faults, callbacks or holders
};

// Without a defect, and such that its operations end: nothing holds a device that another operation waits for.
rc::Gen<scenario> scenarios(const generator_options& options = {});
// The scenario that this seed stands for.
scenario generate(std::uint64_t seed, const generator_options& options = {});

// Simpler scenarios, the most promising first: one object, operation or attribute less. None has a defect.
std::vector<scenario> simpler(const scenario& s);
// The smallest that `fails` by way of simpler(): each step keeps the first that fails. At most `most` attempts.
scenario shrink(scenario s, const std::function<bool(const scenario&)>& fails, std::size_t most = 5000);

}  // namespace quiesce::conformance
