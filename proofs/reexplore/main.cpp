// SPDX-License-Identifier: MIT
// quiesce-reexplore [--states N] [--with-checker PROGRAM] [--threads N] FOLDER|TABLE|TABLE#CLAIM...
// Explores the core of an exhaustive certificate naively and compares: number and fingerprint of the states, and the
// verdict. A TABLE is a file NAME.jsonl of certificates, one a line, whose cores the checker makes again.
// proofs/README.md, "Exhaustive certificates". Exit status: 0 all accepted, 12 one refused, 64 usage.

#include <fcntl.h>
#include <openssl/sha.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <fstream>
#include <iostream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>
#include <unordered_set>

#include "proofs/reexplore/core.hpp"

namespace reexplore {

using json = nlohmann::json;

void require(bool holds, const std::string& otherwise) {
  if (!holds) throw refusal(otherwise);
}

std::string file_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return in ? std::string{std::istreambuf_iterator<char>(in), {}} : throw refusal("cannot read " + path);
}

using digest = std::array<unsigned char, SHA256_DIGEST_LENGTH>;

digest sha256(const std::string& text) {
  digest out;
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), out.data());
  return out;
}

std::string hexadecimal(const digest& d) {
  std::string out;
  for (unsigned char c : d) out += "0123456789abcdef"[c >> 4], out += "0123456789abcdef"[c & 15];
  return out;
}

// The sum of big numbers, modulo 2^256: in any order the same.
void add(digest& sum, const digest& d) {
  unsigned carry = 0;
  for (std::size_t i = sum.size(); i-- > 0;) {
    carry += sum[i] + d[i];
    sum[i] = static_cast<unsigned char>(carry & 255);
    carry >>= 8;
  }
}

std::string text_of(const state& s) {
  std::string out;
  for (number n : s) out += (out.empty() ? "" : " ") + std::to_string(n);
  return out;
}

class explorer {
 public:
  explicit explorer(const core& c, std::size_t most) : c_(c), most_(most) {}

  // False: there are more states than wanted.
  bool run() {
    for (const action& a : c_.initial) apply(a, c_.least);
    while (!waiting_.empty() && seen_.size() <= most_) {
      const state s = std::move(waiting_.back());
      waiting_.pop_back();
      expand(s);
    }
    return seen_.size() <= most_;
  }

  std::size_t states() const { return seen_.size(); }
  std::size_t transitions() const { return transitions_; }
  const digest& fingerprint() const { return sum_; }
  const std::set<std::string>& violated() const { return violated_; }
  const std::set<std::string>& marked() const { return marked_; }
  const std::set<std::string>& ends() const { return ends_; }  // errors and bounds
  bool deadlock() const { return deadlock_; }

 private:
  void expand(const state& s) {
    std::size_t enabled = 0;
    for (bool late : {false, true})
      if (!late || enabled == 0)
        for (const action& a : c_.actions)
          if (a.late == late) enabled += apply(a, s);
    transitions_ += enabled;
    std::vector<number> none(c_.variables);
    if (enabled == 0 && !evaluate(c_.resting[0], s, none)) deadlock_ = true;
  }

  std::size_t apply(const action& a, const state& s) {
    std::vector<number> v(a.variables);
    return choose(a, s, v, 0);
  }

  std::size_t choose(const action& a, const state& s, std::vector<number>& v, std::size_t chosen) {
    for (const term& t : a.conditions[chosen])
      if (!evaluate(t, s, v)) return 0;
    if (chosen == a.params.size()) return take(a, s, v), 1;
    std::size_t enabled = 0;
    for (number k = 0; k < a.params[chosen]; ++k) {
      v[chosen] = k;
      for (const std::size_t known : a.stale[chosen]) v[known] = 0;
      enabled += choose(a, s, v, chosen + 1);
    }
    return enabled;
  }

  void take(const action& a, const state& s, std::vector<number>& v) {
    bool ends = false;
    for (const effect& e : a.effects)
      if (e.when.empty() || evaluate(e.when[0], s, v)) ends = happens(e) || ends;
    if (ends) return;
    state after = s;
    std::set<std::size_t> written;
    for (const update& u : a.updates) {
      if (!u.when.empty() && !evaluate(u.when[0], s, v)) continue;
      std::size_t flat = 0;
      for (std::size_t k = 0; k < u.at.size(); ++k) {
        const number x = evaluate(u.at[k], s, v);
        require(x >= 0 && x < u.of->sizes[k], "the core: an update out of its range");
        flat = flat * static_cast<std::size_t>(u.of->sizes[k]) + static_cast<std::size_t>(x);
      }
      const number value = evaluate(u.value, s, v);
      require(u.of->values.fits(value), "the core: a value that its function does not have");
      require(written.insert(u.of->first + flat).second || after[u.of->first + flat] == value,
              "the core: two updates differ");
      after[u.of->first + flat] = value;
    }
    reach(std::move(after));
  }

  void reach(state s) {
    const std::string key(reinterpret_cast<const char*>(s.data()), s.size() * sizeof(number));
    if (!seen_.insert(key).second) return;
    add(sum_, sha256(text_of(s)));
    std::vector<number> none(c_.variables);
    for (const property& p : c_.properties) {
      if (p.condition.empty()) continue;
      const bool holds = evaluate(p.condition[0], s, none) != 0;
      if (p.kind == "sometimes" && holds) marked_.insert(p.name);
      if (p.kind == "invariant" && !holds) violated_.insert(p.name);
    }
    waiting_.push_back(std::move(s));
  }

  // True where the action leads to no state.
  bool happens(const effect& e) {
    switch (e.what) {
      case effect::kind::violates:
        violated_.insert(e.name);
        return false;
      case effect::kind::marks:
        marked_.insert(e.name);
        return false;
      case effect::kind::stuck:
        deadlock_ = true;
        return true;
      case effect::kind::error:
      case effect::kind::bound:
        break;
    }
    ends_.insert((e.what == effect::kind::error ? "error " : "bound ") + e.name);
    for (const property& p : c_.properties)
      if (e.what == effect::kind::error && std::find(p.errors.begin(), p.errors.end(), e.name) != p.errors.end())
        violated_.insert(p.name);
    return true;
  }

  const core& c_;
  const std::size_t most_;
  std::unordered_set<std::string> seen_;
  std::vector<state> waiting_;
  digest sum_{};
  std::set<std::string> violated_, marked_, ends_;
  bool deadlock_ = false;
  std::size_t transitions_ = 0;
};

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
