/* fake_cuda.h: the interface of the fake driver (fake_cuda.c) to test programs. */
#ifndef CUSAFE_HOST_TESTS_FAKE_CUDA_H
#define CUSAFE_HOST_TESTS_FAKE_CUDA_H

#include <stddef.h>

/* An image that the fake driver loads: its variables, and one kernel, which runs on the host when it is launched and
 * has this many parameters of 8 bytes; optionally a second kernel, for names that contain "other". */
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

/* How often the fake driver's functions ran. */
extern int fake_plain_allocs, fake_stream_syncs, fake_context_syncs, fake_newer_allocs;

/* While fake_capturing is set, a call that a stream capture forbids sets fake_capture_broken. */
extern int fake_capturing, fake_capture_broken;

/* While fake_busy is set, work of the legacy stream is under way, and streams that wait for it fill no memory and reach
 * no event. */
extern int fake_busy;

/* The arguments of cuLaunchGrid. */
extern void **fake_arguments;

/* What synchronising calls return from now on. */
extern int fake_failure;

#endif
