// induction.h: the values that a number has in a loop which changes it in the same way in each iteration. C++ only.
//
// Each rule takes intervals of where the number starts, how it changes, and what ends the loop, and returns one of all
// its values in the loop's header, including the last, at which the loop ends. A number that might wrap makes it
// invalid. Each rule depends on its arguments only; tests/induction_test.cpp compares each with the values of executed
// loops.
#ifndef CUSAFE_PASS_RANGES_INDUCTION_H
#define CUSAFE_PASS_RANGES_INDUCTION_H

#include "pass/ranges/interval.h"

namespace cusafe::ranges {

// start, start + step, start + 2 * step, ...: numbers of `width` bits.
struct Progression {
  Interval start, step;
  unsigned width;
};

// A comparison with `end` that every further iteration must pass: below it for a number that rises, above it for one
// that falls.
struct Limit {
  Interval end;
  bool touches;  // the number may equal the end
  bool isSigned; // compared as signed numbers
  bool next;     // the number's next value is compared
  bool meets;    // the end is a multiple of the step away from the start
};

// While it, or its next value, is below the end. It cannot wrap if one step from the highest value does not.
Interval rising(Code &code, Progression p, Limit limit);
// While it, or its next value, is above the end.
Interval falling(Code &code, Progression p, Limit limit);
// Multiplied by a constant above 1 while it, or its next value, is below the end. It starts at 0 or above.
Interval multiplied(Code &code, Interval start, int64_t by, unsigned width, Limit limit);
// Divided by a constant above 1, rounded to zero. It starts at 0 or above.
Interval divided(Code &code, Interval start);

// For at most this many iterations but one.
Interval iterated(Code &code, Progression p, Interval iterations);
// The number of iterations but one of a loop in which p has the values `all`; the step is a positive constant.
Interval iterations_of(Code &code, Progression p, Interval all);
// All values, where the last one is known. The step has the same sign always.
Interval up_to(Code &code, Interval all, const Interval &step, Interval last);

} // namespace cusafe::ranges

#endif
