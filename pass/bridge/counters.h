// counters.h: loops with checks compute addresses from their counters. C++ only.
#ifndef CUSAFE_PASS_BRIDGE_COUNTERS_H
#define CUSAFE_PASS_BRIDGE_COUNTERS_H

namespace llvm {
class Function;
}

// LLVM's back end replaces a counter in addresses by pointers that each iteration increments. A loop with checks also
// compares the counter, and for each such pointer ptxas needs up to four instructions instead of one. Hides from LLVM
// that counters of loops with checks are counters. Returns true if the function has changed.
bool cs_pass_keep_counters(llvm::Function &function);

#endif
