// SPDX-License-Identifier: MIT
#include "proofs/recheck/core.hpp"
namespace recheck {
struct deriver {
  translator t; obligations out; used uses; std::size_t number = 0;  // of the next question that has to be unsat
  struct invariant { std::string name; const node* term; std::size_t function = 0; };  // term null: the range of the function
  std::vector<invariant> invariants = {};  // in order: ranges first
  std::vector<const node*> initials = {}, actions = {};
  std::vector<std::pair<std::string, const node*>> state_properties = {};
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
    } else if (i.is("property")) {
      out.properties.emplace_back(i[1].text, i[2].list ? i[2][0].text : i[2].text);
      if (out.properties.back().second == "invariant") state_properties.emplace_back(i[1].text, &i[3]);
    } else if (i.is("arbitrary")) t.functions[t.function_named(i[1])].arbitrary = true;
    else if (i.is("initial") || i.is("action")) (i.is("initial") ? initials : actions).push_back(&i);
    else if (i.is("invariant")) invariants.push_back({i[1].text, &i[2]});
    else if (!i.is("resting") && !i.is("core")) throw refusal("the core: no such item: " + (i.list && i.size() ? i[0].text : i.text));
  }
  // Declares the parameters and assumes the guard.
  std::string assumed(const node& parameters, const node& guard, scope& s) {
    std::string text;
    for (const node& p : parameters.kids) {
      const type of = t.read_type(p[1]); const std::string name = p[0].text, r = t.in_range(of, name); s.names[name] = {name, of};
      text += "(declare-fun " + name + (of.what == kind::set ? " (" + S(of.number) + ") Bool)\n" : " () " + t.type_text(of) + ")\n");
      if (r != "true") text += asserted(r);
    }
    return text + asserted(t.term(guard, boolean, s));
  }
  // An item with updates: the functions that have another value behind it, and which.
  struct step {
    bool initial; scope names; std::map<std::size_t, std::vector<const node*>> updates = {}; std::set<std::size_t> changed = {}; std::string declared = "";
  };
  step step_of(const node& updates, const scope& s, bool initial) const {
    step out{initial, s};
    for (const node& u : updates.kids) out.updates[t.function_named(u.is("each") ? u[2] : u[0])].push_back(&u);
    for (std::size_t f = 0; initial && f < t.functions.size(); ++f)
      if (!t.functions[f].arbitrary) out.updates[f];
    for (const auto& u : out.updates) out.changed.insert(u.first), out.declared += t.declaration(u.first, "!");
    return out;
  }
  std::string new_value(const step& s, std::size_t f, const std::vector<std::string>& args, std::size_t depth) {
    const function& of = t.functions[f]; const bool set = of.value.what == kind::set;
    const scope inside{s.names.names, depth}; std::string v = translator::call(id("f", f), args);
    if (s.initial && !of.arbitrary) v = set ? "false" : t.number(of.value.what == kind::integer ? of.value.low : 0, of.value);
    for (auto u = s.updates.at(f).rbegin(); u != s.updates.at(f).rend(); ++u) {
      const bool each = (**u).is("each"); const node &places = (**u)[1], &now = (**u)[each ? 4 : 2]; scope here = inside; std::vector<std::string> place;
      for (std::size_t k = 0; k < places.size(); ++k)
        if (each) here.names[places[k][0].text] = {args.at(k), element(of.args.at(k))};
        else place.push_back("(= " + args.at(k) + " " + t.term(places[k], element(of.args.at(k)), here) + ")");
      const std::string value = set ? t.member(now, args.back(), here) : t.term(now, of.value, here);
      v = place.empty() ? value : "(ite " + (place.size() > 1 ? translator::call("and", place) : place[0]) + " " + value + " " + v + ")";
    }
    return v;
  }
  std::string defined(const step& s, std::size_t f) {  // at all places
    const function& of = t.functions[f];
    std::vector<std::string> args = t.arguments(f, "q", "");
    if (of.value.what == kind::set) args.push_back(id("q", args.size() + 1));
    const auto over = [&](std::size_t k) { return k < of.args.size() ? of.args[k] : of.value.number; };
    const std::string is = "(= " + translator::call(id("f", f) + "!", args) + " " + new_value(s, f, args, args.size()) + ")";
    return translator::quantified("forall", 1, args.size(), over, is);
  }
  // "The invariant breaks": true before, where that may be assumed, and false behind the step.
  std::string broken(const invariant& i, const step& s) {
    std::map<std::string, std::string> points;
    t.notice = [&](std::size_t f, const std::string& at, const std::vector<std::string>& args) {
      const bool all = std::any_of(args.begin(), args.end(), [](const std::string& a) { return a.find('q') != std::string::npos; });
      const std::string key = all ? id("f", f) + "!" : at;
      if (!points.count(key)) points[key] = all ? defined(s, f) : "(= " + at + " " + new_value(s, f, args, 0) + ")";
    };
    std::string text, before, after; scope here; std::size_t k = 0;
    const auto named = [&](std::size_t sort) { text += "(declare-fun " + id("x", ++k) + "! () " + S(sort) + ")\n"; };
    if (i.term) {
      const node* n = i.term;
      for (std::size_t over = 0; n->is("all"); n = &(*n)[2])
        over = t.sort_named((*n)[1][1]), named(over), here.names[(*n)[1][0].text] = {id("x", k) + "!", element(over)};
      before = t.term(*n, boolean, here), here.after = s.changed, after = t.term(*n, boolean, here);
    } else {
      for (std::size_t over : t.functions[i.function].args) named(over);
      const std::vector<std::string> args = t.arguments(i.function, "x", "!"); const bool changed = s.changed.count(i.function) != 0;
      const std::string old = translator::call(id("f", i.function), args), now = translator::call(id("f", i.function) + "!", args);
      if (changed) t.notice(i.function, now, args);
      before = t.in_range(t.functions[i.function].value, old), after = t.in_range(t.functions[i.function].value, changed ? now : old);
    }
    if (!s.initial) text += asserted(before);
    for (const auto& [key, fact] : points) text += asserted(fact);
    return points.empty() && !s.initial ? "" : text + asserted("(not " + after + ")");  // "": it reads nothing that changes
  }
  static std::string ending(const node& item, std::size_t first) {
    for (std::size_t k = first; k < item.size(); ++k)
      if (item[k].is("ends")) return item[k][1].text + (item[k].size() > 2 ? " " + item[k][2].text : "");
    return "";
  }
  void prove(block& b, const std::string& name, const std::string& text, bool invariants_hold) {
    std::string assumed;
    for (std::size_t v : number < uses.size() ? uses[number] : used::value_type{})
      assumed += invariants_hold && v < out.assertions.size() ? out.assertions[v] : throw refusal("obligation " + name + " may not use this");
    ++number; b.questions.push_back({name, "unsat", assumed + text});
  }
  void initial_item(const node& i, const std::string& n) {
    block b{"initial " + n, ""};
    for (const invariant& v : invariants)
      if (!v.term && t.functions[v.function].arbitrary) b.text += asserted(t.range(v.function));
    scope s; b.text += assumed(i[1], i[2], s);
    if (!ending(i, 4).empty()) {
      prove(b, "ends initial " + n, "", false);
    } else {
      const step to = step_of(i[3], s, true); b.text += to.declared;
      for (const invariant& v : invariants) prove(b, "init " + n + " " + v.name, broken(v, to), false);
      b.questions.push_back({"possible initial " + n, "either", few()});
    }
    out.before.push_back(std::move(b));
  }
  void action(const node& a, const std::string& n) {
    const std::string end = ending(a, 5); block b{"action " + n + " " + a[1].text, ""}; scope s; b.text = assumed(a[2], a[3], s);
    const auto effects = [&](const char* word, auto with) {
      for (std::size_t k = 5; k < a.size(); ++k)
        if (a[k].is(word)) with(a[k][1].text, asserted(a[k].size() > 2 ? t.term(a[k][2], boolean, s) : "true"));
    };
    effects("violates", [&](const std::string& p, const std::string& when) { prove(b, "safe " + n + " " + p, when, true); });
    out.breakable |= !b.questions.empty();
    if (!end.empty() && end != "stuck") prove(b, "ends " + n + " " + end, "", true);
    if (end.empty()) {
      const step to = step_of(a[4], s, false); b.text += to.declared;
      for (const invariant& v : invariants)
        if (const std::string text = broken(v, to); !text.empty()) prove(b, "keep " + n + " " + v.name, text, true);
      b.questions.push_back({"possible " + n, "either", few()});
      effects("marks", [&](const std::string& p, const std::string& when) { b.questions.push_back({"trigger " + n + " " + p, "either", when + few()}); });
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
      if (t.range(f) != "true") invariants.insert(invariants.begin(), {"range of " + t.functions[f].name, nullptr, f});
    out.prelude = t.prelude();
    for (const invariant& v : invariants) out.invariants.push_back(v.name);
    for (const invariant& v : invariants) out.assertions.push_back(asserted(v.term ? t.term(*v.term, boolean, {}) : t.range(v.function)));
    for (std::size_t i = 0; i < initials.size(); ++i) initial_item(*initials[i], std::to_string(i));
    for (std::size_t i = 0; i < actions.size(); ++i) action(*actions[i], std::to_string(i));
    block any{"any state", ""}, state{"state", "", {{"possible state", "sat", few()}}};
    for (const auto& [name, property] : state_properties) {
      const std::string broken = asserted("(not " + t.term(*property, boolean, {}) + ")");
      any.questions.push_back({"not a tautology " + name, "sat", broken + few()}); prove(state, "safe state " + name, broken, true);
    }
    if (!any.questions.empty()) out.before.push_back(std::move(any));
    out.after.push_back(std::move(state)); return std::move(out);
  }
};
obligations derive(const std::vector<node>& core, const used& uses) { return deriver{{}, {}, uses}.run(core); }
}  // namespace recheck
std::vector<recheck::node> recheck::read(const std::string& text) {
  std::vector<node> open(1);
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i]; node atom;
    if (c == ' ' || c == '\n' || c == '(') {
      if (c == '(') open.push_back({"", true, false, {}});
      if (++i; open.size() > 10000) throw refusal("the core is nested too deeply");
      continue;
    }
    if (c == ')') {
      if (++i; open.size() < 2) throw refusal("the core: ) without (");
      atom = std::move(open.back()); open.pop_back();
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
std::string recheck::obligations::text(bool states) const {
  std::string out;
  for (const auto* all : {&before, &after}) {
    if (states && all == &after)
      for (const std::string& a : assertions) out += a;
    for (const block& b : *all) {
      std::string asked;
      for (const question& q : b.questions)
        if ((q.expected != "unsat") == states)
          asked += "; " + q.name + "\n" + (q.text.empty() ? "(check-sat)\n" : "(push 1)\n" + q.text + "(check-sat)\n(pop 1)\n");
      if (!asked.empty()) out += "; " + b.name + "\n(push 1)\n" + b.text + asked + "(pop 1)\n";
    }
  }
  return out;
}
