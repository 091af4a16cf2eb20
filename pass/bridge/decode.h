// decode.h: makes exact forms smaller, for GPUs. C++ only.
#ifndef CUSAFE_PASS_BRIDGE_DECODE_H
#define CUSAFE_PASS_BRIDGE_DECODE_H

namespace llvm {
class Function;
class LoopInfo;
} // namespace llvm

// Outside loops, one function decodes the roots of an exact form that has a fast one: it rarely runs, and the code that
// decodes a root is longer than most kernels. Before the runtime is inlined. Returns true if the function has changed.
bool cs_pass_decode_by_calls(llvm::Function &function, const llvm::LoopInfo &loops);

#endif
