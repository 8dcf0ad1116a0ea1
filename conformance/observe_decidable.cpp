// SPDX-License-Identifier: MIT
#include "conformance/observe_decidable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace quiesce::observe {
namespace {

constexpr std::string_view never_released[] = {"NETDEV_DOWN_BATCH", "NETDEV_UNREGISTER_BATCH", "arp_ifdown_all"};

const ast::event_decl* event_of(const ast::vocabulary& v, const std::string& name) {
  for (const ast::event_decl& e : v.events)
    if (e.name == name) return &e;
  return nullptr;
}
const ast::ghost_decl* ghost_of(const ast::vocabulary& v, const std::string& name) {
  for (const ast::ghost_decl& g : v.ghosts)
    if (g.name == name) return &g;
  return nullptr;
}

// Which way an expression counts: true helps the rule, hurts it, or both.
enum class sign { helps, hurts, both };
sign flipped(sign s) { return s == sign::both ? s : s == sign::helps ? sign::hurts : sign::helps; }

class analysis {
 public:
  analysis(const ast::property& p, const ast::vocabulary& v, const source_view& source)
      : p_(p), vocabulary_(v), source_(source) {
    for (const ast::binder& b : p.binders)
      if (!b.type.empty()) variables_.emplace_back(b.name, b.type.front().text);
  }

  decidability run() {
    switch (p_.kind) {
      case ast::property_kind::requires_:
        for (const auto& t : p_.patterns) trigger(t);
        for (const auto& e : p_.condition) walk(e, sign::helps);
        break;
      case ast::property_kind::at_end:
        span(p_.span);
        for (const auto& e : p_.condition) walk(e, sign::helps);
        break;
      case ast::property_kind::never:
      case ast::property_kind::after_never:
      case ast::property_kind::at_most:
        for (const auto& t : p_.patterns) trigger(t);
        for (const auto& t : p_.forbidden) trigger(t);
        break;
      default:
        out_.holds = out_.violation = false;
        note("no trace of events decides it");
    }
    return out_;
  }

 private:
  void note(const std::string& text) {
    if (out_.reason.find(text) != std::string::npos) return;
    out_.reason += (out_.reason.empty() ? "" : "; ") + text;
  }
  void spoil(sign s, const std::string& text) {
    if (s != sign::hurts) out_.violation = false;
    if (s != sign::helps) out_.holds = false;
    note(text);
  }

  bool hidden(const std::string& event) const { return happens_in(event, source_.kernel) && !source_.shows(event); }
  std::string missing(const std::string& event) const {
    return fmt::format("the source does not show {} ({})", event, source_.why_not(event));
  }

  std::string span_kind_of(const std::string& variable) const {
    for (const auto& [name, type] : variables_)
      if (name == variable) return type;
    return {};
  }
  // A span that does not show, or whose devices' namespaces are asked for.
  void span(const std::string& variable) {
    const std::string begin = span_kind_of(variable) + "_begin";
    if (hidden(begin)) spoil(sign::both, missing(begin));
  }

  // What is common to every pattern: namespaces, its span, its `when`.
  void parts(const ast::event_pattern& t) {
    const ast::event_decl* e = event_of(vocabulary_, t.event);
    if (!source_.nets && e && !hidden(t.event) && happens_in(t.event, source_.kernel))
      for (std::size_t i = 0; i < t.args.size() && i < e->params.size(); ++i)
        if (e->params[i].text == "net" && t.args[i].kind != ast::expr_kind::wildcard)
          spoil(sign::both, "the source does not show namespaces");
    if (t.place != ast::placement::anywhere) span(t.span);
    for (const auto& w : t.when) walk(w, sign::both);
  }

  // One that is missed is not judged.
  void trigger(const ast::event_pattern& t) {
    if (hidden(t.event)) spoil(sign::hurts, missing(t.event));
    parts(t);
  }

  // Missed: an atom that wants it in the past is false more often than in truth.
  void past(const ast::event_pattern& t, sign s) {
    if (hidden(t.event)) spoil(s, missing(t.event));
    parts(t);
  }

  void ghost(const ast::ghost_decl& g) {
    // Every device of a batch has its NETDEV_UNREGISTER, and that tells where it is.
    if (g.name == "home" || g.name == "home_known") {
      if (hidden("NETDEV_UNREGISTER")) spoil(sign::both, missing("NETDEV_UNREGISTER"));
      if (!source_.nets) spoil(sign::both, "the source does not show namespaces");
      return;
    }
    for (const ast::ghost_update& u : g.updates)
      if (hidden(u.event)) spoil(sign::both, missing(u.event));
  }

  void walk(const ast::expr& e, sign s) {
    using k = ast::expr_kind;
    if (e.kind == k::earlier || e.kind == k::count_events) {
      for (const auto& t : e.patterns) past(t, e.kind == k::earlier ? s : sign::both);
      return;
    }
    if (e.kind == k::since) {
      for (std::size_t i = 0; i < e.patterns.size(); ++i) past(e.patterns[i], i == 0 ? s : flipped(s));
      return;
    }
    if (e.kind == k::name || e.kind == k::apply)
      if (const ast::ghost_decl* g = ghost_of(vocabulary_, e.text)) ghost(*g);
    const bool connective = e.text == "&&" || e.text == "||" || e.text == "=>";
    for (std::size_t i = 0; i < e.args.size(); ++i) {
      sign inner = sign::both;
      if (e.kind == k::unary && e.text == "!") inner = flipped(s);
      if (e.kind == k::binary && connective) inner = e.text == "=>" && i == 0 ? flipped(s) : s;
      if (e.kind == k::conditional && i > 0) inner = s;
      if (e.kind == k::quantified && e.text != "count") inner = i == 1 && e.text == "all" ? flipped(s) : s;
      walk(e.args[i], inner);
    }
  }

  const ast::property& p_;
  const ast::vocabulary& vocabulary_;
  const source_view& source_;
  std::vector<std::pair<std::string, std::string>> variables_;
  decidability out_;
};

// Every expression and pattern of a property.
class visitor {
 public:
  std::function<void(const ast::event_pattern&)> pattern;
  std::function<void(const ast::expr&)> expression;
  void visit(const ast::property& p) {
    for (const auto& t : p.patterns) one(t);
    for (const auto& t : p.forbidden) one(t);
    for (const auto& e : p.condition) one(e);
  }

 private:
  void one(const ast::event_pattern& t) {
    if (pattern) pattern(t);
    for (const auto& a : t.args) one(a);
    for (const auto& w : t.when) one(w);
  }
  void one(const ast::expr& e) {
    if (expression) expression(e);
    for (const auto& a : e.args) one(a);
    for (const auto& t : e.patterns) one(t);
    for (const auto& b : e.binders)
      for (const auto& d : b.domain) one(d);
  }
};

}  // namespace

kernel_version parse_version(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  kernel_version out;
  const char* end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, out.major);
  if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.') return {};
  const auto minor = std::from_chars(major.ptr + 1, end, out.minor);
  if (minor.ec != std::errc() || (minor.ptr != end && *minor.ptr != '.' && *minor.ptr != '-')) return {};
  return out;
}

bool happens_in(std::string_view event, kernel_version kernel) {
  if (std::find(std::begin(never_released), std::end(never_released), event) != std::end(never_released)) return false;
  if (!kernel.known()) return true;
  if (event == "NETDEV_PRE_UNINIT") return kernel >= kernel_version{6, 12};
  if (event == "NETDEV_UNREGISTER_FINAL") return kernel <= kernel_version{4, 16};
  if (event == "dst_alloc_refused") return kernel <= kernel_version{6, 2};
  return true;
}

decidability decidable(const ast::property& p, const ast::vocabulary& v, const source_view& source) {
  if (p.on_model) return {false, false, "a property of a model's state: no trace of events decides it"};
  return analysis(p, v, source).run();
}

std::vector<std::string> mentioned(const ast::property& p, const ast::vocabulary& v) {
  std::vector<std::string> out;
  const auto add = [&](const std::string& name) {
    if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  };
  visitor all;
  all.pattern = [&](const ast::event_pattern& t) { add(t.event); };
  all.expression = [&](const ast::expr& e) {
    if (const ast::ghost_decl* g = ghost_of(v, e.text))
      for (const auto& u : g->updates) add(u.event);
  };
  all.visit(p);
  for (const ast::binder& b : p.binders)
    if (!b.type.empty())
      for (const ast::span_decl& s : v.spans)
        if (s.name == b.type.front().text) add(s.name);
  return out;
}

bool reads_ghost(const ast::property& p, std::string_view ghost) {
  bool found = false;
  visitor all;
  all.expression = [&](const ast::expr& e) { found = found || e.text == ghost; };
  all.visit(p);
  return found;
}

}  // namespace quiesce::observe
