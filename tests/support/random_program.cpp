// SPDX-License-Identifier: MIT
#include "tests/support/random_program.hpp"

#include "tests/support/ir_builder.hpp"

namespace quiesce::test {

namespace {

using namespace ir;

class generator {
 public:
  generator(const picker& pick, const program_shape& shape) : pick_(pick), shape_(shape) {}

  program run() {
    sorts_and_variables();
    for (const char* name : {"broken", "invariant", "sometimes", "errors"}) b_.property(name);
    init();
    int templates = shape_.separate ? 2 : pick_(1, 2);
    for (int t = 0; t < templates; ++t) process(t);
    if (pick_(0, 5) == 0) b_.program.processes.back().only_when_stuck = true;
    properties();
    return std::move(b_.program);
  }

 private:
  bool chance(int one_in) { return pick_(1, one_in) == 1; }

  void sorts_and_variables() {
    a_ = b_.sort("a", static_cast<std::uint32_t>(pick_(1, shape_.most_elements)));
    d_ = b_.derived_sort("d", a_, 1);
    bool_ = b_.boolean();
    int_ = b_.integer(-1, 2);
    ea_ = b_.element(a_);
    oa_ = b_.option(ea_);
    od_ = b_.option(b_.element(d_));
    sa_ = b_.set(a_);
    sd_ = b_.set(d_);
    oint_ = b_.option(int_);
    bools_ = {b_.variable("g", bool_), b_.variable("tb", bool_, {a_}), b_.variable("tt", bool_, {a_, a_})};
    ints_ = {b_.variable("i", int_), b_.variable("ti", int_, {d_})};
    options_ = {b_.variable("o", oa_), b_.variable("to", oa_, {a_})};
    sets_ = {b_.variable("s", sa_)};
    if (chance(2)) sets_.push_back(b_.variable("ts", sa_, {a_}));
    derived_ = b_.variable("od", od_, {});
    derived_set_ = b_.variable("sd", sd_, {});
    element_ = b_.variable("e", ea_);
    optional_int_ = b_.variable("oi", oint_);
    b_.program.events.push_back({"ev", {oa_, int_}});
  }

  // The scope of an expression: temps that hold elements of a.
  using temps = std::vector<temp_id>;

  expr_id an_element(const temps& t) {
    int k = pick_(0, static_cast<int>(t.size()) + (shape_.names_elements ? 1 : 0));
    if (k < static_cast<int>(t.size())) return b_.temp(t[static_cast<std::size_t>(k)], ea_);
    if (k == static_cast<int>(t.size())) return b_.load(element_);
    return b_.constant(pick_(0, static_cast<int>(b_.program.sorts[a_].element.size()) - 1), ea_);
  }

  expr_id place(variable_id v, const temps& t) {
    std::vector<expr_id> index = indices(v, t);
    return b_.load(v, std::move(index));
  }

  std::vector<expr_id> indices(variable_id v, const temps& t) {
    std::vector<sort_id> wanted = b_.program.variables[v].index;
    std::vector<expr_id> out;
    for (sort_id s : wanted) out.push_back(s == a_ ? an_element(t) : a_derived(t));
    return out;
  }

  // The fixed element of d is named freely; the others are found by choice.
  expr_id a_derived(const temps&) {
    expr_id o = b_.load(derived_);
    type_id ed = b_.program.types[od_].inner;
    return b_.apply(
        op::select, ed,
        {b_.apply(op::equal, bool_, {o, b_.constant(0, od_)}), b_.constant(0, ed), b_.apply(op::unwrap, ed, {o})});
  }

  expr_id an_option(const temps& t, int depth) {
    switch (pick_(0, depth > 0 ? 3 : 2)) {
      case 0:
        return b_.constant(0, oa_);
      case 1:
        return b_.apply(op::wrap, oa_, {an_element(t)});
      case 2:
        return place(options_[static_cast<std::size_t>(pick_(0, 1))], t);
      default:
        return b_.apply(op::select, oa_, {a_bool(t, depth - 1), an_option(t, depth - 1), an_option(t, depth - 1)});
    }
  }

  expr_id a_set(const temps& t, int depth) {
    switch (pick_(0, depth > 0 ? 4 : 2)) {
      case 0:
        return b_.constant(0, sa_);
      case 1:
        return b_.apply(op::singleton, sa_, {an_element(t)});
      case 2:
        return place(sets_[static_cast<std::size_t>(pick_(0, static_cast<int>(sets_.size()) - 1))], t);
      case 3: {
        op ops[] = {op::unite, op::intersect, op::subtract_set};
        return b_.apply(ops[pick_(0, 2)], sa_, {a_set(t, depth - 1), a_set(t, depth - 1)});
      }
      default:
        return bound(op::collect, sa_, t, depth);
    }
  }

  expr_id bound(op c, type_id type, const temps& t, int depth) {
    auto id = static_cast<temp_id>(10 + depth);
    temps inner = t;
    inner.push_back(id);
    return b_.over(c, type, a_, id, a_bool(inner, depth - 1));
  }

  expr_id an_int(const temps& t, int depth) {
    switch (pick_(0, depth > 0 ? 6 : 1)) {
      case 0:
        return b_.constant(pick_(-1, 2), int_);
      case 1:
        return place(ints_[static_cast<std::size_t>(pick_(0, 1))], t);
      case 2: {
        op ops[] = {op::add, op::subtract, op::multiply, op::minimum, op::maximum};
        return b_.apply(ops[pick_(0, 4)], int_, {an_int(t, depth - 1), an_int(t, depth - 1)});
      }
      case 3:
        return bound(op::count, int_, t, depth);
      case 4:
        return b_.apply(op::cardinality, int_, {a_set(t, depth - 1)});
      case 5:
        return b_.apply(op::negate, int_, {an_int(t, depth - 1)});
      default: {
        expr_id o = b_.load(optional_int_);
        expr_id none = b_.apply(op::equal, bool_, {o, b_.constant(0, oint_)});
        return b_.apply(op::select, int_, {none, an_int(t, depth - 1), b_.apply(op::unwrap, int_, {o})});
      }
    }
  }

  expr_id clamped(expr_id i) {
    expr_id low = b_.constant(-1, int_), high = b_.constant(2, int_);
    return b_.apply(op::minimum, int_, {high, b_.apply(op::maximum, int_, {low, i})});
  }

  expr_id a_bool(const temps& t, int depth) {
    if (depth <= 0) return place(bools_[static_cast<std::size_t>(pick_(0, 2))], t);
    switch (pick_(0, 8)) {
      case 0:
        return place(bools_[static_cast<std::size_t>(pick_(0, 2))], t);
      case 1:
        return b_.apply(op::not_, bool_, {a_bool(t, depth - 1)});
      case 2: {
        op ops[] = {op::and_, op::or_, op::implies};
        return b_.apply(ops[pick_(0, 2)], bool_, {a_bool(t, depth - 1), a_bool(t, depth - 1)});
      }
      case 3: {
        op ops[] = {op::equal, op::not_equal, op::less, op::less_equal};
        return b_.apply(ops[pick_(0, 3)], bool_, {an_int(t, depth - 1), an_int(t, depth - 1)});
      }
      case 4:
        return b_.apply(chance(2) ? op::equal : op::not_equal, bool_, {an_element(t), an_element(t)});
      case 5:
        return b_.apply(chance(2) ? op::equal : op::not_equal, bool_, {an_option(t, depth - 1), an_option(t, depth - 1)});
      case 6:
        return b_.apply(op::contains, bool_, {a_set(t, depth - 1), an_element(t)});
      case 7:
        return bound(chance(2) ? op::all : op::some, bool_, t, depth);
      default:
        return b_.apply(op::contains, bool_, {b_.load(derived_set_), a_derived(t)});
    }
  }

  instruction assignment(const temps& t) {
    switch (pick_(0, 7)) {
      case 0: {
        variable_id v = bools_[static_cast<std::size_t>(pick_(0, 2))];
        return ir_builder::set(v, indices(v, t), a_bool(t, 2));
      }
      case 1: {
        variable_id v = ints_[static_cast<std::size_t>(pick_(0, 1))];
        return ir_builder::set(v, indices(v, t), chance(8) ? an_int(t, 2) : clamped(an_int(t, 2)));
      }
      case 2: {
        variable_id v = options_[static_cast<std::size_t>(pick_(0, 1))];
        return ir_builder::set(v, indices(v, t), an_option(t, 1));
      }
      case 3: {
        variable_id v = sets_[static_cast<std::size_t>(pick_(0, static_cast<int>(sets_.size()) - 1))];
        return ir_builder::set(v, indices(v, t), a_set(t, 1));
      }
      case 4:
        return ir_builder::set(element_, {}, an_element(t));
      case 5:
        return ir_builder::set(derived_set_, {},
                               b_.apply(chance(2) ? op::unite : op::subtract_set, sd_,
                                        {b_.load(derived_set_), b_.apply(op::singleton, sd_, {a_derived(t)})}));
      case 6:
        return ir_builder::set(optional_int_, {}, b_.apply(op::wrap, oint_, {clamped(an_int(t, 1))}));
      default:
        return ir_builder::set(derived_, {}, b_.constant(0, od_));
    }
  }

  // Choices first, so that each temp holds an element wherever it is read; then anything, with jumps forward only.
  std::vector<instruction> step(bool instance, std::uint32_t locations) {
    std::vector<instruction> out;
    temps t;
    if (instance) t.push_back(0);
    if (chance(2)) {
      out.push_back(ir_builder::choose(1, a_));
      t.push_back(1);
    }
    if (chance(5)) {
      out.push_back(ir_builder::choose(2, d_));
      out.push_back(ir_builder::set(derived_, {}, b_.apply(op::wrap, od_, {b_.temp(2, b_.program.types[od_].inner)})));
    }
    if (chance(4)) out.push_back(ir_builder::await(a_bool(t, 2)));
    int n = pick_(1, 4);
    std::vector<std::size_t> jumps;
    for (int k = 0; k < n; ++k) one(out, t, jumps);
    if (chance(4)) {
      out.push_back(ir_builder::jump_if(a_bool(t, 1), 0));
      jumps.push_back(out.size() - 1);
      out.push_back(ir_builder::stop(static_cast<std::uint32_t>(pick_(0, static_cast<int>(locations) - 1))));
    }
    auto end = static_cast<std::uint32_t>(out.size());
    for (std::size_t j : jumps)
      out[j].target = static_cast<std::uint32_t>(pick_(static_cast<int>(j) + 1, static_cast<int>(end)));
    out.push_back(last(locations));
    return out;
  }

  instruction last(std::uint32_t locations) {
    switch (pick_(0, 30)) {
      case 0:
        return ir_builder::other(operation::error, static_cast<std::uint32_t>(pick_(1, 3)));
      case 1:
        return ir_builder::other(operation::bound, static_cast<std::uint32_t>(pick_(0, 2)));
      case 2:
        return ir_builder::other(operation::stuck);
      default:
        return ir_builder::stop(static_cast<std::uint32_t>(pick_(0, static_cast<int>(locations) - 1)));
    }
  }

  void one(std::vector<instruction>& out, const temps& t, std::vector<std::size_t>& jumps) {
    switch (pick_(0, 9)) {
      case 0:
        out.push_back(ir_builder::jump_if(a_bool(t, 1), 0));
        jumps.push_back(out.size() - 1);
        break;
      case 1:
        out.push_back(ir_builder::choose(3, nothing, static_cast<std::uint32_t>(pick_(1, 2))));
        break;
      case 2:
        out.push_back(ir_builder::other(chance(2) ? operation::violate : operation::mark, chance(2) ? 0 : 2));
        break;
      case 3:
        out.push_back(ir_builder::emit(0, {an_option(t, 1), an_int(t, 0)}));
        break;
      case 4:
        if (chance(4)) {
          out.push_back(ir_builder::await(a_bool(t, 2)));
          break;
        }
        [[fallthrough]];
      default:
        out.push_back(assignment(t));
    }
  }

  void init() {
    program& p = b_.program;
    p.init_temps = 20;
    p.init.push_back(ir_builder::choose(1, a_));
    if (!shape_.names_elements || chance(2)) p.init.push_back(ir_builder::set(element_, {}, b_.temp(1, ea_)));
    int n = pick_(0, 2);
    for (int k = 0; k < n; ++k) {
      instruction i = assignment({1});
      p.init.push_back(std::move(i));
    }
    if (chance(3)) {
      instruction i = ir_builder::await(a_bool({1}, 2));
      p.init.push_back(std::move(i));
    }
    p.init.push_back(ir_builder::stop(0));
  }

  // What only one process touches, and the value that says that it holds the lock.
  struct own_things {
    variable_id number = 0, flag = 0, guarded = 0;
    std::vector<expr_id> index;
    expr_id self = 0;
  };

  void make_own_things(std::uint32_t q, bool over) {
    const std::vector<sort_id> index = over ? std::vector<sort_id>{a_} : std::vector<sort_id>{};
    const std::string name = b_.program.processes[q].name;
    if (q == 0) {
      const auto most = static_cast<std::int64_t>(2 * b_.program.sorts[a_].element.size());
      lock_type_ = b_.integer(0, most);
      lock_ = b_.variable("lock", lock_type_);
      guarded_ = b_.variable("guarded", int_);
    }
    own_ = {b_.variable(name + ".number", int_, index, chance(2) ? variable_kind::local : variable_kind::global),
            b_.variable(name + ".flag", bool_, index, variable_kind::local),
            guarded_,
            {},
            0};
    for (variable_id v : {own_.number, own_.flag}) b_.program.variables[v].owner = q;
    if (over) own_.index.push_back(b_.temp(0, ea_));
    const auto first = static_cast<std::int64_t>(1 + q * b_.program.sorts[a_].element.size());
    own_.self = b_.constant(first, lock_type_);
    if (over) own_.self = b_.apply(op::add, lock_type_, {own_.self, b_.temp(0, ea_)});
    numbers_.push_back(own_.number);
  }

  expr_id own_condition() {
    expr_id number = b_.load(own_.number, own_.index), flag = b_.load(own_.flag, own_.index);
    return chance(2) ? flag : b_.apply(op::less, bool_, {number, b_.constant(pick_(-1, 2), int_)});
  }

  instruction own_assignment() {
    expr_id number = b_.load(own_.number, own_.index);
    if (chance(3)) return ir_builder::set(own_.flag, own_.index, b_.apply(op::not_, bool_, {own_condition()}));
    if (chance(4)) return ir_builder::set(own_.number, own_.index, b_.load(own_.guarded));
    expr_id more = b_.apply(op::add, int_, {number, b_.constant(pick_(-1, 1), int_)});
    return ir_builder::set(own_.number, own_.index, chance(12) ? more : clamped(more));
  }

  // Touches nothing that others touch, takes the lock, or touches what it guards. Others than the holder may, too.
  std::vector<instruction> separate_step(std::uint32_t locations, std::uint32_t next) {
    std::vector<instruction> out;
    const expr_id held = b_.load(lock_);
    const auto stop = [&] {
      return ir_builder::stop(static_cast<std::uint32_t>(pick_(0, static_cast<int>(locations) - 1)));
    };
    switch (pick_(0, 9)) {
      case 0:
        out = {ir_builder::await(b_.apply(op::equal, bool_, {held, b_.constant(0, lock_type_)})),
               ir_builder::set(lock_, {}, own_.self)};
        break;
      case 1:
        out = {ir_builder::await(b_.apply(op::equal, bool_, {held, own_.self})),
               ir_builder::set(lock_, {}, b_.constant(0, lock_type_))};
        break;
      case 2:
        if (!chance(8)) out.push_back(ir_builder::await(b_.apply(op::equal, bool_, {held, own_.self})));
        out.push_back(ir_builder::set(own_.guarded, {}, clamped(b_.load(own_.number, own_.index))));
        break;
      case 3:  // judged by what others left there
        out = {ir_builder::jump_if(chance(3)
                                       ? b_.apply(op::less, bool_, {b_.load(own_.guarded), b_.constant(pick_(0, 2), int_)})
                                       : numbers_are_small(),
                                   2),
               ir_builder::other(operation::violate, b_.property("seen" + std::to_string(b_.program.properties.size())))};
        break;
      default:
        if (chance(4)) out.push_back(ir_builder::choose(3, nothing, 2));
        if (chance(6)) out.push_back(ir_builder::await(own_condition()));
        out.push_back(own_assignment());
        if (chance(6)) out.push_back(ir_builder::other(chance(2) ? operation::violate : operation::mark, chance(2) ? 0 : 2));
        if (chance(6)) {
          out.push_back(ir_builder::jump_if(own_condition(), static_cast<std::uint32_t>(out.size() + 2)));
          const std::string name = "own" + std::to_string(b_.program.properties.size());
          out.push_back(ir_builder::other(operation::violate, b_.property(name)));
        }
        if (chance(3)) {
          out.push_back(ir_builder::jump_if(own_condition(), static_cast<std::uint32_t>(out.size() + 2)));
          out.push_back(stop());
        }
    }
    out.push_back(chance(4) ? last(locations) : ir_builder::stop(next % locations));
    return out;
  }

  void process(int number) {
    bool over = chance(2);
    std::uint32_t q = b_.process(std::string(1, static_cast<char>('p' + number)), over ? a_ : nothing);
    if (shape_.separate) make_own_things(q, over);
    b_.program.processes[q].temps = 20;
    int n = shape_.separate ? pick_(2, 6) : pick_(1, 4);
    bool ends = chance(2);
    auto locations = static_cast<std::uint32_t>(n + (ends ? 1 : 0));
    for (int k = 0; k < n; ++k) {
      std::vector<instruction> code = shape_.separate && !chance(12)
                                          ? separate_step(locations, static_cast<std::uint32_t>(k + 1))
                                          : step(over, locations);
      b_.location(q, code, chance(4));
    }
    if (ends) b_.end_location(q);
    b_.finish_process(q);
  }

  expr_id numbers_are_small() {
    const variable_id v = numbers_[static_cast<std::size_t>(pick_(0, static_cast<int>(numbers_.size()) - 1))];
    const expr_id most = b_.constant(pick_(0, 2), int_);
    if (b_.program.variables[v].index.empty()) return b_.apply(op::less_equal, bool_, {b_.load(v), most});
    return b_.over(op::all, bool_, a_, 10, b_.apply(op::less_equal, bool_, {b_.load(v, {b_.temp(10, ea_)}), most}));
  }

  void properties() {
    b_.program.invariant_temps = 20;
    expr_id i = numbers_.empty() || !chance(3) ? a_bool({}, 3) : numbers_are_small();
    b_.program.properties[1].invariant = i;
    b_.program.properties[2].sometimes = true;
    if (chance(2)) {
      expr_id j = a_bool({}, 2);
      b_.program.properties[2].invariant = j;
    }
    b_.program.properties[0].has_trigger = true;
    b_.program.properties[3].errors = {error_kind::range, error_kind::assertion, error_kind::list_corruption};
  }

  const picker& pick_;
  const program_shape shape_;
  ir_builder b_;
  sort_id a_ = 0, d_ = 0;
  type_id bool_ = 0, int_ = 0, ea_ = 0, oa_ = 0, od_ = 0, sa_ = 0, sd_ = 0, oint_ = 0;
  std::vector<variable_id> bools_, ints_, options_, sets_;
  own_things own_;
  std::vector<variable_id> numbers_;
  variable_id lock_ = 0, guarded_ = 0;
  type_id lock_type_ = 0;
  variable_id derived_ = 0, derived_set_ = 0, element_ = 0, optional_int_ = 0;
};

}  // namespace

program random_program(const picker& pick, const program_shape& shape) { return generator(pick, shape).run(); }

}  // namespace quiesce::test
