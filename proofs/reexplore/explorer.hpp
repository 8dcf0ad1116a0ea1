// SPDX-License-Identifier: MIT
#pragma once
// Explores a core naively: number and fingerprint of its states, transitions, and what they find.

#include <openssl/sha.h>

#include <array>
#include <set>
#include <unordered_set>
#include <utility>

#include "proofs/reexplore/core.hpp"

namespace reexplore {

inline void require(bool holds, const std::string& otherwise) {
  if (!holds) throw refusal(otherwise);
}

using digest = std::array<unsigned char, SHA256_DIGEST_LENGTH>;

inline digest sha256(const std::string& text) {
  digest out;
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), out.data());
  return out;
}

inline std::string hexadecimal(const digest& d) {
  std::string out;
  for (unsigned char c : d) out += "0123456789abcdef"[c >> 4], out += "0123456789abcdef"[c & 15];
  return out;
}

// The sum of big numbers, modulo 2^256: in any order the same.
inline void add(digest& sum, const digest& d) {
  unsigned carry = 0;
  for (std::size_t i = sum.size(); i-- > 0;) {
    carry += sum[i] + d[i];
    sum[i] = static_cast<unsigned char>(carry & 255);
    carry >>= 8;
  }
}

inline std::string text_of(const state& s) {
  std::string out;
  for (number n : s) out += (out.empty() ? "" : " ") + std::to_string(n);
  return out;
}

class explorer {
 public:
  explicit explorer(const core& c, std::size_t most) : c_(c), most_(most), here_(c.variables), alone_(c.variables) {}

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
    alone_.s = &s;
    if (enabled == 0 && !evaluate(c_.resting[0], alone_)) deadlock_ = true;
  }

  std::size_t apply(const action& a, const state& s) {
    here_.s = &s;
    const std::size_t enabled = choose(a, 0);
    here_.forget(0);
    return enabled;
  }

  // The parts of the guard before `part` are true. Parameters get values as the guard asks for them: from left to right it
  // reads no more than decides it, so where it is false it is so for all values of the parameters that it left out.
  std::size_t choose(const action& a, std::size_t part) {
    for (; part < a.guard.size(); ++part) {
      const bool holds = evaluate(a.guard[part], here_) != 0;
      if (here_.wanted >= 0) return choose_all(a, part, static_cast<std::size_t>(std::exchange(here_.wanted, -1)));
      if (!holds) return 0;
    }
    for (std::size_t k = 0; k < a.params.size(); ++k)
      if (here_.v[k] < 0) return choose_all(a, part, k);
    take(a);
    return 1;
  }

  std::size_t choose_all(const action& a, std::size_t part, std::size_t parameter) {
    const std::size_t known = here_.known.size();
    std::size_t enabled = 0;
    for (number k = 0; k < a.params[parameter]; ++k) {
      here_.v[parameter] = k;
      enabled += choose(a, part);
      here_.forget(known);
    }
    here_.v[parameter] = -1;
    return enabled;
  }

  void take(const action& a) {
    bool ends = false;
    for (const effect& e : a.effects)
      if (e.when.empty() || evaluate(e.when[0], here_)) ends = happens(e) || ends;
    if (ends) return;
    state after = *here_.s;
    std::set<std::size_t> written;
    for (const update& u : a.updates) {
      if (!u.when.empty() && !evaluate(u.when[0], here_)) continue;
      std::size_t flat = 0;
      for (std::size_t k = 0; k < u.at.size(); ++k) {
        const number x = evaluate(u.at[k], here_);
        require(x >= 0 && x < u.of->sizes[k], "the core: an update out of its range");
        flat = flat * static_cast<std::size_t>(u.of->sizes[k]) + static_cast<std::size_t>(x);
      }
      const number value = evaluate(u.value, here_);
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
    alone_.s = &s;
    for (const property& p : c_.properties) {
      if (p.condition.empty()) continue;
      const bool holds = evaluate(p.condition[0], alone_) != 0;
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
  place_and_values here_;   // for the terms of actions
  place_and_values alone_;  // for terms that have no parameters around them
  std::unordered_set<std::string> seen_;
  std::vector<state> waiting_;
  digest sum_{};
  std::set<std::string> violated_, marked_, ends_;
  bool deadlock_ = false;
  std::size_t transitions_ = 0;
};

}  // namespace reexplore
