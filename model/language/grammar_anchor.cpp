// SPDX-License-Identifier: MIT
// What ties a text to its sources: kernel anchors and evidence marks.

#include "model/language/grammar.hpp"

namespace quiesce::language::grammar {
namespace {

struct mark_token : token<mark_token, char> {
  constexpr mark_token() : token("an evidence mark: V, H, M, R or X") {}
  bool read(const state&, iterator& at, iterator last, char& value) const {
    iterator end = word_end(at, last);
    if (end != at + 1 || std::string_view("VHMRX").find(*at) == std::string_view::npos) return false;
    value = *at;
    at = end;
    return true;
  }
};

}  // namespace

const auto anchor_def =
    located[sym("@") > ((kw("at") > name("a label")[put<&ast::anchor::label>]) |
            (kw("kernel", "'kernel' after '@'") > sym("(", "'(' after '@kernel'") >
            text("the kernel file in double quotes")[put<&ast::anchor::file>] > sym(",", "',' and the kernel function") >
            name("the kernel function")[put<&ast::anchor::function>] >
            -(sym(",") > text("the kernel version in double quotes")[put<&ast::anchor::version>]) >
            -(kw("calls") > commas[name("the name of a kernel function that is called")[push<&ast::anchor::calls>]]) >
            sym(")", "')' to close the anchor")))];

const auto evidence_def = kw("evidence") > mark_token()[put<&ast::evidence::mark>] > -text()[put<&ast::evidence::text>];

QUIESCE_DEFINE(anchor)
QUIESCE_DEFINE(evidence)

}  // namespace quiesce::language::grammar
