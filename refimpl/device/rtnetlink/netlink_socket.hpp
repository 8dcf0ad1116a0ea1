// SPDX-License-Identifier: MIT
#pragma once
// A NETLINK_ROUTE socket for requests: each is acknowledged, errors carry the kernel's extended acknowledgement, every wait
// has a deadline. Belongs to the network namespace in which the thread that opened it was. Not for several threads at once.

#include <functional>
#include <memory>

#include "refimpl/device/rtnetlink/answer.hpp"
#include "refimpl/device/rtnetlink/netlink_message.hpp"

struct mnl_socket;

namespace quiesce::rtnetlink {

class netlink_socket {
 public:
  netlink_socket() = default;
  // In the namespace of the calling thread.
  static answer open(netlink_socket& out);

  // Sends and waits for the acknowledgement. For RTM_DELLINK the kernel acknowledges after rtnl_unlock, thus after
  // netdev_run_todo: the device is gone for good.
  answer request(message& m, deadline until);
  // Each part of a dump. A dump that the kernel marked as interrupted by a change is repeated (f must then be ready to start
  // again: `again` is called first), at most a hundred times: -EINTR.
  answer dump(message& m, deadline until, const std::function<void()>& again,
              const std::function<void(const nlmsghdr*)>& part);

  bool is_open() const { return socket_ != nullptr; }
  void close() { socket_.reset(); }

 private:
  struct closer {
    void operator()(mnl_socket* s) const;
  };
  answer send(message& m);
  answer receive(message& m, deadline until, std::size_t& length);
  answer dump_once(message& m, deadline until, bool& interrupted, const std::function<void(const nlmsghdr*)>& part);

  std::unique_ptr<mnl_socket, closer> socket_;
  unsigned sequence_ = 0;
  std::vector<char> buffer_;
};

}  // namespace quiesce::rtnetlink
