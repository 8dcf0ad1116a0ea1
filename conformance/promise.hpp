// SPDX-License-Identifier: MIT
#pragma once
// Which rules a variant promises: a rule of released kernels binds those that are as new, a proposed rule binds the variants
// of the series that proposes it, and some rules were given up.

#include <string>
#include <string_view>

#include "conformance/scenario.hpp"
#include "properties/property.hpp"
#include "refimpl/core/variant.hpp"

namespace quiesce::conformance {

// Empty: the variant promises the property. Else why not, in a few words.
std::string not_promised(const refimpl::variant_policy& v, const ast::property& p);

// Empty, or why the property's text does not fit what the scenario does: its sentence is about less.
std::string beyond_rule(std::string_view property, const scenario& s);

}  // namespace quiesce::conformance
