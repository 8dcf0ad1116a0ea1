// SPDX-License-Identifier: MIT
#include "model/system/core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "model/system/core_merge.hpp"
#include "properties/diagnostic.hpp"

namespace quiesce {

namespace {

using namespace ir;
using namespace core;

constexpr std::size_t most_paths = 1u << 14;         // of one step
constexpr std::size_t most_instructions = 1u << 16;  // of one path
constexpr unsigned most_turns = 160;
constexpr std::size_t longest_term = 1u << 20;  // bytes

// In a finite scope a step beyond these is written as one action.
constexpr std::size_t longest_separate_guard = 1u << 13;
constexpr std::size_t longest_separate_text = 1u << 16;

class writer : private expressions {
 public:
  writer(const program& p, std::size_t most_separate) : expressions(p), most_separate_(most_separate) {}

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
      out_ += "(function " + name_of(i) + " (";
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
  // --- paths ---

  // The step that is being written.
  struct {
    std::string head;
    const process* of = nullptr;  // none: the initial states
    std::vector<term> self;
    bool together = false;
    std::map<const instruction*, unsigned> turns;                  // together: how often each jump back was taken
    std::vector<std::pair<std::string, std::vector<path>>> ended;  // together: how, and the paths that do
  } step_;

  void explore(const path& start, const std::vector<instruction>& code) {
    step_.together = false;
    const std::size_t written = out_.size();
    if (separate(start, code)) return;
    out_.resize(written);
    step_.together = true;
    step_.ended.clear();
    step_.turns.clear();
    chosen_ = 0;
    start_naming();
    together(start, code);
    for (auto& [end, all] : step_.ended) item(merged(*this, std::move(all)), end);
    stop_naming();
  }

  // One action for each path. False, in a finite scope: there are many, or they are long.
  bool separate(const path& start, const std::vector<instruction>& code) {
    std::vector<path> todo{start};
    const std::size_t written = out_.size();
    for (std::size_t paths = 1; !todo.empty(); ++paths) {
      path x = std::move(todo.back());
      todo.pop_back();
      if (!p_.parametrised && (paths > most_separate_ || out_.size() - written > longest_separate_text)) return false;
      if (paths > most_paths)
        throw diagnostic(code[start.pc].where, "the step that begins here has too many paths for the core",
                         "a smaller scope or shorter atomic blocks");
      if (!follow(std::move(x), code, todo)) return false;
    }
    return true;
  }

  // The path that is behind goes on, until it has come to where another one is: they go on as one.
  void together(const path& start, const std::vector<instruction>& code) {
    const auto behind = [](const path& a, const path& b) { return a.pc < b.pc; };
    std::vector<path> todo{start};
    while (!todo.empty()) {
      const std::uint32_t pc = std::min_element(todo.begin(), todo.end(), behind)->pc;
      const auto others = std::stable_partition(todo.begin(), todo.end(), [pc](const path& x) { return x.pc != pc; });
      std::vector<path> here(std::make_move_iterator(others), std::make_move_iterator(todo.end()));
      todo.erase(others, todo.end());
      follow(merged(*this, std::move(here)), code, todo);
    }
  }

  // Of a loop whose end is not known to the text there is none.
  void count_turn(const path& x, const instruction& i) {
    if (!step_.together || i.target > x.pc || ++step_.turns[&i] <= most_turns) return;
    throw diagnostic(i.where, "the loop of this statement has no end that the core can show", "a smaller scope");
  }

  void assume(path& x, const term& t) const {
    if (is(t, 1)) return;
    x.assumed.push_back(t);
    x.length += t->text.size();
  }

  // What the path has assumed already need not be asked again.
  term decided(const path& x, const term& t) const {
    if (!naming() || t->constant) return t;
    const term no = negation(t);
    for (const term& a : x.assumed)
      if (same(a, t) || same(a, no)) return truth(same(a, t));
    return t;
  }

  // A path has come to its end: " (ends ...)", or nothing and where the process stands now.
  void finish(path x, const std::string& end, std::int64_t location = -1) {
    if (end.empty() && step_.of && step_.of->pc != nothing) x.writes[step_.of->pc] = {{step_.self, number(location), {}}};
    if (!step_.together) return item(x, end);
    if (!end.empty()) x.writes.clear();
    x.temps.clear();
    const auto known = std::find_if(step_.ended.begin(), step_.ended.end(), [&](const auto& e) { return e.first == end; });
    if (known != step_.ended.end())
      known->second.push_back(std::move(x));
    else
      step_.ended.push_back({end, {std::move(x)}});
  }

  // Runs one path to its end, or to where another one is; the other side of each branch goes to `todo`. False: it is too
  // long to be written separately.
  bool follow(path x, const std::vector<instruction>& code, std::vector<path>& todo) {
    std::uint32_t until = std::numeric_limits<std::uint32_t>::max();
    const auto wait_for = [&](const path& other) { until = step_.together ? std::min(until, other.pc) : until; };
    for (const path& other : todo) wait_for(other);
    for (;; ++x.pc) {
      if (x.pc >= until) return todo.push_back(std::move(x)), true;
      const instruction& i = code[x.pc];
      if (!p_.parametrised && !step_.together && x.length > longest_separate_guard) return false;
      if (++x.executed > most_instructions || x.length > longest_term)
        throw diagnostic(i.where, "the step with this statement is too long for the core",
                         "a smaller scope or shorter atomic blocks");
      switch (i.code) {
        case operation::set:
          if (!assign(x, i)) return true;
          break;
        case operation::set_temp:
          x.temps[i.temp] = value(x, i.a);
          break;
        case operation::jump:
          count_turn(x, i);
          x.pc = i.target - 1;
          break;
        case operation::jump_if: {
          term c = decided(x, value(x, i.a));
          if (is(c, 0)) break;
          if (!c->constant) {
            path no = x;
            assume(no, negation(c));
            ++no.pc;
            wait_for(no);
            todo.push_back(std::move(no));
            assume(x, c);
          }
          count_turn(x, i);
          x.pc = i.target - 1;
          break;
        }
        case operation::await: {
          term c = decided(x, value(x, i.a));
          if (is(c, 0)) return true;
          assume(x, c);
          assume(x, also_in(x, i.a));
          break;
        }
        case operation::choose:
          if (p_.parametrised && i.type == nothing && i.sort == nothing)
            branch(x, i, todo);
          else if (!choose(x, i))
            return true;
          break;
        case operation::emit:
          break;
        case operation::violate:
        case operation::mark:
          if (i.a != nothing || step_.together)
            conditional_effect(x, i);
          else
            (i.code == operation::mark ? x.marked : x.violated) |= std::uint64_t{1} << i.which;
          break;
        case operation::error:
          return finish(std::move(x), std::string(" (ends error ") + name(static_cast<error_kind>(i.which)) + ")"), true;
        case operation::bound:
          return finish(std::move(x), std::string(" (ends bound ") + name(static_cast<bound_kind>(i.which)) + ")"), true;
        case operation::stuck:
          return finish(std::move(x), " (ends stuck)"), true;
        case operation::stop:
          return finish(std::move(x), "", i.which), true;
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
    const term when = i.a == nothing ? truth(true) : value(x, i.a);
    if (is(when, 0)) return;
    const std::string word =
        fmt::format("({} {}", i.code == operation::mark ? "marks" : "violates", quoted(p_.properties[i.which].name));
    const auto known = std::find_if(x.effects.begin(), x.effects.end(), [&](const auto& e) { return e.first == word; });
    if (step_.together && known != x.effects.end())
      known->second = either(known->second, when);
    else
      x.effects.emplace_back(word, when);
  }

  // False: there is nothing to choose.
  bool choose(path& x, const instruction& i) {
    if (p_.parametrised) {
      const std::string name = fmt::format("c{}", x.params.size());
      x.params.push_back('(' + name + ' ' + type_text(i.type) + ')');
      x.temps[i.temp] = opaque(name, p_.types[i.type].kind == type_kind::set ? -far : low(p_, i.type), high(i.type));
      return true;
    }
    std::uint64_t n = i.sort == nothing ? i.count : p_.sorts[i.sort].element.size();
    if (step_.together && n < 2) {  // a parameter would have to be 0 also where the path is not taken
      x.temps[i.temp] = number(0);
      return n == 1;
    }
    std::string name = fmt::format("c{}", step_.together ? ++chosen_ : x.params.size());
    x.params.push_back(i.sort == nothing ? fmt::format("({} {})", name, n)
                                         : fmt::format("({} {})", name, quoted(p_.sorts[i.sort].name)));
    x.temps[i.temp] = opaque(name, 0, std::max<std::int64_t>(static_cast<std::int64_t>(n) - 1, 0));
    return true;
  }

  // False where the value never fits: the path has ended.
  bool assign(path& x, const instruction& i) {
    if (i.a == nothing) return x.arbitrary.insert(i.var).second;
    if (!i.each.empty()) return assign_everywhere(x, i);
    term v = value(x, i.a);
    std::vector<term> index = terms(x, i.index);
    const term fits = decided(x, fit(v, p_.variables[i.var].type));
    if (!is(fits, 1)) {
      path no = x;
      assume(no, negation(fits));
      finish(std::move(no), " (ends error range)");
      if (is(fits, 0)) return false;
      assume(x, fits);
    }
    if (naming() && !v->constant && p_.types[p_.variables[i.var].type].kind != type_kind::set)
      v = opaque(v->text, std::max(v->low, low(p_, p_.variables[i.var].type)),
                 std::min(v->high, high(p_.variables[i.var].type)));
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
      all[k].value = named(choice(again, v, all[k].value));
      ++k;
    }
    all.push_back({std::move(index), named(v), {}});
    return true;
  }

  bool assign_everywhere(path& x, const instruction& i) {
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
      finish(std::move(no), " (ends error range)");
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
    return fmt::format("(each ({}) {} ({}) {})", binders, name_of(v), places, now);
  }

  // --- items ---

  void item(const path& x, const std::string& end) {
    term guard = truth(true);
    for (const term& t : x.assumed) guard = both(guard, t);
    std::string text = ") " + guard->text + " (";
    bool first = true;
    for (const auto& [v, all] : x.writes) {
      if (!end.empty()) break;  // leads to no state
      if (std::any_of(all.begin(), all.end(), [](const write& w) { return static_cast<bool>(w.everywhere); })) {
        text += (first ? "" : " ") + everywhere_text(x, v);
        first = false;
        continue;
      }
      for (const write& w : all) {
        text += (first ? "(" : " (") + name_of(v) + " (";
        for (std::size_t k = 0; k < w.index.size(); ++k) text += (k ? " " : "") + w.index[k]->text;
        text += ") " + w.value->text + (is(w.when, 1) ? "" : ' ' + w.when->text) + ')';
        first = false;
      }
    }
    text += ')';
    for (std::size_t k = 0; k < p_.properties.size(); ++k) {
      if (x.violated >> k & 1) text += " (violates " + quoted(p_.properties[k].name) + ')';
      if (x.marked >> k & 1) text += " (marks " + quoted(p_.properties[k].name) + ')';
    }
    for (const auto& [word, when] : x.effects) text += ' ' + word + (is(when, 1) ? "" : ' ' + when->text) + ')';
    out_ += '(' + step_.head + " (";
    for (std::size_t k = 0; k < x.params.size(); ++k) out_ += (k ? " " : "") + x.params[k];
    if (step_.together) out_ += used_definitions(text);
    out_ += text + end + ")\n";
  }

  // Those that the text needs, in their order.
  std::string used_definitions(const std::string& text) const {
    std::vector<bool> used(definitions().size());
    mark_used(text, used);
    for (std::size_t k = used.size(); k-- > 0;)
      if (used[k]) mark_used(definitions()[k].text, used);
    std::string out;
    for (std::size_t k = 0; k < used.size(); ++k)
      if (used[k]) out += " (" + definitions()[k].name + " = " + definitions()[k].text + ')';
    return out;
  }

  void initial() {
    initial_ = true;
    std::string arbitrary;
    for (const instruction& i : p_.init)
      if (i.code == operation::set && i.a == nothing) arbitrary += "(arbitrary " + name_of(i.var) + ")\n";
    out_ += arbitrary;
    step_.head = "initial";
    step_.of = nullptr;
    explore({}, p_.init);
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
      if (!x.assumed.empty() && is(x.assumed[0], 0)) continue;
      step_.head = (q.only_when_stuck ? "late-action " : "action ") + quoted(fmt::format("{}.{}", q.name, l));
      step_.of = &q;
      step_.self = self;
      explore(x, q.code);
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

  const std::size_t most_separate_;
  std::string out_;
  std::size_t chosen_ = 0;  // together: parameters of this step
};

}  // namespace

std::string core_text(const ir::program& p, std::size_t most_separate) { return writer(p, most_separate).run(); }

}  // namespace quiesce
