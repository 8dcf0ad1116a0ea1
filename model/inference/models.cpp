// SPDX-License-Identifier: MIT
#include "model/inference/models.hpp"

#include <functional>

#include <fmt/format.h>

namespace quiesce::inference {

using symbolic::answer;
using symbolic::core_error;
using symbolic::function;
using symbolic::solver;
using symbolic::sort;
using symbolic::sort_kind;
using symbolic::type;
using symbolic::type_kind;

namespace {

std::string flat(const node& n) {
  if (n.atom) return n.text;
  std::string all;
  for (const node& kid : n.kids) all += (all.empty() ? "" : " ") + flat(kid);
  return "(" + all + ")";
}

// The text of an element in terms of its constructor, if it is made by one.
std::optional<std::string> made_text(const shape& s, std::size_t in, std::size_t element) {
  const sort& so = s.of->sorts[in];
  for (std::size_t c = 0; c < so.constructors.size(); ++c) {
    const std::size_t of = so.constructors[c].second, from = s.made[in][c];
    if (element >= from && element < from + s.size[of])
      return fmt::format("(c{}_{} {})", in, c, element_text(s, of, element - from));
  }
  return std::nullopt;
}

class decoder {
 public:
  decoder(solver& z3, const shape& s) : smt_(*s.of), names_(s.size.size()) {
    for (std::size_t i = 0; i < s.size.size(); ++i) {
      std::vector<std::string> texts;
      for (std::size_t k = 0; k < s.size[i]; ++k) texts.push_back(element_text(s, i, k));
      const std::vector<node> shown = z3.values(texts);
      for (std::size_t k = 0; k < shown.size(); ++k) names_[i].emplace(flat(shown[k]), static_cast<std::int64_t>(k));
    }
  }

  std::int64_t value(const type& t, const node& n) const {
    const std::string raw = flat(n);
    switch (t.kind) {
      case type_kind::boolean:
        return raw == "true";
      case type_kind::integer:
        return n.is("-") ? -std::stoll(n[1].text) : std::stoll(raw);
      case type_kind::enumeration:
        for (std::size_t k = 0; k < t.labels.size(); ++k)
          if (smt_.literal(t, static_cast<std::int64_t>(k)) == raw) return static_cast<std::int64_t>(k);
        break;
      case type_kind::option:
        if (n.atom) return 0;
        return 1 + value(*t.inner, n[1]) - least_of(*t.inner);
      case type_kind::element: {
        const auto it = names_[t.sort].find(raw);
        if (it != names_[t.sort].end()) return it->second;
        break;
      }
      case type_kind::set:
        break;
    }
    throw core_error(fmt::format("the solver gives the value {}", raw));
  }

 private:
  symbolic::smt_writer smt_;
  std::vector<std::map<std::string, std::int64_t>> names_;
};

// All tuples of elements of these sorts, in order.
void each_tuple(const shape& s, const std::vector<std::size_t>& sorts, const std::function<void(const std::string&)>& f,
                std::size_t k = 0, const std::string& text = "") {
  if (k == sorts.size()) return f(text);
  for (std::size_t e = 0; e < s.size[sorts[k]]; ++e)
    each_tuple(s, sorts, f, k + 1, text + " " + element_text(s, sorts[k], e));
}

std::string applied(const std::string& name, const std::string& args) {
  return args.empty() ? name : fmt::format("({}{})", name, args);
}

}  // namespace

std::string element_text(const shape& s, std::size_t in, std::size_t element) {
  const sort& so = s.of->sorts[in];
  if (so.kind == sort_kind::any) return fmt::format("u{}_{}", in, element);
  if (element < so.elements.size()) return fmt::format("e{}_{}", in, element);
  return made_text(s, in, element).value();
}

std::string exactly(const shape& s) {
  std::string out;
  for (std::size_t i = 0; i < s.size.size(); ++i) {
    const sort& so = s.of->sorts[i];
    if (so.kind != sort_kind::any) continue;
    for (std::size_t k = 0; k < s.size[i]; ++k) out += fmt::format("(declare-fun u{}_{} () S{})\n", i, k, i);
  }
  for (std::size_t i = 0; i < s.size.size(); ++i) {
    const sort& so = s.of->sorts[i];
    if (so.kind != sort_kind::any) continue;
    std::string among, all;
    for (std::size_t k = 0; k < s.size[i]; ++k) {
      among += fmt::format(" (= q1 u{}_{})", i, k);
      all += fmt::format(" u{}_{}", i, k);
      if (k < so.elements.size()) out += fmt::format("(assert (= u{0}_{1} e{0}_{1}))\n", i, k);
      if (const auto text = made_text(s, i, k)) out += fmt::format("(assert (= u{}_{} {}))\n", i, k, *text);
    }
    if (s.size[i] > 1) out += fmt::format("(assert (distinct{}))\n", all);
    out += fmt::format("(assert (forall ((q1 S{})) (or{} false)))\n", i, among);
  }
  return out;
}

state read_state(solver& z3, const shape& s, const std::set<std::size_t>& after) {
  const decoder d(z3, s);
  std::vector<std::string> texts;
  for (std::size_t f = 0; f < s.of->functions.size(); ++f) {
    const function& fun = s.of->functions[f];
    const std::string name = fmt::format("f{}{}", f, after.count(f) ? "!" : "");
    each_tuple(s, fun.args, [&](const std::string& args) {
      if (fun.value->kind != type_kind::set) return texts.push_back(applied(name, args));
      for (std::size_t e = 0; e < s.size[fun.value->sort]; ++e)
        texts.push_back(applied(name, args + " " + element_text(s, fun.value->sort, e)));
    });
  }
  const std::vector<node> values = z3.values(texts);
  state out;
  std::size_t at = 0;
  for (std::size_t f = 0; f < s.of->functions.size(); ++f) {
    const type& t = *s.of->functions[f].value;
    const std::size_t end = f + 1 < s.first.size() ? s.first[f + 1] : s.places;
    for (std::size_t p = s.first[f]; p < end; ++p) {
      if (t.kind != type_kind::set) {
        out.push_back(d.value(t, values[at++]));
        continue;
      }
      std::int64_t members = 0;
      for (std::size_t e = 0; e < s.size[t.sort]; ++e)
        if (values[at++].text == "true") members |= std::int64_t{1} << e;
      out.push_back(members);
    }
  }
  return out;
}

namespace {

std::optional<found_state> try_shape(const core& c, const symbolic::script& s, const symbolic::block& b,
                                     const symbolic::obligation& q, const std::vector<std::size_t>& others,
                                     unsigned timeout_ms) {
  try {
    found_state out{make_shape(c, others), {}};
    solver z3(timeout_ms, symbolic::tuned_for::states);
    z3.tell("(set-logic ALL)\n" + s.prelude + s.labels + exactly(out.of) + (b.with_invariants ? s.invariants() : "") +
            b.text + q.text);
    if (z3.ask("(check-sat)\n").at(0) != answer::sat) return std::nullopt;
    out.values = read_state(z3, out.of, {});
    return out;
  } catch (const core_error&) {
    return std::nullopt;  // a model that cannot be read: as if there were none
  }
}

}  // namespace

std::optional<found_state> state_against(const core& c, const symbolic::script& s, const symbolic::block& b,
                                         const symbolic::obligation& q, std::size_t most_others, unsigned timeout_ms) {
  std::optional<found_state> out;
  std::vector<std::size_t> others(c.sorts.size(), 0);
  for (std::size_t n = 0; n <= most_others && !out; ++n) {
    others.assign(c.sorts.size(), n);
    out = try_shape(c, s, b, q, others, timeout_ms);
  }
  if (!out) return out;
  for (std::size_t i = 0; i < c.sorts.size(); ++i)
    while (c.sorts[i].kind == sort_kind::any && others[i] > 0) {
      --others[i];
      auto smaller = try_shape(c, s, b, q, others, timeout_ms);
      if (!smaller) {
        ++others[i];
        break;
      }
      out = std::move(smaller);
    }
  return out;
}

namespace {

// Disjuncts: some function that starts with any value has another one somewhere. Empty: there is none.
std::string different_from(const shape& s, const state& known) {
  const symbolic::smt_writer smt(*s.of);
  std::string out;
  for (std::size_t f = 0; f < s.of->functions.size(); ++f) {
    const function& fun = s.of->functions[f];
    if (!fun.arbitrary || fun.value->kind == type_kind::option) continue;
    std::size_t at = s.first[f];
    each_tuple(s, fun.args, [&](const std::string& args) {
      const std::int64_t v = known[at++];
      const std::string name = fmt::format("f{}", f);
      if (fun.value->kind == type_kind::set) {
        for (std::size_t e = 0; e < s.size[fun.value->sort]; ++e) {
          const std::string in = applied(name, args + " " + element_text(s, fun.value->sort, e));
          out += (v >> e & 1) != 0 ? fmt::format(" (not {})", in) : " " + in;
        }
        return;
      }
      const std::string value = fun.value->kind == type_kind::element
                                    ? element_text(s, fun.value->sort, static_cast<std::size_t>(v))
                                    : smt.literal(*fun.value, v);
      out += fmt::format(" (not (= {} {}))", applied(name, args), value);
    });
  }
  return out;
}

}  // namespace

std::vector<state> initial_states(const shape& s, std::size_t most, unsigned timeout_ms) {
  core alone = *s.of;
  alone.invariants.clear();
  const symbolic::script all = symbolic::derive(alone);
  std::vector<state> out;
  for (const symbolic::block& b : all.blocks) {
    if (b.with_invariants || !b.name.starts_with("initial ")) continue;
    const symbolic::action& a = alone.initial[std::stoul(b.name.substr(8))];
    if (!a.ends.empty()) continue;
    std::set<std::size_t> after;
    for (const symbolic::update& u : a.updates) after.insert(u.function);
    for (std::size_t f = 0; f < alone.functions.size(); ++f)
      if (!alone.functions[f].arbitrary) after.insert(f);
    solver z3(timeout_ms, symbolic::tuned_for::states);
    z3.tell("(set-logic ALL)\n" + all.prelude + all.labels + exactly(s) + b.text +
            symbolic::smt_writer(alone).definitions({&a, true}));
    while (out.size() < most && z3.ask("(check-sat)\n").at(0) == answer::sat) {
      out.push_back(read_state(z3, s, after));
      const std::string other = different_from(s, out.back());
      if (other.empty()) break;
      z3.tell(fmt::format("(assert (or{}))\n", other));
    }
  }
  return out;
}

}  // namespace quiesce::inference
