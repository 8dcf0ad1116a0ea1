// SPDX-License-Identifier: MIT
#pragma once
// The rules that more than one translation unit of the grammar uses. Each is defined and instantiated in the grammar_*.cpp
// named.

#include "model/language/ast.hpp"
#include "model/language/lexical.hpp"

namespace quiesce::language::grammar {

// An expression and the height of its tree; trees higher than nesting_limit are refused.
struct tall : ast::expr {
  unsigned height = 1;
};
// Makes `child` the last argument of `parent`.
void adopt(const state&, tall& parent, tall&& child);
// parent becomes at least one higher than something of this height below it.
void raise(const state&, tall& parent, unsigned height_below);

// Operands with the operators between them, in the order of the text. `is NAME` has the name as operand.
struct operator_chain {
  std::vector<tall> operands;
  std::vector<std::string> operators;
};
// By the precedences of MANUAL.md section 6. Refuses comparisons that chain.
tall fold(const state&, operator_chain&&);

// Actions: the matched expression becomes an argument; the matched text an operator or a name.
struct adopt_action {
  template <class Context>
  void operator()(const Context& context) const {
    adopt(x3::get<state_tag>(context), x3::_val(context), std::move(x3::_attr(context)));
  }
};
inline constexpr adopt_action adopt_it{};

struct arguments {
  std::vector<ast::expr> items;
  unsigned height = 0;
};
struct block_body {
  std::vector<ast::statement> items;
};
struct pattern_list {
  std::vector<ast::event_pattern> items;
  unsigned height = 0;
};
struct tall_pattern : ast::event_pattern {
  unsigned height = 0;
};
struct tall_binder : ast::binder {
  unsigned height = 0;
};
struct names {
  std::vector<std::string> items;
};

#define QUIESCE_RULE(rule_name, attribute, expected)             \
  struct rule_name##_tag {};                                     \
  using rule_name##_type = x3::rule<rule_name##_tag, attribute>; \
  constexpr rule_name##_type rule_name{expected};                \
  BOOST_SPIRIT_DECLARE(rule_name##_type)
#define QUIESCE_DEFINE(rule_name) \
  BOOST_SPIRIT_DEFINE(rule_name)  \
  BOOST_SPIRIT_INSTANTIATE(rule_name##_type, iterator, context_type)

// grammar_expression.cpp, grammar_operand.cpp
QUIESCE_RULE(expression, tall, "an expression")
QUIESCE_RULE(sum, tall, "an integer expression")
QUIESCE_RULE(operand, tall, "an expression")
QUIESCE_RULE(primary, tall, "an expression")
QUIESCE_RULE(literal, tall, "a literal: an integer, 'true', 'false' or a name")
QUIESCE_RULE(argument_list, arguments, "'(' and arguments")
QUIESCE_RULE(choice_list, arguments, "'(' and arguments")  // an argument may be `any`

// grammar_pattern.cpp
QUIESCE_RULE(temporal, tall, "an expression")  // EV(..) earlier, EV(..) since .., EV(..), f(..)
QUIESCE_RULE(atom_pattern, tall_pattern, "an event with arguments")
QUIESCE_RULE(atom_patterns, pattern_list, "an event with arguments")
QUIESCE_RULE(patterns, pattern_list, "an event with arguments")

// grammar_type.cpp
QUIESCE_RULE(type, ast::type_expr, "a type")
QUIESCE_RULE(binder, tall_binder, "a variable with ': TYPE' or 'in SET'")
QUIESCE_RULE(index_sorts, names, "the sorts of a table")  // NAME (',' NAME)* '->'

// grammar_statement.cpp, grammar_compound.cpp
QUIESCE_RULE(statement, ast::statement, "a statement")
QUIESCE_RULE(simple_statement, ast::statement, "a statement")
QUIESCE_RULE(compound_statement, ast::statement, "a statement")
QUIESCE_RULE(block, block_body, "'{' to open the block")

// grammar_anchor.cpp
QUIESCE_RULE(anchor, ast::anchor, "an anchor '@kernel(\"FILE\", FUNCTION)'")
QUIESCE_RULE(evidence, ast::evidence, "evidence")

// grammar_declaration.cpp, grammar_storage.cpp, grammar_behaviour.cpp
QUIESCE_RULE(declaration, ast::item, "a declaration")
QUIESCE_RULE(storage, ast::item, "a declaration")
QUIESCE_RULE(behaviour, ast::item, "a declaration")
QUIESCE_RULE(option_setting, ast::option_setting, "NAME '=' literal")

// grammar_vocabulary.cpp, grammar_property.cpp, grammar_claim.cpp
QUIESCE_RULE(vocabulary, ast::vocabulary, "a vocabulary")
QUIESCE_RULE(property, ast::property, "a property")
QUIESCE_RULE(claim, ast::claim, "a claim")

// grammar_file.cpp
QUIESCE_RULE(model_file, ast::model, "'model' or 'library', and a name")
QUIESCE_RULE(property_file, ast::property_file, "'vocabulary' or 'property'")
QUIESCE_RULE(claim_file, ast::claim_file, "'claim'")
QUIESCE_RULE(expression_file, tall, "an expression")

// The same rule under another description, for errors: expected(type, "the type of the variable").
template <class Rule>
constexpr Rule expected(const Rule&, const char* what) {
  return Rule{what};
}

// The place directly behind what an action's parser matched.
template <class Context>
iterator behind(const Context& context) {
  return x3::_where(context).begin();
}

// `where` := the text between the end of the previous token and here is not known to an action; this records a name's range.
template <class Context>
source_range name_range(const Context& context) {
  const state& s = x3::get<state_tag>(context);
  return s.range(behind(context) - x3::_attr(context).size(), behind(context));
}
// Puts a name and its place.
struct put_name_action {
  template <class Context>
  void operator()(const Context& context) const {
    x3::_val(context).where = name_range(context);
    x3::_val(context).name = std::move(x3::_attr(context));
  }
};
inline constexpr put_name_action put_name{};

}  // namespace quiesce::language::grammar
