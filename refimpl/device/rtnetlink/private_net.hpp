// SPDX-License-Identifier: MIT
#pragma once
// Network namespaces that this process made itself and that nobody can find: unshared by a thread that ends at once, without
// a name in /run/netns, held by a descriptor (close-on-exec). When the process ends, however it ends, nothing holds them any
// longer and the kernel deletes them with everything in them. No existing namespace is ever accepted.

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>

#include "refimpl/device/rtnetlink/netlink_socket.hpp"

namespace quiesce::rtnetlink {

class private_net {
 public:
  // Unshares a namespace and refuses it unless it is really new: its inode differs from the caller's and from that of every
  // private_net alive, and `lo` is all there is in it. `label` is for messages. errors: -EPERM without CAP_SYS_ADMIN;
  // -EEXIST where one of the checks fails.
  static answer make(private_net& out, const std::string& label);

  private_net() = default;
  private_net(private_net&&) = default;
  private_net& operator=(private_net&&) = default;
  ~private_net();

  bool alive() const { return fd_ != nullptr; }
  int fd() const { return fd_ ? *fd_ : -1; }
  ino_t inode() const { return inode_; }
  const std::string& label() const { return label_; }
  netlink_socket& rtnl() { return rtnl_; }

  // f in a thread of its own inside the namespace; what it opens (sockets, /dev/net/tun, /proc/sys/net) belongs to the
  // namespace. f does not throw.
  answer inside(const std::function<answer()>& f) const;
  // Writes a setting of the namespace: `name` is below /proc/sys/net. Refuses names outside ipv4/ and ipv6/, which have one
  // copy for each namespace. errors: open's and write's.
  answer set(const std::string& name, const std::string& value) const;

  // Gives up the descriptor and the socket: the namespace's exit begins, in the kernel's own time.
  void drop();

 private:
  struct closer {
    void operator()(int* fd) const;
  };
  std::unique_ptr<int, closer> fd_;
  ino_t inode_ = 0;
  std::string label_;
  netlink_socket rtnl_;
};

}  // namespace quiesce::rtnetlink
