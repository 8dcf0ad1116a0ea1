// SPDX-License-Identifier: MIT
#pragma once
// Z3 in this process, spoken to in SMT-LIB 2: what is decided is the text that a certificate holds.

#include <memory>
#include <string>
#include <vector>

#include "model/symbolic/obligations.hpp"

namespace quiesce::symbolic {

enum class tuned_for { proofs, quick_proofs, cores, states };  // quick: `unknown` soon where it is not `unsat`

class solver {
 public:
  // Milliseconds for one question; then its answer is `unknown`. `prelude` is told first.
  explicit solver(unsigned timeout_ms, tuned_for = tuned_for::proofs, std::string prelude = "");
  ~solver();
  solver(const solver&) = delete;
  solver& operator=(const solver&) = delete;
  // One question about `text`, on a level of its own above what it was told.
  answer decide(const std::string& text, const std::string& known = "");
  // Closes a level with such a question. After an interruption, which may leave anything behind, Z3 is not trusted with
  // another one: the solver begins anew and knows the prelude and `known`.
  void leave(answer last, const std::string& known = "");
  // Throws core_error unless as many levels are open as were told, which is none.
  void require_closed();
  void tell(const std::string& commands);                // no answer is expected. Throws core_error where Z3 complains
  std::vector<answer> ask(const std::string& commands);  // one answer for each (check-sat)
  std::string value(const std::string& term);            // in the model of the last `sat`
  std::vector<node> values(const std::vector<std::string>& terms);  // likewise, as they are printed
  std::vector<std::string> unsat_core();  // names of assertions that were enough for the last `unsat`
  double seconds() const { return seconds_; }
  std::size_t questions() const { return questions_; }
  static std::string version();

 private:
  std::string evaluate(const std::string&);
  void begin();
  bool interrupted();
  struct context;
  const unsigned timeout_ms_;
  const tuned_for use_;
  const std::string prelude_;
  std::unique_ptr<context> context_;
  double seconds_ = 0;
  std::size_t questions_ = 0;
};

}  // namespace quiesce::symbolic
