/* text_memory.c: the paragraph on the memory that an access hit: a buffer, a variable, or none. */
#include "report/call.h"
#include "report/page.h"
#include "report/paint.h"
#include "report/shorten.h"
#include "report/words.h"
#include <string.h>

/* Some bytes of the access are inside and the rest is past the end. */
static int straddles(const struct cs_finding *f, cs_u64 start, cs_u64 bytes) {
  return f->outside && !f->before && f->address - start < bytes;
}

/* The position of the access relative to [start, start + bytes), up to "of": "... 4 bytes past the end of". Returns the
 * columns used. */
static int print_position(const struct cs_report_page *p, cs_u64 start, cs_u64 bytes) {
  const struct cs_finding *f = p->f;
  cs_u64 offset = f->address - start;
  if (straddles(f, start, bytes)) {
    cs_u64 tail = f->size - (bytes - offset);
    return fprintf(p->out, "the last %llu byte%s accessed %s past the end of", tail, cs_report_plural(tail),
                   tail == 1 ? "is" : "are");
  }
  int used = f->placeless ? fprintf(p->out, "the %s is ", cs_report_access_noun(f->access))
                          : fprintf(p->out, "0x%012llx is ", f->address);
  if (f->outside)
    return used + fprintf(p->out, "%llu byte%s %s of", f->distance, cs_report_plural(f->distance),
                          f->before ? "before the start" : "past the end");
  if (offset == 0 || (bytes && offset == bytes))
    return used + fprintf(p->out, "the %s of", offset == 0 ? "start" : "end");
  return used + fprintf(p->out, "%llu byte%s inside of", offset, cs_report_plural(offset));
}

static int print_range(const struct cs_report_page *p, int used, const struct cs_buffer *b) {
  return b->size ? cs_report_page_phrase(p, used, "[0x%012llx, 0x%012llx)", b->start, b->start + b->size)
                 : cs_report_page_phrase(p, used, "at 0x%012llx", b->start);
}

/* ---- buffers ---- */

/* The buffer of a sub-allocation. */
static void print_whole(const struct cs_report_page *p, const struct cs_buffer *b) {
  char buffer[CS_REPORT_BUFFER_ROOM], call[CS_REPORT_CALL_ROOM];
  int used = fprintf(p->out, "the %s is %llu byte%s inside of",
                     b->is_pool       ? "pool"
                     : b->is_poisoned ? "range"
                                      : "sub-allocation",
                     b->offset, cs_report_plural(b->offset));
  used = cs_report_page_phrase(p, used, "%s", cs_report_buffer_text(b->whole, buffer, sizeof buffer));
  print_range(p, used, b->whole);
  fputs("\n", p->out);
  if (b->whole->allocated_by.count)
    cs_report_page_event(p, "allocated", cs_report_allocator(b->whole, call, sizeof call), &b->whole->allocated_by);
}

static void print_history(const struct cs_report_page *p, const struct cs_buffer *b) {
  char call[CS_REPORT_CALL_ROOM];
  if (b->freed)
    cs_report_page_event(p, b->is_pool ? "pool declared" : b->is_poisoned ? "poisoned" : "freed", NULL, &b->freed_by);
  if (b->allocator || b->allocated_by.count)
    cs_report_page_event(p, b->freed ? "previously allocated" : "allocated", cs_report_allocator(b, call, sizeof call),
                         &b->allocated_by);
}

/* The finding implies that the buffer is not allocated, and the heap has it as live. */
static void print_contradiction(const struct cs_report_page *p) {
  const struct cs_finding *f = p->f;
  if (f->own->freed)
    return;
  if (f->kind == CS_KIND_USE_AFTER_FREE)
    fprintf(p->out, "which is live now, but was not when the access was checked\n");
  if (f->kind == CS_KIND_INVALID_FREE && f->address == f->own->start)
    fprintf(p->out, "which %s cannot free\n", f->call ? f->call : "this call");
}

/* The program computed the pointer itself outside its buffer. */
static void print_stray(const struct cs_report_page *p) {
  const struct cs_finding *f = p->f;
  cs_u64 root = f->root, start = f->own->start, end = start + f->own->size;
  cs_u64 distance = root < start ? start - root : root - end;
  if (root == f->address) {
    fprintf(p->out, "its pointer is that address and is itself outside every buffer\n");
    return;
  }
  int used = fprintf(p->out, "its pointer, 0x%012llx, is itself outside every buffer,", root);
  cs_report_page_phrase(p, used, "%llu byte%s %s of this one", distance, cs_report_plural(distance),
                        root < start ? "before the start" : "past the end");
  fputs("\n", p->out);
}

static void print_own(const struct cs_report_page *p) {
  const struct cs_buffer *own = p->f->own;
  char buffer[CS_REPORT_BUFFER_ROOM];
  int used = print_position(p, own->start, own->size);
  used = cs_report_page_phrase(p, used, "%s", cs_report_buffer_text(own, buffer, sizeof buffer));
  print_range(p, used, own);
  fputs("\n", p->out);
  if (p->f->stray)
    print_stray(p);
  print_contradiction(p);
  cs_report_page_picture(p);
  print_history(p, own);
  if (own->whole)
    print_whole(p, own);
}

static void print_touched(const struct cs_report_page *p) {
  const struct cs_finding *f = p->f;
  cs_u64 offset = f->address - f->touched->start;
  char buffer[CS_REPORT_BUFFER_ROOM];
  int used = fprintf(p->out, "0x%012llx is %llu byte%s inside of", f->address, offset, cs_report_plural(offset));
  if (f->touched->whole || f->touched->name)
    used =
        cs_report_page_phrase(p, used, "%s, which is live", cs_report_buffer_text(f->touched, buffer, sizeof buffer));
  else
    used += fprintf(p->out, " another live %llu-byte buffer", f->touched->size);
  print_range(p, used, f->touched);
  fputs("\n", p->out);
  print_history(p, f->touched);
}

static void print_no_buffer(const struct cs_report_page *p) {
  const struct cs_finding *f = p->f;
  if (f->event == CS_EVENT_FREE || f->event == CS_EVENT_API)
    fprintf(p->out, "0x%012llx is not the address of a buffer allocated by a CUDA call\n", f->address);
  else if (f->kind == CS_KIND_INVALID_FREE)
    fprintf(p->out, "0x%012llx was not returned by malloc or new in a kernel\n", f->address);
  else if (f->kind == CS_KIND_DOUBLE_FREE)
    fprintf(p->out, "0x%012llx was already freed in a kernel\n", f->address);
  else if (f->kind == CS_KIND_USE_AFTER_FREE)
    fprintf(p->out, "its pointer, 0x%012llx, points to memory that was freed in a kernel\n", cs_strip(f->root));
  else if (cs_is_marked(f->root) && !cs_marked_root(f->root))
    fprintf(p->out, "its pointer has moved so far out of bounds that its buffer is no longer known\n");
  else
    fprintf(p->out, "its pointer, 0x%012llx, belongs to no buffer allocated by a CUDA call\n", cs_strip(f->root));
}

/* ---- variables ---- */

static int is_scoped(const struct cs_finding *f) {
  return f->memory_kind == CS_MEMORY_LOCAL || f->memory_kind == CS_MEMORY_SHARED;
}

static void print_gone(const struct cs_report_page *p, const char *variable) {
  const struct cs_finding *f = p->f;
  int used = fprintf(p->out, "0x%012llx", f->address);
  if (is_scoped(f) && f->kind != CS_KIND_WILD_POINTER)
    used = cs_report_page_phrase(p, used, "belongs to %s%s", variable, f->object ? "," : "");
  cs_report_page_phrase(p, used, "%s", cs_report_variable_fate(f));
  fputs("\n", p->out);
}

static void print_size(const struct cs_report_page *p, int used, const char *variable) {
  const struct cs_finding *f = p->f;
  int is_named = f->object && f->memory_kind != CS_MEMORY_DYNAMIC_SHARED;
  cs_report_page_phrase(p, used, "%s %s%llu byte%s%s", variable, is_named ? "(" : "of ", f->object_bytes,
                        cs_report_plural(f->object_bytes), is_named ? ")" : "");
  fputs("\n", p->out);
}

/* The variable, with its name shortened to the rest of the line. */
static void shorten_variable(const struct cs_finding *f, char *to, size_t room) {
  char name[CS_REPORT_PAGE_COLUMNS + 1], size[64];
  struct cs_finding shown = *f;
  if (f->object) {
    shown.object = "";
    size_t others = strlen(cs_report_variable_text(&shown, to, room));
    others += (size_t)snprintf(size, sizeof size, "   belongs to (%llu bytes)", f->object_bytes);
    shown.object = cs_report_short_name(f->object, CS_REPORT_PAGE_COLUMNS - others, name);
  }
  cs_report_variable_text(&shown, to, room);
}

static void print_variable(const struct cs_report_page *p) {
  const struct cs_finding *f = p->f;
  char variable[CS_REPORT_PAGE_COLUMNS + 1];
  shorten_variable(f, variable, sizeof variable);
  if (!f->object_bytes && f->memory_kind != CS_MEMORY_DYNAMIC_SHARED) {
    print_gone(p, variable);
    return;
  }
  print_size(p, print_position(p, f->object_start, f->object_bytes), variable);
  if (!f->object_bytes)
    fprintf(p->out,
            "the launch requested none: its size is the third launch parameter, <<<blocks, threads, bytes>>>\n");
  if (cs_report_is_free(f))
    fprintf(p->out, "which %s cannot free\n", f->call);
  cs_report_page_picture(p);
}

/* ---- other findings ---- */

/* The same call: the thread that is ahead has skipped it in an earlier iteration. */
static void print_barrier(const struct cs_report_page *p) {
  const struct cs_finding *f = p->f;
  const struct cs_source *a = cs_report_own_frame(&f->where),
                         *b = f->other ? cs_report_own_frame(&f->other->where) : NULL;
  int is_same = a && b && a->line == b->line && a->column == b->column;
  fprintf(p->out,
          "threads of one warp wait for their block %s, which CUDA leaves\n   undefined: all of them must execute the "
          "same __syncthreads()\n",
          is_same ? "at this call in different iterations" : "at different calls");
}

static void print_deadlock(const struct cs_report_page *p) {
  const struct cs_finding *f = p->f;
  cs_u64 rest = f->waits - f->waits_here - f->waits_there;
  fprintf(p->out, "%llu thread%s of the block wait%s here", f->waits_here, cs_report_plural(f->waits_here),
          f->waits_here == 1 ? "s" : "");
  if (f->other)
    fprintf(p->out, ", %llu at the other place", f->waits_there);
  if (rest)
    fprintf(p->out, ", %llu elsewhere", rest);
  fprintf(p->out, ": all that have not returned.\n   None of them can continue, and the kernel was ended\n");
}

/* "lanes 0-3, 7" */
static void print_lanes(const struct cs_report_page *p, cs_u32 lanes) {
  const char *before = lanes & (lanes - 1) ? "lanes " : "lane ";
  if (!lanes)
    fputs("no lane", p->out);
  for (unsigned first = 0; first < 32; first++) {
    unsigned last = first;
    if (!(lanes >> first & 1))
      continue;
    while (last < 31 && lanes >> (last + 1) & 1)
      last++;
    fprintf(p->out, last > first ? "%s%u-%u" : "%s%u", before, first, last);
    before = ", ";
    first = last;
  }
}

static void print_mask(const struct cs_report_page *p) {
  const struct cs_finding *f = p->f;
  fprintf(p->out, "its mask, 0x%08x, names ", f->mask);
  print_lanes(p, f->mask);
  if (f->mask_fault == CS_MASK_LACKS_CALLER) {
    fputs(",\n   and the thread is ", p->out);
    if (f->lane == CS_NONE)
      fputs("in another lane", p->out);
    else
      print_lanes(p, 1u << f->lane);
    fputs(": CUDA leaves the result undefined\n", p->out);
  } else if (f->mask_fault == CS_MASK_DIFFERS) {
    fprintf(p->out, ";\n   that of the other lane is 0x%08x: all lanes that a mask names must state the same\n",
            f->other_mask);
  } else {
    fputs(".\n   ", p->out);
    fputs("Only ", p->out);
    print_lanes(p, f->came);
    fprintf(p->out, " %s come; ", f->came & (f->came - 1) ? "have" : "has");
    if (f->lane == CS_NONE)
      fputs("another one", p->out);
    else
      print_lanes(p, 1u << f->lane);
    fputs(" has not returned, and never comes\n", p->out);
  }
}

static void print_mbarrier(const struct cs_report_page *p) {
  const struct cs_finding *f = p->f;
  switch (f->mbarrier_fault) {
  case CS_MBARRIER_NONE_THERE:
    fputs("there is no mbarrier: one thread must initialise it, and the others wait for that\n   at a barrier", p->out);
    break;
  case CS_MBARRIER_UNORDERED:
    fputs("on a GPU it may come before the initialisation: __syncthreads() orders them", p->out);
    break;
  case CS_MBARRIER_OVERWRITTEN:
    fputs("its memory has changed since: until it is invalidated, its 8 bytes are its own", p->out);
    break;
  case CS_MBARRIER_ARRIVALS:
    fprintf(p->out, "the phase expects %u more arrival%s, and this is for %u: those of a phase must add up to\n   ",
            f->expected, cs_report_plural(f->expected), f->arrivals);
    fputs("the count that the mbarrier was initialised with", p->out);
    break;
  case CS_MBARRIER_COUNT:
    fprintf(p->out, "its count, the arrivals that complete a phase, is %u: it must be from 1 to %u", f->arrivals,
            CS_MBARRIER_COUNT_MAX);
  }
  fputs("\n", p->out);
}

static void print_null(const struct cs_report_page *p) {
  const struct cs_finding *f = p->f;
  cs_i64 offset = (cs_i64)(f->address - f->root);
  cs_u64 distance = offset < 0 ? 0 - (cs_u64)offset : (cs_u64)offset;
  if (f->root)
    fprintf(p->out, "its pointer, 0x%012llx, is %llu byte%s past null, where nothing is mapped\n", f->root, f->root,
            cs_report_plural(f->root));
  else if (offset)
    fprintf(p->out, "its pointer is null, and 0x%012llx is %llu byte%s %s it\n", f->address, distance,
            cs_report_plural(distance), offset < 0 ? "before" : "past");
  else
    fprintf(p->out, "its pointer is null\n");
  if (p->options && p->options->zero_from)
    fprintf(p->out, "it may be the 0 that the invalid read at %s returned (on_error=contain)\n", p->options->zero_from);
}

static void print_index(const struct cs_report_page *p) {
  const struct cs_finding *f = p->f;
  if (f->elements)
    fprintf(p->out, "index %lld is out of bounds for an array of %llu element%s\n", f->index, f->elements,
            cs_report_plural(f->elements));
  else
    fprintf(p->out, "index %lld is out of bounds for its array\n", f->index);
}

static void print_leak(const struct cs_report_page *p) {
  const struct cs_finding *f = p->f;
  if (!f->own)
    return;
  char buffer[CS_REPORT_BUFFER_ROOM];
  int used = fprintf(p->out, "%s", cs_report_buffer_text(f->own, buffer, sizeof buffer));
  cs_report_page_phrase(p, print_range(p, used, f->own), "was never freed");
  fputs("\n", p->out);
  if (f->count > 1)
    fprintf(p->out, "one of %llu buffers allocated at this site\n", f->count);
  print_history(p, f->own);
}

static void print_host_pointer(const struct cs_report_page *p) {
  fprintf(p->out,
          "0x%012llx is host memory that the device cannot access:\n"
          "copy the data to the device, or allocate it with cudaMallocManaged or cudaMallocHost\n",
          p->f->address);
}

static void print_call(const struct cs_report_page *p) {
  const struct cs_finding *f = p->f;
  static const char *const verbs[] = {[CS_ACCESS_READ] = "reads",
                                      [CS_ACCESS_WRITE] = "writes",
                                      [CS_ACCESS_ATOMIC] = "accesses",
                                      [CS_ACCESS_COUNT] = "accesses"};
  int used = fprintf(p->out, "%s %s %llu byte%s", f->call ? f->call : "the call", verbs[f->access], f->size,
                     cs_report_plural(f->size));
  const char *mark = f->own && straddles(f, f->own->start, f->own->size) ? "," : ";";
  cs_report_page_phrase(p, used, "at 0x%012llx%s", f->address, mark);
  fputs("\n", p->out);
}

static void print_order(const struct cs_report_page *p) {
  static const char *const texts[] = {
      [CS_ORDER_BEFORE_ALLOCATION] =
          "another stream allocates this memory, and no event or synchronisation orders the use after that",
      [CS_ORDER_AFTER_FREE] = "the free of this memory was submitted before, in stream order",
      [CS_ORDER_FREE_BEFORE_USE] =
          "another stream uses this memory, and no event or synchronisation orders the free after that"};
  fprintf(p->out, "%s\n", texts[p->f->order]);
  if (p->f->launch && p->f->launch->stack.count)
    cs_report_page_event(p, "used", NULL, &p->f->launch->stack);
}

static void print_buffer(const struct cs_report_page *p) {
  if (p->f->order)
    print_order(p);
  if (p->f->own)
    print_own(p);
  else
    print_no_buffer(p);
  if (p->f->touched)
    print_touched(p);
}

/* What orders the accesses. */
static void print_fix(const struct cs_report_page *p) {
  const struct cs_finding *f = p->f;
  if (f->kind == CS_KIND_ASYNC_COPY_RACE) {
    fputs("the thread that has started the copy must wait for it first (__pipeline_wait_prior or\n   "
          "cp.async.wait_group); a __syncthreads() after that wait lets other threads use the data\n",
          p->out);
    return;
  }
  int are_atomic = f->access == CS_ACCESS_ATOMIC && f->other && f->other->access == CS_ACCESS_ATOMIC;
  if (f->is_same_block)
    fprintf(p->out, "no barrier orders these accesses: __syncthreads() between them does%s\n",
            f->is_same_warp ? ", and, as the threads\n   are of one warp, __syncwarp()" : "");
  else if (are_atomic)
    fprintf(p->out, "one of them is atomic for the threads of its block only: use the function without _block\n");
  else
    fputs("nothing orders these blocks of one launch: use atomic operations, __threadfence() before the\n"
          "   flag or counter that announces the data, or split the kernel in two\n",
          p->out);
}

static void print_race(const struct cs_report_page *p) {
  const struct cs_finding *f = p->f;
  if (f->memory_kind == CS_MEMORY_UNKNOWN)
    print_buffer(p);
  else if (f->object_bytes)
    print_variable(p);
  else
    fprintf(p->out, "0x%012llx is in shared memory\n", f->address);
  print_fix(p);
}

static void print_uninitialised(const struct cs_report_page *p) {
  const struct cs_finding *f = p->f;
  char variable[CS_REPORT_PAGE_COLUMNS + 1];
  static const char never[] = "never written, or only with a value that depends on such bytes";
  int is_local = f->memory_kind == CS_MEMORY_LOCAL && !f->object_bytes;
  if (is_local) {
    shorten_variable(f, variable, sizeof variable);
    cs_report_page_phrase(p, fprintf(p->out, "these bytes are of %s,", variable), "%s", never);
    fputs("\n", p->out);
    return;
  }
  fprintf(p->out, "these bytes were %s\n", never);
  if (f->memory_kind != CS_MEMORY_UNKNOWN)
    print_variable(p);
  else if (!f->placeless)
    print_buffer(p);
}

static void print_fault(const struct cs_report_page *p) {
  const struct cs_finding *f = p->f;
  int used = fprintf(p->out, "the driver stopped %s at %s address;", f->kernel ? "the kernel" : "a kernel",
                     f->kind == CS_KIND_MISALIGNED ? "a misaligned" : "an unmapped");
  cs_report_page_phrase(p, used, "it does not report which one");
  fputs("\n", p->out);
}

void cs_report_page_memory(const struct cs_report_page *p) {
  const struct cs_finding *f = p->f;
  if (f->event == CS_EVENT_API)
    print_call(p);
  if (f->event == CS_EVENT_FAULT) {
    print_fault(p);
    return;
  }
  if (f->kind == CS_KIND_MISALIGNED)
    fprintf(p->out, "0x%012llx is not %u-byte aligned, as this access requires\n", f->address, f->align);
  if (f->kind == CS_KIND_FIELD_OVERFLOW)
    print_index(p);
  else if (f->kind == CS_KIND_LEAK)
    print_leak(p);
  else if (f->kind == CS_KIND_HOST_POINTER)
    print_host_pointer(p);
  else if (f->kind == CS_KIND_NULL_POINTER)
    print_null(p);
  else if (cs_report_is_race(f))
    print_race(p);
  else if (f->kind == CS_KIND_BARRIER_DIVERGENCE)
    print_barrier(p);
  else if (f->kind == CS_KIND_UNINITIALISED_USE)
    print_uninitialised(p);
  else if (f->kind == CS_KIND_DEADLOCK)
    print_deadlock(p);
  else if (f->kind == CS_KIND_INVALID_MASK)
    print_mask(p);
  else if (f->kind == CS_KIND_MBARRIER_MISUSE)
    print_mbarrier(p);
  else if (f->memory_kind != CS_MEMORY_UNKNOWN)
    print_variable(p);
  else if (f->own || f->touched || f->kind != CS_KIND_MISALIGNED)
    print_buffer(p);
}
