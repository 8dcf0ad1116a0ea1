// SPDX-License-Identifier: MIT
#include "model/inference/infer.hpp"

#include <algorithm>
#include <ctime>
#include <set>

#include <fmt/format.h>

#include "model/inference/clauses.hpp"
#include "model/inference/levels.hpp"
#include "model/inference/models.hpp"

namespace quiesce::inference {

using symbolic::answer;
using symbolic::block;
using symbolic::core_error;
using symbolic::obligation;
using symbolic::script;
using symbolic::solver;

namespace {

// A condition that may become an invariant.
struct candidate {
  std::string name;
  node condition;
  std::string text;
  bool required = false;  // the property
  bool dropped = false;
  std::size_t pool = 0;  // of clauses; of none for what was given
  clause literals;
};

constexpr unsigned first_timeout_ms = 600;  // an answer `sat` with quantifiers takes long; a finite state is looked for then
constexpr std::size_t no_pool = ~std::size_t{0};

class search {
 public:
  search(const core& c, const words& w, const options& o)
      : core_(c), words_(w), options_(o), begin_(std::clock()), plan_(c) {
    core_.invariants.clear();
    for (const symbolic::property& p : c.properties)
      if (p.kind == "invariant") add({p.name, *p.condition, "", true, false, no_pool, {}});
    for (const symbolic::invariant& v : c.invariants)
      if (!known_.count(key(v.condition))) add({v.name, v.condition, "", false, false, no_pool, {}});
    given_ = all_.size();
    rigid_facts();
    fixed_ = all_.size();
    sample();
  }

  result run() {
    result out;
    while (!out_of_time()) {
      const std::optional<level> next = plan_.next();
      if (!next) {
        note_ = "no clauses of the sizes that are tried are enough";
        break;
      }
      widen(*next);
      until_ = elapsed() + (options_.seconds - elapsed()) * plan_.share();
      if (attempt()) {
        minimise();
        out.found = true;
        for (const std::size_t i : chosen_) out.lemmas.push_back({all_[i].text, all_[i].name, all_[i].condition});
        break;
      }
      if (hopeless_) break;
    }
    if (!out.found && note_.empty()) note_ = "the time is over";
    out.note = note_;
    out.candidates = all_.size() - fixed_;
    out.questions = questions_;
    out.seconds = elapsed();
    return out;
  }

 private:
  // Of the processor, so that what is found does not depend on what else runs.
  double elapsed() const { return static_cast<double>(std::clock() - begin_) / CLOCKS_PER_SEC; }
  bool out_of_time() const { return elapsed() > options_.seconds; }
  void say(const std::string& what) const {
    if (options_.progress) options_.progress(what);
  }

  static std::string key(const node& n) {
    if (n.atom) return n.quoted ? '"' + n.text + '"' : n.text;
    std::string out = "(";
    for (const node& kid : n.kids) out += key(kid) + " ";
    return out + ")";
  }

  void add(candidate c) {
    if (known_.insert(key(c.condition)).second) all_.push_back(std::move(c));
  }

  // What the initial states say of functions that never change holds for ever.
  void rigid_facts() {
    std::set<std::size_t> changed;
    for (const auto* list : {&core_.initial, &core_.actions})
      for (const symbolic::action& a : *list)
        for (const symbolic::update& u : a.updates) changed.insert(u.function);
    if (core_.initial.size() != 1) return;
    std::vector<node> todo = {core_.initial[0].guard};
    while (!todo.empty()) {
      const node n = todo.back();
      todo.pop_back();
      if (n.is("and")) {
        todo.push_back(n[2]);
        todo.push_back(n[1]);
        continue;
      }
      bool rigid = !n.atom && core_.initial[0].params.empty();
      for (const std::size_t f : symbolic::functions_in(core_, n))
        rigid &= core_.functions[f].arbitrary && !changed.count(f);
      const auto text = rigid ? words_.say(n, {}) : std::nullopt;
      if (text) add({fmt::format("fact_{}", all_.size()), n, "invariant " + *text, false, false, no_pool, {}});
    }
  }

  void sample() {
    constexpr std::size_t most_states = 6000, most_initial = 80;
    for (const std::size_t others : {1, 2}) {
      try {
        samples_.push_back(std::make_unique<reached>());
        *samples_.back() = reach(core_, std::vector<std::size_t>(core_.sorts.size(), others), most_states, most_initial);
        samples_.back()->of.of = &core_;
        say(fmt::format("{} other elements of each sort: {} states{}", others, samples_.back()->states.size(),
                        samples_.back()->complete ? "" : " and more"));
      } catch (const core_error& problem) {
        samples_.pop_back();
        say(fmt::format("{} other elements of each sort: {}", others, problem.what()));
      }
    }
  }

  void widen(const level& l) {
    constexpr std::size_t most_choices = 150000, most_clauses = 60000;
    pools_.push_back(make_vocabulary(core_, words_, l.variables));
    vocabulary& v = pools_.back();
    if (v.atoms.size() > most_atoms) {
      std::stable_sort(v.atoms.begin(), v.atoms.end(), [](const atom& a, const atom& b) { return a.weight < b.weight; });
      v.atoms.resize(most_atoms);
    }
    std::vector<row> rows;
    for (const auto& r : samples_)
      for (const row& x : rows_of(v, r->of, r->states, most_choices)) rows.push_back(x);
    const double until = elapsed() + options_.seconds / 8;
    const auto clauses = true_clauses(v, rows, l.length, [&] { return elapsed() > until; });
    for (std::size_t k = 0; k < std::min(clauses.size(), most_clauses); ++k)
      add({fmt::format("found_{}", all_.size()), node_of(core_, v, clauses[k]), text_of(core_, v, clauses[k]), false, false,
           pools_.size() - 1, clauses[k]});
    say(fmt::format("{}: {} atoms, {} rows, {} clauses of at most {} literals", l.name, v.atoms.size(), rows.size(),
                    clauses.size(), l.length));
  }

  core with(const std::vector<std::size_t>& chosen) const {
    core c = core_;
    for (const std::size_t i : chosen) c.invariants.push_back({all_[i].name, all_[i].condition});
    return c;
  }

  struct obstacle {
    block where;
    obligation what;
    std::size_t about = ~std::size_t{0};  // the candidate that is not kept
    answer got = answer::sat;
  };

  // The first obligation that is not met; those in `met` are known to be. `only`: about this candidate.
  std::optional<obstacle> first_obstacle(const script& s, const std::vector<std::size_t>& chosen, std::set<std::string>& met,
                                         std::optional<std::size_t> only = {}) {
    solver z3(std::min(options_.timeout_ms, first_timeout_ms));
    z3.tell("(set-logic ALL)\n" + s.prelude);
    for (const bool with : {false, true}) {
      if (with) z3.tell(s.invariants());
      for (const block& b : s.blocks) {
        if (b.with_invariants != with) continue;
        bool open = false;
        for (const obligation& q : b.questions) {
          if (q.accepted.size() != 1 || q.accepted[0] != answer::unsat) continue;
          const bool about = q.name.starts_with("keep ") || q.name.starts_with("init ");
          const bool range = q.invariant < s.range_functions.size();
          const std::size_t who = about && !range ? chosen[q.invariant - s.range_functions.size()] : ~std::size_t{0};
          if (only && who != *only) continue;
          const std::string name = b.name + "|" + q.name;
          if (met.count(name)) continue;
          if (!open) z3.tell("(push 1)\n" + b.text);
          open = true;
          ++questions_;
          const answer got = z3.ask("(push 1)\n" + q.text + "(check-sat)\n(pop 1)\n").at(0);
          if (got != answer::unsat) return obstacle{b, q, who, got};
          met.insert(name);
        }
        if (open) z3.tell("(pop 1)\n");
      }
    }
    return std::nullopt;
  }

  // With the candidates that there are.
  bool attempt() {
    for (candidate& c : all_) c.dropped = false;
    chosen_.clear();
    for (std::size_t i = 0; i < fixed_; ++i) chosen_.push_back(i);
    std::set<std::string> met;
    bool doubtful = false;  // some of them were met with the help of what was dropped since
    while (!out_of_time() && elapsed() < until_) {
      const core c = with(chosen_);
      const script s = symbolic::derive(c);
      const auto problem = first_obstacle(s, chosen_, met);
      if (!problem && !doubtful) return true;
      if (!problem) {
        met.clear();
        doubtful = false;
        continue;
      }
      const bool initially = problem->what.name.starts_with("init ");
      const auto state =
          initially ? std::nullopt : state_against(c, s, problem->where, problem->what, 3, options_.timeout_ms);
      const std::vector<std::size_t> helps = state ? excluding(*state) : std::vector<std::size_t>{};
      if (!state && !initially && problem->got == answer::unknown && decided(s, *problem)) {
        met.insert(problem->where.name + "|" + problem->what.name);
        continue;
      }
      if (!helps.empty()) {
        chosen_.push_back(best(helps));
        continue;
      }
      if (problem->about == ~std::size_t{0} || all_[problem->about].required) {
        hopeless_ = initially;
        if (initially) note_ = "the property is not true in every initial state";
        say(fmt::format("nothing excludes a state against '{}'", problem->what.name));
        return false;
      }
      all_[problem->about].dropped = true;
      chosen_.erase(std::find(chosen_.begin(), chosen_.end(), problem->about));
      doubtful = true;
    }
    return false;
  }

  // It is met, given more time.
  bool decided(const script& s, const obstacle& o) {
    solver z3(options_.timeout_ms);
    z3.tell("(set-logic ALL)\n" + s.prelude + s.invariants() + o.where.text + o.what.text);
    ++questions_;
    return z3.ask("(check-sat)\n").at(0) == answer::unsat;
  }

  // The candidates that are false in this state.
  std::vector<std::size_t> excluding(const found_state& s) const {
    std::vector<std::vector<row>> rows;
    for (const vocabulary& v : pools_) rows.push_back(rows_of(v, s.of, {s.values}, ~std::size_t{0}));
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const candidate& c = all_[i];
      if (c.dropped || c.pool == no_pool || !falsified(c.literals, rows[c.pool])) continue;
      if (std::find(chosen_.begin(), chosen_.end(), i) == chosen_.end()) out.push_back(i);
    }
    std::stable_sort(out.begin(), out.end(),
                     [&](std::size_t a, std::size_t b) { return all_[a].literals.size() < all_[b].literals.size(); });
    return out;
  }

  // The first of the shortest ones that is kept by all steps already; or else the first.
  std::size_t best(const std::vector<std::size_t>& helps) {
    constexpr std::size_t most_tried = 24;
    for (std::size_t k = 0; k < std::min(helps.size(), most_tried) && !out_of_time(); ++k) {
      std::vector<std::size_t> more = chosen_;
      more.push_back(helps[k]);
      std::set<std::string> met;
      const core c = with(more);
      if (!first_obstacle(symbolic::derive(c), more, met, helps[k])) return helps[k];
    }
    return helps[0];
  }

  // Drops what is not needed, the youngest first.
  void minimise() {
    for (std::size_t k = chosen_.size(); k-- > 0;) {
      if (all_[chosen_[k]].required) continue;
      std::vector<std::size_t> fewer = chosen_;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
      std::set<std::string> met;
      const core c = with(fewer);
      if (!first_obstacle(symbolic::derive(c), fewer, met)) chosen_ = fewer;
    }
  }

  core core_;
  const words& words_;
  const options& options_;
  std::clock_t begin_;
  levels plan_;
  std::vector<std::unique_ptr<reached>> samples_;
  std::vector<vocabulary> pools_;
  std::vector<candidate> all_;
  std::set<std::string> known_;
  std::size_t given_ = 0, fixed_ = 0;
  std::vector<std::size_t> chosen_;
  std::size_t questions_ = 0;
  double until_ = 0;  // of this level
  bool hopeless_ = false;
  std::string note_;
};

}  // namespace

result infer(const core& c, const words& w, const options& o) { return search(c, w, o).run(); }

}  // namespace quiesce::inference
