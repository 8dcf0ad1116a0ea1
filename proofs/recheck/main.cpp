// SPDX-License-Identifier: MIT
// quiesce-recheck [--solver z3|cvc5|'COMMAND']... [--timeout SECONDS] [--with-checker PROGRAM] FOLDER...
// A COMMAND reads SMT-LIB 2 from its standard input. Exit status: 0 all accepted, 12 one refused, 64 usage.
#include <openssl/sha.h>
#include <unistd.h>
#include <fstream>
#include <future>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include "proofs/recheck/core.hpp"
namespace recheck {
using json = nlohmann::json;
void require(bool holds, const std::string& otherwise) { if (!holds) throw refusal(otherwise); }
std::string file_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary); return in ? std::string{std::istreambuf_iterator<char>(in), {}} : throw refusal("cannot read " + path);
}
std::string sha256(const std::string& text) {
  unsigned char digest[SHA256_DIGEST_LENGTH]; SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest); std::string out;
  for (unsigned char c : digest) out += "0123456789abcdef"[c >> 4], out += "0123456789abcdef"[c & 15];
  return out;
}
std::string output_of(const std::string& command, const std::string& input, int seconds) {
  std::FILE* file = std::tmpfile();
  require(file && std::fwrite(input.data(), 1, input.size(), file) == input.size() && std::fflush(file) == 0, "cannot write a temporary file");
  std::string line = "timeout -k 1 " + std::to_string(seconds) + " sh -c '";
  for (char c : command) line += c == '\'' ? "'\\''" : std::string(1, c);
  line += "' < /proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(fileno(file));
  std::FILE* pipe = popen(line.c_str(), "re"); require(pipe != nullptr, "cannot start " + command); std::string text; char buffer[4096];
  for (std::size_t n; text.size() < 1u << 24 && (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
  const int status = pclose(pipe); std::fclose(file);
  require(status != 124 << 8 && status != 137 << 8, command + ": no end within " + std::to_string(seconds) + " s");
  require(status == 0, command + (status == 127 << 8 ? ": no such program" : ": failed: " + text.substr(0, text.find('\n')))); return text;
}
// The answers in the order of the questions.
std::vector<std::string> answers_of(const std::string& solver, const std::string& text, std::size_t questions, int seconds) {
  const std::string command = solver == "z3" ? "z3 -in" : solver == "cvc5" ? "cvc5 --lang=smt2 --incremental --full-saturate-quant" : solver;
  std::istringstream lines(output_of(command, text, seconds)); std::vector<std::string> out;
  for (std::string line; std::getline(lines, line); out.push_back(line))
    require(line == "sat" || line == "unsat", solver + ": instead of an answer: " + line.substr(0, 200));
  require(out.size() == questions, solver + ": " + std::to_string(out.size()) + " answers to " + std::to_string(questions) + " questions"); return out;
}
void check_record(const json& c, const std::string& core, const std::string& text, const obligations& o) {
  json rest = c; rest.erase("id");
  require(c.at("format") == 2 && c.at("method") == "inductive invariants", "a certificate of an unknown format or method");
  require(sha256(rest.dump()) == c.at("id"), "the certificate was changed: its id is another one");
  require(c.at("sha256").at("core") == sha256(core), "the core was changed");
  require(c.at("sha256").at("obligations") == sha256(text), "the core has other obligations than the certificate");
  require(c.at("invariants") == json(o.invariants), "the certificate names other invariants");
  require(o.properties.size() == 1 && o.properties[0].first == c.at("claim").at("property"), "the core is about another property");
  require(o.properties[0].second == "invariant" || (o.properties[0].second == "monitored" && o.breakable), "no action of the core can break the property");
}
void check_answers(const json& c, const std::array<obligations, 2>& parts, const std::string& solver, const std::vector<std::string>& answers) {
  bool starts = false, triggers = false, triggered = false; std::set<std::string> never(parts[0].places.begin(), parts[0].places.end()); std::size_t i = 0;
  for (const obligations& o : parts) o.each([&](const block& b, const question& q) {
    const json &entry = c.at("obligations").at(i), &expected = entry.at("expected");
    require(entry.at("name") == q.name && entry.at("sha256") == sha256(b.text + q.text), "obligation " + q.name + " is not the certificate's");
    require(expected == "sat" || expected == "unsat", "obligation " + q.name + " expects nothing");
    require(q.expected == "either" || expected == q.expected, "obligation " + q.name + " has to be " + q.expected);
    require(expected == answers[i], solver + ": obligation " + q.name + " is " + answers[i]);
    require(!entry.contains("uses") || (q.expected == "unsat" && !entry["uses"].empty()), "obligation " + q.name + " uses nothing");
    const bool sat = answers[i++] == "sat", trigger = q.name.starts_with("trigger ");
    starts |= sat && q.name.starts_with("possible initial "); triggers |= trigger, triggered |= trigger && sat;
    if (sat && q.name.starts_with("possible ") && b.name.starts_with("action ")) never.erase(b.name.substr(b.name.find(' ', 7) + 1));
  });
  require(starts, "there is no initial state"); require(!triggers || triggered, "the trigger of the property never happens");
  require(c.at("never") == json(never), "other actions are impossible than the certificate says");
}
void recheck(const std::string& folder, const std::vector<std::string>& solvers, const std::string& checker, int seconds) {
  const json c = json::parse(file_text(folder + "/certificate.json"));
  const std::string core = file_text(folder + "/core"), file = folder + "/obligations.smt2", name = c.at("claim").at("name"); used uses;
  for (const json& entry : c.at("obligations")) uses.push_back(entry.value("uses", used::value_type{}));
  const std::array<obligations, 2> parts = {derive(read(core), uses, false), derive(read(core), {}, true)};
  const std::string text = parts[0].text() + "(reset)\n" + parts[1].text(); std::size_t questions = 0; std::string with;
  require(text == file_text(file), "obligations.smt2 is not what follows from the core"); check_record(c, core, text, parts[0]);
  for (const obligations& o : parts) o.each([&](const block&, const question&) { ++questions; });
  require(c.at("obligations").size() == questions, "the certificate has another number of obligations");
  std::vector<std::future<std::vector<std::string>>> answers;  // of all solvers, side by side
  for (const std::string& s : solvers) answers.push_back(std::async(std::launch::async, answers_of, s, text, questions, seconds));
  for (std::size_t s = 0; s < solvers.size(); ++s) check_answers(c, parts, solvers[s], answers[s].get()), with += (s ? ", " : "") + solvers[s];
  setenv("CHECKER", checker.c_str(), 1), setenv("CLAIM", name.c_str(), 1);
  require(checker.empty() || output_of(R"("$CHECKER" prove --core "$CLAIM")", "", 600) == core, "the model has another core");
  with += checker.empty() ? "; core not compared with source" : "; core as the checker makes it";
  std::cout << name << ": accepted, " << questions << " obligations, " << with << ", " << std::string(c.at("id")).substr(0, 12) << std::endl;
}
}  // namespace recheck
int main(int count, char** words) {
  std::vector<std::string> solvers, folders; std::string checker; int seconds = 300;
  for (int i = 1; i < count; ++i) {
    const std::string w = words[i]; const char* value = w.starts_with("--") && i + 1 < count ? words[++i] : nullptr;
    if (!w.starts_with("-")) folders.push_back(w);
    else if (w == "--solver" && value) solvers.push_back(value);
    else if (w == "--with-checker" && value) checker = value;
    else if (w != "--timeout" || !value || (seconds = std::atoi(value)) <= 0) folders.clear(), i = count;
  }
  if (folders.empty()) return std::cerr << "usage: quiesce-recheck [--solver z3|cvc5|'COMMAND'] [--timeout SECONDS] [--with-checker PROGRAM] FOLDER\n", 64;
  if (solvers.empty()) solvers = {"z3", "cvc5"};
  int status = 0;
  for (const std::string& folder : folders) try {
      recheck::recheck(folder, solvers, checker, seconds);
    } catch (const std::exception& problem) {
      std::cout << folder << ": REFUSED: " << problem.what() << std::endl; status = 12;
    }
  return status;
}
