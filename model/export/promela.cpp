// SPDX-License-Identifier: MIT
// Promela, for spin: one process, whose loop has one option for each place where a process of the model can stand. A step is
// one d_step, or one atomic sequence where it chooses; spin stores no state inside either.
//
// `running` is 0 in one state that the model does not have: before the initial states. Where a path of a step turns out not
// to exist (a false `await` behind a choice), or ends in an error, it goes back there. So spin counts one state more, and
// its transitions are not those of the model.

#include <fmt/format.h>

#include <algorithm>

#include "model/export/export.hpp"
#include "model/export/interval.hpp"
#include "model/export/names.hpp"
#include "model/export/step_code.hpp"
#include "properties/diagnostic.hpp"

namespace quiesce::exporting {

namespace {

using ir::op;
using ir::operation;

constexpr std::size_t most_elements_of_set = 30;
constexpr std::size_t longest_text = std::size_t{1} << 26;

class promela {
 public:
  explicit promela(const ir::program& p) : p_(p), build_(p) {
    for (const ir::variable& v : p.variables) variable_.push_back(names_.fresh(v.name));
    temps_ = p.init_temps;
    for (const ir::process& q : p.processes) temps_ = std::max(temps_, q.temps);
    for (std::uint32_t t = 0; t < temps_; ++t) temp_.push_back(names_.fresh(fmt::format("t{}", t)));
    for (const ir::process& q : p.processes) late_ = late_ || q.only_when_stuck;
    for (const ir::checked_property& c : p.properties)
      property_.push_back(names_.fresh((c.sometimes ? "not_reached_" : "property_") + c.name));
  }

  std::string run(const export_options& o) {
    heading(o);
    declarations();
    out_ += "active proctype system_() {\nend_loop:\n  do\n";
    initial();
    for (const ir::process& q : p_.processes)
      for (std::uint32_t l = 0; l < q.locations.size(); ++l)
        if (!q.locations[l].ended) location(q, l);
    deadlock();
    out_ += "  od\n}\n";
    return declared() + out_;
  }

 private:
  // --- text ---

  void heading(const export_options& o) {
    head_ += fmt::format(
        "/* {}\n * spin -a -o1 -o2 -o3 FILE && cc -O2 -w -DSAFETY -DNOREDUCE -o pan pan.c && ./pan -m1000000\n", o.title);
    head_ += " * `pan -c0` goes on behind violations. There is one state more than the model has: running == 0.\n";
  }

  std::string storage(ir::type_id t) const {
    const std::int64_t low = build_.least(t), high = build_.greatest(t);
    if (p_.types[t].kind == ir::type_kind::set && build_.elements(p_.types[t].sort) > most_elements_of_set)
      throw diagnostic(fmt::format("promela: a set of '{}' does not fit into an int", p_.sorts[p_.types[t].sort].name),
                       "a smaller scope");
    if (low >= 0 && high <= 1) return "bit";
    if (low >= 0 && high <= 255) return "byte";
    if (low >= -32768 && high <= 32767) return "short";
    if (low < -2147483647 || high > 2147483647) throw diagnostic("promela: a variable does not fit into an int");
    return "int";
  }

  void declarations() {
    out_ += "bit running;\n";
    for (ir::variable_id i = 0; i < p_.variables.size(); ++i) {
      const ir::variable& v = p_.variables[i];
      const std::uint64_t n = ir::element_count(p_, v);
      if (n == 0) continue;
      out_ += fmt::format("{} {}{}; /* {} */\n", storage(v.type), variable_[i],
                          v.index.empty() ? "" : fmt::format("[{}]", n), comment(v));
    }
    for (std::uint32_t t = 0; t < temps_; ++t) out_ += fmt::format("int {};\n", temp_[t]);
    out_ += "\ninline reset() {\n  running = 0;\n";
    for (ir::variable_id i = 0; i < p_.variables.size(); ++i)
      for (std::uint64_t k = 0; k < ir::element_count(p_, p_.variables[i]); ++k)
        out_ += fmt::format("  {} = {};\n", cell(i, k), build_.least(p_.variables[i].type));
    for (std::uint32_t t = 0; t < temps_; ++t) out_ += fmt::format("  {} = 0;\n", temp_[t]);
    out_ += "}\n\ninline check() {\n  skip;\n";
    for (std::size_t k = 0; k < p_.properties.size(); ++k) {
      const ir::checked_property& c = p_.properties[k];
      if (c.invariant == ir::nothing) continue;
      const std::string holds = text(build_.build(c.invariant, {}));
      out_ += fmt::format("  if :: {}({}) -> assert({}) :: else fi;\n", c.sometimes ? "" : "!", holds, said(property_[k]));
    }
    out_ += "}\n\n";
  }

  std::string comment(const ir::variable& v) const {
    std::string out = v.name;
    for (std::size_t k = 0; k < v.index.size(); ++k) out += (k ? ", " : "(") + p_.sorts[v.index[k]].name;
    return out + (v.index.empty() ? "" : ")");
  }

  std::string cell(ir::variable_id v, std::uint64_t k) const {
    return p_.variables[v].index.empty() ? variable_[v] : fmt::format("{}[{}]", variable_[v], k);
  }

  // What an assertion shows: a name that is never true.
  std::string said(const std::string& name) {
    if (std::find(said_.begin(), said_.end(), name) == said_.end()) said_.push_back(name);
    return name;
  }
  std::string declared() const {
    std::string out = head_;
    for (const std::string& u : unsure_) out += " * A deadlock is not noticed while there is " + u + "\n";
    out += " */\n\n";
    for (const std::string& s : said_) out += "hidden byte " + s + ";\n";
    return out;
  }

  // --- expressions ---

  std::string place(ir::variable_id v, const std::vector<term>& index) const {
    if (index.empty()) return variable_[v];
    term flat = build_.constant(0);
    std::string out;
    std::int64_t known = 0;
    bool constant = true;
    for (std::size_t k = 0; k < index.size(); ++k) {
      const auto n = static_cast<std::int64_t>(build_.elements(p_.variables[v].index[k]));
      constant = constant && index[k]->constant();
      if (index[k]->constant() && (index[k]->low < 0 || index[k]->low >= n)) return variable_[v] + "[0]";  // never evaluated
      if (constant)
        known = known * n + index[k]->low;
      else if (k == 0)
        out = text(index[k]);
      else
        out = fmt::format("({} * {} + {})", out.empty() ? std::to_string(known) : out, n, text(index[k]));
    }
    return fmt::format("{}[{}]", variable_[v], constant ? std::to_string(known) : out);
  }

  // An int of 32 bits wraps around, without a word.
  static diagnostic too_wide(const std::string& text) {
    return diagnostic(fmt::format("promela: {} may not fit into an int", text),
                      "smaller ranges of its variables, or --to murphi, where such a run ends in an error");
  }

  std::string text(const term& t) const {
    if (t->constant()) {
      if (!interval{t->low, t->low}.within(most_in_int)) throw too_wide(std::to_string(t->low));
      return t->low < 0 ? fmt::format("({})", t->low) : std::to_string(t->low);
    }
    const auto kid = [&](std::size_t k) { return text(t->kids[k]); };
    const auto binary = [&](const char* sign) { return fmt::format("({} {} {})", kid(0), sign, kid(1)); };
    const auto computed = [&](std::string out) { return interval_of(t).within(most_in_int) ? out : throw too_wide(out); };
    switch (t->code) {
      case op::temp:
        return temp_.at(t->temp);
      case op::load:
        return place(t->var, t->kids);
      case op::not_:
        return t->kids[0]->code == op::equal
                   ? fmt::format("({} != {})", text(t->kids[0]->kids[0]), text(t->kids[0]->kids[1]))
                   : "!(" + kid(0) + ")";
      case op::negate:
        return computed("(-" + kid(0) + ")");
      case op::and_:
        return binary("&&");
      case op::or_:
        return binary("||");
      case op::equal:
        return binary("==");
      case op::less:
        return binary("<");
      case op::less_equal:
        return binary("<=");
      case op::add:
        return computed(binary("+"));
      case op::subtract:
        return computed(binary("-"));
      case op::multiply:
        return computed(binary("*"));
      case op::divide:
        return binary("/");
      case op::minimum:
        return fmt::format("({0} < {1} -> {0} : {1})", kid(0), kid(1));
      case op::maximum:
        return fmt::format("({0} < {1} -> {1} : {0})", kid(0), kid(1));
      case op::select:
        return fmt::format("({} -> {} : {})", kid(0), kid(1), kid(2));
      case op::wrap:
        return wrapped(t);
      case op::unwrap: {
        const std::int64_t d = build_.least(t->type) - 1;
        return fmt::format("({} {} {})", kid(0), d < 0 ? '-' : '+', d < 0 ? -d : d);
      }
      case op::contains:
        return fmt::format("(({} >> {}) & 1)", kid(0), kid(1));
      case op::singleton:
        return fmt::format("(1 << {})", kid(0));
      case op::unite:
        return binary("|");
      case op::intersect:
        return binary("&");
      case op::subtract_set:
        return fmt::format("({} & ~{})", kid(0), kid(1));
      case op::cardinality: {
        std::string out;
        const std::string set = kid(0);
        for (std::size_t k = 0; k <= most_elements_of_set; ++k)
          out += fmt::format("{}(({} >> {}) & 1)", k ? " + " : "(", set, k);
        return out + ")";
      }
      default:
        return quantified(t);
    }
  }

  std::string wrapped(const term& t) const {
    const ir::type_id inner = p_.types[t->type].inner;
    const std::int64_t d = 1 - build_.least(inner);
    const std::string plain = d == 0  ? text(t->kids[0])
                              : d > 0 ? fmt::format("({} + {})", text(t->kids[0]), d)
                                      : fmt::format("({} - {})", text(t->kids[0]), -d);
    const term fits = build_.fits(t->kids[0], inner);
    return fits->constant() ? plain : fmt::format("({} -> {} : (-1))", text(fits), plain);
  }

  // Each element a term of its own.
  std::string quantified(const term& t) const {
    std::string out;
    const char* sign = t->code == op::all ? " && " : t->code == op::some ? " || " : t->code == op::count ? " + " : " | ";
    for (std::size_t k = 0; k < build_.elements(t->sort); ++k) {
      const term one = with(t->kids[0], t->temp, build_.constant(static_cast<std::int64_t>(k)));
      std::string body = text(one);
      if (t->code == op::count) body = fmt::format("({} -> 1 : 0)", body);
      if (t->code == op::collect) body = fmt::format("({} -> {} : 0)", body, std::int64_t{1} << k);
      out += (k ? sign : "(") + body;
    }
    return out + ")";
  }

  // `t` with a constant for a bound temp.
  term with(const term& t, ir::temp_id bound, const term& value) const {
    if (t->constant()) return t;
    if (t->code == op::temp) return t->temp == bound ? value : t;
    node n = *t;
    bool quantifies = t->code == op::all || t->code == op::some || t->code == op::count || t->code == op::collect;
    if (quantifies && t->temp == bound) return t;
    for (term& k : n.kids) k = with(k, bound, value);
    if (n.code == op::equal) return build_.equality(n.kids[0], n.kids[1]);
    if (n.code == op::and_) return build_.both(n.kids[0], n.kids[1]);
    if (n.code == op::or_) return build_.either(n.kids[0], n.kids[1]);
    if (n.code == op::not_) return build_.negation(n.kids[0]);
    return std::make_shared<const node>(std::move(n));
  }

  // --- steps ---

  struct body {
    std::string label;          // prefix of its labels
    bool atomic = false;        // else a d_step
    std::string stop;           // what is set at a stop, with one {} for the location
    std::set<ir::temp_id> set;  // temps to forget
    bool fails = false;         // some path goes back
  };

  std::string once(const std::string& s, int indent) const { return std::string(static_cast<std::size_t>(indent), ' ') + s; }

  void line(const std::string& s) {
    out_ += "      " + s + "\n";
    if (out_.size() > longest_text) throw diagnostic("promela: the text becomes too long", "a smaller scope");
  }

  void instructions(const std::vector<ir::instruction>& code, std::uint32_t entry, body& b) {
    const step_code step = code_of_step(code, entry);
    if (step.at.empty() || step.at.front() != entry) line(fmt::format("goto {}{};", b.label, entry));
    std::set<std::uint32_t> targets = step.targets;
    if (!step.at.empty() && step.at.front() != entry) targets.insert(entry);
    for (std::size_t n = 0; n < step.at.size(); ++n) {
      const std::uint32_t at = step.at[n];
      if (targets.count(at)) out_ += fmt::format("{}{}:\n", b.label, at);
      const bool waits =
          code[at].code == operation::choose && code[at + 1].code == operation::await && !targets.count(at + 1);
      instruction(code, at, waits, b);
      if (waits) ++n;
    }
    ending(b);
  }

  void ending(const body& b) {
    if (b.fails) {
      out_ += b.label + "back:\n";
      line(b.atomic ? "skip; d_step { reset() };" : "reset();");
      line(fmt::format("goto {}done;", b.label));
    }
    out_ += b.label + "end:\n";
    std::string forget;
    for (const ir::temp_id t : b.set) forget += fmt::format("{} = 0; ", temp_[t]);
    line(b.atomic ? fmt::format("skip; d_step {{ {}check() }};", forget) : forget + "check();");
    out_ += b.label + "done:\n";
    line("skip");
  }

  void assign_temp(const ir::instruction& i) {
    const term value = build_.build(i.a, {});
    const std::string what = text(value);
    const bool set = p_.types[p_.exprs[i.a].type].kind == ir::type_kind::set;
    if (!set && !interval_of(value).within(room_in_temp)) throw too_wide(what);
    line(fmt::format("{} = {};", temp_[i.temp], what));
  }

  void instruction(const std::vector<ir::instruction>& code, std::uint32_t at, bool waits, body& b) {
    const ir::instruction& i = code[at];
    switch (i.code) {
      case operation::set:
        return assign(i, b);
      case operation::set_temp:
        b.set.insert(i.temp);
        return assign_temp(i);
      case operation::jump:
        return line(fmt::format("goto {}{};", b.label, i.target));
      case operation::jump_if:
        return line(fmt::format("if :: {} -> goto {}{} :: else fi;", text(build_.build(i.a, {})), b.label, i.target));
      case operation::await: {
        const term c = build_.build(i.a, {});
        if (c->constant() && c->low) return line("skip;");
        b.fails = true;
        return line(fmt::format("if :: {} :: else -> goto {}back fi;", text(c), b.label));
      }
      case operation::choose:
        return choose(code, at, waits, b);
      case operation::emit:
        return line(fmt::format("skip; /* {} */", p_.events[i.which].name));
      case operation::violate:
      case operation::mark:
        return effect(i);
      case operation::error:
        return end_in(fmt::format("no_error_{}", ir::name(static_cast<ir::error_kind>(i.which))), b);
      case operation::bound:
        return end_in(fmt::format("within_bound_{}", ir::name(static_cast<ir::bound_kind>(i.which))), b);
      case operation::stuck:
        return end_in("no_deadlock", b);
      case operation::stop:
        return line(fmt::format(fmt::runtime(b.stop), i.which) + fmt::format(" goto {}end;", b.label));
    }
  }

  void end_in(const std::string& name, body& b) {
    b.fails = true;
    line(fmt::format("assert({}); goto {}back;", said(name), b.label));
  }

  void effect(const ir::instruction& i) {
    const ir::checked_property& c = p_.properties[i.which];
    const std::string name = property_[i.which];
    if (i.code == operation::mark && !c.sometimes) return line("skip;");
    if (i.a == ir::nothing) return line(fmt::format("assert({});", said(name)));
    line(fmt::format("if :: {} -> assert({}) :: else fi;", text(build_.build(i.a, {})), said(name)));
  }

  void assign(const ir::instruction& i, body& b) {
    if (i.a == ir::nothing || !i.each.empty()) throw diagnostic(i.where, "promela: this has a meaning for any number only");
    const term v = build_.build(i.a, {});
    const term fits = build_.fits(v, p_.variables[i.var].type);
    if (!fits->constant())
      line(fmt::format("if :: {} :: else -> assert({}); goto {}back fi;", text(fits), said("no_error_range"), b.label));
    b.fails = b.fails || !fits->constant() || !fits->low;
    if (fits->constant() && !fits->low) return end_in("no_error_range", b);
    std::vector<term> index;
    for (const ir::expr_id e : i.index) index.push_back(build_.build(e, {}));
    line(fmt::format("{} = {};", place(i.var, index), text(v)));
  }

  // Where an await follows, only what it allows is chosen.
  void choose(const std::vector<ir::instruction>& code, std::uint32_t at, bool waits, body& b) {
    const ir::instruction& i = code[at];
    b.set.insert(i.temp);
    const auto n = static_cast<std::int64_t>(i.sort == ir::nothing ? i.count : build_.elements(i.sort));
    std::string out;
    bool always = false;
    for (std::int64_t v = 0; v < n; ++v) {
      knowledge k;
      k.temps[i.temp] = build_.constant(v);
      const term c = waits ? build_.build(code[at + 1].a, k) : build_.truth(true);
      if (c->constant() && !c->low) continue;
      always = always || c->constant();
      out += fmt::format(":: {}{} = {} ", c->constant() ? "" : text(c) + " -> ", temp_[i.temp], v);
    }
    if (always) return line("if " + out + "fi;");
    b.fails = true;
    line(fmt::format("if {}:: else -> goto {}back fi;", out, b.label));
  }

  void initial() {
    body b{"init_", true, "running = 1;", {}, false};
    out_ += "  :: atomic { !running ->\n";
    instructions(p_.init, 0, b);
    out_ += "    }\n";
  }

  std::vector<term> instances(const ir::process& q) const {
    std::vector<term> out;
    for (std::size_t k = 0; k < (q.over == ir::nothing ? 1 : build_.elements(q.over)); ++k)
      out.push_back(build_.constant(static_cast<std::int64_t>(k)));
    return out;
  }

  // When a step of this location exists. Where that is not known it is taken to exist, and the heading says so.
  term guard(const ir::process& q, std::uint32_t l, const term& self) {
    std::vector<term> index;
    if (q.over != ir::nothing) index.push_back(self);
    term here = build_.truth(true);
    if (q.pc != ir::nothing)
      here = build_.equality(build_.load(q.pc, index, p_.variables[q.pc].type, {}), build_.constant(l));
    const auto exists = exists_step(p_, q.code, q.locations[l].entry, self);
    if (exists) return build_.both(here, *exists);
    if (late_)
      throw diagnostic(q.locations[l].where, "promela: the condition under which this step exists is too long",
                       "a smaller scope, or shorter atomic blocks");
    unsure_.insert(fmt::format("{} at {}: {}", q.name, l, commented(q.locations[l].statement)));
    return here;
  }

  void location(const ir::process& q, std::uint32_t l) {
    const step_code step = code_of_step(q.code, q.locations[l].entry);
    const std::string label = names_.fresh(q.name) + fmt::format("_{}_", l);
    const std::string late = q.only_when_stuck ? "timeout && " : "";
    body b{label, step.chooses, stop_of(q), {0}, false};
    std::string guards;
    std::size_t many = 0;
    for (const term& self : instances(q)) {
      const term g = guard(q, l, self);
      if (g->constant() && !g->low) continue;
      guards +=
          fmt::format("{}{}running && {}{} -> {} = {}", many ? "\n       :: " : "", "", late, text(g), temp_[0], self->low);
      ++many;
    }
    if (many == 0) return;
    out_ += fmt::format("  /* {} {}: {} */\n", q.name, l, commented(q.locations[l].statement));
    const bool block = many > 1 && !b.atomic;
    out_ += many > 1 ? fmt::format("  :: atomic {{ if\n       :: {}\n       fi;{}\n", guards, block ? " d_step {" : "")
                     : fmt::format("  :: {} {{ {};\n", b.atomic ? "atomic" : "d_step", guards);
    instructions(q.code, q.locations[l].entry, b);
    out_ += block ? "    } }\n" : "    }\n";
  }

  static std::string commented(std::string s) {
    for (std::size_t at; (at = s.find("*/")) != std::string::npos;) s.erase(at, 1);
    return s;
  }

  std::string stop_of(const ir::process& q) const {
    if (q.pc == ir::nothing) return "";
    return variable_[q.pc] + (q.over == ir::nothing ? "" : "[" + temp_[0] + "]") + " = {};";
  }

  // Late steps come before the verdict that nothing can happen.
  void deadlock() {
    term stuck = build_.negation(everybody_rests(p_));
    for (const ir::process& q : p_.processes) {
      if (!q.only_when_stuck) continue;
      for (std::uint32_t l = 0; l < q.locations.size(); ++l)
        if (!q.locations[l].ended)
          for (const term& self : instances(q)) stuck = build_.both(stuck, build_.negation(guard(q, l, self)));
    }
    if (stuck->constant() && !stuck->low) return;
    out_ +=
        fmt::format("  :: d_step {{ running && timeout && {} -> assert({}); reset() }}\n", text(stuck), said("no_deadlock"));
  }

  const ir::program& p_;
  term_builder build_;
  names names_;
  std::vector<std::string> variable_, temp_, property_, said_;
  std::uint16_t temps_ = 1;
  bool late_ = false;  // some steps exist only where no others do
  std::set<std::string> unsure_;
  std::string head_, out_;
};

}  // namespace

std::string write_promela(const transition_system& s, const export_options& o) {
  if (s.program().parametrised) throw diagnostic("promela: a scope with `any` is not finite");
  return promela(s.program()).run(o);
}

}  // namespace quiesce::exporting
