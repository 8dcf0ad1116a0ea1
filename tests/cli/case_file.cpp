// SPDX-License-Identifier: MIT
#include "tests/support/case_file.hpp"

#include <stdlib.h>
#include <sys/wait.h>

#include <regex>
#include <set>
#include <stdexcept>

#include "quiesce_paths.hpp"
#include "tests/support/repository.hpp"

namespace quiesce::test {
namespace {

namespace fs = std::filesystem;

std::pair<std::string, std::string> head_and_rest(const std::string& line) {
  const std::size_t blank = line.find(' ');
  if (blank == std::string::npos) return {line, ""};
  return {line.substr(0, blank), line.substr(blank + 1)};
}

[[noreturn]] void bad(int line, const std::string& what) {
  throw std::runtime_error("line " + std::to_string(line) + ": " + what);
}

void parse_line(const std::string& text, int number, case_file& out) {
  const auto [key, rest] = head_and_rest(text);
  if (key == "|" || key[0] == '|') {
    if (out.files.empty()) bad(number, "text without a file");
    out.files.back().second += (text.size() > 2 ? text.substr(2) : "") + "\n";
  } else if (key == "file") {
    out.files.emplace_back(rest, "");
  } else if (key == "run") {
    out.commands.push_back({rest, number, -1, {}});
  } else if (key == "creates") {
    out.creates.push_back(rest);
  } else if (out.commands.empty()) {
    bad(number, "expectation without a command");
  } else if (key == "exit") {
    out.commands.back().status = std::stoi(rest);
  } else if (key == "stdout" || key == "stderr") {
    const auto [check, what] = head_and_rest(rest);
    static const std::set<std::string> checks = {"empty", "has", "lacks", "line", "last"};
    if (!checks.count(check)) bad(number, "unknown check " + check);
    out.commands.back().expected.push_back({key, check, what, number});
  } else {
    bad(number, "unknown item " + key);
  }
}

// Whether the stream's lines are as expected.
bool met(const expectation& e, const std::string& text) {
  const std::vector<std::string> lines = lines_of(text);
  if (e.check == "empty") return text.empty();
  if (e.check == "has" || e.check == "lacks") {
    const bool found =
        std::any_of(lines.begin(), lines.end(), [&](const std::string& l) { return l.find(e.text) != std::string::npos; });
    return found == (e.check == "has");
  }
  const std::regex wanted(e.text);
  if (e.check == "last") return !lines.empty() && std::regex_match(lines.back(), wanted);
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& l) { return std::regex_match(l, wanted); });
}

std::string excerpt(const std::string& text) { return text.size() <= 4000 ? text : text.substr(0, 4000) + "\n..."; }

// Runs one command in `folder`; its streams go to `streams`, outside of it.
void run_command(const command& c, const fs::path& folder, const fs::path& streams, std::vector<std::string>& wrong) {
  const std::string path = fs::path(QUIESCE_BINARY).parent_path().string();
  const std::string script = "cd '" + folder.string() + "' && unset QUIESCE_DATA && PATH='" + path + "':$PATH && { " +
                             c.text + "\n} >'" + (streams / "stdout").string() + "' 2>'" + (streams / "stderr").string() +
                             "' </dev/null";
  const int status = std::system(script.c_str());
  const std::string at = "line " + std::to_string(c.line) + ": ";
  const std::string out = read_text(streams / "stdout"), err = read_text(streams / "stderr");
  const std::size_t before = wrong.size();
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (code != c.status)
    wrong.push_back(at + "exit status " + std::to_string(code) + " instead of " + std::to_string(c.status));
  for (const expectation& e : c.expected)
    if (!met(e, e.stream == "stdout" ? out : err))
      wrong.push_back("line " + std::to_string(e.line) + ": " + e.stream + " " + e.check + " " + e.text);
  if (wrong.size() > before) wrong.push_back("stdout:\n" + excerpt(out) + "\nstderr:\n" + excerpt(err));
}

std::set<std::string> files_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    names.insert(fs::relative(entry.path(), folder).string());
  return names;
}

}  // namespace

case_file parse_case(const std::string& text) {
  case_file out;
  int number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    if (!line.empty() && line[0] != '#') parse_line(line, number, out);
  }
  if (out.commands.empty()) throw std::runtime_error("no command");
  for (const command& c : out.commands)
    if (c.status < 0) bad(c.line, "no exit status");
  return out;
}

std::vector<std::string> run_case(const case_file& test) {
  std::string pattern = (fs::temp_directory_path() / "quiesce-case-XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw std::runtime_error("no temporary directory");
  const fs::path root = pattern, folder = root / "here";
  fs::create_directory(folder);
  std::vector<std::string> wrong;
  for (const auto& [name, text] : test.files) std::ofstream(folder / name, std::ios::binary) << text;
  std::set<std::string> expected = files_in(folder);
  expected.insert(test.creates.begin(), test.creates.end());
  for (const command& c : test.commands) run_command(c, folder, root, wrong);
  const std::set<std::string> left = files_in(folder);
  for (const std::string& name : left)
    if (!expected.count(name)) wrong.push_back("file left behind: " + name);
  for (const std::string& name : test.creates)
    if (!left.count(name)) wrong.push_back("file not made: " + name);
  fs::remove_all(root);
  return wrong;
}

}  // namespace quiesce::test
