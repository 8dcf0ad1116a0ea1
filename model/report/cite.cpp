// SPDX-License-Identifier: MIT
#include "model/report/cite.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace quiesce::report {
namespace {

constexpr std::size_t columns = 72;

std::string paragraph(const std::string& text, const std::string& indent = "  ") {
  return wrap(text, columns, indent) + "\n";
}

const ast::variant_decl* variant_of(const model_entry& m, const std::string& name) {
  for (const ast::item& item : m.loaded.model.items)
    if (const auto* v = std::get_if<ast::variant_decl>(&item); v && v->name == name) return v;
  return nullptr;
}

// The innermost procedure of the step that stands for a kernel function.
std::string kernel_place(const step_text& s) {
  for (auto f = s.path.rbegin(); f != s.path.rend(); ++f)
    if (!f->kernel_function.empty())
      return fmt::format("{}:{}(){}", f->kernel_file, f->kernel_function,
                         f->kernel_version.empty() ? "" : ", " + f->kernel_version);
  return "";
}

std::string events_of(const step_text& s) {
  std::string out;
  for (const trace_event& e : s.events) {
    std::string args;
    for (const std::string& a : e.args) args += (args.empty() ? "" : ", ") + a;
    out += (out.empty() ? "" : "; ") + e.name + "(" + args + ")";
  }
  return out;
}

std::string choices_of(const step_text& s) {
  std::string out;
  for (const trace_choice& c : s.choices)
    if (!c.shown.empty()) out += (out.empty() ? "" : ", ") + c.shown;
  return out;
}

// What the run chose to start from; the rest of the initial state is the model's text.
std::string initial_text(const step_text& s) { return choices_of(s); }

// Where a step is, rather than that it is atomic.
std::string place_of(const step_text& s) {
  const bool dull = s.statement == "atomic" || s.statement.empty();
  return dull && !s.path.empty() ? s.path.back().procedure + "()" : s.statement;
}

std::string sequence(const run_text& run) {
  std::string out = paragraph(fmt::format("{} ({} step{}):", run.shortest ? "Shortest violation" : "A violation",
                                          run.length(), run.length() == 1 ? "" : "s"));
  const std::string start = run.steps.empty() ? "" : initial_text(run.steps[0]);
  if (!start.empty()) out += paragraph("  start: " + start, "         ");
  for (std::size_t i = 1; i < run.steps.size(); ++i) {
    const step_text& s = run.steps[i];
    const std::string events = events_of(s), choices = choices_of(s);
    out += paragraph(fmt::format("  {:2} {}: {}{}{}", i, s.process, place_of(s),
                                 choices.empty() ? "" : "  [" + choices + "]", events.empty() ? "" : "  -> " + events),
                     "       ");
  }
  if (!run.ending.empty()) out += paragraph("  then: " + run.ending, "        ");
  const std::string place = run.steps.empty() ? "" : kernel_place(run.steps.back());
  if (!place.empty()) out += paragraph(fmt::format("Code: {}: {}", place, place_of(run.steps.back())));
  return out;
}

std::string status_of(const ast::property& p) {
  std::string out;
  if (p.status == ast::property_status::required)
    out = "required" + (p.status_text.empty() ? "" : " since " + p.status_text);
  if (p.status == ast::property_status::proposed) out = "proposed" + (p.status_text.empty() ? "" : " by " + p.status_text);
  for (const std::string& rule : p.rules) out += (out.empty() ? "rule " : ", rule ") + rule;
  return out;
}

std::string checked(const citation& c) {
  const question& q = c.check->asked();
  std::string text = fmt::format("Checked on: model {}", q.model->loaded.model.name);
  if (const ast::variant_decl* v = variant_of(*q.model, q.settings.variant)) {
    text += fmt::format(", {} ({})", v->name, v->sentence);
    if (!v->kernel.empty()) text += fmt::format(", code of {}", v->kernel);
    if (!v->source.empty()) text += fmt::format(", from {}", v->source);
  }
  for (const auto& [name, value] : q.settings.options) text += fmt::format(", {}={}", name, value);
  return paragraph(text + fmt::format("; input {}.", c.answered->verdicts[0].hash.substr(0, 12)));
}

std::string result(const citation& c) {
  const verdict& v = c.answered->verdicts[0];
  std::string text = fmt::format("Result: {} within these bounds", name(v.kind));
  if (v.kind == verdict_kind::unknown) text += ": " + v.reason;
  if (v.kind == verdict_kind::vacuous) text += ": " + (v.reason.empty() ? "what the rule is about never happens" : v.reason);
  text += c.answered->complete ? fmt::format(" (all {} states visited).", c.answered->states)
                               : fmt::format(" ({} states visited, not all).", c.answered->states);
  return paragraph(text);
}

std::string comparison(const citation& c) {
  std::string text;
  if (!c.base.empty() && c.base_kind)
    text += fmt::format("{} without the change: {}. ", c.base,
                        *c.base_kind == verdict_kind::violated ? "violated too" : name(*c.base_kind));
  if (c.kept_by) {
    const std::string changes = changes_of(*c.kept_by);
    text += fmt::format("{} keeps the rule{}.", name_of(*c.kept_by), changes.empty() ? "" : " (" + changes + ")");
  }
  return text.empty() ? "" : paragraph(text);
}

}  // namespace

char weakest_mark(const citation& c) {
  const std::string order = "VHRM";
  const auto rank = [&](char mark) { return mark == 0 ? std::string::npos : order.find(mark); };
  std::size_t weakest = 0;
  const question& q = c.check->asked();
  const ast::variant_decl* v = variant_of(*q.model, q.settings.variant);
  for (char mark :
       {q.properties[0]->property.proof.mark, v ? v->proof.mark : 'R', c.claim ? c.claim->claim.proof.mark : 'R'})
    weakest = std::max(weakest, rank(mark) == std::string::npos ? order.find('R') : rank(mark));
  return order[weakest];
}

std::string cite(const citation& c) {
  const ast::property& p = c.check->asked().properties[0]->property;
  const verdict& v = c.answered->verdicts[0];
  std::string out = paragraph(fmt::format("{}: {}", p.name, p.sentence));
  if (const std::string status = status_of(p); !status.empty()) out += paragraph("Status: " + status + ".");
  out += checked(c);
  out += paragraph(fmt::format("Bounds: {}.", scope_text(c.answered->scope)));
  out += paragraph(
      "Assumes: sequential consistency; the steps of the model are atomic; callbacks do what the model's do; what the model "
      "leaves out "
      "has no effect on the events of the rule.");
  out += result(c);
  if (v.counterexample && v.kind != verdict_kind::holds) out += sequence(*v.counterexample);
  out += comparison(c);
  static const char* const marks = "VHRM";
  static const char* const meanings[] = {"read in the source", "read in the history", "reasoned", "from memory"};
  const char mark = weakest_mark(c);
  out += paragraph(
      fmt::format("Evidence for the model: {} at its weakest ({}).", mark, meanings[std::string(marks).find(mark)]));
  const reproducer r = reproduce(c);
  out += paragraph(r.script.empty()
                       ? "Not reproduced on a running kernel: " + r.reason + "."
                       : "Not reproduced on a running kernel; a script that does these operations can be printed.");
  out += paragraph("Not checked: other bounds, reordering of memory accesses, code that the model does not name.");
  return out + paragraph(fmt::format("Found with quiesce {}.", QUIESCE_VERSION));
}

}  // namespace quiesce::report
