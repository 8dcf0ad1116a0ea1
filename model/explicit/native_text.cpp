// SPDX-License-Identifier: MIT
#include "model/explicit/native_text.hpp"

#include <fmt/format.h>

#include <set>

#include "model/explicit/dead_locals.hpp"
#include "model/explicit/native_expression.hpp"

namespace quiesce {

namespace {

using namespace ir;

constexpr std::size_t most_text = std::size_t{3} << 20;
constexpr std::uint32_t most_choices = 24;  // nested in one path; beyond, the interpreter does the state

const char* const head = R"(typedef unsigned long u64; typedef long i64; typedef unsigned u32; typedef unsigned char u8;
struct special_step { u32 parent; u8 outcome, kind; u64 violated, marked; };
struct successor_buffer {
  u64* words; u32* parents; u32 count, capacity;
  u64* special_words; special_step* specials; u32 special_count, special_capacity;
  u64 violated_mask, marked_mask, marked, transitions;
  u32 (*flush)(successor_buffer*); void* owner;
};
#define ADD(a, b) ({ i64 r_; if (__builtin_add_overflow((i64)(a), (i64)(b), &r_)) goto fault; r_; })
#define SUB(a, b) ({ i64 r_; if (__builtin_sub_overflow((i64)(a), (i64)(b), &r_)) goto fault; r_; })
#define MUL(a, b) ({ i64 r_; if (__builtin_mul_overflow((i64)(a), (i64)(b), &r_)) goto fault; r_; })
#define DIV(a, b) ({ const i64 q_[2] = {(a), (b)}; q_[1] > 0 ? q_[0] / q_[1] : 0L; })
#define LEAST(a, b) ({ const i64 q_[2] = {(a), (b)}; q_[1] < q_[0] ? q_[1] : q_[0]; })
#define MOST(a, b) ({ const i64 q_[2] = {(a), (b)}; q_[0] < q_[1] ? q_[1] : q_[0]; })
#define ONE(a) ({ const u64 q_ = (a); if (q_ >= 64) goto fault; (i64)(1ul << q_); })
#define HAS(a, b) ({ const u64 q_[2] = {(u64)(a), (u64)(b)}; if (q_[1] >= 64) goto fault; (i64)(q_[0] >> q_[1] & 1); })
#define WRAP(a, low, max) ({ const u64 q_ = (u64)(a) - (u64)(low); q_ <= (max) ? (i64)(q_ + 1) : -1L; })
static u32 special(successor_buffer* b, u32 parent, u8 outcome, u8 kind, u64 violated, u64 marked, const u64* n) {
  u64* to = b->special_words + (u64)b->special_count * W;
  for (u32 i = 0; i < W; ++i) to[i] = n[i];
  special_step* x = b->specials + b->special_count;
  x->parent = parent; x->outcome = outcome; x->kind = kind; x->violated = violated; x->marked = marked;
  return ++b->special_count == b->special_capacity ? b->flush(b) : 0;
}
)";

bool writes_temp_zero(const program& p, const process& q) {
  for (const instruction& i : q.code)
    if ((i.code == operation::set_temp || i.code == operation::choose) && i.temp == 0) return true;
  for (const expr& e : p.exprs)
    if ((e.code == op::all || e.code == op::some || e.code == op::count || e.code == op::collect) && e.temp == 0)
      return true;
  return false;
}

std::string each_word(std::uint32_t words, const char* form) {
  std::string out;
  for (std::uint32_t w = 0; w < words; ++w) out += fmt::format(fmt::runtime(form), fmt::arg("w", w));
  return out;
}

// The function of one instance of one process.
class process_text {
 public:
  process_text(const program& p, const layout& l, const dead_locals& live, std::uint32_t number, std::uint32_t instance)
      : p_(p), layout_(l), live_(live), q_(p.processes[number]), number_(number), instance_(instance), expressions_(p, l) {
    fixed_ = !writes_temp_zero(p, q_);
    if (fixed_) expressions_.fix({{temp_id{0}, instance}});
  }

  std::string name() const { return fmt::format("p{}_{}", number_, instance_); }

  std::string write() {
    body();
    std::string out = fmt::format(
        "static u32 {}(const u64* const s, successor_buffer* const b, const u32 parent, u32* const any) {{\n", name());
    out += each_word(layout_.words(), "  u64 n{w} = s[{w}];\n");
    out += "  u64 v = 0, m = 0; u32 back = 0, depth = 0; u8 outcome, kind;\n";
    for (temp_id t : temps_) out += fmt::format("  i64 t{} = {};\n", t, t == 0 ? instance_ : 0);
    if (!choices_.empty()) {
      out += fmt::format("  struct {{ u64 n[{}], v, m; i64 t[{}], value; u32 back, site; }} saved[{}];\n", layout_.words(),
                         std::max<std::size_t>(1, most_saved_), most_choices);
    }
    return out + entry_switch() + code_ + tail() + "}\n";
  }

 private:
  slot pc() const { return q_.pc == nothing ? slot{} : layout_.slots()[p_.variables[q_.pc].first_slot + instance_]; }

  std::string entry_switch() const {
    const slot at = pc();
    std::string out =
        q_.pc == nothing ? "  switch (0) {\n" : fmt::format("  switch (n{} >> {} & {}ul) {{\n", at.index, at.shift, at.mask);
    for (std::size_t l = 0; l < q_.locations.size(); ++l) {
      if (q_.locations[l].ended)
        out += fmt::format("    case {}: return 0;\n", l);
      else
        out += fmt::format("    case {}: goto L{};\n", l, q_.locations[l].entry);
    }
    return out + "    default: return 2;\n  }\n";
  }

  void need(temp_id t) {
    if (t != 0 || !fixed_) temps_.insert(t);
  }

  void body() {
    for (temp_id t = 0; t < q_.temps; ++t) need(t);
    for (std::uint32_t i = 0; i < q_.code.size(); ++i) {
      code_ += fmt::format("L{}: ", i);
      one(i, q_.code[i]);
      code_ += "\n";
    }
  }

  void jump(std::uint32_t from, std::uint32_t target) {
    if (target <= from) code_ += fmt::format("if (++back > {}) goto fault; ", native_backward_jumps);
    code_ += fmt::format("goto L{};", target);
  }

  void one(std::uint32_t at, const instruction& i) {
    const auto ends = [&](step_outcome o, std::uint32_t kind) {
      return fmt::format("outcome = {}; kind = {}; goto ended;", static_cast<unsigned>(o), kind);
    };
    switch (i.code) {
      case operation::set:
        code_ += expressions_.store(i.var, i.index, expressions_.value(i.a),
                                    ends(step_outcome::error, static_cast<std::uint32_t>(error_kind::range)));
        break;
      case operation::set_temp:
        code_ += fmt::format("t{} = {};", i.temp, expressions_.value(i.a));
        break;
      case operation::jump:
        jump(at, i.target);
        break;
      case operation::jump_if:
        code_ += fmt::format("if ({}) {{ ", expressions_.condition(i.a));
        jump(at, i.target);
        code_ += " }";
        break;
      case operation::await:
        code_ += fmt::format("if (!{}) goto resume;", expressions_.condition(i.a));
        break;
      case operation::choose:
        choose(at, i);
        break;
      case operation::emit:
        code_ += ";";
        break;
      case operation::violate:
        code_ += fmt::format("v |= {}ul;", std::uint64_t{1} << i.which);
        break;
      case operation::mark:
        code_ += fmt::format("m |= {}ul;", std::uint64_t{1} << i.which);
        break;
      case operation::error:
        code_ += ends(step_outcome::error, i.which);
        break;
      case operation::bound:
        code_ += ends(step_outcome::bound, i.which);
        break;
      case operation::stuck:
        code_ += ends(step_outcome::stuck, 0);
        break;
      case operation::stop:
        if (q_.pc != nothing && pc().bits > 0) code_ += native_expression::put(pc(), fmt::format("{}ul", i.which)) + " ";
        code_ += "goto reached;";
        break;
    }
  }

  // Where the path comes back for the next value, and what it must find as it was.
  struct choice {
    std::uint32_t at;
    std::uint64_t count;
    temp_id temp;
    std::vector<temp_id> live;
  };

  void choose(std::uint32_t at, const instruction& i) {
    const std::uint64_t n = i.sort == nothing ? i.count : p_.sorts[i.sort].element.size();
    if (n == 0) {
      code_ += "goto resume;";
      return;
    }
    code_ += fmt::format("t{} = 0;", i.temp);
    if (n == 1) return;
    choice c{at, n, i.temp, {}};
    for (temp_id t : temps_)
      if (t != i.temp && live_.temp_live_after(number_, at, t)) c.live.push_back(t);
    most_saved_ = std::max(most_saved_, c.live.size());
    code_ += fmt::format(" if (depth == {}) goto fault; {{ auto& c = saved[depth++]; ", most_choices);
    code_ += each_word(layout_.words(), "c.n[{w}] = n{w}; ") + "c.v = v; c.m = m; c.back = back; c.value = 0; ";
    for (std::size_t k = 0; k < c.live.size(); ++k) code_ += fmt::format("c.t[{}] = t{}; ", k, c.live[k]);
    code_ += fmt::format("c.site = {}; }} C{}: ;", choices_.size(), at);
    choices_.push_back(std::move(c));
  }

  std::string resume() const {
    if (choices_.empty()) return "resume:\n  return 0;\n";
    std::string out =
        "resume:\n  if (depth == 0) return 0;\n  {\n    auto& c = saved[depth - 1];\n    const i64 value = ++c.value;\n    ";
    out += each_word(layout_.words(), "n{w} = c.n[{w}]; ") + "v = c.v; m = c.m; back = c.back;\n    switch (c.site) {\n";
    for (std::size_t k = 0; k < choices_.size(); ++k) {
      const choice& c = choices_[k];
      out += fmt::format("      case {}: ", k);
      for (std::size_t t = 0; t < c.live.size(); ++t) out += fmt::format("t{} = c.t[{}]; ", c.live[t], t);
      out += fmt::format("t{} = value; if (value == {}) --depth; goto C{};\n", c.temp, c.count - 1, c.at);
    }
    return out + "    }\n  }\n  return 2;\n";
  }

  std::string tail() const {
    const std::uint32_t words = layout_.words();
    const std::string array = "const u64 n[] = {" + each_word(words, "n{w}, ") + "};";
    std::string out = "reached:\n  *any = 1; ++b->transitions; b->marked |= m;\n";
    out += "  if ((v & b->violated_mask) | (m & b->marked_mask)) { " + array +
           " if (special(b, parent, 0, 0, v, m, n)) return 1; }\n";
    out += "  {\n    const u32 k = b->count;\n    u64* const to = b->words + (u64)k * W;\n    ";
    out += each_word(words, "to[{w}] = n{w}; ");
    out +=
        "\n    b->parents[k] = parent;\n    b->count = k + 1;\n    if (k + 1 == b->capacity && b->flush(b)) return 1;\n  "
        "}\n";
    out += resume();
    out += "ended:\n  *any = 1; ++b->transitions; b->marked |= m;\n  { " + array +
           " if (special(b, parent, outcome, kind, v, m, n)) return 1; }\n  goto resume;\nfault:\n  return 2;\n";
    return out;
  }

  const program& p_;
  const layout& layout_;
  const dead_locals& live_;
  const process& q_;
  const std::uint32_t number_, instance_;
  native_expression expressions_;
  bool fixed_ = false;
  std::set<temp_id> temps_;
  std::string code_;
  std::vector<choice> choices_;
  std::size_t most_saved_ = 0;
};

std::string expand_text(const std::vector<std::string>& first, const std::vector<std::string>& late) {
  std::string out = R"(extern "C" u32 quiesce_expand(const u64* states, u32* first, u32 count, successor_buffer* b) {
  const u32 base = *first;
  for (u32 i = 0; i < count; ++i) {
    const u64* const s = states + (u64)i * W;
    const u64 before = b->transitions;
    const u32 parent = base + i;
    u32 any = 0, r;
)";
  const auto call = [&](const std::string& name) {
    out += fmt::format("    if ((r = {}(s, b, parent, &any))) goto end;\n", name);
  };
  for (const std::string& f : first) call(f);
  if (!late.empty()) {
    out += "    if (!any) {\n";
    for (const std::string& f : late) call(f);
    out += "    }\n";
  }
  return out + R"(    if (!any && special(b, parent, 255, 0, 0, 0, s)) return 1;
    continue;
  end:
    if (r == 2) { b->transitions = before; *first = parent; }
    return r;
  }
  return 0;
}
)";
}

// One instance, by its number in the fixed order of steps.
std::string one_text(const std::vector<std::string>& all) {
  std::string out =
      "extern \"C\" u32 quiesce_steps_of(const u64* s, u32 which, u32 parent, successor_buffer* b) {\n  u32 any = 0;\n"
      "  switch (which) {\n";
  for (std::size_t i = 0; i < all.size(); ++i) out += fmt::format("    case {}: return {}(s, b, parent, &any);\n", i, all[i]);
  return out + "    default: return 2;\n  }\n}\n";
}

std::string invariants_text(const program& p, const layout& l) {
  native_expression expressions(p, l);
  std::string out = "extern \"C\" u32 quiesce_invariants(const u64* s, u64* failing) {\n" +
                    each_word(l.words(), "  const u64 n{w} = s[{w}];\n");
  out += "  u64 r = 0;\n";
  for (std::size_t k = 0; k < p.properties.size(); ++k) {
    if (p.properties[k].invariant == nothing) continue;
    out += fmt::format("  if ({}{}) r |= {}ul;\n", p.properties[k].sometimes ? "" : "!",
                       expressions.condition(p.properties[k].invariant), std::uint64_t{1} << k);
  }
  return out + "  *failing = r;\n  return 0;\nfault:\n  return 2;\n}\n";
}

}  // namespace

std::optional<std::string> native_text(const program& p, const layout& l, const std::string& key) {
  std::string out = fmt::format("// batches: {}\n#define W {}\n", abi_of_batches, l.words()) + head;
  out += fmt::format("extern \"C\" {{ extern const char quiesce_key[] = \"{}\"; }}\n", key);
  const dead_locals live(p);
  std::vector<std::string> first, late, all;
  for (std::uint32_t q = 0; q < p.processes.size(); ++q) {
    const process& x = p.processes[q];
    const std::size_t instances = x.over == nothing ? 1 : p.sorts[x.over].element.size();
    for (std::uint32_t k = 0; k < instances; ++k) {
      process_text one(p, l, live, q, k);
      out += one.write();
      if (out.size() > most_text) return std::nullopt;
      (x.only_when_stuck ? late : first).push_back(one.name());
      all.push_back(one.name());
    }
  }
  out += expand_text(first, late) + one_text(all) + invariants_text(p, l);
  return out;
}

}  // namespace quiesce
