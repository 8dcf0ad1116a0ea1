// SPDX-License-Identifier: MIT
#include "refimpl/bench/wait_backoff.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "refimpl/bench/late_rcu.hpp"
#include "refimpl/net/addrconf.hpp"
#include "refimpl/net/ip6_fib.hpp"
#include "refimpl/net/rtnetlink.hpp"

namespace quiesce::bench {

using namespace refimpl;

namespace {

void require(status r, const char* what) {
  if (!r) throw std::runtime_error(fmt::format("bench: {}: {}", what, refimpl::name(r.code())));
}

stack_options options_of(const backoff_input& in) {
  stack_options o;
  o.hz = in.hz;
  return o;
}

class deletions {
 public:
  deletions(const variant_policy& policy, const backoff_input& in, std::uint64_t expedited_ms)
      : rcu_(sched_, std::chrono::milliseconds(in.grace_period_ms), std::chrono::milliseconds(in.callback_latency_ms),
             std::chrono::milliseconds(expedited_ms)),
        stack_(policy, sched_, rcu_, options_of(in)) {
    stack_.events.set_sink([this](const event& e) {
      if (e.kind == event_kind::netdev_wait_allrefs) wait_began_ = now_ms();
      if (e.kind == event_kind::free_netdev) wait_ms_ += now_ms() - wait_began_;
    });
    const result<net*> made = setup_net(stack_);
    require(made.code(), "setup_net");
    net_ = made.value();
  }
  net& ns() { return *net_; }
  stack& owner() { return stack_; }
  double now_ms() { return std::chrono::duration<double, std::milli>(sched_.now()).count(); }
  double wait_ms() const { return wait_ms_; }

  net_device& add(const std::string& name) {
    link_request request;
    request.name = name;
    const result<net_device*> made = rtnl_newlink(*net_, request);
    require(made.code(), "rtnl_newlink");
    require(do_setlink_up(*net_, name, true), "do_setlink_up");
    return *made.value();
  }
  void remove(const std::string& name) {
    require(rtnl_dellink(*net_, name), "rtnl_dellink");
    if (const auto stop = stack_.stopped()) throw std::runtime_error("bench: stopped: " + stop->what);
  }
  // The wait of one device that `hold` gives a late reference. What others left behind is let pass before.
  template <class F>
  double wait_of_one(F hold) {
    sched_.advance(std::chrono::seconds(5));
    net_device& dev = add("d");
    require(stack_.rtnl_lock(), "rtnl_lock");
    hold(dev);
    require(stack_.rtnl_unlock(), "rtnl_unlock");
    const double before = wait_ms_;
    remove("d");
    return wait_ms_ - before;
  }

 private:
  simulated_schedule sched_;
  late_rcu rcu_;
  stack stack_;
  net* net_ = nullptr;
  double wait_began_ = 0, wait_ms_ = 0;
};

}  // namespace

variant_policy wait_variant(const std::string& name) {
  variant_policy v = variant("R16");
  if (name == "K44") {
    v.wait = wait_rule::k44;
  } else if (name == "R1" || name == "RANY" || name == "RLZ" || name == "R16") {
    v.wait = variant(name).wait;
  } else {
    throw std::invalid_argument("no wait loop named " + name);
  }
  v.name = variant(name).name;
  return v;
}

backoff_result delete_ipv6_devices(const variant_policy& policy, const backoff_input& in) {
  deletions run(policy, in, in.expedited_ms);
  run.ns().ipv6->forwarding.store(true);
  for (std::size_t i = 0; i < in.devices; ++i) {
    net_device& dev = run.add(fmt::format("eth{}", i));
    require(run.owner().rtnl_lock(), "rtnl_lock");
    require(inet6_addr_add(dev, {0x2021'0000'0000'0000 | static_cast<std::uint64_t>(i) << 32, 1}, 120), "inet6_addr_add");
    require(run.owner().rtnl_unlock(), "rtnl_unlock");
  }
  const stack_counters& c = run.owner().counters;
  const std::uint64_t looks = c.refs_polls, waits = c.rcu_barrier + c.synchronize_net;
  const double began = run.now_ms();
  for (std::size_t i = 0; i < in.devices; ++i) run.remove(fmt::format("eth{}", i));
  backoff_result out;
  out.total_ms = run.now_ms() - began;
  out.wait_ms = run.wait_ms();
  out.looks = c.refs_polls - looks;
  out.grace_waits = c.rcu_barrier + c.synchronize_net - waits;
  return out;
}

std::vector<double> wait_after_delay(const variant_policy& policy, const backoff_input& in,
                                     const std::vector<std::uint64_t>& delays) {
  deletions run(policy, in, in.grace_period_ms);
  std::vector<double> out;
  for (std::uint64_t ms : delays)
    out.push_back(run.wait_of_one([&](net_device& dev) { require(dev_hold_delayed(dev, ms), "dev_hold_delayed"); }));
  return out;
}

std::vector<double> wait_after_chain(const variant_policy& policy, const backoff_input& in,
                                     const std::vector<unsigned>& depths) {
  deletions run(policy, in, in.grace_period_ms);
  std::vector<double> out;
  for (unsigned depth : depths)
    out.push_back(run.wait_of_one([&](net_device& dev) { require(dev_hold_chain(dev, depth), "dev_hold_chain"); }));
  return out;
}

}  // namespace quiesce::bench
