// SPDX-License-Identifier: MIT
#include "model/explicit/native_expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>

namespace quiesce {

namespace {

using namespace ir;

constexpr std::size_t most_unrolled = 400;  // nodes of an unrolled quantifier

std::string number(std::int64_t v) {
  if (v == std::numeric_limits<std::int64_t>::min()) return "(-9223372036854775807L - 1)";
  return v < 0 ? fmt::format("({}L)", v) : fmt::format("{}L", v);
}

std::string shifted(const std::string& position, const slot& first, int stride, std::size_t from) {
  if (stride == 0) return std::to_string(first.shift);
  const std::int64_t base = static_cast<std::int64_t>(first.shift) - static_cast<std::int64_t>(from) * stride;
  return fmt::format("({} * {} + {})", position, stride, base);
}

}  // namespace

bool native_expression::constant(expr_id id, std::int64_t& v) const {
  const expr& e = p_.exprs[id];
  if (e.code == op::constant) return v = e.value, true;
  if (e.code != op::temp) return false;
  auto it = known_.find(e.temp);
  return it != known_.end() && (v = it->second, true);
}

std::size_t native_expression::cost(expr_id id) {
  if (auto it = cost_.find(id); it != cost_.end()) return it->second;
  const expr& e = p_.exprs[id];
  std::size_t c = 1;
  for (expr_id k : e.kids) c += cost(k);
  if (e.code == op::all || e.code == op::some || e.code == op::count || e.code == op::collect)
    c = std::min<std::size_t>(most_unrolled + 1, c * std::max<std::size_t>(1, p_.sorts[e.sort].element.size()));
  return cost_[id] = std::min<std::size_t>(c, most_unrolled + 1);
}

std::string native_expression::condition(expr_id id) {
  const expr& e = p_.exprs[id];
  const auto kid = [&](std::size_t k) { return condition(e.kids[k]); };
  const auto compare = [&](const char* with) { return fmt::format("({} {} {})", value(e.kids[0]), with, value(e.kids[1])); };
  std::int64_t v = 0;
  if (constant(id, v)) return v ? "true" : "false";
  switch (e.code) {
    case op::not_:
      return "!" + kid(0);
    case op::and_:
      return fmt::format("({} && {})", kid(0), kid(1));
    case op::or_:
      return fmt::format("({} || {})", kid(0), kid(1));
    case op::implies:
      return fmt::format("(!{} || {})", kid(0), kid(1));
    case op::equal:
      return compare("==");
    case op::not_equal:
      return compare("!=");
    case op::less:
      return compare("<");
    case op::less_equal:
      return compare("<=");
    case op::all:
    case op::some:
      if (cost(id) <= most_unrolled) return unrolled(e);
      break;
    default:
      break;
  }
  return fmt::format("({} != 0)", value(id));
}

std::string native_expression::value(expr_id id) {
  const expr& e = p_.exprs[id];
  const auto kid = [&](std::size_t k) { return value(e.kids[k]); };
  std::int64_t v = 0;
  if (constant(id, v)) return number(v);
  switch (e.code) {
    case op::temp:
      return fmt::format("t{}", e.temp);
    case op::load:
      return load(e);
    case op::not_:
    case op::and_:
    case op::or_:
    case op::implies:
    case op::equal:
    case op::not_equal:
    case op::less:
    case op::less_equal:
      return fmt::format("(i64){}", condition(id));
    case op::select:
      return fmt::format("({} ? {} : {})", condition(e.kids[0]), kid(1), kid(2));
    case op::negate:
      return fmt::format("SUB(0L, {})", kid(0));
    case op::singleton:
      return fmt::format("ONE({})", kid(0));
    case op::cardinality:
      return fmt::format("(i64)__builtin_popcountl((u64){})", kid(0));
    case op::wrap:
    case op::unwrap:
      return optional_value(e);
    case op::all:
    case op::some:
    case op::count:
    case op::collect:
      return cost(id) <= most_unrolled ? "(i64)" + unrolled(e) : quantified(e);
    default:
      return binary(e);
  }
}

std::string native_expression::binary(const expr& e) {
  const std::string a = value(e.kids[0]), b = value(e.kids[1]);
  switch (e.code) {
    case op::add:
      return fmt::format("ADD({}, {})", a, b);
    case op::subtract:
      return fmt::format("SUB({}, {})", a, b);
    case op::multiply:
      return fmt::format("MUL({}, {})", a, b);
    case op::divide:
      return fmt::format("DIV({}, {})", a, b);
    case op::minimum:
      return fmt::format("LEAST({}, {})", a, b);
    case op::maximum:
      return fmt::format("MOST({}, {})", a, b);
    case op::contains:
      return fmt::format("HAS({}, {})", a, b);
    case op::unite:
      return fmt::format("({} | {})", a, b);
    case op::intersect:
      return fmt::format("({} & {})", a, b);
    case op::subtract_set:
      return fmt::format("({} & ~{})", a, b);
    default:
      throw std::logic_error("no text for this operator");
  }
}

std::string native_expression::optional_value(const expr& e) {
  const std::string a = value(e.kids[0]);
  if (e.code == op::unwrap) {
    const std::int64_t by = low(p_, e.type) - 1;
    return by == 0 ? a : fmt::format("ADD({}, {})", a, number(by));
  }
  const type_id inner = p_.types[e.type].inner;
  return fmt::format("WRAP({}, {}, {}ul)", a, number(low(p_, inner)), max_code(p_, inner));
}

// With every value of the bound temp written out, so that each field is a constant place.
std::string native_expression::unrolled(const expr& e) {
  const std::size_t size = p_.sorts[e.sort].element.size();
  const auto outer = known_.find(e.temp) == known_.end() ? std::optional<std::int64_t>() : known_[e.temp];
  std::string out;
  for (std::size_t i = 0; i < size; ++i) {
    known_[e.temp] = static_cast<std::int64_t>(i);
    const std::string one = condition(e.kids[0]);
    const char* between = e.code == op::all ? " && " : e.code == op::some ? " || " : e.code == op::count ? " + " : " | ";
    if (i) out += between;
    out += e.code == op::count ? "(i64)" + one : e.code == op::collect ? fmt::format("((u64){} << {})", one, i) : one;
  }
  known_.erase(e.temp);
  if (outer) known_[e.temp] = *outer;
  if (size == 0) return e.code == op::all ? "true" : "0";
  return "(" + out + ")";
}

std::string native_expression::quantified(const expr& e) {
  const std::size_t size = p_.sorts[e.sort].element.size();
  const auto outer = known_.find(e.temp) == known_.end() ? std::optional<std::int64_t>() : known_[e.temp];
  known_.erase(e.temp);
  const std::string c = condition(e.kids[0]), t = fmt::format("t{}", e.temp);
  if (outer) known_[e.temp] = *outer;
  const char* first = e.code == op::all ? "1" : "0";
  std::string body;
  if (e.code == op::all) body = fmt::format("if (!{}) {{ r_ = 0; break; }}", c);
  if (e.code == op::some) body = fmt::format("if ({}) {{ r_ = 1; break; }}", c);
  if (e.code == op::count) body = fmt::format("r_ += {};", c);
  if (e.code == op::collect) body = fmt::format("r_ |= (i64)((u64){} << {});", c, t);
  return fmt::format("({{ i64 r_ = {}; for (i64 {} = 0; {} < {}; ++{}) {{ {} }} r_; }})", first, t, t, size, t, body);
}

native_expression::place native_expression::element(variable_id v, const std::vector<expr_id>& index) {
  const variable& x = p_.variables[v];
  place out;
  out.elements = {0};
  std::size_t open = 0;  // indices whose value is not known
  std::string position;
  for (std::size_t k = 0; k < index.size(); ++k) {
    const std::uint64_t size = p_.sorts[x.index[k]].element.size();
    std::int64_t known = 0;
    std::vector<std::uint64_t> next;
    if (constant(index[k], known) && known >= 0 && static_cast<std::uint64_t>(known) < size) {
      for (std::uint64_t e : out.elements) next.push_back(e * size + static_cast<std::uint64_t>(known));
    } else {
      const std::string name = fmt::format("x{}_", k);
      out.before += fmt::format("const u64 {} = {}; if ({} >= {}) goto fault; ", name, value(index[k]), name, size);
      position = open++ == 0 ? name : fmt::format("({} * {} + {})", position, size, name);
      for (std::uint64_t e : out.elements)
        for (std::uint64_t i = 0; i < size; ++i) next.push_back(e * size + i);
    }
    out.elements = std::move(next);
  }
  if (open) {
    out.before += fmt::format("const u64 f_ = {}; ", position);
    out.position = "f_";
  }
  return out;
}

std::vector<native_expression::run> native_expression::runs(variable_id v, const place& at) const {
  std::vector<run> out;
  const auto slot_of = [&](std::size_t i) { return layout_.slots()[p_.variables[v].first_slot + at.elements[i]]; };
  for (std::size_t i = 0; i < at.elements.size(); ++i) {
    const slot s = slot_of(i);
    if (!out.empty() && out.back().first.index == s.index) {
      run& r = out.back();
      const slot before = slot_of(i - 1);
      const int step = static_cast<int>(s.shift) - static_cast<int>(before.shift);
      if (r.to - r.from == 1) r.stride = step;
      if (r.stride == step) {
        r.to = i + 1;
        continue;
      }
    }
    out.push_back({i, i + 1, s, 0});
  }
  return out;
}

std::string native_expression::load(const expr& e) {
  const variable& x = p_.variables[e.var];
  const std::int64_t low_value = low(p_, x.type);
  const place at = element(e.var, e.kids);
  const std::string plus = low_value == 0 ? "" : " + " + number(low_value);
  const auto get_text = [&](const slot& s, const std::string& shift) {
    return fmt::format("(i64)(n{} >> {} & {}ul)", s.index, shift, s.mask);
  };
  if (at.elements.empty()) return fmt::format("({{ {} 0L; }})", at.before);
  const slot first = layout_.slots()[x.first_slot + at.elements[0]];
  if (at.position.empty()) {
    if (first.bits == 0) return number(low_value);
    return fmt::format("({}{})", get_text(first, std::to_string(first.shift)), plus);
  }
  if (first.bits == 0) return fmt::format("({{ {} {}; }})", at.before, number(low_value));
  std::string text;
  const auto all = runs(e.var, at);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string one = get_text(all[i].first, shifted(at.position, all[i].first, all[i].stride, all[i].from));
    text += i + 1 == all.size() ? one : fmt::format("{} < {} ? {} : ", at.position, all[i].to, one);
  }
  return fmt::format("({{ {}({}){}; }})", at.before, text, plus);
}

std::string native_expression::put(const slot& s, const std::string& code) {
  return fmt::format("n{0} = (n{0} & ~({1}ul << {2})) | ({3} << {2});", s.index, s.mask, s.shift, code);
}

std::string native_expression::store(variable_id v, const std::vector<expr_id>& index, const std::string& value_text,
                                     const std::string& misfit) {
  const variable& x = p_.variables[v];
  const place at = element(v, index);
  std::string out = fmt::format("{{ const i64 v_ = {}; {}", value_text, at.before);
  if (at.elements.empty()) return out + "}";
  out += fmt::format("const u64 c_ = (u64)v_ - (u64){}; if (c_ > {}ul) {{ {} }} ", number(low(p_, x.type)),
                     max_code(p_, x.type), misfit);
  const slot first = layout_.slots()[x.first_slot + at.elements[0]];
  if (first.bits == 0) return out + "}";
  if (at.position.empty()) return out + put(first, "c_") + " }";
  const auto all = runs(v, at);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const slot& s = all[i].first;
    const std::string one = fmt::format("const u64 h_ = {0}; n{1} = (n{1} & ~({2}ul << h_)) | (c_ << h_);",
                                        shifted(at.position, s, all[i].stride, all[i].from), s.index, s.mask);
    const std::string test = i + 1 == all.size() ? "" : fmt::format("if ({} < {}) ", at.position, all[i].to);
    out += fmt::format("{}{}{{ {} }}", i ? " else " : "", test, one);
  }
  return out + " }";
}

}  // namespace quiesce
