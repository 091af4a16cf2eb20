/* cfi.c: reads unwind tables: finds a function's entry (FDE) and runs its instructions up to an address. */
#include "host/stacks/cfi.h"

#if defined(__x86_64__)
#include <link.h>
#include <string.h>

enum { RBP = 6, RSP = 7, RETURN_ADDRESS = 16, STATES_MAX = 8 };
enum { PCREL_SDATA4 = 0x1b, DATAREL_SDATA4 = 0x3b, UDATA4 = 0x03 }; /* pointer encodings; linkers write no others */

typedef unsigned char byte;

/* DWARF's rule for a register: how to find the caller's value. */
enum rule_kind { SAME, SAVED, UNDEFINED, ELSEWHERE };
struct rule {
  enum rule_kind kind;
  long offset; /* SAVED: from the caller's stack pointer */
};

struct state {
  cs_u64 cfa_register; /* another one than RBP and RSP: not simple */
  long cfa_offset;
  struct rule rbp, return_address;
};

/* The loaded segment that holds an object's unwind tables. Offsets and lengths in it are not trusted: what they lead to
 * outside of the segment is not read. */
struct segment {
  const byte *start, *end;
};

/* A table being read. failed: it has something that this file does not know, so the result is invalid. */
struct reader {
  const byte *at, *end;
  int failed;
};

/* A reader for the bytes from an address, which need not be in the segment, to the segment's end. */
static struct reader read_from(const struct segment *s, cs_u64 address) {
  cs_u64 start = (cs_u64)s->start, end = (cs_u64)s->end;
  int outside = address < start || address > end;
  return (struct reader){s->start + (outside ? 0 : address - start), s->end, outside};
}

static const byte *take(struct reader *r, size_t bytes) {
  static const byte zeros[8];
  if (r->failed || (size_t)(r->end - r->at) < bytes) {
    r->failed = 1;
    return zeros;
  }
  const byte *taken = r->at;
  r->at += bytes;
  return taken;
}

static byte take_byte(struct reader *r) {
  return *take(r, 1);
}

static cs_u32 take_u32(struct reader *r) {
  cs_u32 value;
  memcpy(&value, take(r, sizeof value), sizeof value);
  return value;
}

static cs_u64 take_uleb(struct reader *r) {
  cs_u64 value = 0;
  byte b = 0x80;
  for (unsigned shift = 0; b & 0x80 && !r->failed; shift += 7) {
    b = take_byte(r);
    if (shift > 56)
      r->failed = 1;
    else
      value |= (cs_u64)(b & 0x7f) << shift;
  }
  return value;
}

static long take_sleb(struct reader *r) {
  const byte *first = r->at;
  cs_u64 value = take_uleb(r);
  unsigned bits = 7 * (unsigned)(r->at - first);
  return bits && bits < 64 && value >> (bits - 1) & 1 ? (long)(value | ~0ull << bits) : (long)value;
}

/* A reader for the entry after its length field. */
static struct reader open_entry(const struct segment *s, cs_u64 entry) {
  struct reader r = read_from(s, entry);
  cs_u32 length = take_u32(&r);
  if (length == 0 || length == 0xffffffff || length > (size_t)(r.end - r.at))
    r.failed = 1;
  r.end = r.failed ? r.at : r.at + length;
  return r;
}

static void skip_pointer(struct reader *r, byte encoding) {
  if ((encoding & 0x70) == 0x50)
    r->failed = 1;
  take(r, (encoding & 7) == 3 ? 4 : 8);
  if ((encoding & 7) != 0 && (encoding & 7) != 3 && (encoding & 7) != 4)
    r->failed = 1;
}

/* The common information entry (CIE) of several functions. */
struct common {
  cs_u64 code_unit;
  long data_unit;
};

/* Leaves the reader at the instructions. */
static struct common read_common(struct reader *r) {
  struct common c = {0};
  take_u32(r);
  byte version = take_byte(r);
  const char *letters = (const char *)r->at;
  while (take_byte(r) && !r->failed)
    ;
  c.code_unit = take_uleb(r);
  c.data_unit = take_sleb(r);
  cs_u64 return_register = version == 1 ? take_byte(r) : take_uleb(r);
  cs_u64 bytes = take_uleb(r);
  if (r->failed || *letters != 'z' || return_register != RETURN_ADDRESS || bytes > (size_t)(r->end - r->at)) {
    r->failed = 1;
    return c;
  }
  const byte *instructions = r->at + bytes;
  for (letters++; !r->failed && *letters; letters++)
    if (*letters == 'P')
      skip_pointer(r, take_byte(r));
    else if (*letters == 'R')
      r->failed |= take_byte(r) != PCREL_SDATA4;
    else if (*letters == 'L')
      take_byte(r);
    else
      r->failed = 1; /* for example, a signal frame */
  r->at = instructions;
  return c;
}

static void set_rule(struct state *s, cs_u64 number, struct rule rule) {
  if (number == RBP)
    s->rbp = rule;
  else if (number == RETURN_ADDRESS)
    s->return_address = rule;
}

static void restore_rule(struct state *s, cs_u64 number, const struct state *initial) {
  set_rule(s, number, number == RBP ? initial->rbp : initial->return_address);
}

static void skip_block(struct reader *r) {
  cs_u64 bytes = take_uleb(r);
  if (bytes > (size_t)(r->end - r->at))
    r->failed = 1;
  else
    take(r, bytes);
}

struct machine {
  struct reader *r;
  struct common common;
  struct state now, initial, kept[STATES_MAX];
  cs_u32 depth;
  cs_u64 left; /* bytes of code up to the requested address */
  int arrived;
};

static void advance(struct machine *m, cs_u64 units) {
  cs_u64 bytes = units * m->common.code_unit;
  m->arrived = bytes > m->left;
  m->left -= m->arrived ? 0 : bytes;
}

static void keep(struct machine *m) {
  if (m->depth == STATES_MAX)
    m->r->failed = 1;
  else
    m->kept[m->depth++] = m->now;
}

static void restore(struct machine *m) {
  if (!m->depth)
    m->r->failed = 1;
  else
    m->now = m->kept[--m->depth];
}

static struct rule saved(const struct machine *m, long units) {
  return (struct rule){SAVED,
                       (long)((cs_u64)units * (cs_u64)m->common.data_unit)}; /* may wrap around: then not simple */
}

/* An instruction whose operands are all in the bytes that follow; in the order of DWARF's numbers. */
static void run_long(struct machine *m, byte operation) {
  struct reader *r = m->r;
  struct state *s = &m->now;
  cs_u64 number;
  switch (operation) {
  case 0x00: /* nop */
    return;
  case 0x02: /* advance_loc1 */
    advance(m, take_byte(r));
    return;
  case 0x03: { /* advance_loc2 */
    cs_u64 low = take_byte(r);
    advance(m, low | (cs_u64)take_byte(r) << 8);
    return;
  }
  case 0x04: /* advance_loc4 */
    advance(m, take_u32(r));
    return;
  case 0x05: /* offset_extended */
    number = take_uleb(r);
    set_rule(s, number, saved(m, (long)take_uleb(r)));
    return;
  case 0x06: /* restore_extended */
    restore_rule(s, take_uleb(r), &m->initial);
    return;
  case 0x07: /* undefined */
    set_rule(s, take_uleb(r), (struct rule){UNDEFINED, 0});
    return;
  case 0x08: /* same_value */
    set_rule(s, take_uleb(r), (struct rule){SAME, 0});
    return;
  case 0x0a: /* remember_state */
    keep(m);
    return;
  case 0x0b: /* restore_state */
    restore(m);
    return;
  case 0x0c: /* def_cfa */
    s->cfa_register = take_uleb(r);
    s->cfa_offset = (long)take_uleb(r);
    return;
  case 0x0d: /* def_cfa_register */
    s->cfa_register = take_uleb(r);
    return;
  case 0x0e: /* def_cfa_offset */
    s->cfa_offset = (long)take_uleb(r);
    return;
  case 0x0f: /* def_cfa_expression */
    s->cfa_register = ~0ull;
    skip_block(r);
    return;
  case 0x10: /* expression */
  case 0x16: /* val_expression */
    set_rule(s, take_uleb(r), (struct rule){ELSEWHERE, 0});
    skip_block(r);
    return;
  case 0x2e: /* GNU_args_size */
    take_uleb(r);
    return;
  default:
    r->failed = 1;
  }
}

static void run(struct machine *m) {
  while (!m->arrived && !m->r->failed && m->r->at < m->r->end) {
    byte first = take_byte(m->r), operand = first & 0x3f;
    switch (first >> 6) {
    case 1:
      advance(m, operand);
      break;
    case 2:
      set_rule(&m->now, operand, saved(m, (long)take_uleb(m->r)));
      break;
    case 3:
      restore_rule(&m->now, operand, &m->initial);
      break;
    default:
      run_long(m, first);
    }
  }
}

/* Runs the instructions of the CIE, then those of the function. */
static int state_at(const struct segment *s, cs_u64 entry, cs_u64 pc, struct state *state) {
  struct reader own = open_entry(s, entry);
  cs_u64 field = (cs_u64)own.at;
  struct reader common = open_entry(s, field - take_u32(&own));
  struct machine m = {.r = &common, .common = read_common(&common), .left = ~0ull};
  const byte *start = own.at;
  cs_u64 first = (cs_u64)start + (cs_u64)(long)(int)take_u32(&own);
  cs_u32 length = take_u32(&own);
  if (common.failed || own.failed || pc - first >= length)
    return -1;
  run(&m);
  skip_block(&own);
  m.r = &own;
  m.initial = m.now;
  m.left = pc - first;
  m.arrived = 0;
  run(&m);
  *state = m.now;
  return common.failed || own.failed ? -1 : 0;
}

static struct cs_host_cfi simplify(const struct state *s) {
  struct cs_host_cfi other = {CS_HOST_CFI_OTHER, 0, 0};
  if (s->return_address.kind == UNDEFINED)
    return (struct cs_host_cfi){CS_HOST_CFI_END, 0, 0};
  int from_sp = s->cfa_register == RSP, saves = s->rbp.kind == SAVED;
  if ((!from_sp && s->cfa_register != RBP) || s->cfa_offset < 8 || s->cfa_offset % 8 || s->cfa_offset > 1 << 30)
    return other;
  if (s->return_address.kind != SAVED || s->return_address.offset != -8)
    return other;
  if ((!saves && s->rbp.kind != SAME) ||
      (saves && (s->rbp.offset > -16 || s->rbp.offset % 8 || s->rbp.offset < -(1 << 30))))
    return other;
  return (struct cs_host_cfi){from_sp ? CS_HOST_CFI_FROM_SP : CS_HOST_CFI_FROM_BP, (cs_u32)s->cfa_offset,
                              saves ? (cs_u32)-s->rbp.offset : 0};
}

/* Finds the unwind table header of the object that contains an address, and the segment that holds it; 0 if there is
 * none. */
struct search {
  cs_u64 pc, unloaded, header;
  struct segment segment;
};

static void find_segment(const struct dl_phdr_info *info, struct search *search) {
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    cs_u64 start = info->dlpi_addr + p->p_vaddr;
    if (p->p_type == PT_LOAD && p->p_flags & PF_R && search->header - start < p->p_memsz)
      search->segment = (struct segment){(const byte *)start, (const byte *)start + p->p_memsz};
  }
}

static int visit_object(struct dl_phdr_info *info, size_t size, void *data) {
  struct search *search = data;
  cs_u64 header = 0;
  int inside = 0;
  (void)size;
  search->unloaded = info->dlpi_subs;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    cs_u64 start = info->dlpi_addr + p->p_vaddr;
    if (p->p_type == PT_LOAD)
      inside |= search->pc - start < p->p_memsz;
    else if (p->p_type == PT_GNU_EH_FRAME)
      header = start;
  }
  if (inside) {
    search->header = header;
    find_segment(info, search);
  }
  return inside;
}

static int at(const byte *table, cs_u32 index) {
  int value;
  memcpy(&value, table + 4 * (size_t)index, sizeof value);
  return value;
}

/* The entry of the last function that starts at or before pc, from the header's sorted table; 0 if there is none. */
static cs_u64 entry_for(const struct segment *s, cs_u64 header, cs_u64 pc) {
  static const byte known[] = {1, PCREL_SDATA4, UDATA4, DATAREL_SDATA4};
  struct reader r = read_from(s, header);
  int is_known = memcmp(take(&r, sizeof known), known, sizeof known) == 0;
  take_u32(&r); /* the address of .eh_frame */
  cs_u32 low = 0, high = take_u32(&r);
  const byte *table = r.at;
  if (r.failed || !is_known || high > (size_t)(r.end - r.at) / 8)
    return 0;
  long wanted = (long)(pc - header);
  while (low < high) {
    cs_u32 middle = low + (high - low) / 2;
    if (at(table, 2 * middle) <= wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return low ? header + (cs_u64)(long)at(table, 2 * low - 1) : 0;
}

static struct cs_host_cfi look_up(const struct segment *s, cs_u64 header, cs_u64 pc) {
  struct state state;
  cs_u64 entry = entry_for(s, header, pc);
  if (!entry || state_at(s, entry, pc, &state))
    return (struct cs_host_cfi){CS_HOST_CFI_OTHER, 0, 0};
  return simplify(&state);
}

struct cs_host_cfi cs_host_cfi_at(cs_u64 pc, cs_u64 *unloaded) {
  struct search search = {.pc = pc};
  dl_iterate_phdr(visit_object, &search);
  *unloaded = search.unloaded;
  return look_up(&search.segment, search.header, pc);
}

#else
struct cs_host_cfi cs_host_cfi_at(cs_u64 pc, cs_u64 *unloaded) {
  (void)pc;
  *unloaded = 0;
  return (struct cs_host_cfi){CS_HOST_CFI_OTHER, 0, 0};
}
#endif
