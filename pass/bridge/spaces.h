// spaces.h: what a contained access does where memory has several address spaces. C++ only.
#ifndef CUSAFE_PASS_BRIDGE_SPACES_H
#define CUSAFE_PASS_BRIDGE_SPACES_H

namespace llvm {
class Function;
}

// The sink is in global memory. An instruction that accesses shared, local or constant memory by an address of that
// space must not get the sink's address: after a failed check it is carried out through a generic pointer, or omitted
// if it has no generic form. The checks are inlined, and nothing has been simplified since. Returns true if the
// function has changed.
bool cs_pass_contain_in_spaces(llvm::Function &function);

#endif
