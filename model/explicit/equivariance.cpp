// SPDX-License-Identifier: MIT
#include "model/explicit/equivariance.hpp"

#include <fmt/format.h>
#include <stdexcept>

#include <algorithm>
#include <map>
#include <set>

#include "model/system/dump.hpp"
#include "model/system/fold.hpp"

namespace quiesce {

namespace {

using namespace ir;

struct reason {
  std::string text;
};

class checker {
 public:
  checker(const program& p, const dead_locals& locals, const sort_images& to)
      : p_(p), locals_(locals), to_(to), done_(p.exprs.size(), false) {}

  void run() {
    for (std::uint32_t q = 0; q < p_.processes.size(); ++q) process_code(q);
    for (const checked_property& c : p_.properties)
      if (c.invariant != nothing) expression(c.invariant);
  }

 private:
  // The type as far as it moves under this exchange.
  moving_type core(type_id t) const {
    moving_type m = moving(p_, t);
    if (m.sort == nothing) return {};
    for (std::uint32_t i = 0; i < to_[m.sort].size(); ++i)
      if (to_[m.sort][i] != i) return m;
    return {};
  }
  bool moves(sort_id s) const {
    for (std::uint32_t i = 0; i < to_[s].size(); ++i)
      if (to_[s][i] != i) return true;
    return false;
  }
  bool is_constant(expr_id e) const { return p_.exprs[e].code == op::constant; }
  [[noreturn]] void fail(expr_id e, const char* why) const { throw reason{fmt::format("{}: {}", why, dump(p_, e))}; }

  void constant(expr_id id, const moving_type& m) const {
    std::int64_t v = p_.exprs[id].value;
    if (m.sort != nothing && (m.set || v >= 0) &&
        image_of(m, to_, static_cast<std::uint64_t>(v)) != static_cast<std::uint64_t>(v))
      fail(id, "an element is named");
  }

  // The operand must be of this core; constants take it from the context.
  void operand(expr_id id, const moving_type& wanted) {
    if (is_constant(id)) {
      constant(id, core(p_.exprs[id].type));
      constant(id, wanted);
      return;
    }
    if (!(core(p_.exprs[id].type) == wanted)) fail(id, "an element is used as another kind of value");
    expression(id);
  }
  moving_type element_of(sort_id s) const { return moves(s) ? moving_type{s, false, 0} : moving_type{}; }

  void expression(expr_id id) {
    if (done_[id]) return;
    const expr& e = p_.exprs[id];
    switch (e.code) {
      case op::construct:
      case op::constructed:
        throw std::logic_error("a parametrised program is not explored");
      case op::constant:
        constant(id, core(e.type));
        break;
      case op::temp:
        break;
      case op::load:
        for (std::size_t k = 0; k < e.kids.size(); ++k) operand(e.kids[k], element_of(p_.variables[e.var].index[k]));
        if (!(core(e.type) == core(p_.variables[e.var].type))) fail(id, "a variable is read as another type");
        break;
      case op::equal:
      case op::not_equal: {
        expr_id typed = is_constant(e.kids[0]) ? e.kids[1] : e.kids[0];
        for (expr_id k : e.kids) operand(k, core(p_.exprs[typed].type));
        break;
      }
      case op::negate:
      case op::less:
      case op::less_equal:
      case op::add:
      case op::subtract:
      case op::multiply:
      case op::divide:
      case op::minimum:
      case op::maximum:
        arithmetic(id);
        break;
      case op::select:
        expression(e.kids[0]);
        operand(e.kids[1], core(e.type));
        operand(e.kids[2], core(e.type));
        break;
      case op::wrap:
        operand(e.kids[0], core(p_.types[e.type].inner));
        break;
      case op::unwrap: {
        moving_type m = core(e.type);
        if (m.sort != nothing) ++m.options;
        operand(e.kids[0], m);
        break;
      }
      case op::contains:
        contains(e);
        break;
      case op::singleton: {
        moving_type m = core(e.type);
        m.set = false;
        operand(e.kids[0], m);
        break;
      }
      case op::unite:
      case op::intersect:
      case op::subtract_set:
        for (expr_id k : e.kids) operand(k, core(e.type));
        break;
      case op::collect: {
        moving_type m = element_of(e.sort);
        if (m.sort != nothing) m.set = true;
        if (!(core(e.type) == m)) fail(id, "a set of another sort");
        bound(e);
        break;
      }
      case op::all:
      case op::some:
      case op::count:
        bound(e);
        break;
      case op::not_:
      case op::and_:
      case op::or_:
      case op::implies:
      case op::cardinality:
        for (expr_id k : e.kids) expression(k);
        break;
    }
    done_[id] = true;
  }

  void contains(const expr& e) {
    moving_type m = core(p_.exprs[e.kids[0]].type);
    if (m.sort == nothing) {
      m = core(p_.exprs[e.kids[1]].type);
      m.set = m.sort != nothing;
    }
    operand(e.kids[0], m);
    m.set = false;
    operand(e.kids[1], m);
  }

  // The bound temp must be read as an element of the sort it ranges over.
  void bound(const expr& e) {
    if (moves(e.sort)) typed_temps(e.kids[0], e.temp, e.sort);
    expression(e.kids[0]);
  }
  void typed_temps(expr_id id, temp_id t, sort_id s) const {
    const expr& e = p_.exprs[id];
    if (e.code == op::temp && e.temp == t && !(core(e.type) == element_of(s)))
      fail(id, "an element is used as another kind of value");
    for (expr_id k : e.kids) typed_temps(k, t, s);
  }

  // A function of one value, given by an operator and a constant: it must map images to images.
  void arithmetic(expr_id id) {
    const expr& e = p_.exprs[id];
    bool any = core(e.type).sort != nothing;
    for (expr_id k : e.kids) any = any || core(p_.exprs[k].type).sort != nothing;
    if (!any) {
      for (expr_id k : e.kids) expression(k);
      return;
    }
    if (e.kids.size() != 2 || is_constant(e.kids[0]) == is_constant(e.kids[1]))
      fail(id, "elements are compared or computed with");
    bool left = is_constant(e.kids[0]);
    expr_id x = e.kids[left ? 1 : 0];
    std::int64_t c = p_.exprs[e.kids[left ? 0 : 1]].value;
    auto f = [&](std::int64_t v) {
      const auto exact = left ? folded(e.code, c, v) : folded(e.code, v, c);
      if (!exact) fail(id, "a number exceeds 64 bits");
      return *exact;
    };
    commutes(id, x, f);
    expression(x);
  }

  template <class function>
  void commutes(expr_id id, expr_id x, function&& f) const {
    type_id from = p_.exprs[x].type, into = p_.exprs[id].type;
    moving_type a = core(from), b = core(into);
    if (max_code(p_, from) > 65535) fail(id, "too many values to compare");
    bool truth = p_.exprs[id].code == op::less || p_.exprs[id].code == op::less_equal;
    for (std::uint64_t code = 0; code <= max_code(p_, from); ++code) {
      std::int64_t v = f(static_cast<std::int64_t>(code) + low(p_, from));
      std::int64_t image = f(static_cast<std::int64_t>(image_of(a, to_, code)) + low(p_, from));
      if (truth || b.sort == nothing) {
        if (v != image) fail(id, "elements are ordered");
        continue;
      }
      auto fits = [&](std::int64_t r) { return r >= 0 && static_cast<std::uint64_t>(r) <= max_code(p_, into); };
      if (fits(v) != fits(image)) fail(id, "elements are computed with");
      if (fits(v) && image_of(b, to_, static_cast<std::uint64_t>(v)) != static_cast<std::uint64_t>(image))
        fail(id, "elements are computed with");
    }
  }

  void process_code(std::uint32_t number) {
    const process& q = p_.processes[number];
    if (q.over != nothing && moves(q.over))
      for (const instruction& i : q.code) {
        if (i.a != nothing) typed_temps(i.a, 0, q.over);
        for (expr_id e : i.index) typed_temps(e, 0, q.over);
      }
    std::set<std::uint32_t> in_loop;  // heads and ends of the loops below
    for (std::uint32_t i = 0; i < q.code.size(); ++i)
      if (q.code[i].code == operation::jump_if && q.code[i].target <= i && ascending(number, i)) {
        in_loop.insert({i, i - 1, q.code[i].target - 1});
      }
    const std::set<std::uint32_t> entered = entries(q);
    for (std::uint32_t i = 0; i < q.code.size(); ++i) {
      if (in_loop.count(i)) continue;
      const std::uint32_t end = uniform(q, i, entered, in_loop);
      for (; i + 1 < end; ++i) alike(number, i);
      if (end)
        alike(number, i);
      else
        one(number, i);
    }
  }

  static std::set<std::uint32_t> entries(const process& q) {
    std::set<std::uint32_t> out;
    for (const instruction& i : q.code)
      if (i.code == operation::jump || i.code == operation::jump_if) out.insert(i.target);
    for (const location& l : q.locations) out.insert(l.entry);
    return out;
  }

  bool same(expr_id a, expr_id b) const {
    const expr &x = p_.exprs[a], &y = p_.exprs[b];
    if (a == b) return true;
    if (x.code != y.code || x.value != y.value || x.var != y.var || x.temp != y.temp || x.sort != y.sort || x.type != y.type)
      return false;
    return std::equal(x.kids.begin(), x.kids.end(), y.kids.begin(), y.kids.end(),
                      [&](expr_id k, expr_id l) { return same(k, l); });
  }
  bool loads(expr_id id, variable_id v) const {
    const expr& e = p_.exprs[id];
    if (e.code == op::load && e.var == v) return true;
    return std::any_of(e.kids.begin(), e.kids.end(), [&](expr_id k) { return loads(k, v); });
  }

  // The same value for one place after the other, the places named: x(0) := v; x(1) := v; ... for elements that the exchange
  // maps to each other. The end of such a run from `first` on; 0: there is none.
  std::uint32_t uniform(const process& q, std::uint32_t first, const std::set<std::uint32_t>& entered,
                        const std::set<std::uint32_t>& in_loop) const {
    const instruction& x = q.code[first];
    if (x.code != operation::set || loads(x.a, x.var)) return 0;
    for (expr_id e : x.index)
      if (loads(e, x.var)) return 0;
    const auto continues = [&](const instruction& y) {
      return y.code == operation::set && y.var == x.var && same(x.a, y.a) &&
             std::equal(x.index.begin(), x.index.end(), y.index.begin(),
                        [&](expr_id k, expr_id l) { return (is_constant(k) && is_constant(l)) || same(k, l); });
    };
    std::set<std::vector<std::int64_t>> places;
    std::uint32_t end = first;
    for (; end < q.code.size() && continues(q.code[end]) && !in_loop.count(end); ++end) {
      if (end > first && entered.count(end)) break;
      std::vector<std::int64_t> at;
      for (expr_id e : q.code[end].index) at.push_back(is_constant(e) ? p_.exprs[e].value : -1);
      places.insert(std::move(at));
    }
    for (std::vector<std::int64_t> at : places) {
      for (std::size_t k = 0; k < at.size(); ++k) {
        const auto& map = to_[p_.variables[x.var].index[k]];
        if (!is_constant(x.index[k])) continue;
        if (at[k] < 0 || at[k] >= static_cast<std::int64_t>(map.size())) return 0;
        at[k] = map[static_cast<std::size_t>(at[k])];
      }
      if (!places.count(at)) return 0;
    }
    return end - first < 2 ? 0 : end;
  }

  // One of a uniform run: what it names was looked at.
  void alike(std::uint32_t number, std::uint32_t at) {
    const instruction& i = p_.processes[number].code[at];
    const variable& v = p_.variables[i.var];
    for (std::size_t k = 0; k < i.index.size(); ++k)
      if (!is_constant(i.index[k])) operand(i.index[k], element_of(v.index[k]));
    if (!(is_constant(i.a) && locals_.dead_store(number, at))) operand(i.a, core(v.type));
  }

  void one(std::uint32_t number, std::uint32_t at) {
    const instruction& i = p_.processes[number].code[at];
    switch (i.code) {
      case operation::set: {
        const variable& v = p_.variables[i.var];
        for (std::size_t k = 0; k < i.index.size(); ++k) operand(i.index[k], element_of(v.index[k]));
        if (is_constant(i.a) && locals_.dead_store(number, at)) break;
        operand(i.a, core(v.type));
        break;
      }
      case operation::set_temp:
      case operation::jump_if:
      case operation::await:
        expression(i.a);
        break;
      default:
        break;
    }
  }

  // set_temp t := low; HEAD: body; set_temp t := t + 1; jump_if t < n, HEAD   with low..n-1 mapped to itself.
  bool ascending(std::uint32_t number, std::uint32_t last) {
    const std::vector<instruction>& code = p_.processes[number].code;
    std::uint32_t head = code[last].target;
    if (head == 0 || last < head + 1) return false;
    const instruction &start = code[head - 1], &step = code[last - 1];
    const expr& test = p_.exprs[code[last].a];
    if (start.code != operation::set_temp || step.code != operation::set_temp || start.temp != step.temp ||
        !is_constant(start.a))
      return false;
    const expr& sum = p_.exprs[step.a];
    if (sum.code != op::add || test.code != op::less) return false;
    if (!is_temp(sum.kids[0], start.temp) || !is_constant(sum.kids[1]) || p_.exprs[sum.kids[1]].value != 1) return false;
    if (!is_temp(test.kids[0], start.temp) || !is_constant(test.kids[1])) return false;
    moving_type m = core(p_.exprs[sum.kids[0]].type);
    if (m.sort == nothing || m.set || m.options) return false;
    std::int64_t from = p_.exprs[start.a].value, to = p_.exprs[test.kids[1]].value;
    if (from < 0 || to > static_cast<std::int64_t>(to_[m.sort].size())) return false;
    for (std::int64_t k = from; k < to; ++k) {
      std::int64_t image = to_[m.sort][static_cast<std::size_t>(k)];
      if (image < from || image >= to) return false;
    }
    return from < to && apart(number, head, last - 1, start.temp) && last + 1 < code.size() &&
           !locals_.temp_live_before(number, last + 1, start.temp) && only_entry(number, head, last);
  }
  bool is_temp(expr_id e, temp_id t) const { return p_.exprs[e].code == op::temp && p_.exprs[e].temp == t; }

  // Nothing outside jumps into the loop, and nothing in it leaves but through its end.
  bool only_entry(std::uint32_t number, std::uint32_t head, std::uint32_t last) const {
    const process& q = p_.processes[number];
    for (std::uint32_t i = 0; i < q.code.size(); ++i) {
      const instruction& x = q.code[i];
      if (x.code != operation::jump && x.code != operation::jump_if) continue;
      bool inside = i >= head && i < last, into = x.target >= head && x.target <= last;
      if (i != last && inside != into && !(inside && x.target == last - 1)) return false;
      if (inside && into && x.target > last - 1) return false;
    }
    for (const location& l : q.locations)
      if (l.entry >= head && l.entry <= last) return false;
    return true;
  }

  // Turns of the loop commute: each writes only at its own element, and reads what is written only there.
  bool apart(std::uint32_t number, std::uint32_t head, std::uint32_t end, temp_id t) {
    const std::vector<instruction>& code = p_.processes[number].code;
    std::map<variable_id, std::set<std::size_t>> written;  // the positions of its index that hold t in every write
    std::set<std::uint32_t> failures;                      // kinds of error that may end a turn
    for (std::uint32_t i = head; i < end; ++i) {
      const instruction& x = code[i];
      switch (x.code) {
        case operation::set: {
          std::set<std::size_t> here;
          for (std::size_t k = 0; k < x.index.size(); ++k)
            if (is_temp(x.index[k], t)) here.insert(k);
          auto [it, fresh] = written.try_emplace(x.var, here);
          if (!fresh) keep_common(it->second, here);
          if (!always_fits(x.a, p_.variables[x.var].type)) failures.insert(static_cast<std::uint32_t>(error_kind::range));
          break;
        }
        case operation::set_temp:
          if (x.temp == t || locals_.temp_live_before(number, head, x.temp) ||
              locals_.temp_live_after(number, end + 1, x.temp))
            return false;
          break;
        case operation::jump:
        case operation::jump_if:
          break;
        case operation::error:
          failures.insert(x.which);
          break;
        case operation::emit:
          break;
        default:
          return false;
      }
    }
    if (failures.size() > 1) return false;
    for (const auto& [v, at] : written)
      if (at.empty()) return false;
    for (std::uint32_t i = head; i < end; ++i) {
      if (code[i].a != nothing && !reads_apart(code[i].a, written, t)) return false;
      for (expr_id e : code[i].index)
        if (!reads_apart(e, written, t)) return false;
    }
    return true;
  }
  static void keep_common(std::set<std::size_t>& a, const std::set<std::size_t>& b) {
    for (auto it = a.begin(); it != a.end();) it = b.count(*it) ? std::next(it) : a.erase(it);
  }
  bool always_fits(expr_id e, type_id into) const {
    type_id from = p_.exprs[e].type;
    if (is_constant(e)) {
      std::int64_t v = p_.exprs[e].value - low(p_, into);
      return v >= 0 && static_cast<std::uint64_t>(v) <= max_code(p_, into);
    }
    return low(p_, from) >= low(p_, into) && low(p_, from) + static_cast<std::int64_t>(max_code(p_, from)) <=
                                                 low(p_, into) + static_cast<std::int64_t>(max_code(p_, into));
  }
  bool reads_apart(expr_id id, const std::map<variable_id, std::set<std::size_t>>& written, temp_id t) const {
    const expr& e = p_.exprs[id];
    if (e.code == op::load) {
      auto it = written.find(e.var);
      if (it != written.end()) {
        // One position that holds t in all writes and in this read keeps the turns apart.
        bool own = false;
        for (std::size_t k : it->second) own = own || is_temp(e.kids[k], t);
        if (!own) return false;
      }
    }
    for (expr_id k : e.kids)
      if (!reads_apart(k, written, t)) return false;
    return true;
  }

  const program& p_;
  const dead_locals& locals_;
  const sort_images& to_;
  std::vector<bool> done_;
};

}  // namespace

std::optional<std::string> breaks_symmetry(const ir::program& p, const dead_locals& locals, const sort_images& to) {
  try {
    checker(p, locals, to).run();
  } catch (const reason& r) {
    return r.text;
  }
  return std::nullopt;
}

}  // namespace quiesce
