/* module.h: the checked modules of the process and their kernels' names. Any thread. */
#ifndef CUSAFE_HOST_MODULES_MODULE_H
#define CUSAFE_HOST_MODULES_MODULE_H

#include "host/modules/ring.h"
#include "host/process/process.h"

struct cs_heat;

/* A checked module in one context. Never freed: records may name it after it was unloaded. */
struct cs_host_checked {
  cs_u32 number;
  void *owner;                     /* the CUmodule or CUlibrary */
  struct cs_host_context *context; /* NULL once unloaded */
  const struct cs_module *table;   /* the host's copy of the site table */
  CUdeviceptr counts;
  CUdeviceptr checks;     /* where it counts the checks that it executes; 0: it does not */
  cs_u64 checks_executed; /* as it was when it was read last */
  int checks_known;       /* it was read */
  cs_u32 first_object;    /* of its variables in the context's table; CS_HOST_OBJECTS: they are not in it */
  struct cs_host_tally tally;
  CUdeviceptr heat;          /* see heat.h; 0: there is none */
  struct cs_heat *heat_seen; /* as it was read last; heat_entries of them, or NULL */
  cs_u32 heat_entries;
  /* Its ring, shared with the device. Whoever reads these holds the lock of drain.c. */
  struct cs_ring *ring; /* NULL once unloaded */
  cs_u64 ring_device;   /* its address there */
  cs_u32 drained;       /* records read so far */
  cs_u64 errors;        /* errors counted so far */
};

/* What was loaded: a CUmodule, or a CUlibrary. */
struct cs_host_loaded {
  void *owner;
  int is_library;
};
/* Where its variable of this name is in the current context. Returns 0, or -1 if there is none. */
int cs_host_find_global(struct cs_host_loaded image, const char *name, CUdeviceptr *address, size_t *bytes);

/* After a load in the current context: looks for the symbols of abi.h, and tells the module its ring. Returns 0, or a
 * CUresult when the module cannot run in this process. */
int cs_host_module_loaded(CUmodule module);

/* A library is attached in each context that launches, when it launches. */
int cs_host_library_loaded(CUlibrary library);
void cs_host_modules_attach(struct cs_host_context *context);

/* Before an unload: the last counts are read, and what the module shares with the host is taken back. Under drain.c's lock:
 * see cs_host_drain_unloading(). */
void cs_host_module_unloading(void *owner);
void cs_host_modules_of_context_gone(struct cs_host_context *context);

struct cs_host_checked *cs_host_checked_by_number(cs_u32 number);
int cs_host_is_checked(const void *owner);
cs_u32 cs_host_checked_count(void);
cs_u32 cs_host_refused_count(void); /* of those that have checks, and whose errors cannot be read */

/* Reads the module's counts from the device. Returns 0, or -1 if they cannot be read: unloaded, or the context is dead. */
int cs_host_checked_refresh(struct cs_host_checked *checked);
/* Writes the counts that the host knows back to the device, so that errors it has thrown away are recorded when they happen again.
 * Nothing may be running. Returns 0, or -1 as above. */
int cs_host_checked_rearm(const struct cs_host_checked *checked);

/* Checks that were executed so far, in modules that count them. */
struct cs_host_checks {
  cs_u64 executed;
  cs_u32 modules, counting; /* all checked ones; those that count and could be asked */
  cs_u32 silent;            /* those that count, but cannot be asked any more: the device has stopped */
};
struct cs_host_checks cs_host_checks_executed(void);

/* Kernels: the name of a handle, and which ones were launched since the rings were drained. */
void cs_host_kernel_named(void *handle, void *owner, const char *name, int is_library);
void cs_host_kernel_alias(void *function, void *kernel);
struct cs_host_launch_note {
  cs_u32 grid[3], block[3];
  cs_u32 stack; /* see stack.h */
};
/* Whether it is the first launch of this handle. */
int cs_host_kernel_launched(void *handle, const struct cs_host_launch_note *note);
void cs_host_kernels_drained(void);
cs_u64 cs_host_kernel_launches(void);  /* so far */
cs_u64 cs_host_kernels_launched(void); /* how many different ones; those of graphs are not known */
void cs_host_graph_launched(void);     /* counts as one */

/* The launch, since the rings were drained, of this owner's kernel of this name. What differs between several is 0. Returns 0, or -1
 * if there was none. */
int cs_host_kernel_launch_of(const void *owner, const char *name, struct cs_host_launch_note *note);

/* The only kernel that may not have ended, and what is known of its launches; NULL if there may be several. */
const char *cs_host_kernel_unended(struct cs_host_launch_note *note);
/* All have ended, unless there are more launches by now than so many. */
void cs_host_kernels_ended(cs_u64 launched);

/* What is known of a handle: its name (NULL if nothing is), the module or library it is from, and whether it is a CUkernel. */
struct cs_host_kernel_info {
  const char *name;
  void *owner;
  int is_library;
};
struct cs_host_kernel_info cs_host_kernel_info(const void *handle);

/* The kernel of this owner that was launched since, if it was only one; NULL otherwise. */
const char *cs_host_kernel_suspect(const void *owner);

#endif
