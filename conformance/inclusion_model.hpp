// SPDX-License-Identifier: MIT
#pragma once
// Models driven by scenarios: the environment of a model is replaced by one process for each task of the scenario, which
// performs the task's operations; the initial state is what the scenario sets up. Trace inclusion then compares the
// reference stack's events with the runs of that instance.
//
// A model that can be driven is one line in driven_models(): which scenarios it covers, and what of a stack's trace it
// speaks of.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/inclusion.hpp"
#include "conformance/scenario.hpp"
#include "conformance/schedule_relation.hpp"
#include "model/verdict/catalogue.hpp"
#include "refimpl/core/event.hpp"

namespace quiesce::conformance {

struct driven_model {
  const char* name;       // of the model
  const char* abstracts;  // what of the stack's traces it leaves out, and why; one sentence each
  // Why the scenario is beyond the model, one phrase; empty: it is not.
  std::string (*unsupported)(const scenario&);
  // Variants of the reference stack and of the model that stand for the same code. "": none.
  std::string (*variant)(std::string_view refimpl_variant);
};
const std::vector<driven_model>& driven_models();
const driven_model* find_driven_model(std::string_view name);

// Where the operations of a scenario's tasks are: in the text of the model's processes, one model for each script, whose
// devices are numbered in the order in which it speaks of them; or in variables of the initial state, where scenarios with
// as many operations and no more devices and namespaces share a model. What is up, above another or in which namespace is in
// the initial state either way. The runs have the same events.
enum class script_place : std::uint8_t { text, state };

// Models lowered: that takes longer than comparing many traces.
class script_cache {
 public:
  explicit script_cache(catalogue& inputs, std::size_t most = 256) : inputs_(inputs), most_(most) {}
  std::shared_ptr<const transition_system> get(const driven_model&, const std::string& script, const instance&,
                                               std::size_t devices, std::size_t nets);
  catalogue& inputs() { return inputs_; }
  std::size_t lowered() const { return lowered_; }  // how often

 private:
  catalogue& inputs_;
  std::size_t most_;
  std::size_t lowered_ = 0;
  std::map<std::string, std::shared_ptr<const transition_system>> systems_;
};

// A model instantiated for one scenario. Not moved: its options speak of it.
class scripted_model {
 public:
  // before: the model supports the scenario, and has the variant (the stack's name for it). Throws diagnostic: the model's
  // files.
  scripted_model(script_cache&, const driven_model&, const scenario&, std::string_view variant,
                 script_place = script_place::text);
  scripted_model(const scripted_model&) = delete;

  const transition_system& system() const { return *system_; }
  const driven_model& model() const { return model_; }
  // The stack's events of the tasks (identities as the runner gives them) in the model's alphabet; others are left out.
  // Linear.
  std::vector<seen_event> project(const std::vector<refimpl::event>&) const;
  // How to compare such a trace: alphabet, identities, tasks, initial state, and which events are independent.
  const inclusion_options& options() const { return options_; }
  // The same events as letters, numbered as the model numbers devices and namespaces; and a model's event likewise.
  std::vector<letter> letters(const std::vector<seen_event>&) const;
  letter letter_of(const model_event&) const;
  std::string place(source_range) const;  // "file:line: text"

 private:
  void order_devices(const scenario&);
  std::string environment_text(const scenario&) const;
  static std::string environment_of_shape(const scenario&);
  std::shared_ptr<const transition_system> whole_model(script_cache&, instance) const;
  void put_script(const scenario&);
  void number_identities(const scenario&);
  void set_up(const scenario&);
  void put(const std::string& variable, std::int64_t element, std::int64_t value);
  std::int64_t element(device_ref) const;
  std::int64_t element_of(ir::type_id, const seen_value&) const;

  catalogue& inputs_;
  const driven_model& model_;
  const script_place script_;
  net_ref nets_ = 1;                // of the model
  std::vector<std::size_t> place_;  // device of the scenario -> its number in the script
  std::shared_ptr<const transition_system> system_;
  inclusion_options options_;
  std::map<std::string, std::uint32_t> event_number_;
};

// Both ends of it: the verdict of trace inclusion for one trace, and its explanation.
struct inclusion_outcome {
  inclusion_result result;
  std::string text;          // empty if included
  std::size_t compared = 0;  // events
};
inclusion_outcome check_trace(const scripted_model&, const std::vector<refimpl::event>&, bool complete = true);

}  // namespace quiesce::conformance
