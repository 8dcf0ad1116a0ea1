// SPDX-License-Identifier: MIT
#include "model/symbolic/example.hpp"

#include <functional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/symbolic/solver.hpp"

namespace quiesce::symbolic {

namespace {

class reader {
 public:
  reader(const core& c, solver& z3, std::size_t size) : core_(c), smt_(c), z3_(z3), size_(size) {}

  // Every sort of any size has these elements and no others; the sizes are the least that do.
  static std::string bounds(const core& c, std::size_t size) {
    std::string out;
    for (std::size_t s = 0; s < c.sorts.size(); ++s) {
      if (c.sorts[s].kind != sort_kind::any) continue;
      std::string among;
      for (std::size_t k = 0; k < size; ++k) {
        out += fmt::format("(declare-fun u{}_{} () S{})\n", s, k, s);
        among += fmt::format(" (= q1 u{}_{})", s, k);
      }
      out += fmt::format("(assert (forall ((q1 S{})) (or{} false)))\n", s, among);
    }
    return out;
  }

  counterexample read(const action* a, const std::set<std::size_t>& wanted, const std::set<std::size_t>& changed) {
    name_elements();
    counterexample out;
    for (std::size_t s = 0; s < core_.sorts.size(); ++s)
      if (core_.sorts[s].kind == sort_kind::any) out.sizes[core_.sorts[s].name] = elements_[s].size();
    if (a)
      for (const parameter& p : a->params) out.params.emplace_back(p.name, parameter_value(p));
    for (const std::size_t f : wanted) table(f, false, out.before, nullptr);
    for (const std::size_t f : changed) {
      std::vector<std::pair<std::string, std::string>> old;
      table(f, false, old, nullptr);
      table(f, true, out.after, &old);
    }
    return out;
  }

 private:
  // The names that the model gives, then dev0, dev1 …, then lo(net0) ….
  void name_elements() {
    elements_.assign(core_.sorts.size(), {});
    for (std::size_t s = 0; s < core_.sorts.size(); ++s) {
      const sort& so = core_.sorts[s];
      if (so.kind == sort_kind::closed) continue;
      for (std::size_t k = 0; k < so.elements.size(); ++k)
        add(s, fmt::format("e{}_{}", s, k), so.kind == sort_kind::finite ? so.elements[k] : so.elements[k]);
    }
    for (std::size_t s = 0; s < core_.sorts.size(); ++s) {
      const sort& so = core_.sorts[s];
      if (so.kind != sort_kind::any) continue;
      for (std::size_t c = 0; c < so.constructors.size(); ++c) {
        const auto of = elements_[so.constructors[c].second];
        for (const auto& [text, shown] : of)
          add(s, fmt::format("(c{}_{} {})", s, c, text), fmt::format("{}({})", so.constructors[c].first, shown));
      }
      for (std::size_t k = 0; k < size_; ++k)
        add(s, fmt::format("u{}_{}", s, k), fmt::format("{}{}", so.name, elements_[s].size()));
    }
  }

  void add(std::size_t s, const std::string& text, const std::string& shown) {
    const std::string value = z3_.value(text);
    if (!names_.emplace(value, shown).second) return;
    elements_[s].emplace_back(text, shown);
  }

  std::string parameter_value(const parameter& p) {
    if (p.value->kind != type_kind::set) return shown(*p.value, p.name);
    return members(p.name, {}, p.value->sort);
  }

  std::string members(const std::string& predicate, const std::vector<std::string>& args, std::size_t sort) {
    std::vector<std::string> in;
    for (const auto& [text, name] : elements_[sort]) {
      std::string call = "(" + predicate;
      for (const std::string& a : args) call += " " + a;
      if (z3_.value(call + " " + text + ")") == "true") in.push_back(name);
    }
    return fmt::format("{{{}}}", fmt::join(in, ", "));
  }

  std::string shown(const type& t, const std::string& text) { return in_words(t, read_nodes(z3_.value(text)).at(0)); }

  std::string in_words(const type& t, const node& v) {
    const std::string raw = flat(v);
    switch (t.kind) {
      case type_kind::enumeration:
        for (std::size_t k = 0; k < t.labels.size(); ++k)
          if (smt_.literal(t, static_cast<std::int64_t>(k)) == raw) return t.labels[k];
        return raw;
      case type_kind::option:
        return v.atom ? "none" : in_words(*t.inner, v[1]);
      case type_kind::element: {
        const sort& so = core_.sorts[t.sort];
        if (so.kind == sort_kind::closed) {
          for (std::size_t k = 0; k < so.elements.size(); ++k)
            if (raw == fmt::format("e{}_{}", t.sort, k)) return so.elements[k];
          for (std::size_t c = 0; c < so.constructors.size() && !v.atom; ++c) {
            if (v[0].text != fmt::format("c{}_{}", t.sort, c)) continue;
            type inner;
            inner.kind = type_kind::element;
            inner.sort = so.constructors[c].second;
            return fmt::format("{}({})", so.constructors[c].first, in_words(inner, v[1]));
          }
          return raw;
        }
        const auto it = names_.find(raw);
        return it == names_.end() ? raw : it->second;
      }
      default:
        return v.is("-") && v.kids.size() == 2 ? "-" + v[1].text : raw;
    }
  }

  static std::string flat(const node& n) {
    if (n.atom) return n.text;
    std::string all;
    for (const node& kid : n.kids) all += (all.empty() ? "" : " ") + flat(kid);
    return "(" + all + ")";
  }

  // A table over all elements; of the changed one only the places where it differs.
  void table(std::size_t i, bool after, std::vector<std::pair<std::string, std::string>>& out,
             const std::vector<std::pair<std::string, std::string>>* old) {
    const function& f = core_.functions[i];
    std::vector<std::string> texts, shown_args;
    std::size_t row = 0;
    const std::function<void(std::size_t)> from = [&](std::size_t k) {
      if (k < f.args.size()) {
        if (core_.sorts[f.args[k]].kind == sort_kind::closed) return;
        for (const auto& [text, name] : elements_[f.args[k]]) {
          texts.push_back(text);
          shown_args.push_back(name);
          from(k + 1);
          texts.pop_back();
          shown_args.pop_back();
        }
        return;
      }
      const std::string name = fmt::format("f{}{}", i, after ? "!" : "");
      const std::string call = texts.empty() ? name : fmt::format("({} {})", name, fmt::join(texts, " "));
      const std::string place = texts.empty() ? f.name : fmt::format("{}({})", f.name, fmt::join(shown_args, ", "));
      const std::string value =
          f.value->kind == type_kind::set ? members(name, texts, f.value->sort) : shown(*f.value, call);
      if (!old || (row < old->size() && (*old)[row].second != value)) out.emplace_back(place, value);
      ++row;
    };
    from(0);
  }

  const core& core_;
  smt_writer smt_;
  solver& z3_;
  std::size_t size_;
  std::vector<std::vector<std::pair<std::string, std::string>>> elements_;  // text of SMT-LIB, name
  std::map<std::string, std::string> names_;                                // value in the model -> name
};

}  // namespace

std::optional<counterexample> smallest_example(const core& c, const script& s, const block& b, const obligation& q,
                                               const action* a, const effort& e) {
  for (std::size_t size = 1; size <= e.most_elements; ++size) {
    try {
      solver z3(e.timeout_ms, tuned_for::states);
      const bool moves = a && a->ends.empty();
      z3.tell("(set-logic ALL)\n" + s.prelude + (b.with_invariants ? s.invariants() : "") + b.text + q.text +
              (moves ? smt_writer(c).definitions({a, !b.with_invariants}) : "") + s.labels + reader::bounds(c, size));
      if (z3.ask("(check-sat)\n").at(0) != answer::sat) continue;
      std::set<std::size_t> wanted, changed;
      if (a) {
        wanted = functions_in(c, a->guard);
        for (const update& u : a->updates) {
          if (a->ends.empty()) changed.insert(u.function);
          wanted.merge(functions_in(c, u.value));
        }
      }
      const bool about = q.name.starts_with("keep ") || q.name.starts_with("init ");
      if (about && q.invariant >= s.range_functions.size())
        wanted.merge(functions_in(c, c.invariants[q.invariant - s.range_functions.size()].condition));
      if (q.name.starts_with("safe "))
        for (const property& p : c.properties)
          if (p.condition) wanted.merge(functions_in(c, *p.condition));
      return reader(c, z3, size).read(a, wanted, changed);
    } catch (const core_error&) {
      continue;  // a model that cannot be printed: the failure stands without it
    }
  }
  return std::nullopt;
}

}  // namespace quiesce::symbolic
