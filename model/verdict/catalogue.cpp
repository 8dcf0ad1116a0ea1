// SPDX-License-Identifier: MIT
#include "model/verdict/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "model/language/declared.hpp"
#include "model/language/parse.hpp"

namespace quiesce {
namespace {

namespace fs = std::filesystem;

template <class Iterator = fs::directory_iterator>
std::vector<std::string> files_in(const fs::path& folder, const std::string& extension) {
  std::vector<std::string> found;
  std::error_code failed;
  for (Iterator it(folder, failed), end; !failed && it != end; it.increment(failed))
    if (it->path().extension() == extension) found.push_back(it->path().string());
  std::sort(found.begin(), found.end());
  return found;
}

// What every model can be asked, whatever events it has.
constexpr const char* built_in_properties = R"(property no_run_time_error
  "No run ends in a run-time error."
  model no error range, list_corruption, endless_traversal, lock_misuse, value_of_none, assertion, division;
)";

// In canonical text declarations start in the first column: from `property NAME` to the next such line.
std::string part_of(const std::string& canonical, const std::string& keyword, const std::string& name) {
  std::istringstream lines(canonical);
  std::string found, line;
  bool inside = false;
  const std::string head = keyword + " " + name;
  while (std::getline(lines, line)) {
    const bool top = !line.empty() && line[0] != ' ' && line[0] != '}';
    if (top) inside = line == head || line.starts_with(head + " ") || line.starts_with(head + ";");
    if (inside && !line.empty()) found += line + "\n";
  }
  return found.empty() ? canonical : found;
}

std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string canonical_file::declaration(const std::string& keyword, const std::string& name) const {
  if (text_.empty()) text_ = language::format(sources_, file_);
  return part_of(text_, keyword, name);
}

std::string nearest(const std::string& name, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t least = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < least) least = distance, best = candidate;
  }
  return best;
}

void catalogue::enter_properties(std::uint32_t file, property_origin origin) {
  property_file& entered = property_files_.emplace_back(property_file{file, origin, false, {}});
  for (const language::declared_name& d : language::declared_names(sources_, file, "property"))
    if (!declared_in_.emplace(d.name, &entered).second)
      throw diagnostic(d.where, fmt::format("there is already a property '{}'", d.name));
  // What is wrong with a file that the user names is said whatever is asked of it.
  if (origin == property_origin::user || !language::declared_names(sources_, file, "vocabulary").empty())
    parse_properties(entered);
}

void catalogue::parse_properties(property_file& f) {
  if (f.parsed) return;
  ast::property_file parsed = language::parse_properties(sources_, f.file);
  std::string text;  // of a vocabulary it is wanted at once
  if (!parsed.vocabularies.empty()) text = language::format(parsed, sources_.text(f.file));
  const auto texts = std::make_shared<const canonical_file>(sources_, f.file, std::move(text));
  if (parsed.vocabularies.size() > (has_vocabulary_ ? 0 : 1)) {
    const ast::vocabulary& v = parsed.vocabularies.back();
    throw diagnostic(v.where, fmt::format("there is already a vocabulary '{}'",
                                          has_vocabulary_ ? vocabulary_.name : parsed.vocabularies[0].name));
  }
  for (ast::vocabulary& v : parsed.vocabularies) {
    has_vocabulary_ = true;
    vocabulary_text_ = texts->declaration("vocabulary", v.name);
    vocabulary_ = std::move(v);
  }
  for (ast::property& p : parsed.properties) f.entries.push_back({std::move(p), f.file, texts, f.origin});
  f.parsed = true;
}

void catalogue::read_property_files() {
  if (property_files_read_) return;
  // After an error all is read again, so that whoever asks next meets it too.
  property_files_.clear();
  declared_in_.clear();
  has_vocabulary_ = false;
  for (const std::string& path : files_in(fs::path(root_) / "properties", ".prop"))
    enter_properties(sources_.read(path), property_origin::shipped);
  enter_properties(sources_.add("built in", built_in_properties), property_origin::built_in);
  for (const std::string& path : extra_properties_) enter_properties(sources_.read(path), property_origin::user);
  if (!has_vocabulary_) throw diagnostic(fmt::format("no vocabulary in {}/properties", root_));
  property_files_read_ = true;
}

void catalogue::add_properties(const std::string& path) { extra_properties_.push_back(path); }

const ast::vocabulary& catalogue::vocabulary() { return read_property_files(), vocabulary_; }
const std::string& catalogue::vocabulary_text() { return read_property_files(), vocabulary_text_; }

std::vector<std::reference_wrapper<const property_entry>> catalogue::properties() {
  read_property_files();
  std::vector<std::reference_wrapper<const property_entry>> all;
  for (property_file& f : property_files_) {
    parse_properties(f);
    all.insert(all.end(), f.entries.begin(), f.entries.end());
  }
  return all;
}

const property_entry* catalogue::find_property(const std::string& name) {
  read_property_files();
  const auto known = declared_in_.find(name);
  if (known == declared_in_.end()) return nullptr;
  parse_properties(*known->second);
  for (const property_entry& entry : known->second->entries)
    if (entry.property.name == name) return &entry;
  return nullptr;
}

const property_entry& catalogue::property(const std::string& name, const source_range* where) {
  if (const property_entry* found = find_property(name)) return *found;
  std::vector<std::string> names;
  for (const auto& [known, file] : declared_in_) names.push_back(known);
  const std::string near = nearest(name, names);
  const std::string sentence = fmt::format("no property is called '{}'", name);
  const std::string hint =
      near.empty() ? "`quiesce list properties` prints their names" : fmt::format("did you mean '{}'?", near);
  if (where) throw diagnostic(*where, sentence, hint);
  throw diagnostic(sentence, hint);
}

std::vector<std::string> catalogue::model_paths() { return files_in(fs::path(root_) / "model" / "netdev", ".model"); }
std::vector<std::string> catalogue::claim_paths() {
  return files_in<fs::recursive_directory_iterator>(fs::path(root_) / "model" / "netdev", ".claim");
}

std::vector<std::string> catalogue::proof_claim_paths() { return files_in(fs::path(root_) / "proofs", ".claim"); }

std::string catalogue::model_path(const std::string& name_or_path, const std::string& beside) {
  std::error_code ignored;
  const bool plain = name_or_path.find('/') == std::string::npos && !name_or_path.ends_with(".model");
  if (plain) {
    for (const fs::path& folder : {fs::path(beside), fs::path(root_) / "model" / "netdev",
                                   fs::path(root_) / "model" / "protocols", fs::path(root_) / "proofs"}) {
      const fs::path path = folder / (name_or_path + ".model");
      if (!folder.empty() && fs::exists(path, ignored)) return path.string();
    }
    return "";
  }
  return name_or_path;
}

const model_entry& catalogue::model(const std::string& path) {
  std::unique_ptr<model_entry>& entry = models_[path];
  if (entry) return *entry;
  auto fresh = std::make_unique<model_entry>();
  fresh->path = path;
  fresh->loaded = load_model(sources_, path, vocabulary(), (fs::path(root_) / "model" / "netdev" / "lib").string());
  entry = std::move(fresh);
  return *entry;
}

namespace {

// What stands between MODEL and .inv, with its dot, in the files of invariants beside a model; ascending, so MODEL.inv
// first.
std::vector<std::string> invariant_files(const fs::path& model) {
  std::vector<std::string> out;
  std::error_code ignored;
  const std::string stem = model.stem().string() + ".";
  const fs::path folder = model.has_parent_path() ? model.parent_path() : fs::path(".");
  for (const fs::directory_entry& e : fs::directory_iterator(folder, ignored)) {
    const std::string name = e.path().filename().string();
    if (name.starts_with(stem) && e.path().extension() == ".inv")
      out.push_back(e.path().stem().string().substr(stem.size() - 1));
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

const std::deque<property_entry>& catalogue::invariants(const model_entry& m) {
  const auto known = invariants_.find(m.path);
  if (known != invariants_.end()) return known->second;
  std::deque<property_entry> out;
  for (const std::string& middle : invariant_files(m.path))
    read_invariants(out, sources_.read(fs::path(m.path).replace_extension(middle + ".inv").string()),
                    middle.empty() ? "" : middle.substr(1));
  return invariants_[m.path] = std::move(out);
}

std::vector<const property_entry*> catalogue::invariants_for(const model_entry& m, const claim_entry& c) {
  const std::string claims = fs::path(sources_.path(c.file)).stem().string() + "_";
  std::vector<const property_entry*> out;
  for (const property_entry& e : invariants(m))
    if (e.meant_for.empty() || claims.starts_with(e.meant_for + "_")) out.push_back(&e);
  return out;
}

void catalogue::replace_invariants(const model_entry& m, const std::string& name, const std::string& text) {
  std::deque<property_entry> out;
  read_invariants(out, sources_.add(name, text), "");
  invariants_[m.path] = std::move(out);
}

void catalogue::read_invariants(std::deque<property_entry>& out, std::uint32_t file, const std::string& meant_for) {
  ast::property_file parsed = language::parse_properties(sources_, file);
  const auto texts = std::make_shared<const canonical_file>(sources_, file);
  for (ast::property& p : parsed.properties) {
    if (p.kind != ast::property_kind::invariant)
      throw diagnostic(p.where, "a file of invariants holds state properties: model … invariant CONDITION");
    for (const property_entry& e : out)
      if (e.property.name == p.name) throw diagnostic(p.where, fmt::format("there is already an invariant '{}'", p.name));
    out.push_back({std::move(p), file, texts, property_origin::shipped, meant_for});
  }
}

std::vector<const claim_entry*> catalogue::claims(const std::string& path) {
  auto known = claims_.find(path);
  if (known == claims_.end()) {
    const std::uint32_t file = sources_.read(path);
    std::deque<claim_entry> entries;
    for (ast::claim& c : language::parse_claims(sources_, file).claims) entries.push_back({std::move(c), file});
    known = claims_.emplace(path, std::move(entries)).first;
  }
  std::vector<const claim_entry*> found;
  for (const claim_entry& entry : known->second) found.push_back(&entry);
  return found;
}

std::vector<const claim_entry*> catalogue::all_claims() {
  std::vector<const claim_entry*> found;
  for (const std::string& path : claim_paths())
    for (const claim_entry* entry : claims(path)) found.push_back(entry);
  return found;
}

}  // namespace quiesce
