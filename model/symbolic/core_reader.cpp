// SPDX-License-Identifier: MIT
#include "model/symbolic/core_reader.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace quiesce::symbolic {

const node& node::operator[](std::size_t i) const {
  if (atom || i >= kids.size()) throw core_error("the core text ends too early in an item");
  return kids[i];
}

namespace {

struct reader {
  const std::string& text;
  std::size_t at = 0;

  void blanks() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t')) ++at;
  }
  node quoted() {
    node out;
    out.atom = out.quoted = true;
    for (++at; at < text.size() && text[at] != '"'; ++at) {
      if (text[at] == '\\' && at + 1 < text.size()) ++at;
      out.text += text[at];
    }
    if (at++ >= text.size()) throw core_error("a string of the core text does not end");
    return out;
  }
  node one(int depth) {
    blanks();
    if (at >= text.size() || depth > 4000) throw core_error("the core text ends too early or is too deep");
    if (text[at] == '"') return quoted();
    node out;
    if (text[at] == '(') {
      for (++at, blanks(); at < text.size() && text[at] != ')'; blanks()) out.kids.push_back(one(depth + 1));
      if (at++ >= text.size()) throw core_error("a parenthesis of the core text is not closed");
      return out;
    }
    if (text[at] == ')') throw core_error("a parenthesis of the core text is closed twice");
    out.atom = true;
    while (at < text.size() && std::string_view(" \n\t()\"").find(text[at]) == std::string_view::npos)
      out.text += text[at++];
    return out;
  }
};

std::size_t number_of(const std::map<std::string, std::size_t>& known, const node& name, const char* what) {
  const auto it = known.find(name.text);
  if (!name.quoted || it == known.end()) throw core_error(fmt::format("the core text has no {} '{}'", what, name.text));
  return it->second;
}

std::int64_t integer_of(const node& n) {
  try {
    return std::stoll(n.text);
  } catch (const std::exception&) {
    throw core_error(fmt::format("'{}' is not a number", n.text));
  }
}

std::vector<std::pair<std::string, std::size_t>> binders_of(const core& c, const node& list) {
  std::vector<std::pair<std::string, std::size_t>> out;
  for (const node& b : list.kids) out.emplace_back(b[0].text, number_of(c.sort_number, b[1], "sort"));
  return out;
}

void read_sort(core& c, const node& item, sort_kind kind) {
  sort s;
  s.kind = kind;
  s.name = item[1].text;
  for (std::size_t i = 2; i < item.kids.size(); ++i)
    if (item[i].atom)
      s.elements.push_back(item[i].text);
    else
      s.constructors.emplace_back(item[i][0].text, number_of(c.sort_number, item[i][1], "sort"));
  if (!c.sort_number.emplace(s.name, c.sorts.size()).second) throw core_error(fmt::format("there are two sorts '{}'", s.name));
  c.sorts.push_back(std::move(s));
}

update read_update(const core& c, const node& n) {
  update u;
  const bool each = n.is("each") && !n[0].quoted;
  if (each) u.each = binders_of(c, n[1]);
  const std::size_t first = each ? 2 : 0;
  u.function = number_of(c.function_number, n[first], "function");
  u.args = n[first + 1].kids;
  u.value = n[first + 2];
  if (u.args.size() != c.functions[u.function].args.size()) throw core_error("an update has a wrong number of arguments");
  return u;
}

action read_action(const core& c, const node& item, std::size_t first) {
  action a;
  if (first > 1) a.name = item[1].text;
  for (const node& p : item[first].kids) a.params.push_back({p[0].text, read_type(c, p[1])});
  a.guard = item[first + 1];
  for (const node& u : item[first + 2].kids) a.updates.push_back(read_update(c, u));
  for (std::size_t i = first + 3; i < item.kids.size(); ++i) {
    const node& e = item[i];
    node always;
    always.atom = true;
    always.text = "1";
    if (e.is("violates") || e.is("marks")) {
      auto& list = e.is("marks") ? a.marks : a.violates;
      list.push_back({e[1].text, e.kids.size() > 2 ? e[2] : always});
    } else if (e.is("ends")) {
      a.ends = e[1].text + (e.kids.size() > 2 ? " " + e[2].text : "");
    } else {
      throw core_error("an action has an effect that is not known");
    }
  }
  return a;
}

void read_property(core& c, const node& item) {
  property p;
  p.name = item[1].text;
  p.kind = item[2].atom ? item[2].text : item[2][0].text;
  if (item.kids.size() > 3) p.condition = item[3];
  c.properties.push_back(std::move(p));
}

void read_item(core& c, const node& item) {
  const std::string head = item[0].text;
  if (head == "core" || head == "resting") return;
  if (head == "sort") return read_sort(c, item, sort_kind::finite);
  if (head == "sort-any") return read_sort(c, item, sort_kind::any);
  if (head == "sort-union") return read_sort(c, item, sort_kind::closed);
  if (head == "function") {
    function f;
    f.name = item[1].text;
    for (const node& a : item[2].kids) f.args.push_back(number_of(c.sort_number, a, "sort"));
    f.value = read_type(c, item[3]);
    if (!c.function_number.emplace(f.name, c.functions.size()).second)
      throw core_error(fmt::format("there are two functions '{}'", f.name));
    c.functions.push_back(std::move(f));
  } else if (head == "arbitrary") {
    c.functions[number_of(c.function_number, item[1], "function")].arbitrary = true;
  } else if (head == "initial") {
    c.initial.push_back(read_action(c, item, 1));
  } else if (head == "action") {
    c.actions.push_back(read_action(c, item, 2));
  } else if (head == "property") {
    read_property(c, item);
  } else if (head == "invariant") {
    c.invariants.push_back({item[1].text, item[2]});
  } else {
    throw core_error(fmt::format("'{}' has no reading for any number of elements", head));
  }
}

}  // namespace

std::vector<node> read_nodes(const std::string& text) {
  reader r{text};
  std::vector<node> out;
  for (r.blanks(); r.at < text.size(); r.blanks()) out.push_back(r.one(0));
  return out;
}

bool same(const type& a, const type& b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case type_kind::enumeration:
      return a.labels == b.labels;
    case type_kind::element:
    case type_kind::set:
      return a.sort == b.sort;
    case type_kind::option:
      return same(*a.inner, *b.inner);
    default:
      return true;
  }
}

type_ref read_type(const core& c, const node& n) {
  auto t = std::make_shared<type>();
  if (n.atom && n.text == "bool") return t;
  const std::string head = n[0].text;
  if (head == "int") {
    t->kind = type_kind::integer;
    t->low = integer_of(n[1]);
    t->unlimited = n[2].text == "any";
    t->high = t->unlimited ? 0 : integer_of(n[2]);
  } else if (head == "enum") {
    t->kind = type_kind::enumeration;
    for (std::size_t i = 1; i < n.kids.size(); ++i) t->labels.push_back(n[i].text);
  } else if (head == "elem" || head == "set") {
    t->kind = head == "set" ? type_kind::set : type_kind::element;
    t->sort = number_of(c.sort_number, n[1], "sort");
  } else if (head == "option") {
    t->kind = type_kind::option;
    t->inner = read_type(c, n[1]);
    if (t->inner->kind == type_kind::set) throw core_error("an option of a set has no reading for any number of elements");
  } else {
    throw core_error(fmt::format("'{}' is not a type", head));
  }
  return t;
}

core read_core(const std::string& text) {
  core c;
  for (const node& item : read_nodes(text)) read_item(c, item);
  return c;
}

}  // namespace quiesce::symbolic
