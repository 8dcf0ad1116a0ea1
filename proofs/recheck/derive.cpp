// SPDX-License-Identifier: MIT
#include "proofs/recheck/core.hpp"
namespace recheck {
struct deriver {
  translator t; obligations out;
  struct invariant { std::string name; const node* term; std::size_t function = 0; };  // term null: the range of the function
  std::vector<invariant> invariants; // in order: ranges first
  std::vector<const node*> initials, actions;
  std::vector<std::pair<std::string, const node*>> state_properties;
  static std::string asserted(const std::string& term) { return "(assert " + term + ")\n"; }
  std::string few() const {  // "Few elements"
    std::string text; std::vector<std::size_t> m;
    for (std::size_t i = 0; i < t.sorts.size(); ++i) {
      m.push_back(t.sorts[i].elements.size() + 1);
      for (const auto& c : t.sorts[i].constructors) m[i] += c.second < i ? m[c.second] : 2;
      for (std::size_t k = 0; t.sorts[i].any && k < m[i]; ++k) text += "(declare-fun " + id("u", i, k) + " () " + S(i) + ")\n";
      const std::string one_of = list(m[i], [&](std::size_t k) { return "(= q1 " + id("u", i, k) + ")"; });
      if (t.sorts[i].any) text += asserted("(forall ((q1 " + S(i) + ")) (or " + one_of + "))");
    }
    return text;
  }
  void declare(const node& i) {
    if (i.is("sort") || i.is("sort-any") || i.is("sort-union")) {
      sort s{i[1].text, i.is("sort-any")};
      for (std::size_t k = 2; k < i.size(); ++k)
        if (i[k].list) s.constructors.emplace_back(i[k][0].text, t.sort_named(i[k][1]));
        else s.elements.push_back(i[k].text);
      t.sorts.push_back(std::move(s));
    } else if (i.is("function")) {
      t.functions.push_back({i[1].text, {}, t.read_type(i[3], true)});
      for (const node& a : i[2].kids) t.functions.back().args.push_back(t.sort_named(a));
    } else if (i.is("arbitrary")) {
      t.functions[t.function_named(i[1])].arbitrary = true;
    } else if (i.is("initial") || i.is("action")) {
      (i.is("initial") ? initials : actions).push_back(&i);
    } else if (i.is("property")) {
      out.properties.emplace_back(i[1].text, i[2].list ? i[2][0].text : i[2].text);
      if (out.properties.back().second == "invariant") state_properties.emplace_back(i[1].text, &i[3]);
    } else if (i.is("invariant")) {
      invariants.push_back({i[1].text, &i[2]});
    } else if (!i.is("resting") && !i.is("core")) {
      throw refusal("the core: no such item: " + (i.list && i.size() ? i[0].text : i.text));
    }
  }
  // Declares the parameters and assumes the guard.
  std::string assumed(const node& parameters, const node& guard, scope& s) {
    std::string text;
    for (const node& p : parameters.kids) {
      const type of = t.read_type(p[1]);
      const std::string name = p[0].text, r = t.in_range(of, name);
      s.names[name] = {name, of};
      text += "(declare-fun " + name + (of.what == kind::set ? " (" + S(of.number) + ") Bool)\n" : " () " + t.type_text(of) + ")\n");
      if (r != "true") text += asserted(r);
    }
    return text + asserted(t.term(guard, boolean, s));
  }
  std::string definition(std::size_t f, const std::vector<const node*>& updates, const scope& s, bool initial) {
    const function& of = t.functions[f];
    const std::size_t set = of.value.what == kind::set, n = of.args.size() + set;
    const scope inside{s.names, n};
    const auto variable = [&](std::size_t k) { return "(" + id("q", k + 1) + " " + S(k < of.args.size() ? of.args[k] : of.value.number) + ")"; };
    std::string v = n == 0 ? id("f", f) : "(" + id("f", f) + " " + list(n, [](std::size_t k) { return id("q", k + 1); }) + ")";
    if (initial && !of.arbitrary) v = set ? "false" : t.number(of.value.what == kind::integer ? of.value.low : 0, of.value);
    for (auto u = updates.rbegin(); u != updates.rend(); ++u) {
      const bool each = (**u).is("each"); const node &places = (**u)[1], &now = (**u)[each ? 4 : 2];
      scope here = inside; std::string place;
      for (std::size_t k = 0; k < places.size(); ++k)
        if (each) here.names[places[k][0].text] = {id("q", k + 1), element(of.args.at(k))};
        else place += " (= " + id("q", k + 1) + " " + t.term(places[k], element(of.args.at(k)), here) + ")";
      const std::string value = set ? t.member(now, id("q", n), here) : t.term(now, of.value, here);
      v = place.empty() ? value : "(ite (and" + place + ") " + value + " " + v + ")";
    }
    return "(define-fun " + id("f", f) + "! (" + list(n, variable) + ") " + t.type_text(of.value) + " " + v + ")\n";
  }
  std::string updated(const node& updates, const scope& s, bool initial, std::set<std::size_t>& defined) {
    std::map<std::size_t, std::vector<const node*>> by_function;
    for (const node& u : updates.kids) by_function[t.function_named(u.is("each") ? u[2] : u[0])].push_back(&u);
    for (std::size_t f = 0; initial && f < t.functions.size(); ++f)
      if (!t.functions[f].arbitrary) by_function[f];
    std::string text;
    for (const auto& [f, all] : by_function) text += definition(f, all, s, initial), defined.insert(f);
    return text;
  }
  std::string term(const invariant& i, const std::set<std::size_t>& after) {
    const scope s{{}, 0, after};
    return i.term ? t.term(*i.term, boolean, s) : t.range(i.function, s);
  }
  static std::string ending(const node& item, std::size_t first) {
    for (std::size_t k = first; k < item.size(); ++k)
      if (item[k].is("ends")) return item[k][1].text + (item[k].size() > 2 ? " " + item[k][2].text : "");
    return "";
  }
  void initial_item(const node& i, const std::string& n) {
    block b{"initial " + n, ""};
    for (const invariant& v : invariants)
      if (!v.term && t.functions[v.function].arbitrary) b.text += asserted(term(v, {}));
    scope s; std::set<std::size_t> defined;
    b.text += assumed(i[1], i[2], s);
    const bool ends = !ending(i, 4).empty();
    if (!ends) b.text += updated(i[3], s, true, defined);
    b.questions.push_back({(ends ? "ends initial " : "possible initial ") + n, ends ? "unsat" : "either", ends ? "" : few()});
    for (const invariant& v : invariants)
      if (!ends) b.questions.push_back({"init " + n + " " + v.name, "unsat", asserted("(not " + term(v, defined) + ")")});
    out.before.push_back(std::move(b));
  }
  void action(const node& a, const std::string& n) {
    const std::string end = ending(a, 5);
    block b{"action " + n + " " + a[1].text, ""};
    scope s; std::set<std::size_t> defined;
    b.text = assumed(a[2], a[3], s);
    if (end.empty()) b.text += updated(a[4], s, false, defined);
    const auto effects = [&](const char* word, const char* name, const char* expected, const std::string& more) {
      const auto when = [&](const node& e) { return asserted(e.size() > 2 ? t.term(e[2], boolean, s) : "true") + more; };
      for (std::size_t k = 5; k < a.size(); ++k)
        if (a[k].is(word)) b.questions.push_back({name + n + " " + a[k][1].text, expected, when(a[k])});
    };
    effects("violates", "safe ", "unsat", "");
    out.breakable |= !b.questions.empty();
    if (!end.empty() && end != "stuck") b.questions.push_back({"ends " + n + " " + end, "unsat", ""});
    if (end.empty()) {
      b.questions.push_back({"possible " + n, "either", few()});
      effects("marks", "trigger ", "either", few());
      for (const invariant& v : invariants)
        if (const std::string now = term(v, defined); now.find('!') != std::string::npos)  // it reads what the action updates
          b.questions.push_back({"keep " + n + " " + v.name, "unsat", asserted("(not " + now + ")")});
    }
    out.places.push_back(a[1].text);
    if (!b.questions.empty()) out.after.push_back(std::move(b));
  }
  obligations run(const std::vector<node>& core) {
    if (core.empty() || !core[0].is("core") || core[0][1].text != "1") throw refusal("the core: it does not begin with (core 1)");
    for (const node& i : core) declare(i);
    for (const auto* all : {&initials, &actions})
      for (const node* i : *all)
        for (const node& p : (*i)[i->is("initial") ? 1 : 2].kids) t.read_type(p[1], true);
    for (std::size_t f = t.functions.size(); f-- > 0;)
      if (t.range(f, {}) != "true") invariants.insert(invariants.begin(), {"range of " + t.functions[f].name, nullptr, f});
    out.prelude = t.prelude();
    for (std::size_t i = 0; i < initials.size(); ++i) initial_item(*initials[i], std::to_string(i));
    block any{"any state", ""}, state{"state", "", {{"possible state", "sat", few()}}};
    for (const auto& [name, property] : state_properties) {
      const std::string broken = asserted("(not " + t.term(*property, boolean, {}) + ")");
      any.questions.push_back({"not a tautology " + name, "sat", broken + few()});
      state.questions.push_back({"safe state " + name, "unsat", broken});
    }
    if (!any.questions.empty()) out.before.push_back(std::move(any));
    for (const invariant& v : invariants) out.invariants.push_back(v.name), out.assertions += asserted(term(v, {}));
    for (std::size_t i = 0; i < actions.size(); ++i) action(*actions[i], std::to_string(i));
    out.after.push_back(std::move(state));
    return std::move(out);
  }
};
obligations derive(const std::vector<node>& core) { return deriver().run(core); }
}  // namespace recheck
std::vector<recheck::node> recheck::read(const std::string& text) {
  std::vector<node> open(1);
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    node atom;
    if (c == ' ' || c == '\n' || c == '(') {
      if (c == '(') open.push_back({"", true, false, {}});
      if (++i; open.size() > 10000) throw refusal("the core is nested too deeply");
      continue;
    }
    if (c == ')') {
      if (++i; open.size() < 2) throw refusal("the core: ) without (");
      atom = std::move(open.back());
      open.pop_back();
    } else if (c == '"') {
      atom.quoted = true;
      for (++i; i < text.size() && text[i] != '"'; ++i) atom.text += text[i] == '\\' && i + 1 < text.size() ? text[++i] : text[i];
      if (i++ >= text.size()) throw refusal("the core: a string without end");
    } else {
      while (i < text.size() && std::string(" \n()\"").find(text[i]) == std::string::npos) atom.text += text[i++];
    }
    open.back().kids.push_back(std::move(atom));
  }
  return open.size() == 1 ? std::move(open[0].kids) : throw refusal("the core: ( without )");
}
std::string recheck::obligations::text(bool proofs, bool states) const {
  std::string out = "(set-logic ALL)\n" + prelude;
  for (const auto* all : {&before, &after}) {
    if (all == &after) out += assertions;
    for (const block& b : *all) {
      out += "; " + b.name + "\n(push 1)\n" + b.text;
      for (const question& q : b.questions)
        if (q.expected == "unsat" ? proofs : states)
          out += "; " + q.name + "\n" + (q.text.empty() ? "(check-sat)\n" : "(push 1)\n" + q.text + "(check-sat)\n(pop 1)\n");
      out += "(pop 1)\n";
    }
  }
  return out;
}
