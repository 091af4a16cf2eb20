/* managed.h: `__managed__` variables in host code, which clang knows for HIP only. */
#ifndef CUSAFE_PASS_BRIDGE_MANAGED_H
#define CUSAFE_PASS_BRIDGE_MANAGED_H

/* The annotation that cusafe_nvcc.h makes of `__managed__`. */
#define CS_PASS_MANAGED "cusafe:managed"

#ifdef __cplusplus
namespace llvm {
class Module;
} // namespace llvm

// Host code accesses the device's variable: through a pointer that the runtime library sets, as in nvcc's code. Returns
// true if the module has changed. Ends the compilation, after a sentence, if an initialiser needs the address.
bool cs_pass_lower_managed(llvm::Module &module);
#endif

#endif
