// SPDX-License-Identifier: MIT
#include "conformance/schedule_compare.hpp"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

namespace quiesce::conformance {

namespace {

std::uint64_t mixed(std::uint64_t h, std::uint64_t x) {
  h = (h ^ x) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 29;
}

struct pair_hash {
  std::size_t operator()(const class_id& c) const { return c.low; }
};

// Depth first over pairs of a state and the class of the trace that led there; a pair met again has the same continuations.
class enumerator {
 public:
  enumerator(const scripted_model& m, std::uint64_t most)
      : model_(m), most_(most), words_(m.system().state_layout().words()) {
    for (const ir::event& e : m.system().program().events) visible_.push_back(m.options().visible.count(e.name) != 0);
    stepper_ = m.system().make_stepper();
  }

  model_classes run() {
    out_.complete = true;
    visit(model_.options().start, {}, 0);
    while (!todo_.empty() && out_.complete) {
      const item next = std::move(todo_.back());
      todo_.pop_back();
      trace_.resize(next.before);
      trace_.insert(trace_.end(), next.letters.begin(), next.letters.end());
      expand(next);
    }
    return std::move(out_);
  }

 private:
  struct item {
    std::vector<word> state;
    normal_form form;
    std::size_t before = 0;  // letters of the trace in front of the step that led here
    std::vector<std::uint32_t> letters;
  };

  void visit(std::vector<word> state, normal_form form, std::size_t before, std::vector<std::uint32_t> letters = {}) {
    class_id key = form.id();
    for (const word w : state) key = {mixed(key.high, w), mixed(key.low + 0x51ed27u, w)};
    if (!seen_.insert(key).second) return;
    if (++out_.explored > most_) out_.complete = false;
    todo_.push_back({std::move(state), std::move(form), before, std::move(letters)});
  }

  void expand(const item& at) {
    std::size_t steps = 0;
    const std::size_t length = trace_.size();
    stepper_->successors_recorded(at.state.data(), [&](const step& s, const step_record& record) {
      ++steps;
      if (s.outcome != step_outcome::state) {
        ++out_.runs_cut;
        return;
      }
      normal_form form = at.form;
      std::vector<std::uint32_t> letters;
      for (const recorded_event& e : record.events) {
        if (!visible_[e.event]) continue;
        letters.push_back(number(model_.letter_of({e.event, {s.process, s.instance}, e.args})));
        form.add(out_.alphabet[letters.back()]);
      }
      visit({s.state, s.state + words_}, std::move(form), length, std::move(letters));
    });
    if (steps == 0) finish(at);
  }

  void finish(const item& at) {
    const bool deadlock = !stepper_->resting(at.state.data());
    const auto [place, fresh] = out_.classes.try_emplace(at.form.id());
    if (!fresh) return;
    out_.deadlocks += deadlock ? 1 : 0;
    const std::vector<letter> letters = out_.trace(trace_);
    for (const std::size_t i : foata(letters)) place->second.push_back(trace_[i]);
  }

  std::uint32_t number(letter l) {
    const auto [at, fresh] = numbers_.try_emplace(l.text, out_.alphabet.size());
    if (fresh) out_.alphabet.push_back(std::move(l));
    return static_cast<std::uint32_t>(at->second);
  }

  const scripted_model& model_;
  const std::uint64_t most_;
  const std::uint32_t words_;
  std::vector<bool> visible_;
  std::unique_ptr<stepper> stepper_;
  std::unordered_set<class_id, pair_hash> seen_;
  std::vector<item> todo_;
  std::vector<std::uint32_t> trace_;
  std::map<std::string, std::size_t> numbers_;
  model_classes out_;
};

std::vector<std::string> normal_text(const std::vector<letter>& letters) {
  std::vector<std::string> out;
  for (const std::size_t i : foata(letters)) out.push_back(letters[i].text);
  return out;
}

}  // namespace

std::vector<letter> model_classes::trace(const std::vector<std::uint32_t>& numbers) const {
  std::vector<letter> out;
  for (const std::uint32_t n : numbers) out.push_back(alphabet[n]);
  return out;
}

scenario exhausted_scenario() {
  return parse_scenario(
      "option ipv6 off\n"
      "net n1\n"
      "device d1 init_net dummy up\n"
      "device d2 n1 dummy\n"
      "device d3 init_net vlan on d1\n"
      "device d4 init_net dummy up\n"
      "task t1\n"
      "  unregister d1 d2\n"
      "task t2\n"
      "  close d4\n"
      "  unregister d4\n");
}

model_classes classes_of_model(const scripted_model& m, std::uint64_t most_explored) {
  return enumerator(m, most_explored).run();
}

bool comparison::equal() const { return only_code.empty() && only_model.empty() && exhausted(); }
bool comparison::exhausted() const { return schedules.exhausted && model.complete && model.runs_cut == 0; }

comparison compare_all(const scripted_model& m, const scenario& s, std::string_view variant, const comparison_options& o) {
  comparison out;
  actor_names names;
  run_settings settings;
  settings.policy = refimpl::variant(variant);
  settings.end_all = false;
  std::map<class_id, comparison::difference> code;
  controlled_result last;
  std::string again;
  const auto execute = [&](chooser& c) {
    recording_chooser recorded(c, names);
    last = run_controlled(s, settings, recorded, names, o.bounds);
    if (o.twice) again = difference_of_repeat(s, settings, recorded.actors, names, o.bounds, last);
  };
  out.schedules = explore_all(execute, o.limits, [&](const std::vector<std::uint32_t>& actors) {
    out.polls_bounded += last.control.polls_bounded;
    out.firings_bounded += last.control.firings_bounded;
    out.hung += last.control.hung ? 1 : 0;
    out.stopped += last.run.stopped ? 1 : 0;
    const std::vector<letter> letters = m.letters(m.project(last.run.events));
    out.code_events = std::max(out.code_events, letters.size());
    const auto [at, fresh] = code.try_emplace(class_of_trace(letters));
    if (fresh) {
      at->second.trace = normal_text(letters);
      for (const std::uint32_t a : actors) at->second.actors.push_back(names.name(a));
    }
    return again.empty();
  });
  if (!again.empty()) out.schedules.nondeterminism = again, out.schedules.exhausted = false;
  out.code_classes = code.size();
  out.model = classes_of_model(m, o.most_explored);
  for (auto& [id, d] : code) {
    if (out.model.classes.count(id) != 0)
      ++out.common;
    else
      out.only_code.push_back(std::move(d));
  }
  for (const auto& [id, trace] : out.model.classes)
    if (code.count(id) == 0) out.only_model.push_back({normal_text(out.model.trace(trace)), {}});
  return out;
}

namespace {

// Where the trace leaves those of the other side that it shares most with.
std::string first_difference(const std::vector<std::string>& trace, const std::vector<std::vector<std::string>>& others) {
  std::size_t most = 0;
  std::vector<std::string> next;
  for (const auto& other : others) {
    const std::size_t n = std::min(trace.size(), other.size());
    const auto same = static_cast<std::size_t>(
        std::mismatch(trace.begin(), trace.begin() + static_cast<std::ptrdiff_t>(n), other.begin()).first - trace.begin());
    if (same > most || next.empty()) most = same, next.clear();
    if (same == most) next.push_back(same < other.size() ? other[same] : "(the end)");
  }
  std::sort(next.begin(), next.end());
  next.erase(std::unique(next.begin(), next.end()), next.end());
  return fmt::format("    after {} letters in common: {}; the other side has {}\n", most,
                     most < trace.size() ? trace[most] : "(the end)",
                     next.empty() ? "nothing" : fmt::format("{}", fmt::join(next, " or ")));
}

}  // namespace

std::string report(const comparison& c, const comparison_options& o, std::size_t most) {
  const exploration_report& e = c.schedules;
  std::string out = fmt::format("schedules: {} executed{}, {} found redundant, {} moves, the longest {}; {:.1f} s{}\n",
                                e.executions, o.twice ? " (each twice)" : "", e.redundant, e.moves, e.longest, e.elapsed_s,
                                e.exhausted ? "; all interleavings" : "; NOT all interleavings");
  out += fmt::format("bounds: polls={} firings={} moves={}; sleeps held back {}, firings held back {}\n", o.bounds.polls,
                     o.bounds.firings, o.bounds.moves, c.polls_bounded, c.firings_bounded);
  if (!e.nondeterminism.empty()) out += "hidden nondeterminism: " + e.nondeterminism + "\n";
  if (c.hung + c.stopped > 0)
    out += fmt::format("executions that hung: {}, that a kernel would not have survived: {}\n", c.hung, c.stopped);
  out += fmt::format("classes of traces of the code: {}, of at most {} events\n", c.code_classes, c.code_events);
  out += fmt::format("classes of traces of the model: {}; {} explored{}{}{}\n", c.model.classes.size(), c.model.explored,
                     c.model.complete ? "" : ", NOT all",
                     c.model.runs_cut ? fmt::format(", {} runs cut by an error or bound", c.model.runs_cut) : "",
                     c.model.deadlocks ? fmt::format(", {} deadlocked", c.model.deadlocks) : "");
  out += fmt::format("in both: {}\n", c.common);
  std::vector<std::vector<std::string>> model;
  if (!c.only_code.empty())
    for (const auto& [id, trace] : c.model.classes) model.push_back(normal_text(c.model.trace(trace)));
  out += fmt::format("the code shows and the model does not: {}\n", c.only_code.size());
  for (std::size_t i = 0; i < std::min(most, c.only_code.size()); ++i) {
    out += first_difference(c.only_code[i].trace, model) + "    schedule:\n";
    out += format_moves(c.only_code[i].actors);
  }
  out += fmt::format("the model allows and the code never shows: {}\n", c.only_model.size());
  for (std::size_t i = 0; i < std::min(most, c.only_model.size()); ++i)
    out += fmt::format("    {}\n", fmt::join(c.only_model[i].trace, "\n    "));
  out += c.equal()       ? "the sets of traces are equal\n"
         : c.exhausted() ? "the sets of traces differ\n"
                         : "not decided: not everything was explored\n";
  return out;
}

}  // namespace quiesce::conformance
