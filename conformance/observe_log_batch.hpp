// SPDX-License-Identifier: MIT
#pragma once
// Records of the logging module, put together to rollbacks, closes, moves and rebroadcasts.

#include <string>
#include <vector>

#include "conformance/observe_builder.hpp"
#include "conformance/observe_log_line.hpp"

namespace quiesce::observe {

class log_batches {
 public:
  explicit log_batches(event_builder& to) : to_(to) {}
  void record(const module_record&, std::uint64_t line, std::int64_t time);
  void mark();  // a new scenario: nothing before it goes on
  void end();

 private:
  struct entry {
    seen kind;
    slot dev;
    std::uint64_t net;
    int state = -1;  // reg_state
    int up = -1;     // IFF_UP
    int depth = 0;   // notifications around it
    std::uint64_t line = 0;
    std::int64_t time = -1;
  };
  // Slots in order, each once; found by open addressing, without an allocation for each.
  class slot_list {
   public:
    std::vector<slot> order;
    void add(slot s);
    bool has(slot s) const { return !order.empty() && places_[place(s)] != 0; }
    bool empty() const { return order.empty(); }

   private:
    std::size_t place(slot s) const;
    std::vector<std::uint32_t> places_;  // in `order`, from 1; 0: free. A power of two, at most half of them taken.
  };
  // At one depth: devices going down, down, unregistered, in this order.
  struct instance {
    int depth = 0;
    std::size_t first = 0, last = 0;
    slot_list closed, gone;
    bool any_down = false, move = false;
    bool continues(const entry&) const;
    void take(const entry&);
  };
  void notification(const module_record&);
  void chain_end(const module_record&);
  void batch_mark(const module_record&);
  void check_ends();
  void finish();
  slot device(const module_record&, bool live);
  void add(seen kind, slot dev, const module_record&);
  std::vector<instance> split() const;
  void begin(const instance&);
  void write(const instance&, const entry&);
  void end(const instance&);
  void rebroadcast(const entry&);

  event_builder& to_;
  std::string primary_;                                      // hi, or lo where no record of the chain's begin exists
  std::vector<std::pair<std::uint64_t, std::string>> open_;  // notifications whose `lo` is to come: event, device
  std::vector<entry> entries_;                               // held back
  instance top_;                                             // what stands in entries_ at depth 0
  slot moving_ = no_slot;
  bool explicit_ = false;  // between the module's own begin and end of a batch
  bool explicit_close_ = false;
  std::size_t begins_ = 0;  // notifications that began since the last one ended
  std::uint64_t line_ = 0;
  std::int64_t time_ = -1;
};

}  // namespace quiesce::observe
