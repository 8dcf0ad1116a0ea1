// SPDX-License-Identifier: MIT
#include "refimpl/device/rtnetlink/held_reference.hpp"

#include <fcntl.h>
#include <linux/if_packet.h>
#include <linux/userfaultfd.h>
#include <net/ethernet.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

namespace quiesce::rtnetlink {

struct held_reference::state {
  ~state() {
    wake();
    if (sender.joinable()) sender.join();
    if (socket >= 0) ::close(socket);
    if (faults >= 0) ::close(faults);
    if (page != MAP_FAILED) munmap(page, size);
  }
  // Lets the sender's copy go on: the page is zeroes. It fails while nobody waits and the page is there already.
  void wake() const {
    if (faults < 0 || page == MAP_FAILED) return;
    uffdio_zeropage zero{};
    zero.range = {reinterpret_cast<std::uintptr_t>(page), size};
    ioctl(faults, UFFDIO_ZEROPAGE, &zero);
  }
  answer prepare();
  answer open_socket(const private_net& n);

  const std::size_t size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* page = MAP_FAILED;
  int faults = -1, socket = -1;
  std::thread sender;
};

answer held_reference::state::prepare() {
  faults = static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK));
  if (faults < 0) return failed(errno, "userfaultfd");
  uffdio_api api{};
  api.api = UFFD_API;
  if (ioctl(faults, UFFDIO_API, &api) < 0) return failed(errno, "UFFDIO_API");
  page = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return failed(errno, "mmap");
  uffdio_register range{};
  range.range = {reinterpret_cast<std::uintptr_t>(page), size};
  range.mode = UFFDIO_REGISTER_MODE_MISSING;
  return ioctl(faults, UFFDIO_REGISTER, &range) < 0 ? failed(errno, "UFFDIO_REGISTER") : answer{};
}

answer held_reference::state::open_socket(const private_net& n) {
  return n.inside([&]() -> answer {
    socket = ::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
    return socket < 0 ? failed(errno, "socket(AF_PACKET)") : answer{};
  });
}

held_reference::held_reference() = default;
held_reference::~held_reference() = default;
held_reference::held_reference(held_reference&&) noexcept = default;
held_reference& held_reference::operator=(held_reference&&) noexcept = default;
void held_reference::release() { state_.reset(); }

answer held_reference::take(const private_net& n, int ifindex, deadline until) {
  auto s = std::make_unique<state>();
  if (answer a = s->prepare(); !a) return a;
  if (answer a = s->open_socket(n); !a) return a;
  sockaddr_ll to{};
  to.sll_family = AF_PACKET;
  to.sll_ifindex = ifindex;
  to.sll_halen = 6;
  s->sender = std::thread([to, socket = s->socket, page = s->page] {
    static_cast<void>(sendto(socket, page, 64, 0, reinterpret_cast<const sockaddr*>(&to), sizeof to));
  });
  // The fault arrives when the kernel copies, after it took the reference.
  pollfd p{s->faults, POLLIN, 0};
  const int ready = poll(&p, 1, milliseconds_to(until));
  if (ready <= 0) return failed(ready == 0 ? ETIMEDOUT : errno, "a packet socket's copy");
  state_ = std::move(s);
  return {};
}

}  // namespace quiesce::rtnetlink
