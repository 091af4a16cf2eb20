/* kernel.h: the names of kernel handles, and which kernels were launched since the rings were drained. Any thread. */
#ifndef CUSAFE_HOST_MODULES_KERNEL_H
#define CUSAFE_HOST_MODULES_KERNEL_H

#include "cusafe/layout.h"

/* The name of a kernel handle. owner: its module or library. */
void cs_host_kernel_named(void *handle, void *owner, const char *name, int is_library);
/* function is the CUfunction of this CUkernel. */
void cs_host_kernel_alias(void *function, void *kernel);
/* The module or library is gone, and its handles with it. */
void cs_host_kernels_forget(const void *owner);

struct cs_host_launch_note {
  cs_u32 grid[3], block[3];
  cs_u32 stack; /* see stack.h */
};
/* Counts a launch. Returns whether it is the first one of this handle. */
int cs_host_kernel_launched(void *handle, const struct cs_host_launch_note *note);
void cs_host_kernels_drained(void);
cs_u64 cs_host_kernel_launches(void);  /* so far */
cs_u64 cs_host_kernels_launched(void); /* different kernels; those of graphs are unknown */
void cs_host_graph_launched(void);     /* counts as one launch */

/* The launch, since the rings were drained, of this owner's kernel of this name. Fields that differ between several launches are
 * 0. Returns 0, or -1 if there was none. */
int cs_host_kernel_launch_of(const void *owner, const char *name, struct cs_host_launch_note *note);

/* The only kernel that may still run, and what its launches have in common; NULL if there may be several. */
const char *cs_host_kernel_unfinished(struct cs_host_launch_note *note);
/* A launch that was counted has reached the driver, or was refused. */
void cs_host_kernel_queued(void);
/* How many launches were counted, if all of them have reached the driver; CS_HOST_LAUNCHING otherwise. */
#define CS_HOST_LAUNCHING (~0ull)
cs_u64 cs_host_kernels_queued(void);
/* The device has ended all work since cs_host_kernels_queued() returned this number. */
void cs_host_kernels_ended(cs_u64 queued);
/* Whether no kernel can run: none was launched since. */
int cs_host_kernels_idle(void);
/* All kernels have finished, unless the number of launches has changed since it was `launched`. */
void cs_host_kernels_finished(cs_u64 launched);

/* What is known of a handle: its name (NULL if unknown), its module or library, and whether it is a CUkernel. */
struct cs_host_kernel_info {
  const char *name;
  void *owner;
  int is_library;
};
struct cs_host_kernel_info cs_host_kernel_info(const void *handle);

/* The kernel of this owner that was launched since the rings were drained, if it was only one; NULL otherwise. */
const char *cs_host_kernel_suspect(const void *owner);

#endif
