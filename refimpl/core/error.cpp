// SPDX-License-Identifier: MIT
#include "refimpl/core/error.hpp"

namespace quiesce::refimpl {

std::string_view name(error e) {
  switch (e) {
    case error::none:
      return "0";
    case error::eperm:
      return "-EPERM";
    case error::enoent:
      return "-ENOENT";
    case error::esrch:
      return "-ESRCH";
    case error::eio:
      return "-EIO";
    case error::enomem:
      return "-ENOMEM";
    case error::efault:
      return "-EFAULT";
    case error::ebusy:
      return "-EBUSY";
    case error::eexist:
      return "-EEXIST";
    case error::enodev:
      return "-ENODEV";
    case error::einval:
      return "-EINVAL";
    case error::enfile:
      return "-ENFILE";
    case error::enospc:
      return "-ENOSPC";
    case error::edeadlk:
      return "-EDEADLK";
    case error::eopnotsupp:
      return "-EOPNOTSUPP";
    case error::enetdown:
      return "-ENETDOWN";
    case error::enetunreach:
      return "-ENETUNREACH";
    case error::enobufs:
      return "-ENOBUFS";
    case error::ehostunreach:
      return "-EHOSTUNREACH";
  }
  return "-E?";
}

std::string_view name(machine_check::kind k) {
  switch (k) {
    case machine_check::kind::bug:
      return "BUG";
    case machine_check::kind::list_corruption:
      return "list corruption";
    case machine_check::kind::endless_traversal:
      return "endless traversal";
    case machine_check::kind::null_dereference:
      return "NULL dereference";
    case machine_check::kind::deadlock:
      return "deadlock";
  }
  return "?";
}

}  // namespace quiesce::refimpl
