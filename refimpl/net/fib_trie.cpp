// SPDX-License-Identifier: MIT
#include "refimpl/net/fib_trie.hpp"

#include <bit>

#include "refimpl/net/stack.hpp"

namespace quiesce::refimpl {

namespace {

int bit_of(std::uint32_t key, int bit) { return static_cast<int>(key >> bit & 1u); }
trie_inner& inner(trie_node* n) { return *static_cast<trie_inner*>(n); }

void delete_node(trie_node* n) {
  if (n->is_leaf) {
    delete static_cast<fib_leaf*>(n);
  } else {
    delete static_cast<trie_inner*>(n);
  }
}

void free_later(stack& s, trie_node* n) {
  n->rcu.object = n;
  s.rcu_policy.call_rcu(&n->rcu, [](rcu_head* h) { delete_node(static_cast<trie_node*>(h->object)); });
}

// The nodes from `n` downwards, deepest paths bounded by 32.
template <class Leaf, class Inner>
void traverse(trie_node* n, Leaf on_leaf, Inner after_children) {
  if (n == nullptr) return;
  if (n->is_leaf) {
    on_leaf(*static_cast<fib_leaf*>(n));
    return;
  }
  traverse(inner(n).child[0].load(std::memory_order_relaxed), on_leaf, after_children);
  traverse(inner(n).child[1].load(std::memory_order_relaxed), on_leaf, after_children);
  after_children(inner(n));
}

// Where a node of `key` separating at `bit` belongs: above the first inner node of a lower bit, or a leaf.
std::atomic<trie_node*>& insertion_point(std::atomic<trie_node*>& root, std::uint32_t key, int bit) {
  std::atomic<trie_node*>* at = &root;
  for (trie_node* n = at->load(std::memory_order_relaxed); !n->is_leaf && n->bit > bit;
       n = at->load(std::memory_order_relaxed))
    at = &inner(n).child[static_cast<std::size_t>(bit_of(key, n->bit))];
  return *at;
}

}  // namespace

fib_trie::~fib_trie() {
  std::vector<trie_node*> nodes;
  traverse(
      root.load(), [&](fib_leaf& l) { nodes.push_back(&l); }, [&](trie_inner& i) { nodes.push_back(&i); });
  for (trie_node* n : nodes) {
    if (n->is_leaf)
      for (fib_alias* fa = static_cast<fib_leaf*>(n)->first.load(); fa != nullptr;) {
        fib_alias* next = fa->next.load();
        delete fa;
        fa = next;
      }
    delete_node(n);
  }
}

fib_leaf* fib_trie::find_leaf(std::uint32_t key) const {
  trie_node* n = root.load(std::memory_order_acquire);
  while (n != nullptr && !n->is_leaf)
    n = inner(n).child[static_cast<std::size_t>(bit_of(key, n->bit))].load(std::memory_order_acquire);
  return n != nullptr && n->key == key ? static_cast<fib_leaf*>(n) : nullptr;
}

fib_leaf* fib_trie::get_leaf(stack& s, std::uint32_t key) {
  trie_node* n = root.load(std::memory_order_relaxed);
  while (n != nullptr && !n->is_leaf)
    n = inner(n).child[static_cast<std::size_t>(bit_of(key, n->bit))].load(std::memory_order_relaxed);
  if (n != nullptr && n->key == key) return static_cast<fib_leaf*>(n);
  if (s.alloc_fails("leaf_new") || (n != nullptr && s.alloc_fails("tnode_new"))) return nullptr;
  auto* leaf = new fib_leaf(*this, key);
  if (n == nullptr) {
    root.store(leaf, std::memory_order_release);
    return leaf;
  }
  const int bit = 31 - std::countl_zero(n->key ^ key);
  auto* node = new trie_inner(key, bit);
  std::atomic<trie_node*>& at = insertion_point(root, key, bit);
  node->child[static_cast<std::size_t>(bit_of(key, bit))].store(leaf, std::memory_order_relaxed);
  node->child[static_cast<std::size_t>(1 - bit_of(key, bit))].store(at.load(std::memory_order_relaxed),
                                                                    std::memory_order_relaxed);
  at.store(node, std::memory_order_release);
  return leaf;
}

void fib_trie::remove_leaf(stack& s, fib_leaf& leaf) {
  std::atomic<trie_node*>* above = nullptr;  // the link to the leaf's parent
  std::atomic<trie_node*>* at = &root;
  trie_node* n = at->load(std::memory_order_relaxed);
  while (!n->is_leaf) {
    above = at;
    at = &inner(n).child[static_cast<std::size_t>(bit_of(leaf.key, n->bit))];
    n = at->load(std::memory_order_relaxed);
  }
  if (above == nullptr) {
    root.store(nullptr, std::memory_order_release);
  } else {
    trie_node* parent = above->load(std::memory_order_relaxed);
    const auto other = static_cast<std::size_t>(1 - bit_of(leaf.key, parent->bit));
    above->store(inner(parent).child[other].load(std::memory_order_relaxed), std::memory_order_release);
    free_later(s, parent);
  }
  free_later(s, &leaf);
}

void fib_trie::link(fib_leaf& leaf, fib_alias& fa) {
  std::atomic<fib_alias*>* at = &leaf.first;
  for (fib_alias* here = at->load(std::memory_order_relaxed); here != nullptr; here = at->load(std::memory_order_relaxed)) {
    if (here->plen < fa.plen || (here->plen == fa.plen && here->fa_info.priority > fa.fa_info.priority)) break;
    at = &here->next;
  }
  fa.next.store(at->load(std::memory_order_relaxed), std::memory_order_relaxed);
  at->store(&fa, std::memory_order_release);
  lengths[fa.plen].fetch_add(1, std::memory_order_release);
}

void fib_trie::unlink(fib_alias& fa) {
  std::atomic<fib_alias*>* at = &fa.leaf.first;
  while (at->load(std::memory_order_relaxed) != &fa) at = &at->load(std::memory_order_relaxed)->next;
  at->store(fa.next.load(std::memory_order_relaxed), std::memory_order_release);
  lengths[fa.plen].fetch_sub(1, std::memory_order_release);
}

void fib_trie::walk(const std::function<void(fib_alias&)>& visit) const {
  traverse(
      root.load(std::memory_order_relaxed),
      [&](fib_leaf& leaf) {
        for (fib_alias *fa = leaf.first.load(std::memory_order_relaxed), *next = nullptr; fa != nullptr; fa = next) {
          next = fa->next.load(std::memory_order_relaxed);
          visit(*fa);
        }
      },
      [](trie_inner&) {});
}

void fib_trie::leaves(std::vector<fib_leaf*>& out) const {
  traverse(
      root.load(std::memory_order_relaxed), [&](fib_leaf& leaf) { out.push_back(&leaf); }, [](trie_inner&) {});
}

}  // namespace quiesce::refimpl
