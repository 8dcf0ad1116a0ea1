// SPDX-License-Identifier: MIT
#include "model/system/validate.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace quiesce {

namespace {

using namespace ir;

[[noreturn]] void bad(const std::string& what) { throw std::logic_error("malformed program: " + what); }

// Number of operands; ~0u: one for each index sort of the variable.
std::uint32_t arity(op code) {
  switch (code) {
    case op::constant:
    case op::temp:
      return 0;
    case op::load:
      return ~0u;
    case op::not_:
    case op::negate:
    case op::wrap:
    case op::unwrap:
    case op::singleton:
    case op::cardinality:
    case op::all:
    case op::some:
    case op::count:
    case op::collect:
    case op::construct:
    case op::constructed:
      return 1;
    case op::select:
      return 3;
    default:
      return 2;
  }
}

bool binds(op code) { return code == op::all || code == op::some || code == op::count || code == op::collect; }

class validator {
 public:
  explicit validator(const program& p) : p_(p), seen_(p.exprs.size(), 0), highest_temp_(p.exprs.size(), 0) {}

  void run() {
    sorts_and_types();
    variables();
    if (p_.events.size() > nothing - 1) bad("too many events");
    for (const process& q : p_.processes) one_process(q);
    code(p_.init, p_.init_temps, 0, "init");
    if (p_.init.empty()) bad("no init");
    properties();
  }

 private:
  void sorts_and_types() {
    for (const sort& s : p_.sorts) {
      if (s.element.size() > 65535) bad("sort " + s.name + " has more than 65535 elements");
      if (!s.origin.empty() && s.origin.size() != s.element.size())
        bad("sort " + s.name + ": origins and elements differ in number");
      for (const element_origin& o : s.origin)
        if (o.over != nothing && (o.over >= p_.sorts.size() || o.of >= p_.sorts[o.over].element.size()))
          bad("sort " + s.name + ": origin out of range");
    }
    for (type_id t = 0; t < p_.types.size(); ++t) {
      const type& x = p_.types[t];
      bool sorted = x.kind == type_kind::element || x.kind == type_kind::set;
      if (sorted && x.sort >= p_.sorts.size()) bad("type over an unknown sort");
      if (x.kind == type_kind::option && x.inner >= p_.types.size()) bad("option of an unknown type");
      max_code(p_, t);
    }
  }

  void variables() {
    for (const variable& v : p_.variables) {
      if (v.type >= p_.types.size()) bad("variable " + v.name + " has no type");
      if (v.index.size() > 3) bad("variable " + v.name + " has more than three indices");
      for (sort_id s : v.index)
        if (s >= p_.sorts.size()) bad("variable " + v.name + " is indexed by an unknown sort");
    }
  }

  // Checks an expression once (they may be shared) and returns 1 + the highest temp it mentions.
  std::uint32_t expression(expr_id id) {
    if (id >= p_.exprs.size()) bad("unknown expression");
    if (seen_[id] == 2) return highest_temp_[id];
    if (seen_[id] == 1) bad("expression contains itself");
    seen_[id] = 1;
    const expr& e = p_.exprs[id];
    std::uint32_t temps = 0;
    if (e.code == op::load && e.var >= p_.variables.size()) bad("load of an unknown variable");
    if (e.code == op::temp || binds(e.code)) temps = e.temp + 1u;
    if (binds(e.code)) {
      if (e.sort >= p_.sorts.size()) bad("quantifier over an unknown sort");
      if (e.code == op::collect && p_.sorts[e.sort].element.size() > 64) bad("set over a sort of more than 64 elements");
    }
    if (e.code == op::wrap && (e.type >= p_.types.size() || p_.types[e.type].kind != type_kind::option))
      bad("wrap whose type is no option");
    if (e.code == op::unwrap && e.type >= p_.types.size()) bad("unwrap without a type");
    std::uint32_t wanted = arity(e.code);
    if (wanted == ~0u) wanted = static_cast<std::uint32_t>(p_.variables[e.var].index.size());
    if (e.kids.size() != wanted)
      bad(fmt::format("operator {} with {} operands, not {}", static_cast<int>(e.code), e.kids.size(), wanted));
    for (expr_id k : e.kids) temps = std::max(temps, expression(k));
    seen_[id] = 2;
    return highest_temp_[id] = temps;
  }

  void use(expr_id id, std::uint32_t temps, const std::string& who) {
    if (expression(id) > temps) bad(who + ": an expression uses a temp beyond those declared");
  }

  void one_process(const process& q) {
    if (q.locations.empty()) bad("process " + q.name + " has no location");
    if (q.temps == 0) bad("process " + q.name + " has no temp for its instance");
    if (q.over != nothing && q.over >= p_.sorts.size()) bad("process " + q.name + " over an unknown sort");
    program_counter(q);
    for (const location& l : q.locations)
      if (l.entry >= q.code.size()) bad("process " + q.name + ": location without code");
    code(q.code, q.temps, static_cast<std::uint32_t>(q.locations.size()), q.name);
  }

  void program_counter(const process& q) {
    if (q.pc == nothing) {
      if (q.locations.size() != 1) bad("process " + q.name + " has no program counter");
      return;
    }
    if (q.pc >= p_.variables.size()) bad("process " + q.name + ": unknown program counter");
    const variable& v = p_.variables[q.pc];
    std::vector<sort_id> wanted;
    if (q.over != nothing) wanted.push_back(q.over);
    if (v.index != wanted) bad("process " + q.name + ": program counter is not indexed by its instances");
    if (low(p_, v.type) != 0 || max_code(p_, v.type) + 1 < q.locations.size())
      bad("process " + q.name + ": program counter too narrow");
  }

  void code(const std::vector<instruction>& all, std::uint32_t temps, std::uint32_t locations, const std::string& who) {
    for (const instruction& i : all) one(i, all, temps, locations, who);
    if (all.empty()) return;
    operation last = all.back().code;
    if (last != operation::stop && last != operation::jump && last != operation::error && last != operation::bound &&
        last != operation::stuck)
      bad(who + ": code runs off its end");
  }

  void one(const instruction& i, const std::vector<instruction>& all, std::uint32_t temps, std::uint32_t locations,
           const std::string& who) {
    switch (i.code) {
      case operation::set:
        if (i.var >= p_.variables.size()) bad(who + ": set of an unknown variable");
        if (i.index.size() != p_.variables[i.var].index.size()) bad(who + ": set with a wrong number of indices");
        for (expr_id e : i.index) use(e, temps, who);
        use(i.a, temps, who);
        break;
      case operation::set_temp:
        if (i.temp >= temps) bad(who + ": temp out of range");
        use(i.a, temps, who);
        break;
      case operation::jump_if:
        use(i.a, temps, who);
        [[fallthrough]];
      case operation::jump:
        if (i.target >= all.size()) bad(who + ": jump out of the code");
        break;
      case operation::await:
        use(i.a, temps, who);
        break;
      case operation::choose:
        if (i.temp >= temps) bad(who + ": temp out of range");
        if (i.sort != nothing && i.sort >= p_.sorts.size()) bad(who + ": choice from an unknown sort");
        break;
      case operation::emit:
        if (i.which >= p_.events.size()) bad(who + ": unknown event");
        for (expr_id e : i.args) use(e, temps, who);
        break;
      case operation::violate:
      case operation::mark:
        if (i.which >= p_.properties.size()) bad(who + ": unknown property");
        break;
      case operation::error:
        if (i.which > static_cast<std::uint32_t>(error_kind::division)) bad(who + ": unknown error");
        break;
      case operation::bound:
        if (i.which > static_cast<std::uint32_t>(bound_kind::horizon)) bad(who + ": unknown bound");
        break;
      case operation::stop:
        if (locations && i.which >= locations) bad(who + ": stop at an unknown location");
        break;
      case operation::stuck:
        break;
    }
    if (i.note != nothing && i.note >= p_.strings.size()) bad(who + ": unknown string");
  }

  void properties() {
    if (p_.properties.size() > 64) bad("more than 64 properties");
    for (const checked_property& c : p_.properties)
      if (c.invariant != nothing) use(c.invariant, p_.invariant_temps, "property " + c.name);
  }

  const program& p_;
  std::vector<std::uint8_t> seen_;
  std::vector<std::uint32_t> highest_temp_;
};

}  // namespace

void validate(const ir::program& p) { validator(p).run(); }

}  // namespace quiesce
