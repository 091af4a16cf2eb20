/* division.h: which buffers are divided (divide.h), and into what. Callers hold the heap's lock. */
#ifndef CUSAFE_HOST_HEAP_DIVISION_H
#define CUSAFE_HOST_HEAP_DIVISION_H

#include "host/heap/buffer.h"
#include "host/heap/shadow.h"

/* A range of a divided buffer. */
struct cs_host_part {
  struct cs_host_node node;          /* by start */
  struct cs_host_part *next, **link; /* of the same buffer; link: what points to this one */
  struct cs_host_heap_buffer known;  /* freed: it has ended, or is poisoned */
  cs_u64 serial;                     /* larger than that of earlier ones */
  int is_alone;                      /* a region: the heap around it refuses its bytes when it ends */
  int is_closing;                    /* poisons a region by its permissions, and ends with it */
};

struct cs_host_divided {
  struct cs_host_node node; /* by the buffer's start */
  cs_u64 bytes;
  struct cs_host_part *first;
  cs_u64 count, sweep_at; /* parts, and how many are worth a search for those that explain nothing any longer */
  int overlaps;           /* parts may overlap: which bytes may be accessed takes a search of all */
  int has_pool;           /* memory of pools is or was hidden */
  int is_unpoisoned;      /* poisoned parts may have been unpoisoned in part */
};

/* Zeroed: no buffer is divided. */
struct cs_host_division {
  struct cs_host_shadow shadow;
  struct cs_host_hash buffers; /* struct cs_host_divided */
  struct cs_host_hash parts;   /* struct cs_host_part */
  cs_u64 serial;
  int any;   /* there are divided buffers; may be read without the lock, as the next */
  int dirty; /* there are bits to flush */
};

/* The divided buffer that starts here, or NULL. */
struct cs_host_divided *cs_host_divided_at(const struct cs_host_division *division, cs_u64 start);

/* Adds a part, whose key is set. Returns 0, or -1 when out of memory. */
int cs_host_divided_add(struct cs_host_division *division, struct cs_host_divided *of, struct cs_host_part *part);
/* Forgets one part. */
void cs_host_divided_remove(struct cs_host_division *division, struct cs_host_divided *of, struct cs_host_part *part);
/* Forgets the parts that the function chooses. */
void cs_host_divided_forget(struct cs_host_division *division, struct cs_host_divided *of,
                            int (*chooses)(const struct cs_host_part *part, const void *data), const void *data);

/* Decides again which bytes of a range may be accessed: those that no part covers, and those whose latest part is a
 * live region. Without memory, all. */
void cs_host_divided_settle(struct cs_host_division *division, struct cs_host_divided *of, cs_u64 start, cs_u64 bytes);

/* The buffer that starts here is gone. */
void cs_host_divided_leave(struct cs_host_division *division, cs_u64 start);

/* Calls visit for the live regions of the buffer that starts here. Returns whether there are any. */
int cs_host_divided_each(const struct cs_host_division *division, cs_u64 start,
                         void (*visit)(const struct cs_host_heap_buffer *region, void *data), void *data);

#endif
