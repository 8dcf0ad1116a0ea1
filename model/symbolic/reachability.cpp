// SPDX-License-Identifier: MIT
// Property-directed reachability. Frame i is a set of clauses that every state reachable in at most i steps satisfies; a
// clause is kept at the highest frame that it is known for. A state that breaks the property is blocked by a clause that
// says why its kind cannot be reached in i steps, which takes the same for its predecessors first.
//
//   block(cube, level):  is there a predecessor in frame level-1, other than the cube itself?
//        no  -> generalise the cube as far as the answer stays no, and keep its negation as a clause of `level`
//        yes -> generalise the predecessor to a cube that surely leads there, block it at level-1 first
//
// A cube fixes bits of the state; of a program counter it names the location, if at all.
#include <algorithm>
#include <queue>
#include <set>
#include <stdexcept>

#include "model/explicit/budget_text.hpp"
#include "model/symbolic/engine.hpp"
#include "model/symbolic/invariant.hpp"

namespace quiesce::symbolic {

namespace {

bool subset(const cube& a, const cube& b) { return std::includes(b.begin(), b.end(), a.begin(), a.end()); }

struct obligation {
  std::size_t level;
  std::size_t age;  // the order in which they came up: deterministic, and depth-first among equals
  cube states;
  std::size_t distance;  // steps from here to the bad state
};
struct later {
  bool operator()(const obligation& a, const obligation& b) const {
    return a.level != b.level ? a.level > b.level : a.age < b.age;
  }
};

class prover {
 public:
  prover(const transition_system& t, const finite_system& s, std::uint32_t property, const engine_options& o)
      : t_(t),
        s_(s),
        property_(property),
        o_(o),
        watch_({0, 0, o.timeout_s}),
        graph_(s.graph),
        solver_(graph_, [this] { return watch_.check(0, 0); }),
        lifter_(graph_),
        starts_(graph_) {}

  engine_result run();

 private:
  enum class outcome { yes, no, stopped };

  std::vector<literal> at_least(std::size_t level) const;
  outcome predecessor(const cube& c, std::size_t level, std::vector<literal> extra, cube* core);
  cube generalised(cube, std::size_t level);
  bool reached_only_from_itself(const cube&, std::size_t level, cube& core);
  void keep(const cube&, std::size_t level);
  outcome block_all(std::size_t top);
  bool propagate();
  engine_result counterexample(std::size_t length);
  engine_result proved(std::size_t level);
  engine_result stopped();

  const transition_system& t_;
  const finite_system& s_;
  const std::uint32_t property_;
  const engine_options& o_;
  budget_watch watch_;
  circuit graph_;
  sat_solver solver_, lifter_, starts_;
  literal bad_ = always_false;
  std::vector<std::vector<cube>> frames_;  // frames_[i]: clauses (negated cubes) whose highest frame is i; 0: unused
  std::vector<literal> active_;            // active_[i]: the clauses of frames_[i] count
  std::priority_queue<obligation, std::vector<obligation>, later> waiting_;
  std::size_t ages_ = 0, found_length_ = 0;
};

std::vector<literal> prover::at_least(std::size_t level) const {
  return {active_.begin() + static_cast<std::ptrdiff_t>(level), active_.end()};
}

// Is a state of the cube reached from one of frame `level` (and of `extra`)? `core`, where not: the part of the cube that
// matters.
prover::outcome prover::predecessor(const cube& c, std::size_t level, std::vector<literal> extra, cube* core) {
  std::vector<literal> assumed = at_least(level);
  assumed.insert(assumed.end(), extra.begin(), extra.end());
  assumed.push_back(s_.step.valid);
  std::vector<literal> after;
  for (literal l : c) after.push_back(behind(s_, s_.step, l));
  assumed.insert(assumed.end(), after.begin(), after.end());
  switch (solver_.solve(assumed)) {
    case sat_answer::satisfiable:
      return outcome::yes;
    case sat_answer::stopped:
      return outcome::stopped;
    case sat_answer::unsatisfiable:
      break;
  }
  if (core != nullptr)
    for (std::size_t i = 0; i < c.size(); ++i)
      if (after[i] != always_true && solver_.used(after[i])) core->push_back(c[i]);
  return outcome::no;
}

// Drops bits while what is left is neither initial nor reached from the frame below (Bradley's MIC without its recursion).
cube prover::generalised(cube c, std::size_t level) {
  std::set<literal> needed;
  for (;;) {
    const auto next = std::find_if(c.begin(), c.end(), [&](literal l) { return needed.count(l) == 0; });
    if (next == c.end() || c.size() == 1) return c;
    cube less = c;
    less.erase(less.begin() + (next - c.begin()));
    cube core;
    if (starts_in(s_, starts_, less) || !reached_only_from_itself(less, level - 1, core)) {
      needed.insert(*next);
      continue;
    }
    c = core.empty() || starts_in(s_, starts_, core) ? less : core;
  }
}

// No state of the cube is reached from one outside it in frame `level`.
bool prover::reached_only_from_itself(const cube& c, std::size_t level, cube& core) {
  const literal question = graph_.input();
  std::vector<literal> other{question ^ 1u};
  for (literal l : c) other.push_back(l ^ 1u);
  solver_.require_any(other);
  const outcome answer = predecessor(c, level, {question}, &core);
  solver_.require(question ^ 1u);
  std::sort(core.begin(), core.end());
  return answer == outcome::no;
}

void prover::keep(const cube& c, std::size_t level) {
  for (std::size_t i = 1; i <= level; ++i)
    frames_[i].erase(std::remove_if(frames_[i].begin(), frames_[i].end(), [&](const cube& old) { return subset(c, old); }),
                     frames_[i].end());
  frames_[level].push_back(c);
  std::vector<literal> clause{active_[level] ^ 1u};
  for (literal l : c) clause.push_back(l ^ 1u);
  solver_.require_any(clause);
}

prover::outcome prover::block_all(std::size_t top) {
  while (!waiting_.empty()) {
    obligation o = waiting_.top();
    waiting_.pop();
    if (watch_.check(0, 0)) return outcome::stopped;
    if (o.level == 0 || starts_in(s_, starts_, o.states)) {
      found_length_ = o.level + o.distance;
      return outcome::yes;
    }
    bool known = false;
    for (std::size_t i = o.level; i < frames_.size() && !known; ++i)
      for (const cube& c : frames_[i]) known = known || subset(c, o.states);
    if (known) {
      if (o.level < top) waiting_.push({o.level + 1, ages_++, o.states, o.distance});
      continue;
    }
    const literal question = graph_.input();
    std::vector<literal> other{question ^ 1u};
    for (literal l : o.states) other.push_back(l ^ 1u);
    solver_.require_any(other);
    cube core;
    const outcome answer = predecessor(o.states, o.level - 1, {question}, &core);
    if (answer == outcome::stopped) return answer;
    if (answer == outcome::yes) {
      std::vector<literal> target{s_.step.valid};
      for (literal l : o.states) target.push_back(behind(s_, s_.step, l));
      const cube before = lifted(graph_, s_, solver_, lifter_, state_in(s_, solver_), target);
      solver_.require(question ^ 1u);
      waiting_.push({o.level - 1, ages_++, before, o.distance + 1});
      waiting_.push(std::move(o));
      continue;
    }
    solver_.require(question ^ 1u);
    std::sort(core.begin(), core.end());
    if (core.empty() || starts_in(s_, starts_, core)) core = o.states;
    core = generalised(std::move(core), o.level);
    std::size_t level = o.level;
    while (level < top && predecessor(core, level, {}, nullptr) == outcome::no) ++level;
    keep(core, level);
    if (level < top) waiting_.push({level + 1, ages_++, o.states, o.distance});
  }
  return outcome::no;
}

// Moves clauses up; true: a frame has become empty, so the ones above it are an invariant.
bool prover::propagate() {
  for (std::size_t i = 1; i + 1 < frames_.size(); ++i) {
    const std::vector<cube> here = frames_[i];
    for (const cube& c : here)
      if (std::find(frames_[i].begin(), frames_[i].end(), c) != frames_[i].end() &&
          predecessor(c, i, {}, nullptr) == outcome::no)
        keep(c, i + 1);
    if (frames_[i].empty()) return true;
  }
  return false;
}

engine_result prover::counterexample(std::size_t length) {
  engine_options o = o_;
  o.max_depth = length + 1;
  o.obstacles = true;
  if (o.timeout_s > 0) o.timeout_s = std::max(0.001, o.timeout_s - watch_.elapsed_s());
  engine_result out = bounded(t_, s_, property_, o);
  if (out.answer == engine_answer::unknown && out.obstacle) out.note = "an error or a bound is reached";
  return out;
}

engine_result prover::proved(std::size_t level) {
  std::vector<cube> all;
  for (std::size_t i = level; i < frames_.size(); ++i) all.insert(all.end(), frames_[i].begin(), frames_[i].end());
  if (!is_invariant(graph_, s_, all, bad_)) throw std::logic_error("reachability: what was found is no invariant");
  engine_result out;
  out.answer = engine_answer::proved;
  out.note = std::to_string(all.size()) + " clauses, " + std::to_string(frames_.size() - 1) + " frames";
  for (const cube& c : all) out.invariant.push_back(words_of(t_, s_, c));
  return out;
}

engine_result prover::stopped() {
  engine_result out;
  out.note = watch_.reason() == budget::none ? "the solver gave up" : text_of(watch_.reason());
  return out;
}

engine_result prover::run() {
  bad_ = bad_step(graph_, s_, t_.program(), property_);
  for (sat_solver* s : {&solver_, &lifter_}) s->require(s_.well_typed);
  starts_.require(s_.initial.valid);
  const engine_result first = counterexample(0);
  if (first.answer != engine_answer::unknown || first.obstacle) return first;
  frames_.resize(1);
  active_.push_back(graph_.input());
  // Frame 0 is the initial states.
  solver_.require_any({active_[0] ^ 1u, s_.initial.valid});
  for (std::size_t b = 0; b < s_.state.size(); ++b)
    solver_.require_any({active_[0] ^ 1u, graph_.same(s_.state[b], s_.initial.next[b])});
  for (std::size_t top = 1;; ++top) {
    frames_.emplace_back();
    active_.push_back(graph_.input());
    if (o_.progress) o_.progress("frame", top);
    for (;;) {
      std::vector<literal> assumed = at_least(top);
      assumed.push_back(bad_);
      const sat_answer answer = solver_.solve(assumed);
      if (answer == sat_answer::stopped) return stopped();
      if (answer == sat_answer::unsatisfiable) break;
      waiting_.push({top, ages_++, lifted(graph_, s_, solver_, lifter_, state_in(s_, solver_), {bad_}), 0});
      const outcome blocked = block_all(top);
      if (blocked == outcome::stopped) return stopped();
      if (blocked == outcome::yes) return counterexample(found_length_);
    }
    if (propagate()) {
      std::size_t level = 1;
      while (!frames_[level].empty()) ++level;
      return proved(level + 1);
    }
  }
}

}  // namespace

engine_result reachability(const transition_system& t, const finite_system& s, std::uint32_t property,
                           const engine_options& o) {
  return prover(t, s, property, o).run();
}

}  // namespace quiesce::symbolic
