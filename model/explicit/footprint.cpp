// SPDX-License-Identifier: MIT
#include "model/explicit/footprint.hpp"

#include <algorithm>

namespace quiesce {

namespace {

using namespace ir;

using value = std::optional<std::int64_t>;  // nothing: any
using environment = std::vector<value>;     // of temps

constexpr std::size_t most_unrolled = 16;  // elements of a quantifier

std::size_t temps_of(const program& p) {
  std::size_t n = 1;
  for (const process& q : p.processes) n = std::max<std::size_t>(n, q.temps);
  for (const expr& e : p.exprs) n = std::max<std::size_t>(n, e.temp + 1u);
  return n;
}

class evaluation {
 public:
  evaluation(const program& p, slot_set& reads, const std::optional<known_slot>& known)
      : p_(p), reads_(reads), known_(known) {}

  value of(expr_id id, environment& t) {
    const expr& e = p_.exprs[id];
    switch (e.code) {
      case op::constant:
        return e.value;
      case op::temp:
        return t[e.temp];
      case op::load:
        return load(e, t);
      case op::and_:
      case op::or_:
      case op::implies:
        return decided_by_left(e, t);
      case op::select:
        return select(e, t);
      case op::all:
      case op::some:
      case op::count:
      case op::collect:
        return quantifier(e, t);
      default:
        return fold(e, t);
    }
  }

  // Calls each(slot) for every element that the index may mean.
  template <class visitor>
  void places(variable_id v, const std::vector<expr_id>& index, environment& t, visitor&& each) {
    std::vector<value> at;
    for (expr_id e : index) at.push_back(of(e, t));
    const variable& x = p_.variables[v];
    const std::uint64_t n = element_count(p_, x);
    for (std::uint64_t flat = 0; flat < n; ++flat)
      if (may_be(x, flat, at)) each(x.first_slot + static_cast<std::uint32_t>(flat));
  }

 private:
  bool may_be(const variable& x, std::uint64_t flat, const std::vector<value>& at) const {
    for (std::size_t k = x.index.size(); k-- > 0;) {
      const std::uint64_t size = p_.sorts[x.index[k]].element.size();
      if (k < at.size() && at[k] && static_cast<std::uint64_t>(*at[k]) != flat % size) return false;
      flat /= size;
    }
    return true;
  }

  value load(const expr& e, environment& t) {
    std::size_t met = 0;
    bool is_known = false;
    places(e.var, e.kids, t, [&](std::uint32_t s) {
      reads_.add(s);
      ++met;
      is_known = is_known || (known_ && known_->slot == s);
    });
    if (met != 1 || !is_known) return std::nullopt;
    return static_cast<std::int64_t>(known_->code) + low(p_, p_.variables[e.var].type);
  }

  value decided_by_left(const expr& e, environment& t) {
    const value a = of(e.kids[0], t);
    const bool decides = e.code == op::or_;  // the value of the left side that the right one does not change
    const bool result = e.code != op::and_;
    if (a && (*a != 0) == decides) return result;
    const value b = of(e.kids[1], t);
    if (a) return b;
    // Whatever the left side is.
    if (b && e.code == op::and_ && *b == 0) return 0;
    if (b && e.code != op::and_ && *b != 0) return 1;
    return std::nullopt;
  }

  value select(const expr& e, environment& t) {
    const value c = of(e.kids[0], t);
    if (c) return of(e.kids[*c ? 1 : 2], t);
    const value a = of(e.kids[1], t), b = of(e.kids[2], t);
    return a == b ? a : std::nullopt;
  }

  value quantifier(const expr& e, environment& t) {
    const value kept = t[e.temp];
    const std::size_t n = p_.sorts[e.sort].element.size();
    bool all_true = true, all_false = true;
    const auto turn = [&](value v) {
      t[e.temp] = v;
      const value b = of(e.kids[0], t);
      all_true = all_true && b && *b != 0;
      all_false = all_false && b && *b == 0;
    };
    if (n > most_unrolled) turn(std::nullopt);
    for (std::size_t i = 0; i < n && n <= most_unrolled; ++i) turn(static_cast<std::int64_t>(i));
    t[e.temp] = kept;
    if (e.code == op::all && all_true) return 1;
    if (e.code == op::some && all_false) return 0;
    return std::nullopt;
  }

  value fold(const expr& e, environment& t) {
    std::vector<value> k;
    for (expr_id kid : e.kids) k.push_back(of(kid, t));
    if (std::any_of(k.begin(), k.end(), [](const value& v) { return !v; })) return std::nullopt;
    switch (e.code) {
      case op::not_:
        return *k[0] == 0;
      case op::equal:
        return *k[0] == *k[1];
      case op::not_equal:
        return *k[0] != *k[1];
      case op::less:
        return *k[0] < *k[1];
      case op::less_equal:
        return *k[0] <= *k[1];
      case op::add:
        return small(*k[0]) && small(*k[1]) ? value(*k[0] + *k[1]) : std::nullopt;
      case op::subtract:
        return small(*k[0]) && small(*k[1]) ? value(*k[0] - *k[1]) : std::nullopt;
      case op::wrap:
        return small(*k[0]) ? value(1 + *k[0] - low(p_, p_.types[e.type].inner)) : std::nullopt;
      default:
        return std::nullopt;
    }
  }

  static bool small(std::int64_t v) { return v > -(std::int64_t{1} << 40) && v < std::int64_t{1} << 40; }

  const program& p_;
  slot_set& reads_;
  const std::optional<known_slot> known_;  // its own: what it is made of may be a temporary
};

// All paths of one step at once: what is known of the temps in front of an instruction is what holds on every path to it.
class execution {
 public:
  execution(const program& p, std::uint32_t process, std::uint32_t instance, const std::optional<known_slot>& known)
      : p_(p), q_(p.processes[process]), instance_(instance), eval_(p, out_.reads, known) {
    out_.reads = out_.writes = slot_set(slot_count(p));
  }

  footprint run(std::uint32_t location) {
    if (q_.locations[location].ended) return std::move(out_);
    before_.assign(q_.code.size(), std::nullopt);
    environment t(temps_of(p_));
    t[0] = instance_;
    flow(q_.locations[location].entry, t);
    while (!todo_.empty()) {
      const std::uint32_t at = todo_.back();
      todo_.pop_back();
      one(at, *before_[at]);
    }
    std::sort(out_.next.begin(), out_.next.end());
    out_.next.erase(std::unique(out_.next.begin(), out_.next.end()), out_.next.end());
    return std::move(out_);
  }

 private:
  void flow(std::uint32_t to, const environment& t) {
    if (to >= q_.code.size()) return;
    auto& known = before_[to];
    if (!known) {
      known = t;
      todo_.push_back(to);
      return;
    }
    bool changed = false;
    for (std::size_t i = 0; i < t.size(); ++i) {
      if (!(*known)[i] || (*known)[i] == t[i]) continue;
      (*known)[i].reset();
      changed = true;
    }
    if (changed) todo_.push_back(to);
  }

  void one(std::uint32_t at, environment t) {
    const instruction& i = q_.code[at];
    const value a = i.a == nothing ? value() : eval_.of(i.a, t);
    switch (i.code) {
      case operation::set:
        eval_.places(i.var, i.index, t, [&](std::uint32_t s) { out_.writes.add(s); });
        break;
      case operation::set_temp:
        t[i.temp] = a;
        break;
      case operation::jump:
        return flow(i.target, t);
      case operation::jump_if:
        if (!a || *a != 0) flow(i.target, t);
        if (a && *a != 0) return;
        break;
      case operation::await:
        if (a && *a == 0) return;
        break;
      case operation::choose:
        t[i.temp].reset();
        break;
      case operation::emit:
      case operation::violate:
      case operation::mark:
        break;
      case operation::error:
      case operation::bound:
      case operation::stuck:
        return;
      case operation::stop:
        if (q_.pc != nothing) out_.writes.add(p_.variables[q_.pc].first_slot + instance_);
        out_.next.push_back(i.which);
        return;
    }
    flow(at + 1, t);
  }

  const program& p_;
  const process& q_;
  const std::uint32_t instance_;
  footprint out_;
  evaluation eval_;
  std::vector<std::optional<environment>> before_;
  std::vector<std::uint32_t> todo_;
};

}  // namespace

std::size_t slot_count(const program& p) {
  std::size_t n = 0;
  for (const variable& v : p.variables) n = std::max<std::size_t>(n, v.first_slot + element_count(p, v));
  return n;
}

footprint footprint_of(const program& p, std::uint32_t process, std::uint32_t instance, std::uint32_t location,
                       const std::optional<known_slot>& known) {
  return execution(p, process, instance, known).run(location);
}

std::vector<known_slot> constants_stored(const program& p, std::uint32_t process, std::uint32_t instance) {
  std::vector<known_slot> out;
  slot_set ignored(slot_count(p));
  evaluation eval(p, ignored, std::nullopt);
  environment t(temps_of(p));
  t[0] = instance;
  const auto& code = p.processes[process].code;
  const bool own_zero = std::none_of(code.begin(), code.end(), [](const instruction& i) {
    return (i.code == operation::set_temp || i.code == operation::choose) && i.temp == 0;
  });
  if (!own_zero) return out;
  for (const instruction& i : code) {
    if (i.code != operation::set || p.variables[i.var].kind != variable_kind::global) continue;
    const value v = eval.of(i.a, t);
    if (!v) continue;
    std::vector<std::uint32_t> slots;
    eval.places(i.var, i.index, t, [&](std::uint32_t s) { slots.push_back(s); });
    if (slots.size() == 1) out.push_back({slots[0], static_cast<std::uint64_t>(*v - low(p, p.variables[i.var].type))});
  }
  return out;
}

slot_set reads_of(const program& p, expr_id e) {
  slot_set out(slot_count(p));
  environment t(temps_of(p));
  evaluation(p, out, std::nullopt).of(e, t);
  return out;
}

}  // namespace quiesce
