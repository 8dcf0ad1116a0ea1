// SPDX-License-Identifier: MIT
#pragma once
// Terms of the core in SMT-LIB 2. The names and the order of everything are fixed: the same core gives the same text.
// proofs/README.md specifies the translation.
//
//   sort number i        S<i>; its element number k: e<i>_<k>; its constructor number c: c<i>_<c>, with the inverse d<i>_<c>
//   enumeration          E<j>, numbered by first use in the functions; label number k: E<j>_<k>
//   option               O<j>; none: n<j>; a value: s<j>, with the inverse v<j>
//   function number i    f<i>; after an action: f<i>!. A function with values that are sets is a predicate with one more
//   argument
//   bound variables      q<depth>; the elements for which an invariant is asked: x<number>!
//   few elements         u<i>_<k>, all that there are of sort number i where states are looked for

#include <functional>
#include <set>

#include "model/symbolic/core_reader.hpp"

namespace quiesce::symbolic {

// What reads the state behind an action. `from_start`: an initial action, where functions that are not `arbitrary` had their
// least value.
struct step {
  const action* a = nullptr;
  bool from_start = false;
};
bool changes(const core&, const step&, std::size_t function);

// An invariant at any elements, which have names: what is known of them before the step, what they are asked behind it.
struct invariant_at {
  std::string elements;  // their declarations
  std::string before;    // the invariant in the old state
  std::string points;    // assertions about the new values of functions that are read
  std::string after;     // the invariant in the new state
};

// proofs: any number of elements; a label of an enumeration with more than eight is its number.
// states: few elements, each known, so that nothing is quantified.
enum class reading { proofs, states };

class smt_writer {
 public:
  // Throws core_error for a core without a reading in first-order logic.
  explicit smt_writer(const core&, reading = reading::proofs);

  // Declarations of sorts, functions, and what holds of constructors and named elements.
  std::string prelude() const;
  // A term of type bool in which only parameters of `a` are free.
  std::string condition(const node&, const action* a = nullptr);
  invariant_at at_elements(const node&, const step&);
  invariant_at range_at_elements(std::size_t function, const step&);  // of `range`
  // Declarations of the parameters, with the ranges of numbers among them.
  std::string parameters(const action&);
  std::string new_functions(const step&) const;  // declarations of f<i>!
  std::string definitions(const step&);          // assertions that say everything about them
  // "f<i> has values of its type only", for functions with numbers in a range; empty: nothing to say.
  std::string range(std::size_t function) const;
  // Assertions that a number which stands for a label is one; what is proved does not need them.
  std::string labels() const;
  std::string sort_text(std::size_t sort) const;
  std::string type_text(const type&) const;
  std::string literal(const type&, std::int64_t) const;
  std::string least(const type&) const;

 private:
  static constexpr std::size_t most_labels = 8;
  using binders = std::vector<std::pair<std::string, std::size_t>>;  // variable, sort
  struct cases {                                                     // values at places, the first that fits counts
    std::vector<std::pair<std::string, std::string>> places;
    std::string otherwise;
  };
  struct bound {
    std::string text;
    type_ref value;
  };
  using scope = std::map<std::string, bound>;
  std::size_t enumeration(const type&) const;
  std::size_t option(const type&) const;
  void note_type(const type_ref&);
  std::string term(const node&, const type& expected);
  std::string application(const node&, const std::string* member);
  std::string member(const node& set, const std::string& element);
  std::string equality(const node& a, const node& b);
  std::string comparison(const node&);
  std::optional<std::string> counting(const node& n);
  std::string at_least(const node& set, std::int64_t);
  std::string quantified(const node&);
  std::string quantifier(const std::string& word, const binders&, const std::string& body) const;
  std::vector<std::string> elements_of(std::size_t sort) const;
  bool numbered(const type&) const;
  std::optional<std::string> label_ranges(const node&);
  std::string about_values(std::size_t f, const std::function<std::string(const std::string&)>&) const;
  std::string with_labels(std::string) const;
  cases new_cases(const step&, std::size_t f, const std::vector<std::string>& args);
  std::string call(const char* f, const std::vector<std::string>&) const;
  std::string in_range(const type&, const std::string& value) const;
  type_ref infer(const node&);
  const function& function_of(const node&, std::size_t* number = nullptr) const;
  std::string fresh() { return "q" + std::to_string(++depth_); }
  std::string new_value(const step&, std::size_t f, const std::vector<std::string>& args);
  std::string definition(const step&, std::size_t f);
  std::string new_application(std::size_t f, const std::vector<std::string>& args);
  std::string declaration(std::size_t f, const char* suffix) const;

  const core& core_;
  reading reading_;
  std::vector<type_ref> enumerations_, options_;
  scope scope_;
  const step* after_ = nullptr;                // terms are read behind it
  std::map<std::string, std::string> points_;  // applications f<i>! that were read, or f<i>!: at all places; facts
  std::map<std::string, cases> labels_;        // applications of functions whose values are numbers of labels
  int depth_ = 0;
  type_ref boolean_, integer_;
};

// Functions that the term reads.
std::set<std::size_t> functions_in(const core&, const node&);

}  // namespace quiesce::symbolic
