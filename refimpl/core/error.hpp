// SPDX-License-Identifier: MIT
#pragma once
// Outcomes of operations: a value or a kernel errno. No operation of the stack throws; see stack::enter.

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace quiesce::refimpl {

// include/uapi/asm-generic/errno-base.h and errno.h, same names and numbers.
// A driver may return others; they are passed on as they are.
enum class error : std::uint16_t {
  none = 0,
  eperm = 1,  // RTNL or another required lock is not held (ASSERT_RTNL)
  enoent = 2,
  esrch = 3,
  eio = 5,  // the stack has stopped (stack::stopped)
  enomem = 12,
  efault = 14,  // a callback threw
  ebusy = 16,
  eexist = 17,
  enodev = 19,
  einval = 22,
  enfile = 23,
  enospc = 28,
  edeadlk = 35,  // the caller already holds RTNL
  eopnotsupp = 95,
  enetdown = 100,
  enetunreach = 101,
  enobufs = 105,
  ehostunreach = 113,
};

// "-EINVAL"; "0" for none.
std::string_view name(error e);

// A value or an error. value() of a failed result throws std::logic_error: a programming mistake of the caller.
template <class T>
class [[nodiscard]] result {
 public:
  result(T value) : value_(std::move(value)) {}
  result(error e) : error_(e) {}
  explicit operator bool() const { return value_.has_value(); }
  T& value() {
    if (!value_) throw std::logic_error("value of a failed result: " + std::string(name(error_)));
    return *value_;
  }
  const T& value() const { return const_cast<result*>(this)->value(); }
  T& operator*() { return value(); }
  error code() const { return error_; }

 private:
  std::optional<T> value_;
  error error_ = error::none;
};

template <>
class [[nodiscard]] result<void> {
 public:
  result() = default;
  result(error e) : error_(e) {}
  explicit operator bool() const { return error_ == error::none; }
  error code() const { return error_; }

 private:
  error error_ = error::none;
};

using status = result<void>;

// What would crash or hang a kernel. Thrown inside an operation, caught at its boundary (stack::enter), which stops the
// stack and keeps the report. Never leaves the library.
class machine_check : public std::runtime_error {
 public:
  enum class kind { bug, list_corruption, endless_traversal, null_dereference, deadlock };
  machine_check(kind k, const std::string& what) : std::runtime_error(what), kind_(k) {}
  kind what_kind() const { return kind_; }

 private:
  kind kind_;
};

std::string_view name(machine_check::kind k);

}  // namespace quiesce::refimpl
