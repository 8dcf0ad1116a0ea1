// SPDX-License-Identifier: MIT
#include "refimpl/core/event.hpp"

#include <algorithm>
#include <list>
#include <mutex>

namespace quiesce::refimpl {

namespace {
constexpr std::array<std::string_view, event_kinds> kind_names = {
#define X(name) #name,
    QUIESCE_REFIMPL_EVENTS(X)
#undef X
};
constexpr std::size_t chunk_size = 4096;
std::atomic<std::uint64_t> next_identity{1};
}  // namespace

std::string_view name(event_kind k) { return kind_names[static_cast<std::size_t>(k)]; }

std::string format(const event& e) {
  std::string text = std::to_string(e.seq) + " task" + std::to_string(e.task) + " " + std::string(name(e.kind)) + "(";
  text += "dev=" + (e.dev == no_id ? std::string("NULL") : std::to_string(e.dev));
  if (e.net != no_id) text += ", net=" + std::to_string(e.net);
  if (e.value != 0) text += ", " + std::to_string(e.value);
  if (*e.tag != 0) text += std::string(", ") + e.tag;
  return text + ")";
}

// Written by one thread only; chunks never move, so growing costs one allocation per 4096 events.
struct recorder::buffer {
  std::list<std::vector<event>> chunks;
  void push(const event& e) {
    if (chunks.empty() || chunks.back().size() == chunk_size) {
      chunks.emplace_back();
      chunks.back().reserve(chunk_size);
    }
    chunks.back().push_back(e);
  }
};

struct recorder::buffers {
  std::mutex lock;
  std::list<buffer> all;
};

namespace {
struct cached_buffer {
  std::uint64_t recorder = 0;
  void* buffer = nullptr;
};
thread_local cached_buffer cache;
}  // namespace

recorder::recorder() : buffers_(std::make_unique<buffers>()), identity_(next_identity.fetch_add(1)) {}
recorder::~recorder() = default;

// A thread that alternates between recorders gets a new buffer at each change: correct, only slower.
recorder::buffer& recorder::own_buffer() {
  if (cache.recorder == identity_) return *static_cast<buffer*>(cache.buffer);
  std::lock_guard held(buffers_->lock);
  buffers_->all.emplace_back();
  cache = {identity_, &buffers_->all.back()};
  return buffers_->all.back();
}

void recorder::record(event e) {
  e.seq = next_seq_.fetch_add(1, std::memory_order_relaxed);
  if (sink_) sink_(e);
  if (enabled()) own_buffer().push(e);
}

std::vector<event> recorder::collect() const {
  std::vector<event> out;
  std::lock_guard held(buffers_->lock);
  for (const buffer& b : buffers_->all)
    for (const auto& chunk : b.chunks) out.insert(out.end(), chunk.begin(), chunk.end());
  std::sort(out.begin(), out.end(), [](const event& a, const event& b) { return a.seq < b.seq; });
  return out;
}

std::vector<std::int32_t> recorder::members(const std::vector<event>& events, std::size_t index) {
  std::vector<std::int32_t> devs;
  const event& begin = events[index];
  for (std::size_t i = index + 1; i < events.size() && devs.size() < static_cast<std::size_t>(begin.value); ++i)
    if (events[i].kind == event_kind::span_member && events[i].task == begin.task) devs.push_back(events[i].dev);
  return devs;
}

void recorder::clear() {
  std::lock_guard held(buffers_->lock);
  for (buffer& b : buffers_->all) b.chunks.clear();
}

}  // namespace quiesce::refimpl
