// comparison.h: what a comparison that holds implies for an interval, and whether it can hold. C++ only.
//
// The sides are numbers of the program, of `width` bits: a signed predicate compares them as whole numbers, an unsigned
// one reads a negative number as one above all others. Each rule depends on its arguments only;
// tests/comparison_test.cpp compares each with all numbers of small intervals.
#ifndef CUSAFE_PASS_RANGES_COMPARISON_H
#define CUSAFE_PASS_RANGES_COMPARISON_H

#include "pass/ranges/interval.h"
#include "llvm/IR/Instructions.h"

namespace cusafe::ranges {

// v, if `v p other` holds. Where `other` is not valid, nothing is known.
Interval clamp(Code &code, Interval v, CmpInst::Predicate p, Interval other);

// by + v, or by - v, as a program of `width` bits computes it.
struct Moved {
  int64_t by;
  bool minus;
  unsigned width;
};
// The moved interval, as whole numbers.
Interval move(Code &code, Interval v, Moved moved);
// Known at compile time not to wrap.
bool cannot_wrap(const Interval &there, Moved moved);
// v, if `there p other` holds, where `there` is v moved. Where that wraps, nothing is known.
Interval clamp_moved(Code &code, Interval v, Moved moved, Interval there, CmpInst::Predicate p, Interval other);

// a - b, if `a p b` holds: not negative where a is above b.
Interval clamp_difference(Code &code, Interval difference, CmpInst::Predicate p, Interval a);

// a - b + by, if `a p b` holds, where p is one of >, >= and !=. `distance` is valid where the whole numbers' difference
// does not wrap.
Interval clamp_distance(Code &code, Interval i, CmpInst::Predicate p, int64_t by, Interval distance);

// i1: can `a p b` hold?
Value *may_hold(Code &code, CmpInst::Predicate p, Interval a, Interval b);

} // namespace cusafe::ranges

#endif
