// SPDX-License-Identifier: MIT
// Random properties on random traces: the compiled monitor says the same as the definition, evaluated over the whole trace.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <tuple>

#include "properties/diagnostic.hpp"
#include "properties/stream.hpp"
#include "tests/property/naive_monitor.hpp"
#include "tests/support/language_text.hpp"

namespace quiesce::test {
namespace {

const char* const vocabulary_text = R"(vocabulary t;
sort net; sort dev;
event A(dev) "a"; event B(dev, net) "b"; event C(option<dev>, net) "c"; event D() "d"; event E(0..2) "e";
span S(set<dev>) "s"; span T(set<dev>) "t";
ghost home : dev -> net = init_net "h" on B(d, n) : home(d) := n;
ghost flag : bool = false "f" on D() : flag := !flag on E(i) : flag := i == 0;
ghost mark : dev -> bool = false "m" on A(d) : mark(d) := flag on B(d, n) : mark(d) := home(d) == n;
)";

// Variables are named by type: d dev, n net, o option<dev>, i 0..2, r S, s T. Spans are variables too.
using names = std::vector<std::string>;

int below(int n) { return *rc::gen::inRange(0, n); }
const std::string& any_of(const names& v) { return v[static_cast<std::size_t>(below(static_cast<int>(v.size())))]; }
names with(const names& scope, const std::string& letters) {
  names found;
  for (const auto& n : scope)
    if (letters.find(n[0]) != std::string::npos) found.push_back(n);
  return found;
}

class generator {
 public:
  std::string property() {
    names scope;
    std::string binders;
    auto bind = [&](const std::string& name, const std::string& type) {
      scope.push_back(name);
      binders += (binders.empty() ? "" : ", ") + name + type;
    };
    if (below(3)) below(3) ? bind("r0", ": S") : bind("s0", ": T");
    bind("d0", scope.size() == 1 && scope[0] == "r0" && !below(4) ? " in r0.devs" : ": dev");
    if (below(2)) bind("n0", ": net");
    if (!below(4)) bind("o0", ": option<dev>");
    if (!below(4)) bind("i0", ": 0..2");
    return fmt::format("property p \"p\" for all {} : {};", binders, body(scope));
  }

 private:
  std::string body(const names& scope) {
    switch (below(8)) {
      case 0:
        return "never " + patterns(scope, 2, true);
      case 1:
        return "after " + patterns(scope, 1) + " never " + patterns(scope, 1, true);
      case 2:
        return fmt::format("at most {} {}", below(3), patterns(scope, 1, true));
      case 3:
        return "sometimes " + patterns(scope, 2, true);
      case 4:
      case 5: {
        names spans = with(scope, "rs");
        if (!spans.empty()) return fmt::format("at end of {} : {}", any_of(spans), condition(scope, 3));
        [[fallthrough]];
      }
      default:
        return patterns(scope, 1, true) + " requires " + condition(scope, 3);
    }
  }

  // A trigger must bind the property's span variable.
  std::string patterns(const names& scope, int depth, bool trigger = false) {
    std::string text = pattern(scope, depth, trigger);
    if (!below(3)) text += " | " + pattern(scope, depth, trigger);
    return text;
  }

  std::string argument(const names& scope, char type, names& used) {
    names fitting = with(scope, type == 'o' ? "od" : std::string(1, type));
    int choice = below(10);
    if (!fitting.empty() && choice < 7) {
      used.push_back(any_of(fitting));
      return used.back();
    }
    if (choice < 9) return "_";
    if (type == 'n') return below(2) ? "init_net" : "home(lo(init_net))";
    if (type == 'i') return std::to_string(below(3));
    return type == 'o' && below(2) ? "none" : "lo(init_net)";
  }

  std::string pattern(const names& scope, int depth, bool trigger = false) {
    names used;
    std::string text;
    switch (below(6)) {
      case 0:
      case 1:
        text = fmt::format("A({})", argument(scope, 'd', used));
        break;
      case 2:
        text = "B(" + argument(scope, 'd', used) + ", ";
        text += argument(scope, 'n', used) + ")";
        break;
      case 3:
        text = "C(" + argument(scope, 'o', used) + ", ";
        text += argument(scope, 'n', used) + ")";
        break;
      case 4:
        text = "D()";
        break;
      default:
        text = fmt::format("E({})", argument(scope, 'i', used));
    }
    names spans = with(scope, "rs");
    if (!spans.empty() && (trigger || below(2))) {
      used.push_back(any_of(spans));
      text += (below(2) ? " in " : " within ") + used.back();
    }
    if (depth > 0 && !below(4)) text += fmt::format(" when ({})", condition(used, depth - 1));
    return text;
  }

  std::string atom(const names& scope, int depth) {
    switch (below(4)) {
      case 0:
      case 1:
        return fmt::format("({} earlier)", patterns(scope, depth));
      case 2:
        return fmt::format("({} since {})", pattern(scope, depth), patterns(scope, depth));
      default:
        return counted(scope, depth);
    }
  }

  std::string counted(const names& scope, int depth) {
    static const names relations = {"==", "!=", "<", "<=", ">", ">="};
    std::string left = fmt::format("(count {})", patterns(scope, depth)), right = std::to_string(below(4));
    if (!below(3)) left += fmt::format(" + (count {})", pattern(scope, depth));
    if (!below(4)) left += " - 1";
    if (!below(4)) right = fmt::format("(({}) ? {} : {})", condition(scope, depth - 1), below(3), below(3));
    if (names i = with(scope, "i"); !i.empty() && !below(3)) right = any_of(i);
    return below(2) ? fmt::format("({} {} {})", left, any_of(relations), right)
                    : fmt::format("({} {} {})", right, any_of(relations), left);
  }

  std::string simple(const names& scope) {
    names d = with(scope, "d"), n = with(scope, "n"), o = with(scope, "o"), i = with(scope, "i"), s = with(scope, "rs");
    names all = {"flag"};
    if (!d.empty())
      all.insert(all.end(),
                 {fmt::format("mark({})", any_of(d)), fmt::format("home({}) == init_net", any_of(d)), any_of(d) + " is lo"});
    if (!d.empty()) all.push_back(fmt::format("{} == {}", any_of(d), any_of(d)));
    if (!d.empty() && !n.empty())
      all.insert(all.end(),
                 {fmt::format("home({}) == {}", any_of(d), any_of(n)), fmt::format("{} == lo({})", any_of(d), any_of(n))});
    if (!o.empty())
      all.insert(all.end(), {any_of(o) + " == none", any_of(o) + " == lo(init_net)",
                             fmt::format("({0} != none && mark(value({0})))", o[0])});
    if (!o.empty() && !d.empty()) all.push_back(fmt::format("{} != {}", any_of(o), any_of(d)));
    if (!i.empty()) all.push_back(fmt::format("{} * 2 - 1 < {}", any_of(i), below(4)));
    if (!s.empty())
      all.insert(all.end(), {fmt::format("outermost({})", any_of(s)), fmt::format("innermost({})", any_of(s))});
    if (!s.empty() && !d.empty()) all.push_back(fmt::format("{} in {}.devs", any_of(d), any_of(s)));
    return any_of(all);
  }

  std::string quantifier(const names& scope, int depth) {
    std::string x = fmt::format("{}{}", below(2) ? 'd' : 'n', ++fresh_);
    names spans = with(scope, "rs");
    std::string domain = x[0] == 'n' ? ": net" : spans.empty() || below(2) ? ": dev" : " in " + any_of(spans) + ".devs";
    names inner = scope;
    inner.push_back(x);
    std::string where = below(3) ? "" : " where " + condition(inner, 0);
    std::string text = fmt::format("{}{}{} : {}", x, domain, where, condition(inner, depth - 1));
    if (!below(4)) return fmt::format("((count {}) == {})", text, below(3));
    return fmt::format("({} {})", below(2) ? "all" : "some", text);
  }

  std::string condition(const names& scope, int depth) {
    if (depth <= 0) return simple(scope);
    switch (below(9)) {
      case 0:
        return simple(scope);
      case 1:
        return fmt::format("!({})", condition(scope, depth - 1));
      case 2: {
        static const names connectives = {"&&", "||", "=>", "<=>"};
        std::string left = condition(scope, depth - 1);
        return fmt::format("(({}) {} ({}))", left, any_of(connectives), condition(scope, depth - 1));
      }
      case 3:
        return quantifier(scope, depth);
      default:
        return atom(scope, depth - 1);
    }
  }

  int fresh_ = 0;
};

using step = std::tuple<int, int, int, int>;

std::vector<naive_event> trace_of(const std::vector<step>& steps) {
  static const char* const kinds[] = {"A", "B", "C", "D", "E", "S_begin", "T_begin", "end", "end", "A"};
  std::map<int, std::vector<std::string>> open;
  std::vector<naive_event> trace;
  for (const auto& [process, kind, x, y] : steps) {
    naive_event e;
    e.process = process;
    e.name = kinds[kind];
    if (e.name == "A") e.args = {x};
    if (e.name == "B") e.args = {x, y % 2};
    if (e.name == "C") e.args = {(x + y) % 4, y % 2};
    if (e.name == "E") e.args = {x % 3};
    if (kind == 5 || kind == 6) {
      for (int d = 0; d < 3; ++d)
        if ((x + 4 * (y % 2)) >> d & 1) e.members.push_back(d);
      open[process].push_back(e.name.substr(0, 1));
    }
    if (e.name == "end") {
      if (open[process].empty()) continue;
      e.name = open[process].back() + "_end";
      open[process].pop_back();
    }
    trace.push_back(e);
  }
  return trace;
}

std::vector<monitors::argument> arguments(const naive_event& e) {
  if (e.name.size() == 7) return {monitors::argument(e.members)};  // S_begin
  return {e.args.begin(), e.args.end()};
}

std::string printed(const std::string& binder, const naive_value& v) {
  if (v.none) return "none";
  if (binder[0] == 'i') return std::to_string(v.number);
  return (binder[0] == 'n' ? "net" : "dev") + std::to_string(v.number);
}

// Whether the stream's bindings, which leave out what the instance does not depend on, are those of the instance.
bool instance_of(const monitors::violation& s, const naive_violation& n) {
  if (s.sequence != n.event) return false;
  for (const auto& [name, text] : s.bindings) {
    if (n.spans.count(name)) {
      if (text != fmt::format("the {} begun at event {}", name[0] == 'r' ? "S" : "T", n.spans.at(name))) return false;
    } else if (text != printed(name, n.values.at(name))) {
      return false;
    }
  }
  return true;
}

std::string show(const std::vector<naive_event>& trace) {
  std::string text;
  for (std::size_t i = 0; i < trace.size(); ++i)
    text += fmt::format("{} [{}] {}({}) {{{}}}\n", i, trace[i].process, trace[i].name, fmt::join(trace[i].args, ","),
                        fmt::join(trace[i].members, ","));
  return text;
}

monitors::stream_options options() {
  monitors::stream_options o;
  o.declared = {{"dev", 1}, {"net", 1}};
  o.named = {{"init_net", 0}};
  o.constructed = {{{"lo", 0}, 2}};
  return o;
}

struct tally {
  int compiled = 0, refused = 0, violated = 0;
};

void compare(const std::string& text, const std::vector<naive_event>& trace, tally& t) {
  ast::property_file vocabulary = properties_of(vocabulary_text), file = properties_of(text);
  const ast::property& p = file.properties.at(0);
  monitors::monitor_set set;
  try {
    set = monitors::compile(vocabulary.vocabularies.at(0), {&p});
  } catch (const diagnostic& d) {
    RC_ASSERT(d.has_place);
    ++t.refused;
    return;
  }
  ++t.compiled;
  monitors::stream_options brief = options();
  brief.first_only = true;
  monitors::stream_monitor stream(set, options()), resumed(set, options()), terse(set, brief);
  std::vector<monitors::violation> found;
  std::size_t middle = trace.size() / 2;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (i == middle) resumed.restore(stream.state(), stream.sequence());
    auto now = stream.push(trace[i].process, trace[i].name, arguments(trace[i]));
    const auto counted = terse.push(trace[i].process, trace[i].name, arguments(trace[i]));
    RC_ASSERT(counted.size() == now.size());
    if (found.empty() && !now.empty()) RC_ASSERT(counted.front().text == now.front().text);
    if (i >= middle) {
      RC_ASSERT(resumed.push(trace[i].process, trace[i].name, arguments(trace[i])).size() == now.size());
      RC_ASSERT(resumed.state() == stream.state());
    }
    found.insert(found.end(), now.begin(), now.end());
  }
  naive_monitor naive(vocabulary.vocabularies[0], trace, {{"dev", 1}, {"net", 1}}, {{0, 2}});
  if (p.kind == ast::property_kind::sometimes) {
    auto expected = naive.matches(p);
    RC_ASSERT(stream.finish()[0].matched == expected.size());
    if (!expected.empty()) RC_ASSERT(stream.finish()[0].first_match == expected[0]);
    t.violated += !expected.empty();
    return;
  }
  auto expected = naive.violations(p);
  t.violated += !expected.empty();
  for (const auto& s : found) {
    bool real = std::any_of(expected.begin(), expected.end(), [&](const auto& n) { return instance_of(s, n); });
    if (!real) RC_FAIL(fmt::format("not a violation: {}", s.text));
  }
  for (const auto& n : expected) {
    bool seen = std::any_of(found.begin(), found.end(), [&](const auto& s) { return instance_of(s, n); });
    if (!seen) RC_FAIL(fmt::format("a violation at event {} was missed", n.event));
  }
}

TEST(monitor_stream, agrees_with_the_definition) {
  tally t;
  bool good = rc::check([&] {
    std::string text;
    const auto steps = *rc::gen::container<std::vector<step>>(
        rc::gen::tuple(rc::gen::inRange(0, 2), rc::gen::inRange(0, 10), rc::gen::inRange(0, 3), rc::gen::inRange(0, 4)));
    for (int i = 0; i < 40; ++i) {
      text = generator().property();
      auto trace = trace_of(steps);
      RC_LOG() << text << "\n" << show(trace);
      compare(text, trace, t);
    }
  });
  EXPECT_TRUE(good);
  // The test is worth something only if most properties compile and violations as well as their absence occur.
  EXPECT_GT(t.compiled, 2 * t.refused) << t.compiled << " compiled, " << t.refused << " refused";
  EXPECT_GT(t.violated, t.compiled / 20);
  EXPECT_LT(t.violated, t.compiled);
  RecordProperty("compiled", t.compiled);
  RecordProperty("violated", t.violated);
}

}  // namespace
}  // namespace quiesce::test
