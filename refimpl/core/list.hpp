// SPDX-License-Identifier: MIT
#pragma once
// include/linux/list.h (v4.4..v6.18), semantics verbatim: a node whose memory was only zeroed has NULL links and is *not*
// empty; a double add links the node to itself; list_del leaves poison; list_del_init makes the node empty.
// Differences: a node knows its owner (the kernel computes it with container_of), and following NULL, poison or a foreign
// head throws machine_check where a kernel would oops or read garbage. locks: the caller's. errors: machine_check.
// complexity: O(1) each; traversals O(length), bounded by the caller.

#include <cstddef>
#include <string>

#include "refimpl/core/error.hpp"

namespace quiesce::refimpl {

struct list_head {
  list_head* next = nullptr;
  list_head* prev = nullptr;
  void* owner = nullptr;  // NULL: a head
};

// A node inside a T. Links are NULL until INIT_LIST_HEAD, as in zeroed memory.
template <class T>
struct list_node : list_head {
  explicit list_node(T* self) { owner = self; }
  list_node(const list_node&) = delete;
  list_node& operator=(const list_node&) = delete;
};

inline list_head* const list_poison1 = reinterpret_cast<list_head*>(0x100);  // include/linux/poison.h
inline list_head* const list_poison2 = reinterpret_cast<list_head*>(0x122);

inline bool bad_link(const list_head* p) { return p == nullptr || p == list_poison1 || p == list_poison2; }

inline void check_link(const list_head* p, const char* where) {
  if (!bad_link(p)) return;
  throw machine_check(machine_check::kind::list_corruption,
                      std::string(where) + ": link is " + (p == nullptr ? "NULL" : "LIST_POISON"));
}

inline void INIT_LIST_HEAD(list_head* h) { h->next = h->prev = h; }
inline bool list_empty(const list_head* h) { return h->next == h; }

inline void __list_add(list_head* node, list_head* prev, list_head* next) {
  check_link(prev, "list_add");
  check_link(next, "list_add");
  next->prev = node;
  node->next = next;
  node->prev = prev;
  prev->next = node;
}
inline void list_add(list_head* node, list_head* head) { __list_add(node, head, head->next); }
inline void list_add_tail(list_head* node, list_head* head) { __list_add(node, head->prev, head); }

inline void __list_del_entry(list_head* node) {
  check_link(node->next, "list_del");
  check_link(node->prev, "list_del");
  node->next->prev = node->prev;
  node->prev->next = node->next;
}
inline void list_del(list_head* node) {
  __list_del_entry(node);
  node->next = list_poison1;
  node->prev = list_poison2;
}
inline void list_del_init(list_head* node) {
  __list_del_entry(node);
  INIT_LIST_HEAD(node);
}
inline void list_move_tail(list_head* node, list_head* head) {
  __list_del_entry(node);
  list_add_tail(node, head);
}
// Moves everything from `from` to the tail of `to`; `from` is empty afterwards.
inline void list_splice_tail_init(list_head* from, list_head* to) {
  if (list_empty(from)) return;
  list_head* first = from->next;
  list_head* last = from->prev;
  first->prev = to->prev;
  to->prev->next = first;
  last->next = to;
  to->prev = last;
  INIT_LIST_HEAD(from);
}

// LIST_HEAD(name) on a stack frame. Leaving the frame with nodes still pointing at the head is the dangling head of rule L6;
// the destructor records it in `dangling` (it may run during unwinding, so it does not throw) and unlinks the head.
class stack_list_head : public list_head {
 public:
  explicit stack_list_head(bool* dangling = nullptr) : dangling_(dangling) { INIT_LIST_HEAD(this); }
  stack_list_head(const stack_list_head&) = delete;
  stack_list_head& operator=(const stack_list_head&) = delete;
  ~stack_list_head() {
    if (bad_link(next) || list_empty(this)) return;
    if (dangling_ != nullptr) *dangling_ = true;
    __list_del_entry(this);
  }

 private:
  bool* dangling_;
};

template <class T>
T* list_entry(const list_head* node, const char* where = "list_entry") {
  if (node->owner == nullptr)
    throw machine_check(machine_check::kind::list_corruption, std::string(where) + ": a list head taken for an entry");
  return static_cast<T*>(node->owner);
}

// Bound of a traversal. A list can hold no more nodes than exist, so more turns than that never end.
struct turn_bound {
  std::size_t limit;
  const char* where;
  std::size_t turns = 0;
  void turn() {
    if (++turns > limit)
      throw machine_check(machine_check::kind::endless_traversal,
                          std::string(where) + ": more than " + std::to_string(limit) + " turns, the list never ends");
  }
};

// list_for_each_entry: reads the next link after the body.
template <class T, class Body>
void list_for_each_entry(const list_head* head, turn_bound bound, Body body) {
  check_link(head->next, bound.where);
  for (const list_head* pos = head->next; pos != head; pos = pos->next) {
    bound.turn();
    body(*list_entry<T>(pos, bound.where));
    check_link(pos->next, bound.where);
  }
}

// list_for_each_entry_safe: reads the next link before the body, which may unlink the entry.
template <class T, class Body>
void list_for_each_entry_safe(const list_head* head, turn_bound bound, Body body) {
  check_link(head->next, bound.where);
  const list_head* pos = head->next;
  while (pos != head) {
    bound.turn();
    const list_head* saved = pos->next;
    check_link(saved, bound.where);
    body(*list_entry<T>(pos, bound.where));
    pos = saved;
  }
}

template <class T, class Body>
void list_for_each_entry_reverse_safe(const list_head* head, turn_bound bound, Body body) {
  check_link(head->prev, bound.where);
  const list_head* pos = head->prev;
  while (pos != head) {
    bound.turn();
    const list_head* saved = pos->prev;
    check_link(saved, bound.where);
    body(*list_entry<T>(pos, bound.where));
    pos = saved;
  }
}

}  // namespace quiesce::refimpl
