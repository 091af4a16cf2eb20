/* arms.h: an access of its own on either side of a check. C++ only. */
#ifndef CUSAFE_PASS_ARMS_H
#define CUSAFE_PASS_ARMS_H

namespace llvm {
class Function;
}

/* Changes control flow. Nothing but what cleans up may run after it. */
void cs_split_arms(llvm::Function &function);

#endif
