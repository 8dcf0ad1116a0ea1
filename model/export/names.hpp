// SPDX-License-Identifier: MIT
#pragma once
// Identifiers that Promela, Murphi and the C that is made of them all take.

#include <set>
#include <string>

namespace quiesce::exporting {

class names {
 public:
  names();
  // Letters, digits and underscores, starting with a letter, different from all names given before and from reserved words.
  std::string fresh(const std::string& wanted);

 private:
  std::set<std::string> used_;
};

}  // namespace quiesce::exporting
