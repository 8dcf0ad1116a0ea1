// SPDX-License-Identifier: MIT
#pragma once
// The definition of a property over a finite trace, evaluated directly: for every event, every value of every binder (spans:
// every one that is open) and every position before it. Shares nothing with properties/compile*.cpp and stream*.cpp but the
// syntax tree.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "properties/property.hpp"

namespace quiesce::test {

struct naive_event {
  std::int64_t process = 0;
  std::string name;
  std::vector<std::int64_t> args;     // an option is 0 for none, else 1 + value
  std::vector<std::int64_t> members;  // of a span's set
};

// A value, an option's included: none, or a number. `nothing`: an element that does not exist, equal to no value.
struct naive_value {
  bool none = false, nothing = false;
  std::int64_t number = 0;
};

struct naive_violation {
  std::size_t event = 0;
  std::map<std::string, naive_value> values;
  std::map<std::string, std::size_t> spans;  // number of the event that began it
};

class naive_monitor {
 public:
  // `init_net` is element 0 of net; lo(n) is `loopbacks[n]` where given.
  naive_monitor(const ast::vocabulary&, std::vector<naive_event>, std::map<std::string, std::int64_t> declared,
                std::map<std::int64_t, std::int64_t> loopbacks);

  std::vector<naive_violation> violations(const ast::property&);
  std::vector<std::size_t> matches(const ast::property&);  // `sometimes`: events with some instance

 private:
  struct assignment {
    std::map<std::string, naive_value> values;
    std::map<std::string, std::size_t> spans;
  };

  void replay();
  std::vector<naive_value> domain(const ast::type_expr&, std::size_t at) const;
  void instances(const ast::property&, std::size_t binder, std::size_t at, assignment&, std::vector<naive_violation>&);
  bool violated(const ast::property&, std::size_t at, assignment&);
  bool any_match(const std::vector<ast::event_pattern>&, std::size_t from, std::size_t at, assignment&);
  bool match(const ast::event_pattern&, std::size_t at, assignment&);
  bool truth(const ast::expr&, std::size_t at, assignment&);
  naive_value value(const ast::expr&, std::size_t at, assignment&);
  naive_value binary(const ast::expr&, std::size_t at, assignment&);
  naive_value apply(const ast::expr&, std::size_t at, assignment&);
  std::int64_t quantified(const ast::expr&, std::size_t binder, std::size_t at, assignment&);
  bool temporal(const ast::expr&, std::size_t at, assignment&, std::int64_t& count);
  bool member(const ast::expr& set, const naive_value&, std::size_t at, assignment&);
  const ast::span_decl* span_kind(const std::string&) const;

  const ast::vocabulary& vocabulary_;
  std::vector<naive_event> trace_;
  std::map<std::string, std::int64_t> declared_;
  std::map<std::int64_t, std::int64_t> loopbacks_;
  std::vector<std::vector<std::size_t>> stacks_;  // open spans at each event, by their begin, outermost first
  std::vector<std::map<std::string, std::vector<bool>>> universe_;  // at each event
  std::vector<std::map<std::string, naive_value>> ghosts_;  // before each event, "name(1,2)" -> value; initial values absent
};

}  // namespace quiesce::test
