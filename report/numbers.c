/* numbers.c: the sites of a table in buckets, each of which is numbered when a finding needs it: names are demangled
 * for the sites that may have the same fingerprint, not for the whole module. */
#include "report/numbers.h"
#include "report/arena.h"
#include "report/rank.h"
#include "report/sites.h"
#include <stdlib.h>
#include <string.h>

struct cs_report_numbers {
  struct cs_report_sites sites;
  cs_u32 mask;     /* of the buckets */
  cs_u32 *buckets; /* the first site of each, or CS_NONE */
  cs_u32 *next;    /* by site: the next one of its bucket, in the order of the table; or CS_NONE */
  cs_u32 *of_site; /* 0: its bucket is not numbered yet */
};

/* The direction that a finding at the site has; the diagnosis drops it for indices and frees (judge.c). */
static cs_u32 direction(const struct cs_site *site) {
  if (site->check == CS_CHECK_FREE)
    return CS_ACCESS_COUNT + 1;
  return site->check == CS_CHECK_FIELD && site->memory == CS_MEMORY_UNKNOWN ? CS_ACCESS_COUNT : site->access;
}

/* The same for sites with the same fingerprint: the direction, and the column of the innermost user's frame. */
static cs_u32 bucket_of(const struct cs_report_numbers *n, const struct cs_site *site) {
  struct cs_frame frame;
  cs_u32 column = 0, index = site->frame;
  for (size_t left = cs_report_sites_depth(&n->sites, index, CS_REPORT_DEPTH_MAX); left; left--) {
    cs_report_sites_frame(&n->sites, index, &frame);
    if (*cs_report_sites_string(&n->sites, frame.file) && frame.line && !(frame.flags & CS_FRAME_TOOLKIT)) {
      column = frame.column + 1;
      break;
    }
    index = frame.parent;
  }
  return ((column * 8 + direction(site)) * 0x9e3779b1u >> 7) & n->mask;
}

static void fill_buckets(struct cs_report_numbers *n) {
  struct cs_site site;
  for (cs_u32 i = 0; i <= n->mask; i++)
    n->buckets[i] = CS_NONE;
  for (cs_u32 i = n->sites.header.site_count; i-- > 0;) {
    cs_report_sites_site(&n->sites, i, &site);
    cs_u32 bucket = bucket_of(n, &site);
    n->next[i] = n->buckets[bucket];
    n->buckets[bucket] = i;
  }
}

struct cs_report_numbers *cs_report_numbers_new(const struct cs_module *table, size_t bytes) {
  struct cs_report_numbers *n = calloc(1, sizeof *n);
  if (!n || cs_report_sites_open(&n->sites, table, bytes)) {
    free(n);
    return NULL;
  }
  size_t count = n->sites.header.site_count;
  n->mask = 255;
  n->buckets = malloc((n->mask + 1) * sizeof *n->buckets);
  n->next = calloc(count + 1, sizeof *n->next);
  n->of_site = calloc(count + 1, sizeof *n->of_site);
  if (!n->buckets || !n->next || !n->of_site) {
    cs_report_numbers_delete(n);
    return NULL;
  }
  fill_buckets(n);
  return n;
}

void cs_report_numbers_delete(struct cs_report_numbers *n) {
  if (!n)
    return;
  free(n->buckets);
  free(n->next);
  free(n->of_site);
  free(n);
}

/* The site itself, if it has no lines: they would distinguish it. Returns 0, or -1 when out of memory. */
static int fill_member(const struct cs_report_numbers *n, cs_u32 index, struct cs_report_ranked *m) {
  struct cs_site site;
  struct cs_stack stack = {0};
  void *arena = NULL;
  cs_report_sites_site(&n->sites, index, &site);
  int result = cs_report_sites_stack(&n->sites, site.frame, &arena, &stack);
  m->place = index;
  m->print = cs_report_fingerprint_of_stack(&stack);
  m->print.bug = (m->print.bug ^ direction(&site)) * 0x100000001b3ull;
  int has_line = 0;
  for (size_t i = 0; i < stack.count; i++)
    has_line |= stack.frames[i].line != 0;
  if (!has_line)
    m->print.lines = index;
  cs_report_arena_release(&arena);
  return result;
}

static void number_bucket(struct cs_report_numbers *n, cs_u32 first) {
  size_t count = 0, filled = 0;
  for (cs_u32 i = first; i != CS_NONE; i = n->next[i])
    count++;
  struct cs_report_ranked *members = calloc(count + 1, sizeof *members);
  for (cs_u32 i = first; members && i != CS_NONE; i = n->next[i], filled++)
    if (fill_member(n, i, &members[filled]))
      break;
  if (members && filled == count) {
    cs_report_rank(members, count);
    for (size_t i = 0; i < count; i++)
      n->of_site[members[i].place] = (cs_u32)members[i].rank + 1;
  }
  free(members);
}

cs_u32 cs_report_number(struct cs_report_numbers *n, cs_u32 index) {
  struct cs_site site;
  if (cs_report_sites_site(&n->sites, index, &site))
    return 0;
  if (!n->of_site[index])
    number_bucket(n, n->buckets[bucket_of(n, &site)]);
  return n->of_site[index];
}
