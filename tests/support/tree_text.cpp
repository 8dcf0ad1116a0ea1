// SPDX-License-Identifier: MIT
#include "tests/support/tree_text.hpp"

#include <type_traits>

namespace quiesce::test {
namespace {

// out(a, b, c) writes members one after another; a node is `(members)`, a list `[nodes]`.
struct dump {
  std::string text;

  void one(const std::string& s) { text += '"' + s + "\" "; }
  void one(std::int64_t n) { text += std::to_string(n) + ' '; }
  void one(bool b) { text += b ? "yes " : "no "; }
  void one(char c) { text += std::to_string(static_cast<int>(c)) + ' '; }
  template <class Enum>
    requires std::is_enum_v<Enum>
  void one(Enum e) { text += std::to_string(static_cast<int>(e)) + ' '; }
  template <class T>
  void one(const std::vector<T>& list) {
    text += '[';
    for (const T& element : list) one(element);
    text += "] ";
  }
  template <class T>
  void one(const std::optional<T>& value) { value ? one(*value) : void(text += "- "); }
  template <class... Members>
  void all(const Members&... members) {
    text += '(';
    (one(members), ...);
    text += ") ";
  }

  void one(const ast::expr& e) { all(e.kind, e.text, e.value, e.args, e.binders, e.patterns); }
  void one(const ast::binder& b) { all(b.name, b.type, b.domain); }
  void one(const ast::type_expr& t) { all(t.kind, t.text, t.labels, t.args, t.bounds); }
  void one(const ast::event_pattern& p) { all(p.event, p.args, p.place, p.span, p.when); }
  void one(const ast::evidence& e) { all(e.mark, e.text); }
  void one(const ast::anchor& a) { all(a.file, a.function, a.version, a.label, a.calls); }
  void one(const ast::statement& s) {
    all(s.kind, s.at, s.name, s.text, s.type, s.target, s.value, s.args, s.binders, s.iterate, s.body, s.otherwise, s.has_otherwise,
        s.branches);
  }
  void one(const ast::import_decl& d) { all(d.names); }
  void one(const ast::sort_extra& d) { all(d.name, d.over); }
  void one(const ast::sort_decl& d) { all(d.name, d.extras, d.standard); }
  void one(const ast::enum_decl& d) { all(d.name, d.labels); }
  void one(const ast::option_decl& d) { all(d.name, d.type, d.value, d.orthogonal, d.sentence); }
  void one(const ast::bound_decl& d) { all(d.name, d.low, d.high, d.value, d.sentence); }
  void one(const ast::option_setting& d) { all(d.name, d.value); }
  void one(const ast::variant_decl& d) { all(d.name, d.base, d.settings, d.sentence, d.source, d.kernel, d.proof); }
  void one(const ast::time_decl& d) { all(d.urgent, d.horizon); }
  void one(const ast::variable_decl& d) { all(d.name, d.rigid, d.index, d.type, d.guard, d.initial, d.filter); }
  void one(const ast::node_decl& d) { all(d.name, d.sort, d.guard); }
  void one(const ast::list_decl& d) { all(d.name, d.node, d.guard); }
  void one(const ast::lock_decl& d) { all(d.name, d.spin, d.sort); }
  void one(const ast::timer_decl& d) { all(d.name, d.sort); }
  void one(const ast::init_decl& d) { all(d.body); }
  void one(const ast::ghost_init_decl& d) { all(d.name, d.params, d.value); }
  void one(const ast::param& p) { all(p.name, p.kind, p.type, p.node); }
  void one(const ast::procedure_decl& d) { all(d.name, d.params, d.result, d.recursive, d.at, d.body); }
  void one(const ast::handler_clause& c) { all(c.event, c.params, c.body); }
  void one(const ast::handler_decl& d) { all(d.name, d.priority, d.when, d.at, d.clauses); }
  void one(const ast::process_decl& d) { all(d.name, d.params, d.softirq, d.cpu, d.timer, d.at, d.body); }
  void one(const ast::operation_decl& d) { all(d.name, d.params, d.at, d.begin, d.requires_, d.otherwise, d.body); }
  void one(const ast::environment_decl& d) { all(d.name, d.sentence, d.processes, d.procedures); }
  void one(const ast::item& item) {
    one(static_cast<std::int64_t>(item.index()));
    std::visit([&](const auto& d) { one(d); }, item);
  }
  void one(const ast::vocabulary_sort& d) { all(d.name); }
  void one(const ast::event_decl& d) { all(d.name, d.params, d.meaning, d.proof); }
  void one(const ast::span_decl& d) { all(d.name, d.params, d.meaning); }
  void one(const ast::ghost_update& u) { all(u.event, u.args, u.target, u.value); }
  void one(const ast::ghost_decl& d) { all(d.name, d.index, d.type, d.initial, d.meaning, d.updates); }
  void one(const ast::vocabulary& v) { all(v.name, v.sorts, v.events, v.spans, v.ghosts); }
  void one(const ast::property& p) {
    all(p.name, p.sentence, p.rules, p.status, p.status_text, p.proof, p.on_model, p.binders, p.kind, p.patterns, p.forbidden, p.limit,
        p.span, p.condition, p.errors);
  }
  void one(const ast::named_integer& n) { all(n.name, n.value); }
  void one(const ast::claim& c) {
    all(c.name, c.sentence, c.model, c.variant, c.environment, c.property, c.method, c.with, c.scope, c.expect, c.proof, c.bugs, c.because);
  }
};

template <class... Members>
std::string text_of(const Members&... members) {
  dump d;
  (d.one(members), ...);
  return std::move(d.text);
}

}  // namespace

std::string tree_text(const ast::expr& e) { return text_of(e); }
std::string tree_text(const ast::type_expr& t) { return text_of(t); }
std::string tree_text(const ast::statement& s) { return text_of(s); }
std::string tree_text(const ast::model& m) { return text_of(m.library, m.name, m.sentence, m.items); }
std::string tree_text(const ast::property_file& f) { return text_of(f.vocabularies, f.properties); }
std::string tree_text(const ast::claim_file& f) { return text_of(f.claims); }

}  // namespace quiesce::test
