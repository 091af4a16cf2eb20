// recursion.h: the interval of a value, from those of other values. C++ only.
//
// One recursion over the program, in five files, each of which calls functions of the others:
//
//   values.cpp       value        an operation's operands, a phi's loop, and the conditions that narrow the result
//   guards.cpp       narrow ...   the other sides of the comparisons that dominate a block, or that lead to it
//   loops.cpp        merged ...   where a counter starts, its step, its end, and the number of iterations
//   expressions.cpp  evolve       LLVM's expressions of steps and numbers of iterations, which end in values
//   along.cpp        along ...    a number that changes along with a counter, from the counter
//
// It ends: every circle of calls goes through value() or evolve(). Both answer "not known" where the query is deeper
// than MaxDepth, or after MaxSteps calls in all, and call others with a deeper query. Only reached() starts again at
// depth 1: once per block, because it notes the block first. value() notes its answers, so most calls are answered at
// once.
//
// The rules that it applies are in interval.h, comparison.h and induction.h; the facts of the program in conditions.h,
// loop_facts.h, slope.h and point.h. None of those depends on an interval of another value.
#ifndef CUSAFE_PASS_RANGES_RECURSION_H
#define CUSAFE_PASS_RANGES_RECURSION_H

#include "pass/ranges/induction.h"
#include "pass/ranges/query.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

namespace cusafe::ranges {

constexpr unsigned MaxDepth = 32, MaxSteps = 3000;

// ---- values.cpp ----
Maybe value(const Query &q, Value *v);

// ---- guards.cpp ----
// v, narrowed by the conditions of the context.
Interval narrow(const Query &q, Value *v, Interval i);
// A sum, narrowed where a part of it is compared: a + b + c, where a + c < n. LLVM adds in any order.
struct Terms {
  function_ref<Maybe(Value *)> interval;
  function_ref<bool(Value *)> may_be_compared;
};
Interval narrow_sum(const Query &q, BinaryOperator *sum, Interval i, Terms terms);
// a - b, narrowed where a and b are compared.
Interval narrow_difference(const Query &q, BinaryOperator *difference, Interval i, const Interval &minuend);
// The expression s, narrowed by conditions whose two sides differ by it and a constant.
Interval narrow_expression(const Query &q, const SCEV *s, Interval i);
// i1: may this edge be taken? Null: yes.
Value *possible(const Query &q, BasicBlock *from, BasicBlock *to);
// i1: may the block be reached? Null: yes. A loop is reached from outside first.
Value *reached(cs_pass_ranges &state, BasicBlock *block, unsigned depth = 0);
// As above, but also null if nothing is known of the last branch on some path.
Value *entered(cs_pass_ranges &state, BasicBlock *block);

// ---- loops.cpp ----
// A phi: the union of what it may be, or a number that changes in a loop.
Maybe merged(const Query &q, PHINode *phi);
// A phi that changes in the same way in each iteration.
Maybe counter(const Query &q, PHINode *phi, Loop *loop);
// The query's context is the block before the loop. start + step * (0 ... iterations), where the largest number of
// iterations is known.
Maybe after_iterations(const Query &q, const Loop *loop, const Progression &p);
// All values of the recurrence, up to the last. Where the number of iterations depends on the start, LLVM's expression
// for the last value may not: n - 1.
Interval up_to_last(const Query &q, const SCEVAddRecExpr *recurrence, const Interval &step, Interval all);

// ---- expressions.cpp ----
Maybe evolve(const Query &q, const SCEV *s);

// ---- along.cpp ----
// A phi of a loop that grows by `by` in each iteration. The query's context may be in the loop.
struct Growth {
  PHINode *phi;
  const SCEV *by;
  Loop *loop;
  BasicBlock *before;
};
// scale * v, if v is at v's start plus what the phi has grown by: for all values that it has in the context.
Maybe along(const Query &q, const Growth &growth, Value *v, int64_t scale);
// A number that starts at a sum of products with a counter is at that sum for the counter in each iteration, where the
// counter may be compared and the number is not.
Maybe counter_along(const Query &q, PHINode *phi);
// Whether conditions in the loop hold in the context that do not hold in each iteration.
bool is_guarded(const Query &q, const Loop *loop);

} // namespace cusafe::ranges

#endif
