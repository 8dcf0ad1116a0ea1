// SPDX-License-Identifier: MIT
// Emission: instructions, labels, stops, locals, and the run-time checks in front of them.

#include "model/system/lower_code.hpp"

#include <fmt/format.h>

#include "model/language/parse.hpp"

namespace quiesce::lowering {

namespace {
constexpr std::size_t most_instructions = 1u << 20;
constexpr std::size_t most_locations = 1u << 16;
}  // namespace

process_code::process_code(shared_lowering& all, std::uint32_t number)
    : x(all.s), shared(all), s(all.s), b(all.b), index(number) {
  if (index == ir::nothing) return;
  decl_ = s.processes[index];
  out.name = decl_->name;
  out.pc = shared.pc[index];
  x.names.open();
  const type_id self_type = b.option(b.element(s.process_sort));
  if (decl_->params.empty()) {
    x.self_element = b.constant(0, b.element(s.process_sort));
    x.self = s.process_value(index, ir::nothing, self_type);
  } else {
    out.over = s.sort_named(decl_->params[0].type[0].text, decl_->where).id;
    x.self_element = b.temp(0, b.element(out.over));
    x.self = s.process_value(index, x.self_element, self_type);
    binding me;
    me.alias = x.element_value(x.self_element, out.over);
    x.names.bind(decl_->params[0].name, me);
  }
}

std::vector<expr_id> process_code::self_index() const {
  if (out.over == ir::nothing) return {};
  return {x.self_element};
}

std::uint32_t process_code::emit(ir::instruction i) {
  if (!live_) return 0;
  if (out.code.size() > most_instructions)
    throw diagnostic(i.where, "the expanded code of this process is too long",
                     "fewer nested calls, or a smaller recursion bound");
  out.code.push_back(std::move(i));
  return static_cast<std::uint32_t>(out.code.size() - 1);
}

void process_code::jump(code_label& l) {
  if (!live_) return;
  ir::instruction i;
  i.code = ir::operation::jump;
  i.where = here_;
  if (l.at >= 0) i.target = static_cast<std::uint32_t>(l.at);
  const auto at = emit(i);
  if (l.at < 0) l.uses.push_back(at);
  live_ = false;
}

void process_code::jump_if(expr_id c, code_label& l) {
  if (!live_ || b.is_false(c)) return;
  if (b.is_true(c)) return jump(l);
  ir::instruction i;
  i.code = ir::operation::jump_if;
  i.a = c;
  i.where = here_;
  if (l.at >= 0) i.target = static_cast<std::uint32_t>(l.at);
  const auto at = emit(i);
  if (l.at < 0) l.uses.push_back(at);
}

void process_code::bind(code_label& l) {
  if (!l.uses.empty()) {
    fresh_ = false;
    live_ = true;
  }
  l.at = static_cast<std::int64_t>(out.code.size());
  for (const auto u : l.uses) out.code[u].target = static_cast<std::uint32_t>(l.at);
}

void process_code::set(variable_id v, std::vector<expr_id> at, expr_id e, source_range where) {
  ir::instruction i;
  i.code = ir::operation::set;
  i.var = v;
  i.index = std::move(at);
  i.a = e;
  i.each = each;
  i.where = where;
  emit(i);
}

void process_code::set_temp(temp_id t, expr_id e) {
  ir::instruction i;
  i.code = ir::operation::set_temp;
  i.temp = t;
  i.a = e;
  emit(i);
}

void process_code::await(expr_id c, source_range where) {
  if (b.is_true(c)) return;
  ir::instruction i;
  i.code = ir::operation::await;
  i.a = c;
  i.where = where;
  emit(i);
}

void process_code::error(ir::error_kind kind, const std::string& message, source_range where) {
  ir::instruction i;
  i.code = ir::operation::error;
  i.which = static_cast<std::uint32_t>(kind);
  i.note = b.string(message);
  i.where = where;
  emit(i);
  live_ = false;
}

void process_code::bound(ir::bound_kind kind, const std::string& message, source_range where) {
  ir::instruction i;
  i.code = ir::operation::bound;
  i.which = static_cast<std::uint32_t>(kind);
  i.note = b.string(message);
  i.where = where;
  emit(i);
  live_ = false;
}

// Checks are part of the step that they guard: they leave `fresh` alone.
void process_code::check(expr_id good, ir::error_kind kind, const std::string& message, source_range where) {
  if (!live_ || b.is_true(good)) return;
  const bool fresh = fresh_;
  code_label ok;
  jump_if(good, ok);
  error(kind, message, where);
  bind(ok);
  fresh_ = fresh;
}

void process_code::check_value(const value& v, source_range where) {
  if (v.defined != ir::nothing) check(v.defined, ir::error_kind::value_of_none, "a value is taken that is not there, or that its option cannot hold", where);
}

void process_code::check_guards(const effects& fx, source_range where) {
  if (x.self == ir::nothing) return;
  for (std::size_t i = 0; i < s.locks.size(); ++i) {
    if (!((fx.guards >> i) & 1)) continue;
    const expr_id owner = b.load(s.globals.at(s.locks[i]).var);
    check(b.equal(owner, x.self), ir::error_kind::lock_misuse,
          fmt::format("something guarded by '{}' is used without holding it", s.locks[i]), where);
  }
}

std::uint32_t process_code::stop(bool resting, const ast::statement* st) {
  if (!live_) return 0;
  if (out.locations.size() >= most_locations) throw diagnostic(decl_->where, "this process has too many locations");
  const auto number = static_cast<std::uint32_t>(out.locations.size());
  ir::instruction i;
  i.code = ir::operation::stop;
  i.which = number;
  emit(i);
  ir::location l;
  l.entry = static_cast<std::uint32_t>(out.code.size());
  l.resting = resting;
  l.path = path_;
  l.labels = labels_;
  if (st) {
    l.statement = language::format_statement_head(*st);
    l.where = st->where;
  }
  out.locations.push_back(l);
  fresh_ = true;
  also_begun_ = -1;
  guard_cpu();
  step_start_ = out.code.size();
  return number;
}

void process_code::begin_step(const ast::statement& st) {
  if (!live_ || atomic_ || index == ir::nothing) return;
  if (!fresh_) stop(false, &st);
  const auto describe = [&](ir::location& l) {
    if (!l.statement.empty()) return;
    l.statement = language::format_statement_head(st);
    l.where = st.where;
    l.path = path_;
    l.labels = labels_;
  };
  ir::location& l = out.locations.back();
  describe(l);
  if (also_begun_ >= 0) describe(out.locations[static_cast<std::size_t>(also_begun_)]);
  also_begun_ = -1;
  if (st.at && st.at->label.empty()) {
    l.path.push_back(frame_of("", st.at));
  }
  fresh_ = false;
}

// The head of a loop: where nothing at all stands between the last stop and here, going back is going to that stop.
// Where only bookkeeping does and the loop begins with a test that is a step, the first test shares the step that has begun;
// later ones have a stop of their own.
void process_code::loop_head(code_label& head, bool resting, bool visible) {
  if (!live_) return;
  const bool at_stop = fresh_ && out.code.size() == step_start_ && index != ir::nothing && !atomic_;
  if (visible && fresh_ && !at_stop && !resting && index != ir::nothing && !atomic_) {
    const auto begun = static_cast<std::int64_t>(out.locations.size()) - 1;
    code_label first;
    jump(first);
    live_ = true;
    head.at = static_cast<std::int64_t>(out.code.size());
    stop(false, nullptr);
    bind(first);
    fresh_ = true;
    also_begun_ = begun;
    return;
  }
  if (resting && !(at_stop && out.locations.back().resting)) {
    stop(true, nullptr);
  } else if (!at_stop) {
    head.at = static_cast<std::int64_t>(out.code.size());
    fresh_ = false;
    return;
  }
  head.at = out.locations.back().entry - 1;
}

std::string process_code::place_name(const std::string& name) const {
  for (auto it = path_.rbegin(); it != path_.rend(); ++it)
    if (!it->procedure.empty()) return it->procedure + "." + name;
  return out.name + "." + name;
}

expr_id process_code::local(const std::string& name, type_id type, variable_id* made) {
  const auto key = std::make_pair(place_name(name), type);
  auto& pool = pool_[key];
  std::size_t at = 0;
  while (at < pool.size() && pool[at].used) ++at;
  if (at == pool.size()) {
    std::vector<sort_id> over;
    if (out.over != ir::nothing) over.push_back(out.over);
    const std::string shown = at == 0 ? key.first : fmt::format("{}'{}", key.first, at + 1);
    pool.push_back({b.variable(shown, type, over, ir::variable_kind::local, index), true});
  }
  pool[at].used = true;
  if (!held_.empty()) held_.back().emplace_back(key, at);
  if (made) *made = pool[at].var;
  return b.load(pool[at].var, self_index());
}

// A sequence local is a length and a table over positions; both are indexed by the instance like every local.
sequence_place process_code::local_sequence(const std::string& name, type_id member, std::uint32_t capacity, bool queue) {
  sequence_place p;
  p.index = self_index();
  p.member = member;
  p.capacity = capacity;
  p.queue = queue;
  if (b.parametrised()) {
    local(name, b.set(b.type(member).sort), &p.members);
    return p;
  }
  local(name + ".len", b.integer(0, capacity), &p.length);
  const auto key = std::make_pair(place_name(name) + fmt::format("[{}]", capacity), s.stored(member));
  auto& pool = pool_[key];
  std::size_t at = 0;
  while (at < pool.size() && pool[at].used) ++at;
  if (at == pool.size()) {
    std::vector<sort_id> over;
    if (out.over != ir::nothing) over.push_back(out.over);
    over.push_back(s.positions(capacity));
    pool.push_back({b.variable(place_name(name) + (at ? fmt::format("'{}", at + 1) : ""), s.stored(member), over,
                               ir::variable_kind::local, index),
                    true});
  }
  pool[at].used = true;
  if (!held_.empty()) held_.back().emplace_back(key, at);
  p.members = pool[at].var;
  return p;
}

void process_code::open_scope() {
  x.names.open();
  held_.emplace_back();
}

void process_code::close_scope() {
  for (const auto& [key, at] : held_.back()) pool_[key][at].used = false;
  held_.pop_back();
  x.names.close();
}

// Control leaves scopes down to `to` cleanups: what they declared goes, innermost first. The compile-time stack itself
// stays.
void process_code::unwind(std::size_t to) {
  for (std::size_t i = cleanups_.size(); i-- > to;) undo(cleanups_[i]);
}

void process_code::undo(const cleanup& c) {
  if (!live_) return;
  if (c.what == cleanup::kind::head) return kill_head(c.space, c.address);
  begin_step(open_spans[c.span].end);
  end_span(c.span, open_spans[c.span].end.where);
}

ir::frame process_code::frame_of(const std::string& name, const std::optional<ast::anchor>& a) const {
  ir::frame f;
  f.procedure = name;
  if (a && !a->label.empty()) throw diagnostic(a->where, "'@at' names a statement; a procedure has its name");
  if (a) {
    f.kernel_file = a->file;
    f.kernel_function = a->function;
    f.kernel_version = a->version.empty() ? s.kernel : a->version;
  }
  return f;
}

void process_code::block(const std::vector<ast::statement>& body) {
  open_scope();
  const std::size_t before = cleanups_.size(), heads = dying_heads_.size();
  for (const auto& st : body) statement(st);
  unwind(before);
  cleanups_.resize(before);
  for (std::size_t i = heads; i < dying_heads_.size(); ++i) (*dying_heads_[i].first)[dying_heads_[i].second].second = false;
  dying_heads_.resize(heads);
  close_scope();
}

ir::process process_code::take() {
  out.temps = x.temps;
  return std::move(out);
}

void process_code::lower_process(const ast::process_decl& d) {
  path_ = {frame_of(d.name, d.at)};
  held_.emplace_back();
  if (!d.cpu.empty()) cpu_ = x.lower(d.cpu[0]).e;
  stop(d.softirq || !d.timer.empty(), nullptr);
  if (!d.timer.empty()) {
    expiry_process(d);
  } else {
    code_label leave;
    calls_.push_back({&leave, 0, std::nullopt, ir::nothing});
    block(d.body);
    bind(leave);
  }
  if (live_) end_of_process(d);
}

// The place where a process has ended: no step leads out of it. A process without a visible statement is there from the
// start.
void process_code::end_of_process(const ast::process_decl& d) {
  if (!(fresh_ && out.locations.size() == 1 && out.code.size() == step_start_)) stop(true, nullptr);
  ir::location& end = out.locations.back();
  end.resting = end.ended = true;
  end.statement = "(ended)";
  out.code.resize(end.entry);
  await(b.truth(false), d.where);
  ir::instruction never;
  never.code = ir::operation::stuck;
  emit(never);
}

}  // namespace quiesce::lowering
