// SPDX-License-Identifier: MIT
// A search that is killed and goes on, again and again, ends like one that nobody disturbed; files that are not what they
// should be are refused.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <thread>

#include "model/explicit/checkpoint.hpp"
#include "model/explicit/search.hpp"
#include "properties/diagnostic.hpp"
#include "tests/support/ir_builder.hpp"

namespace quiesce::test {
namespace {

namespace fs = std::filesystem;
using b = ir_builder;
using ir::op;

struct own_directory {
  std::string path = (fs::temp_directory_path() / "quiesce_checkpoint_XXXXXX").string();
  own_directory() {
    if (!mkdtemp(path.data())) throw std::runtime_error("no temporary directory");
  }
  ~own_directory() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  std::string file(const std::string& name) const { return path + "/" + name; }
};

// Tasks that count to `top`; a property is broken near the end, another in the middle, a third is reached.
ir::program counters(std::uint32_t tasks, std::int64_t top) {
  ir_builder x;
  auto s = x.sort("t", tasks, true);
  auto n = x.integer(0, top);
  auto v = x.variable("n", n, {s});
  auto p = x.process("p", s);
  auto self = x.temp(0, x.element(s));
  auto more = x.apply(op::less, x.boolean(), {x.load(v, {self}), x.constant(top, n)});
  x.location(p, {b::await(more), b::set(v, {self}, x.apply(op::add, n, {x.load(v, {self}), x.constant(1, n)})), b::stop(0)},
             false);
  x.finish_process(p);
  x.program.init = {b::stop(0)};
  x.program.invariant_temps = 2;
  const auto fewer_at = [&](std::int64_t value, std::int64_t count) {
    auto there = x.apply(op::equal, x.boolean(), {x.load(v, {x.temp(1, x.element(s))}), x.constant(value, n)});
    return x.apply(op::less, x.boolean(), {x.over(op::count, n, s, 1, there), x.constant(count, n)});
  };
  x.program.properties[x.property("late")].invariant = fewer_at(top, tasks);
  x.program.properties[x.property("middle")].invariant = fewer_at(top / 2 + 1, 3);
  const auto reached = x.property("reached");
  x.program.properties[reached].invariant = x.apply(op::not_, x.boolean(), {fewer_at(top, tasks - 1)});
  x.program.properties[reached].sometimes = true;
  return x.program;
}

std::string text_of(const std::optional<finding>& f) {
  if (!f) return "none\n";
  std::string out = std::to_string(f->depth) + ":";
  for (const trace_step& s : f->run.steps) {
    out += " " + std::to_string(s.process) + "." + std::to_string(s.instance);
    for (word w : s.state) out += "," + std::to_string(w);
  }
  return out + "\n";
}

std::string text_of(const search_result& r) {
  std::string out = std::to_string(r.states) + " " + std::to_string(r.transitions) + " " + std::to_string(r.depth) + " " +
                    std::to_string(r.complete) + " " + std::to_string(r.marked) + "\n";
  for (const auto& f : r.properties) out += text_of(f);
  return out + text_of(r.deadlock);
}

search_options with(unsigned threads, bool symmetry = false) {
  search_options o;
  o.threads = threads;
  o.symmetry = symmetry;
  o.grain = 16;
  o.checkpoint.every_s = 0;
  return o;
}

// Explores in a process of its own, from the checkpoint if there is one. Its result; empty: it was killed, after `patience`
// us.
std::string explore_and_kill(const transition_system& t, search_options o, const std::string& file, unsigned patience) {
  o.checkpoint.file = file;
  if (fs::exists(file)) o.checkpoint.resume = file;
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child == 0) {
    std::string text;
    try {
      text = text_of(explore(t, o));
    } catch (const std::exception& e) {
      text = std::string("failed: ") + e.what();
    }
    const ssize_t written = write(ends[1], text.data(), text.size());
    _exit(written == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::this_thread::sleep_for(std::chrono::microseconds(patience));
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  std::string out;
  char block[4096];
  for (ssize_t n; (n = read(ends[0], block, sizeof block)) > 0;) out.append(block, static_cast<std::size_t>(n));
  close(ends[0]);
  return WIFEXITED(status) ? out : "";
}

TEST(engine_checkpoint, a_search_killed_at_any_moment_goes_on_to_the_same_end) {
  const auto t = make_interpreter(counters(6, 5));
  std::mt19937 random(7);
  int kills = 0;
  for (const bool symmetry : {false, true})
    for (const unsigned threads : {1u, 2u}) {
      const own_directory at;
      const std::string expected = text_of(explore(*t, with(1, symmetry)));
      unsigned patience = 4000;
      std::string found;
      while (found.empty()) {
        found = explore_and_kill(*t, with(threads, symmetry), at.file("c"), random() % patience);
        kills += found.empty();
        patience += patience / 8;  // an end comes for sure
      }
      EXPECT_EQ(found, expected) << threads << " threads, symmetry " << symmetry;
    }
  EXPECT_GT(kills, 4);
}

TEST(engine_checkpoint, a_limit_or_an_interrupt_leaves_the_beginning_of_its_level) {
  const auto t = make_interpreter(counters(5, 4));
  const own_directory at;
  const std::string expected = text_of(explore(*t, with(1)));
  search_options o = with(1);
  o.checkpoint.file = at.file("c");
  o.checkpoint.every_s = 1e9;
  o.max_states = 700;
  const search_result some = explore(*t, o);
  EXPECT_EQ(some.ended_by, budget::states);
  EXPECT_GT(some.covered, 0u);
  o.max_states = 0;
  o.checkpoint.resume = o.checkpoint.file;
  interrupt_flag() = true;
  EXPECT_EQ(explore(*t, o).ended_by, budget::interrupt);
  interrupt_flag() = false;
  EXPECT_EQ(text_of(explore(*t, o)), expected);
}

std::string refusal(const transition_system& t, const search_options& o) {
  try {
    explore(t, o);
  } catch (const diagnostic& e) {
    return e.sentence;
  }
  return "accepted";
}

TEST(engine_checkpoint, files_that_are_not_what_they_should_be_are_refused) {
  const auto t = make_interpreter(counters(4, 4));
  const own_directory at;
  search_options o = with(1);
  o.checkpoint.file = at.file("c");
  explore(*t, o);
  std::ifstream in(at.file("c"), std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  o.checkpoint.file.clear();
  o.checkpoint.resume = at.file("d");
  const auto refused_with = [&](const std::string& bytes) {
    std::ofstream(at.file("d"), std::ios::binary) << bytes;
    return refusal(*t, o);
  };
  EXPECT_EQ(refused_with(whole), "accepted");
  std::mt19937 random(3);
  for (int k = 0; k < 200; ++k) {
    std::string changed = whole;
    changed[random() % changed.size()] ^= static_cast<char>(1 << random() % 8);
    EXPECT_NE(refused_with(changed), "accepted");
    EXPECT_NE(refused_with(whole.substr(0, random() % whole.size())), "accepted");
  }
  EXPECT_NE(refused_with(whole + "x"), "accepted");
  EXPECT_NE(refused_with("a text\n").find("is no checkpoint"), std::string::npos);
  refused_with(whole);
  o.symmetry = true;
  EXPECT_NE(refusal(*t, o).find("another search"), std::string::npos);
  const auto other = make_interpreter(counters(4, 3));
  o = with(1);
  o.checkpoint.resume = at.file("d");
  EXPECT_NE(refusal(*other, o).find("another search"), std::string::npos);
  o.checkpoint.resume = at.file("none");
  EXPECT_NE(refusal(*t, o).find("cannot be read"), std::string::npos);
  o.checkpoint.resume.clear();
  o.checkpoint.file = at.file("no/directory");
  EXPECT_NE(refusal(*t, o).find("cannot be written"), std::string::npos);
}

}  // namespace
}  // namespace quiesce::test
