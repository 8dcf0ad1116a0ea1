// SPDX-License-Identifier: MIT
// Any bytes as a model, a property file, claims and an expression: either a diagnostic inside the text, or a tree whose canonical form
// is a text of the same kind that formatting leaves alone.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "model/language/parse.hpp"

namespace {

using quiesce::diagnostic;
using quiesce::language::source_set;

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

template <class Parse>
void attempt(const std::string& text, Parse parse) {
  source_set sources;
  const std::uint32_t file = sources.add("input", text);
  try {
    parse(sources, file);
  } catch (const diagnostic& d) {
    require(d.has_place && d.where.begin <= d.where.end && d.where.end <= text.size(), "the place of a diagnostic is inside the text");
    require(!d.sentence.empty() && d.sentence.find('\n') == std::string::npos, "a diagnostic is one sentence");
    const std::string shown = quiesce::language::render(sources, d);
    require(!shown.empty() && shown.back() == '\n', "a rendering ends its line");
  }
}

void check_form(const std::string& text) {
  source_set sources;
  std::string once;
  try {
    once = quiesce::language::format(sources, sources.add("input", text));
  } catch (const diagnostic&) {
    return;
  }
  try {
    require(quiesce::language::format(sources, sources.add("once", once)) == once, "formatting is idempotent");
  } catch (const diagnostic& d) {
    std::fputs(quiesce::language::render(sources, d).c_str(), stderr);
    require(false, "a canonical form parses");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  attempt(text, quiesce::language::parse_model);
  attempt(text, quiesce::language::parse_properties);
  attempt(text, quiesce::language::parse_claims);
  attempt(text, quiesce::language::parse_expression);
  check_form(text);
  return 0;
}
