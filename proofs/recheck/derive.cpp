// SPDX-License-Identifier: MIT
#include "proofs/recheck/core.hpp"
namespace recheck {
struct deriver {
  translator t; obligations out; used uses; std::size_t number = 0;  // of the next question that has to be unsat
  struct invariant { std::string name; node term; bool at_start = false; };  // at_start: the range of a function with any value there
  std::vector<invariant> invariants = {};  // in order: ranges first
  std::vector<const node*> initials = {}, actions = {}; std::vector<std::pair<std::string, const node*>> state_properties = {};
  static std::string asserted(const std::string& term) { return "(assert " + term + ")\n"; }
  void declare(const node& i) {
    if (i.is("sort") || i.is("sort-any") || i.is("sort-union")) {
      sort s{i[1].text, i.is("sort-any")};
      for (std::size_t k = 2; k < i.size(); ++k) if (i[k].list) s.constructors.emplace_back(i[k][0].text, t.sort_named(i[k][1]));
        else s.elements.push_back(i[k].text);
      t.sorts.push_back(std::move(s));
    } else if (i.is("function")) {
      t.functions.push_back({i[1].text, {}, i[3], t.read_type(i[3], true)});
      for (const node& a : i[2].kids) t.functions.back().args.push_back(t.sort_named(a));
    } else if (i.is("property")) {
      out.properties.emplace_back(i[1].text, i[2].list ? i[2][0].text : i[2].text);
      if (out.properties.back().second == "invariant") state_properties.emplace_back(i[1].text, &i[3]);
    } else if (i.is("arbitrary")) t.functions[t.function_named(i[1])].arbitrary = true;
    else if (i.is("initial") || i.is("action")) (i.is("initial") ? initials : actions).push_back(&i);
    else if (i.is("invariant")) invariants.push_back({i[1].text, i[2]});
    else if (!i.is("resting") && !i.is("core")) throw refusal("the core: no such item: " + (i.list && i.size() ? i[0].text : i.text));
  }
  std::string assumed(const node& parameters, const node& guard, scope& s) {  // with the declarations of the parameters
    std::string text; for (const node& p : parameters.kids) {
      const type of = t.read_type(p[1]); const std::string name = p[0].text, r = t.in_range(of, name); s.names[name] = {name, of};
      text += "(declare-fun " + name + (of.what == kind::set ? " (" + S(of.number) + ") Bool)\n" : " () " + t.type_text(of) + ")\n");
      if (r != "true") text += asserted(r);
    }
    return text + asserted(t.term(guard, boolean, s));
  }
  struct step {  // what the updates of an item change
    bool initial; scope names; std::map<std::size_t, std::vector<const node*>> updates = {}; std::set<std::size_t> changed = {}; std::string declared = "";
  };
  step step_of(const node& updates, const scope& s, bool initial) const {
    step out{initial, s}; for (const node& u : updates.kids) out.updates[t.function_named(u.is("each") ? u[2] : u[0])].push_back(&u);
    for (std::size_t f = 0; initial && f < t.functions.size(); ++f) if (!t.functions[f].arbitrary) out.updates[f];
    for (const auto& u : out.updates) out.changed.insert(u.first), out.declared += t.declaration(u.first, "!");
    return out;
  }
  using cases = std::vector<std::pair<std::string, std::string>>;  // where, and what then; the last: what otherwise
  cases new_cases(const step& s, std::size_t f, const std::vector<std::string>& args, std::size_t depth) {
    const function& of = t.functions[f]; const bool set = of.value.what == kind::set;
    const scope inside{s.names.names, depth}; cases out{{"", translator::call(id("f", f), args)}};
    if (s.initial && !of.arbitrary) out[0].second = set ? "false" : t.number(of.value.what == kind::integer ? of.value.low : 0, of.value);
    for (auto u = s.updates.at(f).rbegin(); u != s.updates.at(f).rend(); ++u) {
      const bool each = (**u).is("each"); const node &places = (**u)[1], &now = (**u)[each ? 4 : 2]; scope here = inside; std::vector<std::string> place;
      for (std::size_t k = 0; k < places.size(); ++k)
        if (each) here.names[places[k][0].text] = {args.at(k), element(of.args.at(k))};
        else place.push_back("(= " + args.at(k) + " " + t.term(places[k], element(of.args.at(k)), here) + ")");
      const std::string value = set ? t.member(now, args.back(), here) : t.term(now, of.value, here);
      if (place.empty()) out = {{"", value}};
      else out.insert(out.begin(), {place.size() > 1 ? translator::call("and", place) : place[0], value});
    }
    return out;
  }
  template <class F> static std::string chosen(const cases& all, F text) {
    std::string out = text(all.back().second);
    for (auto c = all.rbegin() + 1; c != all.rend(); ++c) out = "(ite " + c->first + " " + text(c->second) + " " + out + ")";
    return out;
  }
  std::string new_value(const step& s, std::size_t f, const std::vector<std::string>& args, std::size_t depth) {
    return chosen(new_cases(s, f, args, depth), [](const std::string& value) { return value; });
  }
  std::string defined(const step& s, std::size_t f) {  // at all places
    const function& of = t.functions[f]; std::vector<std::string> args;
    while (args.size() < of.args.size() + (of.value.what == kind::set)) args.push_back(id("q", args.size() + 1));
    const auto over = [&](std::size_t k) { return k < of.args.size() ? of.args[k] : of.value.number; };
    const std::string is = "(= " + translator::call(id("f", f) + "!", args) + " " + new_value(s, f, args, args.size()) + ")";
    return t.quantified("forall", 1, args.size(), over, is);
  }
  // "The invariant breaks": true before, where that may be assumed, and false behind the step.
  std::string broken(const invariant& i, const step& s) {
    std::map<std::string, std::string> points; std::map<std::string, cases> labels;
    t.notice = [&](std::size_t f, const std::string& at, const std::vector<std::string>& args) {
      const bool all = std::any_of(args.begin(), args.end(), [](const std::string& a) { return a.find('q') != std::string::npos; });
      if (!all && t.numbered(t.functions[f].value)) return static_cast<void>(labels[at] = new_cases(s, f, args, 0));
      const std::string key = all ? id("f", f) + "!" : at;
      if (!points.count(key)) points[key] = all ? defined(s, f) : "(= " + at + " " + new_value(s, f, args, 0) + ")";
    };
    std::string text, after; scope here; const node* n = &i.term;
    for (std::size_t k = 1; n->is("all"); n = &(*n)[2], ++k) {
      const std::size_t over = t.sort_named((*n)[1][1]); text += "(declare-fun " + id("x", k) + "! () " + S(over) + ")\n";
      here.names[(*n)[1][0].text] = {id("x", k) + "!", element(over)};
    }
    if (!s.initial) text += asserted(t.term(*n, boolean, here));
    here.after = s.changed, after = t.term(*n, boolean, here);
    for (const auto& [key, fact] : points) text += asserted(fact);
    for (const auto& l : labels) after = chosen(l.second, [&](const std::string& label) { return replaced(after, l.first, label); });
    return points.empty() && labels.empty() && !s.initial ? "" : text + asserted("(not " + after + ")");  // "": it reads nothing that changes
  }
  static std::string ending(const node& item, std::size_t first) {
    for (std::size_t k = first; k < item.size(); ++k) if (item[k].is("ends")) return item[k][1].text + (item[k].size() > 2 ? " " + item[k][2].text : "");
    return "";
  }
  void prove(block& b, const std::string& name, const std::string& text, bool invariants_hold) {
    std::string assumed; if (t.states) return;
    for (std::size_t v : number < uses.size() ? uses[number] : used::value_type{})
      assumed += invariants_hold && v < out.assertions.size() ? out.assertions[v] : throw refusal("obligation " + name + " may not use this");
    ++number; b.questions.push_back({name, "unsat", assumed + text});
  }
  void find(block& b, const std::string& name, const std::string& expected, const std::string& text) {
    if (t.states) b.questions.push_back({name, expected, text});
  }
  void initial_item(const node& i, const std::string& n) {
    block b{"initial " + n, ""};
    for (const invariant& v : invariants) if (v.at_start) b.text += asserted(t.term(v.term, boolean, {}));
    scope s; b.text += assumed(i[1], i[2], s);
    if (!ending(i, 4).empty()) {
      prove(b, "ends initial " + n, "", false);
    } else {
      const step to = step_of(i[3], s, true); b.text += t.states ? "" : to.declared;
      for (const invariant& v : invariants) prove(b, "init " + n + " " + v.name, t.states ? "" : broken(v, to), false);
      find(b, "possible initial " + n, "either", "");
    }
    out.before.push_back(std::move(b));
  }
  void action(const node& a, const std::string& n) {
    const std::string end = ending(a, 5); block b{"action " + n + " " + a[1].text, ""}; scope s; b.text = assumed(a[2], a[3], s);
    const auto effects = [&](const char* word, auto with) {
      for (std::size_t k = 5; k < a.size(); ++k) if (a[k].is(word)) with(a[k][1].text, asserted(a[k].size() > 2 ? t.term(a[k][2], boolean, s) : "true"));
    };
    effects("violates", [&](const std::string& p, const std::string& when) { prove(b, "safe " + n + " " + p, when, true); });
    out.breakable |= !b.questions.empty();
    if (!end.empty() && end != "stuck") prove(b, "ends " + n + " " + end, "", true);
    if (end.empty()) {
      const step to = step_of(a[4], s, false); b.text += t.states ? "" : to.declared;
      for (const invariant& v : invariants)
        if (const std::string text = t.states ? "" : broken(v, to); !text.empty()) prove(b, "keep " + n + " " + v.name, text, true);
      find(b, "possible " + n, "either", "");
      effects("marks", [&](const std::string& p, const std::string& when) { find(b, "trigger " + n + " " + p, "either", when); });
    }
    out.places.push_back(a[1].text); out.after.push_back(std::move(b));
  }
  obligations run(const std::vector<node>& core) {
    if (core.empty() || !core[0].is("core") || core[0][1].text != "1") throw refusal("the core: it does not begin with (core 1)");
    for (const node& i : core) declare(i);
    for (const auto* all : {&initials, &actions}) for (const node* i : *all)
      for (const node& p : (*i)[i->is("initial") ? 1 : 2].kids) t.read_type(p[1], true);
    for (std::size_t f = t.functions.size(); f-- > 0;) {
      const function& of = t.functions[f]; node value = list_of({{"f"}, {of.name, false, true}});
      for (std::size_t k = 0; k < of.args.size(); ++k) value.kids.push_back({id("a", k)});
      node range = list_of({{"fits"}, of.type_text, value});
      for (std::size_t k = of.args.size(); k-- > 0;) range = list_of({{"all"}, list_of({{id("a", k)}, {t.sorts[of.args[k]].name, false, true}}), range});
      if (t.in_range(of.value, "") != "true") invariants.insert(invariants.begin(), {"range of " + of.name, range, of.arbitrary});
    }
    out.prelude = t.prelude();
    for (const invariant& v : invariants) out.invariants.push_back(v.name);
    for (const invariant& v : invariants) out.assertions.push_back(asserted(t.term(v.term, boolean, {})));
    for (std::size_t i = 0; i < initials.size(); ++i) initial_item(*initials[i], std::to_string(i));
    for (std::size_t i = 0; i < actions.size(); ++i) action(*actions[i], std::to_string(i));
    block any{"any state", ""}, state{"state", ""}; find(state, "possible state", "sat", "");
    for (const auto& [name, property] : state_properties) {
      const std::string broken = asserted("(not " + t.term(*property, boolean, {}) + ")");
      find(any, "not a tautology " + name, "sat", broken), prove(state, "safe state " + name, broken, true);
    }
    out.before.push_back(std::move(any)), out.after.push_back(std::move(state)); return std::move(out);
  }
};
obligations derive(const std::vector<node>& core, const used& uses, bool states) {
  deriver d{{}, {}, uses}; d.t.states = d.out.states = states; return d.run(core);
}
}  // namespace recheck
std::vector<recheck::node> recheck::read(const std::string& text) {
  std::vector<node> open(1);
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i]; node atom;
    if (++i; c == '(') open.push_back(list_of({}));
    if (open.size() > 10000) throw refusal("the core is nested too deeply");
    if (c == ' ' || c == '\n' || c == '(') continue;
    if (c == ')') {
      if (open.size() < 2) throw refusal("the core: ) without (");
      atom = std::move(open.back()); open.pop_back();
    } else if (c == '"') {
      atom.quoted = true;
      for (; i < text.size() && text[i] != '"'; ++i) atom.text += text[i] == '\\' && i + 1 < text.size() ? text[++i] : text[i];
      if (i++ >= text.size()) throw refusal("the core: a string without end");
    } else {
      for (--i; i < text.size() && std::string(" \n()\"").find(text[i]) == std::string::npos; ++i) atom.text += text[i];
    }
    open.back().kids.push_back(std::move(atom));
  }
  return open.size() == 1 ? std::move(open[0].kids) : throw refusal("the core: ( without )");
}
std::string recheck::obligations::text() const {
  std::string out = "(set-logic ALL)\n" + prelude;
  for (const auto* all : {&before, &after}) {
    if (states && all == &after) for (const std::string& a : assertions) out += a;
    for (const block& b : *all) {
      std::string asked; for (const question& q : b.questions)
        asked += "; " + q.name + "\n" + (q.text.empty() ? "(check-sat)\n" : "(push 1)\n" + q.text + "(check-sat)\n(pop 1)\n");
      if (!asked.empty()) out += "; " + b.name + "\n(push 1)\n" + b.text + asked + "(pop 1)\n";
    }
  }
  return out;
}
