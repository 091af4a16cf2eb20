/* checked.h: the list of checked modules, by number. Any thread. */
#ifndef CUSAFE_HOST_MODULES_CHECKED_H
#define CUSAFE_HOST_MODULES_CHECKED_H

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
  CUdeviceptr checks;     /* the module's counter of executed checks; 0: it has none */
  cs_u64 checks_executed; /* the counter when it was last read */
  int checks_known;       /* it was read */
  cs_u32 first_object;    /* of its variables in the context's table; CS_HOST_OBJECTS: they are not in it */
  struct cs_host_tally tally;
  CUdeviceptr heatmap;          /* see heatmap.h; 0: there is none */
  struct cs_heat *heatmap_copy; /* as last read: heatmap_entries of them, or NULL */
  cs_u32 heatmap_entries;
  /* The ring that the module shares with the device. Readers hold the lock of drain.c. */
  struct cs_ring *ring; /* NULL once unloaded */
  cs_u64 ring_device;   /* its device address */
  cs_u32 drained;       /* records read so far */
  cs_u64 errors;        /* errors counted so far */
};

/* Adds a module that has this site table. NULL when the list is full, or out of memory. */
struct cs_host_checked *cs_host_checked_add(void *owner, struct cs_host_context *context, struct cs_module *table);

struct cs_host_checked *cs_host_checked_by_number(cs_u32 number);
cs_u32 cs_host_checked_count(void);
int cs_host_is_checked(const void *owner);

/* Modules that have checks, but whose errors cannot be read. */
void cs_host_refused_add(void);
cs_u32 cs_host_refused_count(void);

#endif
