// SPDX-License-Identifier: MIT
#pragma once
// German's directory protocol of cache coherence in several languages: a second system to measure engines with, whose steps
// are guarded commands on tables, without program counters. As in Pnueli, Ruah & Zuck, "Automatic deductive verification
// with invisible invariants", 2001, without data.

#include <string>

namespace quiesce::bench {

std::string german_model(int clients);
std::string german_properties();
std::string german_promela(int clients);
std::string german_murphi(int clients);

}  // namespace quiesce::bench
