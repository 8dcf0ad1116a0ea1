// SPDX-License-Identifier: MIT
// What a file declares, found without parsing it: the same as with parsing.
#include "model/language/declared.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "model/language/parse.hpp"
#include "quiesce_paths.hpp"

namespace quiesce::test {
namespace {

using names = std::vector<std::string>;

names found_in(const std::string& text, std::string_view keyword) {
  language::source_set sources;
  names out;
  for (const language::declared_name& d : language::declared_names(sources, sources.add("a.prop", text), keyword))
    out.push_back(d.name);
  return out;
}

TEST(declared_names, are_those_of_the_declarations_and_not_of_comments_or_strings) {
  const std::string text = R"(# property of_a_comment
property first "property of_a_string; a \" in it, property still_in_it"
  model invariant true;  # property behind
property
  # between
  second "s" model invariant property_of(x) == 1;)";
  EXPECT_EQ(found_in(text, "property"), (names{"first", "second"}));
  EXPECT_EQ(found_in(text, "vocabulary"), names{});
}

TEST(declared_names, stand_at_their_places) {
  language::source_set sources;
  const std::uint32_t file = sources.add("a.prop", "\nproperty one \"s\" model invariant true;");
  const auto found = language::declared_names(sources, file, "property");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].where.begin, 10u);
  EXPECT_EQ(found[0].where.end, 13u);
}

TEST(declared_names, of_what_is_no_file_of_properties_do_not_matter_but_are_found_safely) {
  EXPECT_EQ(found_in("property", "property"), names{});
  EXPECT_EQ(found_in("property \"open", "property"), names{});
  EXPECT_EQ(found_in("property property a", "property"), (names{"property", "a"}));
  EXPECT_EQ(found_in("\xc3\xa4 property 7", "property"), names{});
}

TEST(declared_names, of_every_shipped_file_are_those_that_parsing_finds) {
  std::size_t files = 0;
  for (const auto& e : std::filesystem::directory_iterator(std::filesystem::path(QUIESCE_SOURCE_DIR) / "properties")) {
    if (e.path().extension() != ".prop") continue;
    language::source_set sources;
    const std::uint32_t file = sources.read(e.path().string());
    const ast::property_file parsed = language::parse_properties(sources, file);
    names expected, vocabularies, found;
    for (const ast::property& p : parsed.properties) expected.push_back(p.name);
    for (const auto& d : language::declared_names(sources, file, "property")) found.push_back(d.name);
    EXPECT_EQ(found, expected) << e.path();
    EXPECT_EQ(language::declared_names(sources, file, "vocabulary").size(), parsed.vocabularies.size()) << e.path();
    ++files;
  }
  EXPECT_GT(files, 5u);
}

}  // namespace
}  // namespace quiesce::test
