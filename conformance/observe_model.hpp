// SPDX-License-Identifier: MIT
#pragma once
// Whether what a source shows is a run of the model of its kernel.
//
// The environment of the model is replaced by what the trace says was asked for: for each task the batches that it closed,
// unregistered or moved, in their order. Batches that do not overlap in time are compared apart, a few at a time. Compared
// are the events of the model's alphabet that the source shows whenever they happen. Of those that it could show but has no
// record of, it is found out whether the run goes on without them; if it does not, the answer is `unknown`.
//
// The answer lists what was not compared. By name, what the models leave out:
//   driver_grace_period   grace periods that a driver waits for in its ndo_uninit (tun, macvlan)
//   wait_polls            rcu_barrier each time that the wait for references looks at them again
//   outside               what tasks do outside of batches, and after they have released RTNL; steps of a teardown there
//                         make the answer `unknown`

#include <map>
#include <set>
#include <string>
#include <vector>

#include "conformance/observe.hpp"
#include "conformance/observe_text.hpp"
#include "model/verdict/catalogue.hpp"

namespace quiesce::observe {

// What one task asked for.
struct asked_operation {
  enum class kind : std::uint8_t { unregister, close, set_down, move } what = kind::unregister;
  std::uint32_t task = 0;
  std::vector<std::int64_t> devices;  // in their order
  std::int64_t to_net = -1;           // of a move
  std::size_t first = 0, last = 0;    // events
  std::vector<std::size_t> events;    // its own, in order
};
// `todo_shown`: the begin of netdev_run_todo is. Else what follows the release of RTNL is taken for its steps.
std::vector<asked_operation> operations_of(const std::vector<observed_event>&, bool todo_shown);

// Operations that are compared in one run.
struct compared_part {
  std::vector<const asked_operation*> operations;
  std::size_t first = 0, last = 0;  // events
  std::vector<std::int64_t> devices;
  std::map<std::int64_t, std::size_t> until;  // devices that a later part has again: where that begins
  bool moves = false;
  bool ended = false;  // every task of the part has gone on to something else
};
std::vector<compared_part> parts_of(const std::vector<asked_operation>&, const std::vector<observed_event>&);

class script_model;

class model_comparison : public event_consumer {
 public:
  using naming = std::function<std::string(std::int64_t)>;
  model_comparison(catalogue& inputs, naming device, std::size_t most_events)
      : inputs_(inputs), device_name_(std::move(device)), most_events_(most_events) {}
  void event(const observed_event&) override;
  void gone(std::int64_t) override {}
  void gone_net(std::int64_t) override {}
  // After the last event. Throws diagnostic: the model's files.
  model_answer answer(const observer&, const source_summary&, kernel_version) const;

 private:
  struct attempt;  // one part
  attempt compare(const compared_part&, const observer&, const std::string& variant, bool references) const;
  void look_without_records(const compared_part&, const observer&, const script_model&, attempt&) const;
  std::set<std::string> inferred_spans(const compared_part&) const;
  void refuse(model_answer&, const attempt&, const compared_part&, const observer&, const std::string& doubt) const;
  void judge_rest(model_answer&, const std::vector<asked_operation>&, const std::set<std::string>& unrecorded,
                  const std::string& doubt) const;
  bool freed_by_driver(const attempt&, const compared_part&, const std::vector<asked_operation>&) const;
  void count_outside(const std::vector<asked_operation>&, const std::set<std::string>& alphabet,
                     std::map<std::string, std::size_t>& foreign, std::map<std::string, std::size_t>& outside) const;
  void list_left_out(model_answer&, const std::set<std::string>& compared, const attempt&, const observer&) const;
  catalogue& inputs_;
  naming device_name_;
  std::size_t most_events_;
  std::vector<observed_event> events_;
  std::map<std::int64_t, std::string> names_;
  bool more_ = false;
};

}  // namespace quiesce::observe
