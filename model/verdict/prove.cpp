// SPDX-License-Identifier: MIT
#include "model/verdict/prove.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "model/language/parse.hpp"
#include "model/system/core.hpp"
#include "model/verdict/claim.hpp"

namespace quiesce {

proof_input prepare_proof(catalogue& inputs, const claim_entry& entry) {
  proof_input in;
  in.claim = &entry;
  in.model = &model_of(inputs, entry);
  in.settings = settings_of(entry.claim);
  const auto any =
      std::any_of(in.settings.scope.begin(), in.settings.scope.end(), [](const auto& s) { return s.second == any_number; });
  if (!any)
    throw diagnostic(entry.claim.where,
                     "this claim is about a finite scope: there is nothing to prove for any number of elements",
                     "`quiesce check` checks it; `scope dev = any` asks for a proof");
  const std::vector<const property_entry*> declared = inputs.invariants_for(*in.model, entry);
  in.property = &property_of(inputs, *in.model, entry);
  std::vector<const ast::property*> lemmas;
  for (const property_entry* e : declared) lemmas.push_back(&e->property);
  try {
    in.low = lower(in.model->loaded, in.settings, {&in.property->property}, lemmas);
  } catch (const diagnostic& problem) {
    if (problem.has_place) throw;
    throw diagnostic(entry.claim.where, problem.sentence, problem.hint);
  }
  in.left_out = in.low.left_out;
  for (const property_entry* e : declared)
    if (std::find(in.left_out.begin(), in.left_out.end(), e->property.name) == in.left_out.end()) in.invariants.push_back(e);
  return in;
}

std::string core_of(const proof_input& in, const std::vector<bool>& kept) {
  if (kept.empty()) return core_text(in.low.program);
  ir::program p = in.low.program;
  p.lemmas.clear();
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (kept[i]) p.lemmas.push_back(in.low.program.lemmas[i]);
  return core_text(p);
}

std::vector<bool> candidates_of(const proof_input& in) {
  std::vector<bool> out;
  for (const property_entry* e : in.invariants) out.push_back(e->property.status == ast::property_status::proposed);
  return out;
}

std::string scope_of_proof(const scope_description& s) {
  std::vector<std::string> any, numbers;
  for (const auto& [name, n] : s.sizes) {
    if (n == any_number)
      any.push_back(name);
    else
      numbers.push_back(fmt::format("{}={}", name, n));
  }
  std::sort(any.begin(), any.end());
  std::vector<std::string> bounds;
  for (const auto& [name, n] : s.bounds) {
    if (n == any_number)
      any.push_back(name);
    else
      bounds.push_back(fmt::format("{}={}", name, n));
  }
  std::string out = fmt::format("any number of {}", fmt::join(any, ", "));
  if (!numbers.empty()) out += fmt::format(", {}", fmt::join(numbers, " "));
  if (!bounds.empty()) out += fmt::format(", bounds {}", fmt::join(bounds, " "));
  return out;
}

namespace {

struct place {
  const ir::process* process = nullptr;
  const ir::location* location = nullptr;
};

// Actions are called PROCESS.LOCATION.
place place_of(const ir::program& p, const std::string& action) {
  const std::size_t dot = action.rfind('.');
  if (dot == std::string::npos) return {};
  for (const ir::process& q : p.processes)
    if (q.name == action.substr(0, dot)) {
      const std::size_t l = std::stoul(action.substr(dot + 1));
      if (l < q.locations.size()) return {&q, &q.locations[l]};
    }
  return {};
}

std::string taken_step(catalogue& inputs, const proof_input& in, const symbolic::failure& f) {
  const place at = place_of(in.low.program, f.action);
  if (!at.location) return f.action.empty() ? "" : "  step: " + f.action + "\n";
  std::string who = at.process->name;
  if (f.example && !f.example->params.empty() && at.process->over != ir::nothing)
    who += "(" + f.example->params[0].second + ")";
  std::string out = fmt::format("  step {}: {}", who, at.location->statement);
  if (at.location->where.end) {
    const auto spot = inputs.sources().locate(at.location->where.file, at.location->where.begin);
    out += fmt::format("  ({}:{})", inputs.sources().path(at.location->where.file), spot.line);
  }
  out += "\n";
  for (auto p = at.location->path.rbegin(); p != at.location->path.rend(); ++p)
    if (!p->procedure.empty()) out += fmt::format("    in {}\n", p->procedure);
  return out;
}

std::string rows(const std::vector<std::pair<std::string, std::string>>& all, const char* between) {
  std::string out;
  for (const auto& [place, value] : all) out += fmt::format("    {} {} {}\n", place, between, value);
  return out;
}

// Program counters by the statement that comes next.
std::vector<std::pair<std::string, std::string>> readable(const ir::program& p,
                                                          std::vector<std::pair<std::string, std::string>> all) {
  for (auto& [where, value] : all) {
    const std::size_t hash = value.rfind('#');
    if (hash == std::string::npos) continue;
    const place at = place_of(p, value.substr(0, hash) + "." + value.substr(hash + 1));
    if (at.location) value = fmt::format("before `{}` ({})", at.location->statement, value);
  }
  return all;
}

std::string headline(const symbolic::failure& f) {
  using k = symbolic::failure_kind;
  switch (f.kind) {
    case k::not_initial:
      return fmt::format("invariant '{}' is not true in every initial state", f.invariant);
    case k::not_inductive:
      return fmt::format("invariant '{}' is not inductive: a step from a state where all invariants hold breaks it",
                         f.invariant);
    case k::unsafe:
      return fmt::format("the invariants do not exclude that property '{}' is violated", f.detail);
    case k::run_time_error:
      return fmt::format("the invariants do not exclude a run that ends in {}", f.detail);
    case k::impossible:
      return fmt::format("the invariants exclude what must be possible: {}", f.detail);
    case k::unknown:
      return fmt::format("the solver does not decide '{}'", f.question);
    case k::tautology:
      return fmt::format("no state or step of this model could violate the property: there is nothing to prove ({})",
                         f.detail);
  }
  return "";
}

}  // namespace

std::string describe(catalogue& inputs, const proof_input& in, const symbolic::failure& f) {
  std::string out = headline(f) + "\n" + taken_step(inputs, in, f);
  if (!f.example) return out;
  std::vector<std::string> sizes;
  for (const auto& [sort, n] : f.example->sizes) sizes.push_back(fmt::format("{}={}", sort, n));
  out += fmt::format("  smallest such state: {}\n", fmt::join(sizes, " "));
  for (std::size_t i = 0; i < f.example->params.size(); ++i)
    if (i > 0 || f.action.empty()) out += fmt::format("    choice {} = {}\n", i, f.example->params[i].second);
  out += rows(readable(in.low.program, f.example->before), "=");
  if (!f.example->after.empty()) out += "  after the step:\n" + rows(readable(in.low.program, f.example->after), ":=");
  return out;
}

}  // namespace quiesce
