// SPDX-License-Identifier: MIT
#include "conformance/observe_kprobe_calls.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace quiesce::observe {
namespace {

constexpr std::size_t deepest = 64;

// A handler of a notification may close and unregister other devices.
bool recurses(std::string_view f) {
  return f == "call_netdevice_notifiers_info" || f == "unregister_netdevice_many" ||
         f == "unregister_netdevice_many_notify" || f == "rollback_registered_many" || f == "dev_close_many" ||
         f == "netif_close_many" || f == "unregister_netdevice_queue" || f == "dev_close";
}

}  // namespace

std::string call_stack::leave(place from, returning_functions& known) {
  std::string wrong;
  for (place f = from; f != open_.end(); ++f) {
    if (known.has(known.seen, *f)) wrong = fmt::format("{} does not return", *f);
    known.add(known.skipped, *f);
  }
  open_.erase(from, open_.end());
  return wrong;
}

// Functions whose returns are not recorded stay until one around them returns, or they are called again; what was called
// since may still run then.
std::string call_stack::call(const char* function, returning_functions& known) {
  std::string wrong;
  const auto open = std::find(open_.begin(), open_.end(), function);
  if (open != open_.end() && !recurses(function)) {
    if (known.has(known.seen, function)) wrong = fmt::format("{} does not return", function);
    known.add(known.skipped, function);
    open_.erase(open);
  }
  if (open_.empty() && std::find(outermost_.begin(), outermost_.end(), function) == outermost_.end())
    outermost_.push_back(function);
  if (open_.size() >= deepest) open_.erase(open_.begin());  // it has returned unseen
  open_.push_back(function);
  return wrong;
}

std::string call_stack::ret(const char* function, returning_functions& known) {
  const bool late = known.add(known.seen, function) && known.has(known.skipped, function);
  std::string wrong = late ? fmt::format("calls of {} and its returns do not fit", function) : "";
  const auto open = std::find(open_.rbegin(), open_.rend(), function);
  if (open == open_.rend()) {
    // Running since before the recording? Not if it was called meanwhile, nor if what is called since does not return
    // before.
    const bool outermost = std::find(outermost_.begin(), outermost_.end(), function) != outermost_.end();
    const bool inside = std::any_of(open_.begin(), open_.end(), [&](const char* f) { return known.has(known.seen, f); });
    if (inside || (outermost && !recurses(function)))
      wrong = fmt::format("{} returns, but its call is not recorded", function);
    for (const char* f : open_) known.add(known.skipped, f);
    return wrong;
  }
  if (std::string inner = leave(open.base(), known); !inner.empty()) wrong = std::move(inner);
  open_.pop_back();
  return wrong;
}

}  // namespace quiesce::observe
