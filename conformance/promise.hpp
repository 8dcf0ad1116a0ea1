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

// Empty, or why what the scenario does is beyond the property: its sentence is about less, or a handler does what no handler
// of that kernel does.
std::string beyond_rule(const refimpl::variant_policy& v, std::string_view property, const scenario& s);

}  // namespace quiesce::conformance
