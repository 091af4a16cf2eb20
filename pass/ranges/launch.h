// launch.h: values that are the same for all threads during the whole launch. C++ only.
#ifndef CUSAFE_PASS_RANGES_LAUNCH_H
#define CUSAFE_PASS_RANGES_LAUNCH_H

#include "llvm/ADT/APInt.h"
#include "llvm/IR/Instructions.h"

namespace cusafe::ranges {
using namespace llvm;

// blockDim or gridDim.
bool is_of_grid(Value *value);

// The load of a field of a structure passed by value, on its own or as an element of a vector that starts this many
// bytes inside; null if it is none.
LoadInst *field_of(Value *value, const DataLayout &layout, uint64_t &inside);

// The argument that such a load reads, and the offset in it.
Value *argument_of(LoadInst *load, const DataLayout &layout, APInt &offset);

} // namespace cusafe::ranges

#endif
