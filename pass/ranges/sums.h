// sums.h: a number as a sum of products with indices of the thread and counters of its loops. C++ only.
#ifndef CUSAFE_PASS_RANGES_SUMS_H
#define CUSAFE_PASS_RANGES_SUMS_H

#include "pass/ranges/query.h"
#include "llvm/ADT/SmallVector.h"

namespace cusafe::ranges {

// An index: threadIdx, blockIdx, the thread's number in the grid (blockIdx * factor + threadIdx) in one dimension, or
// the number of iterations of a loop.
struct Index {
  enum Kind { Thread, Block, Number, Iterations } kind;
  unsigned dimension;
  const void *key; // of Number: its factor; of Iterations: the counter
  bool operator==(const Index &other) const {
    return kind == other.kind && dimension == other.dimension && key == other.key;
  }
};

struct Term {
  Index index;
  const SCEV *factor; // i64
  Interval range;     // of the index
};

// `fixed` is the same for all threads. All of it in whole numbers, where `valid` (i1; null: always) holds.
struct Sum {
  const SCEV *fixed;
  SmallVector<Term, 4> terms;
  Value *valid;
};

struct Manner {
  bool of_block;  // for the threads of one block
  bool by_number; // blockIdx * constant + threadIdx is one index: threadIdx has to be below the constant
};

// Nothing: it is no such sum.
std::optional<Sum> sum_of(const Query &q, Value *number, Manner manner);
// Of a pointer: its distance from the root, in bytes.
std::optional<Sum> sum_of_pointer(const Query &q, Value *pointer, Value *root, Manner manner);

// The dimension of a call that reads threadIdx or blockIdx; nothing for others.
std::optional<Index> index_of(Value *value);

} // namespace cusafe::ranges

#endif
