// SPDX-License-Identifier: MIT
#include "model/cli/prove_infer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/cli/verb.hpp"
#include "model/inference/infer.hpp"
#include "model/language/parse.hpp"
#include "model/verdict/claim.hpp"
#include "model/verdict/prove.hpp"

namespace quiesce::cli {
namespace {

const property_entry* declared(const proof_input& in, const std::string& name) {
  for (const property_entry* e : in.invariants)
    if (e->property.name == name) return e;
  return in.property->property.name == name ? in.property : nullptr;
}

// The declarations, in the canonical form.
std::string file_of(const proof_input& in, const inference::result& found) {
  std::string out = fmt::format("# SPDX-License-Identifier: MIT\n# Found by inference for {} {}: {}.\n",
                                in.claim->claim.model, in.claim->claim.variant, in.claim->claim.property);
  int number = 0;
  for (const inference::lemma& l : found.lemmas) {
    if (const property_entry* e = l.text.empty() ? declared(in, l.name) : nullptr)
      out += "\n" + e->canonical() + (e->canonical().ends_with("\n") ? "" : "\n");
    else if (!l.text.empty())
      out += fmt::format("\nproperty inferred_{0} \"Found by inference, number {0}.\"\n  model\n  {1};\n", ++number, l.text);
  }
  language::source_set alone;
  return language::format(alone, alone.add("inferred", out));
}

}  // namespace

bool infer_invariants(catalogue& inputs, const claim_entry& claim, const infer_options& o, std::string& output) {
  const proof_input in = prepare_proof(inputs, claim);
  const std::vector<bool> none(in.low.program.lemmas.size(), false);
  const symbolic::core core = symbolic::read_core(o.from_declared || none.empty() ? core_of(in) : core_of(in, none));
  const inference::words words(core, in.low.program);
  inference::options options;
  options.seconds = o.seconds;
  options.progress = [&](const std::string& what) { log(fmt::format("{}: {}", claim.claim.name, what)); };
  const inference::result found = inference::infer(core, words, options);
  log(fmt::format("{}: {} candidates, {} questions, {:.1f} s", claim.claim.name, found.candidates, found.questions,
                  found.seconds));
  if (!found.found) {
    output += fmt::format("{} {}: {}: no invariants found: {}\n", claim.claim.model, claim.claim.variant, claim.claim.name,
                          found.note);
    return false;
  }
  const std::string text = file_of(in, found);
  output += text + "\n";
  if (!o.file.empty()) write_file(o.file, text);
  inputs.replace_invariants(model_of(inputs, claim), o.file.empty() ? "inferred.inv" : o.file, text);
  return true;
}

void use_invariants(catalogue& inputs, const claim_entry& claim, const std::string& path) {
  language::source_set alone;
  const std::string text(alone.text(alone.read(path)));
  inputs.replace_invariants(model_of(inputs, claim), path, text);
}

}  // namespace quiesce::cli
