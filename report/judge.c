/* judge.c: the rules from what a check saw to the kind of error. Pure. */
#include "report/judge.h"
#include "report/arena.h"
#include <string.h>

/* The position of [address, address + size) relative to [start, start + bytes). Compares differences: an overwritten
 * record may hold anything, and sums could wrap. */
static void fill_distance(struct cs_finding *f, cs_u64 start, cs_u64 bytes) {
  f->before = f->address < start;
  if (f->before) {
    f->outside = 1;
    f->distance = start - f->address;
    return;
  }
  cs_u64 offset = f->address - start;
  f->outside = offset > bytes || f->size > bytes - offset;
  f->distance = offset > bytes ? offset - bytes : 0;
}

static void fill_own_distance(struct cs_finding *f) {
  if (f->own->size) /* otherwise only the start is known */
    fill_distance(f, f->own->start, f->own->size);
}

static int is_misaligned(struct cs_finding *f, const struct cs_site *site) {
  int power = site->align && (site->align & (site->align - 1)) == 0; /* a damaged table may hold anything */
  if (!power || (f->address & (site->align - 1)) == 0)
    return 0;
  f->align = site->align;
  return 1;
}

/* A buffer that only the record describes: the heap no longer knows it, or a kernel allocated it. */
static int own_from_record(struct cs_finding *f, cs_u64 start, cs_u64 bytes) {
  struct cs_buffer *own = cs_report_arena_new(&f->memory, sizeof *own);
  if (!own)
    return -1;
  own->start = start;
  own->size = bytes;
  f->own = own;
  return 0;
}

/* ---- variables ---- */

static int is_variable_form(cs_u64 root) {
  return cs_is_object(root) && !cs_is_foreign(root);
}

static enum cs_memory memory_of_form(cs_u64 root) {
  static const enum cs_memory kinds[] = {
      [CS_OBJECT_LOCAL] = CS_MEMORY_LOCAL,
      [CS_OBJECT_FAR] = CS_MEMORY_LOCAL,
      [CS_OBJECT_VARIABLE] = CS_MEMORY_VARIABLE,
      [CS_OBJECT_SHARED] = CS_MEMORY_SHARED,
      [CS_OBJECT_DYNAMIC] = CS_MEMORY_DYNAMIC_SHARED,
  };
  return kinds[cs_object_form_of(root)];
}

static int is_lost(cs_u64 root) {
  return is_variable_form(root) && cs_object_form_of(root) == CS_OBJECT_FAR && cs_far_home(root) == 0;
}

/* Without bounds the variable no longer exists; only dynamic shared memory may have a size of 0. A shared variable
 * lives as long as its block; a module variable without bounds belongs to no loaded module. */
static enum cs_kind kind_of_boundless(const struct cs_finding *f) {
  if (f->memory_kind == CS_MEMORY_DYNAMIC_SHARED)
    return CS_KIND_OUT_OF_BOUNDS;
  int scoped = f->memory_kind == CS_MEMORY_LOCAL || f->memory_kind == CS_MEMORY_SHARED;
  return scoped && !is_lost(f->root) ? CS_KIND_USE_AFTER_SCOPE : CS_KIND_WILD_POINTER;
}

static void fill_variable(struct cs_finding *f, const struct cs_record *record) {
  if (f->memory_kind == CS_MEMORY_UNKNOWN)
    f->memory_kind = memory_of_form(f->root);
  f->own = f->touched =
      NULL; /* such a pointer is not an address: a buffer that the heap found for it is a coincidence */
  f->object_start = record->start;
  f->object_bytes = record->bytes;
  if (record->bytes || f->memory_kind == CS_MEMORY_DYNAMIC_SHARED)
    fill_distance(f, record->start, record->bytes);
}

static void judge_variable(struct cs_finding *f, const struct cs_record *record, const struct cs_site *site) {
  fill_variable(f, record);
  if (!record->bytes)
    f->kind = kind_of_boundless(f);
  else
    f->kind = !f->outside && is_misaligned(f, site) ? CS_KIND_MISALIGNED : CS_KIND_OUT_OF_BOUNDS;
}

/* ---- buffers ---- */

/* A tagged, unmarked pointer into the window that the root belongs to; 0 when that is lost. */
static cs_u64 plain_root(cs_u64 root) {
  cs_u64 plain = cs_is_marked(root) ? cs_marked_root(root) : root;
  return !cs_is_foreign(root) && cs_is_tagged(plain) ? plain : 0;
}

/* ---- stray pointers: computed outside their buffer by host code, so they carry no mark ---- */

static cs_u64 distance_to(const struct cs_buffer *b, cs_u64 address) {
  return cs_distance(address, b->start, b->size);
}

static int is_near(const struct cs_buffer *b, cs_u64 address) {
  return b->size && cs_is_in_reach(address, b->start, b->size);
}

/* One past the end is a pointer to the buffer as well. */
static int is_pointer_to(const struct cs_buffer *b, cs_u64 address) {
  return !b->size || address - b->start <= b->size;
}

/* Whether the word that the check saw granted the whole of own. */
static int was_alive(const struct cs_finding *f, const struct cs_evidence *e) {
  cs_u64 root = plain_root(f->root);
  return f->own && root && f->own->size && cs_meta_size(root, e->access.at.record->word) == f->own->size;
}

/* Whether own is the buffer of the root. With the metadata in the table, a buffer's window holds only its own pointers
 * (host/heap/small.c). */
static int is_own(const struct cs_finding *f, const struct cs_evidence *e) {
  const struct cs_buffer *own = f->own;
  if (!own || is_pointer_to(own, f->root))
    return own != NULL;
  int freed = own->freed && !was_alive(f, e);
  return freed ? is_pointer_to(own, f->address) : e->access.placement == CS_PLACEMENT_TABLE;
}

/* The live buffer next to the access or next to the root, whichever is closer; NULL if none is near. */
static const struct cs_buffer *nearest_to(const struct cs_finding *f, const struct cs_evidence *e) {
  const struct cs_buffer *a = e->access.near_address, *r = e->access.near_root;
  if (!a || !r)
    return NULL;
  if (is_near(a, f->address) && distance_to(a, f->address) <= distance_to(r, f->root))
    return a;
  return is_near(r, f->root) ? r : is_near(a, f->address) ? a : NULL;
}

/* The buffer that a root outside every live and freed buffer belongs to: a freed one that contains the access, else a
 * live one; or NULL. */
static const struct cs_buffer *owner_of_stray(const struct cs_finding *f, const struct cs_evidence *e) {
  if (!cs_is_tagged(f->root) || is_own(f, e))
    return NULL;
  const struct cs_buffer *freed = e->access.freed_there;
  if (freed && freed->size && distance_to(freed, f->address) == 0)
    return freed;
  const struct cs_buffer *owner = nearest_to(f, e);
  return owner && f->own && owner->start == f->own->start ? NULL : owner;
}

/* Removes the owner from the neighbours. When out of memory, all of them. */
static void remove_from_around(struct cs_finding *f, const struct cs_buffer *owner) {
  struct cs_buffer *others = cs_report_arena_new(&f->memory, (f->around_count + 1) * sizeof *others);
  size_t count = 0;
  for (size_t i = 0; others && i < f->around_count; i++)
    if (f->around[i].start != owner->start)
      others[count++] = f->around[i];
  f->around = others;
  f->around_count = count;
}

/* A poisoned range has not been freed. freed: the kind of the same access to a buffer. */
static enum cs_kind kind_of_ended(const struct cs_buffer *b, enum cs_kind freed) {
  return b->is_poisoned ? CS_KIND_USE_AFTER_POISON : freed;
}

/* 1 if the root is a stray pointer and the access is outside its buffer, inside and misaligned, or to a freed one. */
static int judge_stray(struct cs_finding *f, const struct cs_evidence *e, const struct cs_site *site) {
  struct cs_finding stray = *f;
  stray.own = owner_of_stray(f, e);
  if (!stray.own)
    return 0;
  fill_own_distance(&stray);
  if (!stray.own->freed && !stray.outside && !is_misaligned(&stray, site))
    return 0;
  stray.stray = 1;
  stray.kind = stray.own->freed ? kind_of_ended(stray.own, CS_KIND_USE_AFTER_FREE)
               : stray.outside  ? CS_KIND_OUT_OF_BOUNDS
                                : CS_KIND_MISALIGNED;
  if (stray.touched && stray.touched->start == stray.own->start)
    stray.touched = NULL;
  *f = stray;
  remove_from_around(f, f->own);
  return 1;
}

/* The record's word is from the time of the check, the heap's state is current. A buffer may have been freed in
 * between: a word that granted the whole buffer means that it was live when it was accessed. */
static enum cs_kind kind_of_buffer(const struct cs_finding *f, int was_alive) {
  int stale = f->own->freed ? !was_alive : !f->outside;
  return stale ? kind_of_ended(f->own, CS_KIND_USE_AFTER_FREE) : CS_KIND_OUT_OF_BOUNDS;
}

/* The buffer as it was at the time of the access. */
static int own_as_it_was(struct cs_finding *f) {
  struct cs_buffer *then = cs_report_arena_new(&f->memory, sizeof *then);
  if (!then)
    return -1;
  *then = *f->own;
  then->freed = 0;
  f->own = then;
  return 0;
}

static int judge_buffer(struct cs_finding *f, const struct cs_evidence *e, const struct cs_site *site) {
  const struct cs_record *record = e->access.at.record;
  cs_u64 root = plain_root(f->root);
  cs_u64 granted = root ? cs_meta_size(root, record->word) : 0;
  if (cs_is_foreign(f->root))
    f->own = NULL; /* not a pointer, so it has no window */
  if (f->own && f->touched && f->own->start == f->touched->start && !f->own->freed)
    f->touched = NULL; /* a freed sub-allocation's bytes may have another owner */
  if (!f->own && granted && own_from_record(f, cs_meta_start(root, e->access.placement, record->word), granted) != 0)
    return -1;
  if (judge_stray(f, e, site))
    return 0;
  if (f->own)
    fill_own_distance(f);
  int alive = was_alive(f, e);
  int reachable = alive || record->bytes == CS_RECORD_UNBOUNDED;
  if (reachable && !f->outside && is_misaligned(f, site))
    f->kind = CS_KIND_MISALIGNED;
  else if (f->own)
    f->kind = kind_of_buffer(f, alive);
  else
    f->kind = root && record->word == CS_RECORD_FREED ? CS_KIND_USE_AFTER_FREE : CS_KIND_WILD_POINTER;
  return f->own && alive && f->own->freed ? own_as_it_was(f) : 0;
}

/* A choice between a variable and a null pointer has the bounds of the variable. */
static int is_null_choice(const struct cs_finding *f, const struct cs_record *record) {
  return cs_is_null(f->address) && record->bytes && !cs_is_null(record->start);
}

static void judge_null(struct cs_finding *f) {
  f->own = f->touched = NULL;
  f->memory_kind = CS_MEMORY_UNKNOWN;
  f->object = NULL;
  f->kind = CS_KIND_NULL_POINTER;
}

/* ---- what is not an access ---- */

static void judge_field(struct cs_finding *f, const struct cs_record *record) {
  f->own = f->touched = NULL;
  f->access = CS_ACCESS_COUNT;
  f->index = (cs_i64)record->size;
  f->elements = record->start;
  f->address = f->size = 0;
  f->kind = CS_KIND_FIELD_OVERFLOW;
}

/* An index out of bounds for an array that is a whole variable is an access outside of that variable. The variable may
 * have no address, because LLVM removes what is never read. Then only differences count, and a start in the middle of
 * the address space has room on both sides. */
static void judge_array(struct cs_finding *f, const struct cs_record *record) {
  cs_u64 start = record->start ? record->start : 1ull << 63;
  f->own = f->touched = NULL;
  f->placeless = record->start == 0;
  if (f->placeless)
    f->around_count = 0;
  f->address = record->address - record->start + start;
  f->object_start = start;
  f->object_bytes = record->bytes;
  fill_distance(f, start, record->bytes);
  f->kind = CS_KIND_OUT_OF_BOUNDS;
}

static int judge_kernel_free(struct cs_finding *f, const struct cs_record *record) {
  f->access = CS_ACCESS_COUNT;
  f->size = 0;
  f->free_call = "free in a kernel";
  if (is_variable_form(f->root)) {
    fill_variable(f, record);
    f->kind = CS_KIND_INVALID_FREE;
    return 0;
  }
  int known = record->start && record->bytes && record->bytes != CS_RECORD_UNBOUNDED;
  if (!f->own && known && own_from_record(f, record->start, record->bytes) != 0)
    return -1;
  cs_report_judge_free(f);
  if (record->word == CS_RECORD_FREED)
    f->kind = CS_KIND_DOUBLE_FREE;
  return 0;
}

/* The number of a thread in its block. */
static cs_u64 number_of(const cs_u32 *thread, const cs_u32 *block) {
  return thread[0] + block[0] * (thread[1] + (cs_u64)block[1] * thread[2]);
}

/* Warps depend on the shape of the block, which only the launch has. */
static int is_same_warp(const struct cs_finding *f) {
  const cs_u32 *shape = f->launch ? f->launch->block : NULL;
  int is_row = !f->thread[1] && !f->thread[2] && !f->other->thread[1] && !f->other->thread[2];
  if (!is_row && (!shape || !shape[0]))
    return 0;
  static const cs_u32 row[3] = {1024, 1, 1};
  const cs_u32 *known = is_row ? row : shape;
  return number_of(f->thread, known) / 32 == number_of(f->other->thread, known) / 32;
}

/* What a kernel has allocated: the heap does not know it. */
static int own_of_kernel(struct cs_finding *f, const struct cs_record *record) {
  int is_inside = record->start && record->address - record->start < record->bytes;
  return f->own || !is_inside ? 0 : own_from_record(f, record->start, record->bytes);
}

/* The pass does not know where a pointer to a buffer leads. */
static int judge_race(struct cs_finding *f, const struct cs_record *record) {
  f->touched = NULL;
  if (cs_is_tagged(record->address)) {
    f->memory_kind = CS_MEMORY_UNKNOWN;
    if (own_of_kernel(f, record) != 0)
      return -1;
  } else {
    f->own = NULL;
    f->object_start = record->start;
    f->object_bytes = record->bytes;
  }
  f->is_same_block = f->other && memcmp(f->block, f->other->block, sizeof f->block) == 0;
  f->is_same_warp = f->is_same_block && is_same_warp(f);
  f->kind = record->variable_site ? CS_KIND_ASYNC_COPY_RACE : CS_KIND_DATA_RACE;
  return 0;
}

/* No access of memory: threads that wait, or do not. */
static void judge_synchronisation(struct cs_finding *f, enum cs_kind kind) {
  f->own = f->touched = NULL;
  f->around_count = 0;
  f->kind = kind;
}

static void judge_wait(struct cs_finding *f, const struct cs_record *record) {
  f->waits_here = record->size;
  f->waits_there = f->other ? record->start : 0;
  f->waits = record->bytes;
  f->size = 0;
  judge_synchronisation(f, CS_KIND_DEADLOCK);
}

/* Only lanes of blocks whose shape is known have numbers. */
static cs_u32 lane_of(const struct cs_finding *f, const cs_u32 *thread) {
  const cs_u32 *shape = f->launch ? f->launch->block : NULL;
  int is_row = !thread[1] && !thread[2];
  if (!is_row && (!shape || !shape[0]))
    return CS_NONE;
  return (cs_u32)(number_of(thread, is_row ? (const cs_u32[3]){1024, 1, 1} : shape) % 32);
}

static void judge_mask(struct cs_finding *f, const struct cs_record *record) {
  f->mask_fault = (enum cs_mask_fault)record->bytes;
  f->mask = (cs_u32)record->size;
  f->other_mask = (cs_u32)(record->size >> 32);
  f->came = (cs_u32)record->start;
  f->lane = lane_of(f, f->mask_fault == CS_MASK_LACKS_CALLER ? record->thread : record->other_thread);
  f->size = 0;
  judge_synchronisation(f, CS_KIND_INVALID_MASK);
}

static void judge_mbarrier(struct cs_finding *f, const struct cs_record *record) {
  f->mbarrier_fault = (enum cs_mbarrier_fault)record->bytes;
  f->arrivals = (cs_u32)record->size;
  f->expected = (cs_u32)record->start;
  f->size = 0;
  judge_synchronisation(f, CS_KIND_MBARRIER_MISUSE);
}

/* The use has no address: that is of the bytes that were loaded. */
static int judge_init(struct cs_finding *f, const struct cs_record *record) {
  f->touched = NULL;
  f->size = f->other && f->other->size ? f->other->size : 1;
  if (f->memory_kind != CS_MEMORY_UNKNOWN) {
    f->own = NULL;
    f->object_start = record->start;
    f->object_bytes = record->bytes;
    f->placeless = f->memory_kind == CS_MEMORY_LOCAL;
  } else if (own_of_kernel(f, record) != 0)
    return -1;
  else if (f->own)
    fill_own_distance(f);
  else
    f->placeless = f->address == 0; /* no thread of the block has loaded it */
  f->outside = 0;                   /* an access that is, is another finding */
  f->kind = CS_KIND_UNINITIALISED_USE;
  return 0;
}

static int judge_access(struct cs_finding *f, const struct cs_evidence *e, const struct cs_site *site) {
  const struct cs_record *record = e->access.at.record;
  int is_variable = f->memory_kind != CS_MEMORY_UNKNOWN || is_variable_form(f->root);
  if (site->check == CS_CHECK_FIELD && f->memory_kind != CS_MEMORY_UNKNOWN)
    judge_array(f, record);
  else if (site->check == CS_CHECK_FIELD)
    judge_field(f, record);
  else if (is_variable && !is_null_choice(f, record))
    judge_variable(f, record, site);
  else if (is_variable || cs_is_null(f->root))
    judge_null(f);
  else
    return judge_buffer(f, e, site);
  return 0;
}

int cs_report_judge_record(struct cs_finding *f, const struct cs_evidence *e, const struct cs_site *site) {
  const struct cs_record *record = e->access.at.record;
  switch (site->check) {
  case CS_CHECK_FREE:
    return judge_kernel_free(f, record);
  case CS_CHECK_RACE:
    return judge_race(f, record);
  case CS_CHECK_BARRIER:
    judge_synchronisation(f, CS_KIND_BARRIER_DIVERGENCE);
    return 0;
  case CS_CHECK_INIT:
    return judge_init(f, record);
  case CS_CHECK_WAIT:
    judge_wait(f, record);
    return 0;
  case CS_CHECK_MASK:
    judge_mask(f, record);
    return 0;
  case CS_CHECK_MBARRIER:
    judge_mbarrier(f, record);
    return 0;
  default:
    return judge_access(f, e, site);
  }
}

/* ---- host events ---- */

void cs_report_judge_free(struct cs_finding *f) {
  int again = f->own && f->own->freed && f->own->start == f->address;
  f->kind = again ? CS_KIND_DOUBLE_FREE : CS_KIND_INVALID_FREE;
  if (f->own)
    fill_own_distance(f);
}

void cs_report_judge_api(struct cs_finding *f) {
  int is_ended = f->own && f->own->freed;
  f->kind = is_ended ? kind_of_ended(f->own, CS_KIND_API_USE_AFTER_FREE) : CS_KIND_API_OUT_OF_BOUNDS;
  if (f->memory_kind != CS_MEMORY_UNKNOWN)
    fill_distance(f, f->object_start, f->object_bytes);
  else if (f->own)
    fill_own_distance(f);
}

void cs_report_judge_argument(struct cs_finding *f, int is_host) {
  f->kind = is_host ? CS_KIND_HOST_POINTER : CS_KIND_STALE_ARGUMENT;
  if (is_host)
    f->own = NULL;
  else if (f->own)
    fill_own_distance(f);
}

void cs_report_judge_canary(struct cs_finding *f) {
  f->kind = CS_KIND_MEMORY_CORRUPTION;
  if (f->own)
    fill_own_distance(f);
}
