// SPDX-License-Identifier: MIT
#pragma once
// A model whose environment does what a trace says was asked for.

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "conformance/inclusion.hpp"
#include "conformance/observe_model.hpp"
#include "model/system/lower.hpp"

namespace quiesce::observe {

struct script {
  std::string model;                              // name of a shipped model
  std::string text;                               // init and environment, as a model's source
  std::vector<std::string> devices, nets;         // names of elements
  std::map<std::int64_t, std::string> device_of;  // identity -> element, "d1" or "lo(n1)"
  std::map<std::int64_t, std::string> net_of;
  std::map<std::uint32_t, std::string> process_of;  // task -> process
  std::map<std::string, std::string> options;
  std::map<std::string, std::int64_t> bounds;
  std::string unsupported;   // why the model does not cover what was asked for; empty: it does
  std::int64_t holders = 1;  // references to one device at a time
  bool all_dropped = true;   // each reference is dropped in the end
};

// `references`: those that the trace shows are all there are. Else somebody unseen may hold each device of which
// NETDEV_UNREGISTER was sent again.
script write_script(const std::vector<observed_event>& events, const compared_part&,
                    const std::map<std::int64_t, std::string>& names, bool references);

// The model, lowered with the script in place of its environment.
class script_model {
 public:
  // Throws diagnostic: the model's files, an unknown variant.
  script_model(catalogue&, const script&, const std::string& variant);
  const transition_system& system() const { return *system_; }
  conformance::inclusion_options options() const;
  std::string place(source_range) const;

 private:
  std::int64_t element(const char* sort, const std::string& name) const;
  catalogue& inputs_;
  const script& script_;
  std::unique_ptr<transition_system> system_;
};

}  // namespace quiesce::observe
