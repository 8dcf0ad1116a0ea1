// SPDX-License-Identifier: MIT
#pragma once
// One exploration of one model in one scope, and the verdicts on all properties asked of it.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/explicit/search.hpp"
#include "model/system/lower.hpp"
#include "model/system/response.hpp"
#include "model/system/system.hpp"
#include "model/verdict/catalogue.hpp"
#include "model/verdict/verdict.hpp"

namespace quiesce {

struct question {
  const model_entry* model = nullptr;
  instance settings;
  std::vector<const property_entry*> properties;  // at most 64; one with `leads to` alone
};

// 0: no limit; threads 0: one for each core.
struct limits {
  unsigned threads = 0;
  std::uint64_t max_states = 0;
  std::uint64_t max_bytes = 0;
  double seconds = 0;
  bool symmetry = false;                        // one state for all that differ by a permutation of interchangeable elements
  reductions reduce;                            // steps that are not explored or not kept, because others say the same
  native_mode native = native_mode::automatic;  // compiled steps for long searches; never changes an answer
  state_store store = state_store::full;
  std::uint64_t expected_states = 0;            // see search_options
  std::string engine = "explicit";              // or one of symbolic::engines()
  std::uint64_t max_depth = 0;                  // steps, for those
  checkpoint_plan checkpoint;                   // explicit, full store, one question; its `identity` is set by the check
  std::function<void(const explored&)> examine; // likewise: all that was reached, before the verdicts
  bool stop_early = false;                      // the first violation is enough: for a question with one property
};

struct answer {
  std::vector<verdict> verdicts;  // in the order of the question's properties
  scope_description scope;
  std::uint64_t states = 0, transitions = 0, depth = 0;
  bool complete = false;               // every reachable state was explored
  std::uint64_t group_order = 1;       // states are orbits under a group of this size
  reductions reduced;                  // how: states are what was kept
  std::uint64_t states_again = 0;      // of the search without them that made runs shortest
  std::string symmetry_note;           // what is not interchangeable, and why
  std::uint64_t table_bytes = 0;       // explicit engine: of states, predecessors and index
  double elapsed_s = 0;
  std::string native_note;             // why there were no compiled steps; empty where there were, or none were asked for
  std::uint64_t native_levels = 0;     // that they expanded
  std::string checkpoint_note;         // why the last checkpoint is older than it should be
  std::vector<std::string> obstacles;  // errors, bounds and budgets reached, in words
};

using progress = std::function<void(const search_progress&)>;

// Why a property with `leads to` gets no answer under these limits, which would be wrong; none: it gets one.
const char* unsound_for_responses(const limits&);

// A question whose input is known to be good.
class prepared_check {
 public:
  // Lowers the model. Throws diagnostic, also for `leads to` together with others.
  prepared_check(catalogue&, question);
  const question& asked() const { return question_; }
  const scope_description& scope() const { return scope_; }
  const transition_system& system() const { return *system_; }
  // The SHA-256 of what the verdict on this property depends on: canonical model, vocabulary and property, variant, options,
  // scope, environment and engine.
  std::string input_hash(std::size_t property, const limits&) const;
  // For `leads to`, null otherwise.
  const response* asked_response() const { return response_.get(); }
  // Throws diagnostic where these limits ask for what is unsound for the property, with the reason. run() does it too.
  void require_sound(const limits&) const;
  answer run(const limits&, const progress&) const;

 private:
  answer solve(const limits&, const progress&) const;
  answer respond(const limits&, const progress&) const;
  search_result search(const limits&, const progress&) const;
  question question_;
  scope_description scope_;
  std::unique_ptr<response> response_;  // its program has moved to system_
  std::unique_ptr<transition_system> system_;
  std::string vocabulary_;
};

// Of physical memory, what an exploration may take without the machine swapping or killing.
std::uint64_t memory_to_spare();

// A run in words. `ending`: how it ends, where the last step does not say.
run_text words_of(const transition_system&, const trace&, std::string ending);

// "dev=2 net=1", then bounds that the model declares; "time urgent to 40" only where time is urgent.
std::string sizes_text(const scope_description&);
std::string scope_text(const scope_description&);

// `quiesce: teardown/batch_before_uninit P1 VIOLATED steps=11 dev=2 net=1 9f17c03a51be`, wrapped at 72 columns, no newline
// at the end.
std::string paste_line(const question&, const answer&, const verdict&);
std::string wrap(const std::string& text, std::size_t columns, const std::string& indent);

}  // namespace quiesce
