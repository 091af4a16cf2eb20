// range_numbers.cpp: the arithmetic of ranges.h: intervals of whole numbers, computed by code that is added to the program.
#include "pass/bridge/ranges.h"
#include <algorithm>

Value *cs_pass_ranges::number(int64_t value) {
  return ConstantInt::getSigned(word, value);
}

Value *cs_pass_ranges::both(Value *a, Value *b) {
  return !a ? b : !b ? a : builder.CreateAnd(a, b);
}

Value *cs_pass_ranges::smaller(Value *a, Value *b) {
  return a == b ? a : builder.CreateBinaryIntrinsic(Intrinsic::smin, a, b);
}

Value *cs_pass_ranges::larger(Value *a, Value *b) {
  return a == b ? a : builder.CreateBinaryIntrinsic(Intrinsic::smax, a, b);
}

Interval cs_pass_ranges::constant(int64_t value) {
  return {number(value), number(value), nullptr, value, value};
}

Interval cs_pass_ranges::within(Interval i, int64_t min, int64_t max) {
  if (i.min < min) {
    i.valid = both(i.valid, builder.CreateICmpSGE(i.low, number(min)));
    i.min = min;
  }
  if (i.max > max) {
    i.valid = both(i.valid, builder.CreateICmpSLE(i.high, number(max)));
    i.max = max;
  }
  if (i.min > i.max) // never valid; keep min <= max
    i.min = i.max;
  return i;
}

Interval cs_pass_ranges::fit(Interval i, unsigned width) {
  return within(i, minOf(width), maxOf(width));
}

Interval cs_pass_ranges::add(Interval a, Interval b) {
  Wide min = Wide(a.min) + b.min, max = Wide(a.max) + b.max;
  if (!fitsWord(min) || !fitsWord(max)) {
    a = within(a, -MaxNumber / 2, MaxNumber / 2);
    b = within(b, -MaxNumber / 2, MaxNumber / 2);
    min = Wide(a.min) + b.min, max = Wide(a.max) + b.max;
  }
  bool exact = a.exact() && b.exact();
  Value *low = builder.CreateAdd(a.low, b.low);
  return {low, exact ? low : builder.CreateAdd(a.high, b.high), both(a.valid, b.valid), int64_t(min), int64_t(max)};
}

void cs_pass_ranges::extremes(const Interval &a, const Interval &b, Wide &min, Wide &max) {
  Wide products[] = {Wide(a.min) * b.min, Wide(a.min) * b.max, Wide(a.max) * b.min, Wide(a.max) * b.max};
  min = *std::min_element(products, products + 4);
  max = *std::max_element(products, products + 4);
}

Interval cs_pass_ranges::multiply(Interval a, Interval b) {
  Wide min, max;
  extremes(a, b, min, max);
  if (!fitsWord(min) || !fitsWord(max)) {
    a = within(a, -Factor, Factor);
    b = within(b, -Factor, Factor);
    extremes(a, b, min, max);
  }
  Interval result{nullptr, nullptr, both(a.valid, b.valid), int64_t(min), int64_t(max)};
  if (a.exact() && b.exact()) {
    result.low = result.high = builder.CreateMul(a.low, b.low);
    return result;
  }
  if (a.min >= 0 && b.min >= 0) {
    result.low = builder.CreateMul(a.low, b.low);
    result.high = builder.CreateMul(a.high, b.high);
    return result;
  }
  if (b.exact())
    std::swap(a, b);
  if (a.exact()) {
    Value *x = builder.CreateMul(a.low, b.low), *y = builder.CreateMul(a.low, b.high);
    bool up = a.min >= 0, down = a.max <= 0;
    result.low = up ? x : down ? y : smaller(x, y);
    result.high = up ? y : down ? x : larger(x, y);
    return result;
  }
  Value *p[] = {builder.CreateMul(a.low, b.low), builder.CreateMul(a.low, b.high), builder.CreateMul(a.high, b.low),
                builder.CreateMul(a.high, b.high)};
  result.low = smaller(smaller(p[0], p[1]), smaller(p[2], p[3]));
  result.high = larger(larger(p[0], p[1]), larger(p[2], p[3]));
  return result;
}

Interval cs_pass_ranges::negate(Interval a) {
  Value *low = builder.CreateNeg(a.high);
  return {low, a.exact() ? low : builder.CreateNeg(a.low), a.valid, -a.max, -a.min};
}

Interval cs_pass_ranges::unite(Interval a, Interval b) {
  return {smaller(a.low, b.low), larger(a.high, b.high), both(a.valid, b.valid), std::min(a.min, b.min),
          std::max(a.max, b.max)};
}

Interval cs_pass_ranges::minimum(Interval a, Interval b) {
  return {smaller(a.low, b.low), a.exact() && b.exact() ? smaller(a.low, b.low) : smaller(a.high, b.high),
          both(a.valid, b.valid), std::min(a.min, b.min), std::min(a.max, b.max)};
}

Interval cs_pass_ranges::maximum(Interval a, Interval b) {
  return {larger(a.low, b.low), a.exact() && b.exact() ? larger(a.low, b.low) : larger(a.high, b.high),
          both(a.valid, b.valid), std::max(a.min, b.min), std::max(a.max, b.max)};
}

// Division by a positive constant, towards zero: monotone.
Interval cs_pass_ranges::divide(Interval a, int64_t by) {
  Value *low = builder.CreateSDiv(a.low, number(by));
  return {low, a.exact() ? low : builder.CreateSDiv(a.high, number(by)), a.valid, a.min / by, a.max / by};
}

Interval cs_pass_ranges::shiftRight(Interval a, unsigned by) {
  Value *low = builder.CreateAShr(a.low, by);
  return {low, a.exact() ? low : builder.CreateAShr(a.high, by), a.valid, a.min >> by, a.max >> by};
}

Interval cs_pass_ranges::quotient(Interval a, Interval b) {
  a = within(a, 0, MaxNumber), b = within(b, 1, MaxNumber);
  if (!whole)
    return {number(0), a.high, both(a.valid, b.valid), 0, a.max};
  Value *low = builder.CreateSDiv(a.low, b.high), *high = builder.CreateSDiv(a.high, b.low);
  return {a.exact() && b.exact() ? high : low, high, both(a.valid, b.valid), 0, a.max};
}

Interval cs_pass_ranges::remainder(Interval a, Interval b) {
  a = within(a, 0, MaxNumber), b = within(b, 1, MaxNumber);
  Value *high = smaller(a.high, builder.CreateSub(b.high, number(1)));
  return {number(0), high, both(a.valid, b.valid), 0, std::min(a.max, b.max - 1)};
}

Interval cs_pass_ranges::bitwise(Interval a, Interval b) {
  a = within(a, 0, MaxNumber), b = within(b, 0, MaxNumber);
  Value *either = builder.CreateOr(a.high, b.high);
  Value *above = builder.CreateBinaryIntrinsic(Intrinsic::ctlz, either, builder.getFalse());
  Value *bits =
      smaller(builder.CreateSub(number(64), above), number(63)); // 64 for a negative number, which is not valid
  Value *high = builder.CreateSub(builder.CreateShl(number(1), bits), number(1));
  int64_t max = std::max<int64_t>(a.max, b.max);
  return {number(0), high, both(a.valid, b.valid), 0,
          int64_t(maskTrailingOnes<uint64_t>(64 - countl_zero(uint64_t(max))))};
}
