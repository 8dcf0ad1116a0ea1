// SPDX-License-Identifier: MIT
// The reachable states and steps as a graph, for Graphviz. States are numbered breadth first; what a step changed is its
// label.

#include <fmt/format.h>

#include <map>
#include <vector>

#include "model/export/export.hpp"
#include "properties/diagnostic.hpp"

namespace quiesce::exporting {

namespace {

using packed = std::vector<word>;

class graph {
 public:
  graph(const transition_system& s, const export_options& o) : s_(s), most_(o.max_states), title_(o.title) {}

  std::string run() {
    const auto steps = s_.make_stepper();
    out_ = fmt::format("digraph \"{}\" {{\n  node [shape=circle];\n", escaped(title_));
    steps->initial([&](const step& x) { edge("start", nullptr, x); });
    for (std::size_t at = 0; at < states_.size(); ++at) {
      const packed from = states_[at];
      bool any = false;
      steps->successors(from.data(), [&](const step& x) {
        any = true;
        edge(fmt::format("s{}", at), from.data(), x);
      });
      if (!any && !steps->resting(from.data())) out_ += fmt::format("  s{} [color=red, xlabel=deadlock];\n", at);
    }
    return "// " + title_ + "\n" + out_ + "  start [shape=point];\n}\n";
  }

 private:
  static std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    return out;
  }

  std::size_t number_of(const word* state) {
    packed p(state, state + s_.state_layout().words());
    const auto [it, fresh] = number_.emplace(p, states_.size());
    if (fresh) {
      if (states_.size() >= most_)
        throw diagnostic(fmt::format("dot: there are more than {} states", most_), "a smaller scope, or --max-states");
      states_.push_back(std::move(p));
      out_ += fmt::format("  s{} [label=\"{}\"];\n", it->second, it->second);
    }
    return it->second;
  }

  void edge(const std::string& from, const word* before, const step& x) {
    std::string name = x.process == ir::nothing ? "" : s_.program().processes[x.process].name;
    if (x.process != ir::nothing && s_.program().processes[x.process].over != ir::nothing)
      name += "(" + s_.program().sorts[s_.program().processes[x.process].over].element[x.instance] + ")";
    const std::string broken = violated(x);
    if (x.outcome != step_outcome::state) {
      const std::string how = x.outcome == step_outcome::error   ? ir::name(static_cast<ir::error_kind>(x.kind))
                              : x.outcome == step_outcome::bound ? ir::name(static_cast<ir::bound_kind>(x.kind))
                                                                 : "stuck";
      out_ += fmt::format("  e{0} [shape=box, color=red, label=\"{1}\"];\n  {2} -> e{0} [label=\"{3}\"];\n", ends_++, how,
                          from, escaped(name));
      return;
    }
    const std::size_t to = number_of(x.state);
    out_ += fmt::format("  {} -> s{} [label=\"{}\"{}];\n", from, to,
                        escaped(name) + changes(before, x.state) + escaped(broken), broken.empty() ? "" : ", color=red");
  }

  std::string violated(const step& x) const {
    std::string out;
    for (std::size_t k = 0; k < s_.program().properties.size(); ++k)
      if (x.violated >> k & 1) out += " violates " + s_.program().properties[k].name;
    return out;
  }

  std::string changes(const word* before, const word* after) const {
    std::string out;
    if (!before) return out;
    const ir::program& p = s_.program();
    for (ir::variable_id v = 0; v < p.variables.size(); ++v) {
      const ir::variable& x = p.variables[v];
      for (std::uint64_t k = 0; k < ir::element_count(p, x); ++k) {
        const slot& at = s_.state_layout().slots()[x.first_slot + k];
        if (get(before, at) == get(after, at)) continue;
        std::string index;
        std::uint64_t rest = k;
        for (std::size_t d = x.index.size(); d-- > 0; rest /= p.sorts[x.index[d]].element.size())
          index =
              p.sorts[x.index[d]].element[rest % p.sorts[x.index[d]].element.size()] + (index.empty() ? "" : ", ") + index;
        const auto value = static_cast<std::int64_t>(get(after, at)) + ir::low(p, x.type);
        out += "\\n" + escaped(x.name + (index.empty() ? "" : "(" + index + ")") + " := " + print_value(p, x.type, value));
      }
    }
    return out;
  }

  const transition_system& s_;
  const std::uint64_t most_;
  const std::string title_;
  std::map<packed, std::size_t> number_;
  std::vector<packed> states_;
  std::size_t ends_ = 0;
  std::string out_;
};

}  // namespace

std::string write_dot(const transition_system& s, const export_options& o) { return graph(s, o).run(); }

}  // namespace quiesce::exporting
