/* diagnose.c: from evidence to finding. Pure: no I/O, no globals. */
#include "report/arena.h"
#include "report/call.h"
#include "report/demangle.h"
#include "report/finding.h"
#include "report/fingerprint.h"
#include "report/heatmap.h"
#include "report/judge.h"
#include "report/sites.h"
#include <string.h>

static const char *name_or_null(struct cs_finding *f, const char *mangled) {
  return mangled && *mangled ? cs_report_demangle(&f->memory, mangled) : NULL;
}

/* Without its name, the kernels that it may have been. */
static int fill_kernels(struct cs_finding *f, const struct cs_access_evidence *e) {
  if (f->kernel || !e->kernel_count)
    return 0;
  f->kernels = cs_report_arena_new(&f->memory, e->kernel_count * sizeof *f->kernels);
  if (!f->kernels)
    return -1;
  for (size_t i = 0; i < e->kernel_count; i++)
    if ((f->kernels[f->kernel_count] = name_or_null(f, e->kernels[i])))
      f->kernel_count++;
  f->kernels_more = e->kernels_more;
  return 0;
}

static int fill_frames(struct cs_finding *f, const struct cs_report_sites *sites, const struct cs_site *site,
                       const struct cs_recorded *at) {
  if (cs_report_sites_stack(sites, site->frame, &f->memory, &f->where))
    return -1;
  struct cs_source *frames = (struct cs_source *)f->where.frames; /* the arena's */
  for (size_t i = 0; i < f->where.count; i++) {
    frames[i].build = at->module_hash;
    frames[i].site = at->record->site;
  }
  return 0;
}

/* Everything that the site table has on the access. */
static int fill_site(struct cs_finding *f, const struct cs_report_sites *sites, const struct cs_site *site,
                     const struct cs_recorded *at) {
  f->access = site->access < CS_ACCESS_COUNT ? (enum cs_access)site->access : CS_ACCESS_COUNT;
  f->size = f->size ? f->size : site->size;
  f->memory_kind = site->memory < CS_MEMORY_COUNT ? (enum cs_memory)site->memory : CS_MEMORY_UNKNOWN;
  int has_use = site->check == CS_CHECK_INIT || site->check == CS_CHECK_MASK || site->check == CS_CHECK_MBARRIER;
  const char **name = has_use ? &f->use : &f->object;
  *name = name_or_null(f, cs_report_sites_string(sites, site->object));
  if (site->check == CS_CHECK_INIT && f->access == CS_ACCESS_READ)
    f->use = "a load"; /* itself, with init=load: the name is that of a local variable */
  f->kernel = f->kernel ? f->kernel : name_or_null(f, cs_report_sites_string(sites, site->kernel));
  return fill_frames(f, sites, site, at);
}

/* The access that a race is with, the other place where threads wait, or the load of an uninitialised value, in the
 * same module. is_use: of such a value, which a thread of the same block has loaded. */
static int fill_other(struct cs_finding *f, const struct cs_report_sites *sites, const struct cs_record *record,
                      int is_use) {
  struct cs_other_access *other = cs_report_arena_new(&f->memory, sizeof *other);
  struct cs_site site;
  if (!other)
    return -1;
  *other = (struct cs_other_access){.access = CS_ACCESS_COUNT};
  memcpy(other->block, is_use ? record->block : record->other_block, sizeof other->block);
  memcpy(other->thread, is_use && !record->size ? record->thread : record->other_thread, sizeof other->thread);
  f->other = other;
  if (cs_report_sites_site(sites, record->other_site, &site))
    return 0;
  other->access = site.access < CS_ACCESS_COUNT ? (enum cs_access)site.access : CS_ACCESS_COUNT;
  other->size = site.size;
  return cs_report_sites_stack(sites, site.frame, &f->memory, &other->where);
}

/* The variable that was never written: the device has found it by the address, or the load is of a local variable. */
static void fill_variable(struct cs_finding *f, const struct cs_report_sites *sites, const struct cs_record *record) {
  struct cs_site site;
  cs_u32 number = record->variable_site ? record->variable_site - 1 : record->other_site;
  int is_known = cs_report_sites_site(sites, number, &site) == 0;
  if (!is_known || site.memory >= CS_MEMORY_COUNT || site.memory == CS_MEMORY_UNKNOWN)
    return;
  f->memory_kind = (enum cs_memory)site.memory;
  f->object = name_or_null(f, cs_report_sites_string(sites, site.object));
}

/* Without a readable table the finding has no source lines. */
static int diagnose_record(struct cs_finding *f, const struct cs_evidence *e) {
  const struct cs_recorded *at = &e->access.at;
  const struct cs_record *record = at->record;
  const struct cs_heat *heat = e->access.heat;
  struct cs_report_sites sites;
  struct cs_site site = {.access = CS_ACCESS_COUNT};
  f->access = CS_ACCESS_COUNT;
  f->address = record->address;
  f->size = record->size;
  f->root = record->root;
  memcpy(f->block, record->block, sizeof f->block);
  memcpy(f->thread, record->thread, sizeof f->thread);
  f->heat = heat && cs_report_heatmap_is_sound(heat) ? heat : NULL;
  if (cs_report_sites_open(&sites, at->module, at->module_bytes) == 0) {
    f->directory = cs_report_sites_string(&sites, sites.header.directory);
    if (cs_report_sites_site(&sites, record->site, &site) == 0 && fill_site(f, &sites, &site, at) != 0)
      return -1;
    int may_have_other = site.check == CS_CHECK_INIT || site.check == CS_CHECK_WAIT || site.check == CS_CHECK_MASK ||
                         site.check == CS_CHECK_MBARRIER;
    int has_other = site.check == CS_CHECK_RACE || site.check == CS_CHECK_BARRIER ||
                    (may_have_other && record->other_site != CS_NONE);
    if (has_other && fill_other(f, &sites, record, site.check == CS_CHECK_INIT) != 0)
      return -1;
    if (site.check == CS_CHECK_INIT)
      fill_variable(f, &sites, record);
  }
  if (fill_kernels(f, &e->access))
    return -1;
  return cs_report_judge_record(f, e, &site);
}

static void diagnose_free(struct cs_finding *f, const struct cs_evidence *e) {
  f->address = e->free.pointer;
  cs_report_judge_free(f);
}

static void diagnose_api(struct cs_finding *f, const struct cs_evidence *e) {
  const struct cs_api_evidence *api = &e->api;
  f->access = api->access < CS_ACCESS_COUNT ? api->access : CS_ACCESS_COUNT;
  f->address = api->address;
  f->size = api->size;
  if (api->variable) {
    f->memory_kind = api->variable_memory;
    f->object = name_or_null(f, api->variable);
    f->object_start = api->variable_start;
    f->object_bytes = api->variable_bytes;
  }
  cs_report_judge_api(f);
}

static void diagnose_leak(struct cs_finding *f, const struct cs_evidence *e) {
  f->kind = CS_KIND_LEAK;
  f->size = e->leak.bytes;
  if (f->own) {
    f->address = f->own->start;
    f->size = f->size ? f->size : f->own->size;
    f->where = f->own->allocated_by;
  }
}

static void diagnose_argument(struct cs_finding *f, const struct cs_evidence *e) {
  f->address = e->argument.pointer;
  f->argument = e->argument.index;
  cs_report_judge_argument(f, e->argument.is_host);
}

/* A single launch that may have written there is the location. */
static void diagnose_canary(struct cs_finding *f, const struct cs_evidence *e) {
  f->access = CS_ACCESS_WRITE;
  f->address = e->canary.address;
  f->size = e->canary.size;
  f->launches = e->canary.launches;
  if (f->launches == 1 && e->launch && e->launch->stack.count)
    f->where = e->launch->stack;
  cs_report_judge_canary(f);
}

static void diagnose_fault(struct cs_finding *f, const struct cs_evidence *e) {
  f->kind = e->fault.is_misaligned ? CS_KIND_MISALIGNED : CS_KIND_WILD_POINTER;
}

/* A host event: its stack is the location, and the pointer passed is the only one. */
static void diagnose_host(struct cs_finding *f, const struct cs_evidence *e) {
  static void (*const parts[])(struct cs_finding *, const struct cs_evidence *) = {
      [CS_EVENT_FREE] = diagnose_free,         [CS_EVENT_API] = diagnose_api,     [CS_EVENT_LEAK] = diagnose_leak,
      [CS_EVENT_ARGUMENT] = diagnose_argument, [CS_EVENT_FAULT] = diagnose_fault, [CS_EVENT_CANARY] = diagnose_canary,
  };
  f->access = CS_ACCESS_COUNT;
  *(e->event == CS_EVENT_FREE ? &f->free_call : &f->api_call) = e->call;
  f->where = e->here;
  if (!f->own)
    f->own = f->touched;
  if (f->own == f->touched || e->event != CS_EVENT_API)
    f->touched = NULL;
  parts[e->event](f, e);
  f->order = e->order;
  if (e->order)
    f->kind = CS_KIND_STREAM_ORDER;
}

static int fill_call(struct cs_finding *f, const struct cs_evidence *e) {
  const char *call = f->free_call ? f->free_call : f->api_call;
  char *room = call ? cs_report_arena_new(&f->memory, CS_REPORT_CALL_ROOM) : NULL;
  if (call && !room)
    return -1;
  f->call = call ? cs_report_call(call, &e->here, room, CS_REPORT_CALL_ROOM) : NULL;
  return 0;
}

static int diagnose(const struct cs_evidence *e, struct cs_finding *f) {
  f->event = e->event;
  f->count = e->count;
  f->own = e->own;
  f->touched = e->touched;
  f->around = e->around;
  f->around_count = e->around_count;
  f->launch = e->launch;
  f->kernel = name_or_null(f, e->kernel);
  if (e->event != CS_EVENT_ACCESS)
    diagnose_host(f, e);
  else if (diagnose_record(f, e) != 0)
    return -1;
  if (fill_call(f, e))
    return -1;
  cs_report_identify(f, 0);
  return 0;
}

int cs_diagnose(const struct cs_evidence *e, struct cs_finding *f) {
  memset(f, 0, sizeof *f);
  int result = diagnose(e, f);
  if (result)
    cs_finding_release(f);
  return result;
}

void cs_finding_release(struct cs_finding *f) {
  cs_report_arena_release(&f->memory);
}
