// SPDX-License-Identifier: MIT
// The stack's events in a model's alphabet, and both as letters of one alphabet.

#include <algorithm>

#include <fmt/format.h>

#include "conformance/inclusion_model.hpp"

namespace quiesce::conformance {

namespace {

// Position of the next event of the same task.
std::vector<std::size_t> next_of_task(const std::vector<refimpl::event>& events) {
  std::vector<std::size_t> next(events.size(), events.size());
  std::map<std::uint32_t, std::size_t> last;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto [at, fresh] = last.try_emplace(events[i].task, i);
    if (!fresh) next[at->second] = i, at->second = i;
  }
  return next;
}

// Sections of run_todo under RTNL in which nothing else happens.
std::vector<bool> empty_sections(const std::vector<refimpl::event>& events) {
  using refimpl::event_kind;
  std::vector<bool> out(events.size(), false);
  const std::vector<std::size_t> next = next_of_task(events);
  std::map<std::uint32_t, bool> in_todo;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const refimpl::event& e = events[i];
    if (e.kind == event_kind::run_todo_begin) in_todo[e.task] = true;
    if (e.kind == event_kind::run_todo_end) in_todo[e.task] = false;
    if (e.kind != event_kind::rtnl_lock || !in_todo[e.task]) continue;
    if (next[i] < events.size() && events[next[i]].kind == event_kind::rtnl_unlock) out[i] = out[next[i]] = true;
  }
  return out;
}

// RTM_NEWLINK in answer to a notification that the model does not have: an upper device leaves, a name changes.
std::vector<bool> answers_beyond(const std::vector<refimpl::event>& events, const std::set<std::string>& visible) {
  using refimpl::event_kind;
  std::vector<bool> out(events.size(), false);
  const std::vector<std::size_t> next = next_of_task(events);
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].kind != event_kind::callback || next[i] == events.size()) continue;
    const bool answered = events[next[i]].kind == event_kind::RTM_NEWLINK;
    const auto cause = static_cast<event_kind>(events[i].value);
    if (answered && visible.count(std::string(refimpl::name(cause))) == 0) out[next[i]] = true;
  }
  return out;
}

}  // namespace

std::vector<seen_event> scripted_model::project(const std::vector<refimpl::event>& events) const {
  std::vector<seen_event> out;
  const ir::program& p = system_->program();
  const std::vector<bool> dropped = empty_sections(events);
  const std::vector<bool> beyond = answers_beyond(events, options_.visible);
  for (std::size_t i = 0; i < events.size(); ++i) {
    const refimpl::event& e = events[i];
    const std::string name(refimpl::name(e.kind));
    if (dropped[i] || beyond[i] || options_.visible.count(name) == 0) continue;
    seen_event s{name, e.task, {}};
    for (const ir::type_id id : p.events[event_number_.at(name)].params) {
      const ir::type* t = &p.types[id];
      const bool optional = t->kind == ir::type_kind::option;
      if (optional) t = &p.types[t->inner];
      if (t->kind == ir::type_kind::set) {
        const auto members = refimpl::recorder::members(events, i);
        s.args.push_back(seen_value::set_of({members.begin(), members.end()}));
        continue;
      }
      const std::int64_t identity = p.sorts[t->sort].name == "net" ? e.net : e.dev;
      s.args.push_back(identity != refimpl::no_id ? seen_value::of(identity)
                       : optional                 ? seen_value::nobody()
                                                  : seen_value{});
    }
    out.push_back(std::move(s));
  }
  return out;
}

// What it touches, by the names of the events and the model's numbers of devices and namespaces.
letter scripted_model::letter_of(const model_event& e) const {
  const ir::program& p = system_->program();
  std::int64_t dev = -1, net = -1;
  const auto& params = p.events[e.event].params;
  for (std::size_t i = 0; i < params.size(); ++i) {
    const ir::type& t = p.types[params[i]];
    if (t.kind == ir::type_kind::element) (p.sorts[t.sort].name == "net" ? net : dev) = e.args[i];
    if (t.kind == ir::type_kind::option && e.args[i] != 0) dev = e.args[i] - 1 + ir::low(p, t.inner);
  }
  return {text_of(p, e), e.by.process, touches_of(class_of(p.events[e.event].name), dev, net)};
}

std::int64_t scripted_model::element_of(ir::type_id id, const seen_value& v) const {
  const ir::program& p = system_->program();
  const ir::type& t = p.types[id];
  if (t.kind == ir::type_kind::option) return v.what == seen_value::kind::none ? 0 : 1 + element_of(t.inner, v);
  const auto map = options_.identities.find(p.sorts[t.sort].name);
  const auto number = [&](std::int64_t identity) -> std::int64_t {
    if (map == options_.identities.end()) return -1;
    const auto at = map->second.find(identity);
    return at == map->second.end() ? -1 : at->second;
  };
  if (t.kind != ir::type_kind::set) return v.what == seen_value::kind::value ? number(v.value) : -1;
  std::int64_t bits = 0;
  for (const std::int64_t m : v.members) bits |= std::int64_t{1} << std::max<std::int64_t>(number(m), 0);
  return bits;
}

std::vector<letter> scripted_model::letters(const std::vector<seen_event>& trace) const {
  std::vector<letter> out;
  const ir::program& p = system_->program();
  for (const seen_event& s : trace) {
    model_event e;
    e.event = event_number_.at(s.name);
    const auto by = options_.tasks.find(s.task.value_or(-1));
    for (std::size_t i = 0; i < s.args.size(); ++i) e.args.push_back(element_of(p.events[e.event].params[i], s.args[i]));
    if (by != options_.tasks.end()) e.by = by->second;
    out.push_back(letter_of(e));
    if (by == options_.tasks.end()) {  // nobody of the model
      out.back().text = text_of(s);
      out.back().actor = 0x10000u + static_cast<std::uint32_t>(s.task.value_or(0));
    }
  }
  return out;
}

}  // namespace quiesce::conformance
