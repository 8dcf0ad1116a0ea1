// SPDX-License-Identifier: MIT
#include "model/system/layout.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace quiesce {

namespace {

// First fit over the words opened so far. Wide fields are placed first (first fit decreasing), which leaves few holes.
class packer {
 public:
  slot place(std::uint32_t bits) {
    if (bits == 0) return {};
    std::uint32_t word = first_with_room_;
    while (word < used_.size() && used_[word] + bits > 64) ++word;
    if (word == used_.size()) used_.push_back(0);
    slot s{word, static_cast<std::uint8_t>(used_[word]), static_cast<std::uint8_t>(bits),
           bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1};
    used_[word] += bits;
    while (first_with_room_ < used_.size() && used_[first_with_room_] == 64) ++first_with_room_;
    return s;
  }
  std::uint32_t words() const { return std::max<std::uint32_t>(1, static_cast<std::uint32_t>(used_.size())); }

 private:
  std::vector<std::uint32_t> used_;
  std::uint32_t first_with_room_ = 0;
};

}  // namespace

layout::layout(ir::program& p) {
  std::vector<std::uint32_t> width(p.variables.size());
  std::uint64_t slots = 0;
  for (std::size_t v = 0; v < p.variables.size(); ++v) {
    width[v] = ir::bits(p, p.variables[v].type);
    p.variables[v].first_slot = static_cast<std::uint32_t>(slots);
    std::uint64_t n = ir::element_count(p, p.variables[v]);
    slots += n;
    bits_ += static_cast<std::uint32_t>(n * width[v]);
    if (slots > (1u << 24)) throw std::logic_error("state of more than 2^24 fields");
  }
  slots_.resize(slots);
  std::vector<std::size_t> order(p.variables.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return width[a] > width[b]; });
  packer pack;
  for (std::size_t v : order) {
    std::uint64_t n = ir::element_count(p, p.variables[v]);
    for (std::uint64_t i = 0; i < n; ++i) slots_[p.variables[v].first_slot + i] = pack.place(width[v]);
  }
  words_ = pack.words();
}

}  // namespace quiesce
