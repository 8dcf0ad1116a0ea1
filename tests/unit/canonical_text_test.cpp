// SPDX-License-Identifier: MIT
// What the input hash is taken of: the canonical texts of a model and of all that it imports, with their comments.

#include <gtest/gtest.h>

#include <filesystem>

#include "model/language/parse.hpp"
#include "model/verdict/catalogue.hpp"
#include "quiesce_paths.hpp"

namespace quiesce::test {
namespace {

namespace fs = std::filesystem;

std::string formatted(const std::string& path) {
  language::source_set alone;
  return language::format(alone, alone.read(path));
}

TEST(canonical_text, of_a_model_is_that_of_each_of_its_files_once) {
  catalogue all(QUIESCE_SOURCE_DIR);
  const fs::path netdev = fs::path(QUIESCE_SOURCE_DIR) / "model" / "netdev";
  const std::string text = all.model((netdev / "teardown.model").string()).loaded.canonical;
  std::string left = text;
  std::size_t files = 0;
  const auto take = [&](const fs::path& file) {
    const std::string part = formatted(file.string());
    const std::size_t at = left.find(part);
    if (at == left.npos) return;
    left.erase(at, part.size());
    ++files;
  };
  take(netdev / "teardown.model");
  EXPECT_EQ(files, 1u);
  EXPECT_EQ(text.find(formatted((netdev / "teardown.model").string())), 0u);
  for (const fs::directory_entry& library : fs::directory_iterator(netdev / "lib")) take(library.path());
  EXPECT_GT(files, 1u);
  EXPECT_EQ(left, "");
  EXPECT_NE(text.find('#'), text.npos);
}

TEST(canonical_text, of_the_vocabulary_is_that_of_its_file) {
  catalogue all(QUIESCE_SOURCE_DIR);
  EXPECT_NE(all.vocabulary_text(), "");
  canonical_file apart(all.sources(),
                       all.sources().read((fs::path(QUIESCE_SOURCE_DIR) / "properties/events.prop").string()));
  EXPECT_EQ(all.vocabulary_text(), apart.declaration("vocabulary", all.vocabulary().name));
}

}  // namespace
}  // namespace quiesce::test
