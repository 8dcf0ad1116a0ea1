// SPDX-License-Identifier: MIT
#include "refimpl/core/list.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace quiesce::refimpl {
namespace {

struct item {
  explicit item(int v) : value(v) {}
  int value;
  list_node<item> node{this};
};

std::vector<int> values(const list_head& head) {
  std::vector<int> out;
  list_for_each_entry<item>(&head, {100, "test"}, [&](item& i) { out.push_back(i.value); });
  return out;
}

machine_check::kind caught(const std::function<void()>& f) {
  try {
    f();
  } catch (const machine_check& m) {
    return m.what_kind();
  }
  ADD_FAILURE() << "nothing was thrown";
  return machine_check::kind::bug;
}

TEST(List, ANodeOfZeroedMemoryIsNotEmpty) {
  item a(1);
  EXPECT_EQ(nullptr, a.node.next);
  EXPECT_FALSE(list_empty(&a.node));
  INIT_LIST_HEAD(&a.node);
  EXPECT_TRUE(list_empty(&a.node));
}

TEST(List, TailAddKeepsOrderAndFrontAddReversesIt) {
  list_head head;
  INIT_LIST_HEAD(&head);
  item a(1), b(2), c(3);
  list_add_tail(&a.node, &head);
  list_add_tail(&b.node, &head);
  list_add(&c.node, &head);
  EXPECT_EQ((std::vector<int>{3, 1, 2}), values(head));
}

TEST(List, ADoubleAddLinksTheNodeToItselfAndTheTraversalIsStopped) {
  list_head head;
  INIT_LIST_HEAD(&head);
  item a(1);
  list_add_tail(&a.node, &head);
  list_add_tail(&a.node, &head);
  EXPECT_EQ(&a.node, a.node.next);
  std::size_t turns = 0;
  EXPECT_EQ(machine_check::kind::endless_traversal, caught([&] {
              list_for_each_entry<item>(&head, {10, "test"}, [&](item&) { ++turns; });
            }));
  EXPECT_EQ(10u, turns);
}

TEST(List, DeletionLeavesPoisonThatASecondDeletionFinds) {
  list_head head;
  INIT_LIST_HEAD(&head);
  item a(1);
  list_add(&a.node, &head);
  list_del(&a.node);
  EXPECT_TRUE(list_empty(&head));
  EXPECT_EQ(list_poison1, a.node.next);
  EXPECT_EQ(machine_check::kind::list_corruption, caught([&] { list_del(&a.node); }));
}

TEST(List, DeletingANodeThatWasNeverInitialisedIsReported) {
  item a(1);
  EXPECT_EQ(machine_check::kind::list_corruption, caught([&] { list_del_init(&a.node); }));
}

TEST(List, SafeTraversalAllowsUnlinkingTheEntry) {
  list_head head;
  INIT_LIST_HEAD(&head);
  item a(1), b(2);
  list_add_tail(&a.node, &head);
  list_add_tail(&b.node, &head);
  list_for_each_entry_safe<item>(&head, {10, "test"}, [](item& i) { list_del_init(&i.node); });
  EXPECT_TRUE(list_empty(&head));
  EXPECT_TRUE(list_empty(&a.node));
}

TEST(List, AHeadMetAsAnEntryIsCorruption) {
  list_head outer, inner;
  INIT_LIST_HEAD(&outer);
  INIT_LIST_HEAD(&inner);
  item a(1);
  list_add_tail(&a.node, &outer);
  list_add_tail(&a.node, &inner);  // still linked from outer: walking outer reaches inner's head
  EXPECT_EQ(machine_check::kind::list_corruption, caught([&] { values(outer); }));
}

TEST(List, AFrameThatReturnsWithNodesOnItsHeadIsNoted) {
  item a(1);
  bool dangling = false;
  {
    stack_list_head head(&dangling);
    list_add(&a.node, &head);
  }
  EXPECT_TRUE(dangling);
  EXPECT_TRUE(list_empty(&a.node));
}

TEST(List, SpliceMovesEverythingBehindWhatIsThere) {
  list_head from, to;
  INIT_LIST_HEAD(&from);
  INIT_LIST_HEAD(&to);
  item a(1), b(2), c(3);
  list_add_tail(&a.node, &to);
  list_add_tail(&b.node, &from);
  list_add_tail(&c.node, &from);
  list_splice_tail_init(&from, &to);
  EXPECT_TRUE(list_empty(&from));
  EXPECT_EQ((std::vector<int>{1, 2, 3}), values(to));
}

}  // namespace
}  // namespace quiesce::refimpl
