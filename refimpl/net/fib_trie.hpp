// SPDX-License-Identifier: MIT
#pragma once
// The prefix tree of one table. net/ipv4/fib_trie.c without level compression: inner nodes have two children and skip common
// bits. A leaf holds all aliases whose prefix has its key, whatever their length. Writers under RTNL; readers under RCU
// follow `child` and `next` pointers only.

#include <array>
#include <functional>

#include "refimpl/net/fib.hpp"

namespace quiesce::refimpl {

struct trie_node {
  trie_node(bool leaf, std::uint32_t k, int b) : is_leaf(leaf), bit(static_cast<std::int8_t>(b)), key(k) {}
  const bool is_leaf;
  const std::int8_t bit;  // inner: the bit, 31 first, that separates the children
  const std::uint32_t key;
  rcu_head rcu;
};

struct trie_inner : trie_node {
  trie_inner(std::uint32_t k, int b) : trie_node(false, k, b) {}
  std::array<std::atomic<trie_node*>, 2> child{};
};

struct fib_leaf : trie_node {
  fib_leaf(fib_trie& t, std::uint32_t k) : trie_node(true, k, -1), owner(t) {}
  fib_trie& owner;
  std::atomic<fib_alias*> first{nullptr};
};

struct fib_trie {
  ~fib_trie();
  std::atomic<trie_node*> root{nullptr};
  std::array<std::atomic<std::uint32_t>, 33> lengths{};  // aliases of each prefix length

  fib_leaf* find_leaf(std::uint32_t key) const;
  // Finds or makes the leaf of `key`. NULL: an allocation failed (injected), nothing changed. O(32).
  fib_leaf* get_leaf(stack& s, std::uint32_t key);
  // Takes an empty leaf out; nodes are freed after a grace period. O(32).
  void remove_leaf(stack& s, fib_leaf& leaf);
  // Adds to the leaf in order: longer prefixes first, then ascending priority.
  void link(fib_leaf& leaf, fib_alias& fa);
  void unlink(fib_alias& fa);
  // Every alias in order of key; `visit` may unlink the alias it is given, not remove leaves.
  void walk(const std::function<void(fib_alias&)>& visit) const;
  void leaves(std::vector<fib_leaf*>& out) const;
};

}  // namespace quiesce::refimpl
