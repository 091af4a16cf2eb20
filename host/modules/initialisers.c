/* initialisers.c: writes bounds into the pointers in initialisers (__cs_pointers in abi.h). */
#include "host/modules/initialisers.h"
#include "host/process/own_stream.h"
#include <stdlib.h>

/* Adjacent pointers, as in tables, are written together. */
enum { MAX_RUN = 64 };

struct writer {
  struct cs_host_loaded image;
  const struct cs_module *table;
  cs_u32 holder;      /* name of the variable that holds the pointers; 0: none yet */
  CUdeviceptr start;  /* of the holder */
  size_t bytes;       /* of the holder; 0: not found */
  CUdeviceptr run_at; /* the pointers still to be written */
  cs_u64 run[MAX_RUN];
  size_t run_count;
};

static int copy_pointers(struct cs_host_loaded image, const struct cs_module *table, struct cs_pointer **copy) {
  CUdeviceptr from;
  size_t bytes, count = table->pointer_count;
  int error = cs_host_find_global(image, CS_SYM_POINTERS, &from, &bytes);
  if (error == CUDA_ERROR_NOT_FOUND || (!error && bytes / sizeof(struct cs_pointer) < count))
    return CUDA_ERROR_INVALID_IMAGE;
  struct cs_pointer *pointers = error ? NULL : malloc(count * sizeof *pointers);
  if (!error)
    error = pointers ? cs_host_own_read(pointers, from, count * sizeof *pointers) : CUDA_ERROR_OUT_OF_MEMORY;
  if (error)
    free(pointers);
  else
    *copy = pointers;
  return error;
}

static int flush(struct writer *w) {
  size_t count = w->run_count;
  w->run_count = 0;
  return count ? cs_host_own_write(w->run_at, w->run, count * sizeof *w->run) : 0;
}

/* A copy may not cross from one variable to the next. */
static int enter_holder(struct writer *w, cs_u32 holder) {
  if (w->holder == holder)
    return 0;
  w->holder = holder;
  const char *name = (const char *)w->table + w->table->string_offset + holder;
  int error = holder < w->table->string_bytes ? cs_host_find_global(w->image, name, &w->start, &w->bytes)
                                              : CUDA_ERROR_NOT_FOUND;
  if (error)
    w->bytes = 0;
  return error && error != CUDA_ERROR_NOT_FOUND ? error : flush(w);
}

static int write_pointer(struct writer *w, const struct cs_pointer *pointer, cs_u32 number) {
  int error = enter_holder(w, pointer->holder);
  if (error)
    return error;
  if (w->bytes < sizeof(cs_u64) || pointer->offset > w->bytes - sizeof(cs_u64))
    return 0;
  CUdeviceptr at = w->start + pointer->offset;
  if (w->run_count == MAX_RUN || w->run_at + w->run_count * sizeof *w->run != at)
    error = flush(w);
  if (!w->run_count)
    w->run_at = at;
  w->run[w->run_count++] = cs_variable_pointer(pointer->target, number);
  return error;
}

int cs_host_initialisers_bound(struct cs_host_loaded image, const struct cs_host_checked *checked) {
  const struct cs_module *table = checked->table;
  struct writer writer = {.image = image, .table = table};
  struct cs_pointer *pointers;
  if (!table->pointer_count || checked->first_object == CS_HOST_OBJECTS)
    return 0;
  int error = copy_pointers(image, table, &pointers);
  if (error)
    return error;
  for (cs_u32 i = 0; i < table->pointer_count && !error; i++)
    if (pointers[i].number < table->object_count)
      error = write_pointer(&writer, &pointers[i], checked->first_object + pointers[i].number);
  free(pointers);
  return error ? error : flush(&writer);
}
