// SPDX-License-Identifier: MIT
#include "model/cli/cite_proof.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "model/verdict/check.hpp"
#include "model/verdict/claim.hpp"
#include "model/verdict/prove.hpp"

namespace quiesce::cli {
namespace {

namespace fs = std::filesystem;

std::string paragraph(const std::string& text) { return wrap(text, 72, "  ") + "\n"; }

const claim_entry* proof_claim(catalogue& inputs, const std::string& name) {
  for (const std::string& path : inputs.proof_claim_paths())
    for (const claim_entry* c : inputs.claims(path))
      if (c->claim.name == name &&
          std::any_of(c->claim.scope.begin(), c->claim.scope.end(), [](const auto& n) { return n.value == any_number; }))
        return c;
  return nullptr;
}

std::string file_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return in ? out.str() : "";
}

// Each function once, in the order of the steps.
std::string kernel_functions(const ir::program& p) {
  std::vector<std::string> out;
  for (const ir::process& process : p.processes)
    for (const ir::location& l : process.locations)
      for (const ir::frame& f : l.path) {
        if (f.kernel_function.empty()) continue;
        const std::string place = fmt::format("{}:{}()", f.kernel_file, f.kernel_function);
        if (std::find(out.begin(), out.end(), place) == out.end()) out.push_back(place);
      }
  return fmt::format("{}", fmt::join(out, ", "));
}

std::string status_of(const ast::property& p) {
  const char* word = p.status == ast::property_status::required   ? "required since"
                     : p.status == ast::property_status::proposed ? "proposed by"
                                                                  : "";
  std::string out = !*word                  ? ""
                    : p.status_text.empty() ? std::string(word).substr(0, std::string(word).find(' '))
                                            : fmt::format("{} {}", word, p.status_text);
  for (const std::string& rule : p.rules) out += (out.empty() ? "rule " : ", rule ") + rule;
  return out;
}

std::string checked(const proof_input& in) {
  const ast::claim& c = in.claim->claim;
  std::string out = fmt::format("Checked on: model {}, {}", c.model, c.variant);
  for (const ast::item& item : in.model->loaded.model.items)
    if (const auto* v = std::get_if<ast::variant_decl>(&item); v && v->name == c.variant) {
      out += fmt::format(" ({})", v->sentence);
      if (!v->kernel.empty()) out += fmt::format(", code of {}", v->kernel);
      if (!v->source.empty()) out += fmt::format(", from {}", v->source);
    }
  for (const auto& [name, value] : in.settings.options) out += fmt::format(", {}={}", name, value);
  for (const ast::item& item : in.model->loaded.model.items)
    if (const auto* e = std::get_if<ast::environment_decl>(&item); e && e->name == c.environment && e->name != "default")
      out += fmt::format(", environment {} ({})", e->name, e->sentence);
  return paragraph(out + ".");
}

// Where the certificate that is kept is about the same core, it is named, and what it assumes.
std::string certificate_text(const fs::path& folder, const std::string& core) {
  if (core.empty() || file_text(folder / "core") != core)
    return paragraph("Certificate: none is kept for this text of the model; `quiesce prove` writes one.");
  const nlohmann::json c = nlohmann::json::parse(file_text(folder / "certificate.json"), nullptr, false);
  if (c.is_discarded()) throw diagnostic(fmt::format("{}: no certificate can be read", folder.string()));
  std::vector<std::string> assumptions = c.at("assumptions");
  return paragraph(fmt::format("Assumes: {}.", fmt::join(assumptions, "; "))) +
         paragraph(fmt::format("Certificate: proofs/{}, id {}, {} obligations from {} invariants; `quiesce recheck {}` has "
                               "them decided again by Z3 and cvc5.",
                               folder.filename().string(), std::string(c.at("id")).substr(0, 12), c.at("obligations").size(),
                               c.at("invariants").size(), folder.filename().string()));
}

}  // namespace

std::optional<std::string> cite_proof(catalogue& inputs, const std::string& name) {
  const claim_entry* claim = proof_claim(inputs, name);
  if (!claim) return std::nullopt;
  const proof_input in = prepare_proof(inputs, *claim);
  const symbolic::core core = symbolic::read_core(core_of(in));
  symbolic::script script = symbolic::derive(core);
  const symbolic::outcome found = symbolic::prove(core, script, candidates_of(in), {});
  if (!found.failures.empty()) throw diagnostic(claim->claim.where, "this is not proved; `quiesce prove` says why");
  const ast::property& p = in.property->property;
  std::string out = paragraph(fmt::format("{}: {}", p.name, p.sentence));
  if (const std::string status = status_of(p); !status.empty()) out += paragraph("Status: " + status + ".");
  out += checked(in);
  out += paragraph(fmt::format("Result: PROVED for {}.", scope_of_proof(in.low.scope)));
  out += certificate_text(fs::path(inputs.root()) / "proofs" / name, core_of(in, found.needed));
  if (const std::string code = kernel_functions(in.low.program); !code.empty()) out += paragraph("Code: " + code + ".");
  if (p.proof.mark) out += paragraph(fmt::format("Evidence for the rule: {} ({}).", p.proof.mark, p.proof.text));
  out += paragraph(
      "Not checked: callbacks that do what the model's do not, reordering of memory accesses, code that the model does not "
      "name; not run on a kernel.");
  return out + paragraph(fmt::format("Proved with quiesce {}.", QUIESCE_VERSION));
}

}  // namespace quiesce::cli
