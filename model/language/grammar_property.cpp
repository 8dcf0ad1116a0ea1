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

const auto listed = patterns[take_patterns<&prop::patterns>{}];
constexpr auto condition = push<&prop::condition>;

}  // namespace

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
    (listed > kw("requires", "'requires' and a condition after the event")[is<property_kind::requires_>] >
     expected(expression, "a condition after 'requires'")[condition]);

const auto property_def = header > as("what the property says: events with 'requires', 'never', 'after', 'at most', 'at end "
                                      "of', 'invariant', 'sometimes' or 'no error'")[body] >
                          sym(";", "';' after the property");

QUIESCE_DEFINE(property)

}  // namespace quiesce::language::grammar
