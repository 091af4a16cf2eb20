/* bridge_lines.cpp: collects the source lines of a module, and marks where they begin; see lines.h. */
#include "retarget/bridge.h"
#include "retarget/lines.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"

#include <map>

extern "C" {
void *cs_grow(void *array, unsigned count, size_t element);
char *cs_copy_text(const char *text, size_t length);
}

using namespace llvm;

namespace {
class Lines {
  cs_lines &table;
  std::map<std::pair<const void *, const void *>, unsigned> known; /* of a scope, a file or a function; of a location */

  static char *copy(StringRef text) { return cs_copy_text(text.data(), text.size()); }

  static char *path_of(const DIFile *file) {
    if (!file)
      return copy("");
    SmallString<256> path(file->getFilename());
    if (!sys::path::is_absolute(path)) {
      path = file->getDirectory();
      sys::path::append(path, file->getFilename());
    }
    return copy(path);
  }

  unsigned add_scope(const DISubprogram *program, const DIFile *file, unsigned outer) {
    table.scopes = static_cast<cs_line_scope *>(cs_grow(table.scopes, table.scope_count, sizeof *table.scopes));
    StringRef linkage = program->getLinkageName().empty() ? program->getName() : program->getLinkageName();
    table.scopes[table.scope_count++] = {copy(program->getName()), copy(linkage), path_of(file), nullptr,
                                         program->getLine(),       outer};
    return table.scope_count;
  }

  /* The function itself, for code that was not inlined: another one than where its code is part of others. */
  unsigned own_scope(Function *F, const DISubprogram *program) {
    unsigned &scope = known[{F, program}];
    if (!scope) {
      scope = add_scope(program, program->getFile(), 0);
      table.scopes[scope - 1].owner = copy(F->getName());
    }
    return scope;
  }

  unsigned inlined_scope(const DISubprogram *program) {
    unsigned &scope = known[{program, nullptr}];
    return scope ? scope : scope = add_scope(program, program->getFile(), 0);
  }

  unsigned in_file(unsigned scope, const DILocation *location, const DISubprogram *program) {
    const DIFile *file = location->getFile();
    if (!file || file == program->getFile())
      return scope;
    unsigned &part = known[{file, reinterpret_cast<const void *>(static_cast<uintptr_t>(scope))}];
    return part ? part : part = add_scope(program, file, scope);
  }

  unsigned add_line(unsigned line, unsigned column, unsigned scope, unsigned inlined_at) {
    table.lines = static_cast<cs_line *>(cs_grow(table.lines, table.line_count, sizeof *table.lines));
    table.lines[table.line_count++] = {line, column, scope, inlined_at};
    return table.line_count;
  }

  /* Somewhere in the function. */
  unsigned nowhere(Function *F, const DISubprogram *owner) {
    unsigned &number = known[{F, F}];
    return number ? number : number = add_line(0, 0, own_scope(F, owner), 0);
  }

  unsigned line_of(const DILocation *location, Function *F, const DISubprogram *owner) {
    if (unsigned seen = known[{location, F}])
      return seen;
    const DISubprogram *program = location->getScope()->getSubprogram();
    unsigned inlined_at = 0, scope;
    if (location->getInlinedAt())
      inlined_at = line_of(location->getInlinedAt(), F, owner);
    else if (program != owner)
      inlined_at = nowhere(F, owner);
    scope = in_file(inlined_at ? inlined_scope(program) : own_scope(F, program), location, program);
    return known[{location, F}] = add_line(location->getLine(), location->getColumn(), scope, inlined_at);
  }

  static const DISubprogram *outermost(const DILocation *location) {
    while (location->getInlinedAt())
      location = location->getInlinedAt();
    return location->getScope()->getSubprogram();
  }

  /* What the function is in the source. Kernels are new functions, with the old ones' names and code. */
  static const DISubprogram *owner_of(Function &F) {
    const DISubprogram *first = F.getSubprogram();
    for (Instruction &I : instructions(F))
      if (const DILocation *location = I.getDebugLoc(); location && !F.getSubprogram()) {
        const DISubprogram *program = outermost(location);
        if (program->getLinkageName() == F.getName() || program->getName() == F.getName())
          return program;
        first = first ? first : program;
      }
    return first;
  }

public:
  explicit Lines(cs_lines &to) : table(to) {}

  void mark(Function &F, FunctionCallee mark) {
    const DISubprogram *owner = owner_of(F);
    if (!owner)
      return;
    for (BasicBlock &B : F) {
      unsigned last = 0;
      for (Instruction &I : make_early_inc_range(B)) {
        if (isa<PHINode>(I) || isa<AllocaInst>(I)) /* SPIR-V wants them first */
          continue;
        const DILocation *location = I.getDebugLoc();
        unsigned number = location ? line_of(location, &F, owner) : last ? last : nowhere(&F, owner);
        if (number != last)
          CallInst::Create(mark, {ConstantInt::get(Type::getInt32Ty(F.getContext()), number)}, "", I.getIterator());
        last = number;
      }
    }
  }
};
} // namespace

/* All at the entry's start, so that marks can stand behind them. */
static void gather_allocas(Function &F) {
  SmallVector<AllocaInst *, 16> allocas;
  for (Instruction &I : F.getEntryBlock())
    if (auto *alloca = dyn_cast<AllocaInst>(&I))
      allocas.push_back(alloca);
  for (AllocaInst *alloca : reverse(allocas))
    if (isa<Constant>(alloca->getArraySize()))
      alloca->moveBefore(F.getEntryBlock(), F.getEntryBlock().begin());
}

void cs_bridge_mark_lines(LLVMModuleRef module, struct cs_lines *lines) {
  Module &M = *unwrap(module);
  LLVMContext &C = M.getContext();
  FunctionCallee mark = M.getOrInsertFunction(CS_LINE_MARK, Type::getVoidTy(C), Type::getInt32Ty(C));
  Lines table(*lines);
  for (Function &F : M)
    if (!F.isDeclaration()) {
      gather_allocas(F);
      table.mark(F, mark);
    }
}
