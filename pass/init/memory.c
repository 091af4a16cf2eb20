/* memory.c: the shadow of memory: of buffers and shared memory, through the device functions, and of local variables,
 * in variables beside them. */
#include "cusafe/init.h"
#include "ir/instructions.h"
#include "ir/names.h"
#include "pass/init/init.h"
#include "pass/module/build.h"
#include "pass/module/runtime.h"
#include "pass/variables/markers.h"
#include "pass/variables/objects.h"
#include <stdlib.h>

/* Of the longest access, in bytes. */
enum { SCRATCH = 128 };

static LLVMValueRef variable(struct cs_pass_init *init, LLVMTypeRef type, unsigned align) {
  LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(init->function));
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(init->pass->context);
  LLVMPositionBuilderBefore(builder, first);
  LLVMValueRef made = LLVMBuildAlloca(builder, type, "");
  LLVMSetAlignment(made, align);
  LLVMDisposeBuilder(builder);
  return made;
}

static LLVMValueRef scratch(struct cs_pass_init *init) {
  if (!init->scratch)
    init->scratch = variable(init, LLVMArrayType2(LLVMInt8TypeInContext(init->pass->context), SCRATCH), 16);
  return init->scratch;
}

/* Calls a function of the runtime at the start of the function. The builder stays where it is. */
static LLVMValueRef call_at_start(struct cs_pass_init *init, const char *name, const char *signature,
                                  LLVMValueRef *arguments) {
  struct cs_pass *pass = init->pass;
  LLVMBuilderRef builder = pass->builder;
  pass->builder = LLVMCreateBuilderInContext(pass->context);
  cs_pass_build_before(pass, cs_ir_after_allocas(init->function), NULL);
  LLVMValueRef made = cs_pass_device_call(pass, name, signature, arguments);
  LLVMDisposeBuilder(pass->builder);
  pass->builder = builder;
  return made;
}

LLVMValueRef cs_pass_init_origin(struct cs_pass_init *init) {
  if (!init->origin) {
    init->origin = variable(init, LLVMArrayType2(init->pass->i64, 3), 8);
    call_at_start(init, "__cs_init_begin", "vp", &init->origin);
  }
  return init->origin;
}

/* The second argument of __cs_init_from and __cs_init_to. */
static LLVMValueRef near(struct cs_pass_init *init) {
  if (!init->near)
    init->near = call_at_start(init, "__cs_init_near", "l", NULL);
  return init->near;
}

/* ---- local variables ---- */

cs_u64 cs_pass_init_bytes_of_local(const struct cs_pass_init *init, LLVMValueRef local) {
  cs_u64 count = LLVMConstIntGetZExtValue(LLVMGetOperand(local, 0));
  return LLVMABISizeOfType(init->pass->layout, LLVMGetAllocatedType(local)) * count;
}

/* All of the twin, before the instruction. */
static void fill_twin(struct cs_pass_init *init, LLVMValueRef local, LLVMValueRef twin, LLVMValueRef before) {
  LLVMTypeRef byte = LLVMInt8TypeInContext(init->pass->context);
  cs_u64 bytes = cs_pass_init_bytes_of_local(init, local);
  LLVMValueRef shadow = cs_ir_map_get(&init->fresh, local) ? LLVMConstAllOnes(byte) : LLVMConstNull(byte);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(init->pass->context);
  LLVMPositionBuilderBefore(builder, before);
  LLVMBuildMemSet(builder, twin, shadow, LLVMConstInt(init->pass->i64, bytes, 0), LLVMGetAlignment(local));
  LLVMDisposeBuilder(builder);
}

/* The variable's own memory is not looked at. */
static LLVMValueRef make_twin(struct cs_pass_init *init, LLVMValueRef local) {
  LLVMTypeRef byte = LLVMInt8TypeInContext(init->pass->context);
  cs_u64 bytes = cs_pass_init_bytes_of_local(init, local);
  LLVMValueRef twin = variable(init, LLVMArrayType2(byte, bytes), LLVMGetAlignment(local));
  fill_twin(init, local, twin, cs_ir_after_allocas(init->function));
  struct cs_pass_markers markers = cs_pass_markers_of(local);
  for (size_t m = 0; m < markers.count && cs_ir_map_get(&init->fresh, local); m++)
    if (cs_pass_marker_of(markers.items[m]) == CS_PASS_SCOPE_START)
      fill_twin(init, local, twin, LLVMGetNextInstruction(markers.items[m]));
  free(markers.items);
  cs_ir_map_set(&init->twins, local, twin);
  return twin;
}

/* A check that fails yields another address. */
static LLVMValueRef twin_of_checked(struct cs_pass_init *init, LLVMValueRef checked, LLVMValueRef twin) {
  LLVMBuilderRef b = init->pass->builder;
  LLVMValueRef same = LLVMBuildICmp(b, LLVMIntEQ, checked, LLVMGetOperand(checked, 0), "");
  return LLVMBuildSelect(b, same, twin, scratch(init), "");
}

/* The address in the twin that corresponds to the pointer's. */
static LLVMValueRef twin_at(struct cs_pass_init *init, LLVMValueRef pointer) { // NOLINT(misc-no-recursion)
  if (LLVMIsAAllocaInst(pointer)) {
    LLVMValueRef twin = cs_ir_map_get(&init->twins, pointer);
    return twin ? twin : make_twin(init, pointer);
  }
  LLVMValueRef base = twin_at(init, LLVMGetOperand(pointer, 0));
  if (LLVMIsAGetElementPtrInst(pointer)) {
    LLVMValueRef indices[16];
    unsigned count = LLVMGetNumIndices(pointer);
    for (unsigned i = 0; i < count && i < 16; i++)
      indices[i] = LLVMGetOperand(pointer, i + 1);
    return LLVMBuildGEP2(init->pass->builder, LLVMGetGEPSourceElementType(pointer), base, indices, count, "");
  }
  return cs_pass_init_is_check(pointer) ? twin_of_checked(init, pointer, base) : base;
}

LLVMValueRef cs_pass_init_twin(struct cs_pass_init *init, LLVMValueRef pointer) {
  LLVMValueRef local = cs_pass_init_local(init, pointer);
  return local && cs_pass_init_is_dirty(init, local) ? twin_at(init, pointer) : NULL;
}

/* ---- loads ---- */

cs_u32 cs_pass_init_load_site(struct cs_pass_init *init, LLVMValueRef access, cs_u32 bytes) {
  struct cs_site site = {.access = CS_ACCESS_READ, .size = bytes, .check = CS_CHECK_INIT, .align = 1};
  return cs_pass_sites_add(&init->pass->sites, access, site, init->kernel, NULL);
}

/* The name of a local variable: of the program's, if the pass has moved it. */
static const char *name_of_local(struct cs_pass_init *init, LLVMValueRef local) {
  struct cs_pass_variable *known = cs_pass_variable_of(init->pass, local);
  return known ? known->name : NULL;
}

cs_u32 cs_pass_init_local_site(struct cs_pass_init *init, LLVMValueRef access, LLVMValueRef local, cs_u32 bytes) {
  struct cs_site site = {
      .access = CS_ACCESS_READ, .size = bytes, .check = CS_CHECK_INIT, .align = 1, .memory = CS_MEMORY_LOCAL};
  return cs_pass_sites_add(&init->pass->sites, access, site, init->kernel, name_of_local(init, local));
}

static LLVMValueRef address_after(struct cs_pass *pass, LLVMValueRef pointer, unsigned bytes) {
  LLVMValueRef index = cs_pass_constant(pass->i64, bytes);
  return bytes ? LLVMBuildGEP2(pass->builder, LLVMInt8TypeInContext(pass->context), pointer, &index, 1, "") : pointer;
}

/* What kernels and others have written since the shadow was stored: in pieces of 8 bytes. */
static LLVMValueRef settle(struct cs_pass_init *init, LLVMValueRef pointer, LLVMValueRef shadow, cs_u32 site) {
  struct cs_pass *pass = init->pass;
  LLVMBuilderRef b = pass->builder;
  LLVMTypeRef type = LLVMTypeOf(shadow);
  unsigned bits = LLVMGetIntTypeWidth(type);
  LLVMValueRef whole = LLVMConstNull(type);
  for (unsigned at = 0; at < bits; at += 64) {
    LLVMValueRef part = at ? LLVMBuildLShr(b, shadow, cs_pass_constant(type, at), "") : shadow;
    part = LLVMBuildIntCast2(b, part, pass->i64, 0, "");
    LLVMValueRef arguments[] = {address_after(pass, pointer, at / 8), part, cs_pass_init_origin(init),
                                cs_pass_constant(pass->i32, site)};
    part = cs_pass_device_call(pass, "__cs_init_load", "lplpi", arguments);
    part = LLVMBuildIntCast2(b, part, type, 0, "");
    whole = LLVMBuildOr(b, whole, at ? LLVMBuildShl(b, part, cs_pass_constant(type, at), "") : part, "");
  }
  return whole;
}

static LLVMValueRef load(struct cs_pass *pass, LLVMTypeRef type, LLVMValueRef from, unsigned align) {
  LLVMValueRef loaded = LLVMBuildLoad2(pass->builder, type, from, "");
  LLVMSetAlignment(loaded, align);
  return loaded;
}

/* The integer in memory as a shadow of this type. */
static LLVMValueRef as_shadow(struct cs_pass *pass, LLVMValueRef bytes, LLVMTypeRef type) {
  LLVMTypeRef flat = cs_pass_init_int(pass, cs_pass_init_bits(pass, type));
  LLVMValueRef bits = LLVMBuildIntCast2(pass->builder, bytes, flat, 0, "");
  return flat == type ? bits : LLVMBuildBitCast(pass->builder, bits, type, "");
}

/* The load is the origin of what the variable never got. */
static void note_local(struct cs_pass_init *init, LLVMValueRef access, LLVMValueRef local, LLVMValueRef shadow) {
  struct cs_pass *pass = init->pass;
  cs_u32 bytes = (cs_pass_init_bits(pass, LLVMTypeOf(shadow)) + 7) / 8;
  LLVMValueRef is_first = cs_pass_constant(pass->i32, cs_ir_map_get(&init->soiled, local) == NULL);
  LLVMValueRef arguments[] = {LLVMBuildZExt(pass->builder, cs_pass_init_any(pass, shadow), pass->i64, ""),
                              cs_pass_init_origin(init), is_first,
                              cs_pass_constant(pass->i32, cs_pass_init_local_site(init, access, local, bytes))};
  cs_pass_device_call(pass, "__cs_init_local", "vlpii", arguments);
}

LLVMValueRef cs_pass_init_load(struct cs_pass_init *init, LLVMValueRef access, LLVMValueRef pointer, LLVMTypeRef type,
                               unsigned align) {
  struct cs_pass *pass = init->pass;
  cs_u32 bytes = (cs_pass_init_bits(pass, type) + 7) / 8;
  LLVMTypeRef stored = cs_pass_init_int(pass, bytes * 8);
  LLVMValueRef twin = cs_pass_init_twin(init, pointer), local = cs_pass_init_local(init, pointer);
  if (twin) {
    LLVMValueRef found = load(pass, stored, twin, align);
    if (cs_ir_map_get(&init->fresh, local))
      note_local(init, access, local, found);
    return as_shadow(pass, found, type);
  }
  LLVMValueRef generic = cs_pass_generic(pass, pointer), place[] = {generic, near(init)};
  LLVMValueRef from = cs_pass_device_call(pass, "__cs_init_from", "ppl", place);
  LLVMValueRef shadow = load(pass, stored, from, align);
  return as_shadow(pass, settle(init, generic, shadow, cs_pass_init_load_site(init, access, bytes)), type);
}

/* ---- stores ---- */

void cs_pass_init_store(struct cs_pass_init *init, LLVMValueRef pointer, LLVMValueRef shadow, unsigned align) {
  struct cs_pass *pass = init->pass;
  LLVMValueRef flat = cs_pass_init_flat(pass, shadow);
  LLVMTypeRef stored = cs_pass_init_int(pass, (LLVMGetIntTypeWidth(LLVMTypeOf(flat)) + 7) / 8 * 8);
  LLVMValueRef bytes = LLVMBuildIntCast2(pass->builder, flat, stored, 0, "");
  LLVMValueRef to = cs_pass_init_twin(init, pointer);
  if (!to) {
    LLVMValueRef arguments[] = {cs_pass_generic(pass, pointer), near(init), scratch(init)};
    to = cs_pass_device_call(pass, "__cs_init_to", "pplp", arguments);
  }
  LLVMSetAlignment(LLVMBuildStore(pass->builder, bytes, to), align);
}

/* Whether memory at the pointer has a shadow that kernels maintain. */
static int has_memory(const struct cs_pass_init *init, LLVMValueRef pointer) {
  LLVMValueRef local = cs_pass_init_local(init, pointer);
  return local ? cs_pass_init_is_dirty(init, local) : cs_pass_init_is_buffer(pointer);
}

/* NULL: not a local variable, or one that counts as initialised. */
static LLVMValueRef twin_or_null(struct cs_pass_init *init, LLVMValueRef pointer) {
  LLVMValueRef twin = cs_pass_init_twin(init, pointer);
  return twin ? twin : LLVMConstNull(init->pass->ptr);
}

/* A value whose type has no shadow: a structure, or a vector of unusual length. */
static void initialise(struct cs_pass_init *init, LLVMValueRef pointer, cs_u64 bytes) {
  struct cs_pass *pass = init->pass;
  LLVMValueRef none = LLVMConstNull(pass->ptr), arguments[] = {cs_pass_generic(pass, pointer),
                                                               twin_or_null(init, pointer),
                                                               none,
                                                               none,
                                                               cs_pass_constant(pass->i64, bytes),
                                                               cs_pass_init_origin(init),
                                                               cs_pass_constant(pass->i32, 0)};
  cs_pass_device_call(pass, "__cs_init_copy", "vpppplpi", arguments);
}

/* Before the store, so that a byte that has changed has its new shadow. */
static void write_store(struct cs_pass_init *init, LLVMValueRef store) {
  LLVMValueRef value = LLVMGetOperand(store, 0), pointer = LLVMGetOperand(store, 1);
  if (!has_memory(init, pointer))
    return;
  LLVMTypeRef type = cs_pass_init_type(init->pass, LLVMTypeOf(value));
  int is_dirty = cs_pass_init_is_dirty(init, value);
  LLVMValueRef shadow = is_dirty ? cs_pass_init_shadow(init, value) : type ? LLVMConstNull(type) : NULL;
  cs_pass_build_before(init->pass, store, store);
  if (shadow)
    cs_pass_init_store(init, pointer, shadow, LLVMGetAlignment(store));
  else
    initialise(init, pointer, LLVMStoreSizeOfType(init->pass->layout, LLVMTypeOf(value)));
}

/* ---- atomic operations ---- */

static unsigned bytes_of(const struct cs_pass *pass, LLVMTypeRef type) {
  return (unsigned)LLVMStoreSizeOfType(pass->layout, type);
}

/* The shadow of what memory had, before the operation. */
static LLVMValueRef old_shadow(struct cs_pass_init *init, LLVMValueRef atomic, LLVMTypeRef type) {
  cs_pass_build_before(init->pass, atomic, atomic);
  LLVMValueRef old = cs_pass_init_load(init, atomic, LLVMGetOperand(atomic, 0), type, bytes_of(init->pass, type));
  cs_ir_map_set(&init->shadows, atomic, old);
  return old;
}

/* An exchange initialises memory, and any other operation leaves what was uninitialised so. */
static void write_rmw(struct cs_pass_init *init, LLVMValueRef atomic) {
  LLVMValueRef value = LLVMGetOperand(atomic, 1);
  LLVMTypeRef type = cs_pass_init_type(init->pass, LLVMTypeOf(value));
  LLVMValueRef shadow = cs_pass_init_shadow(init, value), old = old_shadow(init, atomic, type);
  if (LLVMGetAtomicRMWBinOp(atomic) != LLVMAtomicRMWBinOpXchg)
    shadow = LLVMBuildOr(init->pass->builder, shadow, old, "");
  cs_pass_init_store(init, LLVMGetOperand(atomic, 0), shadow, bytes_of(init->pass, type));
}

/* A thread whose comparison fails has written nothing. */
static void write_cmpxchg(struct cs_pass_init *init, LLVMValueRef atomic) {
  struct cs_pass *pass = init->pass;
  LLVMValueRef value = LLVMGetOperand(atomic, 2);
  LLVMTypeRef type = cs_pass_init_type(pass, LLVMTypeOf(value));
  LLVMValueRef shadow = cs_pass_init_shadow(init, value), old = old_shadow(init, atomic, type);
  cs_pass_build_before(pass, LLVMGetNextInstruction(atomic), atomic);
  LLVMValueRef done = LLVMBuildExtractValue(pass->builder, atomic, 1, "");
  cs_pass_init_store(init, LLVMGetOperand(atomic, 0), LLVMBuildSelect(pass->builder, done, shadow, old, ""),
                     bytes_of(pass, type));
}

/* ---- copies and fills ---- */

static void write_copy(struct cs_pass_init *init, LLVMValueRef call, int has_source) {
  struct cs_pass *pass = init->pass;
  LLVMValueRef to = LLVMGetOperand(call, 0), from = LLVMGetOperand(call, 1);
  if (!has_memory(init, to))
    return;
  cs_pass_build_before(pass, call, call);
  LLVMValueRef bytes = LLVMBuildIntCast2(pass->builder, LLVMGetOperand(call, 2), pass->i64, 0, "");
  int is_known = has_source && has_memory(init, from);
  LLVMValueRef local = is_known ? cs_pass_init_local(init, from) : NULL;
  cs_u32 site = !local ? cs_pass_init_load_site(init, call, 0)
                : cs_ir_map_get(&init->fresh, local) && !cs_ir_map_get(&init->soiled, local)
                    ? cs_pass_init_local_site(init, call, local, 0)
                    : CS_NONE;
  LLVMValueRef arguments[] = {cs_pass_generic(pass, to),
                              twin_or_null(init, to),
                              is_known ? cs_pass_generic(pass, from) : LLVMConstNull(pass->ptr),
                              is_known ? twin_or_null(init, from) : LLVMConstNull(pass->ptr),
                              bytes,
                              cs_pass_init_origin(init),
                              cs_pass_constant(pass->i32, site)};
  cs_pass_device_call(pass, "__cs_init_copy", "vpppplpi", arguments);
}

static int calls(LLVMValueRef i, const char *prefix) {
  LLVMValueRef callee = cs_ir_callee(i);
  return callee && cs_ir_starts_with(cs_ir_name(callee), prefix);
}

void cs_pass_init_write(struct cs_pass_init *init, LLVMValueRef access) {
  if (LLVMIsAStoreInst(access))
    write_store(init, access);
  else if (LLVMIsAAtomicRMWInst(access) && has_memory(init, LLVMGetOperand(access, 0)))
    write_rmw(init, access);
  else if (LLVMIsAAtomicCmpXchgInst(access) && has_memory(init, LLVMGetOperand(access, 0)))
    write_cmpxchg(init, access);
  else if (calls(access, "llvm.memcpy") || calls(access, "llvm.memmove"))
    write_copy(init, access, 1);
  else if (calls(access, "llvm.memset"))
    write_copy(init, access, 0);
}
