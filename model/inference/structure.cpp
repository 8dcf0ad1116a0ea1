// SPDX-License-Identifier: MIT
#include "model/inference/structure.hpp"

#include <algorithm>
#include <bit>
#include <functional>

#include <fmt/format.h>

namespace quiesce::inference {

using symbolic::core_error;
using symbolic::sort_kind;
using symbolic::type;
using symbolic::type_kind;

namespace {

constexpr std::size_t most_elements = 63;

std::int64_t number_in(const node& n) {
  try {
    return std::stoll(n.text);
  } catch (const std::exception&) {
    throw core_error(fmt::format("'{}' is no number and no variable", n.text));
  }
}

}  // namespace

shape make_shape(const core& c, const std::vector<std::size_t>& others) {
  shape out;
  out.of = &c;
  out.size.assign(c.sorts.size(), 0);
  out.made.resize(c.sorts.size());
  std::vector<bool> done(c.sorts.size(), false);
  const std::function<void(std::size_t)> number = [&](std::size_t s) {
    if (done[s]) return;
    done[s] = true;
    out.size[s] = c.sorts[s].elements.size();
    for (const auto& [name, of] : c.sorts[s].constructors) {
      number(of);
      out.made[s].push_back(out.size[s]);
      out.size[s] += out.size[of];
    }
    if (c.sorts[s].kind == sort_kind::any) out.size[s] += others[s];
    if (out.size[s] > most_elements) throw core_error("a finite instance is too large");
  };
  for (std::size_t s = 0; s < c.sorts.size(); ++s) number(s);
  for (const symbolic::function& f : c.functions) {
    out.first.push_back(out.places);
    std::size_t n = 1;
    for (const std::size_t s : f.args) n *= out.size[s];
    out.places += n;
  }
  return out;
}

std::size_t place_of(const shape& s, std::size_t f, const std::vector<std::int64_t>& args) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < args.size(); ++i)
    at = at * s.size[s.of->functions[f].args[i]] + static_cast<std::size_t>(args[i]);
  return s.first[f] + at;
}

std::int64_t least_of(const type& t) { return t.kind == type_kind::integer ? t.low : 0; }

std::vector<std::int64_t> values_of(const shape& s, const type& t) {
  std::int64_t low = 0, count = 2;
  switch (t.kind) {
    case type_kind::boolean:
      break;
    case type_kind::integer:
      low = t.low;
      count = t.unlimited ? 4 : t.high - t.low + 1;
      break;
    case type_kind::enumeration:
      count = static_cast<std::int64_t>(t.labels.size());
      break;
    case type_kind::element:
      count = static_cast<std::int64_t>(s.size[t.sort]);
      break;
    case type_kind::option:
      count = 1 + static_cast<std::int64_t>(values_of(s, *t.inner).size());
      break;
    case type_kind::set:
      count = std::int64_t{1} << std::min<std::size_t>(s.size[t.sort], 10);
      break;
  }
  std::vector<std::int64_t> out;
  for (std::int64_t v = 0; v < count; ++v) out.push_back(low + v);
  return out;
}

bool in_range(const shape& s, const type& t, std::int64_t v) {
  switch (t.kind) {
    case type_kind::boolean:
      return v == 0 || v == 1;
    case type_kind::integer:
      return v >= t.low && (t.unlimited || v <= t.high);
    case type_kind::enumeration:
      return v >= 0 && v < static_cast<std::int64_t>(t.labels.size());
    case type_kind::element:
      return v >= 0 && v < static_cast<std::int64_t>(s.size[t.sort]);
    case type_kind::option:
      return v == 0 || (v > 0 && in_range(s, *t.inner, v - 1 + least_of(*t.inner)));
    case type_kind::set:
      return v >= 0 && (v >> s.size[t.sort]) == 0;
  }
  return false;
}

term::term(const shape& s, const node& n, const std::vector<std::string>& variables) : shape_(&s) {
  std::vector<std::string> names = variables;
  workspace_ = names.size();
  root_ = compile(n, names);
}

term::part term::compile_quantifier(op code, const node& n, std::vector<std::string>& names) {
  part out;
  out.code = code;
  const auto& numbers = shape_->of->sort_number;
  const auto sort = numbers.find(n[1][1].text);
  if (sort == numbers.end()) throw core_error(fmt::format("there is no sort '{}'", n[1][1].text));
  out.sort = sort->second;
  out.value = static_cast<std::int64_t>(names.size());
  names.push_back(n[1][0].text);
  workspace_ = std::max(workspace_, names.size());
  out.kids.push_back(compile(n[2], names));
  names.pop_back();
  return out;
}

term::part term::compile(const node& n, std::vector<std::string>& names) {
  static const std::map<std::string, op> words = {
      {"not", op::not_},        {"neg", op::neg},    {"single", op::single}, {"card", op::card},
      {"and", op::and_},        {"or", op::or_},     {"=>", op::implies},    {"=", op::equal},
      {"!=", op::differ},       {"<", op::less},     {"<=", op::less_equal}, {"+", op::add},
      {"-", op::subtract},      {"*", op::multiply}, {"/", op::divide},      {"min", op::min},
      {"max", op::max},         {"in", op::in},      {"union", op::unite},   {"inter", op::intersect},
      {"minus", op::minus},     {"if", op::choice},  {"some", op::some},     {"the", op::the},
      {"fits", op::fits},       {"all", op::all},    {"exists", op::exists}, {"count", op::count},
      {"collect", op::collect}, {"f", op::apply},    {"make", op::make},     {"made", op::made}};
  part out;
  if (n.atom) {
    const auto bound = std::find(names.rbegin(), names.rend(), n.text);
    out.code = bound != names.rend() ? op::variable : op::number;
    out.value = bound != names.rend() ? names.rend() - bound - 1 : number_in(n);
    return out;
  }
  const auto word = words.find(n[0].text);
  if (word == words.end()) throw core_error(fmt::format("a term begins with '{}'", n[0].text));
  out.code = word->second;
  std::size_t from = 1;
  switch (out.code) {
    case op::all:
    case op::exists:
    case op::count:
    case op::collect:
      return compile_quantifier(out.code, n, names);
    case op::apply:
      out.function = shape_->of->function_number.at(n[1].text);
      from = 2;
      break;
    case op::some:
    case op::the:
    case op::fits:
      out.type = symbolic::read_type(*shape_->of, n[1]);
      from = 2;
      break;
    case op::make:
    case op::made: {
      out.sort = shape_->of->sort_number.at(n[1].text);
      const auto& all = shape_->of->sorts[out.sort].constructors;
      for (std::size_t k = 0; k < all.size(); ++k)
        if (all[k].first == n[2].text) {
          out.value = static_cast<std::int64_t>(shape_->made[out.sort][k]);
          out.size = shape_->size[all[k].second];
        }
      from = 3;
      break;
    }
    default:
      break;
  }
  for (std::size_t k = from; k < n.kids.size(); ++k) out.kids.push_back(compile(n[k], names));
  return out;
}

std::int64_t term::operator()(const state& s, std::vector<std::int64_t>& values) const {
  if (values.size() < workspace_) values.resize(workspace_, 0);
  return run(root_, s, values);
}

std::int64_t term::quantified(const part& p, const state& s, std::vector<std::int64_t>& v) const {
  std::int64_t out = p.code == op::all ? 1 : 0;
  for (std::size_t e = 0; e < shape_->size[p.sort]; ++e) {
    v[static_cast<std::size_t>(p.value)] = static_cast<std::int64_t>(e);
    const bool here = run(p.kids[0], s, v) != 0;
    if (p.code == op::all && !here) return 0;
    if (p.code == op::exists && here) return 1;
    if (p.code == op::count && here) ++out;
    if (p.code == op::collect && here) out |= std::int64_t{1} << e;
  }
  return out;
}

std::int64_t term::binary(op code, std::int64_t a, std::int64_t b) {
  switch (code) {
    case op::equal:
      return a == b;
    case op::differ:
      return a != b;
    case op::less:
      return a < b;
    case op::less_equal:
      return a <= b;
    case op::add:
      return a + b;
    case op::subtract:
      return a - b;
    case op::multiply:
      return a * b;
    case op::divide:
      return b == 0 ? 0 : a / b;
    case op::min:
      return std::min(a, b);
    case op::max:
      return std::max(a, b);
    case op::in:
      return a >> (b & 63) & 1;
    case op::unite:
      return a | b;
    case op::intersect:
      return a & b;
    default:  // minus
      return a & ~b;
  }
}

std::int64_t term::run(const part& p, const state& s, std::vector<std::int64_t>& v) const {
  const auto kid = [&](std::size_t i) { return run(p.kids[i], s, v); };
  switch (p.code) {
    case op::number:
      return p.value;
    case op::variable:
      return v[static_cast<std::size_t>(p.value)];
    case op::apply: {
      std::size_t at = 0;
      const auto& args = shape_->of->functions[p.function].args;
      for (std::size_t i = 0; i < p.kids.size(); ++i) {
        const std::int64_t a = kid(i);
        if (a < 0 || a >= static_cast<std::int64_t>(shape_->size[args[i]])) return 0;  // of no meaning: its guard is false
        at = at * shape_->size[args[i]] + static_cast<std::size_t>(a);
      }
      return s[shape_->first[p.function] + at];
    }
    case op::not_:
      return kid(0) == 0;
    case op::neg:
      return -kid(0);
    case op::single:
      return std::int64_t{1} << (kid(0) & 63);
    case op::card:
      return std::popcount(static_cast<std::uint64_t>(kid(0)));
    case op::and_:
      return kid(0) != 0 && kid(1) != 0;
    case op::or_:
      return kid(0) != 0 || kid(1) != 0;
    case op::implies:
      return kid(0) == 0 || kid(1) != 0;
    case op::choice:
      return kid(0) != 0 ? kid(1) : kid(2);
    case op::some: {
      const std::int64_t x = kid(0);
      return in_range(*shape_, *p.type, x) ? 1 + x - least_of(*p.type) : -1;
    }
    case op::the:
      return kid(0) - 1 + least_of(*p.type);
    case op::fits:
      return in_range(*shape_, *p.type, kid(0));
    case op::make:
      return p.value + kid(0);
    case op::made: {
      const std::int64_t x = kid(0);
      return x >= p.value && x < p.value + static_cast<std::int64_t>(p.size);
    }
    case op::all:
    case op::exists:
    case op::count:
    case op::collect:
      return quantified(p, s, v);
    default:
      return binary(p.code, kid(0), kid(1));
  }
}

}  // namespace quiesce::inference
