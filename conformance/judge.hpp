// SPDX-License-Identifier: MIT
#pragma once
// The properties as judges of a stream of the reference stack's events.

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "conformance/known.hpp"
#include "conformance/probe.hpp"
#include "conformance/runner.hpp"
#include "model/verdict/catalogue.hpp"
#include "properties/stream.hpp"

namespace quiesce::conformance {

// What becomes of each property: compiled once, shared by any number of judges.
class rule_book {
 public:
  // All properties that ship. Throws diagnostic for what is wrong with a file. `inputs` must outlive the rule book.
  explicit rule_book(catalogue& inputs);

  struct entry {
    const ast::property* property = nullptr;
    bool by_events = false;   // a monitor decides it
    std::string probe;        // what of the stack a probe reads to decide it
    std::string undecidable;  // why nothing here decides it; empty if something does
  };
  const std::vector<entry>& entries() const { return entries_; }
  const monitors::monitor_set& monitors() const { return set_; }
  // Number of a vocabulary event, and which of the stack's parameters are its arguments. -1: in no property's vocabulary.
  struct event_code {
    int number = -1;
    std::vector<char> arguments;  // d: dev, o: option<dev>, n: net, c: cpu, s: the span's devices
  };
  // Number of a property by name. before: it ships.
  std::size_t number(std::string_view property) const;
  const known_breaks& known() const { return known_; }
  const event_code& code(refimpl::event_kind k) const { return codes_[static_cast<std::size_t>(k)]; }

 private:
  void bind_events();
  std::vector<entry> entries_;
  monitors::monitor_set set_;
  std::vector<event_code> codes_;
  std::map<std::string, std::size_t, std::less<>> numbers_;
  known_breaks known_;
};

// The shortest violating prefix of one property is events[0 .. at].
struct breach {
  std::string property;
  std::uint64_t at = 0;  // index of the event in the stream that the judge saw
  std::string text;      // one line: which instance
};

// One stream. Constant time per event and instance; see properties/stream.hpp.
class judge {
 public:
  explicit judge(const rule_book& rules);
  // In order of the stream. A span's beginning is judged when its members are known. Without `on`, a stack under a
  // controlled schedule that has just emitted the event, only properties of events are judged.
  void push(const refimpl::event& e, refimpl::stack* on = nullptr);
  // The stack stopped: some machine checks are breaches.
  void stopped(const refimpl::stop_report& report);
  // Nobody is inside the stack: what the rules say of a state at rest.
  void at_rest(refimpl::stack& on);
  void reset();  // for the next stream
  // First breach of each property, in the order in which they happened.
  const std::vector<breach>& breaches() const { return breaches_; }
  std::uint64_t seen() const { return seen_; }  // events so far
  // By entry of the rule book: how often its trigger happened.
  std::vector<std::uint64_t> matched() const;

 private:
  void deliver(const refimpl::event& e, const std::vector<std::int64_t>& members);
  void judge_event(const refimpl::event& e);
  void add(std::size_t property, std::string text);
  void add_probed();
  void learn_loopback(std::int64_t net, std::int64_t dev);
  const rule_book& rules_;
  monitors::stream_monitor monitor_;
  std::vector<bool> broken_;
  std::vector<breach> breaches_;
  std::uint64_t seen_ = 0;
  std::vector<std::int64_t> loopbacks_;  // namespaces whose loopback the monitor was told
  // Devices that were listed. The rules speak of devices that were registered: memory of one that never was is not followed.
  std::set<std::int32_t> listed_;
  struct opening {
    refimpl::event begin;
    std::vector<std::int64_t> members;
  };
  std::vector<opening> openings_;  // spans whose members are still to come; one per task at most
  std::vector<monitors::argument> arguments_;
  probes probes_;
  std::vector<probe_breach> probed_;
};

}  // namespace quiesce::conformance
