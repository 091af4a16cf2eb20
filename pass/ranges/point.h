// point.h: values that are known at the point, or bounded for all threads, whatever the values around them. C++ only.
#ifndef CUSAFE_PASS_RANGES_POINT_H
#define CUSAFE_PASS_RANGES_POINT_H

#include "pass/ranges/query.h"

namespace cusafe::ranges {

// The value at the point; null if it is not known there.
Value *value_at_point(cs_pass_ranges &state, Value *value);

// Such a value, with what LLVM knows of it.
Interval exactly(cs_pass_ranges &state, Value *value, Value *here);

// What LLVM knows of a value that nothing else bounds: the range of a byte, a remainder, a lane. Nothing if the range
// is not narrow.
Maybe known(cs_pass_ranges &state, Value *value);

// threadIdx.x, blockIdx.x and similar, for all threads at once.
Maybe thread(cs_pass_ranges &state, CallInst *call);

} // namespace cusafe::ranges

#endif
