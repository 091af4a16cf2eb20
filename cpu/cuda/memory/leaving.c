/* leaving.c: the list of ranges that leave when the work submitted before has ended, oldest first. */
#include "cpu/cuda/memory/leaving.h"
#include "cpu/cuda/work/devices.h"
#include "cpu/cuda/work/executor.h"

static struct cs_cpu_leaving *first, **last = &first; /* under cs_cpu_memory_lock() */

void cs_cpu_leaving_add(struct cs_cpu_leaving *leaving) {
  for (int i = 0; i < cs_cpu_device_count(); i++)
    leaving->tickets[i] = cs_cpu_submitted(cs_cpu_device_at(i));
  leaving->next = NULL;
  *last = leaving;
  last = &leaving->next;
}

static int is_done(const struct cs_cpu_leaving *leaving) {
  int done = 1;
  for (int i = 0; i < cs_cpu_device_count(); i++)
    done &= cs_cpu_done(cs_cpu_device_at(i), leaving->tickets[i]);
  return done;
}

static int overlap(const struct cs_cpu_leaving *list, uint64_t start, size_t size) {
  while (list && (list->start >= start + size || start >= list->start + list->size))
    list = list->next;
  return list != NULL;
}

int cs_cpu_leaving_any(void) {
  return first != NULL;
}

int cs_cpu_leaving_overlaps(uint64_t start, size_t size) {
  return overlap(first, start, size);
}

/* Work ends in the order of the list. A range that was mapped and unmapped again leaves with its last unmapping. */
void cs_cpu_leaving_collect(void) {
  struct cs_cpu_leaving *in_use = first, **slot = &first;
  while (in_use && is_done(in_use))
    in_use = in_use->next;
  while (*slot != in_use) {
    struct cs_cpu_leaving *leaving = *slot;
    if (overlap(in_use, leaving->start, leaving->size)) {
      slot = &leaving->next;
      continue;
    }
    *slot = leaving->next;
    if (!*slot)
      last = slot;
    leaving->leave(leaving);
  }
}
