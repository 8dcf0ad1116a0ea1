// SPDX-License-Identifier: MIT
#include "model/inference/vocabulary.hpp"

#include <algorithm>
#include <functional>
#include <set>

#include <fmt/format.h>

namespace quiesce::inference {

using symbolic::function;
using symbolic::type;
using symbolic::type_kind;
using symbolic::type_ref;

namespace {

node word(std::string text, bool quoted = false) {
  node n;
  n.atom = true;
  n.quoted = quoted;
  n.text = std::move(text);
  return n;
}

node list(std::vector<node> kids) {
  node n;
  n.kids = std::move(kids);
  return n;
}

node operation(const char* name, node a, node b) { return list({word(name), std::move(a), std::move(b)}); }

node type_node(const core& c, const type& t) {
  switch (t.kind) {
    case type_kind::element:
      return list({word("elem"), word(c.sorts[t.sort].name, true)});
    case type_kind::integer:
      return list({word("int"), word(std::to_string(t.low)), word(t.unlimited ? "any" : std::to_string(t.high))});
    default:
      return word("bool");
  }
}

// A term that stands for a value: a variable, or a function of such.
struct value_term {
  node text;
  std::string said;
  type_ref value;
  std::uint64_t variables = 0;
  unsigned depth = 0;
};

class maker {
 public:
  maker(const core& c, const words& w, const std::vector<std::size_t>& count) : core_(c), words_(w) {
    for (std::size_t s = 0; s < count.size(); ++s)
      for (std::size_t k = 0; k < count[s]; ++k) add_variable(s, k + 1);
  }

  vocabulary run() {
    applications(1);
    applications(2);
    places();
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      about(terms_[i]);
      for (std::size_t j = i + 1; j < terms_.size(); ++j) between(terms_[i], terms_[j]);
    }
    for (const symbolic::action& a : core_.actions) mine(a.guard, params_of(a), a.params);
    return std::move(out_);
  }

 private:
  void add_variable(std::size_t sort, std::size_t number) {
    const std::string& name = core_.sorts[sort].name;
    std::size_t letters = 1;
    for (std::size_t other = 0; other < core_.sorts.size(); ++other)
      while (other != sort && letters < name.size() && core_.sorts[other].kind != symbolic::sort_kind::closed &&
             core_.sorts[other].name.substr(0, letters) == name.substr(0, letters))
        ++letters;
    auto t = std::make_shared<type>();
    t->kind = type_kind::element;
    t->sort = sort;
    const variable v{fmt::format("{}{}", name.substr(0, letters), number), sort};
    terms_.push_back({word(v.name), v.name, t, std::uint64_t{1} << out_.variables.size(), 0});
    out_.variables.push_back(v);
    scope_[v.name] = {v.name, t};
  }

  // Functions of terms that are shallower; what they give.
  void applications(unsigned depth) {
    const std::vector<value_term> arguments = terms_;
    for (std::size_t f = 0; f < core_.functions.size(); ++f) {
      if (!words_.can_say(f)) continue;
      const function& fun = core_.functions[f];
      const std::function<void(std::vector<const value_term*>)> from = [&](std::vector<const value_term*> args) {
        if (args.size() < fun.args.size()) {
          for (const value_term& t : arguments) {
            if (t.value->kind != type_kind::element || t.value->sort != fun.args[args.size()] || t.depth + 1 > depth)
              continue;
            args.push_back(&t);
            from(args);
            args.pop_back();
          }
          return;
        }
        unsigned deepest = 0;
        for (const value_term* t : args) deepest = std::max(deepest, t->depth + 1);
        if (args.empty() ? depth != 1 : deepest != depth) return;
        apply(f, args);
      };
      from({});
    }
  }

  void apply(std::size_t f, const std::vector<const value_term*>& args) {
    std::vector<node> kids = {word("f"), word(core_.functions[f].name, true)};
    std::vector<std::string> said;
    value_term out;
    for (const value_term* t : args) {
      kids.push_back(t->text);
      said.push_back(t->said);
      out.variables |= t->variables;
      out.depth = std::max(out.depth, t->depth + 1);
    }
    const auto text = words_.application(f, said);
    if (!text) return;
    out.text = list(std::move(kids));
    out.said = *text;
    out.value = core_.functions[f].value;
    out.depth = std::max(out.depth, 1u);
    if (out.depth > 1 && out.value->kind != type_kind::boolean && out.value->kind != type_kind::set) return;
    terms_.push_back(std::move(out));
  }

  void add(node condition, std::string text, std::uint64_t variables, unsigned weight) {
    if (known_.insert(text).second) out_.atoms.push_back({std::move(condition), std::move(text), variables, weight});
  }

  // Where processes are.
  void places() {
    for (const region& r : words_.regions()) {
      const function& pc = core_.functions[r.function];
      if (pc.args.size() > 1) continue;
      std::vector<value_term> who;
      if (pc.args.empty()) who.push_back({});
      for (const value_term& t : terms_)
        if (!pc.args.empty() && t.value->kind == type_kind::element && t.value->sort == pc.args[0] && t.depth <= 1)
          who.push_back(t);
      for (const value_term& t : who) {
        std::vector<node> kids = {word("f"), word(pc.name, true)};
        if (!pc.args.empty()) kids.push_back(t.text);
        const node counter = list(std::move(kids));
        node any;
        for (const std::size_t l : r.locations) {
          node here = operation("=", counter, word(std::to_string(l)));
          any = any.kids.empty() ? std::move(here) : operation("or", std::move(any), std::move(here));
        }
        add(std::move(any), words_.inside(r, t.said), t.variables, 1 + t.depth);
      }
    }
  }

  void about(const value_term& t) {
    const type& of = *t.value;
    if (of.kind == type_kind::boolean) add(t.text, t.said, t.variables, t.depth);
    if (of.kind == type_kind::enumeration)
      for (std::size_t k = 0; k < of.labels.size(); ++k)
        if (of.labels[k].find('#') == std::string::npos)
          add(operation("=", t.text, word(std::to_string(k))), fmt::format("{} == {}", t.said, of.labels[k]), t.variables,
              t.depth);
    if (of.kind == type_kind::option) add(operation("=", t.text, word("0")), t.said + " == none", t.variables, t.depth);
    if (of.kind == type_kind::integer && of.low == 0)
      add(operation("=", t.text, word("0")), t.said + " == 0", t.variables, t.depth);
  }

  void between(const value_term& a, const value_term& b) {
    relation(a, b);
    relation(b, a);
    if (a.value->kind != b.value->kind) return;
    const unsigned weight = a.depth + b.depth + 1;
    const bool comparable =
        a.value->kind == type_kind::integer || (a.value->kind == type_kind::element && a.value->sort == b.value->sort);
    if (comparable)
      add(operation("=", a.text, b.text), fmt::format("{} == {}", a.said, b.said), a.variables | b.variables, weight);
    if (a.value->kind != type_kind::integer) return;
    add(operation("<", a.text, b.text), fmt::format("{} < {}", a.said, b.said), a.variables | b.variables, weight);
    add(operation("<", b.text, a.text), fmt::format("{} < {}", b.said, a.said), a.variables | b.variables, weight);
  }

  // An element and a set, or an option of it.
  void relation(const value_term& in, const value_term& set) {
    if (in.value->kind != type_kind::element) return;
    const std::uint64_t both = in.variables | set.variables;
    const unsigned weight = in.depth + set.depth;
    if (set.value->kind == type_kind::set && set.value->sort == in.value->sort)
      add(operation("in", set.text, in.text), fmt::format("{} in {}", in.said, set.said), both, weight);
    if (set.value->kind != type_kind::option || set.value->inner->kind != type_kind::element) return;
    if (set.value->inner->sort == in.value->sort && in.depth == 0)
      add(operation("=", set.text, list({word("some"), type_node(core_, *set.value->inner), in.text})),
          fmt::format("{} == {}", set.said, in.said), both, weight);
    else if (in.depth == 0)
      owner(in, set);
  }

  // `holds(P(x), LOCK)`
  void owner(const value_term& who, const value_term& lock) {
    const std::size_t sort = lock.value->inner->sort;
    for (const auto& [process, over] : core_.sorts[sort].constructors) {
      if (over != who.value->sort) continue;
      const node instance = list({word("make"), word(core_.sorts[sort].name, true), word(process, true), who.text});
      add(operation("=", lock.text, list({word("some"), type_node(core_, *lock.value->inner), instance})),
          fmt::format("holds({}({}), {})", process, who.said, lock.said), who.variables | lock.variables, lock.depth);
    }
  }

  using free_names = std::map<std::string, std::size_t>;  // of elements: their sorts

  static free_names params_of(const symbolic::action& a) {
    free_names out;
    for (const symbolic::parameter& p : a.params)
      if (p.value->kind == type_kind::element) out.emplace(p.name, p.value->sort);
    return out;
  }

  static void names_in(const node& n, std::set<std::string>& out) {
    if (n.atom) {
      if (!n.quoted) out.insert(n.text);
      return;
    }
    for (const node& kid : n.kids) names_in(kid, out);
  }

  static node renamed(const node& n, const std::map<std::string, std::string>& to) {
    if (n.atom) {
      const auto it = n.quoted ? to.end() : to.find(n.text);
      return it == to.end() ? n : word(it->second);
    }
    node out;
    for (const node& kid : n.kids) out.kids.push_back(renamed(kid, to));
    return out;
  }

  void mine(const node& n, const free_names& free, const std::vector<symbolic::parameter>& params) {
    if (n.atom) return;
    if (n.is("all") || n.is("exists")) return found(n, free, params);
    for (const node& kid : n.kids) mine(kid, free, params);
  }

  // A condition with quantifiers: of every choice of its parameters some are variables here, the others may be any element.
  void found(const node& n, const free_names& free, const std::vector<symbolic::parameter>& params) {
    std::set<std::string> names;
    names_in(n, names);
    std::vector<std::string> used;
    for (const symbolic::parameter& p : params) {
      if (!names.count(p.name)) continue;
      if (!free.count(p.name)) return;
      used.push_back(p.name);
    }
    if (used.size() > 3) return;
    for (std::uint32_t open = 0; open < (1u << used.size()); ++open) instances(n, free, used, open);
  }

  void instances(const node& n, const free_names& free, const std::vector<std::string>& used, std::uint32_t open) {
    node closed = n;
    std::vector<std::string> variables;
    for (std::size_t k = used.size(); k-- > 0;)
      if ((open >> k & 1) == 0)
        closed = list({word("exists"), list({word(used[k]), word(core_.sorts[free.at(used[k])].name, true)}), closed});
      else
        variables.insert(variables.begin(), used[k]);
    const std::function<void(std::map<std::string, std::string>, std::uint64_t)> from =
        [&](std::map<std::string, std::string> to, std::uint64_t bits) {
          if (to.size() < variables.size()) {
            const std::string& next = variables[to.size()];
            for (std::size_t v = 0; v < out_.variables.size(); ++v) {
              if (out_.variables[v].sort != free.at(next)) continue;
              auto more = to;
              more[next] = out_.variables[v].name;
              from(more, bits | std::uint64_t{1} << v);
            }
            return;
          }
          const node condition = renamed(closed, to);
          if (const auto text = words_.say(condition, scope_)) add(condition, *text, bits, 3);
        };
    from({}, 0);
  }

  const core& core_;
  const words& words_;
  std::vector<value_term> terms_;
  words::scope scope_;
  std::set<std::string> known_;
  vocabulary out_;
};

}  // namespace

vocabulary make_vocabulary(const core& c, const words& w, const std::vector<std::size_t>& count) {
  return maker(c, w, count).run();
}

node universally(const core& c, const std::vector<variable>& all, std::uint64_t used, node body) {
  for (std::size_t v = all.size(); v-- > 0;)
    if ((used >> v & 1) != 0)
      body = list({word("all"), list({word(all[v].name), word(c.sorts[all[v].sort].name, true)}), std::move(body)});
  return body;
}

}  // namespace quiesce::inference
