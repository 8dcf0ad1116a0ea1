// SPDX-License-Identifier: MIT
#include "model/system/core.hpp"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <set>

#include "model/system/core_path.hpp"
#include "properties/diagnostic.hpp"

namespace quiesce {

namespace {

using namespace ir;
using namespace core;

constexpr std::size_t most_paths = 1u << 14;         // of one step
constexpr std::size_t most_instructions = 1u << 16;  // of one path
constexpr std::size_t longest_term = 1u << 20;       // bytes

class writer {
 public:
  // Locals of different processes, and what rules remember, may have the name of another variable: then they are numbered.
  explicit writer(const program& p) : p_(p) {
    std::set<std::string> used;
    for (const variable& v : p.variables) {
      std::string name = v.name;
      for (int n = 2; !used.insert(name).second; ++n) name = fmt::format("{} #{}", v.name, n);
      names_.push_back(quoted(name));
    }
  }

  std::string run() {
    out_ = "(core 1)\n";
    for (const sort& s : p_.sorts) {
      out_ += (s.unbounded ? "(sort-any " : s.closed ? "(sort-union " : "(sort ") + quoted(s.name);
      for (const std::string& e : s.element) out_ += ' ' + quoted(e);
      for (const constructor& c : s.constructors) out_ += " (" + quoted(c.name) + ' ' + quoted(p_.sorts[c.over].name) + ')';
      out_ += ")\n";
    }
    for (variable_id i = 0; i < p_.variables.size(); ++i) {
      const variable& v = p_.variables[i];
      out_ += "(function " + names_[i] + " (";
      for (std::size_t k = 0; k < v.index.size(); ++k) out_ += (k ? " " : "") + quoted(p_.sorts[v.index[k]].name);
      out_ += ") " + type_text(v.type) + ")\n";
    }
    initial();
    for (const process& q : p_.processes) actions(q);
    out_ += "(resting " + resting()->text + ")\n";
    properties();
    path none;
    for (const lemma& l : p_.lemmas) out_ += "(invariant " + quoted(l.name) + ' ' + value(none, l.condition)->text + ")\n";
    return std::move(out_);
  }

 private:
  std::string type_text(type_id id) const {
    const type& t = p_.types[id];
    switch (t.kind) {
      case type_kind::boolean:
        return "bool";
      case type_kind::integer:
        return t.high >= far / 2 ? fmt::format("(int {} any)", t.low) : fmt::format("(int {} {})", t.low, t.high);
      case type_kind::enumeration: {
        std::string out = "(enum";
        for (const std::string& l : t.labels) out += ' ' + quoted(l);
        return out + ')';
      }
      case type_kind::element:
        return "(elem " + quoted(p_.sorts[t.sort].name) + ')';
      case type_kind::option:
        return "(option " + type_text(t.inner) + ')';
      case type_kind::set:
        return "(set " + quoted(p_.sorts[t.sort].name) + ')';
    }
    return "?";
  }

  bool open(sort_id s) const { return p_.sorts[s].unbounded || p_.sorts[s].closed; }
  std::int64_t elements(sort_id s) const { return open(s) ? far : static_cast<std::int64_t>(p_.sorts[s].element.size()); }

  std::int64_t high(type_id t) const {
    const type& ty = p_.types[t];
    if (p_.parametrised && ty.kind == type_kind::set) return far;
    if (ty.kind == type_kind::element && open(ty.sort)) return far;
    if (ty.kind == type_kind::option) return std::min(far, 1 + high(ty.inner) - low(p_, ty.inner));
    std::uint64_t m = max_code(p_, t);
    return m > static_cast<std::uint64_t>(far) ? far : low(p_, t) + static_cast<std::int64_t>(m);
  }

  // --- terms ---

  term load(const path& x, variable_id v, const std::vector<term>& index) const {
    const variable& var = p_.variables[v];
    term out;
    if (initial_ && !x.arbitrary.count(v)) {
      out = number(low(p_, var.type));
    } else {
      std::string text = "(f " + names_[v];
      for (const term& t : index) text += ' ' + t->text;
      out = opaque(text + ')', low(p_, var.type), high(var.type));
    }
    auto it = x.writes.find(v);
    if (it == x.writes.end()) return out;
    for (const write& w : it->second)
      out = w.everywhere ? w.everywhere(index, out) : choice(same_place(w.index, index), w.value, out);
    return out;
  }

  static term same_place(const std::vector<term>& a, const std::vector<term>& b) {
    term out = truth(true);
    for (std::size_t k = 0; k < a.size(); ++k) out = both(out, equality(a[k], b[k]));
    return out;
  }

  std::vector<term> terms(path& x, const std::vector<expr_id>& es) {
    std::vector<term> out;
    for (expr_id e : es) out.push_back(value(x, e));
    return out;
  }

  term value(path& x, expr_id id) {
    const expr& e = p_.exprs[id];
    auto kid = [&](std::size_t k) { return value(x, e.kids[k]); };
    switch (e.code) {
      case op::constant:
        return number(e.value);
      case op::temp: {
        auto it = x.temps.find(e.temp);
        return it == x.temps.end() ? number(0) : it->second;
      }
      case op::load:
        return load(x, e.var, terms(x, e.kids));
      case op::not_:
        return negation(kid(0));
      case op::and_: {
        term a = kid(0);
        return is(a, 0) ? a : both(a, kid(1));
      }
      case op::or_: {
        term a = kid(0);
        return a->constant && a->low ? a : either(a, kid(1));
      }
      case op::implies: {
        term a = kid(0);
        if (is(a, 0)) return truth(true);
        term b = kid(1);
        if (is(b, 1) || a->constant) return b;
        return opaque(call("=>", a, b), 0, 1);
      }
      case op::equal:
        return equality(kid(0), kid(1));
      case op::not_equal:
        return negation(equality(kid(0), kid(1)));
      case op::less:
        return less(kid(0), kid(1));
      case op::less_equal:
        return less_equal(kid(0), kid(1));
      case op::select: {
        term c = kid(0);
        if (c->constant) return kid(c->low ? 1 : 2);
        return choice(c, kid(1), kid(2));
      }
      case op::all:
      case op::some:
      case op::count:
      case op::collect:
        return quantified(x, e);
      case op::wrap:
        return wrapped(e.type, kid(0));
      case op::unwrap:
        return unwrapped(e.type, kid(0));
      case op::construct:
        return opaque(constructor_text("make", e) + kid(0)->text + ')',
                      static_cast<std::int64_t>(p_.sorts[e.sort].element.size()), far);
      case op::constructed: {
        const term a = kid(0);
        if (a->constant) return truth(false);
        if (a->text.starts_with("(make ")) return truth(a->text.starts_with(constructor_text("make", e)));
        return opaque(constructor_text("made", e) + a->text + ')', 0, 1);
      }
      default:
        return computed(e.code, kid(0), e.kids.size() > 1 ? kid(1) : nullptr);
    }
  }

  std::string constructor_text(const char* word, const expr& e) const {
    const sort& s = p_.sorts[e.sort];
    return fmt::format("({} {} {} ", word, quoted(s.name), quoted(s.constructors[static_cast<std::size_t>(e.value)].name));
  }

  term wrapped(type_id option, const term& a) const {
    type_id inner = p_.types[option].inner;
    if (a->constant) return number(a->low >= low(p_, inner) && a->low <= high(inner) ? 1 + a->low - low(p_, inner) : -1);
    bool fits = a->low >= low(p_, inner) && a->high <= high(inner);
    return opaque("(some " + type_text(inner) + ' ' + a->text + ')', fits ? 1 : -1, 1 + high(inner) - low(p_, inner));
  }
  term unwrapped(type_id inner, const term& o) const {
    if (o->constant) return number(o->low - 1 + low(p_, inner));
    return opaque("(the " + type_text(inner) + ' ' + o->text + ')', o->low - 1 + low(p_, inner),
                  o->high - 1 + low(p_, inner));
  }

  term computed(op code, const term& a, const term& b) const {
    bool known = a->constant && (!b || b->constant);
    if (p_.parametrised) {  // the only set with a number is the empty one
      if (code == op::contains && is(a, 0)) return truth(false);
      if ((code == op::unite && is(a, 0)) || (code == op::intersect && is(b, 0))) return b;
      if ((code == op::unite || code == op::subtract_set) && is(b, 0)) return a;
      if ((code == op::intersect || code == op::subtract_set) && is(a, 0)) return a;
      known = known && code != op::singleton && code != op::contains;
    }
    std::int64_t x = a->low, y = b ? b->low : 0;
    auto name = [&](const char* f) { return b ? call(f, a, b) : call(f, a); };
    switch (code) {
      case op::negate:
        return known ? number(-x) : opaque(name("neg"), -a->high, -a->low);
      case op::add:
        return known ? number(x + y) : opaque(name("+"), a->low + b->low, a->high + b->high);
      case op::subtract:
        return known ? number(x - y) : opaque(name("-"), a->low - b->high, a->high - b->low);
      case op::multiply:
        return known ? number(x * y) : opaque(name("*"), -far, far);
      case op::divide:
        return known ? number(y > 0 ? x / y : 0) : opaque(name("/"), -far, far);
      case op::minimum:
        return known ? number(std::min(x, y)) : opaque(name("min"), std::min(x, y), std::min(a->high, b->high));
      case op::maximum:
        return known ? number(std::max(x, y)) : opaque(name("max"), std::max(x, y), std::max(a->high, b->high));
      case op::contains:
        return known ? truth(x >> y & 1) : opaque(name("in"), 0, 1);
      case op::singleton:
        return known ? number(static_cast<std::int64_t>(std::uint64_t{1} << x)) : opaque(name("single"), -far, far);
      case op::unite:
        return known ? number(x | y) : opaque(name("union"), -far, far);
      case op::intersect:
        return known ? number(x & y) : opaque(name("inter"), -far, far);
      case op::subtract_set:
        return known ? number(x & ~y) : opaque(name("minus"), -far, far);
      default:
        return known ? number(__builtin_popcountll(static_cast<std::uint64_t>(x))) : opaque(name("card"), 0, 64);
    }
  }

  term quantified(path& x, const expr& e) {
    auto n = elements(e.sort);
    std::string bound = fmt::format("b{}", ++bound_);
    auto saved = x.temps;
    x.temps[e.temp] = opaque(bound, 0, std::max<std::int64_t>(n - 1, 0));
    if (n == 1) x.temps[e.temp] = opaque(bound, 0, 0);
    term body = value(x, e.kids[0]);
    x.temps = std::move(saved);
    --bound_;
    if (e.code == op::all && body->constant && (body->low || n > 0)) return truth(body->low != 0);
    if (e.code == op::some && body->constant && (!body->low || n > 0)) return truth(body->low != 0);
    if (p_.parametrised && e.code == op::collect && is(body, 0)) return body;
    const char* name = e.code == op::all ? "all" : e.code == op::some ? "exists" : e.code == op::count ? "count" : "collect";
    std::string text = fmt::format("({} ({} {}) {})", name, bound, quoted(p_.sorts[e.sort].name), body->text);
    if (e.code == op::count) return opaque(text, 0, n);
    return e.code == op::collect ? opaque(text, -far, far) : opaque(text, 0, 1);
  }

  // --- paths ---

  using finish = std::function<void(path&, const std::string& end, std::int64_t location)>;

  void explore(path start, const std::vector<instruction>& code, const finish& done) {
    std::vector<path> todo{std::move(start)};
    std::size_t paths = 0;
    const source_range where = code[todo[0].pc].where;
    while (!todo.empty()) {
      path x = std::move(todo.back());
      todo.pop_back();
      if (++paths > most_paths)
        throw diagnostic(where, "the step that begins here has too many paths for the core",
                         "a smaller scope or shorter atomic blocks");
      follow(x, code, todo, done);
    }
  }

  void assume(path& x, const term& t) const { x.guard = both(x.guard, t); }

  // Runs one path to its end; the other side of each branch goes to `todo`.
  void follow(path& x, const std::vector<instruction>& code, std::vector<path>& todo, const finish& done) {
    for (;; ++x.pc) {
      const instruction& i = code[x.pc];
      if (++x.executed > most_instructions || x.guard->text.size() > longest_term)
        throw diagnostic(i.where, "the step with this statement is too long for the core",
                         "a smaller scope or shorter atomic blocks");
      switch (i.code) {
        case operation::set:
          if (!assign(x, i, todo, done)) return;
          break;
        case operation::set_temp:
          x.temps[i.temp] = value(x, i.a);
          break;
        case operation::jump:
          x.pc = i.target - 1;
          break;
        case operation::jump_if: {
          term c = value(x, i.a);
          if (is(c, 0)) break;
          if (!c->constant) {
            path no = x;
            assume(no, negation(c));
            ++no.pc;
            todo.push_back(std::move(no));
            assume(x, c);
          }
          x.pc = i.target - 1;
          break;
        }
        case operation::await: {
          term c = value(x, i.a);
          if (is(c, 0)) return;
          assume(x, c);
          break;
        }
        case operation::choose:
          if (p_.parametrised && i.type == nothing && i.sort == nothing)
            branch(x, i, todo);
          else
            choose(x, i);
          break;
        case operation::emit:
          break;
        case operation::violate:
        case operation::mark:
          if (i.a != nothing) {
            conditional_effect(x, i);
            break;
          }
          if (i.code == operation::mark) {
            x.marked |= std::uint64_t{1} << i.which;
            break;
          }
          x.violated |= std::uint64_t{1} << i.which;
          break;
        case operation::error:
          return done(x, std::string(" (ends error ") + name(static_cast<error_kind>(i.which)) + ")", -1);
        case operation::bound:
          return done(x, std::string(" (ends bound ") + name(static_cast<bound_kind>(i.which)) + ")", -1);
        case operation::stuck:
          return done(x, " (ends stuck)", -1);
        case operation::stop:
          return done(x, "", i.which);
      }
    }
  }

  // Each value a path of its own.
  void branch(path& x, const instruction& i, std::vector<path>& todo) const {
    for (std::uint32_t v = i.count; v-- > 1;) {
      path other = x;
      other.temps[i.temp] = number(v);
      ++other.pc;
      todo.push_back(std::move(other));
    }
    x.temps[i.temp] = number(0);
  }

  void conditional_effect(path& x, const instruction& i) {
    const term when = value(x, i.a);
    if (is(when, 0)) return;
    const char* word = i.code == operation::mark ? "marks" : "violates";
    x.effects.emplace_back(fmt::format("({} {}", word, quoted(p_.properties[i.which].name)), when);
  }

  void choose(path& x, const instruction& i) const {
    if (p_.parametrised) {
      const std::string name = fmt::format("c{}", x.params.size());
      x.params.push_back('(' + name + ' ' + type_text(i.type) + ')');
      x.temps[i.temp] = opaque(name, p_.types[i.type].kind == type_kind::set ? -far : low(p_, i.type), high(i.type));
      return;
    }
    std::uint64_t n = i.sort == nothing ? i.count : p_.sorts[i.sort].element.size();
    std::string name = fmt::format("c{}", x.params.size());
    x.params.push_back(i.sort == nothing ? fmt::format("({} {})", name, n)
                                         : fmt::format("({} {})", name, quoted(p_.sorts[i.sort].name)));
    x.temps[i.temp] = opaque(name, 0, std::max<std::int64_t>(static_cast<std::int64_t>(n) - 1, 0));
  }

  // False where the value never fits: the path has ended.
  bool assign(path& x, const instruction& i, std::vector<path>&, const finish& done) {
    if (i.a == nothing) return x.arbitrary.insert(i.var).second;
    if (!i.each.empty()) return assign_everywhere(x, i, done);
    term v = value(x, i.a);
    std::vector<term> index = terms(x, i.index);
    term fits = fit(v, p_.variables[i.var].type);
    if (!is(fits, 1)) {
      path no = x;
      assume(no, negation(fits));
      done(no, " (ends error range)", -1);
      if (is(fits, 0)) return false;
      assume(x, fits);
    }
    std::vector<write>& all = x.writes[i.var];
    for (std::size_t k = 0; k < all.size();) {
      if (all[k].everywhere) {
        ++k;
        continue;
      }
      term again = same_place(all[k].index, index);
      if (is(again, 1)) {
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(k));
        continue;
      }
      all[k].value = choice(again, v, all[k].value);
      ++k;
    }
    all.push_back({std::move(index), v, {}});
    return true;
  }

  bool assign_everywhere(path& x, const instruction& i, const finish& done) {
    const path before = x;
    const auto bound = [&i](expr_id e, const program& p) {
      return p.exprs[e].code == op::temp &&
             std::any_of(i.each.begin(), i.each.end(), [&](const auto& b) { return b.first == p.exprs[e].temp; });
    };
    const auto at = [this, before, &i, bound](const std::vector<term>& index, const term& old) {
      path y = before;
      term here = truth(true);
      for (std::size_t k = 0; k < index.size(); ++k)
        if (bound(i.index[k], p_)) y.temps[p_.exprs[i.index[k]].temp] = index[k];
      for (std::size_t k = 0; k < index.size(); ++k)
        if (!bound(i.index[k], p_)) here = both(here, equality(value(y, i.index[k]), index[k]));
      return choice(here, value(y, i.a), old);
    };
    const std::vector<term> any = bound_index(i.var);
    const term fits = closed(i.var, fit(at(any, number(low(p_, p_.variables[i.var].type))), p_.variables[i.var].type));
    bound_ -= static_cast<unsigned>(any.size());
    if (!is(fits, 1)) {
      path no = x;
      assume(no, negation(fits));
      done(no, " (ends error range)", -1);
      assume(x, fits);
    }
    if (i.each.size() == i.index.size()) x.writes[i.var].clear();
    x.writes[i.var].push_back({{}, nullptr, at});
    return true;
  }

  // Fresh bound variables for the index of a table; the caller gives them back by `bound_ -= `.
  std::vector<term> bound_index(variable_id v) {
    std::vector<term> out;
    for (const sort_id s : p_.variables[v].index)
      out.push_back(opaque(fmt::format("b{}", ++bound_), 0, std::max<std::int64_t>(elements(s) - 1, 0)));
    return out;
  }
  term closed(variable_id v, term t) const {
    const auto& index = p_.variables[v].index;
    for (std::size_t k = index.size(); k-- > 0 && !t->constant;)
      t = opaque(fmt::format("(all (b{} {}) {})", bound_ - index.size() + 1 + k, quoted(p_.sorts[index[k]].name), t->text),
                 0, 1);
    return t;
  }

  std::string everywhere_text(const path& x, variable_id v) {
    const std::vector<term> index = bound_index(v);
    std::string binders, places;
    for (std::size_t k = 0; k < index.size(); ++k) {
      binders += fmt::format("{}({} {})", k ? " " : "", index[k]->text, quoted(p_.sorts[p_.variables[v].index[k]].name));
      places += (k ? " " : "") + index[k]->text;
    }
    const std::string now = load(x, v, index)->text;
    bound_ -= static_cast<unsigned>(index.size());
    return fmt::format("(each ({}) {} ({}) {})", binders, names_[v], places, now);
  }

  term fit(const term& v, type_id t) const {
    if (p_.types[t].kind == type_kind::set) {
      // Sets are built from elements of their sort only.
      return truth(true);
    }
    if (v->low >= low(p_, t) && v->high <= high(t)) return truth(true);
    if (v->high < low(p_, t) || v->low > high(t)) return truth(false);
    return opaque("(fits " + type_text(t) + ' ' + v->text + ')', 0, 1);
  }

  // --- items ---

  void item(const std::string& head, const path& x, const std::string& end) {
    out_ += '(' + head + " (";
    for (std::size_t k = 0; k < x.params.size(); ++k) out_ += (k ? " " : "") + x.params[k];
    out_ += ") " + x.guard->text + " (";
    bool first = true;
    for (const auto& [v, all] : x.writes) {
      if (!end.empty()) break;  // leads to no state
      if (std::any_of(all.begin(), all.end(), [](const write& w) { return static_cast<bool>(w.everywhere); })) {
        out_ += (first ? "" : " ") + everywhere_text(x, v);
        first = false;
        continue;
      }
      for (const write& w : all) {
        out_ += (first ? "(" : " (") + names_[v] + " (";
        for (std::size_t k = 0; k < w.index.size(); ++k) out_ += (k ? " " : "") + w.index[k]->text;
        out_ += ") " + w.value->text + ')';
        first = false;
      }
    }
    out_ += ')';
    for (std::size_t k = 0; k < p_.properties.size(); ++k) {
      if (x.violated >> k & 1) out_ += " (violates " + quoted(p_.properties[k].name) + ')';
      if (x.marked >> k & 1) out_ += " (marks " + quoted(p_.properties[k].name) + ')';
    }
    for (const auto& [word, when] : x.effects) out_ += ' ' + word + (is(when, 1) ? "" : ' ' + when->text) + ')';
    out_ += end + ")\n";
  }

  void initial() {
    initial_ = true;
    std::string arbitrary;
    for (const instruction& i : p_.init)
      if (i.code == operation::set && i.a == nothing) arbitrary += "(arbitrary " + names_[i.var] + ")\n";
    out_ += arbitrary;
    explore({}, p_.init, [&](path& x, const std::string& end, std::int64_t) { item("initial", x, end); });
    initial_ = false;
  }

  void actions(const process& q) {
    for (std::size_t l = 0; l < q.locations.size(); ++l) {
      if (q.locations[l].ended) continue;
      path x;
      x.pc = q.locations[l].entry;
      std::vector<term> self;
      if (q.over != nothing) {
        const std::string over = quoted(p_.sorts[q.over].name);
        x.params.push_back(p_.parametrised ? "(c0 (elem " + over + "))" : "(c0 " + over + ')');
        self.push_back(opaque("c0", 0, std::max<std::int64_t>(elements(q.over) - 1, 0)));
        x.temps[0] = self[0];
      }
      if (q.pc != nothing) assume(x, equality(load(x, q.pc, self), number(static_cast<std::int64_t>(l))));
      if (is(x.guard, 0)) continue;
      const std::string head = (q.only_when_stuck ? "late-action " : "action ") + quoted(fmt::format("{}.{}", q.name, l));
      explore(std::move(x), q.code, [&](path& y, const std::string& end, std::int64_t location) {
        if (end.empty() && q.pc != nothing) y.writes[q.pc] = {{self, number(location), {}}};
        item(head, y, end);
      });
    }
  }

  term resting() {
    term out = truth(true);
    path none;
    for (const process& q : p_.processes) {
      std::vector<term> self;
      if (q.over != nothing) self.push_back(opaque("b1", 0, elements(q.over)));
      term here = truth(q.pc == nothing && (q.locations[0].resting || q.locations[0].ended));
      for (std::size_t l = 0; q.pc != nothing && l < q.locations.size(); ++l)
        if (q.locations[l].resting || q.locations[l].ended)
          here = either(here, equality(load(none, q.pc, self), number(static_cast<std::int64_t>(l))));
      if (q.over != nothing && !here->constant)
        here = opaque(fmt::format("(all (b1 {}) {})", quoted(p_.sorts[q.over].name), here->text), 0, 1);
      if (q.over != nothing && p_.sorts[q.over].element.empty()) here = truth(true);
      out = both(out, here);
    }
    return out;
  }

  void properties() {
    path none;
    for (const checked_property& c : p_.properties) {
      if (c.sometimes) {
        out_ += "(property " + quoted(c.name) + " sometimes" +
                (c.invariant == nothing ? "" : ' ' + value(none, c.invariant)->text) + ")\n";
        continue;
      }
      if (c.invariant != nothing)
        out_ += "(property " + quoted(c.name) + " invariant " + value(none, c.invariant)->text + ")\n";
      if (!c.errors.empty()) {
        out_ += "(property " + quoted(c.name) + " (no-error";
        for (error_kind e : c.errors) out_ += std::string(" ") + name(e);
        out_ += "))\n";
      }
      if (c.invariant == nothing && c.errors.empty()) out_ += "(property " + quoted(c.name) + " monitored)\n";
    }
  }

  const program& p_;
  std::vector<std::string> names_;
  std::string out_;
  bool initial_ = false;
  unsigned bound_ = 0;
};

}  // namespace

std::string core_text(const ir::program& p) { return writer(p).run(); }

}  // namespace quiesce
