// SPDX-License-Identifier: MIT
#include "conformance/endless.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <map>
#include <set>

#include <fmt/format.h>

#include "refimpl/net/fib.hpp"
#include "refimpl/net/ip6_fib.hpp"
#include "refimpl/net/neigh.hpp"

namespace quiesce::conformance {

using refimpl::event_kind;

namespace {

// A rule about events: what asks and what answers, of the same device or of anybody.
struct event_rule {
  const char* property;
  event_kind asks, answers;
  bool of_device;
};
constexpr event_rule event_rules[] = {
    {"wait_ends", event_kind::netdev_wait_allrefs, event_kind::free_netdev, true},
    {"todo_drained", event_kind::net_set_todo, event_kind::free_netdev, true},
    {"rtnl_released", event_kind::rtnl_lock, event_kind::rtnl_unlock, false},
    {"skipped_gc_served", event_kind::fib6_gc_skip, event_kind::fib6_gc_end, false},
};
constexpr std::string_view routes_collected = "routes_collected", packets_handled = "packets_handled";

const event_rule* rule_of(std::string_view property) {
  for (const event_rule& r : event_rules)
    if (r.property == property) return &r;
  return nullptr;
}

std::string device_state(const refimpl::net_device& dev) {
  std::string out = fmt::format("dev {} {} {}{}{}", dev.id, static_cast<int>(dev.reg_state.load()), dev.flags.load(),
                                dev.ip_ptr.load() != nullptr ? " in" : "", dev.ip6_ptr.load() != nullptr ? " in6" : "");
  for (std::size_t h = 0; h < refimpl::holders; ++h)
    if (const auto n = dev.refs.of(static_cast<refimpl::holder>(h)); n != 0) out += fmt::format(" {}:{}", h, n);
  return out + fmt::format(" of {}\n", dev.refs.read());
}

std::string routes_state(refimpl::stack& s, const refimpl::net& n) {
  std::string out;
  if (n.ipv4 != nullptr)
    for (const refimpl::route_view& r : refimpl::fib_dump(n))
      out += fmt::format("route {} {} {}\n", r.dst, r.plen, r.fi->fib_flags.load());
  if (n.ipv6 == nullptr) return out;
  const refimpl::netns_ipv6& v6 = *n.ipv6;
  for (const auto& [key, f] : v6.table) out += fmt::format("route6 {}\n", f->exceptions.size());
  return out + fmt::format("entries {} timer {} lock {} exited {}\n", v6.dst_entries.load(),
                           s.timers.timer_pending(v6.ip6_fib_timer), v6.fib6_gc_lock.owner.load() != nullptr,
                           v6.exited.load());
}

// What decides how it goes on, the clock apart. Who is where in the code shows in who can move and what the turns do.
std::string state_of(refimpl::stack& s) {
  std::string out;
  for (const refimpl::net_device* dev : s.devices()) out += device_state(*dev);
  for (const refimpl::net* n : s.nets()) out += routes_state(s, *n);
  for (const refimpl::neigh_table* tbl : {s.arp_tbl.get(), s.nd_tbl.get()})
    if (tbl != nullptr) out += fmt::format("neighbours {}\n", tbl->entries);
  return out;
}

struct point {
  std::size_t state = 0;  // hash: of the stack, and of what was emitted since the point before
  std::vector<std::uint32_t> enabled;
  std::uint32_t actor = 0;
  std::set<std::string> open;
  bool timers_offered = true;  // every armed timer may fire: no bound holds one back
  bool like(const point& o) const { return state == o.state && enabled == o.enabled && actor == o.actor; }
};

}  // namespace

struct endless_watch::memory {
  std::string property;
  refimpl::stack* on = nullptr;
  std::set<std::string> open;  // by events
  std::map<std::int32_t, int> collecting;
  std::string emitted;     // since the last point
  std::size_t sleeps = 0;  // since the last rebroadcast: what the wait's loop counts
  std::vector<point> points;
  std::set<std::string> open_at_end;  // behind the last move
  std::optional<refimpl::stop_report> stopped;
  std::string loop;  // the first that was found

  std::set<std::string> open_now() const {
    std::set<std::string> out = open;
    if (on == nullptr || property != routes_collected) return out;
    for (const refimpl::net* n : on->nets()) {
      const auto at = collecting.find(n->id);
      const bool runs = at != collecting.end() && at->second > 0;
      if (n->ipv6 != nullptr && n->ipv6->dst_entries.load() > 0 && !runs) out.insert(fmt::format("net={}", n->id));
    }
    return out;
  }
};

const std::vector<endless_rule>& endless_rules() {
  static const std::vector<endless_rule> all = {
      {"wait_ends", "netdev_wait_allrefs without free_netdev of the device"},
      {"todo_drained", "net_set_todo without free_netdev of the device"},
      {"rtnl_released", "rtnl_lock without rtnl_unlock"},
      {"skipped_gc_served", "fib6_gc_skip without a fib6_gc_end"},
      {"routes_collected", "netns_ipv6::dst_entries, and whether a collection is under way"},
      {"packets_handled", "a task that can move now and then, and never does"},
  };
  return all;
}

bool is_endless_rule(std::string_view property) {
  return std::any_of(endless_rules().begin(), endless_rules().end(),
                     [&](const endless_rule& r) { return r.property == property; });
}

endless_watch::endless_watch(std::string property, chooser& inner, const actor_names& names)
    : memory_(std::make_unique<memory>()), inner_(inner), names_(names) {
  memory_->property = std::move(property);
}
endless_watch::~endless_watch() = default;

void endless_watch::saw(const refimpl::event& e, refimpl::stack& on) {
  memory& m = *memory_;
  m.on = &on;
  if (std::uncaught_exceptions() > 0 || on.stopped()) return;  // what no kernel does any more
  if (e.kind == event_kind::fib6_gc_begin) ++m.collecting[e.net];
  if (e.kind == event_kind::fib6_gc_end) --m.collecting[e.net];
  if (e.kind == event_kind::msleep) ++m.sleeps;
  if (e.kind == event_kind::rebroadcast_end) m.sleeps = 0;
  if (const event_rule* r = rule_of(m.property)) {
    const std::string who = r->of_device ? fmt::format("dev={}", e.dev) : std::string("it");
    if (e.kind == r->asks) m.open.insert(who);
    if (e.kind == r->answers) m.open.erase(who);
  }
  // The warning is a message; the wait goes on as it would without.
  if (e.kind == event_kind::unregister_netdevice_warning) return;
  m.emitted += fmt::format("{} {} {} {} {} {}\n", static_cast<int>(e.kind), e.task, e.dev, e.net, e.value, e.tag);
}

namespace {

constexpr std::size_t turns = 3, longest_turn = 400;

bool repeats(const std::vector<point>& points, std::size_t turn) {
  const std::size_t n = points.size();
  for (std::size_t i = n - turn * (turns - 1); i < n; ++i)
    if (!points[i].like(points[i - turn])) return false;
  return true;
}

// Weak fairness: who can move at each point of the turn moves.
bool fair(const std::vector<point>& points, std::size_t turn) {
  if (std::none_of(points.end() - static_cast<std::ptrdiff_t>(turn), points.end(),
                   [](const point& p) { return p.timers_offered; }))
    return false;
  std::set<std::uint32_t> moves, always(points.back().enabled.begin(), points.back().enabled.end());
  for (std::size_t i = points.size() - turn; i < points.size(); ++i) {
    moves.insert(points[i].actor);
    std::set<std::uint32_t> now(points[i].enabled.begin(), points[i].enabled.end());
    std::erase_if(always, [&](std::uint32_t a) { return now.count(a) == 0; });
  }
  return std::all_of(always.begin(), always.end(), [&](std::uint32_t a) { return moves.count(a) != 0; });
}

// Tasks that can move somewhere in the turn and do not.
std::set<std::string> passed_over(const std::vector<point>& points, std::size_t turn, const actor_names& names) {
  std::set<std::uint32_t> can, moves;
  for (std::size_t i = points.size() - turn; i < points.size(); ++i) {
    can.insert(points[i].enabled.begin(), points[i].enabled.end());
    moves.insert(points[i].actor);
  }
  std::set<std::string> out;
  for (const std::uint32_t a : can)
    if (moves.count(a) == 0 && names.name(a).find(' ') == std::string::npos) out.insert(names.name(a));
  return out;
}

std::set<std::string> open_throughout(const std::vector<point>& points, std::size_t turn) {
  std::set<std::string> out = points.back().open;
  for (std::size_t i = points.size() - turn; i < points.size(); ++i)
    std::erase_if(out, [&](const std::string& o) { return points[i].open.count(o) == 0; });
  return out;
}

}  // namespace

std::uint32_t endless_watch::choose(const std::vector<std::uint32_t>& enabled) {
  memory& m = *memory_;
  point p;
  p.enabled = enabled;
  p.actor = inner_.choose(enabled);
  if (m.on != nullptr) p.state = std::hash<std::string>()(state_of(*m.on) + m.emitted + fmt::format("sleeps {}", m.sleeps));
  p.open = m.open_now();
  const auto offered =
      std::count_if(enabled.begin(), enabled.end(), [&](std::uint32_t a) { return names_.name(a).starts_with("timer "); });
  p.timers_offered = m.on == nullptr || m.on->timers.choices() <= static_cast<std::size_t>(offered);
  m.emitted.clear();
  m.points.push_back(std::move(p));
  look_for_loop();
  return m.points.back().actor;
}

void endless_watch::moved(const move& done) {
  inner_.moved(done);
  memory& m = *memory_;
  if (m.on == nullptr || m.stopped) return;
  m.open_at_end = m.open_now();
  m.stopped = m.on->stopped();
}

std::string endless_watch::verdict(const control_report& r) const {
  const memory& m = *memory_;
  const std::vector<point>& points = m.points;
  if (m.stopped) {  // it waits for what it holds, or crashes
    const bool itself = m.stopped->kind == refimpl::machine_check::kind::deadlock && m.stopped->what.ends_with(": RTNL");
    return itself && !m.open_at_end.empty() ? fmt::format("no answer for {}: {}", *m.open_at_end.begin(), m.stopped->what)
                                            : std::string();
  }
  if (r.at_rest && !m.open_at_end.empty())
    return fmt::format("no answer for {}: behind {} moves nothing can move any more", *m.open_at_end.begin(), points.size());
  return m.loop;
}

void endless_watch::look_for_loop() {
  memory& m = *memory_;
  const std::vector<point>& points = m.points;
  for (std::size_t turn = 1; m.loop.empty() && turn <= longest_turn && turn * turns <= points.size(); ++turn) {
    if (!repeats(points, turn) || !fair(points, turn)) continue;
    const std::set<std::string> waiting =
        m.property == packets_handled ? passed_over(points, turn, names_) : open_throughout(points, turn);
    if (!waiting.empty())
      m.loop =
          fmt::format("no answer for {}: {} move{} {} made {} times and leave{} everything as it was, but the clock",
                      *waiting.begin(), turn, turn == 1 ? "" : "s", turn == 1 ? "is" : "are", turns, turn == 1 ? "s" : "");
  }
}
}  // namespace quiesce::conformance
