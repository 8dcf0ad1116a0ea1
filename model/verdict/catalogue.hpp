// SPDX-License-Identifier: MIT
#pragma once
// The inputs of a run: the shipped vocabulary, properties, models and claims below a data directory, and files that the user
// names.
//
//   ROOT/properties/*.prop   ROOT/model/netdev/*.model   ROOT/model/netdev/**/*.claim   ROOT/model/protocols/*.model
//   ROOT/proofs/*.claim: claims about any number of elements, for `prove`

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/language/ast.hpp"
#include "model/language/source.hpp"
#include "model/system/lower.hpp"

namespace quiesce {

enum class property_origin { shipped, built_in, user };

// The canonical text of a file, given or made when it is first asked for. Not for several threads.
class canonical_file {
 public:
  canonical_file(const language::source_set& sources, std::uint32_t file, std::string text = {})
      : sources_(sources), file_(file), text_(std::move(text)) {}
  // Of one declaration: `keyword` is "property" or "vocabulary".
  std::string declaration(const std::string& keyword, const std::string& name) const;

 private:
  const language::source_set& sources_;
  const std::uint32_t file_;
  mutable std::string text_;
};

struct property_entry {
  ast::property property;
  std::uint32_t file = 0;
  std::shared_ptr<const canonical_file> texts;
  property_origin origin = property_origin::shipped;
  std::string meant_for = {};  // of MODEL.NAME.inv: NAME

  // Of this property alone, for the input hash.
  std::string canonical() const { return texts->declaration("property", property.name); }
};

struct claim_entry {
  ast::claim claim;
  std::uint32_t file = 0;
};

struct model_entry {
  loaded_model loaded;
  std::string path;
};

// Reads on demand, each file once; a shipped file of properties is parsed when one of them is wanted. Every member throws
// diagnostic for what is wrong with a file.
class catalogue {
 public:
  explicit catalogue(std::string root) : root_(std::move(root)) {}

  language::source_set& sources() { return sources_; }
  const std::string& root() const { return root_; }

  void add_properties(const std::string& path);  // --properties FILE
  const ast::vocabulary& vocabulary();
  const std::string& vocabulary_text();  // canonical, for the input hash
  // Shipped by file name, built in, then added.
  std::vector<std::reference_wrapper<const property_entry>> properties();
  const property_entry* find_property(const std::string& name);
  // The same; where there is none a diagnostic with the nearest name, at `where` if that is known.
  const property_entry& property(const std::string& name, const source_range* where = nullptr);

  std::vector<std::string> model_paths();  // shipped models, sorted; libraries are not among them
  // NAME of a shipped model, or a path; `beside` is a directory to look in first. Empty: none.
  std::string model_path(const std::string& name_or_path, const std::string& beside = {});
  const model_entry& model(const std::string& path);

  std::vector<std::string> claim_paths();
  std::vector<std::string> proof_claim_paths();
  std::vector<const claim_entry*> claims(const std::string& path);  // of one file
  std::vector<const claim_entry*> all_claims();
  // Declarations beside a model, MODEL.inv and MODEL.NAME.inv: state properties that are invariants to prove with.
  // Empty where there is no file.
  const std::deque<property_entry>& invariants(const model_entry&);
  // Of these, what a proof of the claim may use: those of MODEL.NAME.inv are for the claims of NAME.claim and NAME_*.claim,
  // so that the proofs of others do not grow with them.
  std::vector<const property_entry*> invariants_for(const model_entry&, const claim_entry&);
  // From now on those of this text stand for them; entries handed out before are gone.
  void replace_invariants(const model_entry&, const std::string& name, const std::string& text);

 private:
  // Its names are known; what it says is not yet, where `parsed` is false.
  struct property_file {
    std::uint32_t file = 0;
    property_origin origin = property_origin::shipped;
    bool parsed = false;
    std::deque<property_entry> entries;
  };
  void read_property_files();
  void enter_properties(std::uint32_t file, property_origin);
  void parse_properties(property_file&);
  void read_invariants(std::deque<property_entry>& out, std::uint32_t file, const std::string& meant_for);

  std::string root_;
  language::source_set sources_;
  bool property_files_read_ = false;
  bool has_vocabulary_ = false;
  ast::vocabulary vocabulary_;
  std::string vocabulary_text_;
  std::deque<property_file> property_files_;
  std::map<std::string, property_file*> declared_in_;  // by name of the property
  std::vector<std::string> extra_properties_;
  std::map<std::string, std::unique_ptr<model_entry>> models_;
  std::map<std::string, std::deque<claim_entry>> claims_;
  std::map<std::string, std::deque<property_entry>> invariants_;
};

// The candidate nearest to `name` in edit distance, if it is near enough to be meant; else empty.
std::string nearest(const std::string& name, const std::vector<std::string>& candidates);

}  // namespace quiesce
