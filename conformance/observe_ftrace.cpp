// SPDX-License-Identifier: MIT
#include "conformance/observe_ftrace.hpp"
#include "conformance/observe_grammar.hpp"

#include <boost/fusion/include/adapt_struct.hpp>
#include <charconv>

namespace quiesce::observe {

namespace {

using grammar::blank;
using grammar::digit;
using grammar::xdigit;
using grammar::iterator;
using grammar::text_range;
using grammar::view;

struct raw_line {
  text_range task, cpu;
  std::uint64_t seconds = 0;
  text_range fraction, name;
};
struct raw_entries {
  std::uint64_t in_buffer = 0, written = 0;
};
struct raw_field {
  text_range key, value;
};
struct raw_probe {
  text_range where, from;
};

}  // namespace
}  // namespace quiesce::observe

BOOST_FUSION_ADAPT_STRUCT(quiesce::observe::raw_line, task, cpu, seconds, fraction, name)
BOOST_FUSION_ADAPT_STRUCT(quiesce::observe::raw_entries, in_buffer, written)
BOOST_FUSION_ADAPT_STRUCT(quiesce::observe::raw_field, key, value)
BOOST_FUSION_ADAPT_STRUCT(quiesce::observe::raw_probe, where, from)

namespace quiesce::observe {
namespace {

namespace x3 = grammar::x3;
using grammar::char_;
using grammar::lit;
using grammar::number;
using grammar::white;
using grammar::word;

const auto blanks = x3::omit[+blank];

// The command name may contain anything; the process id is what stands before the processor.
const auto pid = '-' >> digit >> *digit;
const auto thread_group = x3::omit[-(blanks >> '(' >> *(char_ - ')') >> ')')];
const auto processor_follows = thread_group >> blanks >> '[' >> digit;
const auto task = x3::raw[+(char_ - (x3::omit[pid] >> processor_follows)) >> x3::omit[pid]];
const auto flags = x3::omit[+(char_ - white)] >> blanks;
const auto stamp = number >> '.' >> x3::raw[+digit] >> ':';
const auto plain_name = x3::raw[+(char_ - (lit(':') | white))] >> ':';
const auto stack_head = x3::raw[lit("<stack trace>")];
const auto head = x3::omit[*blank] >> task >> thread_group >> blanks >> '[' >> x3::raw[+digit] >> ']' >> blanks >>
                  -(!(number >> '.' >> digit) >> flags) >> stamp >> blanks >> (stack_head | plain_name);

const auto lost_line = lit("CPU:") >> x3::omit[number] >> " [LOST " >> (number >> " EVENTS]" | "EVENTS]" >> x3::attr(0ULL));
const auto entries_line = lit("# entries-in-buffer/entries-written: ") >> number >> '/' >> number;

const auto symbol = +(char_ - (char_("+)") | white));
const auto offset = "+0x" >> +xdigit >> -("/0x" >> +xdigit);
const auto module_name = " [" >> +(char_ - ']') >> ']';
const auto frame = lit(" => ") >> x3::raw[symbol >> -offset] >> x3::omit[-module_name];

const auto quoted = '"' >> x3::raw[*(char_ - '"')] >> '"';
const auto field = ' ' >> x3::raw[+(char_ - (lit('=') | ' '))] >> '=' >> (quoted | word);
const auto unknown_caller = lit("[unknown/kretprobe'd]");
const auto place = x3::raw[unknown_caller | symbol >> x3::omit[-offset >> -module_name]];
const auto probe = '(' >> place >> (" <- " >> place | x3::attr(text_range{})) >> ')';

std::string_view symbol_of(std::string_view place_text) { return place_text.substr(0, place_text.find_first_of("+ ")); }

}  // namespace

bool parse_ftrace(std::string_view line, ftrace_line& out) {
  raw_line raw;
  iterator first = line.data();
  const iterator last = first + line.size();
  if (!x3::parse(first, last, head, raw)) return false;
  out.task = view(raw.task);
  out.cpu = view(raw.cpu);
  out.name = view(raw.name);
  if (raw.seconds > 9'000'000'000ULL) return false;
  out.time = static_cast<std::int64_t>(raw.seconds) * 1'000'000'000 + grammar::fraction_of(view(raw.fraction));
  if (first != last && *first == ' ') ++first;
  out.text = {first, static_cast<std::size_t>(last - first)};
  return true;
}

bool parse_lost(std::string_view line, std::uint64_t& lost) {
  iterator first = line.data();
  return line.starts_with("CPU:") && x3::parse(first, first + line.size(), lost_line, lost);
}

bool parse_entries(std::string_view line, std::uint64_t& in_buffer, std::uint64_t& written) {
  raw_entries raw;
  iterator first = line.data();
  if (!x3::parse(first, first + line.size(), entries_line, raw)) return false;
  in_buffer = raw.in_buffer;
  written = raw.written;
  return true;
}

bool parse_frame(std::string_view line, std::string_view& function) {
  text_range name;
  iterator first = line.data();
  const iterator last = first + line.size();
  if (!x3::parse(first, last, frame, name) || first != last) return false;
  function = view(name);
  return true;
}

bool is_probe(std::string_view text) { return !text.empty() && text.front() == '('; }

std::string_view probed_function(std::string_view text) {
  const std::size_t close = text.find(')');
  const std::string_view inside = text.substr(1, close == std::string_view::npos ? close : close - 1);
  const std::size_t arrow = inside.find("<- ");
  return symbol_of(arrow == std::string_view::npos ? inside : inside.substr(arrow + 3));
}

bool parse_probe(std::string_view text, probe_text& out) {
  raw_probe raw;
  iterator first = text.data();
  const iterator last = first + text.size();
  if (!x3::parse(first, last, probe, raw)) return false;
  out.returns = !raw.from.empty();
  out.function = symbol_of(view(out.returns ? raw.from : raw.where));
  out.caller = out.returns ? symbol_of(view(raw.where)) : std::string_view{};
  out.fields.clear();
  while (first != last) {
    raw_field f;
    if (!x3::parse(first, last, field, f)) return false;
    out.fields.push_back({view(f.key), view(f.value)});
  }
  return true;
}

std::string_view probe_text::value(std::string_view key) const {
  for (const field& f : fields)
    if (f.key == key) return f.value;
  return {};
}

std::uint64_t probe_text::number(std::string_view key) const {
  std::string_view text = value(key);
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  std::uint64_t out = 0;
  const auto [stop, failed] = std::from_chars(text.data(), text.data() + text.size(), out, hex ? 16 : 10);
  return failed == std::errc() && stop == text.data() + text.size() ? out : 0;
}

std::string_view field_of(std::string_view text, std::string_view key) {
  for (std::size_t at = 0; (at = text.find(key, at)) != std::string_view::npos; ++at) {
    const std::size_t value = at + key.size();
    if ((at == 0 || text[at - 1] == ' ') && value < text.size() && text[value] == '=')
      return text.substr(value + 1, text.find(' ', value) - value - 1);
  }
  return {};
}

}  // namespace quiesce::observe
