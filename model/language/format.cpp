// SPDX-License-Identifier: MIT
// Whole files in canonical form.

#include <algorithm>

#include "model/language/format_block.hpp"
#include "model/language/lexical.hpp"
#include "model/language/parse.hpp"

namespace quiesce::language {
namespace format_detail {
namespace {

struct item_writer {
  writer& w;
  void operator()(const ast::init_decl& d) const { block(w, d.where.begin, d.where.begin, "init", d.body); }
  void operator()(const ast::procedure_decl& d) const { procedure(w, d); }
  void operator()(const ast::handler_decl& d) const { handler(w, d); }
  void operator()(const ast::process_decl& d) const { process(w, d); }
  void operator()(const ast::operation_decl& d) const { operation(w, d); }
  void operator()(const ast::environment_decl& d) const { environment(w, d); }
  template <class Declaration>
  void operator()(const Declaration& d) const {
    w.unit(d.where.begin, d.where.end, declaration(d));
  }
};

bool one_line(const ast::item& item) {
  return is_declaration(item) && lay_out(declaration(item), 0, page_width).find('\n') == std::string::npos;
}

}  // namespace

std::string model_text(const ast::model& m, const source_layout& source) {
  writer w(source);
  const std::uint32_t name = source.token_at(m.where.begin);
  const std::uint32_t last = m.sentence.empty() ? name : name + 1;
  std::string head = m.library ? "library " : "model ";
  head += m.name;
  if (!m.sentence.empty()) head.append(1, ' ').append(quoted(m.sentence));
  w.unit(source.begin(name == 0 || name == nowhere ? 0 : name - 1), source.end(last), head);
  const ast::item* previous = nullptr;
  for (const ast::item& item : m.items) {
    const bool together = previous != nullptr && previous->index() == item.index() && one_line(*previous) && one_line(item);
    if (!together) w.separate();
    std::visit(item_writer{w}, item);
    previous = &item;
  }
  return w.finish();
}

}  // namespace format_detail

std::string format_tree(const ast::model& m) { return format_detail::model_text(m, {}); }

std::string format(const ast::model& m, std::string_view text) {
  return format_detail::model_text(m, format_detail::source_layout(text));
}
std::string format(const ast::property_file& f, std::string_view text) {
  return format_detail::property_text(f, format_detail::source_layout(text));
}

std::string format(const source_set& sources, std::uint32_t file) {
  const std::string_view text = sources.text(file);
  const char* const end = text.data() + text.size();
  const char* const first = grammar::skip_blanks(text.data(), end);
  const std::string_view word(first, static_cast<std::size_t>(grammar::word_end(first, end) - first));
  if (word == "vocabulary" || word == "property") return format(parse_properties(sources, file), text);
  if (word == "claim") return format_detail::claim_text(parse_claims(sources, file), format_detail::source_layout(text));
  if (word == "model" || word == "library") return format(parse_model(sources, file), text);
  const auto at = static_cast<std::uint32_t>(first - text.data());
  throw diagnostic(source_range{file, at, at + static_cast<std::uint32_t>(grammar::token_end(first, end) - first)},
                   "a file begins with 'model', 'library', 'vocabulary', 'property' or 'claim'");
}

}  // namespace quiesce::language
