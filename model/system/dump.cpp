// SPDX-License-Identifier: MIT
#include "model/system/dump.hpp"

#include <fmt/format.h>

namespace quiesce {

namespace {

using namespace ir;

const char* symbol(op c) {
  switch (c) {
    case op::and_:
      return "&&";
    case op::or_:
      return "||";
    case op::implies:
      return "=>";
    case op::equal:
      return "==";
    case op::not_equal:
      return "!=";
    case op::less:
      return "<";
    case op::less_equal:
      return "<=";
    case op::add:
      return "+";
    case op::subtract:
      return "-";
    case op::multiply:
      return "*";
    case op::divide:
      return "/";
    case op::minimum:
      return "min";
    case op::maximum:
      return "max";
    case op::contains:
      return "has";
    case op::unite:
      return "+s";
    case op::intersect:
      return "&s";
    case op::subtract_set:
      return "-s";
    default:
      return "?";
  }
}

const char* binder(op c) {
  switch (c) {
    case op::all:
      return "all";
    case op::some:
      return "some";
    case op::count:
      return "count";
    default:
      return "collect";
  }
}

std::string type_text(const program& p, type_id id) {
  const type& t = p.types.at(id);
  switch (t.kind) {
    case type_kind::boolean:
      return "bool";
    case type_kind::integer:
      return fmt::format("{}..{}", t.low, t.high);
    case type_kind::enumeration:
      return fmt::format("{{{}}}", fmt::join(t.labels, ", "));
    case type_kind::element:
      return p.sorts.at(t.sort).name;
    case type_kind::option:
      return fmt::format("option<{}>", type_text(p, t.inner));
    case type_kind::set:
      return fmt::format("set<{}>", p.sorts.at(t.sort).name);
  }
  return "?";
}

std::string place(const program& p, variable_id v, const std::vector<expr_id>& index) {
  std::string out = p.variables.at(v).name;
  if (index.empty()) return out;
  out += "(";
  for (std::size_t i = 0; i < index.size(); ++i) out += (i ? ", " : "") + dump(p, index[i]);
  return out + ")";
}

std::string one(const program& p, const instruction& i) {
  switch (i.code) {
    case operation::set:
      return fmt::format("{} := {}", place(p, i.var, i.index), dump(p, i.a));
    case operation::set_temp:
      return fmt::format("t{} := {}", i.temp, dump(p, i.a));
    case operation::jump:
      return fmt::format("jump {}", i.target);
    case operation::jump_if:
      return fmt::format("if {} jump {}", dump(p, i.a), i.target);
    case operation::await:
      return fmt::format("await {}", dump(p, i.a));
    case operation::choose:
      return i.sort == nothing ? fmt::format("choose t{} < {}", i.temp, i.count)
                               : fmt::format("choose t{} : {}", i.temp, p.sorts.at(i.sort).name);
    case operation::emit: {
      std::string out = fmt::format("emit {}(", p.events.at(i.which).name);
      for (std::size_t k = 0; k < i.args.size(); ++k) out += (k ? ", " : "") + dump(p, i.args[k]);
      return out + ")";
    }
    case operation::violate:
      return fmt::format("violate {}", p.properties.at(i.which).name);
    case operation::mark:
      return fmt::format("mark {}", p.properties.at(i.which).name);
    case operation::error:
      return fmt::format("error {}", name(static_cast<error_kind>(i.which)));
    case operation::bound:
      return fmt::format("bound {}", name(static_cast<bound_kind>(i.which)));
    case operation::stuck:
      return "stuck";
    case operation::stop:
      return fmt::format("stop {}", i.which);
  }
  return "?";
}

void code_text(const program& p, const std::vector<instruction>& all, const std::vector<location>& locations,
               std::string& out) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t l = 0; l < locations.size(); ++l)
      if (locations[l].entry == i)
        out += fmt::format("  @{}{}{} {}\n", l, locations[l].resting ? " resting" : "", locations[l].ended ? " ended" : "",
                           locations[l].statement);
    out += fmt::format("  {:5} {}\n", i, one(p, all[i]));
  }
}

}  // namespace

std::string dump(const ir::program& p, ir::expr_id id) {
  const expr& e = p.exprs.at(id);
  auto kid = [&](std::size_t i) { return dump(p, e.kids.at(i)); };
  switch (e.code) {
    case op::constant:
      return std::to_string(e.value);
    case op::temp:
      return fmt::format("t{}", e.temp);
    case op::load:
      return place(p, e.var, e.kids);
    case op::not_:
      return fmt::format("!{}", kid(0));
    case op::negate:
      return fmt::format("-{}", kid(0));
    case op::select:
      return fmt::format("({} ? {} : {})", kid(0), kid(1), kid(2));
    case op::wrap:
      return fmt::format("wrap[{}]({})", type_text(p, e.type), kid(0));
    case op::unwrap:
      return fmt::format("unwrap[{}]({})", type_text(p, e.type), kid(0));
    case op::singleton:
      return fmt::format("{{{}}}", kid(0));
    case op::cardinality:
      return fmt::format("card({})", kid(0));
    case op::all:
    case op::some:
    case op::count:
    case op::collect:
      return fmt::format("({} t{} : {} . {})", binder(e.code), e.temp, p.sorts.at(e.sort).name, kid(0));
    default:
      return fmt::format("({} {} {})", kid(0), symbol(e.code), kid(1));
  }
}

std::string dump(const ir::program& p) {
  std::string out;
  for (const sort& s : p.sorts) out += fmt::format("sort {} = {{{}}}\n", s.name, fmt::join(s.element, ", "));
  for (const variable& v : p.variables) {
    std::string index;
    for (sort_id s : v.index) index += (index.empty() ? "" : ", ") + p.sorts.at(s).name;
    out += fmt::format("var {}{} : {}\n", v.name, index.empty() ? "" : fmt::format("({})", index), type_text(p, v.type));
  }
  for (const checked_property& c : p.properties)
    out += fmt::format("property {}{}{}\n", c.name, c.sometimes ? " sometimes" : "",
                       c.invariant == nothing ? "" : " " + dump(p, c.invariant));
  out += "init\n";
  code_text(p, p.init, {}, out);
  for (const process& q : p.processes) {
    out += fmt::format("process {}{}{}\n", q.name, q.over == nothing ? "" : " over " + p.sorts.at(q.over).name,
                       q.only_when_stuck ? " only when stuck" : "");
    code_text(p, q.code, q.locations, out);
  }
  return out;
}

}  // namespace quiesce
