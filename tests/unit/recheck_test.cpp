// SPDX-License-Identifier: MIT
// The re-checker accepts the shipped certificates as they are and refuses them after any change.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "model/explicit/sha256.hpp"
#include "quiesce_paths.hpp"
#include "tests/support/repository.hpp"

namespace quiesce::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// A copy of a shipped certificate, to be changed.
class recheck : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/recheck-test-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder = name;
    for (const char* file : {"certificate.json", "core", "obligations.smt2"})
      fs::copy_file(repository() / "proofs/lock_server" / file, folder / file);
    certificate = json::parse(read_text(folder / "certificate.json"));
  }
  void TearDown() override { fs::remove_all(folder); }

  void write(const char* file, const std::string& text) const { std::ofstream(folder / file, std::ios::binary) << text; }

  int run(const std::string& options = "--solver z3") const {
    const std::string command = std::string("'") + fs::path(QUIESCE_BINARY).parent_path().string() + "/quiesce-recheck' " +
                                options + " '" + folder.string() + "' >/dev/null 2>&1";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  // With an id that fits, as somebody would write it who means to deceive.
  int run_resigned(json c) const {
    c.erase("id");
    c["id"] = sha256_hex(c.dump());
    write("certificate.json", c.dump(1));
    return run();
  }

  fs::path folder;
  json certificate;
};

json changed(const json& leaf) {
  if (leaf.is_string()) return leaf.get<std::string>() + "x";
  if (leaf.is_number()) return leaf.get<int>() + 1;
  return leaf.is_array() ? json::array({"x"}) : json({{"x", "y"}});
}

TEST_F(recheck, accepts_a_certificate_as_it_is) {
  EXPECT_EQ(run("--solver z3"), 0);
  EXPECT_EQ(run("--solver cvc5"), 0);
}

TEST_F(recheck, refuses_any_changed_field) {
  const json leaves = certificate.flatten();
  for (const auto& [path, leaf] : leaves.items()) {
    json c = certificate;
    c[json::json_pointer(path)] = changed(leaf);
    write("certificate.json", c.dump(1));
    EXPECT_EQ(run(), 12) << path;
  }
}

TEST_F(recheck, refuses_what_matters_also_with_an_id_that_fits) {
  for (const char* path :
       {"/format", "/method", "/claim/property", "/invariants/0", "/sha256/core", "/sha256/obligations"}) {
    json c = certificate;
    c[json::json_pointer(path)] = changed(c.at(json::json_pointer(path)));
    EXPECT_EQ(run_resigned(c), 12) << path;
  }
  for (std::size_t i = 0; i < certificate["obligations"].size(); ++i) {
    json c = certificate;
    std::string& expected = c["obligations"][i]["expected"].get_ref<std::string&>();
    expected = expected == "sat" ? "unsat" : "sat";
    EXPECT_EQ(run_resigned(c), 12) << "obligation " << i;
    c = certificate;
    if (c["obligations"][i].contains("uses"))
      c["obligations"][i].erase("uses");
    else
      c["obligations"][i]["uses"] = {0};
    EXPECT_EQ(run_resigned(c), 12) << "obligation " << i << " with other invariants";
    c = certificate;
    c["obligations"].erase(i);
    EXPECT_EQ(run_resigned(c), 12) << "without obligation " << i;
  }
}

TEST_F(recheck, refuses_any_changed_line_of_the_core_and_of_the_obligations) {
  for (const char* file : {"core", "obligations.smt2"}) {
    const std::vector<std::string> lines = lines_of(read_text(folder / file));
    for (std::size_t missing = 0; missing < lines.size(); ++missing) {
      std::string text;
      for (std::size_t i = 0; i < lines.size(); ++i) text += i == missing ? "" : lines[i] + "\n";
      write(file, text);
      EXPECT_EQ(run(), 12) << file << " without line " << missing + 1;
    }
    fs::copy_file(repository() / "proofs/lock_server" / file, folder / file, fs::copy_options::overwrite_existing);
  }
}

TEST_F(recheck, refuses_solvers_that_do_not_answer) {
  for (const char* solver :
       {"true", "false", "no-such-solver", "yes", "yes unknown | head -12", "yes sat | head -12", "yes unsat | head -12",
        "yes sat | head -500", "z3 -in | sed s/unsat/unknown/", "z3 -in | head -3"})
    EXPECT_EQ(run(std::string("--solver '") + solver + "'"), 12) << solver;
  EXPECT_EQ(run("--timeout 1 --solver 'sleep 20'"), 12);
}

TEST_F(recheck, refuses_another_models_certificate) {
  fs::copy_file(repository() / "proofs/ticket_lock/certificate.json", folder / "certificate.json",
                fs::copy_options::overwrite_existing);
  EXPECT_EQ(run(), 12);
}

}  // namespace
}  // namespace quiesce::test
