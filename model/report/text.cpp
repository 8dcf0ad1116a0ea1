// SPDX-License-Identifier: MIT
// Results for people: a matrix where there are many, then whatever needs more than a word, and a line to paste at the end.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/report/compare.hpp"
#include "model/report/counterexample.hpp"
#include "model/report/report.hpp"
#include "model/report/table.hpp"

namespace quiesce::report {
namespace {

constexpr std::size_t page_columns = 118;

std::string option_text(const question& q) {
  std::string text;
  for (const auto& [option, value] : q.settings.options)
    text += fmt::format("{}{}={}", text.empty() ? "" : "\n", option, value);
  return text;
}

// The head of a column: variant, options set beside it, environment.
std::string column_head(const question& q) {
  std::string text = q.settings.variant.empty() ? "(options as declared)" : q.settings.variant;
  if (!q.settings.options.empty()) text += "\n" + option_text(q);
  if (q.settings.environment != "default") text += "\n" + q.settings.environment;
  return text;
}

std::string cell_text(const row& r) {
  const verdict& v = r.result();
  std::string text = v.kind == verdict_kind::holds ? "holds" : name(v.kind);
  const bool counted = v.kind == verdict_kind::violated || v.kind == verdict_kind::deadlock;
  if (counted && v.counterexample) text += fmt::format(" {}", v.counterexample->length());
  return r.as_expected() ? text : text + " (!)";
}

struct matrix {
  std::vector<std::string> properties, columns;  // in order of first appearance
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> cells;
};

template <class T>
void add_once(std::vector<T>& list, const T& value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

matrix matrix_of(const std::vector<const row*>& rows) {
  matrix m;
  for (const row* r : rows) {
    const std::string column = column_head(r->check->asked());
    add_once(m.properties, r->asked().name);
    add_once(m.columns, column);
    add_once(m.cells[{r->asked().name, column}], cell_text(*r));
  }
  return m;
}

std::string cell_of(const matrix& m, const std::string& property, const std::string& column) {
  const auto at = m.cells.find({property, column});
  if (at == m.cells.end()) return "-";
  std::string text;
  for (const std::string& part : at->second) text += (text.empty() ? "" : "\n") + part;
  return text;
}

std::size_t width_of(const matrix& m, const std::string& column) {
  std::vector<std::vector<std::string>> one = {{column}};
  for (const std::string& p : m.properties) one.push_back({cell_of(m, p, column)});
  const std::string text = align(one);
  std::size_t widest = 0, start = 0;
  for (std::size_t end; (end = text.find('\n', start)) != std::string::npos; start = end + 1)
    widest = std::max(widest, end - start);
  return widest + 2;
}

std::string matrix_text(const matrix& m) {
  std::size_t names = 0;
  for (const std::string& p : m.properties) names = std::max(names, p.size() + 4);
  std::string out;
  for (std::size_t first = 0; first < m.columns.size();) {
    std::size_t last = first, used = names;
    while (last < m.columns.size() && (last == first || used + width_of(m, m.columns[last]) <= page_columns))
      used += width_of(m, m.columns[last++]);
    std::vector<std::vector<std::string>> rows(1, {"property"});
    for (std::size_t c = first; c < last; ++c) rows[0].push_back(m.columns[c]);
    for (const std::string& p : m.properties) {
      std::vector<std::string> line{p};
      for (std::size_t c = first; c < last; ++c) line.push_back(cell_of(m, p, m.columns[c]));
      const bool asked = std::any_of(line.begin() + 1, line.end(), [](const std::string& cell) { return cell != "-"; });
      if (asked) rows.push_back(std::move(line));
    }
    out += (first ? "\n" : "") + align(rows, "  ");
    first = last;
  }
  return out;
}

std::string one_line(std::string head) {
  std::replace(head.begin(), head.end(), '\n', ' ');
  return head;
}

std::string extent(const answer& a, const verdict* v = nullptr) {
  if (v && !v->method.empty()) return v->method;
  const std::string orbits = a.group_order > 1 ? fmt::format(" up to symmetry, group of {}", a.group_order) : "";
  std::string how;
  if (a.reduced.partial_order) how += ", partial order";
  if (a.reduced.merge) how += ", steps merged";
  return fmt::format("{}exhaustive, {} states{}{}", a.complete ? "" : "not ", a.states, orbits, how);
}

std::string explorations_text(const std::vector<const row*>& rows) {
  std::vector<const answer*> seen;
  std::vector<std::vector<std::string>> table;
  for (const row* r : rows) {
    if (std::find(seen.begin(), seen.end(), r->answered) != seen.end()) continue;
    seen.push_back(r->answered);
    const std::string how = extent(*r->answered, &r->result());
    std::string notes;
    for (const std::string& o : r->answered->obstacles)
      if (how.find(o) == std::string::npos) notes += (notes.empty() ? "" : "; ") + o;
    table.push_back({one_line(column_head(r->check->asked())), scope_text(r->answered->scope), how, notes});
  }
  return align(table, "  ");
}

std::string status_text(const ast::property& p) {
  std::string text;
  if (p.status == ast::property_status::required)
    text = "required" + (p.status_text.empty() ? "" : " since " + p.status_text);
  if (p.status == ast::property_status::proposed) text = "proposed" + (p.status_text.empty() ? "" : " by " + p.status_text);
  for (const std::string& rule : p.rules) text += (text.empty() ? "rule " : ", rule ") + rule;
  return text;
}

bool says_why(const verdict& v) {
  return v.kind == verdict_kind::unknown || (v.kind == verdict_kind::vacuous && !v.reason.empty());
}

// "VIOLATED for dev=2 net=1 (not exhaustive, 12 states)"
std::string verdict_sentence(const row& r) {
  const verdict& v = r.result();
  const std::string scope = scope_text(r.answered->scope);
  std::string text = name(v.kind) + (scope.empty() ? "" : " for " + scope);
  if (says_why(v)) text += fmt::format(": {}", v.reason);
  const bool ended = v.kind == verdict_kind::violated || v.kind == verdict_kind::deadlock;
  if (ended && v.counterexample && !v.counterexample->ending.empty()) text += fmt::format(": {}", v.counterexample->ending);
  return text + fmt::format(" ({})", extent(*r.answered, &v));
}

std::string claim_sentence(const row& r) {
  if (!r.claim) return "";
  const ast::claim& c = r.claim->claim;
  std::string text = fmt::format("claim {}: expected {}", c.name, name(c.expect));
  text += r.as_expected() ? ", as it is\n" : ", but it is not so\n";
  if (!c.because.empty()) text += "  because " + c.because + "\n";
  return text;
}

std::string fix_sentence(const row& r) {
  if (!r.fix) return "";
  std::string text;
  if (const auto& n = r.fix->kept_by) {
    text = fmt::format("nearest version that keeps it: {} ({})", name_of(*n), changes_of(*n));
    text += n->claim ? fmt::format(", claim {}\n", n->claim->claim.name) : ", checked in this scope\n";
  } else {
    text = "no version of this model is known to keep it in this scope\n";
  }
  for (const std::string& name : r.fix->undecided) text += fmt::format("  not decided: {}\n", name);
  return text;
}

std::string run_text_of(const row& r, const language::source_set* sources) {
  const run_text& run = *r.result().counterexample;
  std::string out = "\n";
  if (!r.compared) {
    out += trace_table(run);
  } else {
    const question& other = r.compared->check.asked();
    out += side_by_side(run, r.compared->run, one_line(column_head(r.check->asked())), one_line(column_head(other)));
  }
  out += "\n" + last_step_place(run, sources);
  if (run.loop_from) out += "no run with fewer steps comes to such a loop\n";
  return run.shortest ? out : out + "this run is not minimal\n";
}

std::string compared_sentence(const row& r) {
  if (!r.compared) return "";
  const answer& a = r.compared->answered;
  const verdict& v = a.verdicts[0];
  std::string text = one_line(column_head(r.compared->check.asked())) + ": " + name(v.kind);
  if (says_why(v)) text += ": " + v.reason;
  return fmt::format("{} ({})\n\n{}\n", text, extent(a), paste_line(r.compared->check.asked(), a, v));
}

std::string detail(const row& r, const language::source_set* sources) {
  const verdict& v = r.result();
  const question& q = r.check->asked();
  std::string out = fmt::format("{} {}: {}", q.model->loaded.model.name, one_line(column_head(q)), v.property);
  if (!r.asked().sentence.empty()) out += fmt::format(" \"{}\"", r.asked().sentence);
  out += "\n";
  if (const std::string status = status_text(r.asked()); !status.empty()) out += "  " + status + "\n";
  out += claim_sentence(r) + verdict_sentence(r) + "\n";
  if (!r.answered->symmetry_note.empty()) out += "  symmetry: " + r.answered->symmetry_note + "\n";
  if (v.counterexample) out += run_text_of(r, sources);
  out += fix_sentence(r) + compared_sentence(r);
  return out + "\n" + paste_line(q, *r.answered, v) + "\n";
}

std::vector<std::vector<const row*>> by_model(const results& all) {
  std::vector<std::vector<const row*>> models;
  for (const row& r : all.rows) {
    const auto same = [&](const auto& rows) { return rows[0]->check->asked().model == r.check->asked().model; };
    auto at = std::find_if(models.begin(), models.end(), same);
    if (at == models.end()) at = models.insert(models.end(), std::vector<const row*>());
    at->push_back(&r);
  }
  return models;
}

std::string summary(const results& all) {
  const std::string hash = combined_hash(all).substr(0, 12);
  if (all.claims) {
    const auto as_expected = std::count_if(all.rows.begin(), all.rows.end(), [](const row& r) { return r.as_expected(); });
    return fmt::format("quiesce: {} claims, {} as expected, {} not {}\n", all.rows.size(), as_expected,
                       all.rows.size() - static_cast<std::size_t>(as_expected), hash);
  }
  std::map<verdict_kind, std::size_t> counts;
  for (const row& r : all.rows) ++counts[r.result().kind];
  std::string text = fmt::format("quiesce: {} properties", all.rows.size());
  for (const auto& [kind, count] : counts) text += fmt::format(", {} {}", count, name(kind));
  return text + " " + hash + "\n";
}

}  // namespace

std::string write_text(const results& all) {
  std::string out = fmt::format("quiesce {}\n\n", all.version);
  if (all.rows.size() == 1) return out + detail(all.rows[0], all.sources);
  for (const auto& rows : by_model(all)) {
    const ast::model& model = rows[0]->check->asked().model->loaded.model;
    out += model.sentence.empty() ? model.name + "\n" : fmt::format("{}: {}\n", model.name, model.sentence);
    out += "\n" + matrix_text(matrix_of(rows)) + "\n  explored:\n" + explorations_text(rows) + "\n";
  }
  const bool met = std::all_of(all.rows.begin(), all.rows.end(), [](const row& r) { return r.as_expected(); });
  out +=
      "  A number is the length of the shortest run that breaks the rule, of `leads to` its loop included; - was not asked";
  out += met ? ".\n\n" : "; (!) is not as expected.\n\n";
  for (const row& r : all.rows) {
    const bool broken = r.result().kind != verdict_kind::holds;
    if (all.claims ? !r.as_expected() : broken) out += detail(r, all.sources) + "\n";
  }
  return out + summary(all);
}

}  // namespace quiesce::report
