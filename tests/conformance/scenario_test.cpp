// SPDX-License-Identifier: MIT
// The text form of scenarios, and what the runner does with a small one.
#include <gtest/gtest.h>

#include "conformance/judge.hpp"
#include "conformance/promise.hpp"
#include "conformance/runner.hpp"
#include "tests/support/repository.hpp"

namespace quiesce::conformance {
namespace {

constexpr const char* everything = R"(option ipv6 off
option debug_list on
option hz 250
option gc_thresh 2
option max_size 4
option order 7
net n1
net n2 late
device d1 n1 dummy up group 2
device d2 init_net vlan on d1 loose
device d3 n2 physical late local ops_lock
device d4 n1 macvlan on d1
callback c1 on NETDEV_DOWN d1 priority -5 times 2 do close d2 lo1
callback c2 on * * late none
callback c3 on NETDEV_REGISTER d3 veto
fault alloc 3
fault site fib_create_info
fault throw_stop d4
setup
  address d1 10.0.1.1/24
  address d1 2001:db8::1/64
  route d1 d4 10.1.0.0/16
  proxy_net n1 10.0.1.9
  packet d1 10.0.1.9 500
task t1
  unregister d1 d4
  exit n1 n2
  watch c2
task t2
  move d2 n1
  linkwatch
)";

TEST(Scenario, TextIsReadAndWrittenAlike) {
  const scenario s = parse_scenario(everything);
  EXPECT_EQ(format(s), everything);
  EXPECT_EQ(parse_scenario(format(s)), s);
  EXPECT_EQ(s.tasks.size(), 2u);
  EXPECT_EQ(s.callbacks[0].act.devices, (std::vector<device_ref>{1, loopback_of(1)}));
}

TEST(Scenario, CommentsAndBlankLinesAreNothing) {
  EXPECT_EQ(parse_scenario("# first\n\n  # indented\nnet n1 # one\n"), parse_scenario("net n1\n"));
}

struct refusal {
  const char* text;
  const char* at;  // the underlined part
  const char* sentence;
};

TEST(Scenario, AnErrorHasItsPlace) {
  const refusal cases[] = {
      {"net n2\n", "n2", "the next namespace is `n1`, not `n2`"},
      {"device d1 n1 dummy\n", "n1", "there is no namespace `n1`"},
      {"device d1 init_net bridge\n", "bridge", "`bridge` is not a kind of device"},
      {"task t1\n  close d1\n", "d1", "there is no device `d1`"},
      {"  close d1\n", "close", "an operation stands under `setup` or `task`"},
      {"setup\n  address lo 10.0.0.1\n", "10.0.0.1", "a prefix length is missing: write ADDRESS/LENGTH"},
      {"setup\n  address lo 10.0.0.1/33\n", "10.0.0.1/33", "the prefix length is not in 0..32"},
      {"setup\n  sleep soon\n", "soon", "`soon` is not a number"},
      {"setup\n  sleep 5 6\n", "6", "nothing more belongs on this line"},
      {"callback c1 on NETDEV_DOWN * do linkwatch\n", "linkwatch",
       "`linkwatch` takes RTNL, which a callback's caller holds"},
      {"callback c1 on NETDEV_SIDEWAYS *\n", "NETDEV_SIDEWAYS", "`NETDEV_SIDEWAYS` is no event of the chain"},
      {"net n1 late\ndevice d1 n1 dummy\n", "device", "a device of a late namespace must be late"},
      {"option hz 7\n", "7", "hz is 100, 250, 300 or 1000"},
      {"fault open lo\n", "lo", "a loopback has no driver that could fail"},
  };
  for (const refusal& c : cases) try {
      parse_scenario(c.text);
      ADD_FAILURE() << c.text << " is accepted";
    } catch (const diagnostic& d) {
      EXPECT_EQ(d.sentence, c.sentence);
      EXPECT_EQ(std::string(c.text).substr(d.where.begin, d.where.end - d.where.begin), c.at) << c.text;
    }
}

const rule_book& rules() {
  static catalogue inputs(test::repository().string());
  static const rule_book book(inputs);
  return book;
}

run_result judged(const scenario& s, const char* variant, std::vector<breach>& breaches) {
  judge j(rules());
  run_settings settings;
  settings.policy = refimpl::variant(variant);
  settings.sink = [&](const refimpl::event& e, refimpl::stack& on) { j.push(e, &on); };
  run_result r = run(s, settings);
  breaches = j.breaches();
  return r;
}

TEST(Runner, ReferenceRunsATeardownWithoutABreach) {
  const scenario s = parse_scenario(
      "net n1\ndevice d1 n1 dummy up\ndevice d2 n1 vlan on d1 up\n"
      "setup\n  address d1 10.0.1.1/24\n  neighbour d1 10.0.1.7\ntask t1\n  unregister d1\n");
  std::vector<breach> breaches;
  const run_result r = judged(s, "reference", breaches);
  EXPECT_FALSE(r.stopped) << r.stopped->what;

  for (const breach& b : breaches)
    if (not_promised(refimpl::variant("reference"), *rules().entries()[rules().number(b.property)].property).empty())
      ADD_FAILURE() << b.property << ": " << b.text;
  EXPECT_TRUE(r.inconsistent.empty()) << r.inconsistent.front();
  EXPECT_EQ(r.leaked, "");
  for (const op_outcome& o : r.outcomes) EXPECT_EQ(o.code, refimpl::error::none) << o.task << " " << o.index;
  EXPECT_GT(r.events.size(), 100u);
}

TEST(Runner, PostedSeriesBreaksItsRulesWithOneDevice) {
  const scenario s = parse_scenario("net n1\ndevice d1 n1 dummy up\ntask t1\n  unregister d1\n");
  std::vector<breach> breaches;
  judged(s, "P1", breaches);
  std::vector<std::string> names;
  for (const breach& b : breaches) names.push_back(b.property);
  EXPECT_NE(std::find(names.begin(), names.end(), "batch_before_uninit"), names.end());
}

TEST(Judge, EveryPropertyIsDecidedOrSaysWhyNot) {
  for (const rule_book::entry& e : rules().entries()) {
    const int ways = (e.by_events ? 1 : 0) + (e.probe.empty() ? 0 : 1) + (e.undecidable.empty() ? 0 : 1);
    EXPECT_EQ(ways, 1) << e.property->name;
  }
}

TEST(Runner, RunsAreRepeatable) {
  const scenario s = parse_scenario(everything);
  run_settings settings;
  settings.policy = refimpl::variant("6.1");
  const auto text = [&] {
    std::string all;
    for (const refimpl::event& e : run(s, settings).events) all += refimpl::format(e) + "\n";
    return all;
  };
  EXPECT_EQ(text(), text());
}

}  // namespace
}  // namespace quiesce::conformance
