// SPDX-License-Identifier: MIT
#include "conformance/inclusion.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "conformance/inclusion_internal.hpp"
#include "properties/diagnostic.hpp"

namespace quiesce::conformance {

const char* name(inclusion_verdict v) {
  constexpr const char* names[] = {"included", "not included", "unknown"};
  return names[static_cast<std::size_t>(v)];
}

std::set<std::string> alphabet(const ir::program& p) {
  std::set<std::string> out;
  for (const ir::process& q : p.processes)
    for (const ir::instruction& i : q.code)
      if (i.code == ir::operation::emit) out.insert(p.events[i.which].name);
  return out;
}

namespace {

// --- the trace, numbered --------------------------------------------------------------------------------------------------

class numbering {
 public:
  numbering(const ir::program& p, const inclusion_options& o) : program_(p), options_(o) {
    for (const auto& [sort, map] : o.identities) sort_named(sort);
  }

  numbered_event number(const seen_event& e) {
    numbered_event out{event_named(e.name), std::nullopt, {}};
    if (e.task) out.task = task_slot(*e.task);
    const auto& params = program_.events[out.event].params;
    if (params.size() != e.args.size())
      throw diagnostic(
          fmt::format("{} has {} arguments, the model's event has {} parameters", e.name, e.args.size(), params.size()));
    for (std::size_t i = 0; i < params.size(); ++i) out.args.push_back(value(e, params[i], e.args[i]));
    return out;
  }

  identity_table table;

 private:
  std::uint32_t event_named(const std::string& name) const {
    for (std::uint32_t i = 0; i < program_.events.size(); ++i)
      if (program_.events[i].name == name) return i;
    throw diagnostic(fmt::format("the model has no event '{}'", name));
  }

  ir::sort_id sort_named(const std::string& name) const {
    for (ir::sort_id i = 0; i < program_.sorts.size(); ++i)
      if (program_.sorts[i].name == name) return i;
    throw diagnostic(fmt::format("the model has no sort '{}'", name));
  }

  std::uint32_t task_slot(std::int64_t task) {
    const std::uint32_t at = table.number(identity_table::of_tasks, task);
    const auto given = options_.tasks.find(task);
    auto& slot = table.slots[at];
    if (given != options_.tasks.end()) slot.bound = static_cast<std::int32_t>(process_number(given->second));
    slot.closed = slot.bound < 0 && !options_.search_tasks;
    return at;
  }

  std::uint32_t process_number(process_place at) const { return matcher(program_, table).process_number(at); }

  std::uint32_t element_slot(ir::sort_id sort, std::int64_t identity) {
    const std::uint32_t at = table.number(sort, identity);
    auto& slot = table.slots[at];
    const auto given = options_.identities.find(program_.sorts[sort].name);
    if (given != options_.identities.end())
      if (const auto e = given->second.find(identity); e != given->second.end())
        slot.bound = static_cast<std::int32_t>(e->second);
    slot.closed = slot.bound < 0 && !options_.search_identities;
    return at;
  }

  numbered_value value(const seen_event& e, ir::type_id id, const seen_value& v) {
    numbered_value out{v.what, v.value, {}};
    if (v.what == seen_value::kind::unknown) return out;
    const ir::type* t = &program_.types[id];
    if (v.what == seen_value::kind::none && t->kind != ir::type_kind::option) wrong(e, "none where a value is due");
    if (v.what == seen_value::kind::none) return out;
    while (t->kind == ir::type_kind::option) t = &program_.types[t->inner];
    if ((t->kind == ir::type_kind::set) != (v.what == seen_value::kind::set))
      wrong(e, "a set and a single value are mixed up");
    if (t->kind == ir::type_kind::element) out.value = element_slot(t->sort, v.value);
    for (const std::int64_t m : v.members) out.members.push_back(element_slot(t->sort, m));
    return out;
  }

  [[noreturn]] static void wrong(const seen_event& e, const char* what) {
    throw diagnostic(fmt::format("{}: {}", text_of(e), what));
  }

  const ir::program& program_;
  const inclusion_options& options_;
};

// --- the construction -----------------------------------------------------------------------------------------------------

class construction {
 public:
  construction(const transition_system& s, const std::vector<seen_event>& trace, const inclusion_options& o)
      : system_(s), program_(s.program()), options_(o), numbers_(s.program(), o) {
    visible_names_ = o.visible.empty() ? alphabet(program_) : o.visible;
    for (const ir::event& e : program_.events) visible_.push_back(visible_names_.count(e.name) != 0);
    for (const seen_event& e : trace) {
      trace_.push_back(numbers_.number(e));
      if (!visible_[trace_.back().event])
        throw diagnostic(fmt::format("{} is not in the alphabet that is compared", e.name));
    }
    matcher_.emplace(program_, numbers_.table);
    stepper_ = s.make_stepper();
  }

  inclusion_result run() {
    configuration_set now = initial();
    if (now.size() == 0) return cut_off("no initial state of the model fits");
    for (const numbered_event& e : trace_) {
      configuration_set next;
      if (!advance(now, &e, next)) return finish(inclusion_verdict::unknown);
      if (next.size() == 0) return mismatch(now, &e);
      now = std::move(next);
      ++result_.matched;
    }
    if (options_.complete && !comes_to_rest(now))
      return out_of_budget_ ? finish(inclusion_verdict::unknown) : mismatch(now, nullptr);
    return finish(inclusion_verdict::included);
  }

 private:
  configuration_set initial() {
    configuration_set all;
    std::vector<std::int32_t> binding;
    for (const auto& slot : numbers_.table.slots) binding.push_back(slot.bound);
    if (!options_.start.empty()) {
      start_ = options_.start;
      all.add({start_, binding, {}, 0});
      count(all);
      return all;
    }
    stepper_->initial([&](const step& s) {
      if (options_.initial && !options_.initial(s.state)) return;
      std::vector<word> state(s.state, s.state + system_.state_layout().words());
      if (start_.empty()) start_ = state;
      all.add({std::move(state), binding, {}, end_of(s)});
    });
    count(all);
    return all;
  }

  // Closes `now` under hidden steps and fills `next` with what is behind `came` (NULL: nothing is matched). False: budget.
  bool advance(configuration_set& now, const numbered_event* came, configuration_set& next) {
    cut_ = {};
    result_.errors.clear();
    for (std::size_t i = 0; i < now.size(); ++i) {
      const configuration at = now[i];  // a copy: the set grows
      if (came != nullptr) show_pending(at, *came, next);
      if (at.ended == 0) take_steps(at, came, now, next);
      if (now.size() > options_.max_configurations || next.size() > options_.max_configurations)
        return over_budget(fmt::format("more than {} configurations at once", options_.max_configurations));
      if (result_.steps > options_.max_steps)
        return over_budget(fmt::format("more than {} steps of the model", options_.max_steps));
    }
    count(now);
    return true;
  }

  bool over_budget(std::string why) {
    result_.reason = std::move(why);
    out_of_budget_ = true;
    return false;
  }

  void count(const configuration_set& s) {
    result_.configurations += s.size();
    result_.widest = std::max(result_.widest, s.size());
  }

  bool independent(const model_event& a, const model_event& b) const {
    return a.by != b.by && options_.independent && options_.independent(a, b);
  }

  // An event that is due already: it may overtake those before it that are independent of it.
  void show_pending(const configuration& at, const numbered_event& came, configuration_set& next) {
    for (std::size_t i = 0; i < at.pending.size(); ++i) {
      const model_event& e = at.pending[i];
      if (!overtakes(at, i, e)) continue;
      matcher_->match(e, came, at.binding, [&](std::vector<std::int32_t> b) {
        configuration c{at.state, std::move(b), at.pending, at.ended};
        c.pending.erase(c.pending.begin() + static_cast<std::ptrdiff_t>(i));
        next.add(std::move(c));
      });
    }
  }

  bool overtakes(const configuration& at, std::size_t before, const model_event& e) const {
    for (std::size_t k = 0; k < before; ++k)
      if (!independent(at.pending[k], e)) return false;
    return true;
  }

  void take_steps(const configuration& at, const numbered_event* came, configuration_set& now, configuration_set& next) {
    if (!at.pending.empty() && !options_.independent) return;
    stepper_->successors_recorded(at.state.data(), [&](const step& s, const step_record& record) {
      ++result_.steps;
      std::vector<model_event> shown;
      for (const recorded_event& e : record.events)
        if (visible_[e.event]) shown.push_back({e.event, {s.process, s.instance}, e.args});
      if (s.outcome != step_outcome::state) note_cut(s);
      std::vector<word> state(s.state, s.state + system_.state_layout().words());
      const std::uint8_t ended = end_of(s);
      if (shown.empty()) {
        if (ended == 0) now.add({std::move(state), at.binding, at.pending, 0});
        note_error(ended);
        return;
      }
      if (came == nullptr || !overtakes(at, at.pending.size(), shown[0])) return;
      matcher_->match(shown[0], *came, at.binding, [&](std::vector<std::int32_t> b) {
        configuration c{state, std::move(b), at.pending, ended};
        c.pending.insert(c.pending.end(), shown.begin() + 1, shown.end());
        next.add(std::move(c));
      });
    });
  }

  static std::uint8_t end_of(const step& s) {
    if (s.outcome == step_outcome::state) return 0;
    return s.outcome == step_outcome::error ? static_cast<std::uint8_t>(2 + s.kind) : 1;
  }
  void note_error(std::uint8_t ended) {
    if (ended >= 2) result_.errors.insert(ir::name(static_cast<ir::error_kind>(ended - 2)));
  }

  // A path that ends here might have gone on otherwise: no mismatch can be concluded from this set.
  void note_cut(const step& s) {
    if (!cut_.empty()) return;
    const ir::location& at = location_of(s);
    const std::string what =
        s.outcome == step_outcome::error   ? fmt::format("run-time error {}", ir::name(static_cast<ir::error_kind>(s.kind)))
        : s.outcome == step_outcome::bound ? fmt::format("bound {}", ir::name(static_cast<ir::bound_kind>(s.kind)))
                                           : std::string("a process that cannot go on");
    cut_ = fmt::format("a run of the model ends here: {} at `{}`", what, at.statement);
  }

  const ir::location& location_of(const step& s) const {
    const auto& locations = program_.processes[s.process].locations;
    const ir::location* best = &locations[0];
    const auto at = static_cast<std::uint32_t>(s.at != nullptr ? s.at - program_.processes[s.process].code.data() : 0);
    for (const ir::location& l : locations)
      if (l.entry <= at && l.entry >= best->entry) best = &l;
    return *best;
  }

  bool comes_to_rest(configuration_set& now) {
    configuration_set none;
    if (!advance(now, nullptr, none)) return false;
    for (std::size_t i = 0; i < now.size(); ++i)
      if (now[i].pending.empty() && now[i].ended == 0 && stepper_->resting(now[i].state.data())) return true;
    return false;
  }

  inclusion_result mismatch(const configuration_set& now, const numbered_event* came) {
    std::set<allowed_event> allowed;
    bool ended = false;
    for (std::size_t i = 0; i < now.size(); ++i) {
      ended = ended || now[i].ended != 0;
      note_error(now[i].ended);
      for (const model_event& e : now[i].pending) allowed.insert(describe_allowed(system_, e, nullptr));
      if (now[i].ended != 0 || (!now[i].pending.empty() && !options_.independent)) continue;
      stepper_->successors_recorded(now[i].state.data(), [&](const step& s, const step_record& record) {
        for (const recorded_event& e : record.events)
          if (visible_[e.event]) {
            allowed.insert(describe_allowed(system_, {e.event, {s.process, s.instance}, e.args}, now[i].state.data()));
            break;
          }
      });
    }
    result_.allowed.assign(allowed.begin(), allowed.end());
    std::size_t shown = 0;
    for (std::size_t i = now.size(); i-- > 0;)
      if (!has_hidden_step({system_, *matcher_, visible_, now[i], came, start_})) shown = i;
    const stuck_point at{system_, *matcher_, visible_, now[shown], came, start_};
    result_.refused = refusals(at);
    result_.state = state_text(at);
    if (ended && cut_.empty()) cut_ = "a run of the model with these events has ended in an error or at a bound";
    if (!cut_.empty()) return cut_off(cut_);
    return finish(inclusion_verdict::not_included);
  }

  inclusion_result cut_off(std::string why) {
    result_.reason = std::move(why);
    return finish(inclusion_verdict::unknown);
  }

  inclusion_result finish(inclusion_verdict v) {
    result_.verdict = v;
    return std::move(result_);
  }

  const transition_system& system_;
  const ir::program& program_;
  const inclusion_options& options_;
  numbering numbers_;
  std::set<std::string> visible_names_;
  std::vector<bool> visible_;
  std::vector<numbered_event> trace_;
  std::optional<matcher> matcher_;
  std::unique_ptr<stepper> stepper_;
  std::vector<word> start_;
  std::string cut_;  // of the present set: why no mismatch can be concluded from it
  bool out_of_budget_ = false;
  inclusion_result result_;
};

}  // namespace

inclusion_result check_inclusion(const transition_system& s, const std::vector<seen_event>& trace,
                                 const inclusion_options& o) {
  return construction(s, trace, o).run();
}

}  // namespace quiesce::conformance
