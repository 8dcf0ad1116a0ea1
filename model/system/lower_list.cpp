// SPDX-License-Identifier: MIT
// Pointer lists with the semantics of include/linux/list.h (v4.4): the same links written in the same order, so that a
// double add or a missing INIT_LIST_HEAD does here what it does there.

#include <fmt/format.h>

#include "model/system/lower_code.hpp"

namespace quiesce::lowering {

namespace {
void refuse(const builder& b, source_range where) {
  if (b.parametrised())
    throw diagnostic(where, "pointer lists have no reading for any number of elements", "a queue has one");
}

constexpr std::uint32_t head_constructors = 1u << 20;
}

void process_code::list_set(std::uint32_t space, bool next, expr_id at, expr_id to, source_range where) {
  const pointer_space& p = s.spaces[space];
  set(next ? p.next : p.prev, {at}, to, where);
}

// The link of a node that is about to be followed or written through: it must lead to a node or a head that exists.
temp_id process_code::list_get(std::uint32_t space, bool next, expr_id at, source_range where) {
  const pointer_space& p = s.spaces[space];
  const type_id address = b.element(p.sort);
  const temp_id t = x.take_temp();
  set_temp(t, b.load(next ? p.next : p.prev, {at}));
  check(b.make(op::less_equal, b.boolean(), {b.constant(first_node, address), b.temp(t, address)}),
        ir::error_kind::list_corruption,
        fmt::format("a {} link is followed that is NULL, poisoned or dangling", next ? "next" : "prev"), where);
  return t;
}

void process_code::list_init(std::uint32_t space, expr_id at, source_range where) {
  list_set(space, true, at, at, where);
  list_set(space, false, at, at, where);
}

// __list_add: next->prev, new->next, new->prev, prev->next, in this order.
void process_code::list_insert(std::uint32_t space, expr_id node, expr_id before, expr_id after, source_range where) {
  list_set(space, false, after, node, where);
  list_set(space, true, node, after, where);
  list_set(space, false, node, before, where);
  list_set(space, true, before, node, where);
}

// __list_del: next->prev, then prev->next.
void process_code::list_unlink(std::uint32_t space, expr_id node, source_range where) {
  const type_id address = b.element(s.spaces[space].sort);
  const expr_id prev = b.temp(list_get(space, false, node, where), address);
  const expr_id next = b.temp(list_get(space, true, node, where), address);
  list_set(space, false, next, prev, where);
  list_set(space, true, prev, next, where);
}

// An address that is computed from what others may change is computed once.
expr_id process_code::settled_address(const std::string& name, const expressions::node_reference& r,
                                      const ast::statement& st) {
  if (b.parametrised()) return r.address;
  const type_id address = b.element(s.spaces[r.space].sort);
  if (r.fx.stable && !r.fx.binds && r.defined == ir::nothing) return r.address;
  check_value({r.address, address, {}, r.defined, {}}, st.where);
  variable_id copy;
  const expr_id settled = local(name, address, &copy);
  set(copy, self_index(), r.address, st.where);
  return settled;
}

// The frame of a head returns: every link to it dangles from now on.
void process_code::kill_head(std::uint32_t space, expr_id head) {
  if (!live_ || b.parametrised()) return;
  const pointer_space& p = s.spaces[space];
  const type_id address = b.element(p.sort);
  const temp_id t = x.take_temp();
  const expr_id a = b.temp(t, address);
  set_temp(t, b.constant(first_node, address));
  code_label loop;
  loop.at = static_cast<std::int64_t>(out.code.size());
  for (const bool next : {true, false}) {
    const variable_id link = next ? p.next : p.prev;
    code_label keep;
    jump_if(b.make(op::not_equal, b.boolean(), {b.load(link, {a}), head}), keep);
    set(link, {a}, b.constant(dangling_address, address), {});
    bind(keep);
  }
  set_temp(t, b.make(op::add, address, {a, b.constant(1, address)}));
  jump_if(b.make(op::less, b.boolean(), {a, p.size}), loop);
  set(p.next, {head}, b.constant(null_address, address), {});
  set(p.prev, {head}, b.constant(null_address, address), {});
  fresh_ = false;  // links that others see have changed: part of the step before, not of the next
}

// LIST_HEAD on the stack. One address for each instance of the process, kept for this place of the code and used again by
// later calls as a stack slot would be.
void process_code::head(const ast::statement& st) {
  const auto it = s.globals.find(st.text);
  if (it == s.globals.end() || it->second.kind != global_kind::node)
    throw diagnostic(st.where, fmt::format("there is no list node '{}'", st.text));
  const std::uint32_t space = it->second.space;
  if (b.parametrised()) {  // a name; whatever uses it is refused
    binding name;
    name.kind = binding_kind::head;
    name.space = space;
    name.address = b.number(0);
    x.names.bind(st.name, name);
    return;
  }
  const type_id address = b.element(s.spaces[space].sort);
  auto& pool = heads_[place_name(st.name) + "@" + st.text];
  std::size_t at = 0;
  while (at < pool.size() && pool[at].second) ++at;
  if (at == pool.size()) {
    ir::sort& addresses = b.program.sorts[s.spaces[space].sort];
    const auto base = static_cast<std::uint32_t>(addresses.element.size());
    const std::string shown = at == 0 ? place_name(st.name) : fmt::format("{}'{}", place_name(st.name), at + 1);
    if (out.over == ir::nothing) {
      addresses.element.push_back("&" + shown);
      addresses.origin.push_back({});
    } else {
      const ir::sort over = b.program.sorts[out.over];
      for (std::size_t e = 0; e < over.element.size(); ++e) {
        ir::element_origin o = over.origin[e];
        o.constructor += head_constructors + base * 64;
        addresses.element.push_back(fmt::format("&{}({})", shown, over.element[e]));
        addresses.origin.push_back(o.over == ir::nothing ? ir::element_origin{} : o);
      }
    }
    const expr_id first = b.constant(base, address);
    pool.emplace_back(out.over == ir::nothing ? first : b.make(op::add, address, {x.self_element, first}), false);
  }
  pool[at].second = true;
  binding name;
  name.kind = binding_kind::head;
  name.space = space;
  name.address = pool[at].first;
  x.names.bind(st.name, name);
  cleanups_.push_back({cleanup::kind::head, space, name.address, at});
  dying_heads_.emplace_back(&pool, at);
  const bool fresh = fresh_;
  list_init(space, name.address, st.where);
  fresh_ = fresh;
}

bool process_code::list_statement(const ast::statement& st) {
  static const std::map<std::string, std::size_t> known = {
      {"INIT_LIST_HEAD", 1}, {"list_add", 2},       {"list_add_tail", 2},   {"list_del", 1},
      {"list_del_init", 1},  {"list_move_tail", 2}, {"list_splice_init", 2}};
  const auto it = known.find(st.text);
  if (it == known.end()) return false;
  if (st.args.size() != it->second)
    throw diagnostic(st.where, fmt::format("'{}' takes {} argument{}", st.text, it->second, it->second == 1 ? "" : "s"));
  refuse(b, st.where);
  const auto node = x.list_place(st.args[0]);
  const auto other = st.args.size() > 1 ? x.list_place(st.args[1]) : node;
  if (node.space != other.space) throw diagnostic(st.where, "the node and the head are of different lists");
  const pointer_space& space = s.spaces[node.space];
  const type_id address = b.element(space.sort);
  begin_step(st);
  check_value({node.address, address, {}, x.both_defined(node.defined, other.defined), {}}, st.where);
  if (space.guard >= 0) {
    effects fx;
    fx.guards = std::uint64_t{1} << space.guard;
    check_guards(fx, st.where);
  }
  const auto add = [&](bool tail) {
    const expr_id near = b.temp(list_get(node.space, !tail, other.address, st.where), address);
    if (tail)
      list_insert(node.space, node.address, near, other.address, st.where);
    else
      list_insert(node.space, node.address, other.address, near, st.where);
  };
  if (st.text == "INIT_LIST_HEAD") {
    list_init(node.space, node.address, st.where);
  } else if (st.text == "list_add" || st.text == "list_add_tail") {
    add(st.text == "list_add_tail");
  } else if (st.text == "list_del") {
    list_unlink(node.space, node.address, st.where);
    list_set(node.space, true, node.address, b.constant(poison_address, address), st.where);
    list_set(node.space, false, node.address, b.constant(poison_address, address), st.where);
  } else if (st.text == "list_del_init") {
    list_unlink(node.space, node.address, st.where);
    list_init(node.space, node.address, st.where);
  } else if (st.text == "list_move_tail") {
    list_unlink(node.space, node.address, st.where);
    add(true);
  } else {  // list_splice_init(list, head): behind the head
    code_label done;
    jump_if(b.equal(b.load(space.next, {node.address}), node.address), done);
    const expr_id first = b.temp(list_get(node.space, true, node.address, st.where), address);
    const expr_id last = b.temp(list_get(node.space, false, node.address, st.where), address);
    const expr_id at = b.temp(list_get(node.space, true, other.address, st.where), address);
    list_set(node.space, false, first, other.address, st.where);
    list_set(node.space, true, other.address, first, st.where);
    list_set(node.space, true, last, at, st.where);
    list_set(node.space, false, at, last, st.where);
    list_init(node.space, node.address, st.where);
    bind(done);
  }
  return true;
}

// list_for_each_entry reads the next link after the body, the _safe form before it.
void process_code::list_loop(const ast::statement& st) {
  refuse(b, st.where);
  const bool safe = st.kind == ast::statement_kind::list_for_each_safe;
  auto list = x.list_place(st.value[0]);
  const pointer_space& space = s.spaces[list.space];
  const type_id address = b.element(space.sort);
  const std::uint32_t nodes = b.size(space.owner);
  effects fx;
  if (space.guard >= 0)
    fx.guards = std::uint64_t{1} << space.guard;
  else
    fx.shared = true;
  const auto access = [&] {
    if (fx.shared)
      begin_step(st);
    else
      check_guards(fx, st.where);
  };
  open_scope();
  variable_id at_var, next_var = 0, turn_var;
  const expr_id at = local(st.name + ".entry", address, &at_var);
  const expr_id next = safe ? local(st.name + ".next", address, &next_var) : at;
  const expr_id turn = local(st.name + ".turn", b.integer(0, nodes + 1), &turn_var);
  if (list.fx.shared && !fx.shared) begin_step(st);
  access();
  list.address = settled_address(st.name + ".head", list, st);
  const auto advance = [&](variable_id to, expr_id from) {
    const temp_id t = list_get(list.space, true, from, st.where);
    set(to, self_index(), b.temp(t, address), st.where);
  };
  advance(at_var, list.address);
  set(turn_var, self_index(), b.number(0), st.where);
  code_label head, body_end, done;
  loop_head(head, false);
  jump_if(b.equal(at, list.address), done);
  check(b.make(op::less, b.boolean(), {at, b.constant(first_node + nodes, address)}), ir::error_kind::list_corruption,
        "the walk runs into the head of another list", st.where);
  check(b.make(op::less, b.boolean(), {turn, b.number(nodes)}), ir::error_kind::endless_traversal,
        fmt::format("the walk takes more turns than there are nodes ({})", nodes), st.where);
  set(turn_var, self_index(), b.plus(turn, b.number(1)), st.where);
  if (safe) advance(next_var, at);
  binding name;
  const type_id element = b.element(space.owner);
  variable_id owner;  // list_entry: the one element whose node this is
  const expr_id entry = local(st.name, element, &owner);
  choose_into(owner, self_index(), element, st.where, st.name);
  await(b.equal(b.make(op::add, address, {entry, b.constant(first_node, address)}), at), st.where);
  name.alias = x.element_value(entry, space.owner);
  x.names.bind(st.name, name);
  body_of_loop(st, body_end, done);
  bind(body_end);
  access();  // the _safe form reads the link behind `next` at the head of the loop: part of this step
  if (safe)
    set(at_var, self_index(), next, st.where);
  else
    advance(at_var, at);
  jump(head);
  bind(done);
  close_scope();
}

}  // namespace quiesce::lowering
