// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include "conformance/observe_text.hpp"

namespace quiesce::observe {
namespace {

using nlohmann::ordered_json;

const char* kind_name(batch_kind k) {
  static constexpr const char* names[] = {"rollback", "close", "move", "link", "messages"};
  return names[static_cast<std::size_t>(k)];
}
const char* answer_name(rule_answer a) {
  static constexpr const char* names[] = {"holds", "violated", "vacuous", "unknown", "undecidable"};
  return names[static_cast<std::size_t>(a)];
}
const char* verdict_name(model_answer::verdict v) {
  static constexpr const char* names[] = {"run", "not_a_run", "unknown", "not_compared"};
  return names[static_cast<std::size_t>(v)];
}

std::string name_in(const batch& b, std::int64_t id) {
  const auto found = b.names.find(id);
  return found == b.names.end() ? "?" : found->second;
}

ordered_json remarks(const std::vector<remark>& all) {
  ordered_json out = ordered_json::array();
  for (const remark& r : all) out.push_back({{"line", r.line}, {"text", r.text}});
  return out;
}

ordered_json batch_json(const batch& b) {
  ordered_json out{{"kind", kind_name(b.kind)}, {"task", b.task_name},        {"inferred", b.inferred},
                   {"ended", b.ended},          {"first_line", b.first_line}, {"last_line", b.last_line}};
  out["devices"] = ordered_json::array();
  for (const batch_device& d : b.devices) {
    ordered_json device{{"name", d.name}};
    device["net"] = d.net.empty() ? ordered_json() : ordered_json(d.net);
    if (!d.new_net.empty()) device["new_net"] = d.new_net;
    out["devices"].push_back(std::move(device));
  }
  out["order"] = ordered_json::array();
  for (const batch_turn& t : b.turns) {
    if (t.inside) {
      out["order"].push_back({{"inside", batch_json(*t.inside)}});
      continue;
    }
    ordered_json turn;
    turn["device"] = t.dev < 0 ? ordered_json() : ordered_json(name_in(b, t.dev));
    turn["steps"] = t.steps;
    out["order"].push_back(std::move(turn));
  }
  out["counts"] = ordered_json::object();
  for (const auto& [kind, n] : b.counts) out["counts"][std::string(name_of(kind))] = n;
  out["grace_periods"] = b.grace_periods;
  out["rcu_barriers"] = b.barriers;
  out["todo"] = {{"rcu_barriers", b.todo_barriers}, {"freed", ordered_json::array()}};
  for (std::int64_t d : b.freed) out["todo"]["freed"].push_back(name_in(b, d));
  out["rebroadcasts"] = ordered_json::array();
  for (const auto& r : b.rebroadcasts) out["rebroadcasts"].push_back({{"device", name_in(b, r.dev)}, {"line", r.line}});
  if (b.rtnl_released >= 0 && b.first_time >= 0)
    out["rtnl_ns"] = {{"time", b.rtnl_released - (b.rtnl_taken >= 0 ? b.rtnl_taken : b.first_time)},
                      {"at_least", b.rtnl_taken < 0}};
  return out;
}

ordered_json source_json(const source_summary& s) {
  ordered_json out{{"format", s.format}, {"lines", s.lines}, {"records", s.records}, {"events", s.events},
                   {"lost", s.lost},     {"loss", s.loss},   {"cut", s.cut},         {"unexplained", s.unexplained}};
  out["unexplained_lines"] = remarks(s.unexplained_lines);
  out["remarks"] = remarks(s.remarks);
  out["labels"] = s.labels;
  out["other_records"] = ordered_json::object();
  for (const auto& [name, n] : s.others) out["other_records"][name] = n;
  out["waits"] = ordered_json::array();
  for (const wait_report& w : s.waits) {
    ordered_json wait{{"line", w.line}, {"device", w.device}, {"usage_count", w.count}, {"holders", ordered_json::array()}};
    for (const auto& h : w.holders) wait["holders"].push_back({{"what", h.what}, {"stack", h.stack}});
    out["waits"].push_back(std::move(wait));
  }
  return out;
}

ordered_json rule_json(const rule_result& r) {
  ordered_json out{{"name", r.property->name}, {"rule_of_this_kernel", r.rule_of_kernel}, {"answer", answer_name(r.answer)}};
  out["inferred"] = r.inferred;
  // Of what is not decided the counts say nothing: it may not have been judged to the end.
  if (r.answer != rule_answer::undecidable && r.answer != rule_answer::unknown) {
    out["triggered"] = r.triggered;
    out["violations"] = r.violations;
    if (r.violations) out["first"] = {{"line", r.line}, {"text", r.text}};
  }
  if (!r.reason.empty()) out["reason"] = r.reason;
  return out;
}

ordered_json report_json(const trace_report& r) {
  ordered_json out{{"file", r.path}};
  out["kernel"] = r.kernel.empty() ? ordered_json() : ordered_json(r.kernel);
  out["source"] = source_json(r.source);
  out["batches"] = ordered_json::array();
  for (const batch& b : r.batches) out["batches"].push_back(batch_json(b));
  out["more_batches"] = r.more_batches;
  out["rules"] = ordered_json::array();
  for (const rule_result& rule : r.rules) out["rules"].push_back(rule_json(rule));
  out["model"] = {{"verdict", verdict_name(r.model.is)}, {"model", r.model.model}, {"events", r.model.events}};
  if (!r.model.reason.empty()) out["model"]["reason"] = r.model.reason;
  out["model"]["not_compared"] = ordered_json::array();
  for (const auto& one : r.model.not_compared)
    out["model"]["not_compared"].push_back({{"why", one.why}, {"what", one.what}});
  if (r.model.is == model_answer::verdict::not_a_run) {
    out["model"]["line"] = r.model.line;
    out["model"]["explanation"] = r.model.explanation;
  }
  return out;
}

}  // namespace

std::string json_of(const std::vector<trace_report>& reports) {
  ordered_json out{{"traces", ordered_json::array()}};
  for (const trace_report& r : reports) out["traces"].push_back(report_json(r));
  return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace quiesce::observe
