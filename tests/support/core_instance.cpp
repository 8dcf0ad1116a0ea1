// SPDX-License-Identifier: MIT
#include "tests/support/core_instance.hpp"

#include <functional>

#include <fmt/format.h>

#include "model/symbolic/core_reader.hpp"

namespace quiesce::test {

namespace {

using namespace symbolic;

constexpr std::int64_t far_away = 60;  // upper end of integers that have none

class writer {
 public:
  writer(const std::string& text, const std::map<std::string, std::size_t>& sizes)
      : items_(read_nodes(text)), core_(read_core(text)) {
    for (const symbolic::sort& s : core_.sorts) {
      std::vector<std::string> elements = s.elements;
      const auto n = sizes.find(s.name);
      if (s.kind == sort_kind::any && n != sizes.end()) {
        if (elements.size() > n->second) elements.resize(n->second);
        while (elements.size() < n->second) elements.push_back(fmt::format("{}{}", s.name, elements.size()));
      }
      std::vector<std::size_t> firsts;
      for (const auto& [name, of] : s.constructors) {
        firsts.push_back(elements.size());
        const std::size_t counted = of < counted_.size() ? counted_[of] : 1;
        for (std::size_t k = 0; k < counted; ++k) elements.push_back(fmt::format("{}({})", name, elements_[of][k]));
      }
      counted_.push_back(elements.size());
      elements_.push_back(elements);
      firsts_.push_back(firsts);
    }
  }

  std::string run() {
    for (const node& item : items_) line(item);
    return std::move(out_);
  }

 private:
  using names = std::map<std::string, std::string>;

  static std::string quoted(const std::string& s) {
    std::string out = "\"";
    for (const char c : s) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    return out + '"';
  }

  std::string text(const node& n, const names& as) const {
    if (n.atom && n.quoted) return quoted(n.text);
    if (n.atom) {
      const auto it = as.find(n.text);
      return it == as.end() ? n.text == "any" ? std::to_string(far_away) : n.text : it->second;
    }
    if (n.is("make") || n.is("made")) {
      const std::size_t s = core_.sort_number.at(n[1].text);
      std::size_t c = 0;
      while (core_.sorts[s].constructors[c].first != n[2].text) ++c;
      const std::size_t first = firsts_[s][c], many = counted_[core_.sorts[s].constructors[c].second];
      const std::string a = text(n[3], as);
      if (n.is("make")) return fmt::format("(+ {} {})", a, first);
      return fmt::format("(and (<= {} {}) (<= {} {}))", first, a, a, first + many - 1);
    }
    std::string out;
    for (const node& kid : n.kids) out += (out.empty() ? "" : " ") + text(kid, as);
    return '(' + out + ')';
  }

  std::size_t values(const symbolic::type& t) const {
    switch (t.kind) {
      case type_kind::boolean:
        return 2;
      case type_kind::integer:
        return static_cast<std::size_t>((t.unlimited ? far_away : t.high) - t.low + 1);
      case type_kind::enumeration:
        return t.labels.size();
      case type_kind::element:
        return counted_[t.sort];
      case type_kind::option:
        return values(*t.inner) + 1;
      case type_kind::set:
        return std::size_t{1} << counted_[t.sort];
    }
    return 0;
  }

  std::string updates(const node& list, const names& as) {
    std::string out;
    for (const node& u : list.kids) {
      if (!(u.is("each") && !u[0].quoted)) {
        out += (out.empty() ? "" : " ") + text(u, as);
        continue;
      }
      names inner = as;
      const std::function<void(std::size_t)> from = [&](std::size_t k) {
        if (k == u[1].kids.size()) {
          out += fmt::format("{}({} {} {})", out.empty() ? "" : " ", text(u[2], as), text(u[3], inner), text(u[4], inner));
          return;
        }
        for (std::size_t e = 0; e < counted_[core_.sort_number.at(u[1][k][1].text)]; ++e) {
          inner[u[1][k][0].text] = std::to_string(e);
          from(k + 1);
        }
      };
      from(0);
    }
    return out;
  }

  void action(const node& item, std::size_t first) {
    std::string params;
    names as;
    for (const node& p : item[first].kids) {
      const type_ref t = read_type(core_, p[1]);
      params += fmt::format("{}({} {})", params.empty() ? "" : " ", p[0].text, values(*t));
      if (t->kind == type_kind::integer && t->low != 0) as[p[0].text] = fmt::format("(+ {} {})", p[0].text, t->low);
    }
    out_ += '(' + item[0].text + (first > 1 ? ' ' + text(item[1], {}) : "") +
            fmt::format(" ({}) {} ({})", params, text(item[first + 1], as), updates(item[first + 2], as));
    for (std::size_t i = first + 3; i < item.kids.size(); ++i)
      if (item[i].is("ends")) out_ += ' ' + text(item[i], {});
    out_ += ")\n";
  }

  void line(const node& item) {
    const std::string head = item[0].text;
    if (head.starts_with("sort")) {
      const std::size_t s = core_.sort_number.at(item[1].text);
      out_ += "(sort " + quoted(core_.sorts[s].name);
      for (const std::string& e : elements_[s]) out_ += ' ' + quoted(e);
      out_ += ")\n";
    } else if (head == "action") {
      action(item, 2);
    } else if (head == "initial") {
      action(item, 1);
    } else if (head == "invariant") {
      out_ += fmt::format("(property {} invariant {})\n", quoted("invariant " + item[1].text), text(item[2], {}));
    } else if (head == "arbitrary") {
      throw std::runtime_error("a function starts with any values");
    } else if (head != "property") {
      out_ += text(item, {}) + '\n';
    }
  }

  std::vector<node> items_;
  core core_;
  std::vector<std::vector<std::string>> elements_;
  std::vector<std::size_t> counted_;
  std::vector<std::vector<std::size_t>> firsts_;
  std::string out_;
};

}  // namespace

std::string instance_of_core(const std::string& text, const std::map<std::string, std::size_t>& sizes) {
  return writer(text, sizes).run();
}

}  // namespace quiesce::test
