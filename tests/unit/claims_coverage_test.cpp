// SPDX-License-Identifier: MIT
// What the claims say together: that no rule is kept by everything, none only because nothing happens, and that each mutant
// is noticed. `quiesce check` decides the claims themselves.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "model/verdict/applicable.hpp"
#include "model/verdict/claim.hpp"
#include "model/verdict/default_scope.hpp"
#include "tests/support/repository.hpp"

namespace quiesce::test {
namespace {

using ast::expectation;

catalogue& shipped() {
  static catalogue inputs(repository().string());
  return inputs;
}

bool broken(const claim_entry* c) {
  return c->claim.expect == expectation::violated || c->claim.expect == expectation::deadlock;
}

std::vector<const ast::variant_decl*> variants_of(const model_entry& m) {
  std::vector<const ast::variant_decl*> found;
  for (const ast::item& item : m.loaded.model.items)
    if (const auto* v = std::get_if<ast::variant_decl>(&item)) found.push_back(v);
  return found;
}

std::vector<const model_entry*> models() {
  std::vector<const model_entry*> found;
  for (const std::string& path : shipped().model_paths()) found.push_back(&shipped().model(path));
  return found;
}

std::vector<const claim_entry*> claims_of(const std::string& model, const std::string& variant) {
  std::vector<const claim_entry*> found;
  for (const claim_entry* c : shipped().all_claims())
    if (c->claim.model == model && c->claim.variant == variant) found.push_back(c);
  return found;
}

// "holds violated", for each property
std::map<std::string, std::set<expectation>> verdicts() {
  std::map<std::string, std::set<expectation>> found;
  for (const claim_entry* c : shipped().all_claims()) found[c->claim.property].insert(c->claim.expect);
  return found;
}

TEST(coverage, every_property_is_broken_by_a_version_or_a_mutant) {
  const auto found = verdicts();
  for (const property_entry& p : shipped().properties()) {
    if (p.origin != property_origin::shipped) continue;
    const auto at = found.find(p.property.name);
    ASSERT_NE(at, found.end()) << "no claim is about " << p.property.name;
    // That something happens some day may rest on fairness alone: then it is broken without.
    const auto unfairly = found.find(p.property.name + "_unfairly");
    const bool broken_without = unfairly != found.end() && unfairly->second.count(expectation::violated);
    EXPECT_TRUE(at->second.count(expectation::violated) || broken_without) << p.property.name;
  }
}

// Vacuous verdicts are of versions that do not have the event.
TEST(coverage, no_property_is_kept_only_because_nothing_happens) {
  for (const auto& [property, kinds] : verdicts())
    EXPECT_TRUE(kinds.count(expectation::holds) || kinds.count(expectation::violated)) << property;
}

TEST(coverage, every_version_has_claims) {
  for (const model_entry* m : models())
    for (const ast::variant_decl* v : variants_of(*m))
      EXPECT_FALSE(claims_of(m->loaded.model.name, v->name).empty()) << m->loaded.model.name << " " << v->name;
}

// R: reasoned, the weakest. A claim from a run in miniature (X) or from memory (M) rests on that alone.
int strength(char mark) { return mark == 'V' ? 2 : mark == 'H' ? 1 : 0; }

TEST(coverage, no_claim_is_better_founded_than_its_version) {
  for (const model_entry* m : models())
    for (const ast::variant_decl* v : variants_of(*m))
      for (const claim_entry* c : claims_of(m->loaded.model.name, v->name)) {
        EXPECT_NE(c->claim.proof.mark, 0) << c->claim.name;
        EXPECT_LE(strength(c->claim.proof.mark), strength(v->proof.mark)) << c->claim.name;
      }
}

bool same_situation(const claim_entry* a, const claim_entry* b) {
  return a->claim.environment == b->claim.environment && settings_of(a->claim).options == settings_of(b->claim).options;
}

// A mutant is a variant that says so. Noticed: a rule is broken that one of the variants which it extends keeps.
TEST(coverage, every_mutant_breaks_a_rule_that_what_it_mutates_keeps) {
  std::size_t mutants = 0;
  for (const model_entry* m : models()) {
    const auto variants = variants_of(*m);
    for (const ast::variant_decl* v : variants) {
      if (!v->sentence.starts_with("mutant:")) continue;
      ++mutants;
      const auto own = claims_of(m->loaded.model.name, v->name);
      bool noticed = false;
      for (std::string base = v->base; !base.empty() && !noticed;) {
        const auto kept = claims_of(m->loaded.model.name, base);
        noticed = std::any_of(own.begin(), own.end(), [&](const claim_entry* c) {
          return broken(c) && std::any_of(kept.begin(), kept.end(), [&](const claim_entry* k) {
                   return k->claim.expect == expectation::holds && k->claim.property == c->claim.property &&
                          same_situation(c, k);
                 });
        });
        base = (*std::find_if(variants.begin(), variants.end(), [&](auto* x) { return x->name == base; }))->base;
      }
      EXPECT_TRUE(noticed) << m->loaded.model.name << " " << v->name;
    }
  }
  EXPECT_GE(mutants, 30u);
}

// Where a proof has a queue in place of a list of the kernel, it names the claim that explored both side by side.
TEST(coverage, a_queue_in_place_of_a_list_names_the_claim_that_compares_them) {
  std::size_t named = 0;
  for (const std::string& path : shipped().proof_claim_paths())
    for (const claim_entry* c : shipped().claims(path)) {
      const std::string& why = c->claim.because;
      if (c->claim.model == "teardown" && (c->claim.variant == "J1" || c->claim.variant == "reference")) {
        EXPECT_NE(why.find("(claim event_list_as_queue"), std::string::npos) << c->claim.name;
      }
      const std::string mark = "(claim ";
      for (auto at = why.find(mark); at != std::string::npos; at = why.find(mark, at + 1)) {
        const std::string name = why.substr(at + mark.size(), why.find(')', at) - at - mark.size());
        const auto all = shipped().all_claims();
        const auto found = std::find_if(all.begin(), all.end(), [&](const claim_entry* k) { return k->claim.name == name; });
        ASSERT_NE(found, all.end()) << c->claim.name << " names " << name;
        EXPECT_EQ((*found)->claim.expect, expectation::holds) << name;
        EXPECT_EQ((*found)->claim.property, "list_behaves_as_queue") << name;
        ++named;
      }
    }
  EXPECT_GE(named, 50u);
}

std::size_t lemmas_meant_for(const std::string& name, const std::string& claims) {
  const claim_entry* c = shipped().claims(shipped().root() + "/proofs/" + claims).at(0);
  const auto used = shipped().invariants_for(model_of(shipped(), *c), *c);
  return static_cast<std::size_t>(
      std::count_if(used.begin(), used.end(), [&](const property_entry* e) { return e->meant_for == name; }));
}

TEST(coverage, lemmas_of_a_name_are_for_the_claims_of_that_name) {
  EXPECT_GT(lemmas_meant_for("lists", "lists.claim"), 0u);
  EXPECT_GT(lemmas_meant_for("lists", "mutants/lists_close.claim"), 0u);
  EXPECT_EQ(lemmas_meant_for("lists", "teardown.claim"), 0u);
  EXPECT_GT(lemmas_meant_for("", "lists.claim"), 0u);
  EXPECT_GT(lemmas_meant_for("", "teardown.claim"), 0u);
}

// A claim of which a size is needed: with one less its violation is gone.
bool needs(const claim_entry* c, const std::string& sort) {
  const model_entry& model = model_of(shipped(), *c);
  question q{&model, settings_of(c->claim), {&shipped().property(c->claim.property)}};
  std::int64_t& size = q.settings.scope[sort];
  if (--size == 0) return true;
  limits most{.threads = 1};
  most.stop_early = true;
  return prepared_check(shipped(), std::move(q)).run(most, {}).verdicts[0].kind != verdict_kind::violated;
}

TEST(default_scope, is_no_larger_than_the_violations_need) {
  for (const model_entry* m : models()) {
    for (const auto& [sort, size] : exhibiting_scope(shipped(), *m)) {
      bool given = false, needed = size <= 1;  // a size that no claim gives is the model's own
      for (const claim_entry* c : shipped().all_claims()) {
        const auto scope = settings_of(c->claim).scope;
        const auto at = scope.find(sort);
        if (needed || !broken(c) || c->claim.model != m->loaded.model.name || at == scope.end() || at->second != size)
          continue;
        given = true;
        needed = needs(c, sort);
      }
      EXPECT_TRUE(needed || !given) << m->loaded.model.name << ": no violation needs " << sort << "=" << size;
    }
  }
}

TEST(default_scope, is_one_more_than_the_violations_need_where_the_model_leaves_a_size_open) {
  const model_entry& m = shipped().model(shipped().model_path("replay"));
  EXPECT_EQ(exhibiting_scope(shipped(), m), (std::map<std::string, std::int64_t>{{"dev", 1}, {"net", 2}}));
  EXPECT_EQ(default_scope(shipped(), m), (std::map<std::string, std::int64_t>{{"dev", 2}, {"net", 3}}));
}

}  // namespace
}  // namespace quiesce::test
