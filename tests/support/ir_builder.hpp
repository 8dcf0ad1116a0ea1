// SPDX-License-Identifier: MIT
#pragma once
// Lowered programs written by hand, for tests of engines. Everything returns the number of what it made.

#include <initializer_list>
#include <string>
#include <vector>

#include "model/system/ir.hpp"

namespace quiesce::test {

class ir_builder {
 public:
  ir::program program;

  // Elements NAME0, NAME1, ...; interchangeable ones are their own base.
  ir::sort_id sort(const std::string& name, std::uint32_t size, bool interchangeable = true) {
    auto id = static_cast<ir::sort_id>(program.sorts.size());
    ir::sort s{name, true, {}, {}};
    for (std::uint32_t i = 0; i < size; ++i) {
      s.element.push_back(name + std::to_string(i));
      s.origin.push_back(interchangeable ? ir::element_origin{0, id, i} : ir::element_origin{i, ir::nothing, 0});
    }
    program.sorts.push_back(std::move(s));
    return id;
  }
  // One element over each element of `base`, and `fixed` elements of its own that never move.
  ir::sort_id derived_sort(const std::string& name, ir::sort_id base, std::uint32_t fixed) {
    auto id = static_cast<ir::sort_id>(program.sorts.size());
    ir::sort s{name, false, {}, {}};
    for (std::uint32_t i = 0; i < fixed; ++i) {
      s.element.push_back(name + "_fixed" + std::to_string(i));
      s.origin.push_back({i, ir::nothing, 0});
    }
    for (std::uint32_t i = 0; i < program.sorts[base].element.size(); ++i) {
      s.element.push_back(name + "(" + program.sorts[base].element[i] + ")");
      s.origin.push_back({100, base, i});
    }
    program.sorts.push_back(std::move(s));
    return id;
  }

  ir::type_id boolean() { return type({ir::type_kind::boolean}); }
  ir::type_id integer(std::int64_t low, std::int64_t high) { return type({ir::type_kind::integer, low, high}); }
  ir::type_id enumeration(std::vector<std::string> labels) {
    return type({ir::type_kind::enumeration, 0, 1, std::move(labels)});
  }
  ir::type_id element(ir::sort_id s) { return type({ir::type_kind::element, 0, 1, {}, s}); }
  ir::type_id set(ir::sort_id s) { return type({ir::type_kind::set, 0, 1, {}, s}); }
  ir::type_id option(ir::type_id inner) { return type({ir::type_kind::option, 0, 1, {}, ir::nothing, inner}); }
  ir::type_id type(ir::type t) {
    program.types.push_back(std::move(t));
    return static_cast<ir::type_id>(program.types.size() - 1);
  }

  ir::variable_id variable(const std::string& name, ir::type_id t, std::vector<ir::sort_id> index = {},
                           ir::variable_kind kind = ir::variable_kind::global) {
    program.variables.push_back({name, t, std::move(index), kind, ir::nothing, 0});
    return static_cast<ir::variable_id>(program.variables.size() - 1);
  }

  ir::expr_id expression(ir::expr e) {
    program.exprs.push_back(std::move(e));
    return static_cast<ir::expr_id>(program.exprs.size() - 1);
  }
  ir::expr_id constant(std::int64_t v, ir::type_id t) { return expression({ir::op::constant, t, v}); }
  ir::expr_id load(ir::variable_id v, std::vector<ir::expr_id> index = {}) {
    return expression({ir::op::load, program.variables[v].type, 0, v, 0, ir::nothing, std::move(index)});
  }
  ir::expr_id temp(ir::temp_id t, ir::type_id of) { return expression({ir::op::temp, of, 0, ir::nothing, t}); }
  ir::expr_id apply(ir::op c, ir::type_id t, std::vector<ir::expr_id> kids) {
    return expression({c, t, 0, ir::nothing, 0, ir::nothing, std::move(kids)});
  }
  ir::expr_id over(ir::op c, ir::type_id t, ir::sort_id s, ir::temp_id bound, ir::expr_id body) {
    return expression({c, t, 0, ir::nothing, bound, s, {body}});
  }

  std::uint32_t property(const std::string& name) {
    program.properties.push_back({});
    program.properties.back().name = name;
    return static_cast<std::uint32_t>(program.properties.size() - 1);
  }

  // A process with its program counter; add code through process_code.
  std::uint32_t process(const std::string& name, ir::sort_id over = ir::nothing) {
    ir::process q;
    q.name = name;
    q.over = over;
    program.processes.push_back(std::move(q));
    return static_cast<std::uint32_t>(program.processes.size() - 1);
  }

  // To be called when all locations exist.
  void finish_process(std::uint32_t id) {
    ir::process& q = program.processes[id];
    std::vector<ir::sort_id> index;
    if (q.over != ir::nothing) index.push_back(q.over);
    auto last = static_cast<std::int64_t>(q.locations.size()) - 1;
    ir::variable_id pc = variable("pc." + q.name, integer(0, last), std::move(index), ir::variable_kind::pc);
    program.processes[id].pc = pc;
    program.variables[pc].owner = id;
  }

  static ir::instruction set(ir::variable_id v, std::vector<ir::expr_id> index, ir::expr_id a) {
    ir::instruction i;
    i.code = ir::operation::set;
    i.var = v;
    i.index = std::move(index);
    i.a = a;
    return i;
  }
  static ir::instruction set_temp(ir::temp_id t, ir::expr_id a) {
    ir::instruction i;
    i.code = ir::operation::set_temp;
    i.temp = t;
    i.a = a;
    return i;
  }
  static ir::instruction jump(std::uint32_t target) {
    ir::instruction i;
    i.code = ir::operation::jump;
    i.target = target;
    return i;
  }
  static ir::instruction jump_if(ir::expr_id a, std::uint32_t target) {
    ir::instruction i;
    i.code = ir::operation::jump_if;
    i.a = a;
    i.target = target;
    return i;
  }
  static ir::instruction await(ir::expr_id a) {
    ir::instruction i;
    i.code = ir::operation::await;
    i.a = a;
    return i;
  }
  static ir::instruction choose(ir::temp_id t, ir::sort_id s, std::uint32_t count = 0) {
    ir::instruction i;
    i.code = ir::operation::choose;
    i.temp = t;
    i.sort = s;
    i.count = count;
    return i;
  }
  static ir::instruction emit(std::uint32_t event, std::vector<ir::expr_id> args) {
    ir::instruction i;
    i.code = ir::operation::emit;
    i.which = event;
    i.args = std::move(args);
    return i;
  }
  // violate, mark, error, bound, stop, stuck.
  static ir::instruction other(ir::operation code, std::uint32_t which = 0) {
    ir::instruction i;
    i.code = code;
    i.which = which;
    return i;
  }
  static ir::instruction stop(std::uint32_t location) { return other(ir::operation::stop, location); }

  // Adds a location whose step is these instructions; jumps in them are relative to its first. Returns its number.
  std::uint32_t location(std::uint32_t process, const std::vector<ir::instruction>& step, bool resting = false,
                         bool ended = false) {
    ir::process& q = program.processes[process];
    ir::location l;
    l.entry = static_cast<std::uint32_t>(q.code.size());
    l.resting = resting;
    l.ended = ended;
    l.statement = q.name + " " + std::to_string(q.locations.size());
    for (ir::instruction i : step) {
      i.target += l.entry;
      q.code.push_back(std::move(i));
    }
    q.locations.push_back(std::move(l));
    return static_cast<std::uint32_t>(q.locations.size() - 1);
  }
  std::uint32_t end_location(std::uint32_t process) { return location(process, {other(ir::operation::stuck)}, true, true); }
};

}  // namespace quiesce::test
