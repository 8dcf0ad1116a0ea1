// SPDX-License-Identifier: MIT
#include "model/system/early_choices.hpp"

#include <algorithm>
#include <map>

#include "model/system/fold.hpp"

namespace quiesce::ir {

namespace {

constexpr std::size_t most_expressions = 10000;

using known_value = std::optional<std::int64_t>;

bool looked_at(operation o) { return o == operation::set_temp || o == operation::set || o == operation::await; }

// Instructions in a straight line from a choice on, in a state of which nothing is known but what they write themselves.
// An `await` refuses only where all before it is known to end in no error: an error is to be found, not given up.
class straight_line {
 public:
  straight_line(const program& p, std::size_t& left) : p_(p), left_(left) {}

  // False: no step passes here with this value.
  bool passes(const std::vector<instruction>& code, std::size_t choice, std::int64_t value) {
    temps_[code[choice].temp] = value;
    for (std::size_t i = choice + 1; i < code.size() && looked_at(code[i].code); ++i) {
      const bool refused = refuses(code[i]);
      if (may_fail_) return true;
      if (refused) return false;
    }
    return true;
  }

 private:
  bool refuses(const instruction& x) {
    if (x.code == operation::await) return value_of(x.a) == 0;
    if (x.code == operation::set_temp)
      temps_[x.temp] = value_of(x.a);
    else
      store(x);
    return false;
  }

  void store(const instruction& x) {
    const auto to = element(x.var, x.index);
    const known_value v = x.a == nothing ? std::nullopt : value_of(x.a);
    if (!to || !v || !code_of(p_.variables[x.var].type, *v))
      may_fail_ = true;
    else
      written_[*to] = *v;
  }

  // Of a value of this type, its place among them. None: it is not one.
  std::optional<std::int64_t> code_of(type_id type, std::int64_t v) const {
    const std::uint64_t code = static_cast<std::uint64_t>(v) - static_cast<std::uint64_t>(low(p_, type));
    return code <= max_code(p_, type) ? std::optional(static_cast<std::int64_t>(code)) : std::nullopt;
  }

  using place = std::pair<variable_id, std::vector<std::int64_t>>;
  // None: which element is not known, or it may be none of the table.
  std::optional<place> element(variable_id v, const std::vector<expr_id>& index) {
    place out{v, {}};
    for (std::size_t k = 0; k < index.size(); ++k) {
      const known_value at = value_of(index[k]);
      const std::size_t size = p_.sorts[p_.variables[v].index[k]].element.size();
      if (!at || static_cast<std::uint64_t>(*at) >= size) {
        may_fail_ = true;
        return std::nullopt;
      }
      out.second.push_back(*at);
    }
    return out;
  }

  // What is not looked into may end in an error.
  known_value unsure() {
    may_fail_ = true;
    return std::nullopt;
  }

  known_value value_of(expr_id id) {
    if (left_ == 0) return unsure();
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
      case op::select:
        return selected(e);
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

  known_value selected(const expr& e) {
    const known_value c = value_of(e.kids[0]);
    if (c) return value_of(e.kids[*c ? 1 : 2]);
    const known_value yes = value_of(e.kids[1]), no = value_of(e.kids[2]);
    return yes == no ? yes : std::nullopt;
  }

  known_value plain(const expr& e) {
    std::vector<known_value> k;
    for (const expr_id kid : e.kids) k.push_back(value_of(kid));
    const bool known = std::all_of(k.begin(), k.end(), [](const known_value& v) { return v.has_value(); });
    switch (e.code) {
      case op::not_:
        return known ? known_value(*k[0] == 0) : std::nullopt;
      case op::wrap: {
        const auto code = known ? code_of(p_.types[e.type].inner, *k[0]) : std::nullopt;
        return code ? known_value(1 + *code) : std::nullopt;
      }
      case op::equal:
      case op::not_equal:
      case op::less:
      case op::less_equal:
        return known ? folded(e.code, *k[0], *k[1]) : std::nullopt;
      case op::add:
      case op::subtract: {
        const known_value v = known ? folded(e.code, *k[0], *k[1]) : std::nullopt;
        return v ? v : unsure();
      }
      default:
        return unsure();
    }
  }

  const program& p_;
  std::size_t& left_;
  bool may_fail_ = false;
  std::map<temp_id, known_value> temps_;
  std::map<place, std::int64_t> written_;
};

}  // namespace

std::optional<std::vector<std::int64_t>> remaining_values(const program& p, const std::vector<instruction>& code,
                                                          std::size_t at) {
  const auto end = std::find_if_not(code.begin() + static_cast<std::ptrdiff_t>(at) + 1, code.end(),
                                    [](const instruction& i) { return looked_at(i.code); });
  const bool asks = std::any_of(code.begin() + static_cast<std::ptrdiff_t>(at) + 1, end,
                                [](const instruction& i) { return i.code == operation::await; });
  const instruction& choice = code[at];
  const std::size_t n = choice.sort == nothing ? choice.count : p.sorts[choice.sort].element.size();
  if (!asks || n > most_expressions) return std::nullopt;
  std::vector<std::int64_t> out;
  std::size_t left = most_expressions;
  for (std::size_t value = 0; value < n; ++value)
    if (straight_line(p, left).passes(code, at, static_cast<std::int64_t>(value)))
      out.push_back(static_cast<std::int64_t>(value));
  return out.size() == n ? std::nullopt : std::optional(std::move(out));
}

}  // namespace quiesce::ir
