// SPDX-License-Identifier: MIT
#include "model/symbolic/solver.hpp"

#include <fmt/format.h>
#include <z3.h>

#include <chrono>
#include <functional>
#include <mutex>
#include <sstream>
#include <utility>

namespace quiesce::symbolic {

namespace {
constexpr unsigned quick_steps = 1000000;
void remember_nothing(Z3_context, Z3_error_code) {}  // errors are read from the output
}  // namespace

struct solver::context {
  context() {
    Z3_config config = Z3_mk_config();
    Z3_set_param_value(config, "model", "true");
    z3 = Z3_mk_context(config);
    Z3_del_config(config);
    Z3_set_error_handler(z3, remember_nothing);
  }
  ~context() { Z3_del_context(z3); }
  context(const context&) = delete;
  context& operator=(const context&) = delete;
  Z3_context z3 = nullptr;
};

solver::solver(unsigned timeout_ms, tuned_for use, std::string prelude)
    : timeout_ms_(timeout_ms), use_(use), prelude_(std::move(prelude)) {
  begin();
}

void solver::begin() {
  // One at a time: only a global parameter reaches this reader of SMT-LIB before it begins.
  static std::mutex beginning;
  const std::lock_guard hold(beginning);
  context_ = std::make_unique<context>();
  Z3_global_param_set("unsat_core", use_ == tuned_for::cores ? "true" : "false");
  tell(fmt::format("(set-option :smt.mbqi {})\n(set-option :smt.ematching {})\n", use_ != tuned_for::quick_proofs,
                   use_ != tuned_for::states));
  // Giving up soon is measured in Z3's own steps, so that the same question ends the same way on a busy machine; and a clock
  // takes longer than most of these questions.
  if (use_ == tuned_for::quick_proofs)
    tell(fmt::format("(set-option :rlimit {})\n", quick_steps));
  else
    tell(fmt::format("(set-option :timeout {})\n", timeout_ms_));
  if (!prelude_.empty()) tell(prelude_);
}

solver::~solver() = default;

// Z3 was stopped by its steps or the clock, which may have left anything of the question behind.
bool solver::interrupted() {
  const std::string why = evaluate("(get-info :reason-unknown)\n");
  return why.find("incomplete") == std::string::npos;
}

answer solver::decide(const std::string& text, const std::string& known) {
  const answer a = ask("(push 1)\n" + text + "(check-sat)\n").at(0);
  leave(a, known);
  return a;
}

void solver::leave(answer last, const std::string& known) {
  if (last != answer::unknown || !interrupted()) return tell("(pop 1)\n");
  begin();
  if (!known.empty()) tell(known);
}

void solver::require_closed() {
  if (evaluate("(get-info :assertion-stack-levels)\n").find(" 0)") == std::string::npos)
    throw core_error("the solver has lost count of what it was told");
}

std::string solver::evaluate(const std::string& commands) {
  const auto begin = std::chrono::steady_clock::now();
  const char* answer = Z3_eval_smtlib2_string(context_->z3, commands.c_str());
  std::string out = answer ? answer : "(error \"no answer\")";
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (out.find("(error") != std::string::npos) throw core_error(fmt::format("the solver complains: {}", out));
  return out;
}

void solver::tell(const std::string& commands) {
  const std::string out = evaluate(commands);
  if (out.find_first_not_of(" \n") != std::string::npos) throw core_error(fmt::format("the solver says: {}", out));
}

std::vector<answer> solver::ask(const std::string& commands) {
  std::istringstream lines(evaluate(commands));
  std::vector<answer> out;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    if (line != "sat" && line != "unsat" && line != "unknown" && line != "timeout")
      throw core_error(fmt::format("the solver answers '{}'", line));
    out.push_back(line == "sat" ? answer::sat : line == "unsat" ? answer::unsat : answer::unknown);
    ++questions_;
  }
  return out;
}

std::string solver::value(const std::string& term) {
  const std::vector<node> out = read_nodes(evaluate(fmt::format("(get-value ({}))\n", term)));
  if (out.size() != 1 || out[0].kids.size() != 1 || out[0][0].kids.size() != 2)
    throw core_error("the solver gives no value");
  const std::function<std::string(const node&)> text = [&](const node& n) {
    if (n.atom) return n.text;
    std::string all;
    for (const node& kid : n.kids) all += (all.empty() ? "" : " ") + text(kid);
    return "(" + all + ")";
  };
  return text(out[0][0][1]);
}

std::vector<node> solver::values(const std::vector<std::string>& terms) {
  if (terms.empty()) return {};
  std::string all;
  for (const std::string& t : terms) all += t + "\n";
  const std::vector<node> out = read_nodes(evaluate(fmt::format("(get-value ({}))\n", all)));
  if (out.size() != 1 || out[0].kids.size() != terms.size()) throw core_error("the solver gives no values");
  std::vector<node> found;
  for (const node& pair : out[0].kids) found.push_back(pair[1]);
  return found;
}

std::vector<std::string> solver::unsat_core() {
  std::vector<std::string> out;
  const std::vector<node> said = read_nodes(evaluate("(get-unsat-core)\n"));
  for (const node& n : said.at(0).kids) out.push_back(n.text);
  return out;
}

std::string solver::version() { return fmt::format("{}", Z3_get_full_version()); }

}  // namespace quiesce::symbolic
