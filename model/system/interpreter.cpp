// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "model/system/bytecode.hpp"
#include "model/system/failed_store.hpp"
#include "model/system/single.hpp"
#include "model/system/system.hpp"
#include "model/system/validate.hpp"
#include "properties/diagnostic.hpp"

namespace quiesce {

namespace {

using namespace bytecode;

constexpr std::uint32_t most_backward_jumps = 1u << 20;  // in one path of one step

struct interpreted_system final : transition_system {
  explicit interpreted_system(ir::program p) : program_(checked(std::move(p))), layout_(program_) {
    fast_ = compile(program_, layout_, false);
    recording_ = compile(program_, layout_, true);
  }
  static ir::program checked(ir::program p) {
    validate(p);
    return p;
  }
  const ir::program& program() const override { return program_; }
  const layout& state_layout() const override { return layout_; }
  std::unique_ptr<stepper> make_stepper() const override;

  ir::program program_;
  layout layout_;
  image fast_, recording_;
};

// One run of a routine over all its choices.
class machine {
 public:
  machine(const interpreted_system& s, const image& i, bool record)
      : system_(s),
        image_(i),
        record_(record),
        words_(s.layout_.words()),
        state_(words_),
        registers_(i.temps + scratch_registers + i.constants.size()) {
    std::copy(i.constants.begin(), i.constants.end(), registers_.begin() + i.temps + scratch_registers);
  }

  struct result {
    step_outcome outcome = step_outcome::state;
    bool exists = false;
    std::uint8_t kind = 0;
    std::uint32_t at = 0;       // instruction of the routine
    std::int64_t location = 0;  // stop
  };

  // Calls visit(result) for each path, in ascending order of choices; state() etc. are valid in it.
  template <class visitor>
  void paths(const routine& code, std::uint32_t entry, const word* from, std::int64_t instance,
             const std::vector<ir::instruction>* source, visitor&& visit) {
    if (from)
      std::memcpy(state_.data(), from, words_ * sizeof(word));
    else
      std::fill(state_.begin(), state_.end(), 0);
    std::fill_n(registers_.begin(), image_.temps, 0);
    registers_[0] = instance;
    violated_ = marked_ = 0;
    backward_ = 0;
    depth_ = 0;
    record_out_.events.clear();
    record_out_.choices.clear();
    source_ = source;
    std::uint32_t pc = entry;
    for (;;) {
      result r = run(code, pc);
      if (r.exists) visit(r);
      if (!resume(code, pc)) return;
    }
  }

  // Of property number `of`.
  bool condition(const routine& code, const word* from, std::uint32_t of) {
    const word* saved = read_;
    read_ = from;
    source_ = nullptr;
    judged_ = of;
    result r = run(code, 0);
    read_ = saved;
    return r.location != 0;
  }

  word* state() { return state_.data(); }
  std::uint64_t violated() const { return violated_; }
  std::uint64_t marked() const { return marked_; }
  const step_record& record() const { return record_out_; }
  const failed_store& failed() const { return failed_; }

 private:
  // What is to be restored where the next value of a choice is tried.
  struct choice_point {
    std::uint32_t pc = 0;    // of the choose
    std::int64_t value = 0;  // place among its values of the one taken last
    std::uint64_t violated = 0, marked = 0;
    std::uint32_t backward = 0;
    std::size_t events = 0, choices = 0;
  };

  void remember(std::uint32_t pc) {
    if (depth_ == points_.size()) {
      points_.emplace_back();
      saved_state_.resize(points_.size() * words_);
      saved_temps_.resize(points_.size() * image_.temps);
    }
    points_[depth_] = {pc, 0, violated_, marked_, backward_, record_out_.events.size(), record_out_.choices.size()};
    std::memcpy(&saved_state_[depth_ * words_], state_.data(), words_ * sizeof(word));
    std::memcpy(&saved_temps_[depth_ * image_.temps], registers_.data(), image_.temps * sizeof(std::int64_t));
    ++depth_;
  }

  // Restores the innermost choice that has another value; false: none has.
  bool resume(const routine& code, std::uint32_t& pc) {
    if (depth_ == 0) return false;
    choice_point& c = points_[depth_ - 1];
    const bytecode::code& choose = code.text[c.pc];
    ++c.value;
    std::memcpy(state_.data(), &saved_state_[(depth_ - 1) * words_], words_ * sizeof(word));
    std::memcpy(registers_.data(), &saved_temps_[(depth_ - 1) * image_.temps], image_.temps * sizeof(std::int64_t));
    violated_ = c.violated;
    marked_ = c.marked;
    backward_ = c.backward;
    registers_[choose.dst] = chosen(choose, c.value);
    if (record_) {
      record_out_.events.resize(c.events);
      record_out_.choices.resize(c.choices);
      note_choice(code, c.pc, registers_[choose.dst]);
    }
    pc = c.pc + 1;
    if (c.value + 1 == choose.imm) --depth_;
    return true;
  }

  std::int64_t chosen(const bytecode::code& choose, std::int64_t place) const {
    return choose.a == 0 ? place : image_.choices[choose.a - 1u][static_cast<std::size_t>(place)];
  }

  void note_choice(const routine& code, std::uint32_t pc, std::int64_t value) {
    const ir::instruction& i = (*source_)[code.source[pc]];
    record_out_.choices.push_back({i.note, i.sort, value});
  }

  [[noreturn]] void out_of_range(const routine& code, const bytecode::code* at, std::int64_t value) const {
    std::string where;
    if (source_) where = " in instruction " + std::to_string(code.source[static_cast<std::size_t>(at - code.text.data())]);
    throw std::logic_error("index " + std::to_string(value) + " out of range" + where);
  }
  [[noreturn]] void overflow(const routine& code, const bytecode::code* at) const {
    if (source_)
      throw diagnostic((*source_)[code.source[static_cast<std::size_t>(at - code.text.data())]].where,
                       "an integer expression in this statement exceeds 64 bits");
    throw diagnostic("an integer expression of property '" + system_.program_.properties[judged_].name +
                     "' exceeds 64 bits");
  }
  [[noreturn]] void endless(const routine& code, std::uint32_t pc) const {
    throw diagnostic((*source_)[code.source[pc]].where, "this step does not end: a loop without a step in it");
  }

  // Which element of the variable that is set is kept in this slot.
  std::uint64_t element_at(const routine& code, std::uint32_t pc, const slot& place) const {
    if (!record_ || place.bits == 0) return failed_store::not_told;
    const slot* slots = system_.layout_.slots().data();
    const ir::variable& v = system_.program_.variables[(*source_)[code.source[pc]].var];
    for (std::uint64_t e = 0; e < ir::element_count(system_.program_, v); ++e)
      if (const slot& s = slots[v.first_slot + e]; s.index == place.index && s.shift == place.shift) return e;
    return failed_store::not_told;
  }

  result run(const routine& code, std::uint32_t pc);

  const interpreted_system& system_;
  const image& image_;
  const bool record_;
  const std::size_t words_;
  std::vector<word> state_;
  const word* read_ = nullptr;  // invariants read a state in place
  std::vector<std::int64_t> registers_;
  std::uint64_t violated_ = 0, marked_ = 0;
  std::uint32_t backward_ = 0;
  const std::vector<ir::instruction>* source_ = nullptr;
  std::uint32_t judged_ = 0;  // where there is no source: the property whose invariant is evaluated
  step_record record_out_;
  failed_store failed_;  // after a range error of a store
  std::size_t depth_ = 0;
  std::vector<choice_point> points_;
  std::vector<word> saved_state_;
  std::vector<std::int64_t> saved_temps_;
};

// One path from `pc` to its end. One `switch` for the whole instruction set: the only long function here.
machine::result machine::run(const routine& code, std::uint32_t start) {
  const bytecode::code* text = code.text.data();
  const bytecode::code* c = text + start;
  std::int64_t* r = registers_.data();
  word* state = state_.data();
  const word* read = read_ ? read_ : state;
  const slot* slots = system_.layout_.slots().data();
  auto index_of = [&] { return static_cast<std::uint32_t>(c - text); };
  auto fail_range = [&](std::int64_t v) { out_of_range(code, c, v); };
  for (;; ++c) {
    switch (c->op) {
      case opcode::load: {
        unsigned width = c->b >> 6;
        word v = read[c->a] >> (c->b & 63);
        if (width < 64) v &= (word{1} << width) - 1;
        r[c->dst] = static_cast<std::int64_t>(v) + c->imm;
        break;
      }
      case opcode::load_table: {
        const target& t = image_.tables[static_cast<std::size_t>(c->imm)];
        if (static_cast<std::uint64_t>(r[c->a]) >= t.count) fail_range(r[c->a]);
        r[c->dst] = static_cast<std::int64_t>(get(read, slots[t.first_slot + static_cast<std::uint64_t>(r[c->a])])) + t.low;
        break;
      }
      case opcode::flatten: {
        auto size_a = static_cast<std::uint64_t>(c->imm) >> 32, size_b = static_cast<std::uint64_t>(c->imm) & 0xffffffffu;
        if (static_cast<std::uint64_t>(r[c->a]) >= size_a) fail_range(r[c->a]);
        if (static_cast<std::uint64_t>(r[c->b]) >= size_b) fail_range(r[c->b]);
        r[c->dst] = r[c->a] * static_cast<std::int64_t>(size_b) + r[c->b];
        break;
      }
      case opcode::move:
        r[c->dst] = r[c->a];
        break;
      case opcode::negate:
        if (__builtin_sub_overflow(std::int64_t{0}, r[c->a], &r[c->dst])) overflow(code, c);
        break;
      case opcode::not_:
        r[c->dst] = r[c->a] == 0;
        break;
      case opcode::add:
        if (__builtin_add_overflow(r[c->a], r[c->b], &r[c->dst])) overflow(code, c);
        break;
      case opcode::subtract:
        if (__builtin_sub_overflow(r[c->a], r[c->b], &r[c->dst])) overflow(code, c);
        break;
      case opcode::multiply:
        if (__builtin_mul_overflow(r[c->a], r[c->b], &r[c->dst])) overflow(code, c);
        break;
      case opcode::divide:
        r[c->dst] = r[c->b] > 0 ? r[c->a] / r[c->b] : 0;
        break;
      case opcode::minimum:
        r[c->dst] = std::min(r[c->a], r[c->b]);
        break;
      case opcode::maximum:
        r[c->dst] = std::max(r[c->a], r[c->b]);
        break;
      case opcode::add_constant:
        if (__builtin_add_overflow(r[c->a], c->imm, &r[c->dst])) overflow(code, c);
        break;
      case opcode::equal:
        r[c->dst] = r[c->a] == r[c->b];
        break;
      case opcode::not_equal:
        r[c->dst] = r[c->a] != r[c->b];
        break;
      case opcode::less:
        r[c->dst] = r[c->a] < r[c->b];
        break;
      case opcode::less_equal:
        r[c->dst] = r[c->a] <= r[c->b];
        break;
      case opcode::contains:
        if (static_cast<std::uint64_t>(r[c->b]) >= 64) fail_range(r[c->b]);
        r[c->dst] = (static_cast<word>(r[c->a]) >> r[c->b]) & 1;
        break;
      case opcode::singleton:
        if (static_cast<std::uint64_t>(r[c->a]) >= 64) fail_range(r[c->a]);
        r[c->dst] = static_cast<std::int64_t>(word{1} << r[c->a]);
        break;
      case opcode::unite:
        r[c->dst] = r[c->a] | r[c->b];
        break;
      case opcode::intersect:
        r[c->dst] = r[c->a] & r[c->b];
        break;
      case opcode::subtract_set:
        r[c->dst] = r[c->a] & ~r[c->b];
        break;
      case opcode::cardinality:
        r[c->dst] = std::popcount(static_cast<word>(r[c->a]));
        break;
      case opcode::wrap: {
        const wrapped& w = image_.wraps[static_cast<std::size_t>(c->imm)];
        word v = static_cast<word>(r[c->a]) - static_cast<word>(w.low);
        r[c->dst] = v <= w.max_code ? static_cast<std::int64_t>(v + 1) : -1;
        break;
      }
      case opcode::jump:
        c = text + c->imm - 1;
        break;
      case opcode::jump_true:
        if (r[c->a] != 0) c = text + c->imm - 1;
        break;
      case opcode::jump_false:
        if (r[c->a] == 0) c = text + c->imm - 1;
        break;
      case opcode::jump_equal:
        if (r[c->a] == r[c->b]) c = text + c->imm - 1;
        break;
      case opcode::jump_not_equal:
        if (r[c->a] != r[c->b]) c = text + c->imm - 1;
        break;
      case opcode::jump_less:
        if (r[c->a] < r[c->b]) c = text + c->imm - 1;
        break;
      case opcode::jump_less_equal:
        if (r[c->a] <= r[c->b]) c = text + c->imm - 1;
        break;
      case opcode::next:
        if (++r[c->dst] < c->b) c = text + c->imm - 1;
        break;
      case opcode::backward:
        if (++backward_ > most_backward_jumps) endless(code, index_of());
        break;
      case opcode::store: {
        const field& f = image_.fields[static_cast<std::size_t>(c->imm)];
        word v = static_cast<word>(r[c->a]) - static_cast<word>(f.low);
        if (v > f.max_code) {
          failed_ = {r[c->a], element_at(code, index_of(), f.at)};
          return {step_outcome::error, true, static_cast<std::uint8_t>(ir::error_kind::range), code.source[index_of()], 0};
        }
        put(state, f.at, v);
        break;
      }
      case opcode::store_table: {
        const target& t = image_.tables[static_cast<std::size_t>(c->imm)];
        if (static_cast<std::uint64_t>(r[c->b]) >= t.count) fail_range(r[c->b]);
        word v = static_cast<word>(r[c->a]) - static_cast<word>(t.low);
        if (v > t.max_code) {
          failed_ = {r[c->a], static_cast<std::uint64_t>(r[c->b])};
          return {step_outcome::error, true, static_cast<std::uint8_t>(ir::error_kind::range), code.source[index_of()], 0};
        }
        put(state, slots[t.first_slot + static_cast<std::uint64_t>(r[c->b])], v);
        break;
      }
      case opcode::blocked:
        return {};
      case opcode::choose:
        if (c->imm == 0) return {};
        if (c->imm > 1) remember(index_of());
        r[c->dst] = chosen(*c, 0);
        if (record_) note_choice(code, index_of(), r[c->dst]);
        break;
      case opcode::emit: {
        const argument_list& list = image_.emits[static_cast<std::size_t>(c->imm)];
        recorded_event e{list.event, {}};
        for (std::uint16_t reg : list.registers) e.args.push_back(r[reg]);
        record_out_.events.push_back(std::move(e));
        break;
      }
      case opcode::violate:
        violated_ |= static_cast<std::uint64_t>(c->imm);
        break;
      case opcode::mark:
        marked_ |= static_cast<std::uint64_t>(c->imm);
        break;
      case opcode::error:
        return {step_outcome::error, true, static_cast<std::uint8_t>(c->imm), code.source[index_of()], 0};
      case opcode::bound:
        return {step_outcome::bound, true, static_cast<std::uint8_t>(c->imm), code.source[index_of()], 0};
      case opcode::stuck:
        return {step_outcome::stuck, true, 0, code.source[index_of()], 0};
      case opcode::stop:
        return {step_outcome::state, true, 0, code.source[index_of()], c->imm};
    }
  }
}

class interpreter final : public stepper, public single_stepper, public failed_store_teller {
 public:
  explicit interpreter(const interpreted_system& s)
      : system_(s), fast_(s, s.fast_, false), recording_(s, s.recording_, true) {}

  void initial(const step_visitor& visit) override {
    start(fast_, system_.fast_, [&](const step& s, const step_record&) { visit(s); });
  }
  void initial_recorded(const record_visitor& visit) override { start(recording_, system_.recording_, visit); }
  void successors(const word* state, const step_visitor& visit) override {
    all(fast_, system_.fast_, state, [&](const step& s, const step_record&) { visit(s); });
  }
  void successors_recorded(const word* state, const record_visitor& visit) override {
    all(recording_, system_.recording_, state, visit);
  }

  std::uint64_t failing_invariants(const word* state) override {
    std::uint64_t out = 0;
    for (const image::invariant& i : system_.fast_.invariants)
      if (fast_.condition(i.code, state, i.property) == i.sometimes) out |= std::uint64_t{1} << i.property;
    return out;
  }

  bool resting(const word* state) override {
    for (const ir::process& q : system_.program_.processes)
      for (std::uint32_t k = 0; k < instances(q); ++k) {
        const ir::location& l = q.locations[location_of(q, state, k)];
        if (!l.resting && !l.ended) return false;
      }
    return true;
  }

  std::uint32_t words_of_state() const override { return system_.layout_.words(); }
  failed_store last_failed_store() const override { return recording_.failed(); }

  result steps_of(const word* state, std::uint32_t process, std::uint32_t instance, std::uint32_t parent,
                  successor_buffer& b) override {
    struct enough {};
    try {
      steps_of_one(fast_, system_.fast_, state, process, instance, [&](const step& x, const step_record&) {
        if (put_step(b, x, parent, words_of_state())) throw enough{};
      });
    } catch (const enough&) {
      return result::stopped;
    }
    return result::done;
  }

 private:
  std::uint32_t instances(const ir::process& q) const {
    return q.over == ir::nothing ? 1 : static_cast<std::uint32_t>(system_.program_.sorts[q.over].element.size());
  }

  std::size_t location_of(const ir::process& q, const word* state, std::uint32_t instance) const {
    if (q.pc == ir::nothing) return 0;
    std::size_t at = get(state, system_.layout_.slots()[system_.program_.variables[q.pc].first_slot + instance]);
    if (at >= q.locations.size()) throw std::logic_error("program counter of " + q.name + " out of range");
    return at;
  }

  template <class visitor>
  void start(machine& m, const image& code, const visitor& visit) {
    const std::vector<ir::instruction>& source = system_.program_.init;
    m.paths(code.init, code.init.entry[0], nullptr, 0, &source,
            [&](const machine::result& r) { visit(describe(m, r, ir::nothing, 0, source), m.record()); });
  }

  template <class visitor>
  void all(machine& m, const image& code, const word* state, const visitor& visit) {
    bool any = false, late = false;
    const auto& processes = system_.program_.processes;
    for (std::uint32_t p = 0; p < processes.size(); ++p) {
      if (processes[p].only_when_stuck)
        late = true;
      else
        any = steps_of(m, code, state, p, visit) || any;
    }
    if (!late || any) return;
    for (std::uint32_t p = 0; p < processes.size(); ++p)
      if (processes[p].only_when_stuck) steps_of(m, code, state, p, visit);
  }

  template <class visitor>
  bool steps_of(machine& m, const image& code, const word* state, std::uint32_t p, const visitor& visit) {
    const std::uint32_t n = instances(system_.program_.processes[p]);
    bool any = false;
    for (std::uint32_t k = 0; k < n; ++k) any = steps_of_one(m, code, state, p, k, visit) || any;
    return any;
  }

  template <class visitor>
  bool steps_of_one(machine& m, const image& code, const word* state, std::uint32_t p, std::uint32_t k,
                    const visitor& visit) {
    const ir::process& q = system_.program_.processes[p];
    const image::process_code& routines = code.processes[p];
    const ir::location& l = q.locations[location_of(q, state, k)];
    if (l.ended) return false;
    const routine& text = routines.by_instance.size() == 1 ? routines.by_instance[0] : routines.by_instance[k];
    bool any = false;
    m.paths(text, text.entry[l.entry], state, k, &q.code, [&](const machine::result& r) {
      any = true;
      if (r.outcome == step_outcome::state && q.pc != ir::nothing)
        put(m.state(), system_.layout_.slots()[system_.program_.variables[q.pc].first_slot + k],
            static_cast<word>(r.location));
      visit(describe(m, r, p, k, q.code), m.record());
    });
    return any;
  }

  static step describe(machine& m, const machine::result& r, std::uint32_t process, std::uint32_t instance,
                       const std::vector<ir::instruction>& source) {
    step s;
    s.state = m.state();
    s.outcome = r.outcome;
    s.kind = r.kind;
    s.process = process;
    s.instance = instance;
    s.violated = m.violated();
    s.marked = m.marked();
    if (r.outcome != step_outcome::state) s.at = &source[r.at];
    return s;
  }

  const interpreted_system& system_;
  machine fast_, recording_;
};

std::unique_ptr<stepper> interpreted_system::make_stepper() const { return std::make_unique<interpreter>(*this); }

}  // namespace

std::unique_ptr<transition_system> make_interpreter(ir::program p) {
  return std::make_unique<interpreted_system>(std::move(p));
}

}  // namespace quiesce
