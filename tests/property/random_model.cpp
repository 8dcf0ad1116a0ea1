// SPDX-License-Identifier: MIT
#include "tests/property/random_model.hpp"

#include <random>
#include <vector>

namespace quiesce::test {
namespace {

// What a statement may use where it stands.
struct scope {
  std::vector<std::string> truths, numbers, elements;  // locals that can be read
  std::vector<std::string> own_truths, own_numbers;    // of these, those that can be assigned
  bool loop = false, atomic = false, holding = false;
  char returns = 0;  // 0: no procedure; 'n' a number; 'v' nothing
  int calls = 0;     // procedures numbered below this may be called
  int depth = 0;
};

class writer {
 public:
  explicit writer(std::uint64_t seed) : random_(seed) {}
  std::string model();

 private:
  std::mt19937_64 random_;
  int fresh_ = 0;
  bool narrow_ = false;  // few globals, so that the processes meet on them

  int pick(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  bool once_in(int n) { return pick(n) == 0; }
  std::string one_of(const std::vector<std::string>& all) {
    return all[static_cast<std::size_t>(pick(static_cast<int>(all.size())))];
  }
  std::string a_truth() { return narrow_ ? "b0" : one_of({"b0", "b1"}); }
  std::string a_number() { return narrow_ ? "x0" : one_of({"x0", "x1"}); }
  std::string name() { return "v" + std::to_string(fresh_++); }

  std::string element(const scope& c) {
    if (!c.elements.empty() && pick(3)) return one_of(c.elements);
    return one_of({"e0", "e1"});
  }
  std::string number(const scope& c, int depth = 1);
  std::string truth(const scope& c, int depth = 2);
  std::string set(const scope& c);
  std::string local_number(const scope& c) { return c.numbers.empty() ? std::to_string(pick(3)) : one_of(c.numbers); }
  std::string block(scope c, int most);
  std::string statement(scope& c);
  std::string compound(scope& c);
  std::string assignment(scope& c);
  std::string loop(const scope& c);
  std::string call(scope& c);
  std::string condition(const scope& c) { return c.holding && once_in(2) ? one_of({"y == 0", "y < 2"}) : truth(c); }
};

std::string writer::number(const scope& c, int depth) {
  scope inner = c;
  switch (pick(depth > 0 ? 9 : 4)) {
    case 0:
      return std::to_string(pick(3));
    case 1:
      return narrow_ ? a_number() : local_number(c);
    case 2:
      return a_number();
    case 3:
      return "g(" + element(c) + ")";
    case 4:
      return "(" + number(c, depth - 1) + one_of({" + ", " - "}) + number(c, depth - 1) + ")";
    case 5:
      return one_of({"min", "max"}) + "(" + number(c, depth - 1) + ", " + number(c, depth - 1) + ")";
    case 6: {
      const std::string z = name();
      inner.elements.push_back(z);
      return "(count " + z + one_of({": el", " in s"}) + " : " + truth(inner, depth - 1) + ")";
    }
    case 7:
      return one_of({"len(q)", "card(s)"});
    default:
      return "(" + truth(c, 0) + " ? " + number(c, 0) + " : " + number(c, 0) + ")";
  }
}

std::string writer::truth(const scope& c, int depth) {
  scope inner = c;
  if (narrow_ && once_in(2)) return one_of({"b0", "!b0", "f(e0)", "f(e1)", "x0 < 1", "x0 == 2"});
  switch (pick(depth > 0 ? 12 : 5)) {
    case 0:
      return c.truths.empty() ? one_of({"true", "false"}) : one_of(c.truths);
    case 1:
      return a_truth();
    case 2:
      return "f(" + element(c) + ")";
    case 3:
      return local_number(c) + one_of({" < ", " == "}) + std::to_string(pick(3));
    case 4:
      return a_number() + one_of({" < ", " != ", " >= "}) + std::to_string(pick(3));
    case 5:
      return "!(" + truth(c, depth - 1) + ")";
    case 6:
      return "(" + truth(c, depth - 1) + one_of({" && ", " || ", " => ", " <=> "}) + truth(c, depth - 1) + ")";
    case 7:
      return "(" + number(c, depth - 1) + one_of({" < ", " == ", " <= "}) + number(c, depth - 1) + ")";
    case 8: {
      const std::string z = name();
      inner.elements.push_back(z);
      return "(" + one_of({"all ", "some "}) + z + one_of({": el", " in s", " in q"}) + " : " + truth(inner, depth - 1) +
             ")";
    }
    case 9:
      return element(c) + one_of({" in s", " in q"});
    case 10:
      return once_in(6) ? "value(o) == " + element(c) : "(o != none && value(o) == " + element(c) + ")";
    default:
      return "(" + number(c, 1) + " in w)";
  }
}

std::string writer::set(const scope& c) {
  scope inner = c;
  const std::string z = name();
  inner.elements.push_back(z);
  return once_in(2) ? "{" + element(c) + "}" : "{" + z + ": el where " + truth(inner, 1) + "}";
}

std::string writer::assignment(scope& c) {
  if (narrow_ && once_in(2))
    return one_of({"b0 := !b0;", "x0 := 2 - x0;", "x0 := min(3, x0 + 1);", "f(e0) := !f(e0);", "f(e1) := !f(e1);",
                   "g(e0) := x0 == 0 ? 1 : 0;"});
  switch (pick(narrow_ ? 6 : 12)) {
    case 0:
    case 1:
      return a_truth() + " := " + truth(c) + ";";
    case 2:
    case 3:
      return a_number() + " := " + number(c) + ";";
    case 4:
      return "f(" + element(c) + ") := " + truth(c) + ";";
    case 5:
      return "g(" + element(c) + ") := " + number(c) + ";";
    case 6:
      return "o := " + (once_in(3) ? "none" : element(c)) + ";";
    case 7:
      return "s := s" + one_of({" + ", " - "}) + set(c) + ";";
    case 8:
      return once_in(3) ? "dequeue(q);" : "enqueue(q, " + element(c) + ");";
    case 9:
      return "append(w, " + number(c) + ");";
    case 10:
      return c.holding || once_in(20) ? "y := min(2, " + number(c) + ");" : "skip;";
    default: {
      const std::string z = name();
      scope inner = c;
      inner.elements.push_back(z);
      return "for all " + z + ": el where f(" + z + ") { g(" + z + ") := min(2, g(" + z + ") + 1); f(" + z + ") := g(" + z +
             ") == 1; }";
    }
  }
}

std::string writer::loop(const scope& outer) {
  scope c = outer;
  c.loop = true;
  const std::string z = name();
  switch (pick(c.atomic ? 5 : 7)) {
    case 0:
      return "repeat 2 " + block(c, 2);
    case 1:
    case 2: {
      c.elements.push_back(z);
      const std::string filter = once_in(2) ? "" : " where " + truth(c, 1);
      return "for " + z + " in " + one_of({"el", "el", "live el", "snapshot el"}) + filter + " " + block(c, 2);
    }
    case 3: {
      c.elements.push_back(z);
      return "for " + z + " in " + one_of({"live ", "snapshot "}) + one_of({"s", "q"}) + " " + block(c, 2);
    }
    case 4: {
      c.elements.push_back(z);
      const std::string all = set(outer);
      return "for " + z + " in " + one_of({"live ", "snapshot "}) + all + " " + block(c, 2);
    }
    default:
      return "while " + condition(c) + " { skip; " + block(c, 2).substr(1);
  }
}

std::string writer::call(scope& c) {
  if (c.calls == 0) return "skip;";
  const int which = pick(c.calls);
  const std::string z = name();
  if (which == 0) {
    std::string out = "let " + z + " := call r0(" + truth(c, 1) + "); ";
    if (!c.own_numbers.empty() && once_in(3)) return one_of(c.own_numbers) + " := call r0(" + truth(c, 1) + ");";
    c.numbers.push_back(z);
    return out;
  }
  if (which == 1) return "r1(" + number(c) + ", " + element(c) + ");";
  return "r2(" + number(c) + ");";
}

std::string writer::compound(scope& c) {
  switch (pick(c.atomic ? 5 : 8)) {
    case 0: {
      std::string out = "if " + condition(c) + " " + block(c, 2);
      return once_in(2) ? out : out + " else " + block(c, 2);
    }
    case 1:
    case 2:
      return loop(c);
    case 3: {
      std::string out = "either " + block(c, 2) + " or " + block(c, 2);
      return once_in(4) ? out + " or { }" : out;
    }
    case 4:
      return call(c);
    case 5: {
      scope inner = c;
      inner.atomic = true;
      return "atomic " + block(inner, 3);
    }
    case 6:
      return call(c);
    default: {
      if (c.holding) return "mutex_unlock(m); mutex_lock(m);";
      scope inner = c;
      inner.holding = true;
      inner.returns = 0;
      inner.loop = false;
      return "mutex_lock(m); if true " + block(inner, 2) + " mutex_unlock(m);";
    }
  }
}

std::string writer::statement(scope& c) {
  if (c.depth < 3 && pick(5) < 2) {
    ++c.depth;
    const std::string out = compound(c);
    --c.depth;
    return out;
  }
  const std::string z = name();
  switch (pick(14)) {
    case 0: {
      const std::string out = "let " + z + ": bool := " + truth(c) + ";";
      c.truths.push_back(z);
      c.own_truths.push_back(z);
      return out;
    }
    case 1: {
      const std::string out = "let " + z + ": 0..3 := " + number(c) + ";";
      c.numbers.push_back(z);
      c.own_numbers.push_back(z);
      return out;
    }
    case 2:
      return c.own_truths.empty() ? "skip;" : one_of(c.own_truths) + " := " + truth(c) + ";";
    case 3:
      return c.own_numbers.empty() ? "skip;" : one_of(c.own_numbers) + " := min(3, max(0, " + number(c) + "));";
    case 4: {
      scope inner = c;
      inner.numbers.push_back(z);
      const std::string out = "choose " + z + ": 0..2" + (once_in(2) ? "" : " where " + truth(inner, 1)) + ";";
      c.numbers.push_back(z);
      return out;
    }
    case 5: {
      const std::string out = "choose " + z + ": el;";
      c.elements.push_back(z);
      return out;
    }
    case 6:
      return once_in(2) ? assignment(c) : "wait until " + truth(c) + ";";
    case 7:
      return once_in(4) ? "assert " + truth(c) + ";" : assignment(c);
    case 8:
      return c.loop && once_in(2) ? "if " + truth(c, 1) + " { " + one_of({"break;", "continue;"}) + " }" : assignment(c);
    case 9:
      if (!c.returns || !once_in(2)) return assignment(c);
      return "if " + truth(c, 1) + " { return" + (c.returns == 'n' ? " min(3, max(0, " + number(c) + "))" : "") + "; }";
    default:
      return assignment(c);
  }
}

std::string writer::block(scope c, int most) {
  std::string out = "{ ";
  const int n = 1 + pick(most);
  for (int i = 0; i < n; ++i) out += statement(c) + " ";
  return out + "}";
}

std::string writer::model() {
  const std::string b0 = one_of({"true", "false"}), f = one_of({"true", "false"}), x0 = std::to_string(pick(3));
  std::string out = "model random\nsort el = 2 with e0, e1;\nvar b0: bool = " + b0 +
                    ";\nvar b1: bool = true;\nvar x0: 0..3 = " + x0 + ";\nvar x1: 0..2 = 1;\nvar f: el -> bool = " + f +
                    ";\nvar g: el -> 0..2 = 1;\nvar o: option<el>;\nvar s: set<el>;\nvar q: queue<el>;\nvar w: "
                    "seq<0..2>[2];\nmutex m;\nvar y: 0..2 guarded by m;\n";
  narrow_ = pick(3) > 0;
  scope c;
  c.depth = 1;
  c.returns = 'n';
  c.truths = {"p"};
  out += "proc r0(p: bool) -> 0..3 " + block(c, 3) + "\n";
  c.calls = 1;
  c.returns = 'v';
  c.truths = {};
  c.numbers = {"n"};
  c.elements = {"d"};
  out += "proc r1(n: 0..3, d: el) " + block(c, 3) + "\n";
  c.elements = {};
  scope before = c;
  const std::string first = statement(before), last = statement(before);
  out += "proc r2(n: 0..3) recursive 2 { " + first + " if n > 0 { r2(max(0, n - " + std::to_string(1 + pick(2)) + ")); } " +
         last + " }\n";
  scope body;
  body.calls = 3;
  if (once_in(2)) {
    body.elements = {"me"};
    return out + "process a(me: el) " + block(body, 4) + "\n";
  }
  out += "process a " + block(body, 4) + "\n";
  return out + "process b " + block(body, 4) + "\n";
}

}  // namespace

std::string random_model(std::uint64_t seed) { return writer(seed).model(); }

}  // namespace quiesce::test
