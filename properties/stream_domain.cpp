// SPDX-License-Identifier: MIT
#include "properties/stream_domain.hpp"

#include <algorithm>

namespace quiesce::monitors {

namespace {

using places = std::optional<std::vector<mention>>;

bool may_fail(const term& t) { return t.code == op::value_of || std::any_of(t.kids.begin(), t.kids.end(), may_fail); }

bool is_variable(const term& t, std::uint32_t v) { return t.code == op::variable && t.index == v; }

// Of two ways the cheaper one: a span has few members.
places either(places a, places b) {
  const auto cost = [](const places& p) {
    std::size_t sum = 0;
    for (const mention& m : *p) sum += m.in == mention::place::members ? 1 : m.span >= 0 ? 2 : 8;
    return sum;
  };
  if (!a || !b) return a ? a : b;
  return cost(b) < cost(a) ? b : a;
}

places both(places a, const places& b) {
  if (!a || !b) return {};
  a->insert(a->end(), b->begin(), b->end());
  return a;
}

class finder {
 public:
  finder(const monitor_set& set, std::uint32_t variable) : set_(set), variable_(variable) {}

  // Beyond the places the term is not 0 (`truth`), or 0.
  places beside(const term& t, bool truth) const {
    switch (t.code) {
      case op::constant:
        return (t.value != 0) == truth ? places(std::in_place) : places();
      case op::in_span:
        if (truth || !is_variable(t.kids[0], variable_)) return {};
        return places({{mention::place::members, 0, 0, t.span}});
      case op::cell:
      case op::ghost:
        return (initial(t) != 0) == truth ? entries(t) : places();
      case op::not_:
        return beside(t.kids[0], !truth);
      case op::and_:
      case op::or_: {
        places a = beside(t.kids[0], truth), b = beside(t.kids[1], truth);
        return (t.code == op::and_) == truth ? both(std::move(a), b) : either(std::move(a), std::move(b));
      }
      case op::implies: {
        places a = beside(t.kids[0], !truth), b = beside(t.kids[1], truth);
        return truth ? either(std::move(a), std::move(b)) : both(std::move(a), b);
      }
      case op::less:
      case op::less_equal:
      case op::equal:
      case op::not_equal:
        return compared(t, truth);
      case op::all:  // over nothing it is true
        return truth ? beside(t.kids[0], true) : places();
      case op::some:
        return truth ? places() : beside(t.kids[0], false);
      default:
        return {};
    }
  }

 private:
  std::int64_t initial(const term& t) const { return t.code == op::ghost ? set_.ghosts[t.index].initial : 0; }

  places entries(const term& t) const {
    for (std::size_t i = 0; i < t.kids.size(); ++i)
      if (is_variable(t.kids[i], variable_))
        return places({{t.code == op::ghost ? mention::place::ghost : mention::place::cell, t.index, i, t.span}});
    return {};
  }

  // A table's value against a constant: the initial value decides.
  places compared(const term& t, bool truth) const {
    const bool first = t.kids[1].code == op::constant;
    const term &table = t.kids[first ? 0 : 1], &constant = t.kids[first ? 1 : 0];
    if (constant.code != op::constant || (table.code != op::cell && table.code != op::ghost)) return {};
    const std::int64_t a = first ? initial(table) : constant.value, b = first ? constant.value : initial(table);
    const bool value = t.code == op::less         ? a < b
                       : t.code == op::less_equal ? a <= b
                       : t.code == op::equal      ? a == b
                                                  : a != b;
    return value == truth ? entries(table) : places();
  }

  const monitor_set& set_;
  std::uint32_t variable_;
};

}  // namespace

places mentions_beside(const monitor_set& set, const term& t, std::uint32_t variable, bool truth) {
  return may_fail(t) ? places() : finder(set, variable).beside(t, truth);
}

places mentions_of_quantifier(const monitor_set& set, const term& quantifier) {
  return mentions_beside(set, quantifier.kids[0], quantifier.index, quantifier.code == op::all);
}

}  // namespace quiesce::monitors
