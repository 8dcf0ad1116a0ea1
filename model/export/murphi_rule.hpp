// SPDX-License-Identifier: MIT
#pragma once
// The code of one step as the body of a Murphi rule. There is no `goto`: where paths meet, a loop around a switch over the
// blocks stands for it.

#include <set>
#include <string>
#include <vector>

#include "model/export/murphi_terms.hpp"
#include "model/export/step_code.hpp"

namespace quiesce::exporting {

class murphi_rule {
 public:
  // `property`: what to call each. Throws diagnostic or not_interchangeable.
  murphi_rule(const ir::program&, murphi_terms&, const ir::process&, std::uint32_t location,
              const std::vector<std::string>& property);

  const std::string& params() const { return params_; }  // of a ruleset; or nothing
  std::string variables() const;                         // local declarations
  std::string body() const { return begin_ + body_; }

 private:
  struct choice {
    std::vector<std::string> params;  // in the order of use
    std::string counter;              // how many were used, where there are several
  };
  struct loop {
    std::uint32_t head = 0, last = 0;  // first instruction of a turn, and the jump back
    ir::sort_id sort = ir::nothing;
  };
  using places = std::set<std::uint32_t>;

  void find_choices(const step_code&);
  void add_params(choice&, const ir::instruction&, std::size_t first, std::size_t times, std::vector<std::string>& known);
  std::size_t chosen_before(const step_code&, const places& cycles, std::uint32_t at) const;
  std::size_t most_turns() const;
  std::string choose(std::uint32_t at, const std::string& indent);
  std::string region(const places&, std::uint32_t entry, std::uint32_t exit, int depth);
  std::string for_each(const loop&, const places&, int depth, const std::string& indent);
  bool is_loop(std::uint32_t last, loop&) const;
  std::string instruction(std::uint32_t at, const std::string& indent);
  std::string assignment(const ir::instruction&, const std::string& indent);
  std::string set_temp(std::uint32_t at, const std::string& indent);
  std::string stop(const ir::instruction&, const std::string& indent);
  void read_as_stored(std::uint32_t at, ir::temp_id, ir::type_id, bool typed) const;

  const ir::program& p_;
  term_builder build_;
  murphi_terms& terms_;
  const ir::process& q_;
  const std::vector<ir::instruction>& code_;
  const std::vector<std::string>& property_;
  std::map<std::uint32_t, choice> choices_;
  std::vector<std::pair<std::string, bool>> used_;  // parameters, and whether they have a 0
  std::string params_, declared_, begin_, body_;
  double combinations_ = 1;
};

}  // namespace quiesce::exporting
