// SPDX-License-Identifier: MIT
// One event: checks on the state before it, then all writes at once.

#include "properties/stream.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "properties/diagnostic.hpp"
#include "properties/stream_internal.hpp"

namespace quiesce::monitors {

namespace {
constexpr std::int64_t most_elements = std::int64_t{1} << 24;  // numbers are dense: a larger one is a defect of the caller
}

std::int64_t interner::number(const std::string& sort, const std::string& name) {
  names& known = sorts_[sort];
  auto [found, added] = known.numbers.emplace(name, static_cast<std::int64_t>(known.texts.size()));
  if (added) known.texts.push_back(name);
  return found->second;
}

const std::string* interner::name(const std::string& sort, std::int64_t number) const {
  auto found = sorts_.find(sort);
  if (found == sorts_.end() || number < 0 || number >= static_cast<std::int64_t>(found->second.texts.size())) return nullptr;
  return &found->second.texts[static_cast<std::size_t>(number)];
}

std::size_t table_key_hash::operator()(const table_key& key) const {
  std::uint64_t h = 0x9e3779b97f4a7c15u;
  for (std::int64_t k : key) {
    h ^= static_cast<std::uint64_t>(k) + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
    h *= 0xff51afd7ed558ccdu;
    h ^= h >> 33;
  }
  return static_cast<std::size_t>(h);
}

bool open_span::operator==(const open_span& other) const {
  return kind == other.kind && members == other.members && cells == other.cells;
}

void stream_monitor::require_valid(const value_type& type, const argument& arg, const std::string& event) const {
  auto in = [](std::int64_t v, std::int64_t low, std::int64_t high) { return low <= v && v <= high; };
  bool good = true;
  switch (type.kind) {
    case value_kind::boolean:
      good = in(arg.value, 0, 1);
      break;
    case value_kind::integer:
      good = in(arg.value, type.low, type.high);
      break;
    case value_kind::element:
      good = in(arg.value, 0, most_elements - 1);
      break;
    case value_kind::option:
      good = arg.value == 0 || (arg.value > 0 && (require_valid(type.inner[0], {arg.value - 1}, event), true));
      break;
    case value_kind::set:
      for (std::int64_t m : arg.members) good = good && in(m, 0, most_elements - 1);
  }
  if (!good)
    throw diagnostic(fmt::format("event {} `{}` has an argument that is out of range: {}", sequence_, event, arg.value));
}

void stream_monitor::require_valid(std::int64_t process, std::uint32_t event, const std::vector<argument>& args) const {
  if (event >= set_.events.size()) throw diagnostic(fmt::format("event {} has the unknown number {}", sequence_, event));
  const auto& declared = set_.events[event];
  if (args.size() != declared.params.size())
    throw diagnostic(fmt::format("event {} `{}` has {} arguments, not {}", sequence_, declared.name, args.size(),
                                 declared.params.size()));
  for (std::size_t i = 0; i < args.size(); ++i) require_valid(declared.params[i], args[i], declared.name);
  int ends = code_[event].ends;
  if (ends < 0) return;
  auto found = state_.stacks.find(process);
  if (found == state_.stacks.end() || found->second.back().kind != ends)
    throw diagnostic(fmt::format("event {} `{}`: the innermost open span of process {} is not such a span", sequence_,
                                 declared.name, process));
}

// Clears every entry that fits, those that an update before it in the list sets at this event included.
void stream_monitor::collect_partial(const update& u, environment& env, std::size_t frame,
                                     std::vector<write>& writes) const {
  auto free = [&](std::uint32_t variable) {
    return std::any_of(u.free.begin(), u.free.end(), [&](const auto& f) { return f.first == variable; });
  };
  auto fits = [&](const table_key& key) {
    for (std::size_t i = 0; i < u.keys.size(); ++i) {
      if (free(u.keys[i]))
        env.variables[u.keys[i]] = key[i];
      else if (env.variables[u.keys[i]] != key[i])
        return false;
    }
    return u.on.when.empty() || evaluate(u.on.when[0], env) != 0;
  };
  for (std::size_t i = 0, before = writes.size(); i < before; ++i) {
    const write w = writes[i];
    if (!w.ghost && w.table == u.cell && w.frame == frame && w.value && fits(w.key))
      writes.push_back({false, u.cell, frame, w.key, 0});
  }
  const table* entries = cell_table(u.cell, frame == no_frame ? nullptr : &(*env.stack)[frame]);
  if (!entries) return;
  for (const auto& [key, value] : *entries)
    if (fits(key)) writes.push_back({false, u.cell, frame, key, 0});
}

void stream_monitor::collect(const update& u, environment& env, std::vector<write>& writes) const {
  env.size(u.variables);
  each_match(u.on, env, [&](std::size_t frame) {
    if (!u.free.empty()) return collect_partial(u, env, frame, writes);
    if (!u.on.when.empty() && !evaluate(u.on.when[0], env)) return;
    write w{false, u.cell, frame, {}, u.act == action::clear ? 0 : 1};
    for (std::size_t i = 0; i < u.keys.size(); ++i) w.key[i] = env.variables[u.keys[i]];
    if (u.act == action::increment) {
      const table* entries = cell_table(u.cell, frame == no_frame ? nullptr : &(*env.stack)[frame]);
      auto found = entries ? entries->find(w.key) : table::const_iterator{};
      std::int64_t before = entries && found != entries->end() ? found->second : 0;
      w.value = std::min(before + 1, set_.cells[u.cell].cap);
    }
    writes.push_back(w);
  });
}

void stream_monitor::apply(const std::vector<write>& writes, std::vector<open_span>* stack) {
  for (const write& w : writes) {
    table& values = w.ghost               ? state_.ghosts[w.table]
                    : w.frame == no_frame ? state_.cells[w.table]
                                          : (*stack)[w.frame].cells[w.table];
    if (w.value == (w.ghost ? set_.ghosts[w.table].initial : 0))
      values.erase(w.key);
    else
      values[w.key] = w.value;
    if (!w.ghost && w.frame != no_frame && values.empty()) (*stack)[w.frame].cells.erase(w.table);
  }
}

std::vector<violation> stream_monitor::push(std::int64_t process, std::string_view event,
                                            const std::vector<argument>& args) {
  auto found = numbers_.find(std::string(event));
  if (found == numbers_.end()) throw diagnostic(fmt::format("event {} `{}` is not in the vocabulary", sequence_, event));
  return push(process, found->second, args);
}

std::vector<violation> stream_monitor::push(std::int64_t process, std::uint32_t event, const std::vector<argument>& args) {
  require_valid(process, event, args);
  const event_code& code = code_[event];
  const auto& params = set_.events[event].params;
  for (std::size_t i = 0; i < args.size(); ++i) meet(params[i], code.sorts[i], args[i]);
  if (code.begins >= 0) {
    open_span opened;
    opened.kind = code.begins;
    if (!args.empty()) opened.members = args[0].members;
    std::sort(opened.members.begin(), opened.members.end());
    opened.begun = sequence_;
    state_.stacks[process].push_back(std::move(opened));
  }
  auto found = state_.stacks.find(process);
  std::vector<open_span>* stack = found == state_.stacks.end() ? nullptr : &found->second;
  environment& env = scratch_->env;
  env.event = event;
  env.args = &args;
  env.variables.clear();
  env.spans.clear();
  env.stack = stack;
  std::vector<violation> violations;
  run_checks(code, env, violations);
  std::vector<write>& writes = scratch_->writes;
  writes.clear();
  for (const update* u : code.updates) collect(*u, env, writes);
  for (const ghost_update* u : code.ghost_updates) {
    env.size(u->variables);
    if (!match_arguments(u->on, env)) continue;
    write w{true, u->ghost, no_frame, {}, evaluate(u->value, env)};
    for (std::size_t i = 0; i < u->index.size(); ++i) w.key[i] = evaluate(u->index[i], env);
    writes.push_back(w);
  }
  apply(writes, stack);
  if (code.ends >= 0) {
    stack->pop_back();
    if (stack->empty()) state_.stacks.erase(process);
  }
  ++sequence_;
  return violations;
}

}  // namespace quiesce::monitors
