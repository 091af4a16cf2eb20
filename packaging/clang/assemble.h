// assemble.h: clang's -cc1as, which none of LLVM's libraries contains.
#pragma once
#include <llvm/ADT/ArrayRef.h>

// Assembles one file, by the options that clang's driver gives -cc1as. Returns the exit status; the diagnostics are on stderr.
int cusafe_clang_assemble(llvm::ArrayRef<const char *> arguments);
