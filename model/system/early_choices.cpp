// SPDX-License-Identifier: MIT
#include "model/system/early_choices.hpp"

#include <bit>
#include <map>
#include <numeric>
#include <optional>

#include "model/system/fold.hpp"

namespace quiesce::ir {

namespace {

constexpr std::size_t most_expressions = 10000;

using known_value = std::optional<std::int64_t>;

// Instructions in a straight line from a choice on, in a state of which nothing is known but what they write themselves.
class straight_line {
 public:
  straight_line(const program& p, std::size_t& left) : p_(p), left_(left) {}

  // False: no step passes here with this value.
  bool passes(const std::vector<instruction>& code, std::size_t choice, std::int64_t value) {
    temps_[code[choice].temp] = value;
    for (std::size_t i = choice + 1; i < code.size(); ++i) {
      const instruction& x = code[i];
      if (x.code == operation::set_temp)
        temps_[x.temp] = value_of(x.a);
      else if (x.code == operation::await && value_of(x.a) == 0)
        return false;
      else if (x.code == operation::set && !stored(x))
        return true;
      else if (x.code != operation::await && x.code != operation::set)
        return true;
    }
    return true;
  }

 private:
  // False: it may end in an error, or where it stores is not known.
  bool stored(const instruction& x) {
    if (x.a == nothing) return false;
    const auto to = element(x.var, x.index);
    const known_value v = value_of(x.a);
    if (!to) return false;
    const type_id type = p_.variables[x.var].type;
    if (!v || *v < low(p_, type) || static_cast<std::uint64_t>(*v - low(p_, type)) > max_code(p_, type)) return false;
    written_[*to] = *v;
    return true;
  }

  using place = std::pair<variable_id, std::vector<std::int64_t>>;
  std::optional<place> element(variable_id v, const std::vector<expr_id>& index) {
    place out{v, {}};
    for (const expr_id e : index) {
      const known_value at = value_of(e);
      if (!at) return std::nullopt;
      out.second.push_back(*at);
    }
    return out;
  }

  known_value value_of(expr_id id) {
    if (left_ == 0) return std::nullopt;
    --left_;
    const expr& e = p_.exprs[id];
    switch (e.code) {
      case op::constant:
        return e.value;
      case op::temp:
        return look(temps_, e.temp);
      case op::load: {
        const auto from = element(e.var, e.kids);
        return from ? look(written_, *from) : std::nullopt;
      }
      case op::and_:
        return either(e, false, false);
      case op::or_:
        return either(e, true, true);
      case op::implies:
        return either(e, false, true);
      case op::select: {
        const known_value c = value_of(e.kids[0]);
        return c ? value_of(e.kids[*c ? 1 : 2]) : std::nullopt;
      }
      case op::all:
      case op::some:
      case op::count:
        return quantified(e);
      default:
        return plain(e);
    }
  }

  template <class map>
  static known_value look(const map& m, const typename map::key_type& k) {
    const auto it = m.find(k);
    return it == m.end() ? std::nullopt : known_value(it->second);
  }

  // A left side that is `decides` gives `then`; so does a right side that is `then`.
  known_value either(const expr& e, bool decides, bool then) {
    const known_value a = value_of(e.kids[0]);
    if (a && (*a != 0) == decides) return then;
    const known_value b = value_of(e.kids[1]);
    if (b && (*b != 0) == then) return then;
    return a && b ? known_value(!then) : std::nullopt;
  }

  known_value quantified(const expr& e) {
    const known_value v = over_all(e);
    temps_.erase(e.temp);
    return v;
  }

  known_value over_all(const expr& e) {
    const std::size_t n = p_.sorts[e.sort].element.size();
    std::int64_t holding = 0;
    bool all_known = true;
    for (std::size_t i = 0; i < n; ++i) {
      temps_[e.temp] = static_cast<std::int64_t>(i);
      const known_value v = value_of(e.kids[0]);
      if (v && e.code == op::all && *v == 0) return 0;
      if (v && e.code == op::some && *v != 0) return 1;
      all_known = all_known && v;
      holding += v && *v != 0;
    }
    if (!all_known) return std::nullopt;
    return e.code == op::all ? 1 : e.code == op::some ? 0 : holding;
  }

  known_value plain(const expr& e) {
    std::vector<std::int64_t> k;
    for (const expr_id kid : e.kids) {
      const known_value v = value_of(kid);
      if (!v) return std::nullopt;
      k.push_back(*v);
    }
    switch (e.code) {
      case op::not_:
        return k[0] == 0;
      case op::wrap: {
        const type_id inner = p_.types[e.type].inner;
        const std::int64_t code = k[0] - low(p_, inner);
        if (code < 0 || static_cast<std::uint64_t>(code) > max_code(p_, inner)) return std::nullopt;
        return 1 + code;
      }
      case op::equal:
      case op::not_equal:
      case op::less:
      case op::less_equal:
      case op::add:
      case op::subtract:
        return folded(e.code, k[0], k[1]);
      default:
        return std::nullopt;
    }
  }

  const program& p_;
  std::size_t& left_;
  std::map<temp_id, known_value> temps_;
  std::map<place, std::int64_t> written_;
};

}  // namespace

std::vector<std::int64_t> possible_values(const program& p, const std::vector<instruction>& code, std::size_t at) {
  const instruction& choice = code[at];
  const std::size_t n = choice.sort == nothing ? choice.count : p.sorts[choice.sort].element.size();
  std::vector<std::int64_t> out;
  std::size_t left = most_expressions;
  for (std::size_t value = 0; value < n; ++value)
    if (straight_line(p, left).passes(code, at, static_cast<std::int64_t>(value)))
      out.push_back(static_cast<std::int64_t>(value));
  return out;
}

}  // namespace quiesce::ir
