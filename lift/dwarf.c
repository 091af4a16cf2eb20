/* dwarf.c: reads DWARF 2 from the sections of a PTX module, where bytes are text, and addresses are names. Every read
 * is bounded: text that is no DWARF ends the reading. */
#include "lift/dwarf.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* --- Sections: ".b8 1,2", ".b32 .debug_abbrev+17", ".b64 __local_depot0" --- */

struct reference {
  size_t at;
  const char *symbol;
  unsigned long long offset;
};

struct section {
  unsigned char *bytes;
  struct reference *references; /* in the order of their positions */
  size_t size, reference_count;
};

static int is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ',';
}

static void add_byte(struct section *s, struct cs_ptx_arena *arena, unsigned char byte) {
  s->bytes = cs_ptx_grow(arena, s->bytes, s->size, 1);
  s->bytes[s->size++] = byte;
}

static void add_number(struct section *s, struct cs_ptx_arena *arena, unsigned long long value, unsigned width) {
  for (unsigned k = 0; k < width; k++)
    add_byte(s, arena, (unsigned char)(value >> (8 * k)));
}

/* A name, with "+17" or without. Any other expression has no offset that is used. */
static const char *add_reference(struct section *s, struct cs_ptx_arena *arena, const char *at, unsigned width) {
  size_t length = strcspn(at, " \t\r\n,+"), whole = strcspn(at, " \t\r\n,");
  struct reference made = {.at = s->size, .symbol = cs_ptx_copy(arena, at, length)};
  if (at[length] == '+')
    made.offset = strtoull(at + length + 1, NULL, 0);
  s->references = cs_ptx_grow(arena, s->references, s->reference_count, sizeof made);
  s->references[s->reference_count++] = made;
  add_number(s, arena, made.offset, width);
  return at + whole;
}

static struct section read_section(struct cs_ptx_arena *arena, const char *at) {
  struct section s = {0};
  unsigned width = 0;
  for (;;) {
    char *end;
    while (is_blank(*at))
      at++;
    if (*at == '\0')
      return s;
    if (strncmp(at, ".b", 2) == 0 && at[2] >= '0' && at[2] <= '9') {
      width = (unsigned)strtoul(at + 2, &end, 10) / 8;
      width = width > 8 ? 8 : width;
      at = end;
    } else if (at[0] == '/' && at[1] == '/') {
      at += strcspn(at, "\n");
    } else if ((*at >= '0' && *at <= '9') || *at == '-') {
      add_number(&s, arena, *at == '-' ? (unsigned long long)strtoll(at, &end, 0) : strtoull(at, &end, 0), width);
      at = end > at ? end : at + 1;
    } else if (at[strcspn(at, " \t\r\n,:")] == ':') {
      at += strcspn(at, ":") + 1; /* a label */
    } else {
      at = add_reference(&s, arena, at, width);
    }
  }
}

static struct section find_section(const struct cs_ptx_module *ptx, struct cs_ptx_arena *arena, const char *name) {
  for (unsigned i = 0; i < ptx->item_count; i++)
    if (ptx->items[i].kind == CS_PTX_SECTION && strcmp(ptx->items[i].name, name) == 0)
      return read_section(arena, ptx->items[i].text);
  return (struct section){0};
}

static int compare(size_t a, size_t b) {
  return (a > b) - (a < b);
}

static int compare_reference(const void *at, const void *reference) {
  return compare(*(const size_t *)at, ((const struct reference *)reference)->at);
}

static const struct reference *reference_at(const struct section *s, size_t at) {
  return s->reference_count ? bsearch(&at, s->references, s->reference_count, sizeof *s->references, compare_reference)
                            : NULL;
}

/* --- Numbers --- */

struct cursor {
  const struct section *section;
  size_t at, end;
  int failed;
};

static const unsigned char *take(struct cursor *c, unsigned long long bytes) {
  if (c->failed || bytes > c->end - c->at) {
    c->failed = 1;
    return NULL;
  }
  c->at += bytes;
  return c->section->bytes + c->at - bytes;
}

static unsigned long long take_number(struct cursor *c, unsigned width) {
  const unsigned char *bytes = take(c, width);
  unsigned long long value = 0;
  for (unsigned k = 0; bytes && k < width; k++)
    value |= (unsigned long long)bytes[k] << (8 * k);
  return value;
}

/* ULEB128; the value of a signed one is not used. */
static unsigned long long take_packed(struct cursor *c) {
  unsigned long long value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const unsigned char *byte = take(c, 1);
    if (!byte)
      return 0;
    if (shift < 64)
      value |= (unsigned long long)(*byte & 0x7f) << shift;
    if (!(*byte & 0x80))
      return value;
  }
}

static const char *take_text(struct cursor *c) {
  size_t start = c->at;
  while (take_number(c, 1))
    ;
  return c->failed ? NULL : (const char *)c->section->bytes + start;
}

/* --- Abbreviations: which attributes an entry has --- */

struct attribute {
  unsigned name, form;
};
struct abbreviation {
  unsigned tag, count;
  int has_children;
  struct attribute *attributes;
};
enum { MAX_ABBREVIATIONS = 1 << 14 };
struct abbreviations {
  struct abbreviation *by_code;
  unsigned count;
};

static struct abbreviation read_abbreviation(struct cursor *c, struct cs_ptx_arena *arena) {
  struct abbreviation a = {.tag = (unsigned)take_packed(c)};
  a.has_children = take_number(c, 1) != 0;
  for (;;) {
    struct attribute read = {.name = (unsigned)take_packed(c)};
    read.form = (unsigned)take_packed(c);
    if (c->failed || (read.name == 0 && read.form == 0))
      return a;
    a.attributes = cs_ptx_grow(arena, a.attributes, a.count, sizeof read);
    a.attributes[a.count++] = read;
  }
}

/* LLVM numbers them from 1, without gaps. */
static int read_abbreviations(struct abbreviations *all, const struct section *section, size_t start,
                              struct cs_ptx_arena *arena) {
  struct cursor c = {section, start, section->size, start > section->size};
  *all = (struct abbreviations){0};
  for (unsigned long long code; (code = take_packed(&c)) != 0;) {
    if (code != all->count + 1 || code > MAX_ABBREVIATIONS)
      return -1;
    struct abbreviation read = read_abbreviation(&c, arena);
    all->by_code = cs_ptx_grow(arena, all->by_code, all->count, sizeof read);
    all->by_code[all->count++] = read;
  }
  return c.failed ? -1 : 0;
}

/* --- Entries --- */

struct reader {
  struct cs_lift_dwarf *dwarf;
  struct cs_ptx_arena *arena;
  struct cursor cursor;
  size_t unit; /* where the compile unit starts: references are relative to it */
};

enum {
  FORM_ADDRESS = 0x01,
  FORM_BLOCK2 = 0x03,
  FORM_BLOCK4 = 0x04,
  FORM_DATA2 = 0x05,
  FORM_DATA4 = 0x06,
  FORM_DATA8 = 0x07,
  FORM_STRING = 0x08,
  FORM_BLOCK1 = 0x0a,
  FORM_DATA1 = 0x0b,
  FORM_FLAG = 0x0c,
  FORM_SIGNED = 0x0d,
  FORM_STRING_OFFSET = 0x0e,
  FORM_UNSIGNED = 0x0f,
  FORM_REFERENCE4 = 0x13,
  FORM_SECTION_OFFSET = 0x17,
};
enum {
  ATTRIBUTE_LOCATION = 0x02,
  ATTRIBUTE_NAME = 0x03,
  ATTRIBUTE_BYTES = 0x0b,
  ATTRIBUTE_PRODUCER = 0x25,
  ATTRIBUTE_ORIGIN = 0x31,
  ATTRIBUTE_COUNT = 0x37,
  ATTRIBUTE_TYPE = 0x49,
};

/* DW_OP_addr SYMBOL, and DW_OP_plus_uconst OFFSET or nothing. */
static void read_location(struct reader *r, struct cs_lift_entry *e, size_t bytes) {
  enum { OP_ADDRESS = 0x03, OP_PLUS = 0x23 };
  struct cursor c = {r->cursor.section, r->cursor.at, r->cursor.at + bytes, 0};
  if (take_number(&c, 1) != OP_ADDRESS)
    return;
  const struct reference *reference = reference_at(c.section, c.at);
  unsigned long long offset = take_number(&c, 8);
  if (c.at != c.end)
    offset += take_number(&c, 1) == OP_PLUS ? take_packed(&c) : (unsigned)(c.failed = 1);
  if (!reference || c.failed || c.at != c.end)
    return;
  e->symbol = reference->symbol;
  e->location = offset;
}

static void read_block(struct reader *r, struct cs_lift_entry *e, unsigned name, unsigned long long bytes) {
  size_t start = r->cursor.at;
  if (take(&r->cursor, bytes) && name == ATTRIBUTE_LOCATION) {
    r->cursor.at = start;
    read_location(r, e, (size_t)bytes);
    take(&r->cursor, bytes);
  }
}

static void set_number(const struct reader *r, struct cs_lift_entry *e, const struct attribute *a,
                       unsigned long long value) {
  size_t place = a->form == FORM_REFERENCE4 ? r->unit + (size_t)value : 0;
  if (a->name == ATTRIBUTE_TYPE)
    e->type = place;
  else if (a->name == ATTRIBUTE_ORIGIN)
    e->origin = place;
  else if (a->name == ATTRIBUTE_BYTES)
    e->bytes = value;
  else if (a->name == ATTRIBUTE_COUNT)
    e->count = value;
}

static void read_attribute(struct reader *r, struct cs_lift_entry *e, const struct attribute *a) {
  struct cursor *c = &r->cursor;
  switch (a->form) {
  case FORM_STRING: {
    const char *text = take_text(c);
    if (a->name == ATTRIBUTE_NAME)
      e->name = text;
    else if (a->name == ATTRIBUTE_PRODUCER)
      e->producer = text;
    break;
  }
  case FORM_DATA1:
  case FORM_FLAG:
    set_number(r, e, a, take_number(c, 1));
    break;
  case FORM_DATA2:
    set_number(r, e, a, take_number(c, 2));
    break;
  case FORM_DATA4:
  case FORM_REFERENCE4:
  case FORM_STRING_OFFSET:
  case FORM_SECTION_OFFSET:
    set_number(r, e, a, take_number(c, 4));
    break;
  case FORM_ADDRESS:
  case FORM_DATA8:
    set_number(r, e, a, take_number(c, 8));
    break;
  case FORM_SIGNED:
  case FORM_UNSIGNED:
    set_number(r, e, a, take_packed(c));
    break;
  case FORM_BLOCK1:
    read_block(r, e, a->name, take_number(c, 1));
    break;
  case FORM_BLOCK2:
    read_block(r, e, a->name, take_number(c, 2));
    break;
  case FORM_BLOCK4:
    read_block(r, e, a->name, take_number(c, 4));
    break;
  default:
    c->failed = 1;
  }
}

static void read_entries(struct reader *r, const struct abbreviations *all) {
  struct cs_lift_dwarf *d = r->dwarf;
  unsigned inside = d->count; /* the entry whose children are read */
  int is_first = 1;
  while (!r->cursor.failed && r->cursor.at < r->cursor.end && (is_first || inside != UINT_MAX)) {
    struct cs_lift_entry e = {.offset = r->cursor.at, .parent = is_first ? d->count : inside};
    unsigned long long code = take_packed(&r->cursor);
    if (code == 0 || code > all->count) {
      r->cursor.failed |= is_first || code != 0;
      if (r->cursor.failed)
        return;
      d->entries[inside].end = d->count;
      inside = d->entries[inside].parent == inside ? UINT_MAX : d->entries[inside].parent;
      continue;
    }
    const struct abbreviation *a = &all->by_code[code - 1];
    e.tag = a->tag;
    for (unsigned k = 0; k < a->count; k++)
      read_attribute(r, &e, &a->attributes[k]);
    e.end = d->count + 1;
    d->entries = cs_ptx_grow(r->arena, d->entries, d->count, sizeof e);
    if (a->has_children)
      inside = d->count;
    else if (is_first)
      inside = UINT_MAX;
    d->entries[d->count++] = e;
    is_first = 0;
  }
}

/* The header of a compile unit: length, version, abbreviations, the size of an address. */
static void read_unit(struct reader *r, const struct section *abbreviations) {
  enum { VERSION = 2, ADDRESS_BYTES = 8 };
  struct abbreviations all;
  struct cursor *c = &r->cursor;
  r->unit = c->at;
  unsigned long long length = take_number(c, 4);
  size_t after = c->at;
  if (c->failed || length > c->section->size - after) {
    c->failed = 1;
    return;
  }
  c->end = after + (size_t)length;
  unsigned long long version = take_number(c, 2), start = take_number(c, 4), address = take_number(c, 1);
  if (version != VERSION || address != ADDRESS_BYTES ||
      read_abbreviations(&all, abbreviations, (size_t)start, r->arena)) {
    c->failed = 1;
    return;
  }
  read_entries(r, &all);
  c->at = c->end;
  c->end = c->section->size;
}

struct cs_lift_dwarf cs_lift_read_dwarf(const struct cs_ptx_module *ptx, struct cs_ptx_arena *arena) {
  struct cs_lift_dwarf dwarf = {0};
  struct section info = find_section(ptx, arena, ".debug_info"),
                 abbreviations = find_section(ptx, arena, ".debug_abbrev");
  struct reader r = {.dwarf = &dwarf, .arena = arena, .cursor = {&info, 0, info.size, 0}};
  while (!r.cursor.failed && r.cursor.at < info.size)
    read_unit(&r, &abbreviations);
  if (r.cursor.failed)
    dwarf.count = 0;
  return dwarf;
}

/* --- What entries say --- */

static int compare_entry(const void *offset, const void *entry) {
  return compare(*(const size_t *)offset, ((const struct cs_lift_entry *)entry)->offset);
}

const struct cs_lift_entry *cs_lift_entry_at(const struct cs_lift_dwarf *dwarf, size_t offset) {
  return dwarf->count ? bsearch(&offset, dwarf->entries, dwarf->count, sizeof *dwarf->entries, compare_entry) : NULL;
}

enum { MAX_DEPTH = 64 }; /* of types; a type that contains itself is no DWARF of a compiler */

static unsigned long long type_bytes(const struct cs_lift_dwarf *dwarf, size_t offset, unsigned depth);

static unsigned long long array_bytes(const struct cs_lift_dwarf *dwarf, const struct cs_lift_entry *array,
                                      unsigned depth) {
  unsigned long long bytes = type_bytes(dwarf, array->type, depth);
  unsigned self = (unsigned)(array - dwarf->entries);
  for (unsigned i = self + 1; i < array->end; i++)
    if (dwarf->entries[i].tag == CS_LIFT_TAG_SUBRANGE && __builtin_mul_overflow(bytes, dwarf->entries[i].count, &bytes))
      return 0;
  return array->end > self + 1 ? bytes : 0;
}

static unsigned long long type_bytes(const struct cs_lift_dwarf *dwarf, size_t offset, // NOLINT(misc-no-recursion)
                                     unsigned depth) {
  const struct cs_lift_entry *type = cs_lift_entry_at(dwarf, offset);
  enum { POINTER_BYTES = 8 };
  if (!type || depth > MAX_DEPTH)
    return 0;
  switch (type->tag) {
  case CS_LIFT_TAG_BASE_TYPE:
  case CS_LIFT_TAG_CLASS:
  case CS_LIFT_TAG_ENUMERATION:
  case CS_LIFT_TAG_STRUCTURE:
  case CS_LIFT_TAG_UNION:
    return type->bytes;
  case CS_LIFT_TAG_POINTER:
  case CS_LIFT_TAG_REFERENCE:
  case CS_LIFT_TAG_RVALUE_REFERENCE:
    return POINTER_BYTES;
  case CS_LIFT_TAG_CONST:
  case CS_LIFT_TAG_TYPEDEF:
  case CS_LIFT_TAG_VOLATILE:
    return type_bytes(dwarf, type->type, depth + 1);
  case CS_LIFT_TAG_ARRAY:
    return array_bytes(dwarf, type, depth + 1);
  default:
    return 0;
  }
}

/* A variable of an inlined function names the function's own one. */
static const struct cs_lift_entry *described(const struct cs_lift_dwarf *dwarf, const struct cs_lift_entry *variable) {
  const struct cs_lift_entry *origin = variable->origin ? cs_lift_entry_at(dwarf, variable->origin) : NULL;
  return origin ? origin : variable;
}

unsigned long long cs_lift_entry_bytes(const struct cs_lift_dwarf *dwarf, const struct cs_lift_entry *variable) {
  return type_bytes(dwarf, described(dwarf, variable)->type, 0);
}

const char *cs_lift_entry_name(const struct cs_lift_dwarf *dwarf, const struct cs_lift_entry *variable) {
  const char *name = described(dwarf, variable)->name;
  return name ? name : "";
}
