// SPDX-License-Identifier: MIT
#include "refimpl/device/driver.hpp"

namespace quiesce::refimpl {

const rtnl_link_ops dummy_link_ops{"dummy", nullptr};

namespace {
void misbehave_if(bool wanted, const char* what) {
  if (wanted) throw std::runtime_error(what);
}
}  // namespace

int simulated_driver::ndo_init(net_device&) {
  misbehave_if(misbehave.throw_in_init, "ndo_init");
  if (misbehave.init_errno != 0) return misbehave.init_errno;
  inits.fetch_add(1);
  return 0;
}

void simulated_driver::ndo_uninit(net_device&) {
  uninits.fetch_add(1);
  misbehave_if(misbehave.throw_in_uninit, "ndo_uninit");
}

int simulated_driver::ndo_open(net_device&) {
  misbehave_if(misbehave.throw_in_open, "ndo_open");
  if (misbehave.open_errno != 0) return misbehave.open_errno;
  opens.fetch_add(1);
  return 0;
}

void simulated_driver::ndo_stop(net_device&) {
  stops.fetch_add(1);
  misbehave_if(misbehave.throw_in_stop, "ndo_stop");
}

void simulated_driver::ndo_neigh_destroy(net_device&) { neighbours_destroyed.fetch_add(1); }

}  // namespace quiesce::refimpl
