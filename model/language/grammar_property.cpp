// SPDX-License-Identifier: MIT
// Properties.

#include "model/language/grammar.hpp"

namespace quiesce::language::grammar {
namespace {

using ast::property_kind;
using ast::property_status;
using prop = ast::property;

template <property_kind Kind>
inline constexpr auto is = mark<&prop::kind, Kind>;

struct push_binder {
  template <class Context>
  void operator()(const Context& context) const {
    x3::_val(context).binders.push_back(std::move(x3::_attr(context)));
  }
};
template <auto Member>
struct take_patterns {
  template <class Context>
  void operator()(const Context& context) const {
    x3::_val(context).*Member = std::move(x3::_attr(context).items);
  }
};
// `sometimes` takes events, but in a property about a model's state f(x) alone is a condition.
struct sometimes_events {
  template <class Context>
  void operator()(const Context& context) const {
    auto& found = x3::_attr(context).items;
    const bool plain = found.size() == 1 && found[0].place == ast::placement::anywhere && found[0].when.empty();
    if (x3::_val(context).on_model && plain) {
      x3::_pass(context) = false;
      return;
    }
    x3::_val(context).patterns = std::move(found);
  }
};

// f(x) leads to g(x) of a property about a model's state.
struct two_states {
  std::vector<ast::expr> items;
};
struct states_only {
  template <class Context>
  void operator()(const Context& context) const {
    x3::_pass(context) = x3::_val(context).on_model;
  }
};
struct take_states {
  template <class Context>
  void operator()(const Context& context) const {
    x3::_val(context).condition = std::move(x3::_attr(context).items);
    x3::_val(context).kind = property_kind::leads_to;
  }
};

const auto listed = patterns[take_patterns<&prop::patterns>{}];
constexpr auto condition = push<&prop::condition>;

}  // namespace

struct fair_place_tag {};
struct fairness_tag {};
struct two_states_tag {};
constexpr x3::rule<fair_place_tag, ast::fair_place> fair_place{"a process"};
constexpr x3::rule<fairness_tag, ast::fairness> fairness{"'weak' or 'strong'"};
constexpr x3::rule<two_states_tag, two_states> leading_states{"a condition"};

const auto fair_place_def =
    located[name("a process")[put<&ast::fair_place::process>] >>
            -(kw("at") > name("a procedure or a label after 'at'")[put<&ast::fair_place::place>])];
const auto fairness_def = located[(kw("weak") | kw("strong")[mark<&ast::fairness::strong, true>]) >
                                  kw("fairness", "'fairness' after 'weak' or 'strong'") >>
                                  -(kw("of") > commas[expected(fair_place, "a process after 'of'")[push<&ast::fairness::of>]])];
const auto leading_states_def = expression[push<&two_states::items>] >> kw("leads") > kw("to", "'to' after 'leads'") >
                                expected(expression, "a condition after 'leads to'")[push<&two_states::items>];
const auto fair = expected(fairness, "'weak' or 'strong' and 'fairness' after 'under'");
const auto granted = -(kw("under") > fair[push<&prop::fair>] > *(kw("and") > fair[push<&prop::fair>]));

const auto header = kw("property") > name("the name of the property")[put_name] >
                    text("the sentence of the property in double quotes")[put<&prop::sentence>] >
                    -(kw("rule") > commas[name("a rule")[push<&prop::rules>]]) >
                    -(kw("status") >
                      as("'required' or 'proposed' after 'status'")
                          [(kw("required")[mark<&prop::status, property_status::required>] >
                            -(kw("since") > text("a kernel version in double quotes")[put<&prop::status_text>])) |
                           (kw("proposed")[mark<&prop::status, property_status::proposed>] >
                            -(kw("by") > text("who proposed it, in double quotes")[put<&prop::status_text>]))]) >
                    -evidence[put<&prop::proof>] > -kw("model")[mark<&prop::on_model, true>] >
                    -(kw("for") > kw("all", "'all' after 'for'") > commas[binder[push_binder{}]] >
                      sym(":", "':' after the bound variables"));

const auto sometimes = kw("sometimes")[is<property_kind::sometimes>] >
                       ((patterns >> &sym(";"))[sometimes_events{}] |
                        expected(expression, "events or a condition after 'sometimes'")[condition]);

const auto body =
    (kw("never")[is<property_kind::never>] >
     expected(patterns, "an event with arguments after 'never'")[take_patterns<&prop::patterns>{}]) |
    (kw("after")[is<property_kind::after_never>] >
     expected(patterns, "an event with arguments after 'after'")[take_patterns<&prop::patterns>{}] >
     kw("never", "'never' and what must not follow") >
     expected(patterns, "an event with arguments after 'never'")[take_patterns<&prop::forbidden>{}]) |
    (kw("at") > as("'most' or 'end' after 'at'")
                    [(kw("most")[is<property_kind::at_most>] > integer("a number after 'at most'")[put<&prop::limit>] >
                      expected(patterns, "an event with arguments after 'at most'")[take_patterns<&prop::patterns>{}]) |
                     (kw("end")[is<property_kind::at_end>] > kw("of", "'of' after 'at end'") >
                      name("a span variable")[put<&prop::span>] > sym(":", "':' after the span variable") >
                      expected(expression, "a condition after ':'")[condition])]) |
    (kw("invariant")[is<property_kind::invariant>] > expected(expression, "a condition after 'invariant'")[condition]) |
    sometimes |
    (kw("no")[is<property_kind::no_error>] > kw("error", "'error' after 'no'") >
     commas[name("a run-time error")[push<&prop::errors>]]) |
    (x3::eps[states_only{}] >> leading_states[take_states{}] > granted) |
    (listed >
     as("'requires' and a condition after the event, or 'leads to' and events")
         [(kw("requires")[is<property_kind::requires_>] > expected(expression, "a condition after 'requires'")[condition]) |
          (kw("leads")[is<property_kind::leads_to>] > kw("to", "'to' after 'leads'") >
           expected(patterns, "an event with arguments after 'leads to'")[take_patterns<&prop::answers>{}] > granted)]);

const auto property_def = header > as("what the property says: events with 'requires' or 'leads to', 'never', 'after', 'at most', 'at end "
                                      "of', 'invariant', 'sometimes' or 'no error'")[body] >
                          sym(";", "';' after the property");

BOOST_SPIRIT_DEFINE(fair_place, fairness, leading_states)
QUIESCE_DEFINE(property)

}  // namespace quiesce::language::grammar
