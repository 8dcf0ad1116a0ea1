// SPDX-License-Identifier: MIT
#pragma once
// The driver of real devices for scenarios: the stack's devices bound to devices of the running kernel (refimpl/device/
// rtnetlink), in namespaces that exist for this run only.

#include "conformance/driver.hpp"

namespace quiesce::conformance {

driver_entry rtnetlink_driver();

// The operations of a scenario that user space can make a kernel do as well. Devices without rtnl_link_ops become dummies,
// kinds that this kernel lacks too; callbacks, faults, references held by users and what depends on them are left out.
// `moves`: devices may change their namespace, which no operation of a driver does: only where the whole operation is asked
// of the kernel.
scenario drivable(const scenario&, left_out&, bool moves = false);
// Whether user space can do it at all.
bool is_drivable(op_kind, bool moves = false);

}  // namespace quiesce::conformance
