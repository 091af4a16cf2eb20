/* symbolize.c: host stacks as users see them. */
#include "host/stacks/symbolize.h"
#include "host/base/large_stack.h"
#include "host/stacks/address.h"
#include "host/stacks/elf.h"
#include "host/stacks/python.h"
#include "host/stacks/stack.h"
#include "host/stacks/view.h"
#include "options/process.h"
#include "report/arena.h"
#include "report/demangle.h"
#include "report/toolkit.h"
#include <dlfcn.h>
#include <limits.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

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

/* The loader knows the program by the name that it was started with. */
static const char *copy_module(struct builder *b, const char *name, const struct cs_host_elf *elf) {
  struct cs_host_elf program;
  char path[PATH_MAX];
  if (*name == '/' || cs_host_elf_at(getauxval(AT_PHDR), &program) || program.bias != elf->bias)
    return copy(b, name);
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  path[length > 0 ? length : 0] = 0;
  return copy(b, length > 0 ? path : name);
}

/* A frame with what the loader knows, without reading files. */
static void emit_unnamed(struct builder *b, cs_u64 return_address) {
  struct cs_source frame = {.pc = return_address};
  struct cs_host_elf elf;
  Dl_info info;
  if (!cs_host_elf_at(return_address - 1, &elf) && dladdr((void *)(return_address - 1), &info) && info.dli_fname) {
    frame.module = copy_module(b, info.dli_fname, &elf);
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
  const char *file = cs_host_view_file(frame);
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
  trace->stack = cs_host_view(b.frames, b.count);
  trace->arena = b.arena;
}

void cs_host_symbolize(cs_u32 number, struct cs_host_trace *trace) {
  struct request request = {number, trace};
  cs_host_on_large_stack(symbolize, &request);
}

void cs_host_trace_release(struct cs_host_trace *trace) {
  cs_report_arena_release(&trace->arena);
}

void cs_host_trace_drop_stub(struct cs_host_trace *trace, const char *kernel) {
  cs_host_view_drop_stub(&trace->stack, kernel ? cs_report_demangle(&trace->arena, kernel) : NULL);
}
