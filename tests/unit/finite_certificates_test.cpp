// SPDX-License-Identifier: MIT
// Of each model with a table, every claim that holds in a finite scope has a certificate, or it is said why not.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "model/explicit/sha256.hpp"
#include "model/verdict/claim.hpp"
#include "tests/support/repository.hpp"

namespace quiesce::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Claims that hold in a finite scope, by where their certificates are.
struct census {
  std::map<std::string, std::map<std::string, std::size_t>> of;  // model -> table, folder, without -> number
  std::map<std::string, std::size_t> times;                      // claim -> how often it is there
};

census certified() {
  const fs::path finite = repository() / "proofs/finite";
  census out;
  const auto add = [&](const json& c, const char* where) {
    json rest = c;
    rest.erase("id");
    EXPECT_EQ(c.at("id"), sha256_hex(rest.dump())) << c.at("claim");
    ++out.of[c.at("claim").at("model")][where];
    ++out.times[c.at("claim").at("name")];
  };
  for (const fs::directory_entry& e : fs::directory_iterator(finite)) {
    if (e.is_directory()) add(json::parse(read_text(e.path() / "certificate.json")), "folder");
    if (e.path().extension() != ".jsonl") continue;
    for (const std::string& line : lines_of(read_text(e.path())))
      if (!line.empty()) add(json::parse(line), "table");
  }
  return out;
}

TEST(finite_certificates, are_there_for_every_claim_that_holds_or_it_says_why_not) {
  census found = certified();
  std::map<std::string, std::string> why;
  std::set<std::string> tables;
  for (const fs::directory_entry& f : fs::directory_iterator(repository() / "proofs/finite")) {
    if (f.path().extension() != ".without") continue;
    tables.insert(f.path().stem().string());
    for (const std::string& line : lines_of(read_text(f.path())))
      if (const auto colon = line.find(": "); colon != std::string::npos)
        why[line.substr(0, colon)] = line.substr(colon + 2);
  }
  catalogue shipped(repository().string());
  for (const claim_entry* e : shipped.all_claims()) {
    const ast::claim& c = e->claim;
    if (c.expect != ast::expectation::holds || !tables.count(c.model)) continue;
    const auto scope = settings_of(c).scope;
    if (std::any_of(scope.begin(), scope.end(), [](const auto& s) { return s.second == any_number; })) continue;
    EXPECT_EQ(found.times[c.name] + why.count(c.name), 1u) << c.name;
    if (why.count(c.name)) ++found.of[c.model]["without"];
  }
  // The table of the README has their numbers.
  std::size_t rows = 0;
  std::smatch row;
  for (const std::string& line : lines_of(read_text(repository() / "proofs/README.md"))) {
    if (!std::regex_match(line, row, std::regex(R"(\| `(\w+)` \| (\d+) \| (\d+) \| (\d+) \|)"))) continue;
    EXPECT_TRUE(tables.count(row[1])) << row[1];
    auto& n = found.of[row[1]];
    EXPECT_EQ(std::to_string(n["table"]), row[2]) << row[1];
    EXPECT_EQ(std::to_string(n["folder"]), row[3]) << row[1];
    EXPECT_EQ(std::to_string(n["without"]), row[4]) << row[1];
    ++rows;
  }
  EXPECT_EQ(rows, tables.size());
}

}  // namespace
}  // namespace quiesce::test
