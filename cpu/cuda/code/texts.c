/* texts.c: the kernels of a PTX module that is not lifted whole, each lifted with what it reaches. */
#include "cpu/cuda/code/texts.h"
#include "cpu/cuda/base/refused.h"
#include "cpu/cuda/code/lift.h"
#include "ptx/parts.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct cs_cpu_texts {
  char *text; /* a copy */
  struct cs_ptx_parts *parts;
  atomic_uchar *refused; /* for each kernel: it cannot be lifted, and the reason was printed */
};

struct cs_cpu_texts *cs_cpu_texts_open(const char *text) {
  struct cs_cpu_texts *t = calloc(1, sizeof *t);
  size_t count = 0;
  if (t && (t->text = strdup(text)) && (t->parts = cs_ptx_parts_open(t->text))) {
    cs_ptx_parts_kernels(t->parts, &count);
    if ((t->refused = calloc(count + 1, sizeof *t->refused)))
      return t;
  }
  cs_cpu_texts_close(t);
  return NULL;
}

void cs_cpu_texts_close(struct cs_cpu_texts *t) {
  if (!t)
    return;
  cs_ptx_parts_close(t->parts);
  free(t->refused);
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

CUresult cs_cpu_texts_kernel(const struct cs_cpu_texts *t, const char *name, void **image) {
  size_t count, i = 0;
  const char *const *names = cs_cpu_texts_kernels(t, &count);
  while (i < count && strcmp(names[i], name) != 0)
    i++;
  if (i == count)
    return CUDA_ERROR_NOT_FOUND;
  if (atomic_load(&t->refused[i]))
    return cs_cpu_refuse(CUDA_ERROR_INVALID_PTX);
  CUresult result = lift(cs_ptx_parts_kernel(t->parts, name), 1, image);
  atomic_store(&t->refused[i], result == CUDA_ERROR_INVALID_PTX);
  return result;
}
