/* declared.c: finds the pointers that the mangled name of a C++ function declares. PTX has the names of kernels, but
 * not the types of their parameters. */
#include "lift/declared.h"
#include <stdlib.h>
#include <string.h>

/* Of the C++ library, which LLVM needs too. */
char *__cxa_demangle(const char *name, char *buffer, size_t *length,
                     int *status); // NOLINT(bugprone-reserved-identifier)

struct text {
  const char *start, *end;
};

static int ends_with(struct text t, const char *ending) {
  size_t length = strlen(ending);
  return (size_t)(t.end - t.start) >= length && memcmp(t.end - length, ending, length) == 0;
}

/* The start of the list of parameters, after its bracket; NULL: the name ends in another way. */
static const char *list_of(const char *name) {
  const char *end = name + strlen(name);
  unsigned depth = 0;
  if (end == name || end[-1] != ')')
    return NULL;
  while (end-- > name) {
    depth += *end == ')';
    depth -= *end == '(';
    if (depth == 0)
      return end + 1;
  }
  return NULL;
}

/* An expression in a type may have < and > that enclose nothing. */
static int has_expression(const char *list) {
  return strstr(list, "decltype") || strstr(list, "operator") || strstr(list, "->");
}

/* "int X::*" is an offset, and "int (*)(int)" the address of a function. */
static int is_pointer_to_object(struct text type) {
  if (ends_with(type, "]"))
    return memmem(type.start, (size_t)(type.end - type.start), "(*) [", 5) ||
           memmem(type.start, (size_t)(type.end - type.start), "(&) [", 5);
  return ends_with(type, "&") || (ends_with(type, "*") && !ends_with(type, "::*"));
}

/* The type that the text starts with: up to a comma or bracket outside of all brackets. */
static struct text next_type(const char *at) {
  struct text type = {at, at};
  for (unsigned depth = 0;; type.end++) {
    if (*type.end == '\0' || (depth == 0 && strchr(",)", *type.end)))
      return type;
    if (strchr("(<[{", *type.end))
      depth++;
    else if (strchr(")>]}", *type.end))
      depth--;
  }
}

/* Returns how many types the list has; more than max: there are more. */
static unsigned read_list(const char *at, unsigned char *is_pointer, unsigned max) {
  unsigned count = 0;
  for (struct text type = next_type(at); type.start != type.end; type = next_type(at)) {
    if (count < max)
      is_pointer[count] = (unsigned char)is_pointer_to_object(type);
    count++;
    if (*type.end != ',')
      break;
    at = type.end + 1 + strspn(type.end + 1, " ");
  }
  return count;
}

void cs_lift_read_declared(const char *mangled, unsigned char *is_pointer, unsigned count) {
  int status = -1;
  char *name = strncmp(mangled, "_Z", 2) == 0 ? __cxa_demangle(mangled, NULL, NULL, &status) : NULL;
  const char *list = name ? list_of(name) : NULL;
  unsigned char *found = calloc(count + 1, 1);
  if (found && list && !has_expression(list) && read_list(list, found, count) == count)
    for (unsigned k = 0; k < count; k++)
      is_pointer[k] |= found[k];
  free(found);
  free(name);
}
