// SPDX-License-Identifier: MIT
// A model and its imports, read and joined.

#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "model/language/parse.hpp"
#include "model/system/lower.hpp"

namespace quiesce {

namespace {

namespace fs = std::filesystem;

struct loader {
  language::source_set& sources;
  loaded_model& out;
  std::string libraries;
  std::set<std::string> seen;

  std::string find(const ast::import_decl& d, const std::string& name, const std::string& from) const {
    const fs::path folder = fs::path(from).parent_path();
    std::vector<fs::path> places = {folder / "lib" / (name + ".model"), folder / (name + ".model")};
    if (!libraries.empty()) places.push_back(fs::path(libraries) / (name + ".model"));
    for (const fs::path& p : places)
      if (fs::exists(p) && p.lexically_normal() != fs::path(from).lexically_normal()) return p.lexically_normal().string();
    throw diagnostic(d.where, fmt::format("there is no library '{}'", name),
                     "import reads lib/NAME.model beside the importing file, or a shipped library");
  }

  void add(ast::model m, const std::string& path) {
    for (auto& item : m.items) {
      if (const auto* d = std::get_if<ast::import_decl>(&item)) {
        for (const auto& name : d->names) {
          const std::string file = find(*d, name, path);
          if (seen.insert(file).second) read(file, d->where);
        }
      }
    }
    for (auto& item : m.items)
      if (!std::holds_alternative<ast::import_decl>(item)) out.model.items.push_back(std::move(item));
  }

  void read(const std::string& path, std::optional<source_range> imported) {
    const std::uint32_t file = sources.read(path);
    ast::model m = language::parse_model(sources, file);
    out.canonical += language::format(m, sources.text(file));
    if (imported && !m.library) throw diagnostic(*imported, fmt::format("'{}' is a model, not a library", m.name));
    if (!imported) {
      out.model.where = m.where;
      out.model.library = m.library;
      out.model.name = m.name;
      out.model.sentence = m.sentence;
    }
    add(std::move(m), path);
  }
};

}  // namespace

loaded_model load_model(language::source_set& sources, const std::string& path, const ast::vocabulary& vocabulary,
                        const std::string& libraries) {
  loaded_model out;
  out.vocabulary = vocabulary;
  loader l{sources, out, libraries, {fs::path(path).lexically_normal().string()}};
  l.read(path, std::nullopt);
  return out;
}

}  // namespace quiesce
