// SPDX-License-Identifier: MIT
#pragma once
// A reference to a real device that is held for as long as wanted. packet_snd (net/packet/af_packet.c) takes one before it
// copies the data from user memory; the data here are in a page whose faults are served by this program (userfaultfd), which
// lets them wait. Meanwhile an unregistration of the device waits in netdev_wait_allrefs and repeats NETDEV_UNREGISTER.

#include <memory>

#include "refimpl/device/rtnetlink/private_net.hpp"

namespace quiesce::rtnetlink {

class held_reference {
 public:
  held_reference();
  ~held_reference();  // releases
  held_reference(held_reference&&) noexcept;
  held_reference& operator=(held_reference&&) noexcept;

  // before: the device is up. after: the kernel holds it until release() or the end of this process. errors: those of
  // userfaultfd (CONFIG_USERFAULTFD, privilege) and of the packet socket; -ETIMEDOUT when the sender never got that far.
  answer take(const private_net& n, int ifindex, deadline until);
  void release();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace quiesce::rtnetlink
