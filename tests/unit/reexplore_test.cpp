// SPDX-License-Identifier: MIT
// A certificate of an explored scope is accepted as it is, and refused after any change that matters.

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

class reexplore : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/reexplore-test-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder = name;
    for (const char* file : {"certificate.json", "core"})
      fs::copy_file(repository() / "proofs/finite/G520_one_gc" / file, folder / file);
    certificate = json::parse(read_text(folder / "certificate.json"));
    core = read_text(folder / "core");
  }
  void TearDown() override { fs::remove_all(folder); }

  void write(const char* file, const std::string& text) const { std::ofstream(folder / file, std::ios::binary) << text; }

  int run(const std::string& options = "") const { return run_on(folder.string(), options); }
  static int run_on(const std::string& what, const std::string& options) {
    // A minute of processor time: a search of all values of many parameters is to be killed, not waited for.
    const std::string command = std::string("ulimit -t 60; '") + fs::path(QUIESCE_BINARY).parent_path().string() +
                                "/quiesce-reexplore' " + options + " '" + what + "' >/dev/null 2>&1";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  // With hashes and an id that fit, as somebody would write it who means to deceive.
  int run_resigned(json c, const std::string& text) const {
    c["sha256"]["core"] = sha256_hex(text);
    c.erase("id");
    c["id"] = sha256_hex(c.dump());
    write("core", text);
    write("certificate.json", c.dump(1));
    return run();
  }

  fs::path folder;
  json certificate;
  std::string core;
};

TEST_F(reexplore, accepts_a_certificate_as_it_is_and_says_where_it_did_not_look) {
  EXPECT_EQ(run(), 0);
  EXPECT_EQ(run("--states 10"), 0);
  EXPECT_EQ(run(std::string("--with-checker '") + QUIESCE_BINARY + "'"), 0);
  EXPECT_EQ(run("--with-checker /bin/true"), 12);
  EXPECT_EQ(run("--unknown 1"), 64);
}

TEST_F(reexplore, refuses_any_changed_field) {
  const json flat = certificate.flatten();
  for (const auto& [path, leaf] : flat.items()) {
    json c = flat;
    c[path] = leaf.is_string() ? json(leaf.get<std::string>() + "x") : json(17);
    write("certificate.json", c.unflatten().dump(1));
    EXPECT_EQ(run(), 12) << path;
  }
}

TEST_F(reexplore, refuses_what_matters_also_with_an_id_that_fits) {
  ASSERT_EQ(run_resigned(certificate, core), 0);
  for (const char* field : {"states", "transitions"}) {
    json c = certificate;
    c[field] = c[field].get<int>() - 1;
    EXPECT_EQ(run_resigned(c, core), 12) << field;
  }
  for (const char* field : {"fingerprint", "method", "verdict"}) {
    json c = certificate;
    std::string text = c[field];
    text[0] = text[0] == '1' ? '2' : '1';
    c[field] = text;
    EXPECT_EQ(run_resigned(c, core), 12) << field;
  }
  json c = certificate;
  c["claim"]["property"] = "gc_goes_on";
  EXPECT_EQ(run_resigned(c, core), 12);
}

// Actions that never happen, and parts of guards that are implied, may be missing without a difference to the states.
TEST_F(reexplore, refuses_cores_that_mean_something_else) {
  const auto replaced = [&](const std::string& what, const std::string& with) {
    const std::size_t at = core.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return core.substr(0, at) + with + core.substr(at + what.size());
  };
  EXPECT_EQ(run_resigned(certificate, core + "(action \"made up\" () 1 () (violates \"one_gc_at_a_time\"))\n"), 12);
  EXPECT_EQ(run_resigned(certificate, core + "(action \"made up\" () 1 () (ends error assertion))\n"), 12);
  EXPECT_EQ(run_resigned(certificate, core + "(action \"made up\" () 1 ())\n"), 12);
  EXPECT_EQ(run_resigned(certificate, core + "(arbitrary \"x\")\n"), 12);
  EXPECT_EQ(run_resigned(certificate, core + ")"), 12);
  EXPECT_EQ(run_resigned(certificate, replaced("(initial ((c0 5))", "(initial ((c0 2))")), 12);
  EXPECT_EQ(run_resigned(certificate, replaced("(resting ", "(resting (not ")), 12);
  EXPECT_EQ(run_resigned(certificate, core.substr(0, core.size() / 2)), 12);
}

// 4^40 values, of which 3 enable the step: one for each of c0, which nothing reads. No part of the guard is about less than
// all.
TEST_F(reexplore, gives_values_only_to_parameters_that_the_guard_asks_for) {
  std::string params, names, guard = "1";
  for (int k = 40; k > 0; --k) {
    const std::string c = "c" + std::to_string(k), d = "d" + std::to_string(k);
    params = " (" + c + " \"s\")" + params;
    names += " (" + d + " = (and (= " + c + " 1) " + (k == 40 ? "1" : "d" + std::to_string(k + 1)) + "))";
    guard = "(and (= " + c + " 1) " + guard + ")";
  }
  json c = certificate;
  c["states"] = 1;
  c["transitions"] = 3;
  c["fingerprint"] = sha256_hex("0");
  for (const std::string& whole : {guard, std::string("d1")})
    EXPECT_EQ(run_resigned(c,
                           "(core 1)\n(sort \"s\" \"a\" \"b\" \"c\" \"d\")\n(function \"moved\" () bool)\n"
                           "(initial () 1 ())\n(action \"stay\" ((c0 3)" +
                               params + names + ") (or (f \"moved\") " + whole +
                               ") ((\"moved\" () 0)))\n(resting 1)\n"
                               "(property \"one_gc_at_a_time\" invariant (not (f \"moved\")))\n"),
              0)
        << whole;
}

class reexplore_table : public reexplore {
 protected:
  static std::string with_checker() { return std::string("--with-checker '") + QUIESCE_BINARY + "'"; }
  int run_line(const json& c, const std::string& options) const {
    write("t.jsonl", c.dump() + "\n");
    return run_on((folder / "t.jsonl").string(), options);
  }
  static json resigned(json c) {
    c.erase("id");
    c["id"] = sha256_hex(c.dump());
    return c;
  }
};

TEST_F(reexplore_table, accepts_a_certificate_as_it_is) {
  EXPECT_EQ(run_line(certificate, ""), 0);
  EXPECT_EQ(run_line(certificate, with_checker() + " --threads 2"), 0);
  EXPECT_EQ(run_on((folder / "t.jsonl#G520_one_gc").string(), with_checker()), 0);
  EXPECT_EQ(run_on((folder / "t.jsonl#nobody").string(), with_checker()), 12);
  EXPECT_EQ(run_line(certificate, "--threads 0"), 64);
  write("t.jsonl", "");
  EXPECT_EQ(run_on((folder / "t.jsonl").string(), ""), 12);
  write("t.jsonl", "no certificate\n");
  EXPECT_EQ(run_on((folder / "t.jsonl").string(), ""), 12);
}

TEST_F(reexplore_table, accepts_a_step_with_choices_inside_choices) {
  const std::string table = (repository() / "proofs/finite/namespaces.jsonl").string();
  EXPECT_EQ(run_on(table + "#namespaces_K44_two_namespaces_loopback_unregistered_last", with_checker()), 0);
}

TEST_F(reexplore_table, refuses_any_changed_field) {
  const json flat = certificate.flatten();
  for (const auto& [path, leaf] : flat.items()) {
    json c = flat;
    c[path] = leaf.is_string() ? json(leaf.get<std::string>() + "x") : json(17);
    EXPECT_EQ(run_line(c.unflatten(), ""), 12) << path;
  }
}

TEST_F(reexplore_table, refuses_what_matters_also_with_an_id_that_fits) {
  ASSERT_EQ(run_line(resigned(certificate), with_checker()), 0);
  const auto changed = [&](const json::json_pointer& where, const json& value) {
    json c = certificate;
    EXPECT_NE(c[where], value);
    c[where] = value;
    EXPECT_EQ(run_line(resigned(c), with_checker()), 12) << where;
  };
  changed("/states"_json_pointer, 9407);
  changed("/transitions"_json_pointer, 1);
  changed("/fingerprint"_json_pointer, std::string(64, '1'));
  changed("/method"_json_pointer, "guessing");
  changed("/verdict"_json_pointer, "violated");
  changed("/claim/property"_json_pointer, "skipped_gc_made_up");
  changed("/claim/model"_json_pointer, "teardown");
  changed("/settings/variant"_json_pointer, "G44");
  changed("/sha256/core"_json_pointer, std::string(64, '1'));
}

}  // namespace
}  // namespace quiesce::test
