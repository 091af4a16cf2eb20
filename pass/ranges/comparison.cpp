// comparison.cpp: the rules of comparison.h.
#include "pass/ranges/comparison.h"

namespace cusafe::ranges {

// v != other: an end that equals other moves by one.
static Interval without(Code &code, Interval v, const Interval &other) {
  Value *bottom = code.CreateICmpEQ(v.low, other.low), *top = code.CreateICmpEQ(v.high, other.low);
  if (other.valid)
    bottom = code.CreateAnd(bottom, other.valid), top = code.CreateAnd(top, other.valid);
  v.low = code.CreateAdd(v.low, code.CreateZExt(bottom, code.getInt64Ty()));
  v.high = code.CreateSub(v.high, code.CreateZExt(top, code.getInt64Ty()));
  return v;
}

Interval clamp(Code &code, Interval v, CmpInst::Predicate p, Interval other) {
  bool below = ICmpInst::isLT(p) || ICmpInst::isLE(p), above = ICmpInst::isGT(p) || ICmpInst::isGE(p);
  bool equal = p == CmpInst::ICMP_EQ;
  if (p == CmpInst::ICMP_NE && other.exact())
    return without(code, v, other);
  if (!below && !above && !equal)
    return v;
  bool isUnsigned = ICmpInst::isUnsigned(p);
  if (isUnsigned && above && v.min < 0)
    return v; // unsigned: a negative number is above as well
  int64_t strict = ICmpInst::isLT(p) || ICmpInst::isGT(p);
  Value *sure = other.valid;
  if (isUnsigned && other.min < 0)
    sure = both(code, sure, code.CreateICmpSGE(other.low, number(code, 0)));
  bool always = sure == nullptr;
  if (below || equal) {
    Value *high = smaller(code, v.high, code.CreateSub(other.high, number(code, strict)));
    v.high = always ? high : code.CreateSelect(sure, high, v.high);
    if (always)
      v.max = std::min(v.max, std::max(other.max - strict, v.min));
  }
  if (above || equal) {
    Value *low = larger(code, v.low, code.CreateAdd(other.low, number(code, strict)));
    v.low = always ? low : code.CreateSelect(sure, low, v.low);
    if (always)
      v.min = std::max(v.min, std::min(other.min + strict, v.max));
  }
  if (below && isUnsigned && v.min < 0) { // 0 <= v < other
    Value *low = larger(code, v.low, number(code, 0));
    v.low = always ? low : code.CreateSelect(sure, low, v.low);
    if (always)
      v.min = std::min<int64_t>(0, v.max);
  }
  return v;
}

Interval move(Code &code, Interval v, Moved moved) {
  return add(code, constant(code, moved.by), moved.minus ? negate(code, v) : v);
}

bool cannot_wrap(const Interval &there, Moved moved) {
  return there.min >= min_of(moved.width) && there.max <= max_of(moved.width);
}

Interval clamp_moved(Code &code, Interval v, Moved moved, Interval there, CmpInst::Predicate p, Interval other) {
  Interval back = clamp(code, there, p, other);
  back = moved.minus ? add(code, constant(code, moved.by), negate(code, back))
                     : add(code, back, constant(code, -moved.by));
  return cannot_wrap(there, moved) ? back : choose(code, fit(code, there, moved.width).valid, back, v);
}

Interval clamp_difference(Code &code, Interval difference, CmpInst::Predicate p, Interval a) {
  if (difference.min >= 0 || (!ICmpInst::isGT(p) && !ICmpInst::isGE(p)))
    return difference;
  Value *low = larger(code, difference.low, number(code, 0));
  if (ICmpInst::isSigned(p) || a.min >= 0) {
    difference.low = low;
    difference.min = std::min<int64_t>(0, difference.max);
  } else { // unsigned: a negative number is above as well
    difference.low = code.CreateSelect(code.CreateICmpSGE(a.low, number(code, 0)), low, difference.low);
  }
  return difference;
}

Interval clamp_distance(Code &code, Interval i, CmpInst::Predicate p, int64_t by, Interval distance) {
  int64_t least = by + (p != CmpInst::ICMP_SGE && p != CmpInst::ICMP_UGE);
  Value *low = p == CmpInst::ICMP_NE
                   ? code.CreateSelect(code.CreateICmpEQ(i.low, number(code, by)), number(code, least), i.low)
                   : larger(code, i.low, number(code, least));
  i.low = distance.valid ? code.CreateSelect(distance.valid, low, i.low) : low;
  return i;
}

// a < b is impossible if b is not negative, and a is negative or at least b: a negative b is above every number.
static Value *may_be_below(Code &code, CmpInst::Predicate p, const Interval &a, const Interval &b) {
  Value *positive = code.CreateICmpSGE(a.high, number(code, 0)), *huge = code.CreateICmpSLT(b.low, number(code, 0));
  Value *lowest = larger(code, a.low, number(code, 0));
  Value *less = code.CreateICmp(ICmpInst::getSignedPredicate(p), lowest, b.high);
  return code.CreateOr(huge, code.CreateAnd(positive, less));
}

static Value *may_hold_if_valid(Code &code, CmpInst::Predicate p, const Interval &a, const Interval &b) {
  bool below = ICmpInst::isLT(p) || ICmpInst::isLE(p);
  if (ICmpInst::isUnsigned(p))
    return may_be_below(code, p, a, b);
  if (p == CmpInst::ICMP_NE) {
    Value *same = code.CreateAnd(code.CreateICmpEQ(a.low, b.high), code.CreateICmpEQ(a.high, b.low));
    return code.CreateNot(same);
  }
  if (p == CmpInst::ICMP_EQ)
    return code.CreateAnd(code.CreateICmpSLE(a.low, b.high), code.CreateICmpSGE(a.high, b.low));
  return code.CreateICmp(p, below ? a.low : a.high, below ? b.high : b.low);
}

Value *may_hold(Code &code, CmpInst::Predicate p, Interval a, Interval b) {
  if (p == CmpInst::ICMP_UGT || p == CmpInst::ICMP_UGE)
    std::swap(a, b), p = CmpInst::getSwappedPredicate(p);
  Value *may = may_hold_if_valid(code, p, a, b);
  if (Value *valid = both(code, a.valid, b.valid))
    may = code.CreateOr(may, code.CreateNot(valid));
  return may;
}

} // namespace cusafe::ranges
