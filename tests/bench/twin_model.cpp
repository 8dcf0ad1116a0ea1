// SPDX-License-Identifier: MIT
// The scalable teardown system as a quiesce model and its properties: the same states and steps as the hand-written search
// and the Promela text of twin_promela.cpp. Sizes: see twin.hpp.
#include <fmt/format.h>

#include "tests/bench/twin.hpp"

namespace quiesce::bench {

namespace {

// NAME0, NAME1, ...
std::string names(const char* prefix, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += fmt::format("{}{}{}", i ? ", " : "", prefix, i);
  return out;
}

// "x == p0 ? q0 : x == p1 ? q1 : ... q", for the first count - 1 values of x
std::string table(const char* x, const char* from, const std::vector<std::string>& to) {
  std::string out;
  for (std::size_t i = 0; i + 1 < to.size(); ++i) out += fmt::format("{} == {}{} ? {} : ", x, from, i, to[i]);
  return "(" + out + to.back() + ")";
}

std::string next(const char* x, const char* prefix, int count) {
  std::vector<std::string> to;
  for (int i = 1; i < count; ++i) to.push_back(fmt::format("{}{}", prefix, i));
  to.push_back(fmt::format("{}0", prefix));
  return table(x, prefix, to);
}

std::string loop(const char* x, const char* prefix, int count, const std::string& body) {
  return fmt::format(
      "      while true {{\n{}        if {} == {}{} {{ break; }}\n        {} := {};\n      }}\n      {} := {}0;\n", body, x,
      prefix, count - 1, x, next(x, prefix, count), x, prefix);
}

std::string teardown(const twin_size& z) {
  std::vector<std::string> homes;
  for (int i = 0; i < z.slots; ++i) homes.push_back(fmt::format("n{}", i % z.nets));
  const std::string home = table("i", "s", homes);
  const auto slots = [&](const std::string& body) { return loop("i", "s", z.slots, body); };
  const auto nets = [&](const std::string& body) { return loop("n", "n", z.nets, body); };
  const std::string forget = "ref(t, i) := ref(t, i) - cache(t, i); cache(t, i) := 0; lst(t, " + home + ") := true;";
  return "  process teardown(t: task) {\n    while true {\n"
         "      atomic { wait until rtnl == none; rtnl := t; }\n      let i: slot := s0;\n      let n: net := n0;\n" +
         slots("        st(t, i) := 1;\n        up(t, i) := false;\n        st(t, i) := 2;\n") +
         slots("        lst(t, " + home + ") := true;\n") + nets("        lst(t, n) := false;\n") +
         slots("        atomic { st(t, i) := 3; " + forget + " }\n") +
         nets(
             "        atomic { if lst(t, n) { lst(t, n) := false; assert ub(t, n) == 0 \"once\"; ub(t, n) := ub(t, n) + 1; "
             "} }\n") +
         slots("        atomic { assert ub(t, " + home + ") == 1 \"uninit\"; st(t, i) := 4; }\n") + "      rtnl := none;\n" +
         slots(
             "        while true {\n          either { wait until ref(t, i) == 0; break; }\n"
             "          or {\n            atomic { wait until ref(t, i) != 0 && rtnl == none; rtnl := t; }\n            "
             "atomic { " +
             forget + " }\n            atomic { lst(t, " + home + ") := false; rtnl := none; }\n          }\n        }\n" +
             "        atomic { assert ref(t, i) == 0 \"free\"; st(t, i) := 5; }\n") +
         "      atomic {\n        wait until rtnl == none;\n"
         "        for all u: task, k: slot where u == t { st(u, k) := 0; up(u, k) := true; }\n        for all u: task, k: "
         "net where u == t { ub(u, k) := 0; }\n      }\n    }\n  }\n";
}

const char* const actors = R"(  process softirq_actor(a: actor) {
    while true {
      atomic { choose u: task; choose j: slot where up(u, j); tk(a) := u; sl(a) := j; ref(u, j) := ref(u, j) + 1; }
      atomic { choose mode: bool; am(a) := mode;
        if cache(tk(a), sl(a)) < entries { cache(tk(a), sl(a)) := cache(tk(a), sl(a)) + 1; ref(tk(a), sl(a)) := ref(tk(a), sl(a)) + 1; }
      }
      either {
        atomic { wait until gcl == 0; gcl := 1; am(a) := false; }
        either {
          atomic {
            choose u: task;
            choose j: slot where cache(u, j) > 0;
            cache(u, j) := cache(u, j) - 1;
            ref(u, j) := ref(u, j) - 1;
            gcl := 0;
          }
        } or {
          atomic { wait until all u: task, j: slot : cache(u, j) == 0; gcl := 0; }
        }
      } or {
        atomic { wait until gcl != 0 && am(a); am(a) := false; }
      }
      atomic { ref(tk(a), sl(a)) := ref(tk(a), sl(a)) - 1; tk(a) := t0; sl(a) := s0; }
    }
  }
  process gc_timer {
    while true {
      atomic { wait until gcl == 0 && (some u: task, j: slot : cache(u, j) > 0); gcl := 2; }
      atomic {
        for all u: task, j: slot where st(u, j) >= 3 { ref(u, j) := ref(u, j) - cache(u, j); cache(u, j) := 0; }
        gcl := 0;
      }
    }
  }
)";

}  // namespace

std::string twin_model(const twin_size& z) {
  return fmt::format(
             "# SPDX-License-Identifier: MIT\nmodel teardown_twin \"a teardown system to measure with\"\n\n"
             "sort task = {} with t0;\nsort slot = {} with {};\nsort net = {} with {};\nsort actor = {};\nbound entries: "
             "1..8 = {} \"cache entries of a device\";\n\n"
             "var rtnl: option<task> = none;\nvar st: task, slot -> 0..5;\nvar up: task, slot -> bool = true;\n"
             "var ref: task, slot -> 0..{};\nvar cache: task, slot -> 0..entries;\nvar lst: task, net -> bool;\nvar ub: "
             "task, net -> 0..3;\n"
             "var gcl: 0..2;\nvar tk: actor -> task;\nvar sl: actor -> slot;\nvar am: actor -> bool;\n\nenvironment default "
             "{{\n",
             z.tasks, z.slots, names("s", z.slots), z.nets, names("n", z.nets), z.actors, z.cache, z.cache + z.actors) +
         teardown(z) + actors + "}\n";
}

std::string twin_properties() {
  return "# SPDX-License-Identifier: MIT\n"
         "property twin_no_assertion \"no assertion fails\" no error assertion;\n"
         "property twin_list \"one task at most has a namespace on its list\" model\n"
         "  invariant all n: net : (count t: task : lst(t, n)) <= 1;\n"
         "property twin_free \"a freed device has no references\" model\n"
         "  invariant all t: task, s: slot : st(t, s) == 5 => ref(t, s) == 0;\n";
}

}  // namespace quiesce::bench
