// SPDX-License-Identifier: MIT
#pragma once
// Register byte code for lowered programs. It reads and writes the packed state in place.
//
// Registers: the temps of the program first, then scratch (never live across two instructions of the program), then
// constants. A step of an instance of a process runs code compiled for that instance where the process never writes temp 0.

#include <cstdint>
#include <vector>

#include "model/system/ir.hpp"
#include "model/system/layout.hpp"

namespace quiesce::bytecode {

enum class opcode : std::uint16_t {
  load,        // dst := field: word a, shift b & 63, width b >> 6; + imm
  load_table,  // dst := table imm at element r[a]
  flatten,     // dst := r[a] * size + r[b]; both are checked: imm = size of a << 32 | size of b
  move,
  negate,
  not_,
  add,
  subtract,
  multiply,
  divide,
  minimum,
  maximum,
  add_constant,  // dst := r[a] + imm
  equal,
  not_equal,
  less,
  less_equal,
  contains,
  singleton,
  unite,
  intersect,
  subtract_set,
  cardinality,
  wrap,  // dst := 1 + r[a] - low of imm; -1, a code of no value, where r[a] does not fit
  jump,
  jump_true,
  jump_false,  // r[a]; to imm
  jump_equal,
  jump_not_equal,
  jump_less,
  jump_less_equal,  // r[a], r[b]; to imm
  next,             // r[dst] += 1; while r[dst] < b to imm
  backward,         // counts against the limit on one step
  store,            // field imm := r[a]
  store_table,      // table imm at element r[b] := r[a]
  blocked,          // a false await
  choose,           // dst := 0 .. imm - 1; where a > 0, of these places the values in choices[a - 1]
  emit,
  violate,
  mark,  // imm: instruction; mask; mask
  error,
  bound,
  stuck,  // imm: kind
  stop    // imm: location
};

struct code {
  opcode op = opcode::stop;
  std::uint16_t dst = 0, a = 0, b = 0;
  std::int64_t imm = 0;
};

// A field or a table of equal fields, with what may be stored in it.
struct target {
  std::uint32_t first_slot = 0;
  std::uint32_t count = 1;
  std::int64_t low = 0;
  word max_code = 0;
};

// Stores into a constant place.
struct field {
  slot at;
  std::int64_t low = 0;
  word max_code = 0;
};

struct argument_list {  // emit: event and the registers of its arguments
  std::uint32_t event = 0;
  std::vector<std::uint16_t> registers;
};

// One sequence of instructions: the code of a process (or of one instance), of init, or of one invariant.
struct routine {
  std::vector<code> text;
  std::vector<std::uint32_t> source;  // for each code: the instruction that it belongs to
  std::vector<std::uint32_t> entry;   // for each instruction: its first code
};

inline constexpr std::uint32_t scratch_registers = 1024;

struct wrapped {
  std::int64_t low = 0;
  word max_code = 0;
};

// Everything that does not change while steps run.
struct image {
  std::uint32_t temps = 1;              // registers 0 .. temps - 1
  std::vector<std::int64_t> constants;  // registers temps + scratch_registers ...
  std::vector<target> tables;           // one for each variable
  std::vector<field> fields;
  std::vector<wrapped> wraps;
  std::vector<argument_list> emits;
  std::vector<std::vector<std::int64_t>> choices;  // the values left of choices that do not try all
  routine init;
  struct process_code {
    std::vector<routine> by_instance;  // one for all, or one for each instance
  };
  std::vector<process_code> processes;
  struct invariant {
    std::uint32_t property = 0;
    bool sometimes = false;
    routine code;
  };
  std::vector<invariant> invariants;  // `stop` 1: true, 0: false
};

// `record`: with the code of emits. The program must be valid and laid out. Throws std::logic_error beyond the limits of the
// encoding.
image compile(const ir::program&, const layout&, bool record);

}  // namespace quiesce::bytecode
