// SPDX-License-Identifier: MIT
#pragma once
// The properties, judged on the events of a source.

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "conformance/observe.hpp"
#include "conformance/observe_decidable.hpp"
#include "model/verdict/catalogue.hpp"
#include "properties/stream.hpp"

namespace quiesce::observe {

enum class rule_answer : std::uint8_t {
  holds,
  violated,
  never_triggered,  // vacuous: nothing happened that could have broken it
  unknown,          // decidable in principle; what the source misses or lost stands in the way
  undecidable       // no source of this kind decides it
};

struct rule_result {
  const ast::property* property = nullptr;
  bool rule_of_kernel = true;  // false: proposed, or required since a later kernel only
  bool kernel_known = true;    // false: a rule of the kernel is what every kernel since v4.4 promises
  bool inferred = false;       // rests on something that was inferred
  rule_answer answer = rule_answer::undecidable;
  std::string reason;  // of unknown, undecidable and vacuous
  std::uint64_t triggered = 0, violations = 0;
  std::uint64_t line = 0;  // of the first violation
  std::string text;        // of the first violation
};

// One stream of events. Time per event as properties/stream.hpp says; devices that are gone are forgotten.
class rule_monitor : public event_consumer {
 public:
  using name_of_device = std::function<std::string(std::int64_t dev)>;
  using name_of_net = std::function<std::string(std::int64_t net)>;
  // `inputs` must live longer. Throws diagnostic for what is wrong with a file of properties.
  rule_monitor(catalogue& inputs, name_of_device, name_of_net);
  // Leaves out, from the first event on, rules of which the source decides nothing whatever comes. Optional.
  void watch(const observer& by, const source_summary& summary) {
    by_ = &by;
    summary_ = &summary;
  }

  void event(const observed_event&) override;
  void gone(std::int64_t dev) override;
  void gone_net(std::int64_t net) override;

  // In the order of the properties. All that are a model's are `undecidable`.
  std::vector<rule_result> results(const observer&, const source_summary&, kernel_version);

 private:
  struct numbering {  // of identities that come and go, densely, numbers used again
    std::unordered_map<std::int64_t, std::int64_t> numbers;
    std::vector<std::int64_t> identities;
    std::vector<std::int64_t> free;
    std::int64_t number(std::int64_t identity);
  };
  struct first_violation {
    std::uint64_t count = 0, line = 0;
    std::string text;
  };
  void start();
  source_view view_of(const observer&, kernel_version) const;
  void push(const observed_event&, const std::vector<monitors::argument>&);
  void learn_up(const observed_event&);
  void forget_some();
  bool never_began(const ast::binder&) const;
  std::string vacuous(const ast::property&, std::uint64_t triggered) const;
  std::string print(const std::string& sort, std::int64_t number) const;
  rule_result judge(std::size_t monitor, const ast::property&, const source_view&, const source_summary&) const;

  catalogue& inputs_;
  name_of_device device_text_;
  name_of_net net_text_;
  const observer* by_ = nullptr;
  const source_summary* summary_ = nullptr;
  std::vector<const ast::property*> judged_;  // what monitor_ was made for
  monitors::monitor_set set_;
  std::vector<bool> undecided_if_violated_;  // by property judged; empty while that may change
  std::vector<monitors::argument> args_;     // of the event at hand
  std::optional<monitors::stream_monitor> monitor_;
  std::array<int, seen_kinds> numbers_{};  // event number in the monitor set; -1: in none
  std::array<std::uint64_t, seen_kinds> count_{};
  std::array<bool, seen_kinds> inferred_{};
  std::vector<first_violation> violations_;
  numbering devices_, nets_;
  std::unordered_map<std::int64_t, bool> up_;  // devices of which IFF_UP is known
  bool up_unknown_ = false;
  std::vector<std::pair<bool, std::int64_t>> departed_;  // is a device, identity
};

}  // namespace quiesce::observe
