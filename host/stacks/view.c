/* view.c: which frames of a host stack the user sees. */
#include "host/stacks/view.h"
#include <string.h>

static int starts_with(const char *text, const char *start) {
  return text && strncmp(text, start, strlen(start)) == 0;
}

static const char *file_name(const char *path) {
  const char *slash = path ? strrchr(path, '/') : NULL;
  return slash ? slash + 1 : path;
}

const char *cs_host_view_file(const struct cs_source *frame) {
  return file_name(frame->module);
}

int cs_host_view_is_internal(const char *module) {
  const char *file = file_name(module);
  return starts_with(file, "libcusafe.so") || starts_with(file, "libcuda.so") || starts_with(file, "libcudart.so");
}

/* Frames that are not the user's: CuSafe, the driver, and the CUDA runtime, shared or static. */
static int is_internal(const struct cs_source *frame) {
  return cs_host_view_is_internal(frame->module) || starts_with(frame->function, "libcudart_static_") ||
         (!frame->file && starts_with(frame->function, "cuda"));
}

struct cs_stack cs_host_view(struct cs_source *frames, size_t count) {
  size_t first = 0;
  while (first < count && is_internal(&frames[first]))
    first++;
  if (first == count)
    first = 0;
  size_t call = first;
  while (call > 0 && !starts_with(frames[call - 1].function, "cu"))
    call--;
  if (call > 0) {
    struct cs_source frame = frames[call - 1];
    frame.file = NULL; /* a line inside the call is of no use */
    frame.line = frame.column = 0;
    frames[--first] = frame;
  } else if (first > 0 && !frames[first - 1].function) {
    frames[--first].is_toolkit = 1;
  }
  return (struct cs_stack){frames + first, count - first};
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

void cs_host_view_drop_stub(struct cs_stack *stack, const char *kernel) {
  struct cs_source *frames = (struct cs_source *)stack->frames; /* the caller's, who may change them */
  while (kernel && stack->count > 2 && !frames[1].is_python && is_stub(&frames[1], kernel)) {
    frames[1] = frames[0];
    stack->frames = ++frames;
    stack->count--;
  }
}
