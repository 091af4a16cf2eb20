/* fake_cuda.h: what a test's program may know of the fake driver (fake_cuda.c). */
#ifndef CUSAFE_HOST_TESTS_FAKE_CUDA_H
#define CUSAFE_HOST_TESTS_FAKE_CUDA_H

#include <stddef.h>

/* An image that the fake driver loads: its variables, and one kernel, which runs on the host when it is launched and has
 * this many parameters of 8 bytes; and perhaps a second one, for names with "other" in them. */
struct fake_image {
  struct {
    const char *name;
    void *address;
    size_t bytes;
  } globals[4];
  void (*kernel)(void **parameters);
  int parameters;
  void (*other)(void **parameters);
};

/* Which of the fake driver's functions ran, by how often. */
extern int fake_plain_allocs, fake_stream_syncs, fake_context_syncs, fake_newer_allocs;

/* What synchronising calls return from now on. */
extern int fake_failure;

#endif
