/* symbolize.c: host stacks as users see them. */
#include "host/stacks/symbolize.h"
#include "host/base/large_stack.h"
#include "host/stacks/address.h"
#include "host/stacks/elf.h"
#include "host/stacks/python.h"
#include "host/stacks/stack.h"
#include "options/process.h"
#include "report/arena.h"
#include "report/demangle.h"
#include "report/toolkit.h"
#include <dlfcn.h>
#include <string.h>

enum { NATIVE_MAX = 64, FRAMES_MAX = NATIVE_MAX + CS_HOST_PYTHON_DEPTH };

struct builder {
  void *arena;
  struct cs_source *frames;
  size_t count;
};

static const char *copy(struct builder *b, const char *text) {
  char *space = text ? cs_report_arena_new(&b->arena, strlen(text) + 1) : NULL;
  return space ? strcpy(space, text) : NULL;
}

static void emit(struct builder *b, struct cs_source frame) {
  if (b->count < (frame.is_python ? FRAMES_MAX : NATIVE_MAX))
    b->frames[b->count++] = frame;
}

/* A frame with what the loader knows, without reading files. */
static void emit_unnamed(struct builder *b, cs_u64 return_address) {
  struct cs_source frame = {.pc = return_address};
  struct cs_host_elf elf;
  Dl_info info;
  if (!cs_host_elf_at(return_address - 1, &elf) && dladdr((void *)(return_address - 1), &info) && info.dli_fname) {
    frame.module = copy(b, info.dli_fname);
    frame.offset = return_address - elf.bias;
    frame.build = *elf.build_id ? copy(b, elf.build_id) : NULL;
  }
  emit(b, frame);
}

/* Copies the frames, which the next address may replace. */
static void emit_address(struct builder *b, cs_u64 return_address) {
  const struct cs_source *frames;
  size_t count = cs_host_address_frames(return_address, &frames);
  for (size_t i = 0; i < count; i++) {
    struct cs_source frame = frames[i];
    frame.function = copy(b, frame.function);
    frame.file = copy(b, frame.file);
    frame.module = copy(b, frame.module);
    frame.build = copy(b, frame.build);
    emit(b, frame);
  }
  if (!count)
    emit_unnamed(b, return_address);
}

/* Returns the number of bytes. */
static size_t write_utf8(cs_u32 c, char *to) {
  static const cs_u32 head[] = {0, 0, 0xc0, 0xe0, 0xf0};
  size_t bytes = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  if (c >= 0xdc80 && c <= 0xdcff) { /* Python's escape for a byte of a file name that is not UTF-8 */
    *to = (char)(c & 0xff);
    return 1;
  }
  for (size_t i = bytes; --i > 0; c >>= 6)
    to[i] = (char)(0x80 | (c & 0x3f));
  to[0] = (char)(head[bytes] | c);
  return bytes;
}

static cs_u32 character(const struct cs_host_python_text *text, size_t i) {
  cs_u32 c = 0; /* little-endian, as all machines with CUDA */
  memcpy(&c, text->characters + i * text->width, text->width);
  return c;
}

static const char *copy_python(struct builder *b, const struct cs_host_python_text *text) {
  char *space = cs_report_arena_new(&b->arena, (size_t)text->length * 4 + 1), *to = space;
  for (size_t i = 0; space && i < text->length; i++)
    to += write_utf8(character(text, i), to);
  return space;
}

static int starts_with(const char *text, const char *start) {
  return text && strncmp(text, start, strlen(start)) == 0;
}

static const char *file_name(const struct cs_source *frame) {
  const char *slash = frame->module ? strrchr(frame->module, '/') : NULL;
  return slash ? slash + 1 : frame->module;
}

/* Frames that are not the user's: CuSafe, the driver, and the CUDA runtime, shared or static. */
static int is_internal(const struct cs_source *frame) {
  const char *file = file_name(frame);
  return starts_with(file, "libcusafe.so") || starts_with(file, "libcuda.so") || starts_with(file, "libcudart.so") ||
         starts_with(frame->function, "libcudart_static_") || (!frame->file && starts_with(frame->function, "cuda"));
}

/* As Python's own tracebacks, without the machinery of import. */
static void emit_python(struct builder *b, const void *value) {
  struct cs_host_python_frame frame = cs_host_python_frame(value);
  const char *file = copy_python(b, &frame.code->file);
  if (!starts_with(file, "<frozen importlib"))
    emit(b, (struct cs_source){.function = copy_python(b, &frame.code->function),
                               .file = file,
                               .line = frame.line,
                               .offset = frame.line > frame.code->first_line ? frame.line - frame.code->first_line : 0,
                               .is_python = 1,
                               .is_toolkit = file && cs_report_is_python_package(file)});
}

/* Python's modules that call any function of C. */
static int is_caller_of_c(const struct cs_source *frame) {
  static const char *const names[] = {"libffi", "_ctypes.", "_cffi_backend."};
  const char *file = file_name(frame);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (starts_with(file, names[i]))
      return 1;
  return 0;
}

/* The Python frame is the caller. */
static void drop_callers_of_c(struct builder *b) {
  while (b->count > 0 && is_caller_of_c(&b->frames[b->count - 1]))
    b->count--;
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

struct request {
  cs_u32 number;
  struct cs_host_trace *trace;
};

static void symbolize(void *data) {
  const struct request *request = data;
  struct cs_host_trace *trace = request->trace;
  void *const *addresses;
  size_t count = cs_host_stack_get(request->number, &addresses);
  struct builder b = {0};
  *trace = (struct cs_host_trace){0};
  b.frames = cs_report_arena_new(&b.arena, FRAMES_MAX * sizeof *b.frames);
  if (!b.frames)
    return;
  for (size_t i = 0; i < count; i++)
    if (cs_host_python_is_frame(addresses[i])) {
      if (i > 0 && !cs_host_python_is_frame(addresses[i - 1]))
        drop_callers_of_c(&b);
      emit_python(&b, addresses[i]);
    } else if (cs_options()->symbolize)
      emit_address(&b, (cs_u64)addresses[i]);
    else
      emit_unnamed(&b, (cs_u64)addresses[i]);
  trace->stack = users_view(&b);
  trace->arena = b.arena;
}

void cs_host_symbolize(cs_u32 number, struct cs_host_trace *trace) {
  struct request request = {number, trace};
  cs_host_on_large_stack(symbolize, &request);
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

/* nvcc's stub calls a helper, which calls the runtime. */
static int is_stub(const struct cs_source *frame, const char *kernel) {
  static const char helper[] = "__cudaLaunchKernel_helper", stub[] = "__device_stub__";
  const char *a, *b;
  size_t length = frame->function ? base_name(frame->function, &a) : 0;
  if (length && (starts_with(a, helper) || starts_with(frame->function, stub)))
    return 1;
  return length && base_name(kernel, &b) == length && strncmp(a, b, length) == 0;
}

void cs_host_trace_drop_stub(struct cs_host_trace *trace, const char *kernel) {
  struct cs_stack *stack = &trace->stack;
  struct cs_source *frames = (struct cs_source *)stack->frames; /* the arena's */
  const char *name = kernel ? cs_report_demangle(&trace->arena, kernel) : NULL;
  while (name && stack->count > 2 && !frames[1].is_python && is_stub(&frames[1], name)) {
    frames[1] = frames[0];
    stack->frames = ++frames;
    stack->count--;
  }
}
