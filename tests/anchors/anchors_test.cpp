// SPDX-License-Identifier: MIT
// The kernel anchors of the shipped models against the source of Linux 6.1 (Debian package linux-source-6.1): each function
// is in the file that its anchor names, and calls what the anchor lists, in this order. Anchors of other versions cannot be
// checked here.

#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <map>
#include <regex>
#include <set>
#include <tuple>

#include "model/verdict/catalogue.hpp"
#include "tests/support/repository.hpp"

namespace quiesce::test {
namespace {

namespace fs = std::filesystem;

const fs::path archive = "/usr/src/linux-source-6.1.tar.xz";
const fs::path unpacked = fs::path(QUIESCE_BUILD_DIR) / "linux-source-6.1";

struct anchored {
  std::string model, version;
  ast::anchor at;
};

// Every anchor of an item: its own and those of the statements in it.
struct collector {
  std::vector<ast::anchor>& found;

  void add(const std::optional<ast::anchor>& at) {
    if (at) found.push_back(*at);
  }
  void operator()(const std::vector<ast::statement>& body) {
    for (const ast::statement& s : body) {
      add(s.at);
      (*this)(s.body);
      (*this)(s.otherwise);
      for (const auto& branch : s.branches) (*this)(branch);
    }
  }
  void operator()(const ast::procedure_decl& p) { add(p.at), (*this)(p.body); }
  void operator()(const ast::process_decl& p) { add(p.at), (*this)(p.body); }
  void operator()(const ast::handler_decl& h) {
    add(h.at);
    for (const ast::handler_clause& clause : h.clauses) (*this)(clause.body);
  }
  void operator()(const ast::operation_decl& o) { add(o.at), (*this)(o.begin), (*this)(o.otherwise), (*this)(o.body); }
  void operator()(const ast::environment_decl& e) {
    for (const ast::process_decl& p : e.processes) (*this)(p);
    for (const ast::procedure_decl& p : e.procedures) (*this)(p);
  }
  template <class Other>
  void operator()(const Other&) {}
};

// An anchor without a version stands for each version of its model: v6.1 if a variant is of that kernel.
std::vector<anchored> anchors() {
  catalogue inputs(repository().string());
  std::vector<anchored> all;
  for (const std::string& path : inputs.model_paths()) {
    const ast::model& m = inputs.model(path).loaded.model;
    std::vector<ast::anchor> found;
    bool today = false;
    for (const ast::item& item : m.items) {
      std::visit(collector{found}, item);
      if (const auto* v = std::get_if<ast::variant_decl>(&item)) today = today || v->kernel == "v6.1";
    }
    for (const ast::anchor& a : found)
      if (a.label.empty()) all.push_back({m.name, !a.version.empty() ? a.version : today ? "v6.1" : "another", a});
  }
  return all;
}

std::set<std::string> files_of(const std::vector<anchored>& all) {
  std::set<std::string> files;
  for (const anchored& a : all)
    if (a.version == "v6.1") files.insert(a.at.file);
  return files;
}

// Unpacks the files that are not there yet, all at once: the archive is read from its beginning.
bool unpack(const std::set<std::string>& files) {
  std::string missing;
  for (const std::string& file : files)
    if (!fs::exists(unpacked / file)) missing += " 'linux-source-6.1/" + file + "'";
  if (missing.empty()) return true;
  fs::create_directories(unpacked);
  const std::string command =
      "tar -xJf '" + archive.string() + "' -C '" + unpacked.string() + "' --strip-components=1" + missing;
  return std::system(command.c_str()) == 0;
}

// Comments and strings become blanks; lines stay where they are.
std::string without_comments(const std::string& text) {
  std::string out = text;
  for (std::size_t i = 0; i < out.size();) {
    std::size_t end = i + 1;
    if (out.compare(i, 2, "/*") == 0) {
      end = out.find("*/", i + 2);
      end = end == std::string::npos ? out.size() : end + 2;
    } else if (out.compare(i, 2, "//") == 0) {
      end = std::min(out.find('\n', i), out.size());
    } else if (out[i] == '"') {
      while (end < out.size() && out[end] != '"' && out[end] != '\n') end += out[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, out.size());
    }
    for (std::size_t k = i; end > i + 1 && k < end; ++k)
      if (out[k] != '\n') out[k] = ' ';
    i = end;
  }
  return out;
}

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// The body of a function in kernel style: its name in a line that begins with its type, `{` and `}` at the beginning of
// lines. Empty: there is none.
std::string body_of(const std::string& text, const std::string& function) {
  const std::string call = function + "(";
  for (std::size_t at = text.find(call); at != std::string::npos; at = text.find(call, at + 1)) {
    if (at > 0 && in_word(text[at - 1])) continue;
    const std::size_t line = text.rfind('\n', at) + 1;
    const std::string before = text.substr(line, at - line);
    const bool first = before.find_first_of(";{}#=(") == std::string::npos && (before.empty() || in_word(text[line]));
    const std::size_t open = text.find_first_of(";{}", at);
    if (!first || open == std::string::npos || text[open] != '{' || text[open - 1] != '\n') continue;
    const std::size_t end = text.find("\n}", open);
    return text.substr(open + 1, end == std::string::npos ? end : end - open - 1) + "\n";
  }
  return "";
}

// The first of `calls` that does not come behind those before it; empty: all are there.
std::string missing_call(const std::string& body, const std::vector<std::string>& calls) {
  std::size_t from = 0;
  for (const std::string& call : calls) {
    std::smatch found;
    const std::string rest = body.substr(from);
    if (!std::regex_search(rest, found, std::regex("\\b" + call + "\\s*\\("))) return call;
    from += static_cast<std::size_t>(found.position() + found.length());
  }
  return "";
}

TEST(anchors, of_linux_6_1_name_functions_and_their_calls_in_order) {
  if (!fs::exists(archive)) GTEST_SKIP() << archive << " is not there: apt-get install linux-source-6.1";
  const std::vector<anchored> all = anchors();
  ASSERT_TRUE(unpack(files_of(all)));
  std::map<std::string, std::string> texts;
  std::size_t functions = 0, calls = 0, elsewhere = 0;
  std::set<std::tuple<std::string, std::string, std::string, std::vector<std::string>>> seen;
  for (const anchored& a : all) {
    if (!seen.emplace(a.version, a.at.file, a.at.function, a.at.calls).second) continue;
    if (a.version != "v6.1") {
      ++elsewhere;
      continue;
    }
    std::string& text = texts[a.at.file];
    if (text.empty()) text = without_comments(read_text(unpacked / a.at.file));
    const std::string body = body_of(text, a.at.function);
    EXPECT_FALSE(body.empty()) << a.model << ": " << a.at.file << " has no function " << a.at.function << " in Linux 6.1";
    EXPECT_EQ(body.empty() ? "" : missing_call(body, a.at.calls), "") << a.model << ": " << a.at.function;
    ++functions;
    calls += a.at.calls.size();
  }
  RecordProperty("functions", static_cast<int>(functions));
  std::printf("%zu functions, %zu calls; %zu anchors are of other versions and cannot be checked here\n", functions, calls,
              elsewhere);
  EXPECT_GE(functions, 40u);
  EXPECT_GE(calls, 100u);
}

TEST(anchors, are_missed_where_a_call_is_moved_or_gone) {
  const std::string text =
      "static int\nf(int a)\n{\n\tg(a);\n\t/* k(); */\n\th();\n}\n\nvoid h(void);\nvoid h(void)\n{\n}\n";
  EXPECT_TRUE(body_of(text, "k").empty());
  EXPECT_FALSE(body_of(text, "h").empty());
  const std::string one = body_of(without_comments("int f(int a)\n{\n\tg(a);\n\t/* k(); */\n\th(\"m()\");\n}\n"), "f");
  EXPECT_EQ(missing_call(one, {"g", "h"}), "");
  EXPECT_EQ(missing_call(one, {"h", "g"}), "g");
  EXPECT_EQ(missing_call(one, {"k"}), "k");
  EXPECT_EQ(missing_call(one, {"m"}), "m");
  EXPECT_EQ(missing_call(one, {"g", "g"}), "g");
}

}  // namespace
}  // namespace quiesce::test
