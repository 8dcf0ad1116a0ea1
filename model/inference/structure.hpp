// SPDX-License-Identifier: MIT
#pragma once
// Finite structures of a parametrised core: so many elements of each sort, and a value at every place of every function.
// What is true in one is computed directly, without a solver. model/system/CORE.md gives the meaning of terms and values.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/symbolic/core_reader.hpp"

namespace quiesce::inference {

using symbolic::core;
using symbolic::node;

// Elements are numbered: those with names, those that constructors make, in order, then the others.
struct shape {
  const symbolic::core* of = nullptr;
  std::vector<std::size_t> size;               // by sort; at most 63
  std::vector<std::vector<std::size_t>> made;  // by sort and constructor: the number of the first element that it makes
  std::vector<std::size_t> first;              // by function: its first place
  std::size_t places = 0;
};

// `others`: by sort, how many elements that are neither named nor made; of sorts of any size only. Throws core_error where a
// sort gets more than 63 elements.
shape make_shape(const core&, const std::vector<std::size_t>& others);

// A value for each place, as in the core.
using state = std::vector<std::int64_t>;

// The place of `f(args)`. O(arguments).
std::size_t place_of(const shape&, std::size_t function, const std::vector<std::int64_t>& args);
// All values of a type; of integers without a greatest value the least four.
std::vector<std::int64_t> values_of(const shape&, const symbolic::type&);
std::int64_t least_of(const symbolic::type&);
bool in_range(const shape&, const symbolic::type&, std::int64_t);

// A term, ready to be evaluated in many states of one shape. Variables are numbered in the order in which they were named.
class term {
 public:
  // Throws core_error for a name that is neither in `variables` nor bound.
  term(const shape&, const node&, const std::vector<std::string>& variables);
  // `values`: of the variables; also its workspace. Linear in the term, times the elements of what it quantifies.
  std::int64_t operator()(const state& s, std::vector<std::int64_t>& values) const;

 private:
  enum class op {
    number,
    variable,
    apply,
    not_,
    neg,
    single,
    card,
    and_,
    or_,
    implies,
    equal,
    differ,
    less,
    less_equal,
    add,
    subtract,
    multiply,
    divide,
    min,
    max,
    in,
    unite,
    intersect,
    minus,
    choice,
    some,
    the,
    fits,
    all,
    exists,
    count,
    collect,
    make,
    made
  };
  struct part {
    op code = op::number;
    std::int64_t value = 0;  // number; variable: its number; quantifiers: that of theirs
    std::size_t function = 0;
    std::size_t sort = 0;  // quantifiers; make, made: of what is made
    std::size_t size = 0;  // made: how many
    symbolic::type_ref type;
    std::vector<part> kids;
  };
  part compile(const node&, std::vector<std::string>& names);
  part compile_quantifier(op, const node&, std::vector<std::string>& names);
  std::int64_t run(const part&, const state&, std::vector<std::int64_t>&) const;
  static std::int64_t binary(op, std::int64_t, std::int64_t);
  std::int64_t quantified(const part&, const state&, std::vector<std::int64_t>&) const;
  const shape* shape_;
  std::size_t workspace_ = 0;
  part root_;
};

}  // namespace quiesce::inference
