// SPDX-License-Identifier: MIT
#include "tests/support/core_explorer.hpp"

#include <optional>
#include <stdexcept>

namespace quiesce::test {

namespace {

struct tree {
  std::string atom;  // where not a list
  bool list = false;
  std::vector<tree> kids;
  const tree& operator[](std::size_t i) const { return kids.at(i); }
  const std::string& head() const { return kids.at(0).atom; }
};

class reader {
 public:
  explicit reader(const std::string& text) : text_(text) {}
  std::vector<tree> run() {
    std::vector<tree> out;
    for (blanks(); at_ < text_.size(); blanks()) out.push_back(one());
    return out;
  }

 private:
  void blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  tree one() {
    blanks();
    tree t;
    if (text_.at(at_) == '(') {
      t.list = true;
      for (++at_, blanks(); text_.at(at_) != ')'; blanks()) t.kids.push_back(one());
      ++at_;
    } else if (text_[at_] == '"') {
      for (++at_; text_.at(at_) != '"'; ++at_) {
        if (text_[at_] == '\\') ++at_;
        t.atom += text_.at(at_);
      }
      ++at_;
    } else {
      while (at_ < text_.size() && std::string(" \n()").find(text_[at_]) == std::string::npos) t.atom += text_[at_++];
    }
    return t;
  }
  const std::string& text_;
  std::size_t at_ = 0;
};

class explorer {
 public:
  explorer(const std::string& text, guards how) : items_(reader(text).run()), guards_(how) {
    for (const tree& i : items_) {
      if (i.head() == "sort") sizes_[i[1].atom] = static_cast<std::int64_t>(i.kids.size()) - 2;
      if (i.head() == "function") declare(i);
      if (i.head() == "resting") resting_ = &i[1];
    }
  }

  core_result run() {
    naive_state zero(size_, 0);
    for (const auto& [name, f] : functions_)
      for (std::int64_t k = 0; k < f.count; ++k) zero[static_cast<std::size_t>(f.first + k)] = f.low;
    std::vector<naive_state> next, level;
    for (const tree& i : items_)
      if (i.head() == "initial") apply(i, i[1], i[2], i[3], 4, zero, 0, next);
    for (std::uint64_t depth = 0; !next.empty(); ++depth) {
      level.swap(next);
      next.clear();
      r_.depth = depth;
      std::vector<const naive_state*> dead;
      for (const naive_state& s : level) expand(s, depth, next);
    }
    return std::move(r_);
  }

 private:
  struct function {
    std::int64_t first = 0, count = 1, low = 0;
    std::vector<std::int64_t> sizes;
  };
  using environment = std::map<std::string, std::int64_t>;

  void declare(const tree& i) {
    function f;
    f.first = static_cast<std::int64_t>(size_);
    for (const tree& s : i[2].kids) {
      f.sizes.push_back(sizes_.at(s.atom));
      f.count *= f.sizes.back();
    }
    f.low = least(i[3]);
    size_ += static_cast<std::size_t>(f.count);
    functions_[i[1].atom] = f;
  }
  static std::int64_t least(const tree& type) { return type.list && type.head() == "int" ? std::stoll(type[1].atom) : 0; }
  std::int64_t how_many(const tree& t) const {
    if (!t.list) return 2;
    if (t.head() == "int") return std::stoll(t[2].atom) - std::stoll(t[1].atom) + 1;
    if (t.head() == "enum") return static_cast<std::int64_t>(t.kids.size()) - 1;
    if (t.head() == "elem") return sizes_.at(t[1].atom);
    if (t.head() == "option") return how_many(t[1]) + 1;
    return std::int64_t{1} << sizes_.at(t[1].atom);
  }
  bool fits(const tree& type, std::int64_t v) const { return v >= least(type) && v < least(type) + how_many(type); }

  std::int64_t place(const std::string& name, const std::vector<std::int64_t>& at) const {
    const function& f = functions_.at(name);
    std::int64_t flat = 0;
    for (std::size_t k = 0; k < f.sizes.size(); ++k) {
      if (at.at(k) < 0 || at[k] >= f.sizes[k]) throw std::runtime_error("core: argument out of range of " + name);
      flat = flat * f.sizes[k] + at[k];
    }
    return f.first + flat;
  }

  std::int64_t eval(const tree& t, const naive_state& s, environment& e) const {
    if (!t.list) {
      auto it = e.find(t.atom);
      if (it != e.end()) return it->second;
      auto d = definitions_.find(t.atom);
      if (d == definitions_.end()) return std::stoll(t.atom);
      const std::int64_t v = eval(*d->second, s, e);
      return e[t.atom] = v;
    }
    const std::string& h = t.head();
    auto kid = [&](std::size_t k) { return eval(t[k], s, e); };
    if (h == "f") {
      std::vector<std::int64_t> at;
      for (std::size_t k = 2; k < t.kids.size(); ++k) at.push_back(kid(k));
      return s[static_cast<std::size_t>(place(t[1].atom, at))];
    }
    if (h == "and") return kid(1) && kid(2);
    if (h == "or") return kid(1) || kid(2);
    if (h == "=>") return !kid(1) || kid(2);
    if (h == "if") return kid(1) ? kid(2) : kid(3);
    if (h == "not") return !kid(1);
    if (h == "neg") return -kid(1);
    if (h == "=") return kid(1) == kid(2);
    if (h == "!=") return kid(1) != kid(2);
    if (h == "<") return kid(1) < kid(2);
    if (h == "<=") return kid(1) <= kid(2);
    if (h == "+") return kid(1) + kid(2);
    if (h == "-") return kid(1) - kid(2);
    if (h == "*") return kid(1) * kid(2);
    if (h == "/") return kid(2) > 0 ? kid(1) / kid(2) : 0;
    if (h == "min") return std::min(kid(1), kid(2));
    if (h == "max") return std::max(kid(1), kid(2));
    if (h == "in") return kid(1) >> kid(2) & 1;
    if (h == "single") return std::int64_t{1} << kid(1);
    if (h == "union") return kid(1) | kid(2);
    if (h == "inter") return kid(1) & kid(2);
    if (h == "minus") return kid(1) & ~kid(2);
    if (h == "card") return __builtin_popcountll(static_cast<std::uint64_t>(kid(1)));
    if (h == "fits") return fits(t[1], kid(2));
    if (h == "some") {
      std::int64_t v = kid(2);
      return fits(t[1], v) ? 1 + v - least(t[1]) : -1;
    }
    if (h == "the") return kid(2) - 1 + least(t[1]);
    return quantified(t, s, e);
  }

  std::int64_t quantified(const tree& t, const naive_state& s, environment& e) const {
    const std::string &h = t.head(), &name = t[1][0].atom;
    std::int64_t count = 0, set = 0, n = sizes_.at(t[1][1].atom);
    const auto outer = e.find(name);  // a definition may have a name again that is in use around its own
    const std::optional<std::int64_t> saved = outer == e.end() ? std::nullopt : std::optional(outer->second);
    for (std::int64_t k = 0; k < n; ++k) {
      e[name] = k;
      if (!eval(t[2], s, e)) continue;
      ++count;
      set |= std::int64_t{1} << k;
    }
    e.erase(name);
    if (saved) e[name] = *saved;
    if (h == "all") return count == n;
    if (h == "exists") return count > 0;
    if (h == "count") return count;
    if (h == "collect") return set;
    throw std::runtime_error("core: unknown operator " + h);
  }

  // The parts of a guard, by how many of the parameters and definitions have to be known for it and all parts before it.
  using parts = std::vector<std::vector<const tree*>>;
  const parts& parts_of(const tree& params, const tree& guard) {
    const auto [at, is_new] = parts_.try_emplace(&guard, params.kids.size() + 1);
    if (!is_new) return at->second;
    if (guards_ == guards::as_a_whole) {
      at->second.back().push_back(&guard);
      return at->second;
    }
    std::map<std::string, std::size_t> known;  // the definitions' own names: the last parameter that they need
    for (std::size_t k = 0; k < params.kids.size(); ++k)
      known[params[k][0].atom] = params[k][1].atom == "=" ? last_named(params[k][2], known) : k + 1;
    std::size_t from = 0;
    split(guard, known, from, at->second);
    return at->second;
  }
  static std::size_t last_named(const tree& t, const std::map<std::string, std::size_t>& known) {
    std::size_t out = 0;
    if (const auto at = known.find(t.atom); !t.list && at != known.end()) out = at->second;
    for (const tree& k : t.kids) out = std::max(out, last_named(k, known));
    return out;
  }
  static void split(const tree& t, const std::map<std::string, std::size_t>& known, std::size_t& from, parts& out) {
    if (t.list && t.head() == "and") {
      split(t[1], known, from, out);
      return split(t[2], known, from, out);
    }
    from = std::max(from, last_named(t, known));
    out[from].push_back(&t);
  }

  // All values of the parameters; counts and follows those that enable the item. Returns how many there are.
  std::uint64_t apply(const tree& item, const tree& params, const tree& guard, const tree& updates, std::size_t effects,
                      const naive_state& s, std::uint64_t depth, std::vector<naive_state>& next) {
    std::uint64_t enabled = 0;
    environment e;
    definitions_.clear();
    for (const tree& p : params.kids)
      if (p[1].atom == "=") definitions_[p[0].atom] = &p[2];
    const parts& conditions = parts_of(params, guard);
    auto each = [&](auto&& self, std::size_t k) -> void {
      environment until = e;  // what definitions turn out to be is kept in it
      for (const tree* t : conditions[k])
        if (!eval(*t, s, until)) return;
      if (k < params.kids.size()) {
        const tree& p = params[k];
        if (p[1].atom == "=") return self(self, k + 1);
        auto it = sizes_.find(p[1].atom);
        std::int64_t n = it != sizes_.end() ? it->second : std::stoll(p[1].atom);
        for (std::int64_t v = 0; v < n; ++v) {
          e[p[0].atom] = v;
          self(self, k + 1);
        }
        return;
      }
      ++enabled;
      take(item, updates, effects, s, until, depth, next);
    };
    each(each, 0);
    return enabled;
  }

  void take(const tree& item, const tree& updates, std::size_t effects, const naive_state& s, environment& e,
            std::uint64_t depth, std::vector<naive_state>& next) {
    bool ends = false;
    for (std::size_t k = effects; k < item.kids.size(); ++k) ends = effect(item[k], depth, s, e) || ends;
    if (ends) return;
    naive_state after = s;
    std::set<std::int64_t> written;
    for (const tree& u : updates.kids) {
      if (u.kids.size() > 3 && !eval(u[3], s, e)) continue;
      std::vector<std::int64_t> at;
      for (const tree& a : u[1].kids) at.push_back(eval(a, s, e));
      std::int64_t where = place(u[0].atom, at), v = eval(u[2], s, e);
      auto cell = static_cast<std::size_t>(where);
      if (!written.insert(where).second && after[cell] != v) throw std::runtime_error("core: two updates differ");
      after[cell] = v;
    }
    if (!r_.states.insert(after).second) return;
    next.push_back(after);
    for (const tree& i : items_) {
      if (i.head() != "property" || i.kids.size() != 4) continue;
      environment none;
      bool holds = eval(i[3], after, none) != 0;
      if (i[2].atom == "sometimes" && holds) r_.marked.insert(i[1].atom);
      if (holds == (i[2].atom == "sometimes")) r_.property_depth.try_emplace(i[1].atom, depth);
    }
  }

  // True where the action leads to no state.
  bool effect(const tree& x, std::uint64_t depth, const naive_state& s, environment& e) {
    if (x.head() != "ends" && x.kids.size() > 2 && !eval(x[2], s, e)) return false;
    if (x.head() == "violates") {
      if (!sometimes(x[1].atom)) r_.property_depth.try_emplace(x[1].atom, depth);
      return false;
    }
    if (x.head() == "marks") {
      r_.marked.insert(x[1].atom);
      if (sometimes(x[1].atom)) r_.property_depth.try_emplace(x[1].atom, depth);
      return false;
    }
    if (x[1].atom == "error") {
      r_.error_depth.try_emplace(x[2].atom, depth);
      for (const tree& i : items_)
        if (i.head() == "property" && i.kids.size() == 3 && i[2].list)
          for (std::size_t k = 1; k < i[2].kids.size(); ++k)
            if (i[2][k].atom == x[2].atom) r_.property_depth.try_emplace(i[1].atom, depth);
    } else if (x[1].atom == "bound") {
      r_.bound_depth.try_emplace(x[2].atom, depth);
    } else {
      deadlock(depth);
    }
    return true;
  }
  bool sometimes(const std::string& name) const {
    for (const tree& i : items_)
      if (i.head() == "property" && i[1].atom == name && i[2].atom == "sometimes") return true;
    return false;
  }
  void deadlock(std::uint64_t depth) {
    if (r_.deadlock && r_.deadlock_depth <= depth) return;
    r_.deadlock = true;
    r_.deadlock_depth = depth;
  }

  void expand(const naive_state& s, std::uint64_t depth, std::vector<naive_state>& next) {
    std::uint64_t enabled = 0;
    for (const char* kind : {"action", "late-action"}) {
      if (enabled) break;
      for (const tree& i : items_)
        if (i.head() == kind) enabled += apply(i, i[2], i[3], i[4], 5, s, depth + 1, next);
    }
    r_.transitions += enabled;
    environment none;
    if (!enabled && !eval(*resting_, s, none)) deadlock(depth);
  }

  std::vector<tree> items_;
  guards guards_;
  std::map<std::string, std::int64_t> sizes_;
  std::map<std::string, function> functions_;
  std::map<std::string, const tree*> definitions_;  // of the item that is looked at
  std::map<const tree*, parts> parts_;
  const tree* resting_ = nullptr;
  std::size_t size_ = 0;
  core_result r_;
};

}  // namespace

core_result explore_core(const std::string& text, guards how) { return explorer(text, how).run(); }

}  // namespace quiesce::test
