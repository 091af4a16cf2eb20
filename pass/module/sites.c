/* sites.c: collects source frames from debug locations and serialises the site table of abi.h. */
#include "pass/module/sites.h"
#include "ir/memory.h"
#include "ir/names.h"
#include "pass/bridge/bridge.h"
#include "pass/bridge/version.h"
#include "pass/module/lines.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

cs_u32 cs_pass_sites_text(struct cs_pass_sites *s, const char *text, size_t length) {
  if (s->string_bytes == 0)
    cs_ir_push(s->strings, s->string_bytes, '\0'); /* offset 0 is the empty string */
  if (length == 0)
    return 0;
  /* LLVM keeps one copy of each metadata string, so its address identifies it. */
  size_t known = (size_t)cs_ir_map_get(&s->string_of, text);
  if (known)
    return (cs_u32)(known - 1);
  cs_u32 offset = (cs_u32)s->string_bytes;
  for (size_t i = 0; i < length; i++)
    cs_ir_push(s->strings, s->string_bytes, text[i]);
  cs_ir_push(s->strings, s->string_bytes, '\0');
  cs_ir_map_set(&s->string_of, text, (void *)(size_t)(offset + 1));
  return offset;
}

static void fill_frame(struct cs_pass_sites *s, struct cs_frame *frame, LLVMMetadataRef location) {
  LLVMMetadataRef scope = LLVMDILocationGetScope(location);
  size_t length;
  const char *function = cs_pass_scope_function(scope, &length);
  frame->function = cs_pass_sites_text(s, function, length);
  frame->line = LLVMDILocationGetLine(location);
  frame->column = LLVMDILocationGetColumn(location);
  LLVMMetadataRef file = LLVMDIScopeGetFile(scope);
  if (file == NULL)
    return;
  unsigned bytes;
  frame->flags |= cs_pass_in_header(&s->headers, scope) ? CS_FRAME_TOOLKIT : 0;
  const char *name = LLVMDIFileGetFilename(file, &bytes);
  frame->file = cs_pass_sites_text(s, name, bytes);
  if (s->directory == 0) {
    const char *directory = LLVMDIFileGetDirectory(file, &bytes);
    s->directory = cs_pass_sites_text(s, directory, bytes);
  }
}

static void *key_of(const void *item, size_t size) {
  const unsigned char *bytes = item;
  uint64_t hash = 0xcbf29ce484222325ull;
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ bytes[i]) * 0x100000001b3ull;
  return (void *)(uintptr_t)(hash | 1);
}

/* Copies of code have different locations whose scopes differ, with equal file, function, line and column: for example
 * a call that was inlined into each copy of a loop's body. */
static cs_u32 same_frame(struct cs_pass_sites *s, struct cs_frame frame) {
  void *key = key_of(&frame, sizeof frame);
  size_t known = (size_t)(uintptr_t)cs_ir_map_get(&s->same_frame, key);
  if (known && memcmp(&s->frames[known - 1], &frame, sizeof frame) == 0)
    return (cs_u32)(known - 1);
  cs_ir_push(s->frames, s->frame_count, frame);
  cs_ir_map_set(&s->same_frame, key, (void *)(uintptr_t)s->frame_count);
  return (cs_u32)(s->frame_count - 1);
}

static char many; /* several calls, or unknown ones */

static cs_u32 frame_number(struct cs_pass_sites *s, LLVMMetadataRef location, LLVMValueRef function);

/* The frame of the only call of a function. Copies of a call, as in unrolled loops, or in a fast path and a checked
 * path, are one frame. */
static cs_u32 only_call(struct cs_pass_sites *s, LLVMValueRef function) {
  cs_u32 frame = CS_NONE;
  for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef call = LLVMGetUser(use);
    if (!LLVMIsACallInst(call) || LLVMGetCalledValue(call) != function)
      return CS_NONE;
    LLVMValueRef caller = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
    cs_u32 from = frame_number(s, cs_pass_line_of(&s->headers, call), caller);
    if (from == CS_NONE || (frame != CS_NONE && frame != from))
      return CS_NONE;
    frame = from;
  }
  return frame;
}

/* A header's function that was not inlined has no frame in the user's code. If there is one call of it, that call is
 * the frame. A cycle of calls ends at `many`. */
static cs_u32 caller_frame(struct cs_pass_sites *s, LLVMMetadataRef scope, LLVMValueRef function) {
  if (!cs_pass_in_header(&s->headers, scope) || cs_pass_scope_program(scope) != LLVMGetSubprogram(function))
    return CS_NONE;
  void *known = cs_ir_map_get(&s->caller_of, function);
  if (known == NULL) {
    cs_ir_map_set(&s->caller_of, function, &many);
    cs_u32 frame = only_call(s, function);
    known = frame == CS_NONE ? &many : (void *)(uintptr_t)(frame + 1ull);
    cs_ir_map_set(&s->caller_of, function, known);
  }
  return known == &many ? CS_NONE : (cs_u32)((uintptr_t)known - 1);
}

/* The chain goes from function to function by inlining, and from the outermost one, `function`, by its only call. */
static cs_u32 frame_number(struct cs_pass_sites *s, LLVMMetadataRef location, LLVMValueRef function) {
  if (location == NULL)
    return CS_NONE;
  size_t known = (size_t)cs_ir_map_get(&s->frame_of, location);
  if (known)
    return (cs_u32)(known - 1);
  struct cs_frame frame = {0};
  LLVMMetadataRef inlined_at = LLVMDILocationGetInlinedAt(location);
  if (inlined_at != NULL)
    frame.parent = frame_number(s, inlined_at, function);
  else
    frame.parent = caller_frame(s, LLVMDILocationGetScope(location), function);
  if (inlined_at == NULL && frame.parent != CS_NONE)
    frame.flags = CS_FRAME_CALLED;
  fill_frame(s, &frame, location);
  cs_u32 number = same_frame(s, frame);
  cs_ir_map_set(&s->frame_of, location, (void *)(uintptr_t)(number + 1ull));
  return number;
}

/* A kernel's forms, a fast path and a checked path, and the copies of an unrolled loop, are one site to the user. */
cs_u32 cs_pass_sites_add(struct cs_pass_sites *s, LLVMValueRef instruction, struct cs_site site, LLVMValueRef kernel,
                         const char *object) {
  site.frame = frame_number(s, cs_pass_line_of(&s->headers, instruction),
                            LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction)));
  if (kernel != NULL) {
    size_t length;
    const char *name = LLVMGetValueName2(kernel, &length);
    size_t bare = cs_ir_starts_with(name, CS_PASS_BARE_PREFIX) ? strlen(CS_PASS_BARE_PREFIX) : 0;
    site.kernel = cs_pass_sites_text(s, name + bare, length - bare);
  }
  if (object != NULL)
    site.object = cs_pass_sites_text(s, object, strlen(object));
  void *key = key_of(&site, sizeof site);
  size_t known = (size_t)(uintptr_t)cs_ir_map_get(&s->same, key);
  if (site.frame != CS_NONE && known && memcmp(&s->sites[known - 1], &site, sizeof site) == 0)
    return (cs_u32)(known - 1);
  cs_ir_push(s->sites, s->site_count, site);
  cs_ir_map_set(&s->same, key, (void *)(uintptr_t)s->site_count);
  return (cs_u32)(s->site_count - 1);
}

static cs_u32 append(char *table, cs_u32 *used, const void *bytes, size_t count) {
  cs_u32 offset = *used;
  if (count)
    memcpy(table + offset, bytes, count);
  *used += (cs_u32)((count + 7) & ~(size_t)7);
  return offset;
}

static LLVMValueRef define(LLVMModuleRef module, const char *name, LLVMTypeRef type, LLVMValueRef value) {
  LLVMValueRef global = LLVMAddGlobalInAddressSpace(module, type, name, 1);
  LLVMSetInitializer(global, value);
  LLVMSetAlignment(global, 8);
  return global;
}

void cs_pass_sites_emit(const struct cs_pass_sites *s, LLVMModuleRef module, struct cs_module header) {
  size_t capacity = sizeof(struct cs_module) + s->site_count * sizeof *s->sites + s->frame_count * sizeof *s->frames +
                    s->string_bytes + s->form_count * sizeof *s->forms + s->parameter_count * sizeof *s->parameters +
                    s->operation_count * sizeof *s->operations + s->constant_count * sizeof *s->constants + 64;
  char *table = cs_ir_allocate(1, capacity);
  header.magic = CS_ABI_MAGIC;
  header.abi_version = CS_ABI_VERSION;
  header.site_count = (cs_u32)s->site_count;
  header.frame_count = (cs_u32)s->frame_count;
  header.string_bytes = (cs_u32)s->string_bytes;
  header.directory = s->directory;
  header.form_count = (cs_u32)s->form_count;
  header.parameter_count = (cs_u32)s->parameter_count;
  header.operation_count = (cs_u32)s->operation_count;
  header.constant_count = (cs_u32)s->constant_count;
  cs_u32 used = sizeof header;
  header.site_offset = append(table, &used, s->sites, s->site_count * sizeof *s->sites);
  header.frame_offset = append(table, &used, s->frames, s->frame_count * sizeof *s->frames);
  header.form_offset = append(table, &used, s->forms, s->form_count * sizeof *s->forms);
  header.parameter_offset = append(table, &used, s->parameters, s->parameter_count * sizeof *s->parameters);
  header.operation_offset = append(table, &used, s->operations, s->operation_count * sizeof *s->operations);
  header.constant_offset = append(table, &used, s->constants, s->constant_count * sizeof *s->constants);
  header.string_offset = append(table, &used, s->strings, s->string_bytes);
  header.total_bytes = used;
  memcpy(table, &header, sizeof header);

  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMValueRef bytes = LLVMConstStringInContext2(context, table, used, 1);
  LLVMSetGlobalConstant(define(module, CS_SYM_MODULE, LLVMTypeOf(bytes), bytes), 1);
  size_t rows = s->site_count ? s->site_count : 1;
  LLVMTypeRef counts = LLVMArrayType2(LLVMInt32TypeInContext(context), rows * CS_FAULT_COUNT);
  define(module, CS_SYM_COUNTS, counts, LLVMConstNull(counts));
  free(table);
}

void cs_pass_sites_free(struct cs_pass_sites *s) {
  free(s->sites);
  free(s->frames);
  free(s->strings);
  free(s->forms);
  free(s->parameters);
  free(s->operations);
  free(s->constants);
  cs_ir_map_free(&s->frame_of);
  cs_ir_map_free(&s->same);
  cs_ir_map_free(&s->same_frame);
  cs_ir_map_free(&s->string_of);
  cs_ir_map_free(&s->caller_of);
  cs_pass_headers_free(&s->headers);
}
