// SPDX-License-Identifier: MIT
#pragma once
// Whether a recording has anything in it that could have broken a rule. If it has not, that the rule is kept says nothing.

#include <cstdint>
#include <functional>
#include <string>

#include "properties/property.hpp"

namespace quiesce::observe {

// `occurred`: how often an event was seen. `triggered`: as the monitor counts them: matches of the first pattern, or spans
// that ended. Empty: something could have broken it; else what there was none of.
std::string why_vacuous(const ast::property&, std::uint64_t triggered,
                        const std::function<std::uint64_t(const std::string& event)>& occurred);

}  // namespace quiesce::observe
