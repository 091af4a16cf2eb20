// ranges.h: intervals that the program computes: the implementation of range.h, in the range_*.cpp files. C++ only.
//
// An interval holds for every execution of a value in a context (a basic block): all iterations of the loops around it that do
// not contain the point, and, for a whole grid, all threads of all its blocks. Dominating conditions narrow it: inside `if (i < n)`, i
// is below n. An interval means nothing if its context is never reached, so its user adds "or not reached" to the test.
//
// The files form one recursion: a value depends on the loops and the conditions around it, and those depend on values. value()
// and evolve() are virtual, so that the files of loops and conditions do not depend on the files of values and loops.
#ifndef CUSAFE_PASS_BRIDGE_RANGES_H
#define CUSAFE_PASS_BRIDGE_RANGES_H

#include "pass/bridge/analyses.h"
#include "pass/bridge/range.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Operator.h"
#include <optional>

namespace cusafe {
using namespace llvm;

using Wide = __int128;

// 62 bits: sums of two such numbers still fit 64.
constexpr int64_t MaxNumber = (int64_t(1) << 62) - 1;
constexpr int64_t Factor = int64_t(1) << 31; // the product of two such numbers fits, too
constexpr unsigned Depth = 32, Budget = 3000, Narrow = 20;

struct Interval {
  Value *low, *high; // i64
  Value *valid;      // i1, or null: always
  int64_t min, max;  // known while compiling; hold where `valid` does
  bool exact() const { return low == high; }
};
using Maybe = std::optional<Interval>;

struct Guard {
  ICmpInst *compare;
  bool holds;
  BasicBlock *at;
};

inline bool fitsWord(Wide value) {
  return value >= -Wide(MaxNumber) && value <= Wide(MaxNumber);
}
inline int64_t minOf(unsigned width) {
  return width >= 63 || width == 0 ? -MaxNumber : -(int64_t(1) << (width - 1));
}
inline int64_t maxOf(unsigned width) {
  return width >= 63 || width == 0 ? MaxNumber : (int64_t(1) << (width - 1)) - 1;
}

} // namespace cusafe

using namespace llvm;   // NOLINT: only bridge files include this
using namespace cusafe; // NOLINT

struct cs_pass_ranges {
  Function &function;
  const cs_pass_analyses &analyses;
  ScalarEvolution &evolution;
  Instruction *point;
  bool whole;
  IRBuilder<> builder;
  IntegerType *word;
  unsigned spent = 0;
  unsigned align = 1; // that the access in question requires
  DenseMap<std::pair<Value *, BasicBlock *>, Maybe> memo;
  DenseMap<BasicBlock *, SmallVector<Guard, 4>> guards;
  DenseMap<BasicBlock *, Value *> reachedMemo;
  DenseMap<Value *, Value *> atPoint;

  cs_pass_ranges(const cs_pass_analyses &a, Instruction *p, bool w)
      : function(*p->getFunction()), analyses(a), evolution(a.evolution), point(p), whole(w), builder(p),
        word(Type::getInt64Ty(p->getContext())) {
    DISubprogram *program = function.getSubprogram();
    builder.SetCurrentDebugLocation(program ? DebugLoc(DILocation::get(p->getContext(), 0, 0, program)) : DebugLoc());
  }

  virtual ~cs_pass_ranges() = default;

  // ---- arithmetic: range_numbers.cpp ----
  Value *number(int64_t value);
  Value *both(Value *a, Value *b);
  Value *smaller(Value *a, Value *b);
  Value *larger(Value *a, Value *b);
  Interval constant(int64_t value);
  // Makes the interval invalid unless it is between the two. Adds no code for what is known at compile time.
  Interval within(Interval i, int64_t min, int64_t max);
  Interval fit(Interval i, unsigned width);
  Interval add(Interval a, Interval b);
  static void extremes(const Interval &a, const Interval &b, Wide &min, Wide &max);
  Interval multiply(Interval a, Interval b);
  Interval negate(Interval a);
  Interval unite(Interval a, Interval b);
  Interval minimum(Interval a, Interval b);
  Interval maximum(Interval a, Interval b);
  // Division by a positive constant, towards zero: monotone.
  Interval divide(Interval a, int64_t by);
  Interval shiftRight(Interval a, unsigned by);
  // x / y and x % y for x >= 0 and y > 0 that are not constant: an upper bound where an exact one would cost a division on the device.
  Interval quotient(Interval a, Interval b);
  Interval remainder(Interval a, Interval b);
  // x | y and x ^ y for numbers that are not negative: no bit is set above the highest that either may have.
  Interval bitwise(Interval a, Interval b);

  // ---- values: range_values.cpp ----
  // What LLVM knows of a value that nothing else bounds: the range of a byte, a remainder, a lane. Nothing if the range is so wide that no
  // buffer is likely to hold it: the test for all other accesses would fail with it.
  Maybe known(Value *value);
  // The value itself, as 64 bits, with what is known of it.
  Interval exactly(Value *value, Value *here);
  static bool isRegister(Value *value, StringRef prefix);
  // blockDim or gridDim.
  static bool isOfGrid(Value *value);
  static bool onlyRead(Value *pointer);
  // A field of a structure passed by value: the same for all threads, during the whole launch.
  static bool isOfLaunch(LoadInst *load, const DataLayout &layout);
  // The load of such a field, by itself or as an element of a vector, which starts so many bytes inside; null if it is none.
  static LoadInst *fieldOf(Value *value, const DataLayout &layout, uint64_t &inside);
  Value *copyField(Value *value);
  Value *valueAtPoint(Value *value);
  // threadIdx.x, blockIdx.x and similar, for all threads at once.
  Maybe thread(CallInst *call);
  // The first or the last blockIdx in question: a stand-in that pass/launch/program.c translates.
  Value *block(const char *end, const char *dimension);
  virtual Maybe value(Value *v, BasicBlock *context, unsigned depth = 0);
  Maybe compute(Instruction *i, BasicBlock *context, unsigned depth);
  Maybe convert(CastInst *cast, BasicBlock *context, unsigned depth);
  Maybe intrinsic(IntrinsicInst *call, BasicBlock *context, unsigned depth);
  Maybe binary(BinaryOperator *op, BasicBlock *context, unsigned depth);
  Maybe combine(BinaryOperator *op, Interval a, Interval b, ConstantInt *by, BasicBlock *context);
  // a - b is not negative where a >= b is known.
  Interval ordered(BinaryOperator *difference, Interval minuend, Interval i, BasicBlock *context);
  // x & c. A mask that is not negative bounds the result whatever x is; one that only clears low bits rounds down.
  Maybe masked(Maybe a, int64_t mask);

  // ---- loops: range_loops.cpp ----
  Maybe meeting(PHINode *phi, unsigned depth);
  // A phi that grows or shrinks by the same amount each iteration.
  Maybe counter(PHINode *phi, Loop *loop, unsigned depth);
  // Whether the loop may go on past the values at which it ends, which LLVM assumes it does not.
  bool may_leap_end(const Loop *loop);
  // What LLVM knows of a value, without that assumption.
  ConstantRange range_of(Value *value);
  // The largest number of iterations but one, if LLVM knows it and is sure to be right.
  const SCEV *iterations(const Loop *loop);
  // Where the number of iterations depends on the start, LLVM's expression for the last value may not: n - 1.
  Interval up_to_last(Interval i, const SCEVAddRecExpr *recurrence, Interval step, Loop *loop, BasicBlock *before,
                      unsigned depth);
  // The constant by which a number is multiplied, or divided (negative), 0 for anything else.
  static int64_t factor(Value *v, PHINode *phi);
  // A phi that is multiplied or divided by the same constant each iteration: strides of trees. It starts at 0 or above.
  Maybe scaled(PHINode *phi, Loop *loop, BasicBlock *before, unsigned depth);
  // The comparisons that every further iteration must pass.
  SmallVector<Guard, 4> exits(Loop *loop, Type *type);
  int64_t constant_step(PHINode &phi, Loop *loop);
  Maybe compared_iterations(Loop *loop, BasicBlock *before, unsigned depth);
  // start + step * (0 ... iterations), where the largest number of iterations is known.
  Maybe after_iterations(Interval start, Interval step, Loop *loop, BasicBlock *before, unsigned width, unsigned depth);
  // The comparison that every further iteration must pass, as `lower < upper`, or <= if `touches`.
  struct Bound {
    Value *lower, *upper;
    bool touches, isSigned;
  };
  static std::optional<Bound> as_bound(ICmpInst *compare, bool holds);
  Maybe bounded_by_exit(PHINode *phi, Loop *loop, BasicBlock *before, const SCEVAddRecExpr *recurrence, Interval start,
                        Interval step, unsigned width, unsigned depth);
  bool is_next(const SCEVAddRecExpr *recurrence, Value *v);
  bool ends_at(const SCEVAddRecExpr *recurrence, Value *bound, int64_t step);
  // Goes up while it, or its next value, is below the bound. It cannot wrap if one step from the highest value does not.
  Maybe rising(PHINode *phi, Loop *loop, BasicBlock *before, const SCEVAddRecExpr *recurrence, Bound bound,
               Interval start, Interval step, unsigned width, unsigned depth);
  // Goes down while it, or its next value, is above the bound.
  Maybe falling(PHINode *phi, Loop *loop, BasicBlock *before, const SCEVAddRecExpr *recurrence, Bound bound,
                Interval start, Interval step, unsigned width, unsigned depth);

  // ---- LLVM's own expressions, for steps and iteration counts: range_loops.cpp ----
  virtual Maybe evolve(const SCEV *s, BasicBlock *context, unsigned depth);
  Maybe fold(const SCEV *s, BasicBlock *context, unsigned width, unsigned depth);

  // ---- dominating conditions: range_guards.cpp ----
  static void split(Value *condition, bool holds, BasicBlock *at, SmallVectorImpl<Guard> &to);
  // Nearest first. Conditions that dominate the point are left out: the values at the point reflect them.
  const SmallVector<Guard, 4> &conditions(BasicBlock *block);
  Interval narrow(Value *v, Interval i, BasicBlock *context, unsigned depth);
  // The same where v + c or c - v is compared, and does not wrap.
  Interval narrow_moved(Value *v, Interval i, const Guard &guard, unsigned depth);
  // A sum of which a part is compared: a + b + c, where a + c < n.
  Interval regrouped(BinaryOperator *op, Interval i, BasicBlock *context, unsigned depth,
                     function_ref<Maybe(Value *)> of_term, function_ref<bool(Value *)> may_be_compared);
  // The first if `sure` holds (i1; null: always); the second is right in any case.
  Interval choose(Value *sure, Interval yes, Interval no);
  // v != other: an end that equals other moves by one.
  Interval without(Interval i, Interval other);
  // v p other holds. Where `other` is not valid, nothing is known.
  Interval clamp(Interval i, CmpInst::Predicate p, Interval other);
  // i1: may the comparison have this result?
  Value *possible(const Guard &guard, unsigned depth);
  Value *possible(BasicBlock *from, BasicBlock *to, unsigned depth);
  // i1: may the block be reached? Null: yes. A loop is reached from outside first.
  Value *reached(BasicBlock *block, unsigned depth = 0);
  // As above, but also null if nothing is known of the last branch on some path.
  Value *entered(BasicBlock *block);

  // ---- loops that start where the thread does: range_related.cpp ----
  // x % 2^m as x - 2^m * (x / 2^m): next to -x, the x is gone.
  const SCEV *without_remainders(const SCEV *s);
  Interval without_remainders(Interval i, Value *start, BasicBlock *context, unsigned depth);
  // The low m bits, if the expression is x % 2^m as LLVM writes it; null: another one.
  static const SCEVTruncateExpr *low_bits(const SCEV *s);
  Maybe remainder_of(const SCEVTruncateExpr *low, BasicBlock *context, unsigned depth);
  Interval intersect(Interval a, Interval b);
  // Where one is not known, the other.
  Maybe intersect(Maybe a, Maybe b);
  // Conditions whose two sides differ by the expression and a constant.
  Interval related(Interval i, const SCEV *s, BasicBlock *context, unsigned depth);

  // ---- indices that grow along with a counter: range_along.cpp ----
  struct Along {
    PHINode *phi;   // what grows
    const SCEV *by; // in each iteration
    Loop *loop;
    BasicBlock *before, *context;
    unsigned depth;
    Value *at = nullptr; // where a counter starts
    bool isSigned = true;
    DenseMap<Value *, const SCEV *> slopes = DenseMap<Value *, const SCEV *>();
  };
  const SCEV *slope(Value *v, Along &along, unsigned depth);
  const SCEV *slope_of(BinaryOperator *op, Along &along, unsigned depth);
  Maybe substitute(Value *v, Along &along, Interval counter);
  Maybe counted(const Along &along, int64_t times);
  Maybe growing(const Along &along, int64_t times);
  Maybe follow(Value *v, Along &along, Maybe counter);
  Maybe index_from(Value *v, int64_t scale, bool compared, Along &along);
  Maybe index_along(const Along &of, Value *v, int64_t scale);
  bool is_guarded(BasicBlock *context, Loop *loop);
  Maybe counter_along(PHINode *phi, BasicBlock *context, unsigned depth);

  // ---- pointers: range_extent.cpp ----
  Maybe distance(Value *pointer, Value *root, BasicBlock *context, uint64_t &multiple, unsigned depth = 0);
  Maybe step(GEPOperator *gep, Interval base, BasicBlock *context, uint64_t &multiple);
  Maybe along(const Along &of, Value *root, uint64_t &multiple);
  Maybe moving(PHINode *phi, Value *root, BasicBlock *context, uint64_t &multiple, unsigned depth);
  Maybe fixed(PHINode *phi, Value *root, uint64_t &multiple);
  Value *address(Value *pointer);
};

#endif
