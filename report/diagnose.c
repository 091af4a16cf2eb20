/* diagnose.c: from what was recorded to what went wrong. Pure: no I/O, no globals. */
#include "report/arena.h"
#include "report/demangle.h"
#include "report/finding.h"
#include "report/sites.h"
#include <string.h>

/* Deeper inlining than this is not readable, and a corrupt chain must end. */
#define FRAMES_MAX 64

static const char *name_or_null(struct cs_finding *f, const char *mangled) {
  return mangled && *mangled ? cs_demangle(&f->memory, mangled) : NULL;
}

static int fill_frames(struct cs_finding *f, const struct cs_sites *sites, cs_u32 innermost) {
  size_t count = cs_sites_depth(sites, innermost, FRAMES_MAX);
  struct cs_source *frames = cs_arena_new(&f->memory, count * sizeof *frames);
  if (!frames)
    return -1;
  cs_u32 index = innermost;
  for (size_t i = 0; i < count; i++) {
    struct cs_frame frame;
    cs_sites_frame(sites, index, &frame);
    const char *file = cs_sites_string(sites, frame.file);
    frames[i].function = name_or_null(f, cs_sites_string(sites, frame.function));
    frames[i].file = *file ? file : NULL;
    frames[i].line = frame.line;
    frames[i].column = frame.column;
    index = frame.parent;
  }
  f->where = (struct cs_stack){frames, count};
  return 0;
}

/* Everything the site table knows about the access. A table that cannot be read leaves the finding without source lines. */
static int fill_site(struct cs_finding *f, const struct cs_evidence *e) {
  struct cs_sites sites;
  struct cs_site site;
  const char *kernel = e->kernel;
  f->access = CS_ACCESS_COUNT;
  if (cs_sites_open(&sites, e->module, e->module_bytes) == 0) {
    f->directory = cs_sites_string(&sites, sites.header.directory);
    if (cs_sites_site(&sites, e->record->site, &site) == 0) {
      f->access = site.access < CS_ACCESS_COUNT ? (enum cs_access)site.access : CS_ACCESS_COUNT;
      f->size = f->size ? f->size : site.size;
      kernel = kernel ? kernel : cs_sites_string(&sites, site.kernel);
      if (fill_frames(f, &sites, site.frame) != 0)
        return -1;
    }
  }
  f->kernel = name_or_null(f, kernel);
  return 0;
}

/* Where [address, address + size) lies relative to the buffer. The sums cannot wrap for real buffers; a record that was
 * overwritten may hold anything, so compare differences. */
static void fill_distance(struct cs_finding *f) {
  const struct cs_buffer *own = f->own;
  f->before = f->address < own->start;
  if (f->before) {
    f->outside = 1;
    f->distance = own->start - f->address;
    return;
  }
  cs_u64 offset = f->address - own->start;
  f->outside = offset > own->size || f->size > own->size - offset;
  f->distance = offset > own->size ? offset - own->size : 0;
}

/* A tagged, unmarked pointer into the window that the root belongs to; 0 when that was lost. */
static cs_u64 plain_root(cs_u64 root) {
  cs_u64 plain = cs_is_marked(root) ? cs_marked_root(root) : root;
  return cs_is_tagged(plain) ? plain : 0;
}

/* The heap has forgotten (or never knew) the buffer, but the word that the check read describes it. */
static int own_from_word(struct cs_finding *f, cs_u64 granted, cs_u64 root, cs_u32 placement) {
  struct cs_buffer *own = cs_arena_new(&f->memory, sizeof *own);
  if (!own)
    return -1;
  own->start = cs_buffer_start(root, placement);
  own->size = granted;
  f->own = own;
  return 0;
}

/* The word is what the check saw, the heap is what holds now: a buffer may have been freed between the two, so a word that
 * still granted the whole buffer means that it was alive when it was accessed. */
static int diagnose_access(struct cs_finding *f, const struct cs_evidence *e) {
  cs_u64 root = plain_root(e->record->root);
  cs_u64 granted = root ? cs_meta_size(root, e->record->word) : 0;
  if (!f->own && granted && own_from_word(f, granted, root, e->placement) != 0)
    return -1;
  if (!f->own) {
    f->kind = CS_KIND_WILD_POINTER;
    return 0;
  }
  fill_distance(f);
  int was_alive = granted != 0 && granted == f->own->size;
  int stale = f->own->freed ? !was_alive : !f->outside;
  f->kind = stale ? CS_KIND_USE_AFTER_FREE : CS_KIND_OUT_OF_BOUNDS;
  return 0;
}

static void diagnose_free(struct cs_finding *f) {
  int again = f->own && f->own->freed && f->own->start == f->address;
  f->kind = again ? CS_KIND_DOUBLE_FREE : CS_KIND_INVALID_FREE;
  if (f->own)
    fill_distance(f);
}

int cs_diagnose(const struct cs_evidence *e, struct cs_finding *f) {
  memset(f, 0, sizeof *f);
  f->event = e->event;
  f->count = e->count;
  f->own = e->own;
  f->touched = e->touched;
  if (e->event == CS_EVENT_FREE) {
    f->access = CS_ACCESS_COUNT;
    f->address = e->freed_pointer;
    f->free_call = e->free_call;
    f->where = e->here;
    if (!f->own) {
      f->own = f->touched;
      f->touched = NULL;
    }
    diagnose_free(f);
    return 0;
  }
  f->address = e->record->address;
  f->size = e->record->size;
  f->root = e->record->root;
  memcpy(f->block, e->record->block, sizeof f->block);
  memcpy(f->thread, e->record->thread, sizeof f->thread);
  if (fill_site(f, e) != 0)
    return -1;
  return diagnose_access(f, e);
}

void cs_finding_release(struct cs_finding *f) {
  cs_arena_release(&f->memory);
}
