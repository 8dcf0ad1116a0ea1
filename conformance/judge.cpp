// SPDX-License-Identifier: MIT
#include "conformance/judge.hpp"

#include <algorithm>
#include <stdexcept>

namespace quiesce::conformance {

using refimpl::event_kind;

rule_book::rule_book(catalogue& inputs) : known_(inputs) {
  std::vector<const ast::property*> all;
  for (const property_entry& p : inputs.properties())
    if (p.origin == property_origin::shipped) all.push_back(&p.property);
  set_ = monitors::compile(inputs.vocabulary(), all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool endless = all[i]->kind == ast::property_kind::leads_to;
    entries_.push_back({all[i], !set_.monitors[i].checks.empty() && !endless, {}, {}});
    if (endless) entries_.back().undecidable = "about runs without end";
    numbers_[all[i]->name] = i;
  }
  for (const probe_entry& p : probe_table()) entries_[number(p.property)].probe = p.how;
  for (const undecidable_property& u : undecidable_properties()) entries_[number(u.property)].undecidable = u.why;
  bind_events();
}

std::size_t rule_book::number(std::string_view property) const {
  const auto found = numbers_.find(property);
  if (found == numbers_.end()) throw std::logic_error("no property ships that is named " + std::string(property));
  return found->second;
}

void rule_book::bind_events() {
  codes_.resize(refimpl::event_kinds);
  for (std::size_t k = 0; k < refimpl::event_kinds; ++k) {
    const std::string name(refimpl::name(static_cast<event_kind>(k)));
    const auto found = std::find_if(set_.events.begin(), set_.events.end(), [&](const auto& e) { return e.name == name; });
    if (found == set_.events.end()) continue;
    codes_[k].number = static_cast<int>(found - set_.events.begin());
    for (const monitors::value_type& t : found->params) {
      const bool optional = t.kind == monitors::value_kind::option;
      const std::string& sort = optional ? t.inner.front().sort : t.sort;
      codes_[k].arguments.push_back(t.kind == monitors::value_kind::set ? 's' : optional ? 'o' : sort[0]);
    }
  }
}

namespace {
constexpr std::int64_t none = -1;  // the number of no device
monitors::stream_options options() {
  monitors::stream_options o;
  o.named["init_net"] = 0;
  return o;
}
}  // namespace

judge::judge(const rule_book& rules)
    : rules_(rules), monitor_(rules.monitors(), options()), broken_(rules.entries().size(), false) {
  reset();
}

void judge::learn_loopback(std::int64_t net, std::int64_t dev) {
  monitor_.set_constructed("lo", net, dev);
  loopbacks_.push_back(net);
}

void judge::reset() {
  monitor_.reset();
  for (std::int64_t net : loopbacks_) monitor_.set_constructed("lo", net, none);
  loopbacks_.clear();
  learn_loopback(0, 0);  // registered with the stack, before anybody listens
  broken_.assign(broken_.size(), false);
  breaches_.clear();
  openings_.clear();
  listed_ = {0};  // as above
  probes_.reset();
  seen_ = 0;
}

void judge::add(std::size_t property, std::string text) {
  if (broken_[property]) return;
  broken_[property] = true;
  breaches_.push_back({rules_.entries()[property].property->name, seen_ == 0 ? 0 : seen_ - 1, std::move(text)});
}

void judge::add_probed() {
  for (probe_breach& b : probed_) add(rules_.number(b.property), std::move(b.text));
  probed_.clear();
}

void judge::stopped(const refimpl::stop_report& report) {
  probes::stopped(report, probed_);
  add_probed();
}

void judge::at_rest(refimpl::stack& on) {
  refimpl::event e;
  e.kind = event_kind::rtnl_unlock;
  probes_.push(e, on, probed_);
  add_probed();
}

namespace {
bool is_loopback(refimpl::stack& on, std::int32_t id) {
  for (const refimpl::net_device* dev : on.devices())
    if (dev->id == id) return (dev->flags.load() & refimpl::IFF_LOOPBACK) != 0;
  return false;
}
}  // namespace

void judge::push(const refimpl::event& e, refimpl::stack* on) {
  ++seen_;
  if (on != nullptr && e.kind == event_kind::list_netdevice && is_loopback(*on, e.dev)) learn_loopback(e.net, e.dev);
  judge_event(e);
  if (on == nullptr) return;
  probes_.push(e, *on, probed_);
  add_probed();
}

void judge::judge_event(const refimpl::event& e) {
  if (e.kind == event_kind::span_member) {
    const auto at =
        std::find_if(openings_.begin(), openings_.end(), [&](const opening& o) { return o.begin.task == e.task; });
    if (at == openings_.end()) return;
    at->members.push_back(e.dev);
    if (at->members.size() < static_cast<std::size_t>(at->begin.value)) return;
    const opening whole = std::move(*at);
    openings_.erase(at);
    return deliver(whole.begin, whole.members);
  }
  if (e.kind == event_kind::list_netdevice) listed_.insert(e.dev);
  if (e.kind == event_kind::free_netdev && listed_.count(e.dev) == 0) return;
  if (rules_.code(e.kind).number < 0) return;
  const bool begins = e.kind == event_kind::close_begin || e.kind == event_kind::rollback_begin;
  if (begins && e.value > 0) {
    openings_.push_back({e, {}});
    return;
  }
  deliver(e, {});
}

void judge::deliver(const refimpl::event& e, const std::vector<std::int64_t>& members) {
  const rule_book::event_code& code = rules_.code(e.kind);
  arguments_.clear();
  for (const char c : code.arguments) switch (c) {
      case 's':
        arguments_.emplace_back(members);
        break;
      case 'o':
        arguments_.push_back(e.dev == refimpl::no_id ? monitors::none_argument() : monitors::some_argument(e.dev));
        break;
      case 'd':
        if (e.dev == refimpl::no_id) return;  // without a device it is not this event
        arguments_.emplace_back(e.dev);
        break;
      case 'n':
        if (e.net == refimpl::no_id) return;
        arguments_.emplace_back(e.net);
        break;
      default:
        arguments_.emplace_back(static_cast<std::int64_t>(e.task));
    }
  for (const monitors::violation& v : monitor_.push(e.task, static_cast<std::uint32_t>(code.number), arguments_))
    add(v.property, v.text);
}

std::vector<std::uint64_t> judge::matched() const {
  std::vector<std::uint64_t> counts;
  for (const monitors::outcome& o : monitor_.finish()) counts.push_back(o.matched);
  return counts;
}

}  // namespace quiesce::conformance
