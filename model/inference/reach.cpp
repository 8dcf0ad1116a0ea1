// SPDX-License-Identifier: MIT
#include "model/inference/reach.hpp"

#include <functional>
#include <unordered_set>

#include "model/inference/models.hpp"

namespace quiesce::inference {

namespace {

struct hash_of_state {
  std::size_t operator()(const state& s) const {
    std::uint64_t h = 0x9e3779b97f4a7c15ull;
    for (const std::int64_t v : s) {
      h ^= static_cast<std::uint64_t>(v) + 0x9e3779b97f4a7c15ull + (h << 6) + (h >> 2);
      h *= 0xff51afd7ed558ccdull;
    }
    return static_cast<std::size_t>(h ^ (h >> 33));
  }
};

// One action, ready to be taken in states of one shape.
class step {
 public:
  step(const shape& s, const symbolic::action& a) : shape_(s), action_(a), names_(names(a)), guard_(s, a.guard, names_) {
    for (const symbolic::update& u : a.updates) {
      std::vector<std::string> all = names_;
      for (const auto& [name, sort] : u.each) all.push_back(name);
      place p{&u, {}, term(s, u.value, all)};
      for (const node& n : u.args) p.args.emplace_back(s, n, all);
      updates_.push_back(std::move(p));
    }
  }

  void each_successor(const state& from, const std::function<void(state&&)>& f) const {
    std::vector<std::int64_t> values(names_.size(), 0);
    choose(from, values, 0, f);
  }

 private:
  struct place {
    const symbolic::update* of;
    std::vector<term> args;
    term value;
  };

  static std::vector<std::string> names(const symbolic::action& a) {
    std::vector<std::string> out;
    for (const symbolic::parameter& p : a.params) out.push_back(p.name);
    return out;
  }

  void choose(const state& from, std::vector<std::int64_t>& values, std::size_t k,
              const std::function<void(state&&)>& f) const {
    if (k == names_.size()) {
      if (guard_(from, values) == 0) return;
      state next = from;
      for (const place& p : updates_) apply(p, from, values, next, 0);
      return f(std::move(next));
    }
    for (const std::int64_t v : values_of(shape_, *action_.params[k].value)) {
      values[k] = v;
      choose(from, values, k + 1, f);
    }
  }

  void apply(const place& p, const state& from, std::vector<std::int64_t>& values, state& next, std::size_t k) const {
    if (k < p.of->each.size()) {
      const std::size_t slot = names_.size() + k;
      if (values.size() <= slot) values.resize(slot + 1, 0);
      for (std::size_t e = 0; e < shape_.size[p.of->each[k].second]; ++e) {
        values[slot] = static_cast<std::int64_t>(e);
        apply(p, from, values, next, k + 1);
      }
      return;
    }
    std::vector<std::int64_t> args;
    for (const term& t : p.args) args.push_back(t(from, values));
    for (std::size_t i = 0; i < args.size(); ++i)
      if (args[i] < 0 || args[i] >= static_cast<std::int64_t>(shape_.size[shape_.of->functions[p.of->function].args[i]]))
        return;
    next[place_of(shape_, p.of->function, args)] = p.value(from, values);
  }

  const shape& shape_;
  const symbolic::action& action_;
  std::vector<std::string> names_;
  term guard_;
  std::vector<place> updates_;
};

}  // namespace

reached reach(const core& c, const std::vector<std::size_t>& others, std::size_t most, std::size_t most_initial) {
  constexpr unsigned timeout_ms = 2000;
  reached out{make_shape(c, others), {}, false};
  std::vector<step> steps;
  for (const symbolic::action& a : c.actions)
    if (a.ends.empty()) steps.emplace_back(out.of, a);
  std::unordered_set<state, hash_of_state> seen;
  const auto add = [&](state&& s) {
    if (out.states.size() >= most || !seen.insert(s).second) return;
    out.states.push_back(std::move(s));
  };
  for (state& s : initial_states(out.of, most_initial, timeout_ms)) add(std::move(s));
  for (std::size_t i = 0; i < out.states.size() && out.states.size() < most; ++i) {
    const state from = out.states[i];
    for (const step& s : steps) s.each_successor(from, add);
  }
  out.complete = out.states.size() < most;
  return out;
}

}  // namespace quiesce::inference
