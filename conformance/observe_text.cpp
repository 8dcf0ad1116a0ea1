// SPDX-License-Identifier: MIT
#include "conformance/observe_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "conformance/observe_format_list.hpp"

namespace quiesce::observe {
namespace {

constexpr std::size_t names_shown = 8, remarks_shown = 20, others_shown = 40, line_width = 100;

std::string number_of(std::uint64_t n, std::string_view one) { return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s"); }

// Words wrapped behind an indent.
std::string wrapped(const std::vector<std::string>& words, const std::string& indent) {
  std::string out, line = indent;
  for (const std::string& w : words) {
    if (line.size() > indent.size() && line.size() + 1 + w.size() > line_width) {
      out += line + "\n";
      line = indent;
    }
    line += (line.size() > indent.size() ? " " : "") + w;
  }
  return out + line + "\n";
}

std::string names(const batch& b, const std::vector<std::int64_t>& ids) {
  std::string out;
  const auto name = [&](std::int64_t id) {
    const auto found = b.names.find(id);
    return found == b.names.end() ? std::string("?") : found->second;
  };
  if (ids.size() <= names_shown + 1) {
    for (std::int64_t id : ids) out += (out.empty() ? "" : " ") + name(id);
    return out;
  }
  for (std::size_t i = 0; i < names_shown - 1; ++i) out += name(ids[i]) + " ";
  return fmt::format("{}... {} ({})", out, name(ids.back()), ids.size());
}

std::string milliseconds(std::int64_t from, std::int64_t to) {
  return fmt::format("{}.{:03} ms", (to - from) / 1'000'000, (to - from) / 1000 % 1000);
}

std::string order_text(const batch& b, const std::string& indent);

std::string kind_text(const batch& b) {
  const std::string devices = number_of(b.devices.size(), "device");
  switch (b.kind) {
    case batch_kind::rollback:
      return "rollback of " + devices;
    case batch_kind::close:
      return "close of " + devices;
    case batch_kind::move:
      return "move of " + devices;
    case batch_kind::messages:
      return "messages about " + devices;
    case batch_kind::link:
      break;
  }
  return "changes of " + devices;
}

std::string nets_text(const batch& b) {
  std::vector<std::string> nets;
  for (const batch_device& d : b.devices)
    if (!d.net.empty() && std::find(nets.begin(), nets.end(), d.net) == nets.end()) nets.push_back(d.net);
  if (nets.empty()) return b.devices.empty() ? "" : ", namespaces not shown";
  std::string out = nets.size() == 1 ? ", namespace" : ", namespaces";
  for (const std::string& n : nets) out += " " + n;
  for (const batch_device& d : b.devices)
    if (!d.new_net.empty()) return out + " to " + d.new_net;
  return out;
}

// "NETDEV_DOWN: d0 d1 d2": steps that are the same for devices in a row are one line.
std::string order_text(const batch& b, const std::string& indent) {
  std::string out;
  for (std::size_t i = 0; i < b.turns.size();) {
    const batch_turn& t = b.turns[i];
    if (t.inside) {
      out += fmt::format("{}inside: {}{}{}\n", indent, kind_text(*t.inside), nets_text(*t.inside),
                         t.inside->inferred ? " (inferred)" : "");
      out += order_text(*t.inside, indent + "  ");
      ++i;
      continue;
    }
    std::vector<std::int64_t> ids;
    std::size_t k = i;
    for (; k < b.turns.size() && !b.turns[k].inside && b.turns[k].steps == t.steps && (b.turns[k].dev < 0) == (t.dev < 0);
         ++k)
      if (b.turns[k].dev >= 0) ids.push_back(b.turns[k].dev);
    std::vector<std::string> words;
    for (const std::string_view& s : t.steps)
      words.push_back(std::string(s) + (&s == &t.steps.back() ? (ids.empty() ? "" : ":") : ","));
    if (!ids.empty()) words.push_back(names(b, ids));
    out += wrapped(words, indent);
    i = k;
  }
  return out;
}

using shown_kinds = std::array<bool, seen_kinds>;

// How often something happened that has a begin and an end, if both show.
std::string waits_text(std::uint64_t n, std::string_view what, seen begin, seen end, const shown_kinds& shown) {
  if (!shown[static_cast<std::size_t>(begin)] || !shown[static_cast<std::size_t>(end)])
    return fmt::format("{} not recorded", what);
  return what == "grace periods" ? number_of(n, "grace period") : fmt::format("{} {}", n, what);
}

std::string barriers_text(std::uint64_t n, const shown_kinds& shown) {
  return waits_text(n, "rcu_barrier", seen::rcu_barrier_begin, seen::rcu_barrier_end, shown);
}

std::string counts_text(const batch& b, const shown_kinds& shown) {
  std::string out =
      "  " + waits_text(b.grace_periods, "grace periods", seen::synchronize_net_begin, seen::synchronize_net_end, shown) +
      ", " + barriers_text(b.barriers, shown);
  for (seen k : {seen::fib_flush, seen::rt_cache_flush, seen::arp_ifdown, seen::neigh_flush})
    if (const auto n = b.counts.find(k); n != b.counts.end()) out += fmt::format(", {} {}", n->second, name_of(k));
  return out + "\n";
}

bool shows_counts(const batch& b) {
  return b.grace_periods + b.barriers > 0 || b.counts.count(seen::fib_flush) || b.counts.count(seen::rt_cache_flush);
}

std::string after_text(const batch& b, const shown_kinds& shown) {
  std::string out;
  for (const batch::rebroadcast& r : b.rebroadcasts) {
    out += fmt::format("  NETDEV_UNREGISTER again: {}, line {}", names(b, {r.dev}), r.line);
    out += r.time >= 0 && b.first_time >= 0 ? fmt::format(", {} after its first line\n", milliseconds(b.first_time, r.time))
                                            : "\n";
  }
  if (b.in_todo && (b.todo_barriers || !b.freed.empty()))
    out += fmt::format("  netdev_run_todo: {}{}{}\n", barriers_text(b.todo_barriers, shown),
                       b.freed.empty() ? "" : ", free_netdev: ", names(b, b.freed));
  if (b.rtnl_released >= 0 && b.first_time >= 0 && b.rtnl_taken >= 0)
    out += fmt::format("  RTNL held for {}\n", milliseconds(b.rtnl_taken, b.rtnl_released));
  else if (b.rtnl_released >= 0 && b.first_time >= 0)
    out += fmt::format("  RTNL held for at least {}: when it was taken is not shown\n",
                       milliseconds(b.first_time, b.rtnl_released));
  return out;
}

std::string batch_text(const batch& b, std::size_t number, const shown_kinds& shown) {
  std::string out = fmt::format("\nbatch {}: {}{}, by {}, lines {} to {}{}\n", number, kind_text(b), nets_text(b),
                                b.task_name, b.first_line, b.last_line, b.inferred ? ", inferred" : "");
  if (!b.ended) out += "  the recording ends inside it\n";
  out += order_text(b, "  ");
  if (shows_counts(b)) out += counts_text(b, shown);
  return out + after_text(b, shown);
}

std::string source_text(const trace_report& r) {
  const source_summary& s = r.source;
  std::string out =
      fmt::format("{}: {}, {}, {}, {}", r.path, s.format, number_of(s.lines, s.format == "rtnetlink" ? "message" : "line"),
                  number_of(s.records, "record"), number_of(s.events, "event"));
  out += fmt::format(", kernel {}\n", r.kernel.empty() ? "not known" : printable(r.kernel));
  if (s.loss)
    out += s.lost ? fmt::format("  lost: at least {}\n", number_of(s.lost, "record"))
                  : "  lost: records, their number is not known\n";
  for (std::size_t i = 0; i < s.remarks.size() && i < remarks_shown; ++i)
    out += fmt::format("  line {}: {}\n", s.remarks[i].line, printable(s.remarks[i].text, 400));
  if (s.unexplained) out += fmt::format("  unexplained: {}\n", number_of(s.unexplained, "line"));
  for (std::size_t i = 0; i < s.unexplained_lines.size() && i < remarks_shown; ++i)
    out += fmt::format("    line {}: {}\n", s.unexplained_lines[i].line, s.unexplained_lines[i].text);
  return out;
}

std::string waits_text(const source_summary& s) {
  std::string out;
  for (const wait_report& w : s.waits) {
    out += fmt::format("\nwait: line {}, {} does not become free, usage count {}\n", w.line, printable(w.device), w.count);
    for (const wait_report::holder& h : w.holders) {
      out += fmt::format("  {}\n", printable(h.what));
      for (const std::string& f : h.stack) out += fmt::format("    {}\n", printable(f));
    }
  }
  if (s.more_waits) out += fmt::format("and {} more\n", s.more_waits);
  return out;
}

// Handlers, functions and messages that have no part in what is judged.
std::string others_text(const source_summary& s) {
  if (s.others.empty()) return {};
  std::vector<std::string> each;
  for (const auto& [name, n] : s.others) each.push_back(fmt::format("{} {},", printable(name), n));
  const std::size_t more = each.size() > others_shown ? each.size() - others_shown : 0;
  each.resize(each.size() - more);
  each.back().pop_back();
  if (more > 0) each.push_back(fmt::format("and {} more names", more));
  return "\nrecords that show no event\n" + wrapped(each, "  ");
}

bool decided(const rule_result& r) { return r.answer == rule_answer::holds || r.answer == rule_answer::violated; }

std::string rule_text(const rule_result& r) {
  std::string out = fmt::format("  {}: {}", r.property->name, answer_text(r));
  if (r.answer == rule_answer::holds && r.triggered) out += fmt::format(", {}", number_of(r.triggered, "time"));
  if (r.inferred && decided(r)) out += " (inferred)";
  out += "\n";
  if (r.answer == rule_answer::violated)
    out += fmt::format("    line {}: {}\n", r.line, r.text) +
           (r.violations > 1 ? fmt::format("    and {} more\n", r.violations - 1) : "");
  return out;
}

std::string rules_text(const trace_report& r) {
  std::string out = "\nrules\n";
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;  // in order of appearance
  std::size_t of_models = 0;
  for (const rule_result& rule : r.rules) {
    if (decided(rule)) {
      out += rule_text(rule);
      continue;
    }
    if (rule.property->on_model || rule.property->kind == ast::property_kind::invariant) {
      ++of_models;
      continue;
    }
    const std::string why = (rule.answer == rule_answer::unknown ? "unknown: " : "") + rule.reason;
    auto known = std::find_if(reasons.begin(), reasons.end(), [&](const auto& entry) { return entry.first == why; });
    if (known == reasons.end()) known = reasons.insert(reasons.end(), {why, {}});
    known->second.push_back(rule.property->name);
  }
  out += "\nnot decided\n";
  for (const auto& [why, which] : reasons) out += wrapped({why + ":"}, "  ") + wrapped(which, "    ");
  out += fmt::format("  {} of a model's state, which no trace of events decides\n",
                     of_models == 1 ? "1 property" : fmt::format("{} properties", of_models));
  return out;
}

// Before the verdict: what it is not about.
std::string not_compared_text(const model_answer& m) {
  if (m.not_compared.empty()) return {};
  std::string out = "\nnot compared with the model\n";
  for (const auto& one : m.not_compared) out += wrapped({one.why + ":"}, "  ") + wrapped(one.what, "    ");
  return out;
}

std::string model_text(const model_answer& m) {
  switch (m.is) {
    case model_answer::verdict::a_run:
      return fmt::format("\nmodel: a run of {}: {} in {}\n", m.model, number_of(m.events, "event"),
                         m.batches == 1 ? "1 batch" : fmt::format("{} batches", m.batches));
    case model_answer::verdict::not_a_run:
      return fmt::format("\nmodel: NOT a run of {}: line {} is not explained\n{}", m.model, m.line, m.explanation);
    case model_answer::verdict::unknown:
      return fmt::format("\nmodel: unknown whether it is a run of {}: {}\n", m.model, m.reason);
    case model_answer::verdict::not_asked:
      return fmt::format("\nmodel: not compared: {}\n", m.reason);
  }
  return {};
}

}  // namespace

std::string answer_text(const rule_result& r) {
  const bool proposed = r.property->status == ast::property_status::proposed;
  std::string head;
  if (!r.rule_of_kernel) head = r.kernel_known || proposed ? "not a rule of this kernel; " : "not a rule of every kernel; ";
  switch (r.answer) {
    case rule_answer::holds:
      return head + "holds";
    case rule_answer::violated:
      return r.rule_of_kernel ? "VIOLATED" : head + "does not hold";
    case rule_answer::never_triggered:
      return head + "never triggered";
    case rule_answer::unknown:
      return "unknown";
    case rule_answer::undecidable:
      return "not decided";
  }
  return {};
}

std::string happened_text(const trace_report& r) {
  std::string out = source_text(r);
  for (std::size_t i = 0; i < r.batches.size(); ++i) out += batch_text(r.batches[i], i + 1, r.source.shown);
  if (r.more_batches) out += fmt::format("\nand {} more\n", r.more_batches);
  return out + waits_text(r.source);
}

std::string text_of(const trace_report& r) {
  return happened_text(r) + others_text(r.source) + rules_text(r) + not_compared_text(r.model) + model_text(r.model);
}

}  // namespace quiesce::observe
