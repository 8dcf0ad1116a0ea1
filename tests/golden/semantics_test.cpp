// SPDX-License-Identifier: MIT
// The meaning of the language, one behaviour in each golden/semantics/*.model. The comments in front say what must come out:
//
//   # scope: dev=2,depth=3    # option: HZ=250    # variant: P1    # environment: name
//   #> TEXT                    a line of the property file that is asked
//   # expect: NAME holds | NAME vacuous | NAME violated at N | NAME reached at N | NAME unreached
//   # expect: NAME violated at N loop M | NAME unknown | NAME deadlock        of `leads to`: N steps to the loop, M steps in it
//   # expect: states N | deadlock at N | error KIND at N | bound KIND at N | refused TEXT
//
// N counts steps, the last one included. What a file does not expect must not happen, and it must say something of each property.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "model/explicit/liveness.hpp"
#include "model/explicit/search.hpp"
#include "model/language/parse.hpp"
#include "model/system/lower.hpp"
#include "tests/support/repository.hpp"

namespace quiesce::test {
namespace {

namespace fs = std::filesystem;

struct expectations {
  instance settings;
  std::string properties;
  std::set<std::string> lines;
};

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  return parts;
}

std::pair<std::string, std::string> pair_of(const std::string& text) {
  const std::size_t at = text.find('=');
  return {text.substr(0, at), text.substr(at + 1)};
}

expectations read_header(const std::string& text) {
  expectations out;
  for (const std::string& line : lines_of(text)) {
    const auto rest = [&](const std::string& key) { return line.starts_with(key) ? line.substr(key.size()) : std::string(); };
    if (const std::string p = rest("#> "); !p.empty()) out.properties += p + "\n";
    if (const std::string e = rest("# expect: "); !e.empty()) out.lines.insert(e);
    if (const std::string v = rest("# variant: "); !v.empty()) out.settings.variant = v;
    if (const std::string e = rest("# environment: "); !e.empty()) out.settings.environment = e;
    for (const auto& o : split(rest("# option: "), ',')) out.settings.options.insert(pair_of(o));
    for (const auto& o : split(rest("# scope: "), ',')) {
      const auto [name, value] = pair_of(o);
      out.settings.scope[name] = std::stoll(value);
    }
  }
  return out;
}

std::string of_property(const ir::checked_property& p, const search_result& found, std::size_t i) {
  const auto& f = found.properties[i];
  if (p.sometimes) return p.name + (f ? fmt::format(" reached at {}", f->depth) : " unreached");
  if (f) return fmt::format("{} violated at {}", p.name, f->depth);
  return p.name + (p.has_trigger && !(found.marked >> i & 1) ? " vacuous" : " holds");
}

std::string of_response(const loaded_model& model, const instance& settings, const ast::property& p) {
  response asked = lower_response(model, settings, p);
  if (asked.obligations.empty()) return p.name + " vacuous";
  const auto system = make_interpreter(std::move(asked.low.program));
  const liveness_result found = check_response(*system, asked, {});
  if (found.violation) {
    const std::size_t stem = found.violation->loop_from;
    return fmt::format("{} violated at {} loop {}", p.name, stem, found.violation->run.steps.size() - 1 - stem);
  }
  if (found.deadlock) return p.name + " deadlock";
  if (!found.complete || !found.errors.empty() || !found.bounds.empty()) return p.name + " unknown";
  return p.name + (found.triggered ? " holds" : " vacuous");
}

// What comes out, in the words of the header. `with_states`: the number of states too.
std::set<std::string> outcome(const std::string& path, const expectations& wanted, bool with_states) {
  std::set<std::string> out;
  language::source_set sources;
  try {
    const ast::property_file file =
        wanted.properties.empty() ? ast::property_file{} : language::parse_properties(sources, sources.add("header.prop", wanted.properties));
    std::vector<const ast::property*> asked;
    for (const auto& p : file.properties)
      if (!is_response(p)) asked.push_back(&p);
    const ast::vocabulary vocabulary = file.vocabularies.empty() ? ast::vocabulary{} : file.vocabularies[0];
    const loaded_model model = load_model(sources, path, vocabulary);
    for (const auto& p : file.properties)
      if (is_response(p)) out.insert(of_response(model, wanted.settings, p));
    const auto system = make_interpreter(lower(model, wanted.settings, asked).program);
    search_options options;
    options.threads = 1;
    options.max_states = 200000;
    const search_result found = explore(*system, options);
    if (!found.complete) out.insert("not complete");
    if (with_states) out.insert(fmt::format("states {}", found.states));
    for (std::size_t i = 0; i < found.properties.size(); ++i) out.insert(of_property(system->program().properties[i], found, i));
    for (const auto& [kind, f] : found.errors) out.insert(fmt::format("error {} at {}", ir::name(kind), f.depth));
    for (const auto& [kind, f] : found.bounds) out.insert(fmt::format("bound {} at {}", ir::name(kind), f.depth));
    if (found.deadlock) out.insert(fmt::format("deadlock at {}", found.deadlock->depth));
  } catch (const diagnostic& d) {
    out.insert("refused " + d.sentence);
  }
  return out;
}

std::vector<std::string> files() {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(repository() / "tests/golden/semantics"))
    if (entry.path().extension() == ".model") out.push_back(entry.path().stem().string());
  std::sort(out.begin(), out.end());
  return out;
}

class semantics : public testing::TestWithParam<std::string> {};

TEST_P(semantics, is_as_written) {
  const fs::path path = repository() / "tests/golden/semantics" / (GetParam() + ".model");
  const expectations wanted = read_header(read_text(path));
  ASSERT_FALSE(wanted.lines.empty());
  const bool with_states = std::any_of(wanted.lines.begin(), wanted.lines.end(), [](const auto& l) { return l.starts_with("states "); });
  EXPECT_EQ(outcome(path.string(), wanted, with_states), wanted.lines);
}

INSTANTIATE_TEST_SUITE_P(files, semantics, testing::ValuesIn(files()), [](const auto& info) { return info.param; });

}  // namespace
}  // namespace quiesce::test
