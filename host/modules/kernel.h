/* kernel.h: the names of kernel handles, and which kernels were launched since the rings were drained. Any thread. */
#ifndef CUSAFE_HOST_MODULES_KERNEL_H
#define CUSAFE_HOST_MODULES_KERNEL_H

#include "host/modules/loaded.h"
#include "host/process/context.h"

/* What is known of a handle. The driver may give the handle to another kernel later, which then has another number. */
struct cs_host_kernel_info {
  const char *name; /* NULL: the handle is unknown */
  struct cs_host_loaded owner;
  int is_library;                        /* a CUkernel */
  const struct cs_host_context *context; /* of a CUfunction; no context owns a CUkernel */
  int is_guess; /* CuSafe saw neither the lookup of the kernel nor the load of its module, and so will not see its end */
  cs_u64 number; /* of all handles so far */
};
struct cs_host_kernel_info cs_host_kernel_info(const void *handle);

/* The driver has given out this handle. The number is not read. */
void cs_host_kernel_named(void *handle, const struct cs_host_kernel_info *kernel);
/* function is the CUfunction of this CUkernel in the context. */
void cs_host_kernel_alias(void *function, void *kernel, const struct cs_host_context *context);
/* The module or library of this number is gone, or the context, and their handles with them. */
void cs_host_kernels_forget(cs_u64 owner);
void cs_host_kernels_forget_context(const struct cs_host_context *context);

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
int cs_host_kernel_launch_of(cs_u64 owner, const char *name, struct cs_host_launch_note *note);

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

/* The kernel of this owner that was launched since the rings were drained, if it was only one; NULL otherwise. */
const char *cs_host_kernel_suspect(cs_u64 owner);

#endif
