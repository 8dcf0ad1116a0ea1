// SPDX-License-Identifier: MIT
#pragma once
// What the running kernel announces about links: a multicast socket in one namespace of our own that hears all of them
// (NETLINK_LISTEN_ALL_NSID), so that messages of several namespaces come in one order. rtmsg_ifinfo queues a message before
// the kernel acknowledges the request that caused it: after an acknowledgement, take() gives everything it caused.

#include <memory>
#include <string>
#include <vector>

#include "refimpl/device/rtnetlink/private_net.hpp"

namespace quiesce::rtnetlink {

struct link_event {
  bool deleted = false;  // RTM_DELLINK; else RTM_NEWLINK
  const private_net* net = nullptr;
  int ifindex = 0;
  std::string name;
  std::uint32_t flags = 0;
};

class kernel_events {
 public:
  kernel_events();
  ~kernel_events();
  // Listens from inside a namespace of its own.
  answer start();
  // From now on `n` is heard too; it must outlive this object or be forgotten. A namespace that is about to exit is heard no
  // longer: its exit removes its number first.
  answer follow(const private_net& n);
  void forget(const private_net& n);
  // Appends what has come since the last call. -ENOBUFS: the kernel dropped messages, none is given.
  answer take(std::vector<link_event>& out);
  // Waits until one arrives, which is then given by take(). -ETIMEDOUT.
  answer wait(deadline until);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace quiesce::rtnetlink
