// SPDX-License-Identifier: MIT
#include "model/cli/long_search.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>

#include "model/cli/verb.hpp"
#include "model/report/explain.hpp"
#include "model/report/progress_text.hpp"

namespace quiesce::cli {

void add_long_search(CLI::App& app, long_search& to) {
  app.add_option("--checkpoint", to.checkpoint,
                 "explicit engine: keep the search in this file, to go on from with --resume");
  app.add_option("--checkpoint-every", to.every, "seconds between two checkpoints; default: 60")->check(not_seconds);
  app.add_option("--resume", to.resume, "go on from this checkpoint; the rest of the command as it was");
  app.add_flag("--statistics", to.statistics, "what each search took, on stderr");
  app.add_flag("--explain-states", to.explain_states,
               "explicit engine: which variables, processes and steps make the states so many");
}

void apply(const long_search& o, const std::string& format, const language::source_set& sources, limits& most) {
  if (!o.every.empty() && o.checkpoint.empty()) usage_error("--checkpoint-every belongs to --checkpoint FILE");
  if (!o.wanted()) return;
  const char* const option = o.explain_states ? "--explain-states" : o.checkpoint.empty() ? "--resume" : "--checkpoint";
  if (most.engine != "explicit") usage_error(fmt::format("{} belongs to the explicit engine", option));
  if (most.store != state_store::full) usage_error(fmt::format("{} needs --store full", option));
  if (o.explain_states && format != "text") usage_error("--explain-states needs --format text");
  most.checkpoint.file = o.checkpoint;
  most.checkpoint.resume = o.resume;
  if (!o.every.empty()) most.checkpoint.every_s = std::stod(o.every);
  if (o.explain_states)
    most.examine = [to = o.explained, &sources](const explored& all) {
      *to = "\n" + report::write_explanation(explain(all), sources);
    };
}

void refuse_many_searches(const long_search& o, std::size_t count) {
  if (!o.wanted() || count == 1) return;
  usage_error("--checkpoint, --resume and --explain-states are for one search",
              fmt::format("these are {}: name one claim, or a model with --variant", count));
}

std::string statistics_text(const answer& a) {
  std::string out = "quiesce: ";
  if (a.states > 0) out += fmt::format("{} states, {} transitions, ", a.states, a.transitions);
  out += fmt::format("depth {}, {:.3f} s", a.depth, a.elapsed_s);
  if (a.states > 0 && a.table_bytes > 0)
    out += fmt::format(", {} bytes of tables ({:.1f} a state)", a.table_bytes,
                       static_cast<double>(a.table_bytes) / static_cast<double>(a.states));
  if (a.native_levels > 0) out += fmt::format(", {} levels by compiled steps", a.native_levels);
  return a.native_note.empty() ? out : out + ", no compiled steps: " + a.native_note;
}

void show_progress(const std::string& what, const search_progress& p) {
  using clock = std::chrono::steady_clock;
  static const bool terminal = isatty(STDERR_FILENO) == 1;
  static clock::time_point said = clock::now();
  static search_progress before;
  const bool same = p.elapsed_s > before.elapsed_s && p.states >= before.states;
  const double rate = same ? static_cast<double>(p.states - before.states) / (p.elapsed_s - before.elapsed_s) : 0;
  if (!terminal && clock::now() - said < std::chrono::seconds(30)) return;
  said = clock::now();
  before = p;
  const std::string text = what + ": " + report::progress_text(p, rate);
  terminal ? log_progress(text) : log("quiesce: " + text);
}

}  // namespace quiesce::cli
