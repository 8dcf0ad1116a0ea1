// SPDX-License-Identifier: MIT
// Event patterns, and the temporal atoms of expressions that are made of them.
//
// An application f(x) becomes a pattern only if `earlier` or `since` follows, perhaps behind a placement, a condition in
// parentheses or `|`. Else what follows belongs to the expression around it: `f(x) in s` is membership.

#include <algorithm>

#include "model/language/grammar.hpp"

namespace quiesce::language::grammar {
namespace {

using ast::expr_kind;
using ast::placement;

// What can follow an application that is an event.
struct tail_node {
  placement place = placement::anywhere;
  std::string span;
  std::vector<ast::expr> when;
  unsigned height = 0;
  std::uint32_t end = 0;
};
struct suffix_node {
  tail_node tail;
  pattern_list more, later;  // alternatives of the first pattern; what `since` excludes
  tail_node trail;           // `earlier in r`
  expr_kind kind = expr_kind::earlier;
};

void attach(ast::event_pattern& pattern, tail_node&& tail) {
  pattern.place = tail.place;
  pattern.span = std::move(tail.span);
  pattern.when = std::move(tail.when);
  pattern.where.end = std::max(pattern.where.end, tail.end);
}

// `A(x) | B(x) earlier in r` places every alternative.
void place_all(const state& s, tall& node, tail_node&& trail) {
  if (trail.place == placement::anywhere) return;
  for (ast::event_pattern& pattern : node.patterns) {
    if (pattern.place != placement::anywhere)
      refuse(s, s.base + pattern.where.begin, s.base + pattern.where.end, "this event is placed in a span twice",
             "write 'in' either behind the event or behind 'earlier'");
    pattern.place = trail.place;
    pattern.span = trail.span;
  }
}

void make_temporal(const state& s, tall& node, suffix_node&& suffix) {
  ast::event_pattern first;
  first.where = node.where;
  first.event = std::move(node.text);
  first.args = std::move(node.args);
  attach(first, std::move(suffix.tail));
  node.text.clear();
  node.args.clear();
  node.kind = suffix.kind;
  if (suffix.kind == expr_kind::since && !suffix.more.items.empty())
    refuse(s, s.base + first.where.begin, s.base + suffix.more.items.back().where.end,
           "'since' takes one event on its left side", "write one 'since' for each alternative and join them with '||'");
  raise(s, node, std::max({suffix.tail.height, suffix.more.height, suffix.later.height}));
  node.patterns.push_back(std::move(first));
  for (pattern_list* list : {&suffix.more, &suffix.later})
    std::move(list->items.begin(), list->items.end(), std::back_inserter(node.patterns));
  place_all(s, node, std::move(suffix.trail));
}

struct take_name {
  template <class Context>
  void operator()(const Context& context) const {
    tall& node = x3::_val(context);
    node.where = name_range(context);
    node.text = std::move(x3::_attr(context));
    node.kind = node.text == "_" ? expr_kind::wildcard : expr_kind::name;
    if (node.kind == expr_kind::wildcard) node.text.clear();
  }
};
struct take_arguments {
  template <class Context>
  void operator()(const Context& context) const {
    const state& s = x3::get<state_tag>(context);
    tall& node = x3::_val(context);
    node.where.end = s.range(s.base, behind(context)).end;
    raise(s, node, x3::_attr(context).height);
    if (node.kind == expr_kind::wildcard) node.text = "_";
    node.kind = expr_kind::apply;
    node.args = std::move(x3::_attr(context).items);
  }
};
struct take_suffix {
  template <class Context>
  void operator()(const Context& context) const {
    make_temporal(x3::get<state_tag>(context), x3::_val(context), std::move(x3::_attr(context)));
  }
};
struct take_counted {
  template <class Context>
  void operator()(const Context& context) const {
    tall& node = x3::_val(context);
    node.kind = expr_kind::count_events;
    node.where = x3::_attr(context).items.front().where;
    raise(x3::get<state_tag>(context), node, x3::_attr(context).height);
    node.patterns = std::move(x3::_attr(context).items);
  }
};
struct take_event_arguments {
  template <class Context>
  void operator()(const Context& context) const {
    const state& s = x3::get<state_tag>(context);
    x3::_val(context).where.end = s.range(s.base, behind(context)).end;
    x3::_val(context).height = x3::_attr(context).height;
    x3::_val(context).args = std::move(x3::_attr(context).items);
  }
};
struct take_when {
  template <class Context>
  void operator()(const Context& context) const {
    x3::_val(context).height = std::max(x3::_val(context).height, x3::_attr(context).height);
    x3::_val(context).when.push_back(std::move(x3::_attr(context)));
  }
};
struct take_tail {
  template <class Context>
  void operator()(const Context& context) const {
    x3::_val(context).height = std::max(x3::_val(context).height, x3::_attr(context).height);
    attach(x3::_val(context), std::move(x3::_attr(context)));
  }
};
struct first_tail {
  template <class Context>
  void operator()(const Context& context) const {
    const state& s = x3::get<state_tag>(context);
    x3::_val(context).tail = std::move(x3::_attr(context));
    x3::_val(context).tail.end = s.range(s.base, behind(context)).end;
  }
};
struct push_pattern {
  template <class Context>
  void operator()(const Context& context) const {
    x3::_val(context).height = std::max(x3::_val(context).height, x3::_attr(context).height);
    x3::_val(context).items.push_back(std::move(x3::_attr(context)));
  }
};
struct push_alternative {
  template <class Context>
  void operator()(const Context& context) const {
    pattern_list& more = x3::_val(context).more;
    more.height = std::max(more.height, x3::_attr(context).height);
    more.items.push_back(std::move(x3::_attr(context)));
  }
};

}  // namespace

struct placed_tag {};
struct tail_tag {};
struct suffix_tag {};
struct pattern_tag {};
constexpr x3::rule<placed_tag, tail_node> placed{"'in' or 'within' and a span variable"};
constexpr x3::rule<tail_tag, tail_node> tail{"a placement"};
constexpr x3::rule<suffix_tag, suffix_node> suffix{"'earlier' or 'since'"};
constexpr x3::rule<pattern_tag, tall_pattern> pattern{"an event with arguments"};

const auto placed_def = (kw("in")[mark<&tail_node::place, placement::in>] |
                         kw("within")[mark<&tail_node::place, placement::within>]) >>
                        name("the name of a span variable")[put<&tail_node::span>];
const auto tail_def = -placed[become] >> -(kw("when") >> sym("(") >> expression[take_when{}] >> sym(")"));
const auto suffix_def = tail[first_tail{}] >> *(sym("|") >> atom_pattern[push_alternative{}]) >>
                        ((kw("earlier")[mark<&suffix_node::kind, expr_kind::earlier>] >> -placed[put<&suffix_node::trail>]) |
                         (kw("since")[mark<&suffix_node::kind, expr_kind::since>] >
                          atom_patterns[put<&suffix_node::later>]));

const auto temporal_def = located[(kw("count") >> atom_patterns[take_counted{}]) |
                                  (name()[take_name{}] >> -(argument_list[take_arguments{}] >> -suffix[take_suffix{}]))];

const auto atom_pattern_def =
    located[name()[put<&ast::event_pattern::event>] >> argument_list[take_event_arguments{}] >> tail[take_tail{}]];
const auto atom_patterns_def = separated{"|"}[atom_pattern[push_pattern{}]];

const auto pattern_def = located[name()[put<&ast::event_pattern::event>] >> argument_list[take_event_arguments{}] >>
                                 -((kw("in")[mark<&ast::event_pattern::place, placement::in>] |
                                    kw("within")[mark<&ast::event_pattern::place, placement::within>]) >
                                   name("the name of a span variable")[put<&ast::event_pattern::span>]) >>
                                 -(kw("when") > expected(expression, "a condition after 'when'")[take_when{}])];
const auto patterns_def = separated{"|"}[pattern[push_pattern{}]];

BOOST_SPIRIT_DEFINE(placed, tail, suffix, pattern)
QUIESCE_DEFINE(temporal)
QUIESCE_DEFINE(atom_pattern)
QUIESCE_DEFINE(atom_patterns)
QUIESCE_DEFINE(patterns)

}  // namespace quiesce::language::grammar
