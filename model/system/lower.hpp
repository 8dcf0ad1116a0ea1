// SPDX-License-Identifier: MIT
#pragma once
// From a model, one variant and one finite scope to the lowered system that engines run.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/language/ast.hpp"
#include "model/language/source.hpp"
#include "model/system/ir.hpp"

namespace quiesce {

// A model with its imports, ready to be lowered any number of times. Library items come first.
struct loaded_model {
  ast::model model;  // items of all files joined, imports removed
  ast::vocabulary vocabulary;
  std::string canonical;  // canonical texts of all files in the order read, for the input hash
};

// Reads PATH and its imports: lib/NAME.model or NAME.model beside the importing file, else NAME.model in `libraries`. Throws
// diagnostic.
loaded_model load_model(language::source_set&, const std::string& path, const ast::vocabulary&,
                        const std::string& libraries = {});

// In a scope: any number. The result is then parametrised: nothing runs it, its core is what is proved.
inline constexpr std::int64_t any_number = ast::any_number;

struct instance {
  std::string variant;  // empty: the options' defaults
  std::map<std::string, std::string>
      options;                                // option -> literal; on top of the variant. Values as written: true, 3, queued
  std::map<std::string, std::int64_t> scope;  // sort or bound -> number. Bounds default to their declared value
  std::string environment = "default";
};

// What the verdict prints: resolved sizes, bounds, options and time mode, in order of declaration.
struct scope_description {
  std::vector<std::pair<std::string, std::int64_t>> sizes;
  std::vector<std::pair<std::string, std::int64_t>> bounds;
  std::vector<std::pair<std::string, std::string>> options;
  bool urgent = false;
  std::int64_t horizon = 0;
};

struct lowered {
  ir::program program;
  scope_description scope;
  std::vector<std::string> left_out;  // lemmas about what this instance does not have
};

// `lemmas`: state properties that become program.lemmas. Throws diagnostic: unknown variant, option, sort,
// environment; scope of 0, absent or beyond what is supported (64
// elements, 2^16 locations); type errors; constructs that the model may not use; property over an event or name that the
// model does not have.
lowered lower(const loaded_model&, const instance&, const std::vector<const ast::property*>& properties,
              const std::vector<const ast::property*>& lemmas = {});

}  // namespace quiesce
