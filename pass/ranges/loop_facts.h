// loop_facts.h: how loops end, and how numbers change in them: facts of the program, without intervals. C++ only.
#ifndef CUSAFE_PASS_RANGES_LOOP_FACTS_H
#define CUSAFE_PASS_RANGES_LOOP_FACTS_H

#include "pass/bridge/analyses.h"
#include "pass/ranges/conditions.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/ConstantRange.h"
#include <optional>

namespace cusafe::ranges {

// A range with more bits is so wide that no buffer is likely to hold it: the test for all other accesses would fail
// with it.
constexpr unsigned Narrow = 20;

// The largest number of iterations but one; SCEVCouldNotCompute if LLVM does not know it, or assumes that the loop does
// not leap over its end, and it may.
const SCEV *iterations(ScalarEvolution &evolution, const Loop *loop);

// What LLVM knows of a value, without that assumption, by which it limits the range of a counter.
ConstantRange range_of(ScalarEvolution &evolution, Value *value);

// The comparisons of this type that every further iteration must pass.
Guards exits(const cs_pass_analyses &analyses, const Loop *loop, Type *type);

// `lower < upper`, or <= if `touches`.
struct Bound {
  Value *lower, *upper;
  bool touches, isSigned;
};
std::optional<Bound> as_bound(const Guard &guard);

// By what a phi of the loop's header grows in each iteration; 0: not by a constant.
int64_t constant_step(ScalarEvolution &evolution, PHINode &phi, const Loop *loop);

// The constant by which v is the phi multiplied, or divided (negative); 0 for anything else.
int64_t factor(Value *v, PHINode *phi);

// Whether v is the counter's next value.
bool is_next(ScalarEvolution &evolution, const SCEVAddRecExpr *recurrence, Value *v);

// Whether the counter, a multiple of a power of two away from the bound, would reach it: below it, it is a whole step
// below.
bool ends_at(ScalarEvolution &evolution, const SCEVAddRecExpr *recurrence, Value *bound, int64_t step);

// x % 2^m as x - 2^m * (x / 2^m): next to -x, the x is gone.
const SCEV *without_remainders(ScalarEvolution &evolution, const SCEV *s);

// The low m bits, if the expression is x % 2^m as LLVM writes it; null: another one.
const SCEVTruncateExpr *low_part(const SCEV *s);

} // namespace cusafe::ranges

#endif
