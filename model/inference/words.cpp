// SPDX-License-Identifier: MIT
#include "model/inference/words.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace quiesce::inference {

using symbolic::type;
using symbolic::type_kind;
using symbolic::type_ref;

namespace {

// The places that a process is in: its labelled statements and its procedures, those of all locations left out.
std::vector<region> regions_of(const ir::program& p, const core& c) {
  std::vector<region> out;
  for (std::uint32_t q = 0; q < p.processes.size(); ++q) {
    const ir::process& proc = p.processes[q];
    const auto pc = c.function_number.find(p.variables[proc.pc].name);
    if (pc == c.function_number.end()) continue;
    std::map<std::string, std::vector<std::size_t>> all;
    for (std::size_t l = 0; l < proc.locations.size(); ++l) {
      std::set<std::string> here(proc.locations[l].labels.begin(), proc.locations[l].labels.end());
      for (const ir::frame& f : proc.locations[l].path)
        if (!f.procedure.empty()) here.insert(f.procedure);
      for (const std::string& name : here) all[name].push_back(l);
    }
    std::set<std::vector<std::size_t>> known;
    for (auto& [name, locations] : all)
      if (locations.size() < proc.locations.size() && known.insert(locations).second)
        out.push_back({q, pc->second, name, locations});
  }
  return out;
}

}  // namespace

words::words(const core& c, const ir::program& p) : core_(c), program_(p), regions_(regions_of(p, c)) {
  names_.resize(c.functions.size());
  owners_.resize(c.functions.size());
  for (const ir::variable& v : p.variables) {
    const auto f = c.function_number.find(v.name);
    if (f == c.function_number.end() || v.name.find(' ') != std::string::npos) continue;
    if (v.kind == ir::variable_kind::global || v.kind == ir::variable_kind::rigid || v.kind == ir::variable_kind::ghost) {
      names_[f->second] = v.name;
    } else if (v.kind == ir::variable_kind::local && v.owner != ir::nothing) {
      const std::string& owner = p.processes[v.owner].name;
      owners_[f->second] = owner;
      names_[f->second] = v.name.starts_with(owner + ".") ? v.name.substr(owner.size() + 1) : v.name;
    }
  }
}

std::optional<std::string> words::application(std::size_t f, const std::vector<std::string>& args) const {
  if (names_[f].empty()) return std::nullopt;
  if (owners_[f].empty()) return args.empty() ? names_[f] : fmt::format("{}({})", names_[f], fmt::join(args, ", "));
  if (args.size() > 1) return std::nullopt;
  return args.empty() ? fmt::format("{}.{}", owners_[f], names_[f])
                      : fmt::format("{}({}).{}", owners_[f], args[0], names_[f]);
}

std::string words::inside(const region& r, const std::string& who) const {
  const std::string& name = program_.processes[r.process].name;
  return fmt::format("inside({}, {})", who.empty() ? name : fmt::format("{}({})", name, who), r.name);
}

type_ref words::type_of(const node& n, const scope& names) const {
  if (n.atom) {
    const auto it = names.find(n.text);
    return it == names.end() ? nullptr : it->second.value;
  }
  if (n.is("f")) return core_.functions[core_.function_number.at(n[1].text)].value;
  if (n.is("if")) return type_of(n[2], names) ? type_of(n[2], names) : type_of(n[3], names);
  if (n.is("some")) {
    auto out = std::make_shared<type>();
    out->kind = type_kind::option;
    out->inner = symbolic::read_type(core_, n[1]);
    return out;
  }
  if (n.is("the")) return symbolic::read_type(core_, n[1]);
  return nullptr;
}

std::optional<std::string> words::number(std::int64_t v, const type* expected) const {
  if (!expected) return std::nullopt;
  switch (expected->kind) {
    case type_kind::boolean:
      return v ? "true" : "false";
    case type_kind::integer:
      return std::to_string(v);
    case type_kind::enumeration: {
      const std::string& label = expected->labels.at(static_cast<std::size_t>(v));
      return label.find('#') == std::string::npos ? std::optional(label) : std::nullopt;
    }
    case type_kind::option:
      return v == 0 ? std::optional<std::string>("none") : std::nullopt;
    default:
      return std::nullopt;  // an element that the model need not have named
  }
}

std::optional<std::string> words::say(const node& n, const scope& names) const {
  static const type boolean;
  return term(n, names, &boolean);
}

std::optional<std::string> words::quantified(const node& n, const scope& names) const {
  const auto sort = core_.sort_number.find(n[1][1].text);
  if (sort == core_.sort_number.end()) return std::nullopt;
  auto element = std::make_shared<type>();
  element->kind = type_kind::element;
  element->sort = sort->second;
  scope inner = names;
  std::set<std::string> taken;
  for (const auto& [core_name, known] : names) taken.insert(known.text);
  std::string fresh;
  for (int k = 1; fresh.empty() || taken.count(fresh); ++k) fresh = fmt::format("{}{}", n[1][1].text.substr(0, 1), k);
  inner[n[1][0].text] = {fresh, element};
  const auto body = say(n[2], inner);
  if (!body) return std::nullopt;
  return fmt::format("({} {}: {} : {})", n.is("all") ? "all" : "some", fresh, n[1][1].text, *body);
}

std::optional<std::string> words::term(const node& n, const scope& names, const type* expected) const {
  static const std::map<std::string, std::string> infix = {{"and", "&&"}, {"or", "||"}, {"=>", "=>"},
                                                           {"<", "<"},    {"<=", "<="}, {"+", "+"},
                                                           {"-", "-"},    {"=", "=="},  {"!=", "!="}};
  static const type integer = [] {
    type t;
    t.kind = type_kind::integer;
    return t;
  }();
  if (n.atom) {
    const auto it = names.find(n.text);
    if (it != names.end()) return it->second.text;
    const bool digits = !n.text.empty() && n.text.find_first_not_of("-0123456789") == std::string::npos;
    return digits ? number(std::stoll(n.text), expected) : std::nullopt;
  }
  const std::string head = n[0].text;
  if (head == "all" || head == "exists") return quantified(n, names);
  if (head == "f") {
    const std::size_t f = core_.function_number.at(n[1].text);
    std::vector<std::string> args;
    for (std::size_t i = 2; i < n.kids.size(); ++i) {
      const auto a = term(n[i], names, nullptr);
      if (!a) return std::nullopt;
      args.push_back(*a);
    }
    return application(f, args);
  }
  if (head == "not") {
    const auto a = say(n[1], names);
    return a ? std::optional(fmt::format("!({})", *a)) : std::nullopt;
  }
  if (head == "some") return term(n[2], names, nullptr);
  if (head == "in") {
    const auto set = term(n[1], names, nullptr), element = term(n[2], names, nullptr);
    return set && element ? std::optional(fmt::format("({} in {})", *element, *set)) : std::nullopt;
  }
  const auto sign = infix.find(head);
  if (sign == infix.end()) return std::nullopt;
  const type* of = nullptr;
  type_ref kept;
  if (head == "<" || head == "<=" || head == "+" || head == "-") of = &integer;
  if (head == "=" || head == "!=") {
    kept = type_of(n[1], names) ? type_of(n[1], names) : type_of(n[2], names);
    of = kept.get();
  }
  const bool logical = head == "and" || head == "or" || head == "=>";
  const auto a = logical ? say(n[1], names) : term(n[1], names, of);
  const auto b = logical ? say(n[2], names) : term(n[2], names, of);
  return a && b ? std::optional(fmt::format("({} {} {})", *a, sign->second, *b)) : std::nullopt;
}

}  // namespace quiesce::inference
