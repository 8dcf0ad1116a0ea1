// SPDX-License-Identifier: MIT
// hold_reference SECONDS: a dummy device in a private namespace, deleted while a packet socket holds it for so long. Exit
// status 0 when the deletion was acknowledged only after the release.

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "refimpl/device/rtnetlink/held_reference.hpp"
#include "refimpl/device/rtnetlink/link_requests.hpp"

using namespace quiesce::rtnetlink;

namespace {

void must(const answer& a) {
  if (a) return;
  std::fprintf(stderr, "%s\n", a.text.c_str());
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 2.5;
  private_net n;
  must(private_net::make(n, "held"));
  new_link link;
  link.kind = "dummy";
  link.name = "held0";
  link.mac = mac_of(1);
  must(create_link(n, link, in(usual_limit)));
  int ifindex = 0;
  must(index_of(n, link.name, ifindex, in(usual_limit)));
  must(set_link_up(n, ifindex, true, in(usual_limit)));
  held_reference held;
  must(held.take(n, ifindex, in(usual_limit)));
  std::atomic<bool> acknowledged{false};
  answer deleted;
  std::thread deleting([&] {
    deleted = delete_link(n, ifindex, in(std::chrono::minutes(2)));
    acknowledged = true;
  });
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  const bool early = acknowledged;
  held.release();
  deleting.join();
  must(deleted);
  if (early) std::fprintf(stderr, "the deletion did not wait for the reference\n");
  return early ? 1 : 0;
}
