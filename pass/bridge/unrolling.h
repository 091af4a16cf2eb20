// unrolling.h: which loops are unrolled for the CPU device. C++ only.
#ifndef CUSAFE_PASS_BRIDGE_UNROLLING_H
#define CUSAFE_PASS_BRIDGE_UNROLLING_H

namespace llvm {
class Loop;
class LoopInfo;
class ScalarEvolution;
} // namespace llvm

// Keeps LLVM from unrolling the loop if its copies would have more matrix instructions or barriers than the engine
// compiles in seconds. LLVM has decided about the loops inside it before. Returns true if the loop has changed.
bool cs_pass_limit_unrolling(llvm::Loop &loop, llvm::ScalarEvolution &evolution, const llvm::LoopInfo &loops);

#endif
