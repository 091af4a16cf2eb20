// induction.cpp: the rules of induction.h.
#include "pass/ranges/induction.h"

namespace cusafe::ranges {

Interval rising(Code &code, Progression p, Limit limit) {
  p.step = not_negative(code, p.step);
  if (!limit.isSigned)
    p.start = not_negative(code, p.start), limit.end = not_negative(code, limit.end);
  Interval last = limit.touches ? limit.end : add(code, limit.end, constant(code, -1));
  if (p.start.exact() && p.step.is_constant() && p.step.min > 1) { // only every step-th number
    Interval steps = divide(code, add(code, last, negate(code, p.start)), p.step.min);
    last = add(code, p.start, multiply(code, steps, constant(code, p.step.min)));
  } else if (limit.meets && !limit.touches && p.step.is_constant()) { // below the end, it is a whole step below
    last = add(code, limit.end, constant(code, -p.step.min));
  }
  if (!limit.next)
    last = add(code, last, p.step);
  Interval result = unite(code, p.start, last);
  result.low = p.start.low, result.min = p.start.min;
  Value *fits = fit(code, add(code, result, p.step), p.width).valid;
  result.valid = both(code, result.valid, both(code, p.step.valid, fits));
  return result;
}

Interval falling(Code &code, Progression p, Limit limit) {
  p.step = within(code, p.step, -MaxNumber, 0);
  if (!limit.isSigned)
    p.start = not_negative(code, p.start), limit.end = not_negative(code, limit.end);
  Interval last = limit.touches ? limit.end : add(code, limit.end, constant(code, 1));
  if (!limit.next)
    last = add(code, last, p.step);
  Interval result = unite(code, p.start, last);
  result.high = p.start.high, result.max = p.start.max;
  Interval stepped = add(code, result, p.step);
  stepped = limit.isSigned ? fit(code, stepped, p.width) : within(code, stepped, 0, max_of(p.width));
  result.valid = both(code, result.valid, both(code, p.step.valid, stepped.valid));
  return result;
}

Interval multiplied(Code &code, Interval start, int64_t by, unsigned width, Limit limit) {
  if (!limit.isSigned) // 0xffffffff is not -1
    limit.end = not_negative(code, limit.end);
  Interval last = limit.touches ? limit.end : add(code, limit.end, constant(code, -1));
  last = within(code, last, -1, MaxNumber);
  if (!limit.next)
    last = multiply(code, last, constant(code, by));
  Interval result = unite(code, start, last);
  result.low = start.low, result.min = start.min;
  result.valid = both(code, result.valid, fit(code, multiply(code, result, constant(code, by)), width).valid);
  return result;
}

Interval divided(Code &code, Interval start) {
  return {number(code, 0), start.high, start.valid, 0, start.max};
}

Interval iterated(Code &code, Progression p, Interval iterations) {
  iterations = not_negative(code, iterations);
  iterations.low = number(code, 0), iterations.min = 0;
  return fit(code, add(code, p.start, multiply(code, p.step, iterations)), p.width);
}

Interval iterations_of(Code &code, Progression p, Interval all) {
  Interval count = divide(code, add(code, all, negate(code, p.start)), p.step.min);
  count.low = number(code, 0), count.min = 0;
  return count;
}

Interval up_to(Code &code, Interval all, const Interval &step, Interval last) {
  if (step.min >= 0) {
    Value *high = smaller(code, all.high, last.high);
    all.high = last.valid ? code.CreateSelect(last.valid, high, all.high) : high;
  } else {
    Value *low = larger(code, all.low, last.low);
    all.low = last.valid ? code.CreateSelect(last.valid, low, all.low) : low;
  }
  return all;
}

} // namespace cusafe::ranges
