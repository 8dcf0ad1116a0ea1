// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>

#include "model/system/bytecode.hpp"
#include "model/system/early_choices.hpp"

namespace quiesce::bytecode {

namespace {

using namespace ir;

// The value of an expression: known now, or in a register.
struct operand {
  bool constant = false;
  std::int64_t value = 0;
  std::uint16_t reg = 0;
};
operand known(std::int64_t v) { return {true, v, 0}; }
operand in(std::uint16_t r) { return {false, 0, r}; }

// Constants and side tables, shared by all routines of an image.
class pool {
 public:
  pool(const program& p, const layout& l, image& out) : program_(p), layout_(l), out_(out) {
    for (const variable& v : p.variables)
      out.tables.push_back(
          {v.first_slot, static_cast<std::uint32_t>(element_count(p, v)), low(p, v.type), max_code(p, v.type)});
  }

  std::uint16_t constant(std::int64_t v) {
    auto [it, fresh] = numbers_.try_emplace(v, static_cast<std::uint32_t>(out_.constants.size()));
    if (fresh) out_.constants.push_back(v);
    std::uint32_t reg = out_.temps + scratch_registers + it->second;
    if (reg > 0xffff) throw std::logic_error("program with too many constants");
    return static_cast<std::uint16_t>(reg);
  }

  std::int64_t field_of(variable_id v, std::uint64_t element) {
    std::uint32_t s = out_.tables[v].first_slot + static_cast<std::uint32_t>(element);
    auto [it, fresh] = fields_.try_emplace(s, out_.fields.size());
    if (fresh) out_.fields.push_back({layout_.slots()[s], out_.tables[v].low, out_.tables[v].max_code});
    return static_cast<std::int64_t>(it->second);
  }

  std::int64_t wrap_of(type_id inner) {
    out_.wraps.push_back({low(program_, inner), max_code(program_, inner)});
    return static_cast<std::int64_t>(out_.wraps.size() - 1);
  }

  const program& program_;
  const layout& layout_;
  image& out_;

 private:
  std::map<std::int64_t, std::uint32_t> numbers_;
  std::map<std::uint32_t, std::size_t> fields_;
};

// Compiles one routine.
class compiler {
 public:
  compiler(pool& shared, std::optional<std::int64_t> instance, bool record)
      : pool_(shared), p_(shared.program_), instance_(instance), record_(record) {}

  // `narrow`: a choice tries only the values that something behind it may let pass.
  routine run(const std::vector<instruction>& all, bool narrow = false) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      out_.entry.push_back(here());
      source_ = static_cast<std::uint32_t>(i);
      scratch_ = 0;
      if (narrow && all[i].code == operation::choose)
        choose(all[i], remaining_values(p_, all, i));
      else
        one(all[i]);
    }
    for (std::size_t c : to_instruction_) out_.text[c].imm = out_.entry[static_cast<std::size_t>(out_.text[c].imm)];
    return std::move(out_);
  }

  routine run_condition(expr_id id) {
    std::vector<std::size_t> no;
    unless(id, no);
    put({opcode::stop, 0, 0, 0, 1});
    land(no);
    put({opcode::stop, 0, 0, 0, 0});
    return std::move(out_);
  }

 private:
  std::uint32_t here() const { return static_cast<std::uint32_t>(out_.text.size()); }

  std::size_t put(code c) {
    out_.text.push_back(c);
    out_.source.push_back(source_);
    return out_.text.size() - 1;
  }

  void land(std::vector<std::size_t>& jumps) {
    for (std::size_t j : jumps) out_.text[j].imm = here();
    jumps.clear();
  }

  std::uint16_t scratch() {
    if (scratch_ >= scratch_registers) throw std::logic_error("expression too deep");
    return static_cast<std::uint16_t>(pool_.out_.temps + scratch_++);
  }

  std::uint16_t reg(const operand& o) { return o.constant ? pool_.constant(o.value) : o.reg; }

  // Gives the value in a register that nothing else writes while the expression is computed.
  operand value(expr_id id) {
    const expr& e = p_.exprs[id];
    switch (e.code) {
      case op::constant:
        return known(e.value);
      case op::temp:
        return e.temp == 0 && instance_ ? known(*instance_) : in(e.temp);
      case op::load:
        return load(e);
      case op::not_:
      case op::and_:
      case op::or_:
      case op::implies:
      case op::equal:
      case op::not_equal:
      case op::less:
      case op::less_equal:
        return truth(id);
      case op::select:
        return select(e);
      case op::all:
      case op::some:
      case op::count:
      case op::collect:
        return quantified(e);
      case op::wrap:
      case op::unwrap:
        return optional_value(e);
      case op::negate:
        return unary(opcode::negate, e);
      case op::singleton:
        return unary(opcode::singleton, e);
      case op::cardinality:
        return unary(opcode::cardinality, e);
      default:
        return binary(e);
    }
  }

  operand unary(opcode c, const expr& e) {
    std::uint32_t mark = scratch_;
    std::uint16_t a = reg(value(e.kids[0]));
    scratch_ = mark;
    std::uint16_t d = scratch();
    put({c, d, a, 0, 0});
    return in(d);
  }

  operand optional_value(const expr& e) {
    if (e.code == op::unwrap) {
      std::uint32_t mark = scratch_;
      operand a = value(e.kids[0]);
      std::int64_t by = low(p_, e.type) - 1;
      if (a.constant) return known(a.value + by);
      scratch_ = mark;
      std::uint16_t d = scratch();
      put({opcode::add_constant, d, a.reg, 0, by});
      return in(d);
    }
    std::uint32_t mark = scratch_;
    type_id inner = p_.types[e.type].inner;
    operand a = value(e.kids[0]);
    if (a.constant && static_cast<word>(a.value - low(p_, inner)) <= max_code(p_, inner))
      return known(1 + a.value - low(p_, inner));
    scratch_ = mark;
    std::uint16_t d = scratch();
    put({opcode::wrap, d, reg(a), 0, pool_.wrap_of(inner)});
    return in(d);
  }

  static opcode plain(op c) {
    switch (c) {
      case op::add:
        return opcode::add;
      case op::subtract:
        return opcode::subtract;
      case op::multiply:
        return opcode::multiply;
      case op::divide:
        return opcode::divide;
      case op::minimum:
        return opcode::minimum;
      case op::maximum:
        return opcode::maximum;
      case op::contains:
        return opcode::contains;
      case op::unite:
        return opcode::unite;
      case op::intersect:
        return opcode::intersect;
      case op::subtract_set:
        return opcode::subtract_set;
      default:
        throw std::logic_error("no plain operator");
    }
  }

  operand binary(const expr& e) {
    std::uint32_t mark = scratch_;
    operand a = value(e.kids[0]);
    operand b = value(e.kids[1]);
    scratch_ = mark;
    std::uint16_t d = scratch();
    if (e.code == op::add && b.constant && !a.constant)
      put({opcode::add_constant, d, a.reg, 0, b.value});
    else
      put({plain(e.code), d, reg(a), reg(b), 0});
    return in(d);
  }

  // A Boolean wanted as a value: by control flow into 0 or 1.
  operand truth(expr_id id) {
    std::uint32_t mark = scratch_;
    std::uint16_t d = scratch();
    std::vector<std::size_t> no, end;
    unless(id, no);
    put({opcode::move, d, pool_.constant(1), 0, 0});
    end.push_back(put({opcode::jump}));
    land(no);
    put({opcode::move, d, pool_.constant(0), 0, 0});
    land(end);
    scratch_ = mark + 1;
    return in(d);
  }

  operand select(const expr& e) {
    std::uint32_t mark = scratch_;
    std::uint16_t d = scratch();
    std::vector<std::size_t> no, end;
    unless(e.kids[0], no);
    put({opcode::move, d, reg(value(e.kids[1])), 0, 0});
    end.push_back(put({opcode::jump}));
    land(no);
    put({opcode::move, d, reg(value(e.kids[2])), 0, 0});
    land(end);
    scratch_ = mark + 1;
    return in(d);
  }

  operand quantified(const expr& e) {
    std::uint32_t mark = scratch_;
    std::uint16_t d = scratch();
    auto size = static_cast<std::uint16_t>(p_.sorts[e.sort].element.size());
    put({opcode::move, d, pool_.constant(e.code == op::all ? 1 : 0), 0, 0});
    if (size > 0) {
      put({opcode::move, e.temp, pool_.constant(0), 0, 0});
      std::uint32_t again = here();
      std::vector<std::size_t> skip, out;
      if (e.code == op::all) {
        when(e.kids[0], skip);
        put({opcode::move, d, pool_.constant(0), 0, 0});
        out.push_back(put({opcode::jump}));
      } else {
        unless(e.kids[0], skip);
        found(e, d, out);
      }
      land(skip);
      put({opcode::next, e.temp, 0, size, again});
      land(out);
    }
    scratch_ = mark + 1;
    return in(d);
  }

  void found(const expr& e, std::uint16_t d, std::vector<std::size_t>& out) {
    if (e.code == op::some) {
      put({opcode::move, d, pool_.constant(1), 0, 0});
      out.push_back(put({opcode::jump}));
    } else if (e.code == op::count) {
      put({opcode::add_constant, d, d, 0, 1});
    } else {
      std::uint16_t s = scratch();
      put({opcode::singleton, s, e.temp, 0, 0});
      put({opcode::unite, d, d, s, 0});
    }
  }

  // Code that jumps (to be landed) where the condition is false, and goes on where it is true.
  void unless(expr_id id, std::vector<std::size_t>& no) { branch(id, false, no); }
  void when(expr_id id, std::vector<std::size_t>& yes) { branch(id, true, yes); }

  // Jumps where the condition is `sense`.
  void branch(expr_id id, bool sense, std::vector<std::size_t>& jumps) {
    const expr& e = p_.exprs[id];
    std::uint32_t mark = scratch_;
    switch (e.code) {
      case op::not_:
        branch(e.kids[0], !sense, jumps);
        break;
      case op::and_:
        both(e.kids[0], true, e.kids[1], true, sense, jumps);
        break;
      case op::or_:
        both(e.kids[0], false, e.kids[1], false, !sense, jumps);
        break;
      case op::implies:
        both(e.kids[0], true, e.kids[1], false, !sense, jumps);
        break;
      case op::equal:
      case op::not_equal:
      case op::less:
      case op::less_equal:
        compare(e, sense, jumps);
        break;
      default: {
        operand a = value(id);
        if (!a.constant)
          jumps.push_back(put({sense ? opcode::jump_true : opcode::jump_false, 0, a.reg, 0, 0}));
        else if ((a.value != 0) == sense)
          jumps.push_back(put({opcode::jump}));
      }
    }
    scratch_ = mark;
  }

  // C = (a == sa) && (b == sb). Jumps where C is `sense`. The right side is evaluated only where a == sa.
  void both(expr_id a, bool sa, expr_id b, bool sb, bool sense, std::vector<std::size_t>& jumps) {
    if (!sense) {
      branch(a, !sa, jumps);
      branch(b, !sb, jumps);
      return;
    }
    std::vector<std::size_t> skip;
    branch(a, !sa, skip);
    branch(b, sb, jumps);
    land(skip);
  }

  void compare(const expr& e, bool sense, std::vector<std::size_t>& jumps) {
    operand a = value(e.kids[0]);
    operand b = value(e.kids[1]);
    if (a.constant && b.constant) {
      bool holds = e.code == op::equal       ? a.value == b.value
                   : e.code == op::not_equal ? a.value != b.value
                   : e.code == op::less      ? a.value < b.value
                                             : a.value <= b.value;
      if (holds == sense) jumps.push_back(put({opcode::jump}));
      return;
    }
    std::uint16_t x = reg(a), y = reg(b);
    if (e.code == op::equal || e.code == op::not_equal) {
      bool same = (e.code == op::equal) == sense;
      jumps.push_back(put({same ? opcode::jump_equal : opcode::jump_not_equal, 0, x, y, 0}));
    } else if (sense) {
      jumps.push_back(put({e.code == op::less ? opcode::jump_less : opcode::jump_less_equal, 0, x, y, 0}));
    } else {
      jumps.push_back(put({e.code == op::less ? opcode::jump_less_equal : opcode::jump_less, 0, y, x, 0}));
    }
  }

  // The flat element of a table. Constants out of range stay registers, so that the fault happens if and when they are
  // reached.
  operand element(variable_id v, const std::vector<expr_id>& index) {
    const variable& x = p_.variables[v];
    operand flat = known(0);
    for (std::size_t i = 0; i < index.size(); ++i) {
      operand o = value(index[i]);
      std::uint64_t size = p_.sorts[x.index[i]].element.size();
      bool fits = o.constant && o.value >= 0 && static_cast<std::uint64_t>(o.value) < size;
      if (flat.constant && fits) {
        flat.value = flat.value * static_cast<std::int64_t>(size) + o.value;
      } else if (i == 0) {
        flat = in(reg(o));
        if (index.size() > 1) flat = flatten(known(0), 1, o, size);
      } else {
        flat = flatten(flat, prefix(x, i), o, size);
      }
    }
    return flat;
  }

  std::uint64_t prefix(const variable& x, std::size_t i) {
    std::uint64_t n = 1;
    for (std::size_t k = 0; k < i; ++k) n *= p_.sorts[x.index[k]].element.size();
    return n;
  }

  operand flatten(operand a, std::uint64_t size_a, operand b, std::uint64_t size_b) {
    std::uint16_t x = reg(a), y = reg(b);
    std::uint16_t d = scratch();
    put({opcode::flatten, d, x, y, static_cast<std::int64_t>(size_a << 32 | size_b)});
    return in(d);
  }

  operand load(const expr& e) {
    std::uint32_t mark = scratch_;
    operand at = element(e.var, e.kids);
    scratch_ = mark;
    const target& t = pool_.out_.tables[e.var];
    if (at.constant && t.max_code == 0) return known(t.low);
    std::uint16_t d = scratch();
    if (!at.constant) {
      put({opcode::load_table, d, at.reg, 0, e.var});
      return in(d);
    }
    const slot& s = pool_.layout_.slots()[t.first_slot + static_cast<std::uint32_t>(at.value)];
    put({opcode::load, d, static_cast<std::uint16_t>(s.index), static_cast<std::uint16_t>(s.shift | s.bits << 6), t.low});
    return in(d);
  }

  void store(variable_id v, const std::vector<expr_id>& index, operand a) {
    operand at = element(v, index);
    if (at.constant)
      put({opcode::store, 0, reg(a), 0, pool_.field_of(v, static_cast<std::uint64_t>(at.value))});
    else
      put({opcode::store_table, 0, reg(a), at.reg, v});
  }

  void one(const instruction& i) {
    switch (i.code) {
      case operation::set:
        store(i.var, i.index, value(i.a));
        break;
      case operation::set_temp:
        put({opcode::move, i.temp, reg(value(i.a)), 0, 0});
        break;
      case operation::jump:
        jump_to(i.target);
        break;
      case operation::jump_if:
        conditional(i);
        break;
      case operation::await: {
        std::vector<std::size_t> go;
        when(i.a, go);
        put({opcode::blocked});
        land(go);
        break;
      }
      case operation::choose:
        put({opcode::choose, i.temp, 0, 0, static_cast<std::int64_t>(values_of(i))});
        break;
      case operation::emit:
        emit(i);
        break;
      case operation::violate:
        put({opcode::violate, 0, 0, 0, static_cast<std::int64_t>(std::uint64_t{1} << i.which)});
        break;
      case operation::mark:
        put({opcode::mark, 0, 0, 0, static_cast<std::int64_t>(std::uint64_t{1} << i.which)});
        break;
      case operation::error:
        put({opcode::error, 0, 0, 0, i.which});
        break;
      case operation::bound:
        put({opcode::bound, 0, 0, 0, i.which});
        break;
      case operation::stuck:
        put({opcode::stuck});
        break;
      case operation::stop:
        put({opcode::stop, 0, 0, 0, i.which});
        break;
    }
  }

  std::uint64_t values_of(const instruction& i) const {
    return i.sort == nothing ? i.count : p_.sorts[i.sort].element.size();
  }

  void choose(const instruction& i, std::optional<std::vector<std::int64_t>> values) {
    auto& choices = pool_.out_.choices;
    if (!values || choices.size() == 0xffff) return one(i);
    const auto n = static_cast<std::int64_t>(values->size());
    choices.push_back(std::move(*values));
    put({opcode::choose, i.temp, static_cast<std::uint16_t>(choices.size()), 0, n});
  }

  void jump_to(std::uint32_t target) {
    if (target <= source_) put({opcode::backward});
    to_instruction_.push_back(put({opcode::jump, 0, 0, 0, target}));
  }

  void conditional(const instruction& i) {
    std::vector<std::size_t> jumps;
    if (i.target <= source_) {
      unless(i.a, jumps);
      jump_to(i.target);
      land(jumps);
      return;
    }
    when(i.a, jumps);
    for (std::size_t j : jumps) {
      out_.text[j].imm = i.target;
      to_instruction_.push_back(j);
    }
  }

  void emit(const instruction& i) {
    if (!record_) return;
    argument_list list{i.which, {}};
    for (expr_id e : i.args) list.registers.push_back(reg(value(e)));
    pool_.out_.emits.push_back(std::move(list));
    put({opcode::emit, 0, 0, 0, static_cast<std::int64_t>(pool_.out_.emits.size() - 1)});
  }

  pool& pool_;
  const program& p_;
  std::optional<std::int64_t> instance_;
  bool record_;
  routine out_;
  std::vector<std::size_t> to_instruction_;
  std::uint32_t scratch_ = 0;
  std::uint32_t source_ = 0;
};

// Temp 0 may be folded where nothing writes it.
bool writes_temp_zero(const program& p, const process& q) {
  for (const instruction& i : q.code)
    if ((i.code == operation::set_temp || i.code == operation::choose) && i.temp == 0) return true;
  for (const expr& e : p.exprs) {
    bool binds = e.code == op::all || e.code == op::some || e.code == op::count || e.code == op::collect;
    if (binds && e.temp == 0) return true;
  }
  return false;
}

}  // namespace

image compile(const ir::program& p, const layout& l, bool record) {
  constexpr std::size_t most_specialised = std::size_t{1} << 20;  // instructions of all instances of one template
  if (l.words() > 0xffff) throw std::logic_error("state of more than 65535 words");
  image out;
  out.temps = std::max<std::uint32_t>(p.init_temps, p.invariant_temps);
  for (const process& q : p.processes) out.temps = std::max<std::uint32_t>(out.temps, q.temps);
  if (out.temps > 0x7000) throw std::logic_error("program with too many temps");
  pool shared(p, l, out);
  out.init = compiler(shared, std::nullopt, record).run(p.init, true);
  for (const process& q : p.processes) {
    std::size_t instances = q.over == nothing ? 1 : p.sorts[q.over].element.size();
    bool apart = instances * q.code.size() <= most_specialised && !writes_temp_zero(p, q);
    image::process_code c;
    for (std::size_t k = 0; k < (apart ? instances : 1); ++k)
      c.by_instance.push_back(
          compiler(shared, apart ? std::optional<std::int64_t>(static_cast<std::int64_t>(k)) : std::nullopt, record)
              .run(q.code));
    out.processes.push_back(std::move(c));
  }
  for (std::uint32_t k = 0; k < p.properties.size(); ++k) {
    if (p.properties[k].invariant == nothing) continue;
    out.invariants.push_back(
        {k, p.properties[k].sometimes, compiler(shared, std::nullopt, false).run_condition(p.properties[k].invariant)});
  }
  return out;
}

}  // namespace quiesce::bytecode
