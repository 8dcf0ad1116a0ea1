// SPDX-License-Identifier: MIT
// quiesce-reexplore [--states N] [--with-checker PROGRAM] FOLDER...
// Explores the core of an exhaustive certificate naively and compares: number and fingerprint of the states, and the
// verdict. proofs/README.md, "Exhaustive certificates". Exit status: 0 all accepted, 12 one refused, 64 usage.

#include <openssl/sha.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
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
    std::vector<number> none;
    if (enabled == 0 && !evaluate(c_.resting[0], s, none)) deadlock_ = true;
  }

  std::size_t apply(const action& a, const state& s) {
    std::vector<number> v(a.params.size());
    return choose(a, s, v, 0);
  }

  std::size_t choose(const action& a, const state& s, std::vector<number>& v, std::size_t chosen) {
    for (const term& t : a.conditions[chosen])
      if (!evaluate(t, s, v)) return 0;
    if (chosen == a.params.size()) return take(a, s, v), 1;
    std::size_t enabled = 0;
    for (number k = 0; k < a.params[chosen]; ++k) {
      v[chosen] = k;
      enabled += choose(a, s, v, chosen + 1);
    }
    return enabled;
  }

  void take(const action& a, const state& s, std::vector<number>& v) {
    bool ends = false;
    for (const effect& e : a.effects) ends = happens(e) || ends;
    if (ends) return;
    state after = s;
    std::set<std::size_t> written;
    for (const update& u : a.updates) {
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
    std::vector<number> none;
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
    for (const action& a : *all) {
      const auto has = [&](effect::kind k) {
        return std::any_of(a.effects.begin(), a.effects.end(),
                           [&](const effect& e) { return e.what == k && e.name == name; });
      };
      if (has(effect::kind::marks) && !has(effect::kind::violates)) return true;
    }
  return false;
}

void check_record(const json& c, const std::string& core_text, const core& k) {
  json rest = c;
  rest.erase("id");
  require(c.at("format") == 2 && c.at("method") == "exhaustive search", "a certificate of an unknown format or method");
  require(hexadecimal(sha256(rest.dump())) == c.at("id"), "the certificate was changed: its id is another one");
  require(c.at("sha256").at("core") == hexadecimal(sha256(core_text)), "the core was changed");
  require(c.at("verdict") == "holds", "a certificate of another verdict than `holds`");
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
  require(pipe(ends) == 0, "cannot make a pipe");
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

void recheck(const std::string& folder, std::size_t most, const std::string& checker) {
  const json c = json::parse(file_text(folder + "/certificate.json"));
  const std::string text = file_text(folder + "/core"), name = c.at("claim").at("name");
  const core k = builder(reader(text).run()).take();
  check_record(c, text, k);
  require(checker.empty() || output_of(command_of(c, checker)) == text, "the model has another core");
  std::string how = "not re-explored";
  if (c.at("states") <= most) {
    explorer e(k, most);
    require(e.run(), "there are more states than the certificate says");
    check_exploration(c, k, e);
    how = "explored again";
  }
  std::cout << name << ": accepted, " << c.at("states") << " states, " << how << "; core "
            << (checker.empty() ? "not compared with source" : "as the checker makes it") << ", "
            << std::string(c.at("id")).substr(0, 12) << std::endl;
}

}  // namespace reexplore

int main(int count, char** words) {
  std::vector<std::string> folders;
  std::string checker;
  std::size_t most = 100000;
  bool usage = false;
  for (int i = 1; i < count; ++i) {
    const std::string w = words[i];
    const char* value = w.starts_with("--") && i + 1 < count ? words[++i] : nullptr;
    if (!w.starts_with("-"))
      folders.push_back(w);
    else if (w == "--with-checker" && value)
      checker = value;
    else if (w != "--states" || !value || (most = static_cast<std::size_t>(std::atoll(value))) == 0)
      usage = true;
  }
  if (folders.empty() || usage)
    return std::cerr << "usage: quiesce-reexplore [--states N] [--with-checker PROGRAM] FOLDER...\n", 64;
  int status = 0;
  for (const std::string& folder : folders) try {
      reexplore::recheck(folder, most, checker);
    } catch (const std::exception& problem) {
      std::cout << folder << ": REFUSED: " << problem.what() << std::endl;
      status = 12;
    }
  return status;
}
