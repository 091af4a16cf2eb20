/* call.c: from a driver's symbol and a stack to the name in the program. */
#include "report/call.h"
#include <ctype.h>
#include <string.h>

/* Whether the name ends with an edition (_v2) or a variant (_ptds, _ptsz), and without it; 0 if it does not. */
static size_t without_suffix(const char *name, size_t length) {
  size_t end = length;
  if (length > 5 && (strncmp(name + length - 5, "_ptds", 5) == 0 || strncmp(name + length - 5, "_ptsz", 5) == 0))
    return length - 5;
  while (end > 0 && isdigit((unsigned char)name[end - 1]))
    end--;
  return end < length && end > 2 && strncmp(name + end - 2, "_v", 2) == 0 ? end - 2 : 0;
}

/* A function of the runtime, not a template of its header, which has a line. The name comes from a symbol table, so it
 * may be anything. */
static int is_runtime_call(const struct cs_source *frame) {
  const char *name = frame->function;
  size_t length = 0;
  while (name && (isalnum((unsigned char)name[length]) || name[length] == '_'))
    length++;
  return name && !frame->file && strncmp(name, "cuda", 4) == 0 && isupper((unsigned char)name[4]) && !name[length];
}

const char *cs_report_call(const char *call, const struct cs_stack *stack, char *to, size_t room) {
  if (!call || strncmp(call, "cu", 2) != 0 || strncmp(call, "cusafe_", 7) == 0)
    return call;
  if (stack->count && is_runtime_call(&stack->frames[0]))
    call = stack->frames[0].function;
  size_t length = strlen(call);
  for (size_t less; (less = without_suffix(call, length));)
    length = less;
  snprintf(to, room, "%.*s", (int)length, call);
  return to;
}

const char *cs_report_allocator(const struct cs_buffer *b, char *to, size_t room) {
  return cs_report_call(b->allocator, &b->allocated_by, to, room);
}
