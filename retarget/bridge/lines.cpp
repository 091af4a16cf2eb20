/* lines.cpp: collects the source lines of a module, and marks where they begin; see unit/lines.h. */
#include "ir/memory.h"
#include "retarget/bridge/bridge.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"

#include <map>
#include <vector>

using namespace llvm;

namespace {
class Lines {
  cs_rt_lines &table;
  /* The numbers of scopes, types and lines, by metadata and function. */
  std::map<std::pair<const void *, const void *>, unsigned> known;

  static char *copy(StringRef text) { return cs_ir_copy_text(text.data(), text.size()); }

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
    table.scopes = static_cast<cs_rt_line_scope *>(cs_ir_grow(table.scopes, table.scope_count, sizeof *table.scopes));
    StringRef linkage = program->getLinkageName().empty() ? program->getName() : program->getLinkageName();
    table.scopes[table.scope_count++] = {copy(program->getName()), copy(linkage), path_of(file), nullptr,
                                         program->getLine(),       outer};
    return table.scope_count;
  }

  unsigned add_type(const char *name, size_t length, unsigned bits, unsigned encoding, bool pointer, unsigned pointee) {
    table.types = static_cast<cs_rt_line_type *>(cs_ir_grow(table.types, table.type_count, sizeof *table.types));
    table.types[table.type_count++] = {cs_ir_copy_text(name, length), bits, encoding, pointer, pointee};
    return table.type_count;
  }

  /* 0: void, or a type that is not kept. */
  unsigned type_of(const DIType *type) {
    while (auto *derived = dyn_cast_or_null<DIDerivedType>(type)) {
      if (derived->getTag() == dwarf::DW_TAG_pointer_type || derived->getTag() == dwarf::DW_TAG_reference_type) {
        unsigned pointee = type_of(derived->getBaseType());
        unsigned &pointer = known[{type, &table}];
        return pointer ? pointer : pointer = add_type("", 0, 64, 0, true, pointee);
      }
      if (derived->getTag() != dwarf::DW_TAG_typedef && derived->getTag() != dwarf::DW_TAG_const_type &&
          derived->getTag() != dwarf::DW_TAG_volatile_type && derived->getTag() != dwarf::DW_TAG_restrict_type)
        return 0;
      type = derived->getBaseType();
    }
    auto *basic = dyn_cast_or_null<DIBasicType>(type);
    if (!basic || basic->getTag() != dwarf::DW_TAG_base_type)
      return 0;
    unsigned &number = known[{type, &table}];
    StringRef name = basic->getName();
    return number ? number
                  : number = add_type(name.data(), name.size(), static_cast<unsigned>(basic->getSizeInBits()),
                                      basic->getEncoding(), false, 0);
  }

  /* The scope of code that was not inlined: distinct from the scope of the same function where it was inlined. */
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

  /* F: NULL for inlined code. */
  unsigned scope_of(const DILocalScope *scope, Function *F) {
    if (auto *program = dyn_cast<DISubprogram>(scope))
      return F ? own_scope(F, program) : inlined_scope(program);
    unsigned seen = known[{scope, F ? static_cast<const void *>(F) : this}];
    if (seen)
      return seen;
    unsigned outer = scope_of(cast<DILexicalBlockBase>(scope)->getScope(), F);
    unsigned number = add_scope(scope->getSubprogram(), scope->getFile(), outer);
    if (auto *block = dyn_cast<DILexicalBlock>(scope))
      table.scopes[number - 1].line = block->getLine();
    return known[{scope, F ? static_cast<const void *>(F) : this}] = number;
  }

  unsigned add_line(unsigned line, unsigned column, unsigned scope, unsigned inlined_at) {
    table.lines = static_cast<cs_rt_line *>(cs_ir_grow(table.lines, table.line_count, sizeof *table.lines));
    table.lines[table.line_count++] = {line, column, scope, inlined_at};
    return table.line_count;
  }

  /* A location in the function without a line. */
  unsigned nowhere(Function *F, const DISubprogram *owner) {
    unsigned &number = known[{F, F}];
    return number ? number : number = add_line(0, 0, own_scope(F, owner), 0);
  }

  unsigned line_of(const DILocation *location, Function *F, const DISubprogram *owner) {
    if (unsigned seen = known[{location, F}])
      return seen;
    const DISubprogram *program = location->getScope()->getSubprogram();
    unsigned inlined_at = 0;
    if (location->getInlinedAt())
      inlined_at = line_of(location->getInlinedAt(), F, owner);
    else if (program != owner)
      inlined_at = nowhere(F, owner);
    unsigned scope = scope_of(location->getScope(), inlined_at ? nullptr : F);
    return known[{location, F}] = add_line(location->getLine(), location->getColumn(), scope, inlined_at);
  }

  static const DISubprogram *outermost(const DILocation *location) {
    while (location->getInlinedAt())
      location = location->getInlinedAt();
    return location->getScope()->getSubprogram();
  }

  /* The function of the source. The entry point of a kernel is a new function, with the name and code of the old
   * one. */
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

  /* --- Variables --- */

  struct Variable {
    const DILocalVariable *what;
    const DILocation *where;
    SmallVector<DbgVariableRecord *, 4> values;
    Type *type;
    bool known;
  };

  /* The type of its memory; NULL if the value does not fit the variable. */
  static Type *memory_of(Value *value, const cs_rt_line_type &type) {
    LLVMContext &C = value->getContext();
    Type *from = value->getType();
    if (type.pointer)
      return from->isPointerTy() ? Type::getInt64Ty(C) : nullptr;
    if (from->isIntegerTy(1) && type.bits == 8)
      return Type::getInt8Ty(C);
    bool plain = from->isIntegerTy() || from->isFloatTy() || from->isDoubleTy();
    return plain && from->getScalarSizeInBits() == type.bits ? from : nullptr;
  }

  static Instruction *position_of(DbgVariableRecord &record) {
    Instruction *before = record.getMarker()->MarkedInstr;
    while (isa<PHINode>(before) || isa<AllocaInst>(before))
      before = before->getNextNode();
    return before;
  }

  /* Only LLVM's passes keep the records consistent: after ours, the value need not dominate the record. */
  static bool is_defined(DbgVariableRecord &record, const DominatorTree &dominators) {
    Instruction *before = position_of(record);
    Value *value = record.getVariableLocationOp(0);
    if (auto *argument = dyn_cast<Argument>(value))
      return argument->getParent() == before->getFunction();
    auto *made = dyn_cast<Instruction>(value);
    return isa<Constant>(value) ||
           (made && made->getFunction() == before->getFunction() && dominators.dominates(made, before));
  }

  void add_value(Variable &v, DbgVariableRecord &record, const DominatorTree &dominators) {
    unsigned type = type_of(v.what->getType());
    bool plain = type && record.isDbgValue() && !record.isKillLocation() && record.getNumVariableLocationOps() == 1 &&
                 record.getExpression()->getNumElements() == 0 && is_defined(record, dominators);
    Type *memory = plain ? memory_of(record.getVariableLocationOp(0), table.types[type - 1]) : nullptr;
    v.known &= memory && (!v.type || v.type == memory);
    v.type = memory;
    v.values.push_back(&record);
  }

  std::vector<Variable> variables_of(Function &F) {
    std::vector<Variable> found;
    DominatorTree dominators(F);
    std::map<std::pair<const void *, const void *>, size_t> at;
    for (Instruction &I : instructions(F))
      for (DbgVariableRecord &record : filterDbgVars(I.getDbgRecordRange())) {
        const DILocation *where = record.getDebugLoc();
        auto [entry, fresh] = at.insert({{record.getVariable(), where->getInlinedAt()}, found.size()});
        if (fresh)
          found.push_back({record.getVariable(), where, {}, nullptr, true});
        add_value(found[entry->second], record, dominators);
      }
    return found;
  }

  static void store(DbgVariableRecord *record, AllocaInst *to) {
    Instruction *before = position_of(*record);
    IRBuilder<> builder(before);
    builder.SetCurrentDebugLocation(before->getDebugLoc());
    Value *value = record->getVariableLocationOp(0);
    Type *type = to->getAllocatedType();
    if (value->getType()->isPointerTy())
      value = builder.CreatePtrToInt(value, type);
    else if (value->getType()->isIntegerTy(1))
      value = builder.CreateZExt(value, type);
    builder.CreateStore(value, to);
  }

  void keep(const Variable &v, Function &F, const DISubprogram *owner, FunctionCallee mark) {
    enum { LOCAL = 5 };
    BasicBlock &entry = F.getEntryBlock();
    auto *memory = new AllocaInst(v.type, LOCAL, "", entry.begin());
    for (DbgVariableRecord *record : v.values)
      store(record, memory);
    unsigned line = line_of(v.where, &F, owner);
    unsigned scope = scope_of(v.what->getScope(), table.lines[line - 1].inlined_at ? nullptr : &F);
    table.variables =
        static_cast<cs_rt_line_variable *>(cs_ir_grow(table.variables, table.variable_count, sizeof *table.variables));
    table.variables[table.variable_count++] = {copy(v.what->getName()), type_of(v.what->getType()), scope,
                                               v.what->getLine(), v.what->getArg()};
    BasicBlock::iterator after = entry.begin();
    while (isa<AllocaInst>(*after))
      after++;
    Type *i32 = Type::getInt32Ty(F.getContext());
    CallInst::Create(mark, {ConstantInt::get(i32, line), ConstantInt::get(i32, table.variable_count), memory}, "",
                     after);
  }

public:
  explicit Lines(cs_rt_lines &to) : table(to) {}

  /* Only variables whose value is known everywhere: others would show stale values. */
  void keep_variables(Function &F, FunctionCallee mark) {
    const DISubprogram *owner = owner_of(F);
    if (!owner || owner->getUnit()->isOptimized())
      return;
    for (const Variable &v : variables_of(F))
      if (v.known)
        keep(v, F, owner, mark);
  }

  void mark(Function &F, FunctionCallee mark) {
    const DISubprogram *owner = owner_of(F);
    if (!owner)
      return;
    for (BasicBlock &B : F) {
      unsigned last = 0;
      for (Instruction &I : make_early_inc_range(B)) {
        if (isa<PHINode>(I) || isa<AllocaInst>(I)) /* SPIR-V requires them first */
          continue;
        if (auto *call = dyn_cast<CallInst>(&I);
            call && call->getCalledFunction() && call->getCalledFunction()->getName() == CS_RT_VARIABLE_MARK)
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

/* Moves all allocas to the start of the entry, so that marks can follow them. */
static void gather_allocas(Function &F) {
  SmallVector<AllocaInst *, 16> allocas;
  for (Instruction &I : F.getEntryBlock())
    if (auto *alloca = dyn_cast<AllocaInst>(&I))
      allocas.push_back(alloca);
  for (AllocaInst *alloca : reverse(allocas))
    if (isa<Constant>(alloca->getArraySize()))
      alloca->moveBefore(F.getEntryBlock(), F.getEntryBlock().begin());
}

void cs_rt_bridge_mark_lines(LLVMModuleRef module, struct cs_rt_lines *lines, LLVMValueRef *functions, unsigned count) {
  Module &M = *unwrap(module);
  LLVMContext &C = M.getContext();
  FunctionCallee mark = M.getOrInsertFunction(CS_RT_LINE_MARK, Type::getVoidTy(C), Type::getInt32Ty(C));
  FunctionCallee variable = M.getOrInsertFunction(CS_RT_VARIABLE_MARK, Type::getVoidTy(C), Type::getInt32Ty(C),
                                                  Type::getInt32Ty(C), PointerType::get(C, 5));
  Lines table(*lines);
  for (Function &F : M)
    if (!F.isDeclaration())
      gather_allocas(F);
  for (unsigned i = 0; i < count; i++)
    table.keep_variables(*unwrap<Function>(functions[i]), variable);
  for (Function &F : M)
    if (!F.isDeclaration())
      table.mark(F, mark);
}
