// SPDX-License-Identifier: MIT
// quiesce-reexplore gives values to parameters as guards ask for them. It finds what is found when all values of all
// parameters are tried.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "model/system/core.hpp"
#include "proofs/reexplore/explorer.hpp"
#include "tests/support/core_explorer.hpp"
#include "tests/support/random_program.hpp"

namespace quiesce::test {
namespace {

int pick(int low, int high) { return *rc::gen::resize(100, rc::gen::inRange(low, high + 1)); }

struct findings {
  bool meaningless = false;  // somewhere a term is read that has no meaning; then nothing else counts
  std::size_t states = 0, transitions = 0;
  std::string fingerprint;
  std::set<std::string> violated, marked, ends;
  bool deadlock = false;

  std::string text() const {
    std::string out = meaningless ? "meaningless" : "";
    out += std::to_string(states) + " states, " + std::to_string(transitions) + " transitions, " + fingerprint;
    for (const auto* names : {&violated, &marked, &ends})
      for (const std::string& n : *names)
        out += (names == &violated ? " violates " : names == &marked ? " marks " : " ends ") + n;
    return out + (deadlock ? " deadlock" : "");
  }
};

// What violates a rule that asks for a run means nothing.
std::set<std::string> without_sometimes(std::set<std::string> names, const std::string& text) {
  std::erase_if(names, [&](const auto& n) { return text.find("(property \"" + n + "\" sometimes") != text.npos; });
  return names;
}

findings of_the_program(const std::string& text) {
  findings out;
  try {
    const reexplore::core k = reexplore::builder(reexplore::reader(text).run()).take();
    reexplore::explorer e(k, 100000);
    RC_ASSERT(e.run());
    out = {false,
           e.states(),
           e.transitions(),
           reexplore::hexadecimal(e.fingerprint()),
           without_sometimes(e.violated(), text),
           e.marked(),
           e.ends(),
           e.deadlock()};
  } catch (const reexplore::refusal&) {
    out.meaningless = true;
  }
  return out;
}

findings of_all_values(const std::string& text) {
  findings out;
  core_result c;
  try {
    c = explore_core(text, guards::as_a_whole);
  } catch (const std::runtime_error&) {
    out.meaningless = true;
    return out;
  }
  reexplore::digest sum{};
  for (const naive_state& s : c.states) reexplore::add(sum, reexplore::sha256(reexplore::text_of(s)));
  out = {false, c.states.size(), c.transitions, reexplore::hexadecimal(sum), {}, c.marked, {}, c.deadlock};
  for (const auto& [name, depth] : c.property_depth) out.violated.insert(name);
  out.violated = without_sometimes(std::move(out.violated), text);
  for (const auto& [name, depth] : c.error_depth) out.ends.insert("error " + name);
  for (const auto& [name, depth] : c.bound_depth) out.ends.insert("bound " + name);
  return out;
}

RC_GTEST_PROP(reexplored_cores, of_programs_are_as_with_all_values_of_parameters, ()) {
  program_shape shape;
  shape.names_elements = *rc::gen::arbitrary<bool>();
  const ir::program p = random_program(pick, shape);
  try {
    naive_enumerator(p).explore(300);
  } catch (const std::length_error&) {
    RC_DISCARD("too large");
  }
  const std::string text = core_text(p, *rc::gen::element(std::size_t{64}, std::size_t{2}, std::size_t{0}));
  RC_LOG(text);
  const findings all = of_all_values(text);
  RC_ASSERT(!all.meaningless);
  RC_ASSERT(of_the_program(text).text() == all.text());
}

// A core of one sort "s", of a function of it, an element of it and a number, and of actions with few parameters of all
// kinds, named terms, and guards where `or`, `=>` and `if` decide which parameters are read.
class random_core {
 public:
  std::string text() {
    std::string out = "(core 1)\n(sort \"s\"";
    for (int k = 0; k < elements_; ++k) out += " \"e" + std::to_string(k) + "\"";
    out += ")\n(function \"f\" (\"s\") bool)\n(function \"g\" () (elem \"s\"))\n(function \"h\" () (int 0 2))\n";
    for (int k = pick(1, 2); k > 0; --k) out += item("(initial");
    for (int k = pick(1, 3); k > 0; --k) out += item(pick(0, 4) ? "(action \"a\"" : "(late-action \"l\"");
    parameters_.clear(), numbers_.clear(), names_.clear();
    return out + "(resting " + truth(1) + ")\n(property \"i\" invariant " + truth(1) + ")\n(property \"m\" monitored)\n";
  }

 private:
  std::string item(const std::string& head) {
    parameters_.clear(), numbers_.clear(), names_.clear();
    std::string out = head + " (";
    for (int k = 0, most = pick(0, 4); k < most; ++k) {
      const bool element = pick(0, 2) > 0;
      const std::string name = "c" + std::to_string(k);
      (element ? parameters_ : numbers_).push_back(name);
      out += '(' + name + (element ? " \"s\") " : " 2) ");
    }
    for (int k = 0, most = pick(0, 3); k < most; ++k) {
      const std::string name = "d" + std::to_string(k);
      out += '(' + name + " = " + truth(2) + ") ";
      names_.push_back(name);
    }
    out += ") " + truth(4) + " (";
    if (pick(0, 2)) out += "(\"f\" (" + element() + ") " + truth(1) + (pick(0, 1) ? ' ' + truth(2) : "") + ')';
    if (pick(0, 2)) out += "(\"g\" () " + inside() + ')';
    if (pick(0, 2)) out += "(\"h\" () (min 2 (max 0 " + number() + ")))";
    out += ") ";
    if (pick(0, 3) == 0) out += "(marks \"m\" " + truth(2) + ')';
    if (pick(0, 5) == 0) out += "(violates \"m\" " + truth(2) + ')';
    if (pick(0, 9) == 0) out += "(ends error assertion)";
    return out + ")\n";
  }

  std::string truth(int depth) {
    const auto t = [&] { return truth(depth - 1); };
    if (depth > 0) switch (pick(0, 7)) {
        case 0:
        case 1:
          return "(and " + t() + ' ' + t() + ')';
        case 2:
        case 3:
          return "(or " + t() + ' ' + t() + ')';
        case 4:
          return "(=> " + t() + ' ' + t() + ')';
        case 5:
          return "(if " + t() + ' ' + t() + ' ' + t() + ')';
        case 6:
          return "(not " + t() + ')';
        default:
          break;
      }
    switch (pick(names_.empty() ? 1 : 0, 6)) {
      case 0:
        return *rc::gen::elementOf(names_);
      case 1:
        return "(f \"f\" " + element() + ')';
      case 2:
        return "(= " + element() + ' ' + element() + ')';
      case 3:
        return "(< " + number() + ' ' + number() + ')';
      case 4:
        return "(in (collect (b \"s\") (f \"f\" b)) " + element() + ')';
      case 5:
        return "(" + *rc::gen::element<std::string>("all", "exists") + " (b \"s\") (or (f \"f\" b) (= b " + element() +
               ")))";
      default:
        return "(= (f \"h\") " + number() + ')';
    }
  }
  // Now and then one that is beyond the sort: no place of a function.
  std::string element() { return pick(0, 19) ? inside() : "(+ " + inside() + " 1)"; }
  std::string inside() {
    if (pick(0, 6) == 0) return "(f \"g\")";
    return parameters_.empty() ? std::to_string(pick(0, elements_ - 1)) : *rc::gen::elementOf(parameters_);
  }
  std::string number() {
    const int which = pick(0, 4);
    if (which == 0) return std::to_string(pick(0, 2));
    if (which == 1) return "(+ " + number() + " 1)";
    return numbers_.empty() || which == 2 ? "(f \"h\")" : *rc::gen::elementOf(numbers_);
  }

  const int elements_ = pick(1, 3);
  std::vector<std::string> parameters_, numbers_, names_;
};

RC_GTEST_PROP(reexplored_cores, are_as_with_all_values_of_parameters, ()) {
  const std::string text = random_core().text();
  RC_LOG(text);
  const findings all = of_all_values(text);
  RC_TAG(all.meaningless ? "meaningless" : all.transitions == 0 ? "nothing happens" : "something happens");
  RC_ASSERT(of_the_program(text).text() == all.text());
}

}  // namespace
}  // namespace quiesce::test
