// SPDX-License-Identifier: MIT
#include "tests/bench/tools.hpp"

#include <fmt/format.h>

#include <fstream>

namespace quiesce::bench {

namespace {

constexpr double build_limit_s = 600;

void write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

bool builds(const std::string& directory, const std::string& command) {
  return run_command(command, directory, build_limit_s).finished;
}

// The compiled steps are in a cache of this measurement's own: the first run, which is not counted, fills it.
std::string quiesce_command(const tool& t, const subject& s, const std::string& directory) {
  write(directory + "/twin.model", s.model);
  write(directory + "/twin.prop", s.properties);
  return fmt::format(
      "env XDG_CACHE_HOME={} {} check twin.model --properties twin.prop --property {} --native wait --statistics {}",
      directory, where().quiesce, s.property, t.option);
}

// Two searches that share nothing but the machine: no two threads of one search can do better.
std::string twice_command(const tool& t, const subject& s, const std::string& directory) {
  const std::string once = quiesce_command(t, s, directory);
  return fmt::format("{} & {} & wait", once, once);
}

// A table of as many slots as the other tools get.
std::string bare_command(const tool& t, const subject& s, const std::string& directory) {
  const std::uint64_t slots = std::uint64_t{1} << s.table_bits;
  return fmt::format("{} --expect-states {}", quiesce_command(t, s, directory), slots / 8 * 5);
}

// -o1 -o2 -o3: neither dead variables nor merged statements change the number of states.
std::string spin_command(const tool& t, const subject& s, const std::string& directory) {
  if (s.promela.empty()) return "";
  write(directory + "/twin.pml", s.promela);
  if (!builds(directory, "spin -a -o1 -o2 -o3 twin.pml")) return "";
  if (!builds(directory, fmt::format("cc -O3 -w -DSAFETY -DNOREDUCE -DMEMLIM=16384 {} pan.c -o pan", t.option))) return "";
  const std::string command = fmt::format("./pan -w{}", s.table_bits);
  if (std::string(t.option) == "-DBFS") return command;
  // A deeper stack than it needs costs time and memory: a first run, which is not counted, says how deep it gets.
  const std::string words = "depth reached ", first = run_command(command + " -m20000000", directory, build_limit_s).output;
  const std::size_t at = first.find(words);
  if (at == std::string::npos) return "";
  return fmt::format("{} -m{}", command, std::stoull(first.substr(at + words.size())) + 10);
}

std::string rumur_command(const tool& t, const subject& s, const std::string& directory) {
  if (s.murphi.empty()) return "";
  write(directory + "/twin.m", s.murphi);
  if (!builds(directory, fmt::format("rumur {} --output twin.c twin.m", t.option))) return "";
  if (!builds(directory, "cc -O3 -w -march=native -mcx16 twin.c -o twin -lpthread -latomic")) return "";
  return "./twin";
}

std::string hand_written_command(const tool&, const subject& s, const std::string& directory) {
  if (s.hand_written.empty()) return "";
  const std::string compile = fmt::format("c++ -std=c++20 -O3 -march=native {} {}/tests/bench/hand_written.cpp -o search",
                                          s.hand_written, where().source);
  return builds(directory, compile) ? fmt::format("./search {}", s.table_bits) : "";
}

}  // namespace

const std::vector<tool>& tools() {
  const char *const ours = "states, [0-9]+ transitions", *const our_steps = "transitions, depth";
  const char *const stored = "states, stored", *const spin_steps = "transitions \\(= stored";
  const char *const murphi = "states, [0-9]+ rules", *const rules = "rules fired";
  static const std::vector<tool> all = {
      {"quiesce", "--threads 1", quiesce_command, ours, our_steps, false},
      {"quiesce, 2 threads", "--threads 2", quiesce_command, ours, our_steps, false},
      {"quiesce, two at once", "--threads 1", twice_command, ours, our_steps, false},
      {"quiesce, bare", "--threads 1 --store bare", bare_command, ours, our_steps, false},
      {"quiesce, compressed", "--threads 1 --store compressed", quiesce_command, ours, our_steps, false},
      {"quiesce, symmetry", "--threads 1 --symmetry", quiesce_command, ours, our_steps, false},
      {"spin, depth first", "", spin_command, stored, spin_steps, false},
      {"spin, breadth first", "-DBFS", spin_command, stored, spin_steps, false},
      {"rumur", "--threads 1 --symmetry-reduction off", rumur_command, murphi, rules, true},
      {"hand-written", "", hand_written_command, ours, our_steps, false},
  };
  return all;
}

places& where() {
  static places p;
  return p;
}

}  // namespace quiesce::bench
