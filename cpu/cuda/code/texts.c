/* texts.c: the kernels of a large PTX module, each lifted with what it reaches. */
#include "cpu/cuda/code/texts.h"
#include "cpu/cuda/code/lift.h"
#include "ptx/parts.h"
#include <stdlib.h>
#include <string.h>

struct cs_cpu_texts {
  char *text; /* a copy */
  struct cs_ptx_parts *parts;
};

struct cs_cpu_texts *cs_cpu_texts_open(const char *text) {
  struct cs_cpu_texts *t = calloc(1, sizeof *t);
  if (t && (t->text = strdup(text)) && (t->parts = cs_ptx_parts_open(t->text)))
    return t;
  cs_cpu_texts_close(t);
  return NULL;
}

void cs_cpu_texts_close(struct cs_cpu_texts *t) {
  if (!t)
    return;
  cs_ptx_parts_close(t->parts);
  free(t->text);
  free(t);
}

const char *const *cs_cpu_texts_kernels(const struct cs_cpu_texts *t, size_t *count) {
  *count = 0;
  return t ? cs_ptx_parts_kernels(t->parts, count) : NULL;
}

static CUresult lift(char *text, int part, void **image) {
  CUresult result = text ? cs_cpu_lift((const char *const *)&text, 1, part, image) : CUDA_ERROR_OUT_OF_MEMORY;
  free(text);
  return result;
}

CUresult cs_cpu_texts_variables(const struct cs_cpu_texts *t, void **image) {
  return lift(cs_ptx_parts_variables(t->parts), 0, image);
}

static int has_kernel(const struct cs_cpu_texts *t, const char *name) {
  size_t count;
  const char *const *names = cs_cpu_texts_kernels(t, &count);
  for (size_t i = 0; i < count; i++)
    if (strcmp(names[i], name) == 0)
      return 1;
  return 0;
}

CUresult cs_cpu_texts_kernel(const struct cs_cpu_texts *t, const char *name, void **image) {
  return has_kernel(t, name) ? lift(cs_ptx_parts_kernel(t->parts, name), 1, image) : CUDA_ERROR_NOT_FOUND;
}
