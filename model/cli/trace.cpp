// SPDX-License-Identifier: MIT
// quiesce trace: what captured traces of kernels show, judged by the properties and compared with the model.

#include <CLI/CLI.hpp>

#include "conformance/observe_trace.hpp"
#include "model/cli/verb.hpp"
#include "model/verdict/verdict.hpp"

namespace quiesce::cli {
namespace {

struct trace_arguments {
  std::vector<std::string> files;
  observe::trace_options options;
  std::string output = "text";
};

// A rule of the kernel that is broken weighs more than a run that its model does not have, which may be the model's fault.
int worse(int a, int b) { return a == exit_violated || b == exit_violated ? exit_violated : combine(a, b); }

// Violated rules of the kernel, a run that its model does not have, and what could not be read or was lost.
int status_of(const observe::trace_report& r) {
  int status = exit_ok;
  for (const observe::rule_result& rule : r.rules) {
    if (rule.answer == observe::rule_answer::violated && rule.rule_of_kernel) status = worse(status, exit_violated);
    if (rule.answer == observe::rule_answer::unknown && rule.rule_of_kernel) status = worse(status, exit_unknown);
  }
  if (r.source.unexplained > 0) status = worse(status, exit_unknown);
  using answer = observe::model_answer::verdict;
  if (r.model.is == answer::not_a_run) status = worse(status, exit_unexpected);
  if (r.model.is == answer::unknown) status = worse(status, exit_unknown);
  return status;
}

outcome run_trace(catalogue& inputs, const trace_arguments& arguments) {
  outcome out;
  std::vector<observe::trace_report> reports;
  for (const std::string& file : arguments.files) {
    observe::trace_report r = observe::report_on(inputs, file, arguments.options);
    out.status = worse(out.status, status_of(r));
    if (arguments.output == "text")
      out.output += (out.output.empty() ? "" : "\n") + observe::text_of(r);
    else
      reports.push_back(std::move(r));
  }
  if (arguments.output == "json") out.output = observe::json_of(reports);
  return out;
}

// A whole number: a sign would be taken for a very large one.
std::string natural(const std::string& text) {
  const bool digits = !text.empty() && text.size() <= 18 && text.find_first_not_of("0123456789") == std::string::npos;
  return digits ? "" : text + " is not a whole number from 0";
}

}  // namespace

action add_trace(CLI::App& app) {
  auto arguments = std::make_shared<trace_arguments>();
  app.add_option("FILE", arguments->files, "recordings of a kernel, plain or .xz; - is standard input")->required();
  app.add_option("--kernel", arguments->options.kernel,
                 "version of the kernel that was recorded, if the file does not say it")
      ->check([](const std::string& v) { return v.empty() ? "--kernel: a version, 6.1 say" : ""; });
  app.add_option("--format", arguments->output, "text or json")->check(CLI::IsMember({"text", "json"}));
  app.add_option("--input-format", arguments->options.format,
                 "tracefs, kernel-log, ip-monitor, bpftrace or rtnetlink; default: detected");
  app.add_option("--with", arguments->options.dellink_file,
                 "messages recorded at the same time (ip monitor, rtnetlink): their DELLINK order names devices");
  app.add_option("--devices", arguments->options.batch_size,
                 "devices of your own namespace: a kworker's batch of another size has others' too")
      ->check(natural);
  app.add_option("--compare", arguments->options.events_compared,
                 "events to compare with the model: about 0.1 ms and 200 bytes each; rules are checked on all of them")
      ->check(natural)
      ->capture_default_str();
  app.add_option("--batches", arguments->options.batches_kept, "batches to print")->check(natural)->capture_default_str();
  return [arguments](catalogue& inputs) { return run_trace(inputs, *arguments); };
}

}  // namespace quiesce::cli
