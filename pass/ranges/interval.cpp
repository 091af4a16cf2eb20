// interval.cpp: the arithmetic of interval.h.
#include "pass/ranges/interval.h"
#include <algorithm>
#include <tuple>

namespace cusafe::ranges {

namespace {
using Wide = __int128;

constexpr int64_t Factor =
    int64_t(1) << 31; // the product of two such numbers fits 64 bits, and any sum of it with another number, too

bool fits_number(Wide value) {
  return value >= -Wide(MaxNumber) && value <= Wide(MaxNumber);
}
} // namespace

int64_t min_of(unsigned width) {
  return width >= 63 || width == 0 ? -MaxNumber : -(int64_t(1) << (width - 1));
}

int64_t max_of(unsigned width) {
  return width >= 63 || width == 0 ? MaxNumber : (int64_t(1) << (width - 1)) - 1;
}

Value *number(Code &code, int64_t value) {
  return ConstantInt::getSigned(code.getInt64Ty(), value);
}

Value *both(Code &code, Value *a, Value *b) {
  return !a ? b : !b ? a : code.CreateAnd(a, b);
}

Value *smaller(Code &code, Value *a, Value *b) {
  return a == b ? a : code.CreateBinaryIntrinsic(Intrinsic::smin, a, b);
}

Value *larger(Code &code, Value *a, Value *b) {
  return a == b ? a : code.CreateBinaryIntrinsic(Intrinsic::smax, a, b);
}

// ---- single intervals ----

Interval constant(Code &code, int64_t value) {
  return {number(code, value), number(code, value), nullptr, value, value};
}

Interval between(Code &code, int64_t min, int64_t max) {
  return {number(code, min), number(code, max), nullptr, min, max};
}

Interval within(Code &code, Interval i, int64_t min, int64_t max) {
  if (i.min < min) {
    i.valid = both(code, i.valid, code.CreateICmpSGE(i.low, number(code, min)));
    i.min = min;
  }
  if (i.max > max) {
    i.valid = both(code, i.valid, code.CreateICmpSLE(i.high, number(code, max)));
    i.max = max;
  }
  if (i.min > i.max) // never valid; keep min <= max
    i.min = i.max;
  return i;
}

Interval not_negative(Code &code, Interval i) {
  return within(code, i, 0, MaxNumber);
}

Interval fit(Code &code, Interval i, unsigned width) {
  return within(code, i, min_of(width), max_of(width));
}

Interval choose(Code &code, Value *sure, Interval yes, Interval no) {
  if (!sure)
    return yes;
  no.low = code.CreateSelect(sure, yes.low, no.low);
  no.high = code.CreateSelect(sure, yes.high, no.high);
  return no;
}

// ---- sets ----

Interval unite(Code &code, Interval a, Interval b) {
  return {smaller(code, a.low, b.low), larger(code, a.high, b.high), both(code, a.valid, b.valid),
          std::min(a.min, b.min), std::max(a.max, b.max)};
}

Interval intersect(Code &code, Interval a, Interval b) {
  auto or_else = [&](const Interval &i, Value *end, int64_t wide) {
    return i.valid ? code.CreateSelect(i.valid, end, number(code, wide)) : end;
  };
  Interval result;
  result.low = larger(code, or_else(a, a.low, -MaxNumber), or_else(b, b.low, -MaxNumber));
  result.high = smaller(code, or_else(a, a.high, MaxNumber), or_else(b, b.high, MaxNumber));
  result.valid = a.valid && b.valid ? code.CreateOr(a.valid, b.valid) : nullptr;
  result.min = std::min(a.min, b.min), result.max = std::max(a.max, b.max);
  return result;
}

Maybe intersect(Code &code, Maybe a, Maybe b) {
  return a && b ? Maybe(intersect(code, *a, *b)) : a ? a : b;
}

// ---- sums and products ----

Interval add(Code &code, Interval a, Interval b) {
  Wide min = Wide(a.min) + b.min, max = Wide(a.max) + b.max;
  if (!fits_number(min) || !fits_number(max)) {
    a = within(code, a, -MaxNumber / 2, MaxNumber / 2);
    b = within(code, b, -MaxNumber / 2, MaxNumber / 2);
    min = Wide(a.min) + b.min, max = Wide(a.max) + b.max;
  }
  bool exact = a.exact() && b.exact();
  Value *low = code.CreateAdd(a.low, b.low);
  return {low, exact ? low : code.CreateAdd(a.high, b.high), both(code, a.valid, b.valid), int64_t(min), int64_t(max)};
}

Interval negate(Code &code, Interval a) {
  Value *low = code.CreateNeg(a.high);
  return {low, a.exact() ? low : code.CreateNeg(a.low), a.valid, -a.max, -a.min};
}

static std::pair<Wide, Wide> extreme_products(const Interval &a, const Interval &b) {
  Wide products[] = {Wide(a.min) * b.min, Wide(a.min) * b.max, Wide(a.max) * b.min, Wide(a.max) * b.max};
  return {*std::min_element(products, products + 4), *std::max_element(products, products + 4)};
}

// The ends of a product, wherever the two are valid.
static std::pair<Value *, Value *> products(Code &code, Interval a, Interval b) {
  if (a.exact() && b.exact()) {
    Value *product = code.CreateMul(a.low, b.low);
    return {product, product};
  }
  if (a.min >= 0 && b.min >= 0) {
    Value *low = code.CreateMul(a.low, b.low);
    return {low, code.CreateMul(a.high, b.high)};
  }
  if (b.exact())
    std::swap(a, b);
  if (a.exact()) {
    Value *x = code.CreateMul(a.low, b.low), *y = code.CreateMul(a.low, b.high);
    bool up = a.min >= 0, down = a.max <= 0;
    Value *low = up ? x : down ? y : smaller(code, x, y);
    return {low, up ? y : down ? x : larger(code, x, y)};
  }
  Value *p[] = {code.CreateMul(a.low, b.low), code.CreateMul(a.low, b.high), code.CreateMul(a.high, b.low),
                code.CreateMul(a.high, b.high)};
  Value *low = smaller(code, smaller(code, p[0], p[1]), smaller(code, p[2], p[3]));
  return {low, larger(code, larger(code, p[0], p[1]), larger(code, p[2], p[3]))};
}

Interval multiply(Code &code, Interval a, Interval b) {
  auto [min, max] = extreme_products(a, b);
  if (!fits_number(min) || !fits_number(max)) {
    a = within(code, a, -Factor, Factor);
    b = within(code, b, -Factor, Factor);
    std::tie(min, max) = extreme_products(a, b);
  }
  Value *valid = both(code, a.valid, b.valid);
  auto [low, high] = products(code, a, b);
  return {low, high, valid, int64_t(min), int64_t(max)};
}

Interval minimum(Code &code, Interval a, Interval b) {
  return {smaller(code, a.low, b.low),
          a.exact() && b.exact() ? smaller(code, a.low, b.low) : smaller(code, a.high, b.high),
          both(code, a.valid, b.valid), std::min(a.min, b.min), std::min(a.max, b.max)};
}

Interval maximum(Code &code, Interval a, Interval b) {
  return {larger(code, a.low, b.low),
          a.exact() && b.exact() ? larger(code, a.low, b.low) : larger(code, a.high, b.high),
          both(code, a.valid, b.valid), std::max(a.min, b.min), std::max(a.max, b.max)};
}

// ---- quotients and remainders ----

Interval divide(Code &code, Interval a, int64_t by) {
  Value *low = code.CreateSDiv(a.low, number(code, by));
  return {low, a.exact() ? low : code.CreateSDiv(a.high, number(code, by)), a.valid, a.min / by, a.max / by};
}

Interval shift_right(Code &code, Interval a, unsigned by) {
  Value *low = code.CreateAShr(a.low, by);
  return {low, a.exact() ? low : code.CreateAShr(a.high, by), a.valid, a.min >> by, a.max >> by};
}

Interval quotient(Code &code, Interval a, Interval b) {
  a = not_negative(code, a), b = within(code, b, 1, MaxNumber);
  Value *low = code.CreateSDiv(a.low, b.high), *high = code.CreateSDiv(a.high, b.low);
  return {a.exact() && b.exact() ? high : low, high, both(code, a.valid, b.valid), 0, a.max};
}

Interval quotient_bound(Code &code, Interval a, Interval b) {
  a = not_negative(code, a), b = within(code, b, 1, MaxNumber);
  return {number(code, 0), a.high, both(code, a.valid, b.valid), 0, a.max};
}

Interval remainder(Code &code, Interval a, Interval b) {
  a = not_negative(code, a), b = within(code, b, 1, MaxNumber);
  Value *high = smaller(code, a.high, code.CreateSub(b.high, number(code, 1)));
  return {number(code, 0), high, both(code, a.valid, b.valid), 0, std::min(a.max, b.max - 1)};
}

Interval remainder_of_any(Code &code, Interval b) {
  b = within(code, b, 1, MaxNumber);
  return {number(code, 0), code.CreateSub(b.high, number(code, 1)), b.valid, 0, b.max - 1};
}

// ---- bits ----

Interval bitwise(Code &code, Interval a, Interval b) {
  a = not_negative(code, a), b = not_negative(code, b);
  Value *either = code.CreateOr(a.high, b.high);
  Value *above = code.CreateBinaryIntrinsic(Intrinsic::ctlz, either, code.getFalse());
  Value *bits = smaller(code, code.CreateSub(number(code, 64), above),
                        number(code, 63)); // 64 for a negative number, which is not valid
  Value *high = code.CreateSub(code.CreateShl(number(code, 1), bits), number(code, 1));
  int64_t max = std::max<int64_t>(a.max, b.max);
  return {number(code, 0), high, both(code, a.valid, b.valid), 0,
          int64_t(maskTrailingOnes<uint64_t>(64 - countl_zero(uint64_t(max))))};
}

Maybe masked(Code &code, Maybe a, int64_t mask) {
  if (mask >= 0) {
    if (a && a->min >= 0 && a->max < mask)
      return Interval{number(code, 0), a->high, a->valid, 0, a->max};
    if (a && a->exact() && mask <= MaxNumber) {
      Value *low = code.CreateAnd(a->low, number(code, mask));
      return Interval{low, low, a->valid, 0, mask};
    }
    return mask <= MaxNumber ? Maybe(between(code, 0, mask)) : Maybe();
  }
  if (!a || mask < -MaxNumber || ((-mask) & (-mask - 1)) != 0)
    return {};
  Value *low = code.CreateAnd(a->low, number(code, mask));
  return Interval{low, a->exact() ? low : code.CreateAnd(a->high, number(code, mask)), a->valid, a->min & mask,
                  a->max & mask};
}

Interval low_bits(Code &code, Maybe a, unsigned bits) {
  int64_t mask = (int64_t(1) << bits) - 1;
  Interval below = between(code, 0, mask);
  if (!a)
    return below;
  if (!a->exact())
    return intersect(code, below, within(code, *a, 0, mask));
  below.low = below.high = code.CreateAnd(a->low, number(code, mask));
  below.valid = a->valid;
  return below;
}

} // namespace cusafe::ranges
