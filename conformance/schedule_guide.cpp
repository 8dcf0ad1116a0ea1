// SPDX-License-Identifier: MIT
// A model's run as a test of the stack.

#include <algorithm>
#include <map>

#include "conformance/schedule_compare.hpp"

namespace quiesce::conformance {

namespace {

// Moves the actor whose event is due. Who cannot move waits for something that no event shows: softirqs first, then the
// others.
class guide : public chooser {
 public:
  guide(const scripted_model& m, const std::vector<letter>& trace, const std::vector<refimpl::event>& events,
        actor_names& names)
      : model_(m), trace_(trace), events_(events), names_(names) {}

  std::uint32_t choose(const std::vector<std::uint32_t>& enabled) override {
    const std::string wanted = due();
    for (const std::uint32_t a : enabled)
      if (names_.name(a) == wanted) return note(a);
    for (const std::uint32_t a : enabled)
      if (names_.name(a).find(' ') != std::string::npos) return note(a);  // "rcu t1", "timer x fires"
    return note(enabled.front());
  }

  std::vector<std::string> actors;

 private:
  std::uint32_t note(std::uint32_t a) {
    actors.push_back(names_.name(a));
    return a;
  }

  // The task of the first letter that has not happened yet.
  std::string due() const {
    std::map<std::uint32_t, std::size_t> happened, passed;
    for (const letter& l : model_.letters(model_.project(events_))) ++happened[l.actor];
    for (const letter& l : trace_)
      if (passed[l.actor]++ >= happened[l.actor]) return model_.system().program().processes[l.actor].name;
    return {};
  }

  const scripted_model& model_;
  const std::vector<letter>& trace_;
  const std::vector<refimpl::event>& events_;
  actor_names& names_;
};

}  // namespace

guided_outcome run_guided(const scripted_model& m, const scenario& s, const run_settings& given,
                          const std::vector<letter>& trace, const control_bounds& bounds) {
  guided_outcome out;
  actor_names names;
  std::vector<refimpl::event> events;
  bool setting_up = true;
  guide drive(m, trace, events, names);
  run_settings settings = given;
  settings.keep_events = true;
  const event_sink outer = settings.sink;
  settings.sink = [&](const refimpl::event& e, refimpl::stack& on) {
    setting_up = setting_up && e.task < first_task_id;  // the tasks' events are what counts
    if (!setting_up) events.push_back(e);
    if (outer) outer(e, on);
  };
  out.result = run_controlled(s, settings, drive, names, bounds);
  out.trace = m.letters(m.project(out.result.run.events));
  out.actors = std::move(drive.actors);
  out.shown = class_of_trace(out.trace) == class_of_trace(trace);
  return out;
}

}  // namespace quiesce::conformance
