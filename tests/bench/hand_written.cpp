// SPDX-License-Identifier: MIT
// What a specialist writes for this one system: a search without generality, predecessors or growth of its table.
//
// States are packed into 16 bytes, unpacked before their steps are taken and each successor is packed again; the seen set is
// a table of 2^n states, made once, with open addressing, and successors wait in a ring while their places are fetched.
// Sizes are constants of the compiler:
//   c++ -std=c++20 -O3 -march=native -DTASKS=2 -DSLOTS=2 -DNETS=2 -DACTORS=2 -DENTRIES=1 hand_written.cpp
//   ./a.out 22      a table of 2^22 states

#include <sys/mman.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr unsigned tasks = TASKS, slots = SLOTS, nets = NETS, actors = ACTORS, entries = ENTRIES;
using packed = unsigned __int128;

enum place : std::uint8_t {
  idle,
  going,
  clearing,
  marking,
  listing,
  down_event,
  unregister,
  batch_event,
  uninit,
  unlock,
  waiting,
  again,
  listed,
  freeing,
  done
};
enum holder : std::uint8_t { nobody, asking, deciding, collecting, releasing };

struct task_state {
  std::uint8_t at, index;
  std::array<std::uint8_t, slots> state, up, references, cached;
  std::array<std::uint8_t, nets> on_list, batches;
};
struct actor_state {
  std::uint8_t at, mode, task, slot;
};
struct system_state {
  std::uint8_t lock = 0, collector = 0, timer = 0;
  std::array<task_state, tasks> task{};
  std::array<actor_state, actors> actor{};
};

constexpr unsigned width(unsigned values) { return std::bit_width(values - 1); }

// One description of the fields for both directions.
template <class state, class visitor>
inline void each_field(state& s, visitor&& field) {
  field(s.lock, width(tasks + 1));
  field(s.collector, 2u);
  field(s.timer, 1u);
  for (auto& t : s.task) {
    field(t.at, 4u);
    field(t.index, width(slots > nets ? slots : nets));
    for (unsigned i = 0; i < slots; ++i) {
      field(t.state[i], 3u);
      field(t.up[i], 1u);
      field(t.references[i], width(entries + actors + 1));
      field(t.cached[i], width(entries + 1));
    }
    for (unsigned n = 0; n < nets; ++n) {
      field(t.on_list[n], 1u);
      field(t.batches[n], 2u);
    }
  }
  for (auto& a : s.actor) {
    field(a.at, 3u);
    field(a.mode, 1u);
    field(a.task, width(tasks));
    field(a.slot, width(slots));
  }
}

constexpr packed taken = packed{1} << 127;  // no state is the free place

inline packed pack(const system_state& s) {
  packed out = 0;
  unsigned at = 0;
  each_field(s, [&](std::uint8_t value, unsigned bits) {
    out |= packed{value} << at;
    at += bits;
  });
  return out | taken;
}

inline void unpack(packed from, system_state& s) {
  each_field(s, [&](std::uint8_t& value, unsigned bits) {
    value = static_cast<std::uint8_t>(static_cast<unsigned>(from) & ((1u << bits) - 1));
    from >>= bits;
  });
}

inline std::uint64_t hash(packed s) {
  const packed m = static_cast<packed>(static_cast<std::uint64_t>(s) ^ 0x9e3779b97f4a7c15u) *
                   (static_cast<std::uint64_t>(s >> 64) ^ 0xd6e8feb86659fd93u);
  const std::uint64_t x = static_cast<std::uint64_t>(m) ^ static_cast<std::uint64_t>(m >> 64);
  return x ^ x >> 29;
}

class seen_states {
 public:
  explicit seen_states(unsigned log2) : mask_((std::uint64_t{1} << log2) - 1) {
    const std::size_t bytes = sizeof(packed) << log2;
    void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) std::exit(1);
    madvise(p, bytes, MADV_HUGEPAGE);
    table_ = static_cast<packed*>(p);
  }
  // Later; the place in the table is fetched meanwhile.
  void add(packed s) {
    const std::uint64_t h = hash(s);
    __builtin_prefetch(&table_[h & mask_], 1);
    waiting& w = ring_[count_ % ring_size];
    if (count_ >= ring_size) insert(w);
    w = {s, h};
    ++count_;
  }
  void finish() {
    for (std::uint64_t k = count_ < ring_size ? 0 : count_ - ring_size; k < count_; ++k) insert(ring_[k % ring_size]);
    count_ = 0;
  }
  std::vector<packed> fresh;

 private:
  static constexpr std::uint64_t ring_size = 32;
  struct waiting {
    packed state;
    std::uint64_t hash;
  };
  void insert(const waiting& w) {
    for (std::uint64_t i = w.hash & mask_;; i = (i + 1) & mask_) {
      if (table_[i] == w.state) return;
      if (table_[i]) continue;
      table_[i] = w.state;
      fresh.push_back(w.state);
      return;
    }
  }
  packed* table_;
  const std::uint64_t mask_;
  std::array<waiting, ring_size> ring_{};
  std::uint64_t count_ = 0;
};

void require(bool condition, const char* what) {
  if (condition) return;
  std::printf("violated: %s\n", what);
  std::exit(1);
}

class search {
 public:
  explicit search(unsigned log2) : seen_(log2) {}

  void run() {
    system_state first;
    for (auto& t : first.task) t.up.fill(1);
    seen_.add(pack(first));
    seen_.finish();
    std::vector<packed> level;
    while (!seen_.fresh.empty()) {
      level.swap(seen_.fresh);
      seen_.fresh.clear();
      states_ += level.size();
      for (packed p : level) {
        unpack(p, s_);
        expand();
      }
      seen_.finish();
      ++depth_;
    }
    std::printf("%lu states, %lu transitions, depth %lu\n", states_, transitions_, depth_ - 1);
  }

 private:
  void emit(const system_state& n) {
    ++transitions_;
    seen_.add(pack(n));
  }

  void expand() {
    for (unsigned t = 0; t < tasks; ++t) task_step(t);
    for (unsigned a = 0; a < actors; ++a) actor_steps(a);
    timer_step();
    examine();
  }

  // To the next index, or to `after` behind the last.
  static void loop(task_state& t, unsigned count, place repeat, place after) {
    const bool last = t.index + 1u == count;
    t.index = last ? 0 : static_cast<std::uint8_t>(t.index + 1);
    t.at = last ? after : repeat;
  }
  static void forget(task_state& t, unsigned i) {
    t.references[i] = static_cast<std::uint8_t>(t.references[i] - t.cached[i]);
    t.cached[i] = 0;
  }

  void task_step(unsigned number) {
    const task_state& now = s_.task[number];
    const unsigned i = now.index, home = i % nets;
    const bool needs_lock = now.at == idle || now.at == done || (now.at == waiting && now.references[i]);
    if (needs_lock && s_.lock) return;
    system_state n = s_;
    task_state& t = n.task[number];
    const auto own = static_cast<std::uint8_t>(number + 1);
    switch (now.at) {
      case idle:
        n.lock = own;
        t.at = going;
        break;
      case going:
        t.state[i] = 1;
        t.at = clearing;
        break;
      case clearing:
        t.up[i] = 0;
        t.at = marking;
        break;
      case marking:
        t.state[i] = 2;
        loop(t, slots, going, listing);
        break;
      case listing:
        t.on_list[home] = 1;
        loop(t, slots, listing, down_event);
        break;
      case down_event:
        t.on_list[i] = 0;
        loop(t, nets, down_event, unregister);
        break;
      case unregister:
        t.state[i] = 3;
        forget(t, i);
        t.on_list[home] = 1;
        loop(t, slots, unregister, batch_event);
        break;
      case batch_event:
        if (t.on_list[i]) {
          t.on_list[i] = 0;
          require(t.batches[i] == 0, "one batch event for each namespace");
          ++t.batches[i];
        }
        loop(t, nets, batch_event, uninit);
        break;
      case uninit:
        require(t.batches[home] == 1, "the batch event comes before uninit");
        t.state[i] = 4;
        loop(t, slots, uninit, unlock);
        break;
      case unlock:
        n.lock = 0;
        t.at = waiting;
        break;
      case waiting:
        if (now.references[i]) n.lock = own;
        t.at = now.references[i] ? again : freeing;
        break;
      case again:
        forget(t, i);
        t.on_list[home] = 1;
        t.at = listed;
        break;
      case listed:
        t.on_list[home] = 0;
        n.lock = 0;
        t.at = waiting;
        break;
      case freeing:
        require(t.references[i] == 0, "a freed device has no references");
        t.state[i] = 5;
        loop(t, slots, waiting, done);
        break;
      case done:
        t.state.fill(0);
        t.up.fill(1);
        t.batches.fill(0);
        t.at = idle;
        break;
    }
    emit(n);
  }

  void actor_steps(unsigned number) {
    const actor_state now = s_.actor[number];
    const auto with = [&](auto&& change) {
      system_state n = s_;
      change(n, n.actor[number]);
      emit(n);
    };
    switch (now.at) {
      case nobody:
        for (std::uint8_t t = 0; t < tasks; ++t)
          for (std::uint8_t i = 0; i < slots; ++i)
            if (s_.task[t].up[i])
              with([&](system_state& n, actor_state& a) {
                ++n.task[t].references[i];
                a = {asking, 0, t, i};
              });
        break;
      case asking:
        for (std::uint8_t mode = 0; mode < 2; ++mode)
          with([&](system_state& n, actor_state& a) {
            task_state& t = n.task[now.task];
            if (t.cached[now.slot] < entries) ++t.cached[now.slot], ++t.references[now.slot];
            a.mode = mode;
            a.at = deciding;
          });
        break;
      case deciding:
        if (!s_.collector)
          with([](system_state& n, actor_state& a) {
            n.collector = 1;
            a.mode = 0;
            a.at = collecting;
          });
        else if (now.mode)
          with([](system_state&, actor_state& a) {
            a.mode = 0;
            a.at = releasing;
          });
        break;
      case collecting:
        for (unsigned t = 0; t < tasks; ++t)
          for (unsigned i = 0; i < slots; ++i)
            if (s_.task[t].cached[i])
              with([&](system_state& n, actor_state& a) {
                --n.task[t].cached[i];
                --n.task[t].references[i];
                n.collector = 0;
                a.at = releasing;
              });
        if (!any_cached())
          with([](system_state& n, actor_state& a) {
            n.collector = 0;
            a.at = releasing;
          });
        break;
      case releasing:
        with([&](system_state& n, actor_state& a) {
          --n.task[now.task].references[now.slot];
          a = {nobody, 0, 0, 0};
        });
        break;
    }
  }

  bool any_cached() const {
    unsigned any = 0;
    for (const auto& t : s_.task)
      for (std::uint8_t c : t.cached) any |= c;
    return any;
  }

  void timer_step() {
    if (!s_.timer && (s_.collector || !any_cached())) return;
    system_state n = s_;
    if (s_.timer)
      for (auto& t : n.task)
        for (unsigned i = 0; i < slots; ++i)
          if (t.state[i] >= 3) forget(t, i);
    n.collector = s_.timer ? 0 : 2;
    n.timer = !s_.timer;
    emit(n);
  }

  void examine() const {
    for (unsigned k = 0; k < nets; ++k) {
      unsigned lists = 0;
      for (const auto& t : s_.task) lists += t.on_list[k];
      require(lists <= 1, "one task at most has a namespace on its list");
    }
    for (const auto& t : s_.task)
      for (unsigned i = 0; i < slots; ++i) require(t.state[i] != 5 || !t.references[i], "a freed device has no references");
  }

  seen_states seen_;
  system_state s_;
  std::uint64_t states_ = 0, transitions_ = 0, depth_ = 0;
};

}  // namespace

int main(int count, char** arguments) { search(count > 1 ? static_cast<unsigned>(std::atoi(arguments[1])) : 22).run(); }
