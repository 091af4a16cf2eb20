/* rank.c: ranks the locations with one fingerprint by the first place of each source location. */
#include "report/rank.h"
#include <stdlib.h>

static int compare(cs_u64 a, cs_u64 b) {
  return (a > b) - (a < b);
}

static int by_print(const void *a, const void *b) {
  const struct cs_report_ranked *x = a, *y = b;
  int bug = compare(x->print.bug, y->print.bug), lines = compare(x->print.lines, y->print.lines);
  return bug ? bug : lines ? lines : compare(x->place, y->place);
}

/* In rank: the first place with this print. */
static int by_first(const void *a, const void *b) {
  const struct cs_report_ranked *x = a, *y = b;
  int bug = compare(x->print.bug, y->print.bug);
  return bug ? bug : compare(x->rank, y->rank);
}

static int by_place(const void *a, const void *b) {
  const struct cs_report_ranked *x = a, *y = b;
  return compare(x->place, y->place);
}

static void set_first_places(struct cs_report_ranked *all, size_t count) {
  for (size_t i = 0; i < count; i++) {
    int repeats = i && all[i].print.bug == all[i - 1].print.bug && all[i].print.lines == all[i - 1].print.lines;
    all[i].rank = repeats ? all[i - 1].rank : all[i].place;
  }
}

void cs_report_rank(struct cs_report_ranked *all, size_t count) {
  qsort(all, count, sizeof *all, by_print);
  set_first_places(all, count);
  qsort(all, count, sizeof *all, by_first);
  for (size_t i = 0, end; i < count; i = end) {
    cs_u64 first = all[i].rank, rank = 0;
    for (end = i; end < count && all[end].print.bug == all[i].print.bug; end++) {
      rank += all[end].rank != first;
      first = all[end].rank;
      all[end].rank = rank;
    }
    for (size_t k = i; k < end; k++)
      all[k].ranks = rank + 1;
  }
  qsort(all, count, sizeof *all, by_place);
}
