// slope.h: what a number grows by if another grows by one. C++ only.
#ifndef CUSAFE_PASS_RANGES_SLOPE_H
#define CUSAFE_PASS_RANGES_SLOPE_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Instructions.h"

namespace cusafe::ranges {
using namespace llvm;

// The slopes of sums of products with the number `at`, as whole numbers.
class Slopes {
public:
  // In expressions of this type; factors of products are extended as signed or as unsigned numbers.
  Slopes(ScalarEvolution &e, Value *a, Type *t, bool s) : evolution(e), at(a), type(t), isSigned(s) {}

  // Null: v is not a sum of products with `at`, or has too many terms.
  const SCEV *of(Value *v) { return find(v, MaxNesting); }
  // Whether v does not depend on `at`. For what of() has followed.
  bool is_flat(Value *v) { return find(v, 0)->isZero(); }

  Value *base() const { return at; }
  bool extends_signed() const { return isSigned; }

private:
  static constexpr unsigned MaxNesting = 10; // of sums and products
  const SCEV *find(Value *v, unsigned depth);
  const SCEV *of_operation(BinaryOperator *op, unsigned depth);

  ScalarEvolution &evolution;
  Value *at;
  Type *type;
  bool isSigned;
  DenseMap<Value *, const SCEV *> known;
};

} // namespace cusafe::ranges

#endif
