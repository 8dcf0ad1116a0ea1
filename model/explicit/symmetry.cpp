// SPDX-License-Identifier: MIT
#include "model/explicit/symmetry.hpp"
namespace quiesce {
struct symmetry::plan { std::string why; };
symmetry::symmetry(const transition_system&) : plan_(new plan) {}
symmetry::~symmetry() = default;
bool symmetry::trivial() const { return true; }
std::uint64_t symmetry::order() const { return 1; }
const std::string& symmetry::why() const { return plan_->why; }
std::unique_ptr<symmetry::canonicaliser> symmetry::make_canonicaliser() const { return nullptr; }
void symmetry::permute(word*, std::uint64_t) const {}
}  // namespace quiesce
