// SPDX-License-Identifier: MIT
#pragma once
// How far a search is, in one line.

#include <string>

#include "model/explicit/search.hpp"

namespace quiesce::report {

// `rate`: states a second; 0: not known yet. Fill: of the limit that is nearest, memory or states.
std::string progress_text(const search_progress&, double rate);

}  // namespace quiesce::report
