// cold.h: moves what follows a failed check out of the way of the code for which all checks hold. C++ only.
#ifndef CUSAFE_PASS_BRIDGE_COLD_H
#define CUSAFE_PASS_BRIDGE_COLD_H

namespace llvm {
class Function;
class Value;
} // namespace llvm

// A thread whose check has failed goes on in a copy of the function, or of the outermost loop that it is in. In the
// original no check returns: values need no second version, nothing survives a call, and a GPU does not have to
// reconverge after each check. Returns true if the function has changed.
bool cs_pass_leave_on_failure(llvm::Function &function);

// Whether the value is a call that reports a failed check.
bool cs_pass_is_failure(const llvm::Value *value);

#endif
