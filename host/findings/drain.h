/* drain.h: from the device's records, and from errors that the host found, to findings on the report stream.
 *
 * One lock, drain.c's, serialises all reporting. With on_error=halt these functions do not return once an error was
 * found: the process ends with exitcode. */
#ifndef CUSAFE_HOST_FINDINGS_DRAIN_H
#define CUSAFE_HOST_FINDINGS_DRAIN_H

#include "host/findings/finding.h"

/* Reads all rings. Cheap when they hold nothing new. */
void cs_host_drain(void);

/* Whether the device has written anything that was not read yet. Never waits. */
int cs_host_drain_pending(void);
/* Whether a thread of the device waits for the host to read its record (stop.h). Never waits. */
int cs_host_drain_awaited(void);
/* Reads the records of kernels that still run, without their counts: reading those would wait for the kernels. */
void cs_host_drain_running(void);

/* Reads all rings, and then deletes the modules of the owner with this number (loaded.h). */
void cs_host_drain_unloading(cs_u64 owner);

/* A call that may destroy this context (NULL: none) also frees its rings, which other threads may be reading. Before
 * it: reads them, and takes them from the list. After it: they are back in the list, or deleted. */
struct cs_host_hidden {
  struct cs_host_context *context;
  struct cs_host_checked *modules;
  cs_u64 *bell;
};
struct cs_host_hidden cs_host_drain_hide(struct cs_host_context *context);
void cs_host_drain_show(struct cs_host_hidden hidden);
void cs_host_drain_gone(struct cs_host_hidden hidden);

/* From now on, errors in kernels are discarded (1), or count again (0). Nothing may be running. */
void cs_host_drain_ignore(int ignore);

/* Waits until the report files have what was reported so far, for this time at most. Returns 0, or -1 if they have
 * not. */
int cs_host_drain_written(int milliseconds);

/* The process ends: skips unfinished records, and prints the totals once. */
void cs_host_drain_last(void);

/* The process ends without exit handlers: as above, but waits for nothing and does not search for leaks. */
void cs_host_drain_leaving(void);

/* Errors that the host found. Each stack is reported once, and then only counted. */
void cs_host_found_invalid_free(cs_u64 address, const char *call, cs_u32 stack);
void cs_host_found_api(const struct cs_host_api_error *error);
void cs_host_found_argument(const struct cs_host_argument_error *error);
/* Only the first fault is reported, and only if no earlier error explains it. */
void cs_host_found_fault(const struct cs_host_fault_error *error);
/* The changes next to buffers that were found so far; not if errors that were carried out may have changed the
 * bytes. */
void cs_host_found_canaries(void);
void cs_host_found_order(cs_u64 start, const char *call, cs_u32 use, cs_u32 stack);
void cs_host_found_leaks(void);

/* Whether any error that counts was found so far. Takes no lock. */
int cs_host_found_any(void);

#endif
