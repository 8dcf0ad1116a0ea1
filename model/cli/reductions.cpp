// SPDX-License-Identifier: MIT
// quiesce reductions: what each reduction brings on a model, and that none changes an answer.

#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>

#include "model/cli/verb.hpp"
#include "model/cli/words.hpp"
#include "model/verdict/applicable.hpp"
#include "model/verdict/claim.hpp"

namespace quiesce::cli {
namespace {

// The ways to search that are compared. The first is what the others are measured by.
struct way {
  const char* name;
  reductions reduce;
  bool symmetry;
  unsigned threads = 0;  // 0: as asked
  state_store store = state_store::full;
  native_mode native = native_mode::off;
};
constexpr way ways[] = {
    {"none", {false, false}, false},
    {"symmetry", {false, false}, true},
    {"merge", {true, false}, false},
    {"partial-order", {false, true}, false},
    {"all", {true, true}, false},
    {"all, symmetry", {true, true}, true},
    // No reductions, but no answer may depend on them either.
    {"two threads", {false, false}, false, 2},
    {"bare", {false, false}, false, 0, state_store::bare},
    {"compressed", {false, false}, false, 0, state_store::compressed},
    {"compiled", {false, false}, false, 0, state_store::full, native_mode::wait},
    {"all of these", {true, true}, true, 2, state_store::full, native_mode::wait},
};
constexpr std::size_t way_count = std::size(ways), reduction_count = 6;

struct compared_options {
  selection what;
  std::vector<std::string> models, properties;
  limits most;
  bool every_switch = false;
  std::size_t compared() const { return every_switch ? way_count : reduction_count; }
};

struct cost {
  std::uint64_t states = 0, transitions = 0;
  double cpu_s = 0;
};

struct row {
  std::string model;
  std::size_t explored = 0, beyond = 0, refused = 0;  // state spaces; ended by a limit; where a reduction is unsound
  cost of[way_count];
};

double cpu_seconds() {
  rusage r{};
  getrusage(RUSAGE_SELF, &r);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(r.ru_utime) + seconds(r.ru_stime);
}

std::string describe(const question& q) {
  std::string text = q.model->loaded.model.name + " " + q.settings.variant;
  for (const auto& [name, value] : q.settings.options) text += fmt::format(" {}={}", name, value);
  return text;
}

// What differs between two answers to one question; empty: nothing.
std::string difference(const answer& a, const answer& b) {
  for (std::size_t i = 0; i < a.verdicts.size(); ++i) {
    const verdict &x = a.verdicts[i], &y = b.verdicts[i];
    if (x.kind != y.kind) return fmt::format("{} is {}, and {}", x.property, name(x.kind), name(y.kind));
    const std::size_t m = x.counterexample ? x.counterexample->length() : 0;
    const std::size_t n = y.counterexample ? y.counterexample->length() : 0;
    if (m != n) return fmt::format("{} takes {} steps, and {}", x.property, m, n);
  }
  return "";
}

// Where a search came to no end there is nothing to compare.
void compare(const prepared_check& check, const compared_options& o, row& into, std::vector<std::string>& differing) {
  std::optional<answer> first;
  cost spent[way_count];
  for (std::size_t w = 0; w < o.compared(); ++w) {
    limits most = o.most;
    most.reduce = ways[w].reduce;
    most.symmetry = ways[w].symmetry;
    most.store = ways[w].store;
    if (ways[w].threads) most.threads = ways[w].threads;
    if (ways[w].native == native_mode::wait) most.native = native_mode::wait;
    const double before = cpu_seconds();
    answer found;
    try {
      found = check.run(most, {});
    } catch (const diagnostic&) {
      if (w == 0) throw;
      ++into.refused;
      return;
    }
    spent[w] = {found.states, found.transitions, cpu_seconds() - before};
    if (!found.complete) {
      ++into.beyond;
      return;
    }
    if (w == 0) {
      first = found;
    } else if (const std::string what = difference(*first, found); !what.empty()) {
      differing.push_back(fmt::format("{}: {} with `{}`", describe(check.asked()), what, ways[w].name));
    }
  }
  ++into.explored;
  for (std::size_t w = 0; w < o.compared(); ++w) {
    into.of[w].states += spent[w].states;
    into.of[w].transitions += spent[w].transitions;
    into.of[w].cpu_s += spent[w].cpu_s;
  }
}

row& row_of(std::vector<row>& rows, const std::string& model) {
  for (row& r : rows)
    if (r.model == model) return r;
  rows.push_back({model, 0, 0, 0, {}});
  return rows.back();
}

std::string table(const std::vector<row>& rows, std::size_t compared) {
  std::string out;
  for (const row& r : rows) {
    out += fmt::format("{}: {} state space{}", r.model, r.explored, r.explored == 1 ? "" : "s");
    if (r.beyond) out += fmt::format("; not compared, beyond a limit: {}", r.beyond);
    if (r.refused) out += fmt::format("; reductions are refused: {}", r.refused);
    out += "\n";
    if (!r.explored) continue;
    out += fmt::format("  {:<14} {:>12} {:>7} {:>13} {:>9}\n", "", "states", "of none", "transitions", "CPU s");
    for (std::size_t w = 0; w < compared; ++w) {
      const cost& c = r.of[w];
      out += fmt::format(
          "  {:<14} {:>12} {:>6.1f}% {:>13} {:>9.2f}\n", ways[w].name, c.states,
          100.0 * static_cast<double>(c.states) / static_cast<double>(std::max<std::uint64_t>(1, r.of[0].states)),
          c.transitions, c.cpu_s);
    }
  }
  return out;
}

outcome finished(const std::vector<row>& rows, const std::vector<std::string>& differing, std::size_t answers,
                 std::size_t compared) {
  std::string out = table(rows, compared);
  for (const std::string& d : differing) out += d + "\n";
  if (differing.empty()) out += fmt::format("{} answers, the same with each\n", answers);
  return {differing.empty() ? exit_ok : exit_internal, out};
}

outcome on_question(catalogue& inputs, const compared_options& o) {
  if (o.models.size() != 1) usage_error("--variant, --scope, --option and --environment belong to one MODEL");
  const model_entry& model = model_named(inputs, o.models[0]);
  std::vector<row> rows;
  std::vector<std::string> differing;
  std::size_t answers = 0;
  std::vector<std::string> variants = o.what.variants.empty() ? variant_names(model) : o.what.variants;
  if (variants.empty()) variants.push_back("");
  for (const std::string& variant : variants) {
    instance settings = instance_of(o.what);
    settings.variant = variant;
    question q{&model, settings, {}};
    for (const std::string& name : o.properties) q.properties.push_back(&inputs.property(name));
    const prepared_check check(inputs, q);
    row& r = row_of(rows, o.models[0]);
    const std::size_t before = r.explored;
    compare(check, o, r, differing);
    if (r.explored > before) answers += q.properties.size();
  }
  return finished(rows, differing, answers, o.compared());
}

outcome on_claims(catalogue& inputs, const compared_options& o) {
  const auto wanted = [&](const std::vector<std::string>& names, const std::string& name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  };
  std::vector<const claim_entry*> claims;
  for (const claim_entry* c : inputs.all_claims())
    if (wanted(o.models, c->claim.model) && wanted(o.properties, c->claim.property)) claims.push_back(c);
  if (claims.empty()) throw diagnostic("no claim is about this model and property");
  const std::vector<claim_group> groups = group_claims(inputs, claims);
  std::vector<row> rows;
  std::vector<std::string> differing;
  std::size_t answers = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const question& q = groups[g].check.asked();
    log_progress(fmt::format("[{}/{}] {}", g + 1, groups.size(), describe(q)));
    row& r = row_of(rows, q.model->loaded.model.name);
    const std::size_t before = r.explored;
    compare(groups[g].check, o, r, differing);
    if (r.explored > before) answers += q.properties.size();
  }
  log_progress("");
  return finished(rows, differing, answers, o.compared());
}

outcome run_reductions(catalogue& inputs, const compared_options& o) {
  add_property_files(inputs, o.what);
  const bool question =
      !o.what.variants.empty() || !o.what.scopes.empty() || !o.what.options.empty() || o.what.environment != "default";
  return question ? on_question(inputs, o) : on_claims(inputs, o);
}

}  // namespace

action add_reductions(CLI::App& app) {
  auto options = std::make_shared<compared_options>();
  app.add_option("MODEL", options->models, "models by name; their claims are checked. None: every shipped claim");
  add_selection(app, options->what);
  app.add_option("--property", options->properties, "only claims about it; with --variant or --scope: what is checked")
      ->allow_extra_args(false);
  app.add_option("--threads", options->most.threads, "threads; default: one for each core")->check(CLI::Range(1u, 1024u));
  app.add_option("--max-states", options->most.max_states, "leave out what has more states; 0: no limit")->check(not_whole);
  app.add_flag("--every-switch", options->every_switch, "also threads, compiled steps and the bare and compressed stores");
  add_word_option<native_mode>(app, "--native", options->most.native,
                               {{"auto", native_mode::automatic}, {"off", native_mode::off}, {"wait", native_mode::wait}},
                               "compiled steps; auto: for long searches; wait: before the search begins");
  return [options](catalogue& inputs) { return run_reductions(inputs, *options); };
}

}  // namespace quiesce::cli
