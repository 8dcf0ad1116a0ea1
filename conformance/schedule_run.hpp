// SPDX-License-Identifier: MIT
#pragma once
// Scenarios under the controlled scheduler.

#include <optional>

#include "conformance/runner.hpp"
#include "conformance/schedule_explore.hpp"

namespace quiesce::conformance {

struct controlled_result {
  run_result run;               // events of the tasks only
  std::size_t before_stop = 0;  // so many of them came before a machine check was under way
  control_report control;
};

// One execution. The tasks of the scenario are the actors t1, t2, ...; `names` is shared by executions that are compared.
// settings.exec and settings.sink are the scheduler's.
controlled_result run_controlled(const scenario&, run_settings, chooser&, actor_names& names, const control_bounds&);

// A uniformly random actor at each point.
std::unique_ptr<chooser> random_chooser(std::uint64_t seed);
// PCT (Burckhardt, Kothari, Musuvathi, Nagarakatte, ASPLOS 2010): random priorities, lowered at `depth` - 1 random moves
// among the first `length`. Finds a bug of that depth with probability at least 1 / (actors * length^(depth-1)).
std::unique_ptr<chooser> pct_chooser(std::uint64_t seed, unsigned depth, std::size_t length);

// A schedule as text: runs of moves, "12 t1".
std::string format_moves(const std::vector<std::string>& actors);

// Follows a list of actors, then the first that can move. `deviation`: why it could not, or nothing.
class replay_chooser : public chooser {
 public:
  replay_chooser(std::vector<std::string> actors, actor_names& names) : actors_(std::move(actors)), names_(names) {}
  std::uint32_t choose(const std::vector<std::uint32_t>& enabled) override;
  std::string deviation;

 private:
  std::vector<std::string> actors_;
  actor_names& names_;
  std::size_t at_ = 0;
};

// Keeps what another chooser chose.
class recording_chooser : public chooser {
 public:
  recording_chooser(chooser& inner, actor_names& names) : inner_(inner), names_(names) {}
  std::uint32_t choose(const std::vector<std::uint32_t>& enabled) override {
    const std::uint32_t a = inner_.choose(enabled);
    actors.push_back(names_.name(a));
    return a;
  }
  void moved(const move& m) override { inner_.moved(m); }
  std::vector<std::string> actors;

 private:
  chooser& inner_;
  actor_names& names_;
};

// A schedule file: all that an execution depends on.
//
//   quiesce schedule 1
//   variant K44
//   bounds polls=3 firings=2 moves=20000
//   scenario
//     ... the text of the scenario, indented by two blanks ...
//   moves
//     12 t1
//     1 rcu t1
struct schedule_file {
  std::string variant;
  control_bounds bounds;
  scenario what;
  std::vector<std::string> actors;
};
std::string format(const schedule_file&);
// Throws diagnostic.
schedule_file parse_schedule(std::string_view text, std::uint32_t file = 0);

// Repeats an execution and says what was not the same; empty: nothing.
std::string difference_of_repeat(const scenario&, const run_settings&, const std::vector<std::string>& actors, actor_names&,
                                 const control_bounds&, const controlled_result& first);

// Runs it twice. `differs`: what was not the same, or why the moves could not be made; empty: replayed exactly.
struct replayed {
  controlled_result result;
  std::string differs;
};
replayed replay(const schedule_file&);

}  // namespace quiesce::conformance
