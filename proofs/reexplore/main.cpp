// SPDX-License-Identifier: MIT
// quiesce-reexplore [--states N] [--with-checker PROGRAM] [--threads N] FOLDER|TABLE|TABLE#CLAIM...
// Explores the core of an exhaustive certificate naively and compares: number and fingerprint of the states, and the
// verdict. A TABLE is a file NAME.jsonl of certificates, one a line, whose cores the checker makes again.
// proofs/README.md, "Exhaustive certificates". Exit status: 0 all accepted, 12 one refused, 64 usage.

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <iostream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "proofs/reexplore/explorer.hpp"

namespace reexplore {

using json = nlohmann::json;

std::string file_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return in ? std::string{std::istreambuf_iterator<char>(in), {}} : throw refusal("cannot read " + path);
}

bool can_be_broken(const core& c, const std::string& name) {
  for (const property& p : c.properties)
    if (p.name == name && p.kind != "monitored") return true;
  for (const auto* all : {&c.initial, &c.actions})
    for (const action& a : *all)
      for (const effect& e : a.effects)
        if (e.what == effect::kind::violates && e.name == name) return true;
  return false;
}

// Of a rule that something never happens, what marks it also violates it: it has no trigger.
bool has_trigger(const core& c, const std::string& name) {
  for (const auto* all : {&c.initial, &c.actions})
    for (const action& a : *all)
      for (const effect& e : a.effects)
        if (e.what == effect::kind::marks && e.name == name &&
            std::none_of(a.effects.begin(), a.effects.end(), [&](const effect& o) {
              return o.what == effect::kind::violates && o.name == name && o.when_text == e.when_text;
            }))
          return true;
  return false;
}

void check_id(const json& c) {
  json rest = c;
  rest.erase("id");
  require(c.at("format") == 2 && c.at("method") == "exhaustive search", "a certificate of an unknown format or method");
  require(hexadecimal(sha256(rest.dump())) == c.at("id"), "the certificate was changed: its id is another one");
  require(c.at("verdict") == "holds", "a certificate of another verdict than `holds`");
}

void check_core(const json& c, const core& k) {
  const std::string name = c.at("claim").at("property");
  require(!k.properties.empty(), "the core has no property");
  for (const property& p : k.properties) require(p.name == name, "the core is about another property");
  require(k.properties[0].kind != "sometimes", "the property asks for a run, not for all of them");
  require(can_be_broken(k, name), "nothing in the core can break the property");
}

void check_exploration(const json& c, const core& k, const explorer& e) {
  const std::string name = c.at("claim").at("property");
  require(e.violated().empty(), "a run violates " + name);
  require(e.ends().empty(), "a run ends in " + (e.ends().empty() ? "" : *e.ends().begin()));
  require(!e.deadlock(), "a run ends in a deadlock");
  require(!has_trigger(k, name) || e.marked().count(name), "the trigger of the property never happens");
  require(c.at("states") == e.states(), "there are " + std::to_string(e.states()) + " states");
  require(c.at("transitions") == e.transitions(), "there are " + std::to_string(e.transitions()) + " transitions");
  require(c.at("fingerprint") == hexadecimal(e.fingerprint()), "the reachable states are others");
}

std::vector<std::string> command_of(const json& c, const std::string& checker) {
  const json& s = c.at("settings");
  std::vector<std::string> out = {checker,         "dump",
                                  "--core",        c.at("claim").at("model"),
                                  "--variant",     s.at("variant"),
                                  "--environment", s.at("environment"),
                                  "--property",    c.at("claim").at("property")};
  for (const char* what : {"scope", "option"})
    for (const auto& [name, value] : s.at(what).items())
      out.insert(out.end(),
                 {std::string("--") + what, name + "=" + (value.is_string() ? value.get<std::string>() : value.dump())});
  return out;
}

std::string output_of(std::vector<std::string> words) {
  int ends[2];
  require(pipe2(ends, O_CLOEXEC) == 0, "cannot make a pipe");
  const pid_t child = fork();
  require(child >= 0, "cannot start " + words[0]);
  if (child == 0) {
    std::vector<char*> argv;
    for (std::string& w : words) argv.push_back(w.data());
    argv.push_back(nullptr);
    dup2(ends[1], 1), close(ends[0]), close(ends[1]);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  close(ends[1]);
  std::string out;
  char buffer[65536];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) out.append(buffer, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  require(waitpid(child, &status, 0) == child && status == 0, words[0] + " did not print the core");
  return out;
}

struct piece {
  std::string folder, certificate;  // certificate: a line of a table, without a folder
};

struct wishes {
  std::size_t most = 100000;
  std::string checker;
  std::size_t threads = 1;
};

std::string accepted(const json& c, const std::string& how) {
  return std::string(c.at("claim").at("name")) + ": accepted, " + c.at("states").dump() + " states, " + how + ", " +
         std::string(c.at("id")).substr(0, 12);
}

std::string recheck(const piece& p, const wishes& w) {
  const bool listed = p.folder.empty();
  const json c = json::parse(listed ? p.certificate : file_text(p.folder + "/certificate.json"));
  check_id(c);
  if (listed && w.checker.empty()) return accepted(c, "only its id was checked: the core is not here");
  const std::string made = w.checker.empty() ? "" : output_of(command_of(c, w.checker));
  const std::string text = listed ? made : file_text(p.folder + "/core");
  require(c.at("sha256").at("core") == hexadecimal(sha256(text)),
          listed ? "the model has another core" : "the core was changed");
  const core k = builder(reader(text).run()).take();
  check_core(c, k);
  require(w.checker.empty() || made == text, "the model has another core");
  std::string how = "not re-explored";
  if (c.at("states") <= w.most) {
    explorer e(k, w.most);
    require(e.run(), "there are more states than the certificate says");
    check_exploration(c, k, e);
    how = "explored again";
  }
  return accepted(c, how + "; core " + (w.checker.empty() ? "not compared with source" : "as the checker makes it"));
}

// The lines of a table, or the one of TABLE#CLAIM.
void add_lines(const std::string& table, std::vector<piece>& out) {
  const std::size_t hash = table.find('#');
  std::istringstream lines(file_text(table.substr(0, hash)));
  std::size_t found = 0;
  for (std::string line; std::getline(lines, line);) {
    const json c = json::parse(line, nullptr, false);
    if (hash != table.npos &&
        (!c.is_object() || !c.contains("claim") || c["claim"].value("name", "") != table.substr(hash + 1)))
      continue;
    out.push_back({"", line});
    ++found;
  }
  require(found > 0, table + ": no certificates");
}

// In this order, several at a time; what to say of one is said when all before it are done.
int recheck_all(const std::vector<piece>& all, const wishes& w) {
  std::vector<std::string> said(all.size());
  std::atomic<std::size_t> next = 0;
  std::mutex saying;
  std::size_t out = 0;
  int status = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < all.size(); i = next++) {
      std::string text;
      bool refused = false;
      try {
        text = recheck(all[i], w);
      } catch (const std::exception& problem) {
        const json c = json::parse(all[i].certificate, nullptr, false);
        const bool named = c.is_object() && c.contains("claim") && c["claim"].is_object();
        text = (!all[i].folder.empty() ? all[i].folder
                : named                ? c["claim"].value("name", "?")
                                       : "a line of a table") +
               ": REFUSED: " + problem.what();
        refused = true;
      }
      const std::lock_guard lock(saying);
      said[i] = std::move(text);
      if (refused) status = 12;
      for (; out < all.size() && !said[out].empty(); ++out) std::cout << said[out] << std::endl;
    }
  };
  std::vector<std::jthread> others;
  for (std::size_t k = 1; k < w.threads; ++k) others.emplace_back(work);
  work();
  others.clear();
  return status;
}

}  // namespace reexplore

int main(int count, char** words) {
  std::vector<std::string> names;
  reexplore::wishes w;
  bool usage = false;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const char* value = word.starts_with("--") && i + 1 < count ? words[++i] : nullptr;
    if (!word.starts_with("-"))
      names.push_back(word);
    else if (word == "--with-checker" && value)
      w.checker = value;
    else if (word == "--threads" && value)
      usage |= (w.threads = static_cast<std::size_t>(std::atoll(value))) == 0 || w.threads > 1024;
    else if (word != "--states" || !value || (w.most = static_cast<std::size_t>(std::atoll(value))) == 0)
      usage = true;
  }
  if (names.empty() || usage)
    return std::cerr << "usage: quiesce-reexplore [--states N] [--with-checker PROGRAM] [--threads N] "
                        "FOLDER|TABLE|TABLE#CLAIM...\n",
           64;
  int status = 0;
  std::vector<reexplore::piece> all;
  for (const std::string& name : names) try {
      if (const std::size_t end = name.find('#'); name.substr(0, end).ends_with(".jsonl"))
        reexplore::add_lines(name, all);
      else
        all.push_back({name, ""});
    } catch (const std::exception& problem) {
      std::cout << name << ": REFUSED: " << problem.what() << std::endl;
      status = 12;
    }
  return std::max(status, reexplore::recheck_all(all, w));
}
