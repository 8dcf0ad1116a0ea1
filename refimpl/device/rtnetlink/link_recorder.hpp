// SPDX-License-Identifier: MIT
#pragma once
// The link messages of this process's network namespace as a file, as `ip monitor file` writes them: each message behind a
// time stamp. `quiesce trace --with` takes the names of devices from it, `quiesce trace` reads it by itself.

#include <ostream>

#include "refimpl/device/rtnetlink/answer.hpp"

namespace quiesce::rtnetlink {

class link_recorder {
 public:
  link_recorder() = default;
  link_recorder(const link_recorder&) = delete;
  link_recorder& operator=(const link_recorder&) = delete;
  ~link_recorder();
  // Listens from now on. Needs no permission.
  answer start();
  int fd() const { return fd_; }  // readable: take() has something to do
  // Writes what has come. Where the kernel dropped messages (ENOBUFS), a message NLMSG_OVERRUN stands in the file.
  answer take(std::ostream& to);
  std::size_t messages() const { return messages_; }
  std::size_t overruns() const { return overruns_; }

 private:
  int fd_ = -1;
  std::size_t messages_ = 0, overruns_ = 0;
};

}  // namespace quiesce::rtnetlink
