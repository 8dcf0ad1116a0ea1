// SPDX-License-Identifier: MIT
// Invariants learned from examples (after Garg, Löding, Madhusudan, Neider, "ICE", CAV 2014, with clauses as hypotheses).
//
// States that runs reach are the good examples. Clauses that are true of all of them are put together until no step leads
// from where all clauses are true to where one of them is not, or to a bad state; all of them rest on one another. A step
// that does is a counterexample to induction. Its origin is either known to be reachable, and then the clause behind it is
// wrong and goes, or it is excluded by a further clause: the fewest conditions of the origin that no known state meets
// together.
//
// What comes out is checked as a whole by a solver of its own; the examples decide nothing.
#include <algorithm>
#include <deque>
#include <stdexcept>

#include "model/explicit/budget_text.hpp"
#include "model/symbolic/engine.hpp"
#include "model/symbolic/invariant.hpp"
#include "model/symbolic/permutations.hpp"
#include "model/symbolic/samples.hpp"
#include "model/symbolic/unrolling.hpp"

namespace quiesce::symbolic {

namespace {

constexpr std::size_t most_samples = 20000, most_imagined = 300000, most_at_once = 32;

struct clause {
  cube excludes;
  std::size_t family;  // those that differ by an exchange of elements stand and fall together
  bool alive = true;
};

class learner {
 public:
  learner(const transition_system& t, const finite_system& s, std::uint32_t property, const engine_options& o)
      : t_(t),
        s_(s),
        property_(property),
        o_(o),
        watch_({0, 0, o.timeout_s}),
        graph_(s.graph),
        bad_(bad_step(graph_, s, t.program(), property)),
        group_(t, false),
        seen_(t, s, property, group_, most_samples, [this] { return watch_.check(0, 0); }),
        imagined_(t, s),
        exchanges_(t, s, group_),
        solver_(graph_, [this] { return watch_.check(0, 0); }),
        lifter_(graph_),
        starts_(graph_) {}

  engine_result run();

 private:
  std::vector<literal> reaching(const cube&) const;
  bool exclude(const cube& origin, const cube& behind_it);
  cube few_conditions(const cube& origin) const;
  bool imagine(const cube&);
  void imagine_all();
  cube wide(const cube&) const;
  void keep(const cube&, std::size_t family, bool first);
  literal reached(const cube&);
  void activate(const cube&);
  void drop(std::size_t wrong);
  std::size_t field_of(literal) const;
  engine_result counterexample(std::size_t length);
  engine_result proved();
  engine_result stopped() const;

  const transition_system& t_;
  const finite_system& s_;
  const std::uint32_t property_;
  const engine_options& o_;
  budget_watch watch_;
  circuit graph_;
  literal bad_;
  symmetry group_;
  samples seen_;
  state_columns imagined_;  // images of known states: most of them can be reached, too
  permutations exchanges_;
  sat_solver solver_, lifter_, starts_;
  literal active_ = always_true;  // the clauses that are alive count
  std::vector<clause> clauses_;
  std::deque<std::size_t> open_;  // clauses that are to be looked at, the next one last
  std::size_t families_ = 0;
};

std::vector<literal> learner::reaching(const cube& c) const {
  std::vector<literal> out{s_.step.valid};
  for (literal l : c) out.push_back(behind(s_, s_.step, l));
  return out;
}

std::size_t learner::field_of(literal l) const {
  const std::size_t bit = node_of(l) - node_of(s_.state[0]);
  std::size_t slot = 0;
  while (s_.fields[slot].first + s_.fields[slot].width <= bit) ++slot;
  return slot;
}

using set = state_columns::set;

std::size_t common(const set& a, const set& b) {
  std::size_t n = 0;
  for (std::size_t w = 0; w < a.size(); ++w) n += static_cast<std::size_t>(__builtin_popcountll(a[w] & b[w]));
  return n;
}

// States of some columns that meet all conditions taken so far.
class left_over {
 public:
  left_over(const state_columns& all, const cube& c) : all_(all) {
    for (literal l : c) with_.push_back(all.with(l));
  }
  void start(const std::vector<std::size_t>& taken) {
    left_ = all_.all();
    for (std::size_t i : taken) take(i);
  }
  void take(std::size_t i) {
    for (std::size_t w = 0; w < left_.size(); ++w) left_[w] &= with_[i][w];
  }
  bool none() const { return state_columns::first_of(left_) >= all_.size(); }
  std::size_t with(std::size_t i) const { return common(left_, with_[i]); }

 private:
  const state_columns& all_;
  std::vector<set> with_;
  set left_;
};

// The origin is in no known state. Takes the condition that rules out most of the known states that are left, again and
// again, and leaves out those that turn out not to be needed.
cube learner::few_conditions(const cube& origin) const {
  std::vector<left_over> left{{seen_.states(), origin}};
  if (imagined_.in(origin) == imagined_.size()) left.emplace_back(imagined_, origin);
  std::vector<std::size_t> taken;
  const auto none = [&] { return std::all_of(left.begin(), left.end(), [](const left_over& l) { return l.none(); }); };
  for (left_over& l : left) l.start(taken);
  while (!none()) {
    std::size_t best = 0, least = ~std::size_t{0};
    for (std::size_t i = 0; i < origin.size(); ++i) {
      std::size_t n = 0;
      for (const left_over& l : left) n += l.with(i);
      if (n < least) least = n, best = i;
    }
    taken.push_back(best);
    for (left_over& l : left) l.take(best);
  }
  for (std::size_t i = 0; i < taken.size();) {
    std::vector<std::size_t> rest = taken;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    for (left_over& l : left) l.start(rest);
    if (none())
      taken = std::move(rest);
    else
      ++i;
  }
  cube out;
  for (std::size_t i : taken) out.push_back(origin[i]);
  std::sort(out.begin(), out.end());
  return out;
}

// Known states in images of the cube have images in the cube itself. True: some of them are new.
bool learner::imagine(const cube& c) {
  const std::size_t before = imagined_.size();
  for (std::size_t e = 0; e < exchanges_.size(); ++e) {
    const std::size_t known = seen_.states().in(exchanges_.image(c, e));
    if (known == seen_.states().size()) continue;
    for (std::size_t back = 0; back < exchanges_.size(); ++back)
      imagined_.add(exchanges_.image(seen_.states().state(known), back).data());
  }
  return imagined_.size() > before;
}

// "is v" becomes "is none of those that known states have here".
cube learner::wide(const cube& c) const {
  cube out = c;
  for (literal l : c) {
    const field& f = s_.fields[field_of(l)];
    if (!f.one_hot || negated(l)) continue;
    cube rest = out;
    rest.erase(std::find(rest.begin(), rest.end(), l));
    cube other;
    for (std::uint32_t b = 0; b < f.width; ++b) {
      const literal value = s_.state[f.first + b];
      if (value == l) continue;
      rest.push_back(value);
      if (seen_.states().in(rest) < seen_.states().size() || imagined_.in(rest) < imagined_.size())
        other.push_back(value ^ 1u);
      rest.pop_back();
    }
    if (other.size() + 1 == f.width) continue;
    rest.insert(rest.end(), other.begin(), other.end());
    out = std::move(rest);
  }
  std::sort(out.begin(), out.end());
  return out;
}

void learner::activate(const cube& c) {
  std::vector<literal> clause{active_ ^ 1u};
  for (literal l : c) clause.push_back(l ^ 1u);
  solver_.require_any(clause);
}

void learner::keep(const cube& c, std::size_t family, bool first) {
  clauses_.push_back({c, family});
  if (first)
    open_.push_back(clauses_.size() - 1);
  else
    open_.push_front(clauses_.size() - 1);
  activate(c);
}

void learner::drop(std::size_t wrong) {
  const std::size_t family = clauses_[wrong].family;
  solver_.require(active_ ^ 1u);
  active_ = graph_.input();
  open_.clear();
  for (std::size_t i = 0; i < clauses_.size(); ++i) {
    clause& c = clauses_[i];
    c.alive = c.alive && c.family != family && seen_.states().in(c.excludes) == seen_.states().size();
    if (!c.alive) continue;
    open_.push_back(i);
    activate(c.excludes);
  }
}

// False: one of the states of the cube is reachable.
bool learner::exclude(const cube& origin, const cube& behind_it) {
  while (true) {
    if (const std::size_t known = seen_.states().in(origin); known < seen_.states().size()) {
      seen_.add_runs_from(known, behind_it);
      return false;
    }
    cube c = few_conditions(origin);
    if (starts_in(s_, starts_, c)) {
      seen_.add_run_from(state_of(t_, s_, starts_, s_.initial.next), 0);
      continue;
    }
    if (imagined_.in(origin) == imagined_.size() && imagine(c)) continue;
    cube w = wide(c);
    while (imagined_.in(c) == imagined_.size() && imagine(w)) w = wide(c);
    if (!starts_in(s_, starts_, w)) c = w;
    ++families_;
    keep(c, families_, true);
    for (const cube& other : exchanges_.images(c))
      if (other != c && seen_.states().in(other) == seen_.states().size() && !starts_in(s_, starts_, other))
        keep(other, families_, false);
    return true;
  }
}

engine_result learner::stopped() const {
  engine_result out;
  out.note = watch_.reason() == budget::none ? "the solver gave up" : text_of(watch_.reason());
  return out;
}

// A run of at most so many steps ends badly; the shortest one, if it is the property that it breaks.
engine_result learner::counterexample(std::size_t length) {
  engine_options o = o_;
  o.max_depth = length + 1;
  o.obstacles = true;
  if (o.timeout_s > 0) o.timeout_s = std::max(0.001, o.timeout_s - watch_.elapsed_s());
  engine_result out = bounded(t_, s_, property_, o);
  if (out.answer == engine_answer::unknown && out.obstacle) out.note = "an error or a bound is reached";
  return out;
}

engine_result learner::proved() {
  std::vector<cube> all;
  for (const clause& c : clauses_)
    if (c.alive) all.push_back(c.excludes);
  if (!is_invariant(graph_, s_, all, bad_)) throw std::logic_error("learning: what was found is no invariant");
  engine_result out;
  out.answer = engine_answer::proved;
  out.triggered = seen_.triggered();
  out.note = std::to_string(all.size()) + " clauses, learned from " + std::to_string(seen_.states().size()) + " states";
  for (const cube& c : all) out.invariant.push_back(words_of(t_, s_, c));
  return out;
}

literal learner::reached(const cube& c) {
  literal out = s_.step.valid;
  for (literal l : c) out = graph_.both(out, behind(s_, s_.step, l));
  return out;
}

// All images of known states, as far as there is room.
void learner::imagine_all() {
  if (exchanges_.size() == 1) return;
  for (std::size_t k = 0; k < seen_.states().size() && imagined_.size() < most_imagined; ++k)
    for (std::size_t e = 0; e < exchanges_.size(); ++e) imagined_.add(exchanges_.image(seen_.states().state(k), e).data());
}

engine_result learner::run() {
  const engine_result first = counterexample(0);
  if (first.answer != engine_answer::unknown || first.obstacle) return first;
  active_ = graph_.input();
  for (sat_solver* s : {&solver_, &lifter_}) s->require(s_.well_typed);
  starts_.require(s_.initial.valid);
  imagine_all();
  while (true) {
    if (seen_.broken()) return counterexample(*seen_.broken());
    const bool clause_next = !open_.empty();
    const std::size_t n = std::min(open_.size(), most_at_once);
    std::vector<std::size_t> asked(open_.end() - static_cast<std::ptrdiff_t>(n), open_.end());
    std::vector<literal> each;
    for (std::size_t i : asked) each.push_back(reached(clauses_[i].excludes));
    const sat_answer answer = solver_.solve({active_, clause_next ? any_of(graph_, each) : bad_});
    if (answer == sat_answer::stopped || watch_.check(0, 0)) return stopped();
    if (answer == sat_answer::unsatisfiable) {
      if (!clause_next) return proved();
      open_.resize(open_.size() - n);
      continue;
    }
    std::size_t next = 0;
    std::vector<literal> target{bad_};
    if (clause_next) {
      while (!solver_.value(each[next])) ++next;
      next = asked[next];
      target = reaching(clauses_[next].excludes);
    }
    const cube origin = lifted(graph_, s_, solver_, lifter_, state_in(s_, solver_), target);
    if (!exclude(origin, clause_next ? clauses_[next].excludes : cube{})) {
      if (!clause_next) return counterexample(seen_.depth(seen_.states().in(origin)) + 1);
      // Which of its states is reachable is known by now, with those behind it: clauses that they contradict are wrong.
      drop(next);
    }
    if (o_.progress) o_.progress("clauses", clauses_.size());
  }
}

}  // namespace

engine_result learning(const transition_system& t, const finite_system& s, std::uint32_t property, const engine_options& o) {
  return learner(t, s, property, o).run();
}

}  // namespace quiesce::symbolic
