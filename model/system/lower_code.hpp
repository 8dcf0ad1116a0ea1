// SPDX-License-Identifier: MIT
#pragma once
// The code of one process template: statements become instructions, procedures are expanded where they are called, so that
// the program counter carries the whole call path and no stack is needed at run time.
//
// `fresh` is true while nothing visible has been emitted since the last `stop`: the next visible statement is then the step
// of that stop and needs no stop of its own. That is how `either` and `idle` share the step of what follows.

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "model/language/ast.hpp"
#include "model/system/lower_expression.hpp"
#include "properties/compiled.hpp"

namespace quiesce::lowering {

// An event-valued parameter while only types are checked: which event it is, only a call tells.
inline const std::string unknown_event = "?";

struct code_label {
  std::int64_t at = -1;
  std::vector<std::uint32_t> uses;
};

// Weaves monitors into the code: implemented in lower_monitor.cpp.
class monitor_weaver;

// What a process leaves behind when control leaves a scope: heads die, spans end.
struct cleanup {
  enum class kind { head, span } what = kind::head;
  std::uint32_t space = 0;
  expr_id address = ir::nothing;
  std::size_t span = 0;  // index into open_spans
};

struct open_span {
  std::uint32_t kind = 0;
  std::uint32_t level = 0;  // how many spans of this kind were open before it in this process
  std::vector<expr_id> args;
  ast::statement end;  // its end event, for the location of that step
};

struct shared_lowering {  // what all processes of one program share
  symbols& s;
  builder& b;
  const monitors::monitor_set& monitors;
  monitor_weaver* weaver = nullptr;
  bool dry = false;                   // type check only: constant conditions do not prune, calls are not expanded
  std::vector<variable_id> pc;        // of each template
  std::vector<variable_id> bh_count;  // for each template with a CPU that takes _bh locks: how many it holds, or nothing
  struct away {
    expr_id reserved;
    std::uint32_t process;
    expr_id element;
  };
  std::vector<away> pending;  // "is this softirq instance away from rest": known when all code is
  std::map<std::string, std::uint32_t> events;
  type_id event_type(const monitors::value_type&, source_range where) const;
};

// Does the expression name it? Do the statements assign it, or pass it to one that changes it?
bool mentions(const ast::expr&, const std::string& name);
bool changes(const std::vector<ast::statement>&, const std::string& name);

class process_code {
 public:
  // `index` is the template's number; nothing for the init block.
  process_code(shared_lowering&, std::uint32_t index);
  void lower_process(const ast::process_decl&);
  void lower_init();
  void reset_locals();
  void dry_procedure(const ast::procedure_decl&);
  void dry_operation(const ast::operation_decl&);
  void dry_handler(const ast::handler_decl&);
  ir::process take();

  expressions x;
  ir::process out;
  shared_lowering& shared;
  symbols& s;
  builder& b;
  std::vector<open_span> open_spans;
  std::vector<std::pair<temp_id, sort_id>> each;  // what `set` assigns for all at once, in a parametrised program
  std::uint32_t index;

  // --- emission, lower_code.cpp
  std::uint32_t emit(ir::instruction);
  void jump(code_label&);
  void jump_if(expr_id, code_label&);
  void bind(code_label&);
  void set(variable_id, std::vector<expr_id> index, expr_id, source_range);
  void set_temp(temp_id, expr_id);
  void await(expr_id, source_range);
  void error(ir::error_kind, const std::string& message, source_range);
  void bound(ir::bound_kind, const std::string& message, source_range);
  // `if (!good) error`
  void check(expr_id good, ir::error_kind, const std::string& message, source_range);
  void check_value(const value&, source_range);     // defined, else value_of_none
  void check_guards(const effects&, source_range);  // the guarding locks are held, else lock_misuse
  void begin_step(const ast::statement&);
  std::uint32_t stop(bool resting, const ast::statement*);
  expr_id local(const std::string& name, type_id, variable_id* = nullptr);
  sequence_place local_sequence(const std::string& name, type_id member, std::uint32_t capacity, bool queue);
  std::vector<expr_id> self_index() const;
  void append(const sequence_place&, expr_id, source_range);
  void store_member(const sequence_place&, expr_id position, expr_id, source_range);
  bool live() const { return live_; }
  const std::vector<variable_id>& sleepers() const { return sleepers_; }
  void loop_head(code_label& head, bool resting, bool visible = false);
  void end_of_process(const ast::process_decl&);

  // --- statements
  void block(const std::vector<ast::statement>&);
  void statement(const ast::statement&);
  void dispatch(const ast::statement&);

 private:
  bool live_ = true;
  bool fresh_ = true;
  int atomic_ = 0;
  source_range here_;             // of the statement that is being lowered
  std::int64_t also_begun_ = -1;  // a location whose step the next visible statement is as well
  std::size_t step_start_ = 0;    // behind the last stop and its CPU guards
  std::vector<ir::frame> path_;
  std::vector<std::string> labels_;
  std::vector<std::string> active_;  // procedures in the call path, for recursion
  std::vector<cleanup> cleanups_;
  struct loop {
    code_label* next;
    code_label* done;
    std::size_t cleanups;
  };
  std::vector<loop> loops_;
  struct call_frame {
    code_label* exit;
    std::size_t cleanups;
    std::optional<type_id> result_type;
    variable_id result;
  };
  std::vector<call_frame> calls_;
  struct pooled {
    variable_id var;
    bool used;
  };
  std::map<std::pair<std::string, type_id>, std::vector<pooled>> pool_;
  std::vector<std::vector<std::pair<std::pair<std::string, type_id>, std::size_t>>> held_;  // locals of each open scope
  std::map<std::string, std::vector<std::pair<expr_id, bool>>> heads_;                      // frame heads by name, pooled
  std::vector<std::pair<std::vector<std::pair<expr_id, bool>>*, std::size_t>>
      dying_heads_;  // heads of open scopes, in order
  std::vector<variable_id> sleepers_;
  const ast::process_decl* decl_ = nullptr;
  expr_id cpu_ = ir::nothing;

  std::string place_name(const std::string& name) const;
  void open_scope();
  void close_scope();
  void unwind(std::size_t to);
  void undo(const cleanup&);
  void guard_cpu();
  expr_id cpu_of(std::uint32_t process, expr_id element);
  expr_id some_on_my_cpu(bool softirq, const std::function<expr_id(std::uint32_t, expr_id)>& body);
  bool needs_test_step(const effects&) const;
  expr_id test(const ast::expr&, const ast::statement&);
  ir::frame frame_of(const std::string& name, const std::optional<ast::anchor>&) const;
  void init_values();
  void choose_table(const ast::variable_decl&, variable_id, type_id);

  void assign(const ast::statement&);
  void store(const ast::expr& target, const value&, const ast::statement&);
  void let(const ast::statement&);
  void assign_sequence(const sequence_place&, const ast::expr&, const ast::statement&);
  void copy_sequence(const sequence_place& to, const sequence_place& from, source_range);
  void fill_sequence(const sequence_place& to, const ast::expr&, const ast::statement&);
  void filter_sequence(const sequence_place& to, const ast::expr&, const ast::statement&);
  bool filter_reads(const sequence_place&, const ast::expr&);
  effects sequence_effects(const sequence_place& to, const ast::expr&);
  void check_write(const global&, source_range);
  void write_step(const global&, const effects&, const ast::statement&);
  void if_statement(const ast::statement&);
  void while_statement(const ast::statement&);
  void repeat_statement(const ast::statement&);
  void repeat_any(const ast::statement&);
  void for_statement(const ast::statement&);
  void for_set(const ast::statement&, const value& domain);
  void for_members(const ast::statement&, const sequence_place&, const effects&, bool is_global);
  void fill_members(const sequence_place& to, const ast::expr&, const ast::statement&);
  void change_members(const sequence_place&, expr_id, const ast::statement&);
  void any_loop_head(code_label&, const ast::statement&);
  void turn_of_any(const ast::statement&, const value& turn, sort_id, temp_id chosen, code_label& done);
  void for_sequence(const ast::statement&, const sequence_place&, const effects&, bool is_global);
  void for_all(const ast::statement&);
  void for_all_binder(const ast::statement&, std::size_t);
  void for_all_at_once(const ast::statement&);
  void choose(const ast::statement&);
  void choose_into(variable_id, std::vector<expr_id> index, type_id, source_range, const std::string& note);
  void choose_sequence(const sequence_place&, source_range, const std::string& note,
                       const std::function<expr_id()>& prefix = {});
  void either(const ast::statement&);
  void atomic(const ast::statement&);
  void idle(const ast::statement&);
  void return_(const ast::statement&);
  void list_loop(const ast::statement&);
  void body_of_loop(const ast::statement&, code_label& next, code_label& done);

  void call(const ast::statement&);
  bool list_statement(const ast::statement&);
  bool container_statement(const ast::statement&);
  bool lock_statement(const ast::statement&);
  bool timer_statement(const ast::statement&);
  void sleep(const ast::statement&);
  void within_horizon(expr_id delay, const std::string& beyond, source_range);
  void take_lock(const ast::statement&, bool bh);
  void release_lock(const ast::statement&, bool bh);
  bool try_lock(const ast::statement&, const std::string& result);
  void count_bh(int by, source_range);
  void head(const ast::statement&);
  // list primitives on addresses
  void list_set(std::uint32_t space, bool next, expr_id at, expr_id to, source_range);
  temp_id list_get(std::uint32_t space, bool next, expr_id at, source_range);
  void list_init(std::uint32_t space, expr_id at, source_range);
  void list_insert(std::uint32_t space, expr_id node, expr_id before, expr_id after, source_range);
  void list_unlink(std::uint32_t space, expr_id node, source_range);
  void kill_head(std::uint32_t space, expr_id address);
  expr_id settled_address(const std::string& name, const expressions::node_reference&, const ast::statement&);

  using names = std::map<std::string, binding>;
  void expand(const ast::procedure_decl&, const ast::statement&);
  names bind_params(const std::vector<ast::param>&, const ast::statement&);
  binding bind_argument(const ast::param&, const ast::expr&, const ast::statement&);
  binding bind_sequence(const std::string& name, const resolved_type&, const ast::expr&, const ast::statement&);
  binding bind_scalar(const std::string& name, const value&, type_id declared, const ast::statement&);
  binding dry_binding(const ast::param&);
  void inline_body(const std::string& name, const std::optional<ast::anchor>&, names params,
                   const std::vector<ast::statement>&);
  void enter(const std::string& name, const std::optional<ast::anchor>&, names params, const std::function<void()>& body);
  std::string event_name(const std::string&) const;
  std::vector<expr_id> event_args(const std::string& event, const ast::statement&, effects&);
  void emit_event(const std::string& event, const std::vector<expr_id>&, source_range);
  void refuse_event_in_init(const ast::statement&) const;
  void notify(const ast::statement&);
  void emit_statement(const ast::statement&);
  void run_handler(const ast::handler_decl&, const std::string& event, const std::vector<expr_id>& args,
                   const ast::statement&);
  void span(const ast::statement&);
  void end_span(std::size_t, source_range);
  void perform(const ast::statement&);
  expr_id some_choice(const std::vector<const ast::param*>& open, std::size_t n, const ast::expr& requirement);
  expr_id prefix_condition(const std::vector<ast::expr>& requirement, const std::string& sequence,
                           const std::vector<std::string>& not_chosen);
  void expiry_process(const ast::process_decl&);
  friend class monitor_weaver;
};

class monitor_weaver {
 public:
  explicit monitor_weaver(shared_lowering&);
  // Checks and updates for one event, behind its `emit`.
  void weave(process_code&, std::uint32_t event, const std::vector<expr_id>& args, source_range);
  // The cells of a span start at zero; called when it begins and, so that states repeat, when it has ended.
  void reset_span(process_code&, const open_span&);
  void ghost_init(process_code&, const std::vector<const ast::ghost_init_decl*>&);
  // The variable of a cell that no span has; nothing where no statement emits an event that changes it.
  variable_id plain_cell(std::uint32_t cell) const;

 private:
  shared_lowering& shared_;
  struct environment {
    std::vector<expr_id> variables;
    std::vector<const open_span*> spans;
  };
  variable_id cell_variable(process_code&, std::uint32_t cell, const open_span*);
  std::vector<expr_id> cell_index(process_code&, std::uint32_t cell, std::vector<expr_id> keys, const open_span*);
  expr_id term(process_code&, const monitors::term&, environment&);
  expr_id match(process_code&, const monitors::pattern&, const std::vector<expr_id>& args, environment&);
  expr_id defined(expr_id, const std::set<expr_id>& given);
  void require_defined(process_code&, expr_id, const environment&, const std::vector<expr_id>& args, source_range);
  std::vector<const open_span*> spans_for(process_code&, const monitors::pattern&, bool& applies);
  void check_event(process_code&, std::uint32_t monitor, const monitors::check&, const std::vector<expr_id>& args,
                   source_range);
  type_id type(const monitors::value_type&);
  void for_each_free(process_code&, const monitors::update&, const std::function<void(const std::vector<expr_id>&)>& each);
  std::map<std::pair<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>>, variable_id>
      cells_;  // (cell, (template, level))
  std::vector<variable_id> ghosts_;
};

void reset_dead_locals(builder&, ir::process&, std::uint32_t owner);

// lower(), with `add` called when the code of all processes is there.
using addition = std::function<void(shared_lowering&, const monitor_weaver&)>;
lowered lower_with(const loaded_model&, const instance&, const std::vector<const ast::property*>&,
                   const std::vector<const ast::property*>& lemmas, const addition& add);
// The next step of a process that stands there belongs to the procedure, operation, handler or labelled statement.
bool is_inside(const ir::location&, const std::string& name);
// Is it the name of one, in this instance or another of the model?
bool is_place(const symbols&, const std::string& name);

}  // namespace quiesce::lowering
