/* checked.h: the list of checked modules that are loaded. */
#ifndef CUSAFE_HOST_MODULES_CHECKED_H
#define CUSAFE_HOST_MODULES_CHECKED_H

#include "host/modules/form.h"
#include "host/modules/loaded.h"
#include "host/modules/ring.h"
#include "host/process/process.h"

struct cs_heat;
struct cs_report_numbers;

/* A checked module in one context. */
struct cs_host_checked {
  struct cs_host_checked *next;
  cs_u32 number;  /* of all modules so far */
  int is_counted; /* it was in the list before */
  struct cs_host_loaded owner;
  struct cs_host_context *context;
  struct cs_module *table;           /* the host's copy of the site table */
  struct cs_report_numbers *numbers; /* of its sites; NULL: not made yet */
  char hash[17];                     /* of the table; "": not computed yet */
  CUdeviceptr state;                 /* struct cs_state */
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
  struct cs_ring *ring;
  cs_u64 ring_device; /* its device address */
  cs_u32 capacity;    /* records that the ring has memory for */
  cs_u32 drained;     /* records read so far */
  cs_u64 errors;      /* errors counted so far */
};

/* A module that has this site table, which belongs to it from now on. It is in no list. NULL when out of memory. */
struct cs_host_checked *cs_host_checked_new(struct cs_host_loaded owner, struct cs_host_context *context,
                                            struct cs_module *table);
void cs_host_checked_delete(struct cs_host_checked *checked);

/* Adds a module that is ready to run. Any thread. */
void cs_host_checked_add(struct cs_host_checked *checked);

/* The first of the list, newest first. The caller holds the lock of drain.c until it has seen the last. */
struct cs_host_checked *cs_host_checked_first(void);

/* Owners are numbers of struct cs_host_loaded.
 *
 * Removes the modules of this owner, or of this context; the other is 0. Returns them as a list. Under drain.c's
 * lock. */
struct cs_host_checked *cs_host_checked_take(cs_u64 owner, const struct cs_host_context *context);

/* How many were added so far; whether the owner has one, in this context or (NULL) in any. Any thread. */
cs_u32 cs_host_checked_count(void);
int cs_host_is_checked(cs_u64 owner, const struct cs_host_context *context);

/* The owner of the module with this number, if it is in this context and has this ring; one without a number otherwise.
 * Any thread. */
struct cs_host_loaded cs_host_checked_owner(cs_u32 number, const struct cs_host_context *context, cs_u64 ring_device);

/* A copy of the form of this kernel in a module of the owner, which the caller frees; NULL if there is none. Any
 * thread. */
struct cs_host_form *cs_host_checked_form(cs_u64 owner, const char *kernel);

/* The number of a site among those with its fingerprint (report/numbers.h), or 0. Under drain.c's lock. */
cs_u32 cs_host_checked_number(struct cs_host_checked *checked, cs_u32 site);

/* The hash of its site table, in hexadecimal: it identifies the build of the module. Under drain.c's lock. */
const char *cs_host_checked_hash(struct cs_host_checked *checked);

/* Modules that have checks, but whose errors cannot be read. */
void cs_host_refused_add(void);
cs_u32 cs_host_refused_count(void);

#endif
