// SPDX-License-Identifier: MIT
#pragma once
// Short traces as text for tests of monitors: events separated by `;`, arguments by blanks, `1:` in front is the process,
// `{a,b}` a set, `none` an option's none. `lo_N` is the loopback device of namespace N; init_net is a namespace.

#include <fmt/format.h>

#include <sstream>
#include <string>
#include <vector>

#include "properties/diagnostic.hpp"
#include "properties/stream.hpp"
#include "tests/support/language_text.hpp"

namespace quiesce::test {

class monitor_run {
 public:
  monitor_run(const ast::vocabulary& vocabulary, std::vector<const ast::property*> properties)
      : set_(monitors::compile(vocabulary, properties)), monitor_(set_, options()) {}

  // "property@event" for each violation, separated by blanks.
  std::string push(const std::string& trace) {
    std::string found;
    std::istringstream events(trace);
    for (std::string event; std::getline(events, event, ';');)
      for (const auto& v : one(event)) {
        found += fmt::format("{}{}@{}", found.empty() ? "" : " ", set_.monitors[v.property].source->name, v.sequence);
        texts.push_back(v.text);
      }
    return found;
  }

  monitors::outcome outcome(std::size_t property = 0) const { return monitor_.finish().at(property); }
  const monitors::monitor_set& set() const { return set_; }
  monitors::stream_monitor& monitor() { return monitor_; }
  std::vector<std::string> texts;

 private:
  monitors::stream_options options() {
    monitors::stream_options o;
    names_.number("net", "init_net");
    o.named["init_net"] = 0;
    o.print = [this](const std::string& sort, std::int64_t n) { return *names_.name(sort, n); };
    return o;
  }

  std::int64_t element(const std::string& sort, const std::string& name) {
    std::int64_t n = names_.number(sort, name);
    if (sort == "dev" && name.rfind("lo_", 0) == 0) monitor_.set_constructed("lo", names_.number("net", name.substr(3)), n);
    return n;
  }

  monitors::argument argument(const monitors::value_type& type, const std::string& text) {
    switch (type.kind) {
      case monitors::value_kind::element:
        return element(type.sort, text);
      case monitors::value_kind::option:
        return text == "none" ? monitors::none_argument() : monitors::some_argument(argument(type.inner[0], text).value);
      case monitors::value_kind::set: {
        std::vector<std::int64_t> members;
        std::istringstream parts(text.substr(1, text.size() - 2));
        for (std::string part; std::getline(parts, part, ',');) members.push_back(element(type.sort, part));
        return monitors::argument(members);
      }
      default:
        return std::stoll(text);
    }
  }

  std::vector<monitors::violation> one(const std::string& text) {
    std::istringstream words(text);
    std::string name, word;
    std::int64_t process = 0;
    if (!(words >> name)) return {};
    if (name.back() == ':') {
      process = std::stoll(name);
      words >> name;
    }
    std::vector<monitors::argument> args;
    for (const auto& e : set_.events)
      if (e.name == name)
        while (words >> word) args.push_back(argument(e.params.at(args.size()), word));
    return monitor_.push(process, name, args);
  }

  monitors::monitor_set set_;
  monitors::interner names_;
  monitors::stream_monitor monitor_;
};

}  // namespace quiesce::test
