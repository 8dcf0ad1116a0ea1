// SPDX-License-Identifier: MIT
#pragma once
// Terms of a parametrised core in the words of the modelling language.

#include <map>
#include <optional>
#include <string>

#include "model/inference/structure.hpp"
#include "model/system/ir.hpp"

namespace quiesce::inference {

// A place of a process that the language can name: `inside(P(x), NAME)`.
struct region {
  std::uint32_t process = 0;
  std::size_t function = 0;  // its program counter in the core
  std::string name;
  std::vector<std::size_t> locations;
};

class words {
 public:
  words(const core&, const ir::program&);
  // "run(t).mine", "owner(n, k)"; nothing where the language has no name for the function. `args`: in words.
  std::optional<std::string> application(std::size_t function, const std::vector<std::string>& args) const;
  // A term; nothing where it cannot be said. `names`: what its free variables are called, and their types.
  struct named {
    std::string text;
    symbolic::type_ref value;
  };
  using scope = std::map<std::string, named>;
  std::optional<std::string> say(const node&, const scope& names) const;
  // "inside(run(t), critical)"
  std::string inside(const region&, const std::string& who) const;
  const std::vector<region>& regions() const { return regions_; }
  bool can_say(std::size_t function) const { return !names_[function].empty(); }

 private:
  std::optional<std::string> term(const node&, const scope&, const symbolic::type* expected) const;
  std::optional<std::string> quantified(const node&, const scope&) const;
  std::optional<std::string> number(std::int64_t, const symbolic::type* expected) const;
  symbolic::type_ref type_of(const node&, const scope&) const;
  const core& core_;
  const ir::program& program_;
  std::vector<std::string> names_;   // by function: how it is called, behind the process for locals; empty: it has no name
  std::vector<std::string> owners_;  // by function: the process of a local
  std::vector<region> regions_;
};

}  // namespace quiesce::inference
