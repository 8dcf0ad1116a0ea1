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

#include "model/symbolic/engine.hpp"
#include "model/symbolic/unrolling.hpp"

namespace quiesce::symbolic {

namespace {

using cube = std::vector<literal>;  // of finite_system::state, sorted

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

  literal bad_step();
  std::vector<literal> at_least(std::size_t level) const;
  outcome predecessor(const cube& c, std::size_t level, std::vector<literal> extra, cube* core);
  bool initial(const cube&);
  cube whole_state(sat_solver&);
  cube lifted(const cube& from, const std::vector<literal>& target);
  cube generalised(cube, std::size_t level);
  bool reached_only_from_itself(const cube&, std::size_t level, cube& core);
  void keep(const cube&, std::size_t level);
  outcome block_all(std::size_t top);
  bool propagate();
  bool invariant_holds(const std::vector<cube>&);
  engine_result counterexample(std::size_t length);
  engine_result proved(std::size_t level);
  std::string words(const cube&) const;
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

literal prover::bad_step() {
  const ir::checked_property& c = t_.program().properties[property_];
  literal out = graph_.either(s_.fails[property_], c.sometimes ? s_.step.marked[property_] : s_.step.violated[property_]);
  for (literal e : s_.step.error) out = graph_.either(out, e);
  for (literal b : s_.step.bound) out = graph_.either(out, b);
  return out;
}

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
  for (literal l : c) after.push_back(s_.step.next[node_of(l) - node_of(s_.state[0])] ^ (l & 1u));
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

bool prover::initial(const cube& c) {
  std::vector<literal> assumed;
  for (literal l : c) assumed.push_back(s_.initial.next[node_of(l) - node_of(s_.state[0])] ^ (l & 1u));
  return starts_.solve(assumed) == sat_answer::satisfiable;
}

cube prover::whole_state(sat_solver& model) {
  cube out;
  for (const field& f : s_.fields)
    for (std::uint32_t b = 0; b < f.width; ++b) {
      const literal l = s_.state[f.first + b];
      const bool holds = model.value(l);
      if (holds || !f.one_hot) out.push_back(holds ? l : l ^ 1u);
    }
  std::sort(out.begin(), out.end());
  return out;
}

// With these inputs, which part of the state is enough to make all of `target` true?
cube prover::lifted(const cube& from, const std::vector<literal>& target) {
  std::vector<literal> assumed;
  for (literal c : s_.choices) assumed.push_back(solver_.value(c) ? c : c ^ 1u);
  assumed.insert(assumed.end(), from.begin(), from.end());
  std::vector<literal> misses;
  for (literal l : target) misses.push_back(l ^ 1u);
  const literal question = graph_.input();
  misses.push_back(question ^ 1u);
  lifter_.require_any(misses);
  assumed.push_back(question);
  cube out = from;
  if (lifter_.solve(assumed) == sat_answer::unsatisfiable) {
    out.clear();
    for (literal l : from)
      if (lifter_.used(l)) out.push_back(l);
  }
  lifter_.require(question ^ 1u);
  return out;
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
    if (initial(less) || !reached_only_from_itself(less, level - 1, core)) {
      needed.insert(*next);
      continue;
    }
    c = core.empty() || initial(core) ? less : core;
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
    if (o.level == 0 || initial(o.states)) {
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
      for (literal l : o.states) target.push_back(s_.step.next[node_of(l) - node_of(s_.state[0])] ^ (l & 1u));
      const cube before = lifted(whole_state(solver_), target);
      solver_.require(question ^ 1u);
      waiting_.push({o.level - 1, ages_++, before, o.distance + 1});
      waiting_.push(std::move(o));
      continue;
    }
    solver_.require(question ^ 1u);
    std::sort(core.begin(), core.end());
    if (core.empty() || initial(core)) core = o.states;
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

// The clauses found are checked by a solver that has seen nothing else.
bool prover::invariant_holds(const std::vector<cube>& all) {
  sat_solver fresh(graph_);
  fresh.require(s_.well_typed);
  std::vector<literal> violated_after;
  for (const cube& c : all) {
    if (initial(c)) return false;
    std::vector<literal> clause;
    literal after = s_.step.valid;
    for (literal l : c) {
      clause.push_back(l ^ 1u);
      after = graph_.both(after, s_.step.next[node_of(l) - node_of(s_.state[0])] ^ (l & 1u));
    }
    fresh.require_any(clause);
    violated_after.push_back(after);
  }
  violated_after.push_back(bad_);
  fresh.require_any(violated_after);
  return fresh.solve() == sat_answer::unsatisfiable;
}

std::string prover::words(const cube& c) const {
  std::string out;
  const ir::program& p = t_.program();
  for (literal l : c) {
    const std::size_t bit = node_of(l) - node_of(s_.state[0]);
    std::size_t slot = 0;
    while (s_.fields[slot].first + s_.fields[slot].width <= bit) ++slot;
    std::size_t v = 0;
    while (v + 1 < p.variables.size() && p.variables[v + 1].first_slot <= slot) ++v;
    out += (out.empty() ? "not (" : " and ") + p.variables[v].name + "[" + std::to_string(slot - p.variables[v].first_slot) +
           "]" +
           (s_.fields[slot].one_hot ? negated(l) ? "!=" : "="
            : negated(l)            ? " lacks bit "
                                    : " has bit ") +
           std::to_string(bit - s_.fields[slot].first);
  }
  return out + ")";
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
  if (!invariant_holds(all)) throw std::logic_error("reachability: what was found is no invariant");
  engine_result out;
  out.answer = engine_answer::proved;
  out.note = std::to_string(all.size()) + " clauses, " + std::to_string(frames_.size() - 1) + " frames";
  for (const cube& c : all) out.invariant.push_back(words(c));
  return out;
}

engine_result prover::stopped() {
  engine_result out;
  out.note = watch_.reason() == budget::none ? "the solver gave up" : name(watch_.reason());
  return out;
}

engine_result prover::run() {
  bad_ = bad_step();
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
      waiting_.push({top, ages_++, lifted(whole_state(solver_), {bad_}), 0});
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
