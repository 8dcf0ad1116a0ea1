// SPDX-License-Identifier: MIT
// Dead locals are reset, so that states that differ in nothing that matters are equal. Classical liveness on the flat code:
// a local that no path from a stop reads before writing it, and that may differ from its least value there, is reset in
// front of the stop.

#include <vector>

#include "model/system/lower_code.hpp"

namespace quiesce::lowering {

namespace {

using bits = std::vector<bool>;

struct analysis {
  builder& b;
  ir::process& p;
  std::vector<variable_id> locals;
  std::vector<int> number;        // of a variable among the locals, or -1
  std::vector<bits> uses;         // of each instruction
  std::vector<int> defines;       // the local that it overwrites wholly, or -1
  std::vector<int> writes;        // the local that it writes at all, or -1
  std::vector<bits> live, dirty;  // before each instruction

  bool table(int local) const {
    const ir::variable& v = b.program.variables[locals[static_cast<std::size_t>(local)]];
    return v.index.size() > (p.over == ir::nothing ? 0u : 1u);
  }

  void collect(expr_id e, bits& into) const {
    if (e == ir::nothing) return;
    const ir::expr& x = b.at(e);
    if (x.code == op::load && number[x.var] >= 0) into[static_cast<std::size_t>(number[x.var])] = true;
    for (const auto kid : x.kids) collect(kid, into);
  }

  explicit analysis(builder& b_, ir::process& p_, std::uint32_t owner) : b(b_), p(p_) {
    number.assign(b.program.variables.size(), -1);
    for (variable_id v = 0; v < b.program.variables.size(); ++v)
      if (b.program.variables[v].kind == ir::variable_kind::local && b.program.variables[v].owner == owner) {
        number[v] = static_cast<int>(locals.size());
        locals.push_back(v);
      }
    for (const auto& i : p.code) {
      bits u(locals.size());
      collect(i.a, u);
      for (const auto e : i.index) collect(e, u);
      for (const auto e : i.args) collect(e, u);
      uses.push_back(u);
      const int w = i.code == ir::operation::set ? number[i.var] : -1;
      writes.push_back(w);
      defines.push_back(w >= 0 && !table(w) ? w : -1);
    }
  }

  std::vector<std::size_t> successors(std::size_t at) const {
    const ir::instruction& i = p.code[at];
    switch (i.code) {
      case ir::operation::jump:
        return {i.target};
      case ir::operation::jump_if:
        return {i.target, at + 1};
      case ir::operation::error:
      case ir::operation::bound:
      case ir::operation::stuck:
        return {};
      default:
        return at + 1 < p.code.size() ? std::vector<std::size_t>{at + 1} : std::vector<std::size_t>{};
    }
  }

  void find_live() {
    live.assign(p.code.size(), bits(locals.size()));
    for (bool again = true; again;) {
      again = false;
      for (std::size_t at = p.code.size(); at-- > 0;) {
        bits l(locals.size());
        for (const auto n : successors(at))
          for (std::size_t v = 0; v < l.size(); ++v) l[v] = l[v] || live[n][v];
        if (defines[at] >= 0) l[static_cast<std::size_t>(defines[at])] = false;
        for (std::size_t v = 0; v < l.size(); ++v) l[v] = l[v] || uses[at][v];
        if (l != live[at]) {
          live[at] = l;
          again = true;
        }
      }
    }
  }

  bool least(const ir::instruction& i) const {
    const auto c = b.constant_of(i.a);
    return c && *c == b.low(b.program.variables[i.var].type);
  }

  void find_dirty() {
    dirty.assign(p.code.size(), bits(locals.size()));
    for (bool again = true; again;) {
      again = false;
      for (std::size_t at = 0; at < p.code.size(); ++at) {
        bits d = dirty[at];
        if (writes[at] >= 0) {
          const auto v = static_cast<std::size_t>(writes[at]);
          if (!least(p.code[at]))
            d[v] = true;
          else if (defines[at] >= 0)
            d[v] = false;
        }
        if (p.code[at].code == ir::operation::stop)  // what is dead there has been reset
          for (std::size_t v = 0; v < d.size(); ++v) d[v] = d[v] && live[at][v];
        for (const auto n : successors(at))
          for (std::size_t v = 0; v < d.size(); ++v)
            if (d[v] && !dirty[n][v]) {
              dirty[n][v] = true;
              again = true;
            }
      }
    }
  }

  void reset(variable_id v, std::vector<ir::instruction>& into) {
    const ir::variable var = b.program.variables[v];
    ir::instruction i;
    i.code = ir::operation::set;
    i.var = v;
    i.a = b.constant(b.low(var.type), var.type);
    if (p.over != ir::nothing) i.index.push_back(b.temp(0, b.element(p.over)));
    if (var.index.size() == i.index.size()) {
      into.push_back(i);
      return;
    }
    const sort_id positions = var.index.back();
    i.index.push_back(0);
    for (std::uint32_t n = 0; n < b.size(positions); ++n) {
      i.index.back() = b.constant(n, b.element(positions));
      into.push_back(i);
    }
  }

  void rewrite() {
    std::vector<ir::instruction> code;
    std::vector<std::uint32_t> moved;
    for (std::size_t at = 0; at < p.code.size(); ++at) {
      moved.push_back(static_cast<std::uint32_t>(code.size()));
      if (p.code[at].code == ir::operation::stop)
        for (std::size_t v = 0; v < locals.size(); ++v)
          if (dirty[at][v] && !live[at][v]) reset(locals[v], code);
      if (p.code[at].code == ir::operation::stop)
        p.locations[p.code[at].which].entry = static_cast<std::uint32_t>(code.size() + 1);
      code.push_back(p.code[at]);
    }
    for (auto& i : code)
      if (i.code == ir::operation::jump || i.code == ir::operation::jump_if) i.target = moved[i.target];
    p.code = std::move(code);
  }
};

}  // namespace

void reset_dead_locals(builder& b, ir::process& p, std::uint32_t owner) {
  analysis a(b, p, owner);
  a.find_live();
  a.find_dirty();
  a.rewrite();
}

}  // namespace quiesce::lowering
