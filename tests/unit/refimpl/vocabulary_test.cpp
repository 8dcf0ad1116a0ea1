// SPDX-License-Identifier: MIT
// The stack knows every event of properties/events.prop by its name.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "refimpl/core/event.hpp"

namespace quiesce::refimpl {
namespace {

TEST(Vocabulary, EveryEventAndSpanHasItsNameInTheStack) {
  std::set<std::string> known;
  for (std::size_t k = 0; k < event_kinds; ++k) known.insert(std::string(name(static_cast<event_kind>(k))));
  std::ifstream file(std::string(QUIESCE_SOURCE_DIR) + "/properties/events.prop");
  ASSERT_TRUE(file.good());
  std::size_t found = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string what, rest;
    words >> what;
    std::getline(words >> std::ws, rest, '(');
    if (what == "event") {
      EXPECT_EQ(1u, known.count(rest)) << rest;
      ++found;
    } else if (what == "span") {
      EXPECT_EQ(1u, known.count(rest + "_begin")) << rest;
      EXPECT_EQ(1u, known.count(rest + "_end")) << rest;
      ++found;
    }
  }
  EXPECT_GT(found, 40u);
}

}  // namespace
}  // namespace quiesce::refimpl
