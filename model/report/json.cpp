// SPDX-License-Identifier: MIT
// Results for programs. The schema: `quiesce` is the version, `results` one object for each property checked.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/report/report.hpp"
#include "model/report/trace_file.hpp"

namespace quiesce::report {
namespace {

using nlohmann::json;

json scope_json(const scope_description& scope) {
  json out = {{"sizes", json::object()}, {"bounds", json::object()}, {"options", json::object()}};
  for (const auto& [name, value] : scope.sizes) out["sizes"][name] = value;
  for (const auto& [name, value] : scope.bounds) out["bounds"][name] = value;
  for (const auto& [name, value] : scope.options) out["options"][name] = value;
  out["time"] = scope.urgent ? "urgent" : "free";
  if (scope.urgent) out["horizon"] = scope.horizon;
  return out;
}

json property_json(const ast::property& p) {
  json out = {{"name", p.name}, {"sentence", p.sentence}, {"rules", p.rules}};
  if (p.status == ast::property_status::required) out["status"] = {{"kind", "required"}, {"since", p.status_text}};
  if (p.status == ast::property_status::proposed) out["status"] = {{"kind", "proposed"}, {"by", p.status_text}};
  if (p.proof.mark) out["evidence"] = {{"mark", std::string(1, p.proof.mark)}, {"text", p.proof.text}};
  return out;
}

json claim_json(const row& r) {
  const ast::claim& c = r.claim->claim;
  json out = {{"name", c.name}, {"sentence", c.sentence}, {"expected", name(c.expect)}, {"as_expected", r.as_expected()}};
  if (c.proof.mark) out["evidence"] = {{"mark", std::string(1, c.proof.mark)}, {"text", c.proof.text}};
  if (!c.bugs.empty()) out["bugs"] = c.bugs;
  if (!c.because.empty()) out["because"] = c.because;
  return out;
}

json neighbour_json(const neighbour& n) {
  json out = {{"variant", n.variant}, {"options", n.options}, {"changed", json::object()}};
  for (const auto& [option, value] : n.changed) out["changed"][option] = value;
  if (n.claim) out["claim"] = n.claim->claim.name;
  return out;
}

std::string lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

json compared_json(const second_look& other) {
  const verdict& v = other.answered.verdicts[0];
  run_text taken;
  for (const followed_step& s : other.run.steps)
    if (s.taken) taken.steps.push_back(s.words);
  return {{"variant", other.check.asked().settings.variant},
          {"verdict", lower_case(name(v.kind))},
          {"first_difference", other.run.first_difference},
          {"steps", steps_json(taken)},
          {"hash", v.hash}};
}

json row_json(const row& r) {
  const verdict& v = r.result();
  const question& q = r.check->asked();
  const answer& a = *r.answered;
  json out = {{"model", q.model->loaded.model.name},
              {"variant", q.settings.variant},
              {"environment", q.settings.environment},
              {"property", property_json(r.asked())},
              {"verdict", lower_case(name(v.kind))},
              {"scope", scope_json(a.scope)},
              {"exhaustive", a.complete},
              {"states", a.states},
              {"symmetry_group", a.group_order},
              {"reductions", name(a.reduced)},
              {"transitions", a.transitions},
              {"depth", a.depth},
              {"obstacles", a.obstacles},
              {"hash", v.hash}};
  if (!v.method.empty()) out["method"] = v.method;
  if (a.states_again) out["states_searched_again"] = a.states_again;
  if (!a.symmetry_note.empty()) out["symmetry_note"] = a.symmetry_note;
  if (v.kind == verdict_kind::unknown) out["reason"] = v.reason;
  if (r.claim) out["claim"] = claim_json(r);
  if (r.fix) out["kept_by"] = r.fix->kept_by ? neighbour_json(*r.fix->kept_by) : json();
  if (r.compared) out["compared"] = compared_json(*r.compared);
  if (!v.counterexample) return out;
  out["run"] = {{"steps", steps_json(*v.counterexample)},
                {"length", v.counterexample->length()},
                {"shortest", v.counterexample->shortest},
                {"ending", v.counterexample->ending}};
  if (v.counterexample->loop_from) out["run"]["loop_from"] = *v.counterexample->loop_from;
  return out;
}

}  // namespace

std::string write_json(const results& all) {
  json out = {{"quiesce", all.version}, {"results", json::array()}, {"hash", combined_hash(all)}};
  for (const row& r : all.rows) out["results"].push_back(row_json(r));
  if (all.claims) {
    const auto met = std::count_if(all.rows.begin(), all.rows.end(), [](const row& r) { return r.as_expected(); });
    out["as_expected"] = met;
    out["unexpected"] = all.rows.size() - static_cast<std::size_t>(met);
  }
  return out.dump(1) + "\n";
}

}  // namespace quiesce::report
