// SPDX-License-Identifier: MIT
#include "conformance/observe_links.hpp"

#include <fmt/format.h>

#include "conformance/observe_format_list.hpp"

namespace quiesce::observe {
namespace {

constexpr std::size_t links_kept = 1 << 16;

}  // namespace

// A link that comes back with another name or address is another device; with the same ones it is the same device, told of
// once more.
void link_table::message(const link_message& m) {
  const std::uint64_t key = (m.net << 32) | static_cast<std::uint32_t>(m.ifindex);
  if (links_.size() > links_kept && !links_.count(key)) {
    to_.doubtful(doubt::too_many, to_.line_number(), "more links than are kept: what is known of them is forgotten");
    links_.clear();
  }
  auto found = links_.find(key);
  // A number is not given again at once, so that of the same number with another name nothing is certain.
  if (found != links_.end() && found->second.gone && !m.gone && found->second.name != m.name)
    to_.doubtful(doubt::unmatched, to_.line_number(),
                 fmt::format("link {} was {} and deleted; it is {} now: renamed, or another device", m.ifindex,
                             printable(found->second.name), printable(m.name)));
  const bool other = found != links_.end() && found->second.gone &&
                     (found->second.name != m.name || (!m.address.empty() && found->second.address != m.address));
  if (found == links_.end() || other || !to_.info(found->second.device)) {
    const slot dev = to_.fresh({m.name, m.ifindex, m.net});
    found = links_.insert_or_assign(key, link{dev, m.name, m.address, false}).first;
  }
  link& l = found->second;
  if (!m.address.empty()) l.address = m.address;
  l.gone = m.gone;
  to_.emit_at(m.gone ? seen::RTM_DELLINK : seen::RTM_NEWLINK, l.device, m.net, false);
  to_.set_state(l.device, m.gone ? device_info::life::unregistered : device_info::life::registered);
}

}  // namespace quiesce::observe
