/* symbolize.c: names and lines of host addresses, by libdw, inlined calls included. */
#include "host/stacks/symbolize.h"
#include "host/stacks/stack.h"
#include "options/process.h"
#include "report/arena.h"
#include "report/demangle.h"
#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FRAMES_MAX = 64 };

struct builder {
  void *arena;
  struct cs_source *frames;
  size_t count;
};

/* Does not search for separate debug files: that could access the network in the middle of a report. */
static int no_separate_file(Dwfl_Module *m, void **u, const char *n, GElf_Addr b, const char *f, const char *l,
                            GElf_Word c, char **d) {
  (void)m, (void)u, (void)n, (void)b, (void)f, (void)l, (void)c, (void)d;
  return -1;
}

static Dwfl *open_process(void) {
  static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf, .find_debuginfo = no_separate_file};
  Dwfl *dwfl = dwfl_begin(&callbacks);
  if (dwfl && (dwfl_linux_proc_report(dwfl, getpid()) || dwfl_report_end(dwfl, NULL, NULL))) {
    dwfl_end(dwfl);
    return NULL;
  }
  return dwfl;
}

static const char *copy(struct builder *b, const char *text) {
  char *space = text ? cs_report_arena_new(&b->arena, strlen(text) + 1) : NULL;
  return space ? strcpy(space, text) : NULL;
}

static const char *readable(struct builder *b, const char *name) {
  return name ? cs_report_demangle(&b->arena, name) : NULL;
}

static void emit(struct builder *b, struct cs_source frame) {
  if (b->count < FRAMES_MAX)
    b->frames[b->count++] = frame;
}

static const char *die_name(Dwarf_Die *die) {
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute))
    return dwarf_formstring(&attribute);
  return dwarf_diename(die);
}

static cs_u32 die_number(Dwarf_Die *die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (!dwarf_attr(die, name, &attribute) || dwarf_formudata(&attribute, &value))
    return 0;
  return (cs_u32)value;
}

/* The source location of an inlined call. */
static void go_to_call(Dwarf_Die *unit, Dwarf_Die *inlined, const char **file, cs_u32 *line, cs_u32 *column) {
  Dwarf_Files *files;
  size_t count;
  cs_u32 index = die_number(inlined, DW_AT_call_file);
  *file =
      dwarf_getsrcfiles(unit, &files, &count) == 0 && index < count ? dwarf_filesrc(files, index, NULL, NULL) : NULL;
  *line = die_number(inlined, DW_AT_call_line);
  *column = die_number(inlined, DW_AT_call_column);
}

/* One frame for each function whose code is at pc. Returns how many were emitted. */
static size_t emit_scopes(struct builder *b, Dwfl_Module *module, cs_u64 pc, struct cs_source frame) {
  Dwarf_Addr bias;
  Dwarf_Die *unit = dwfl_module_addrdie(module, pc, &bias), *at_pc = NULL, *scopes = NULL;
  if (!unit || dwarf_getscopes(unit, pc - bias, &at_pc) <= 0)
    return 0;
  int count = dwarf_getscopes_die(&at_pc[0], &scopes);
  size_t before = b->count;
  for (int i = 0; i < count; i++) {
    int tag = dwarf_tag(&scopes[i]);
    if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
      continue;
    frame.function = readable(b, die_name(&scopes[i]));
    emit(b, frame);
    if (tag == DW_TAG_subprogram)
      break;
    const char *file;
    go_to_call(unit, &scopes[i], &file, &frame.line, &frame.column);
    frame.file = copy(b, file);
  }
  free(scopes);
  free(at_pc);
  return b->count - before;
}

/* A frame with what the loader knows, without reading files. */
static void emit_unnamed(struct builder *b, cs_u64 return_address) {
  struct cs_source frame = {.pc = return_address};
  Dl_info info;
  if (dladdr((void *)(return_address - 1), &info) && info.dli_fname) {
    frame.module = copy(b, info.dli_fname);
    frame.offset = return_address - (cs_u64)info.dli_fbase;
  }
  emit(b, frame);
}

static void emit_address(struct builder *b, Dwfl *dwfl, cs_u64 return_address) {
  cs_u64 pc = return_address - 1; /* in the call instruction */
  struct cs_source frame = {.pc = return_address};
  Dwfl_Module *module = dwfl_addrmodule(dwfl, pc);
  if (module) {
    int line = 0, column = 0;
    frame.module = copy(b, dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    Dwfl_Line *source = dwfl_module_getsrc(module, pc);
    if (source)
      frame.file = copy(b, dwfl_lineinfo(source, NULL, &line, &column, NULL, NULL));
    frame.line = (cs_u32)line;
    frame.column = (cs_u32)column;
    if (emit_scopes(b, module, pc, frame))
      return;
    GElf_Off offset;
    GElf_Sym symbol;
    const char *name = dwfl_module_addrinfo(module, pc, &offset, &symbol, NULL, NULL, NULL);
    frame.function = readable(b, name);
  }
  emit(b, frame);
}

static int starts_with(const char *text, const char *start) {
  return text && strncmp(text, start, strlen(start)) == 0;
}

/* Frames that are not the user's: CuSafe, the driver, and the CUDA runtime, shared or static. */
static int is_internal(const struct cs_source *frame) {
  const char *slash = frame->module ? strrchr(frame->module, '/') : NULL;
  const char *file = slash ? slash + 1 : frame->module;
  return starts_with(file, "libcusafe.so") || starts_with(file, "libcuda.so") || starts_with(file, "libcudart.so") ||
         starts_with(frame->function, "libcudart_static_") || (!frame->file && starts_with(frame->function, "cuda"));
}

static struct cs_stack users_view(struct builder *b) {
  size_t first = 0;
  while (first < b->count && is_internal(&b->frames[first]))
    first++;
  if (first == b->count)
    first = 0;
  size_t call = first;
  while (call > 0 && !starts_with(b->frames[call - 1].function, "cu"))
    call--;
  if (call > 0) {
    struct cs_source frame = b->frames[call - 1];
    frame.file = NULL; /* a line inside the call is of no use */
    frame.line = frame.column = 0;
    b->frames[--first] = frame;
  }
  return (struct cs_stack){b->frames + first, b->count - first};
}

void cs_host_symbolize(cs_u32 number, struct cs_host_trace *trace) {
  void *const *addresses;
  size_t count = cs_host_stack_get(number, &addresses);
  struct builder b = {0};
  *trace = (struct cs_host_trace){0};
  b.frames = cs_report_arena_new(&b.arena, FRAMES_MAX * sizeof *b.frames);
  if (!b.frames)
    return;
  Dwfl *dwfl = cs_options()->symbolize && count ? open_process() : NULL;
  for (size_t i = 0; i < count; i++)
    if (dwfl)
      emit_address(&b, dwfl, (cs_u64)addresses[i]);
    else
      emit_unnamed(&b, (cs_u64)addresses[i]);
  if (dwfl)
    dwfl_end(dwfl);
  trace->stack = users_view(&b);
  trace->arena = b.arena;
}

void cs_host_trace_release(struct cs_host_trace *trace) {
  cs_report_arena_release(&trace->arena);
}

/* The last component of a demangled function's name, without template arguments and parameters. */
static size_t base_name(const char *name, const char **base) {
  static const char anonymous[] = "(anonymous namespace)::", stub[] = "__device_stub__";
  for (const char *inner; (inner = strstr(name, anonymous));)
    name = inner + sizeof anonymous - 1;
  size_t end = strcspn(name, "(<"), start = end;
  while (start > 0 && name[start - 1] != ':' && name[start - 1] != ' ')
    start--;
  start += starts_with(name + start, stub) ? sizeof stub - 1 : 0;
  *base = name + start;
  return end > start ? end - start : 0;
}

static int is_stub(const struct cs_source *frame, const char *kernel) {
  const char *a, *b;
  size_t length = frame->function ? base_name(frame->function, &a) : 0;
  return length && base_name(kernel, &b) == length && strncmp(a, b, length) == 0;
}

void cs_host_trace_drop_stub(struct cs_host_trace *trace, const char *kernel) {
  struct cs_stack *stack = &trace->stack;
  struct cs_source *frames = (struct cs_source *)stack->frames; /* the arena's */
  const char *name = kernel ? cs_report_demangle(&trace->arena, kernel) : NULL;
  while (name && stack->count > 2 && is_stub(&frames[1], name)) {
    frames[1] = frames[0];
    stack->frames = ++frames;
    stack->count--;
  }
}
