// interval.h: intervals of whole numbers whose ends the program computes, and their arithmetic. C++ only.
//
// An interval contains every value of an expression. Its ends are i64 values, mostly code that is added to the program;
// min and max bound them at compile time, so that a test whose result is known adds no code. All of this holds only
// where `valid` does. Numbers have 62 bits: a result that might need more, or that might wrap in the program's type
// (fit), makes the interval invalid where it does.
//
// Each rule depends on its arguments only: none reads the program. tests/interval_test.cpp compares each with the
// values of all numbers of small intervals, and of the numbers at which 62 bits end.
#ifndef CUSAFE_PASS_RANGES_INTERVAL_H
#define CUSAFE_PASS_RANGES_INTERVAL_H

#include "llvm/IR/IRBuilder.h"
#include <optional>

namespace cusafe::ranges {
using namespace llvm;

using Code = IRBuilder<>; // where code is added

// 62 bits: sums of two such numbers still fit 64.
constexpr int64_t MaxNumber = (int64_t(1) << 62) - 1;

struct Interval {
  Value *low, *high; // i64
  Value *valid;      // i1, or null: always
  int64_t min, max;  // min <= low and high <= max, known at compile time
  bool exact() const { return low == high; }
  // Known at compile time to be this number.
  bool is_constant() const { return min == max; }
};
using Maybe = std::optional<Interval>;

inline bool is_number(int64_t value) {
  return value >= -MaxNumber && value <= MaxNumber;
}
// The least and the largest number of a type with this many bits.
int64_t min_of(unsigned width);
int64_t max_of(unsigned width);

Value *number(Code &code, int64_t value);
// i1: both hold. Null: always.
Value *both(Code &code, Value *a, Value *b);
Value *smaller(Code &code, Value *a, Value *b);
Value *larger(Code &code, Value *a, Value *b);

Interval constant(Code &code, int64_t value);
// From min to max, both known at compile time.
Interval between(Code &code, int64_t min, int64_t max);
// Invalid unless it is between the two.
Interval within(Code &code, Interval i, int64_t min, int64_t max);
Interval not_negative(Code &code, Interval i);
// Invalid where it does not fit a signed type of this width.
Interval fit(Code &code, Interval i, unsigned width);
// The first if `sure` holds (i1; null: always). The second is right in any case, and contains the first.
Interval choose(Code &code, Value *sure, Interval yes, Interval no);

// Contains both.
Interval unite(Code &code, Interval a, Interval b);
// What both contain; where only one is valid, that one.
Interval intersect(Code &code, Interval a, Interval b);
// Where one is not known, the other.
Maybe intersect(Code &code, Maybe a, Maybe b);

Interval add(Code &code, Interval a, Interval b);
Interval negate(Code &code, Interval a);
Interval multiply(Code &code, Interval a, Interval b);
Interval minimum(Code &code, Interval a, Interval b);
Interval maximum(Code &code, Interval a, Interval b);
// Division by a positive constant, towards zero: monotone.
Interval divide(Code &code, Interval a, int64_t by);
// Division by 2^by, rounded down.
Interval shift_right(Code &code, Interval a, unsigned by);
// x / y for x >= 0 and y > 0. The second costs no division, and is an upper bound only.
Interval quotient(Code &code, Interval a, Interval b);
Interval quotient_bound(Code &code, Interval a, Interval b);
// x % y for x >= 0 and y > 0; and for any x that is read as an unsigned number.
Interval remainder(Code &code, Interval a, Interval b);
Interval remainder_of_any(Code &code, Interval b);
// x | y and x ^ y for numbers that are not negative: no bit is set above the highest that either may have.
Interval bitwise(Code &code, Interval a, Interval b);
// x & mask. A mask that is not negative bounds the result whatever x is; one that only clears low bits rounds down.
Maybe masked(Code &code, Maybe a, int64_t mask);
// x % 2^bits; x itself where that is small enough.
Interval low_bits(Code &code, Maybe a, unsigned bits);

} // namespace cusafe::ranges

#endif
