// SPDX-License-Identifier: MIT
// Schedule, clock, timers, RCU and recorder.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "refimpl/core/error.hpp"
#include "refimpl/core/event.hpp"
#include "refimpl/core/rcu.hpp"
#include "refimpl/core/timer.hpp"

namespace quiesce::refimpl {
namespace {

using std::chrono::milliseconds;

TEST(SimulatedTime, MsleepTakesItsTimeRoundedUpToJiffiesPlusOne) {
  simulated_schedule sched;
  timer_base thousand(sched, 1000), hundred(sched, 100);
  thousand.msleep(250);
  EXPECT_EQ(milliseconds(251), sched.now());
  hundred.msleep(15);  // two ticks of 10 ms, plus one, woken on a tick
  EXPECT_EQ(milliseconds(280), sched.now());
}

TEST(SimulatedTime, TimersFireInOrderOfTheirDeadlines) {
  simulated_schedule sched;
  timer_base base(sched, 1000);
  std::string order;
  timer_list a("a", [&] { order += 'a'; }), b("b", [&] { order += 'b'; });
  base.mod_timer(a, 20);
  base.mod_timer(b, 10);
  EXPECT_TRUE(base.mod_timer(a, 5));
  sched.advance(milliseconds(7));
  EXPECT_EQ("a", order);
  EXPECT_TRUE(base.del_timer(b));
  sched.advance(milliseconds(100));
  EXPECT_EQ("a", order);
}

TEST(SimulatedTime, AWaitThatNothingCanEndIsADeadlock) {
  simulated_schedule sched;
  wait_queue q("nobody");
  EXPECT_THROW(sched.wait(q, [] { return false; }), machine_check);
}

TEST(SimulatedTime, TakingALockTwiceIsADeadlock) {
  simulated_schedule sched;
  lock_state l("lock");
  sched.lock(l);
  EXPECT_FALSE(sched.trylock(l));
  EXPECT_THROW(sched.lock(l), machine_check);
}

struct counted {
  rcu_head head;
  int left;
  rcu* policy;
};
void again(rcu_head* h) {
  auto* c = static_cast<counted*>(h->object);
  if (--c->left > 0) c->policy->call_rcu(&c->head, again);
}

TEST(ModelledRcu, OneBarrierWaitsForOneLinkOfAChain) {
  simulated_schedule sched;
  modelled_rcu r(sched, milliseconds(10));
  counted c{{}, 3, &r};
  c.head.object = &c;
  r.call_rcu(&c.head, again);
  for (int left : {2, 1, 0}) {
    r.rcu_barrier();
    EXPECT_EQ(left, c.left);
  }
  r.rcu_barrier();
  EXPECT_EQ(milliseconds(30), sched.now());
}

TEST(ModelledRcu, AGracePeriodDoesNotEndWhileAReaderIsInside) {
  simulated_schedule sched;
  modelled_rcu r(sched, milliseconds(10));
  r.read_lock();
  EXPECT_THROW(r.synchronize_rcu(), machine_check);
  r.read_unlock();
}

TEST(Liburcu, CallbacksRunBeforeTheBarrierReturns) {
  urcu_rcu r;
  counted c{{}, 1, &r};
  c.head.object = &c;
  r.call_rcu(&c.head, again);
  r.rcu_barrier();
  EXPECT_EQ(0, c.left);
}

TEST(Liburcu, SynchronizeWaitsForAReaderThatIsInside) {
  urcu_rcu r;
  std::atomic<int> phase{0};
  std::thread reader([&] {
    r.read_lock();
    phase = 1;
    std::this_thread::sleep_for(milliseconds(30));
    phase = 2;
    r.read_unlock();
  });
  while (phase == 0) std::this_thread::yield();
  r.synchronize_rcu();
  EXPECT_EQ(2, phase);
  reader.join();
}

TEST(RealTimers, AHandlerMayDestroyItsTimer) {
  real_schedule sched;
  timer_base base(sched, 1000);
  std::atomic<bool> fired{false};
  timer_list* t = nullptr;
  t = new timer_list("self", [&] {
    delete t;
    fired = true;
  });
  base.mod_timer(*t, base.jiffies() + 1);
  for (int i = 0; i < 2000 && !fired; ++i) std::this_thread::sleep_for(milliseconds(1));
  EXPECT_TRUE(fired);
}

TEST(RealTimers, SynchronousDeletionWaitsForTheHandler) {
  real_schedule sched;
  timer_base base(sched, 1000);
  std::atomic<int> phase{0};
  timer_list t("slow", [&] {
    phase = 1;
    std::this_thread::sleep_for(milliseconds(20));
    phase = 2;
  });
  base.mod_timer(t, base.jiffies());
  while (phase == 0) std::this_thread::yield();
  base.del_timer_sync(t);
  EXPECT_EQ(2, phase);
}

TEST(Recorder, EventsOfManyThreadsAreTotallyOrderedAndNoneIsLost) {
  recorder r;
  r.enable(true);
  std::vector<std::thread> threads;
  for (std::uint32_t t = 1; t <= 4; ++t)
    threads.emplace_back([&r, t] {
      task by(t, "t");
      for (int i = 0; i < 10'000; ++i) r.emit(event_kind::dev_hold, by, i, 0);
    });
  for (auto& t : threads) t.join();
  const auto all = r.collect();
  ASSERT_EQ(40'000u, all.size());
  std::int32_t next[5] = {0, 0, 0, 0, 0};
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(i + 1, all[i].seq);
    EXPECT_EQ(next[all[i].task]++, all[i].dev);  // a thread's own events keep their order
  }
}

TEST(Recorder, NothingIsKeptWhileItIsOff) {
  recorder r;
  task by(1, "t");
  r.emit(event_kind::dev_hold, by, 1, 0);
  EXPECT_TRUE(r.collect().empty());
}

TEST(Recorder, ASinkSeesEventsAsTheyHappen) {
  recorder r;
  std::vector<std::string> seen;
  r.set_sink([&](const event& e) { seen.push_back(std::string(name(e.kind))); });
  task by(1, "t");
  r.emit(event_kind::NETDEV_UP, by, 1, 0);
  EXPECT_EQ(std::vector<std::string>{"NETDEV_UP"}, seen);
}

// Not a benchmark: the bound is loose enough for a loaded machine and tight enough to notice a lock or an allocation per
// event.
TEST(Recorder, AnEventCostsFarLessThanAMicrosecond) {
  recorder r;
  r.enable(true);
  task by(1, "t");
  constexpr int n = 400'000;
  double best = 1e9;
  for (int round = 0; round < 5; ++round) {
    r.clear();
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < n; ++i) r.emit(event_kind::dev_put, by, i, 0);
    best = std::min(best, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / n);
  }
  RecordProperty("ns_per_event", std::to_string(best));
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << best << " ns under a sanitizer";
#endif
  EXPECT_LT(best, 500.0);
}

}  // namespace
}  // namespace quiesce::refimpl
