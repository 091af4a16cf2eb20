/* texts.c: the kernels of PTX modules that are not lifted whole, each lifted with what it reaches. */
#include "cpu/cuda/code/texts.h"
#include "cpu/cuda/base/refused.h"
#include "cpu/cuda/code/lift.h"
#include "ptx/parts.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct cs_cpu_texts {
  char **ptx; /* copies */
  size_t count;
  struct cs_ptx_parts *parts;
  atomic_uchar *refused; /* for each kernel: it cannot be lifted, and the reason was printed */
};

static int copy(struct cs_cpu_texts *t, const char *const *ptx, size_t count) {
  if (!(t->ptx = calloc(count, sizeof *t->ptx)))
    return -1;
  while (t->count < count && (t->ptx[t->count] = strdup(ptx[t->count])))
    t->count++;
  return t->count == count ? 0 : -1;
}

struct cs_cpu_texts *cs_cpu_texts_open(const char *const *ptx, size_t count) {
  struct cs_cpu_texts *t = calloc(1, sizeof *t);
  size_t kernels = 0;
  if (t && !copy(t, ptx, count) && (t->parts = cs_ptx_parts_open((const char *const *)t->ptx, count))) {
    cs_ptx_parts_kernels(t->parts, &kernels);
    if ((t->refused = calloc(kernels + 1, sizeof *t->refused)))
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
  for (size_t i = 0; i < t->count; i++)
    free(t->ptx[i]);
  free(t->ptx);
  free(t);
}

int cs_cpu_texts_are_complete(const struct cs_cpu_texts *t) {
  return cs_ptx_parts_are_complete(t->parts);
}

const char *const *cs_cpu_texts_kernels(const struct cs_cpu_texts *t, size_t *count) {
  *count = 0;
  return t ? cs_ptx_parts_kernels(t->parts, count) : NULL;
}

static CUresult lift(struct cs_ptx_part part, int is_kernel, void **image) {
  CUresult result = part.count ? cs_cpu_lift((const char *const *)part.texts, part.count, is_kernel, image)
                               : CUDA_ERROR_OUT_OF_MEMORY;
  cs_ptx_part_free(&part);
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
