// SPDX-License-Identifier: MIT
#include "conformance/observe_rules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "conformance/observe_evidence.hpp"

namespace quiesce::observe {
namespace {

constexpr std::size_t forget_at = 64;  // or a quarter of what is remembered: it is gone through
constexpr std::int64_t unknown_net = -1;

bool about_order(const std::string& event) {
  return event.starts_with("NETDEV_") || event == "close" || event == "rollback" || event == "rebroadcast" ||
         event == "replay";
}

}  // namespace

std::int64_t rule_monitor::numbering::number(std::int64_t identity) {
  const auto [entry, inserted] = numbers.try_emplace(identity, 0);
  if (!inserted) return entry->second;
  if (free.empty()) {
    entry->second = static_cast<std::int64_t>(identities.size());
    identities.push_back(identity);
  } else {
    entry->second = free.back();
    free.pop_back();
    identities[static_cast<std::size_t>(entry->second)] = identity;
  }
  return entry->second;
}

rule_monitor::rule_monitor(catalogue& inputs, name_of_device device, name_of_net net)
    : inputs_(inputs), device_text_(std::move(device)), net_text_(std::move(net)) {
  numbers_.fill(-1);
}

void rule_monitor::start() {
  std::optional<source_view> source;
  if (by_ && by_->fixed_coverage()) source = view_of(*by_, parse_version(summary_->kernel));
  for (const property_entry& entry : inputs_.properties()) {
    const ast::property& p = entry.property;
    if (p.on_model || p.kind == ast::property_kind::invariant || p.kind == ast::property_kind::no_error) continue;
    if (source) {
      const decidability can = decidable(p, inputs_.vocabulary(), *source);
      if (!can.holds && !can.violation) continue;
      undecided_if_violated_.push_back(!can.violation);
    }
    judged_.push_back(&p);
  }
  set_ = monitors::compile(inputs_.vocabulary(), judged_);
  monitors::stream_options options;
  options.first_only = true;
  options.print = [this](const std::string& sort, std::int64_t number) { return print(sort, number); };
  monitor_.emplace(set_, std::move(options));
  violations_.resize(judged_.size());
  for (std::size_t k = 0; k < seen_kinds; ++k)
    for (std::size_t e = 0; e < set_.events.size(); ++e)
      if (set_.events[e].name == name_of(static_cast<seen>(k))) numbers_[k] = static_cast<int>(e);
}

std::string rule_monitor::print(const std::string& sort, std::int64_t number) const {
  const numbering& of = sort == "net" ? nets_ : devices_;
  const std::int64_t identity = number >= 0 && number < static_cast<std::int64_t>(of.identities.size())
                                    ? of.identities[static_cast<std::size_t>(number)]
                                    : -1;
  if (sort == "net") return identity == unknown_net ? "?" : net_text_(identity);
  return device_text_(identity);
}

// A device that goes down was up, whenever that happened.
void rule_monitor::learn_up(const observed_event& e) {
  if (e.dev < 0) return;
  const bool known = up_.count(e.dev) > 0;
  const bool leaves = e.kind == seen::NETDEV_UNREGISTER || e.kind == seen::NETDEV_PRE_UNINIT;  // and came up again unseen
  const auto set = [&](bool up) {
    if (up && (!known || (leaves && !up_[e.dev])) && numbers_[static_cast<std::size_t>(seen::NETDEV_UP)] >= 0) {
      observed_event before = e;
      before.kind = seen::NETDEV_UP;
      push(before, {devices_.number(e.dev), nets_.number(e.net < 0 ? unknown_net : e.net)});
    }
    up_[e.dev] = up;
  };
  if (e.kind == seen::NETDEV_GOING_DOWN || e.up == 1) set(true);
  if (e.up == 0 && !known) set(false);
  if (e.kind == seen::NETDEV_UNREGISTER && !known && e.up < 0) up_unknown_ = true;
  if (e.kind == seen::NETDEV_REGISTER || e.kind == seen::NETDEV_DOWN) up_[e.dev] = false;
  if (e.kind == seen::NETDEV_UP) up_[e.dev] = true;
}

void rule_monitor::event(const observed_event& e) {
  if (!monitor_) start();
  const std::size_t kind = static_cast<std::size_t>(e.kind);
  ++count_[kind];
  inferred_[kind] = inferred_[kind] || e.inferred;
  learn_up(e);
  if (numbers_[kind] < 0) return;
  const std::int64_t net = e.net < 0 ? unknown_net : e.net;
  args_.clear();
  switch (shape_of(e.kind)) {
    case shape::nothing:
      break;
    case shape::dev:
      args_.emplace_back(devices_.number(e.dev));
      break;
    case shape::net:
      args_.emplace_back(nets_.number(net));
      break;
    case shape::dev_net:
      args_.emplace_back(devices_.number(e.dev));
      args_.emplace_back(nets_.number(net));
      break;
    case shape::net_dev:
      args_.emplace_back(nets_.number(net));
      args_.emplace_back(devices_.number(e.dev));
      break;
    case shape::devs: {
      std::vector<std::int64_t> members;
      for (std::int64_t m : e.members) members.push_back(devices_.number(m));
      std::sort(members.begin(), members.end());
      args_.emplace_back(std::move(members));
    }
  }
  push(e, args_);
}

void rule_monitor::push(const observed_event& e, const std::vector<monitors::argument>& args) {
  const auto found = monitor_->push(e.task, static_cast<std::uint32_t>(numbers_[static_cast<std::size_t>(e.kind)]), args);
  for (const monitors::violation& v : found) {
    first_violation& first = violations_[v.property];
    if (first.count++ > 0) continue;
    if (v.property < undecided_if_violated_.size() && undecided_if_violated_[v.property]) monitor_->retire(v.property);
    first.line = e.line;
    first.text = v.text;
  }
}

void rule_monitor::gone(std::int64_t dev) {
  up_.erase(dev);
  departed_.emplace_back(true, dev);
  if (departed_.size() >= std::max(forget_at, devices_.numbers.size() / 4)) forget_some();
}

void rule_monitor::gone_net(std::int64_t net) {
  departed_.emplace_back(false, net);
  if (departed_.size() >= std::max(forget_at, devices_.numbers.size() / 4)) forget_some();
}

// Takes everything that is remembered about identities that are gone out of the monitors' state, so that their numbers are
// free.
void rule_monitor::forget_some() {
  if (!monitor_) return departed_.clear();
  std::vector<bool> no_device(devices_.identities.size()), no_net(nets_.identities.size());
  for (const auto& [device, identity] : departed_) {
    numbering& of = device ? devices_ : nets_;
    const auto known = of.numbers.find(identity);
    if (known == of.numbers.end()) continue;
    (device ? no_device : no_net)[static_cast<std::size_t>(known->second)] = true;
    of.free.push_back(known->second);
    of.numbers.erase(known);
  }
  departed_.clear();
  monitor_->forget({{"dev", no_device}, {"net", no_net}});
}

// A variable of a kind of span of which there was none.
bool rule_monitor::never_began(const ast::binder& b) const {
  if (b.type.empty()) return false;
  const std::vector<ast::span_decl>& spans = inputs_.vocabulary().spans;
  const std::string& type = b.type.front().text;
  if (std::none_of(spans.begin(), spans.end(), [&](const ast::span_decl& s) { return s.name == type; })) return false;
  for (std::size_t k = 0; k < seen_kinds; ++k)
    if (name_of(static_cast<seen>(k)) == type + "_begin") return count_[k] == 0;
  return true;
}

// Empty: something in the recording could have broken it.
std::string rule_monitor::vacuous(const ast::property& p, std::uint64_t triggered) const {
  for (const ast::binder& b : p.binders)
    if (never_began(b)) return fmt::format("no {}", b.type.front().text);
  return why_vacuous(p, triggered, [&](const std::string& event) {
    for (std::size_t k = 0; k < seen_kinds; ++k)
      if (name_of(static_cast<seen>(k)) == event) return count_[k];
    return std::uint64_t{0};
  });
}

rule_result rule_monitor::judge(std::size_t monitor, const ast::property& p, const source_view& source,
                                const source_summary& summary) const {
  rule_result out;
  const first_violation& first = violations_[monitor];
  const monitors::outcome outcome = monitor_->finish()[monitor];
  out.triggered = outcome.matched;
  out.violations = first.count;
  out.line = first.line;
  out.text = first.text;
  decidability can = decidable(p, inputs_.vocabulary(), source);
  const auto spoil = [&](const std::string& text) {
    can.holds = can.violation = false;
    can.reason = text;
  };
  if (can.holds && up_unknown_ && reads_ghost(p, "is_up")) {
    can.holds = false;
    can.reason = "whether devices that were not seen going down were up is not shown";
  }
  const std::vector<std::string> events = mentioned(p, inputs_.vocabulary());
  const bool order = std::any_of(events.begin(), events.end(), about_order);
  const auto doubted = [&](doubt d) { return summary.doubted[static_cast<std::size_t>(d)]; };
  if (can.holds || can.violation) {
    if (doubted(doubt::unread_line)) spoil("lines could not be read");
    if (doubted(doubt::lost_records)) spoil("records are lost");
    if (doubted(doubt::unmatched)) spoil("records are missing, or there twice");
    if (doubted(doubt::time_back)) spoil("time goes back");
    if (doubted(doubt::contradiction)) spoil("a record says what no kernel does");
    if (doubted(doubt::too_many)) spoil("more was open at once than is kept");
    if (order && doubted(doubt::began_inside)) spoil("the source begins inside a batch");
    if (order && doubted(doubt::foreign_task)) spoil("another task's records stand inside a batch");
    if (order && doubted(doubt::unexpected_size)) spoil("which notifications are whose is not certain");
  }
  for (std::size_t k = 0; k < seen_kinds; ++k)
    if (inferred_[k]) {
      const std::string_view name = name_of(static_cast<seen>(k));
      const std::string base(name.substr(0, name.ends_with("_begin") ? name.size() - 6 : name.size()));
      out.inferred = out.inferred || std::find(events.begin(), events.end(), std::string(name)) != events.end() ||
                     std::find(events.begin(), events.end(), base) != events.end();
    }
  out.reason = can.reason;
  const bool decided = first.count > 0 ? can.violation : can.holds;
  if (!decided)
    out.answer = summary.doubted == std::array<bool, doubts>{} ? rule_answer::undecidable : rule_answer::unknown;
  else if (first.count > 0)
    out.answer = rule_answer::violated;
  else if (const std::string none = vacuous(p, out.triggered); !none.empty())
    out.answer = rule_answer::never_triggered, out.reason = "vacuous, nothing in the recording could break it: " + none;
  else
    out.answer = rule_answer::holds;
  return out;
}

source_view rule_monitor::view_of(const observer& by, kernel_version kernel) const {
  static const auto kind = [](const std::string& event) -> std::optional<seen> {
    for (std::size_t k = 0; k < seen_kinds; ++k)
      if (name_of(static_cast<seen>(k)) == event) return static_cast<seen>(k);
    return {};
  };
  source_view source;
  source.shows = [&by](const std::string& event) { return kind(event) && by.shows(*kind(event)); };
  source.why_not = [&by](const std::string& event) { return kind(event) ? by.why_not(*kind(event)) : "no source shows it"; };
  source.nets = by.shows_net();
  source.kernel = kernel;
  return source;
}

std::vector<rule_result> rule_monitor::results(const observer& by, const source_summary& summary, kernel_version kernel) {
  if (!monitor_) start();
  const source_view source = view_of(by, kernel);
  std::vector<rule_result> out;
  for (const property_entry& entry : inputs_.properties()) {
    const ast::property& p = entry.property;
    const auto judged = std::find(judged_.begin(), judged_.end(), &p);
    rule_result r;
    if (judged != judged_.end())
      r = judge(static_cast<std::size_t>(judged - judged_.begin()), p, source, summary);
    else
      r.reason = decidable(p, inputs_.vocabulary(), source).reason;
    r.property = &p;
    const std::string_view since = p.status_text;
    // Of a kernel that is not known: what every kernel since v4.4 promises.
    const kernel_version judged_as = kernel.known() ? kernel : kernel_version{4, 4};
    r.kernel_known = kernel.known();
    r.rule_of_kernel =
        p.status != ast::property_status::proposed && !(parse_version(since).known() && parse_version(since) > judged_as);
    out.push_back(std::move(r));
  }
  return out;
}

}  // namespace quiesce::observe
