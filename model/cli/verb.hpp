// SPDX-License-Identifier: MIT
#pragma once
// A verb is one file that adds its subcommand, and one line in the table of main.cpp.

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/system/lower.hpp"
#include "model/verdict/catalogue.hpp"

namespace CLI {
class App;
}

namespace quiesce {
struct question;
}

namespace quiesce::cli {

// Results of a verb: printed only once the verb has succeeded, so that a refused input leaves stdout empty.
struct outcome {
  int status = 0;
  std::string output;
};
using action = std::function<outcome(catalogue&)>;

// Adds options and arguments to the subcommand; the action is called after parsing.
action add_check(CLI::App&);
action add_list(CLI::App&);
action add_fmt(CLI::App&);
action add_simulate(CLI::App&);
action add_replay(CLI::App&);
action add_dump(CLI::App&);
action add_export(CLI::App&);
action add_depths(CLI::App&);
action add_prove(CLI::App&);
action add_certify(CLI::App&);
action add_recheck(CLI::App&);
action add_cite(CLI::App&);
action add_bench(CLI::App&);
action add_trace(CLI::App&);
action add_record(CLI::App&);
action add_conform(CLI::App&);
action add_reductions(CLI::App&);

// Options that say which model in which scope: --variant, --option, --scope, --environment, and --properties if wanted.
struct selection {
  std::vector<std::string> variants;
  std::vector<std::string> options;  // name=value
  std::vector<std::string> scopes;   // name=number,name=number
  std::string environment = "default";
  std::vector<std::string> property_files;
};
void add_selection(CLI::App&, selection&, bool with_properties = true);
// The instance without its variant. Throws a usage diagnostic for malformed text.
instance instance_of(const selection&);
// For a verb that is about one variant: what --variant says, else the model's only one, else none. Throws a usage
// diagnostic.
std::string one_variant(const selection&, const model_entry&, const std::string& verb);
void add_property_files(catalogue&, const selection&);
// A model by name or path. Throws diagnostic.
const model_entry& model_named(catalogue&, const std::string&);
// A claim about a finite scope by its name; null: none has it.
const claim_entry* claim_named(catalogue&, const std::string&);
// What a verb asks about one model in one variant and scope, watching the properties that are named. Throws diagnostic.
question one_question(catalogue&, const selection&, const std::string& model, const std::vector<std::string>& properties,
                      const std::string& verb);

[[noreturn]] void usage_error(std::string sentence, std::string hint = {});

// An option that has no effect where it was given is refused: "NAME WHY", for the first of these that was.
void refuse_given(const CLI::App&, const std::vector<std::string>& names, const std::string& why);

// Checks of an option's text: what is wrong with it, or nothing. Digits only (CLI11 lets -1 wrap around); a finite number >=
// 0.
std::string not_whole(const std::string&);
std::string not_seconds(const std::string&);

// Writes to a temporary file beside PATH and renames it. Throws diagnostic.
void write_file(const std::string& path, const std::string& text);

// A line on stderr.
void log(const std::string&);
// A line on stderr that the next one overwrites; only where stderr is a terminal.
void log_progress(const std::string&);

}  // namespace quiesce::cli
