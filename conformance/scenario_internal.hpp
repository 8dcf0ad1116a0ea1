// SPDX-License-Identifier: MIT
#pragma once
// What the text form's reader and writer share.

#include "conformance/scenario.hpp"

namespace quiesce::conformance {

const std::vector<std::string>& chain_events();  // what a callback may be `on`
std::string net_name(net_ref);
std::string device_name(device_ref);

template <class E>
struct word_of {
  const char* word;
  E value;
};
inline constexpr word_of<device_kind> device_words[] = {{"physical", device_kind::physical},
                                                        {"dummy", device_kind::dummy},
                                                        {"vlan", device_kind::vlan},
                                                        {"macvlan", device_kind::macvlan}};
inline constexpr word_of<fault_kind> fault_words[] = {{"alloc", fault_kind::alloc},
                                                      {"site", fault_kind::site},
                                                      {"init", fault_kind::init},
                                                      {"open", fault_kind::open},
                                                      {"throw_open", fault_kind::throw_open},
                                                      {"throw_stop", fault_kind::throw_stop},
                                                      {"throw_uninit", fault_kind::throw_uninit}};
inline constexpr word_of<reaction> reaction_words[] = {
    {"none", reaction::none}, {"veto", reaction::veto}, {"throw", reaction::throw_}, {"do", reaction::act}};

template <class E, std::size_t N>
const char* word(const word_of<E> (&table)[N], E value) {
  for (const auto& w : table)
    if (w.value == value) return w.word;
  return "";
}

}  // namespace quiesce::conformance
