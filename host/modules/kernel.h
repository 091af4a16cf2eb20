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
  int is_guess;  /* CuSafe saw neither the kernel's lookup nor the load of its module, and so will not see its end */
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
  cs_u32 grid[3], block[3]; /* of several launches: all 0 if they differ */
  cs_u32 stack;             /* see stack.h */
  int is_captured;          /* it runs when its graph is launched */
};
/* Counts a launch. Returns whether it is the first one of this handle. */
int cs_host_kernel_launched(void *handle, const struct cs_host_launch_note *note);
/* The launch repeats an earlier one: counts it, and notes that it may still run. */
void cs_host_kernel_repeated(void *handle, const struct cs_host_launch_note *note);
/* Launches that were counted, and those of them that have reached the driver. For launch/repeat.h. */
extern struct cs_host_kernel_counts {
  cs_u64 begun, queued;
} cs_host_kernel_counts __attribute__((visibility("hidden")));
void cs_host_kernels_drained(void);
cs_u64 cs_host_kernel_launches(void);    /* so far */
cs_u64 cs_host_kernel_repetitions(void); /* those of launch/repeat.h among them */
cs_u64 cs_host_kernels_launched(void);   /* different kernels; those of graphs are not counted */

/* Counts the launch of a graph, as one. kernels: those of its nodes (graph_kernels.h), or NULL. note: without grid and
 * block. */
struct cs_host_graph_kernels;
void cs_host_graph_launched(struct cs_host_graph_kernels *kernels, const struct cs_host_launch_note *note);

/* The launches of one kernel since the rings were drained, each place once. */
enum { CS_HOST_LAUNCH_PLACES = 8 };
struct cs_host_launch_place {
  struct cs_host_launch_note note; /* of a graph: its launch, without grid and block */
  cs_u64 count;
  int is_graph;
  cs_u32 node; /* where the graph's node was captured or added: a stack, or 0 */
};
struct cs_host_launches {
  struct cs_host_launch_place places[CS_HOST_LAUNCH_PLACES];
  cs_u32 used;
  cs_u64 others;  /* launches at further places */
  int is_earlier; /* there is none: its last ones before that, which may run for longer */
};
/* Those of this owner's kernel of this name; if there is none, the launches of graphs, whose kernels the program may
 * have changed. */
void cs_host_kernel_launches_of(cs_u64 owner, const char *name, struct cs_host_launches *launches);
/* The names of the kernels of this owner that were launched since the rings were drained, also in graphs, as far as
 * there is room. Returns how many there are. */
size_t cs_host_kernel_suspects(cs_u64 owner, const char **names, size_t room);

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

#endif
