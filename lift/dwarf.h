/* dwarf.h: the debug information of a PTX module: entries of .debug_info. */
#ifndef CUSAFE_LIFT_DWARF_H
#define CUSAFE_LIFT_DWARF_H

#include "ptx/tree.h"
#include <stddef.h>

enum cs_lift_tag {
  CS_LIFT_TAG_ARRAY = 0x01,
  CS_LIFT_TAG_CLASS = 0x02,
  CS_LIFT_TAG_ENUMERATION = 0x04,
  CS_LIFT_TAG_PARAMETER = 0x05,
  CS_LIFT_TAG_POINTER = 0x0f,
  CS_LIFT_TAG_REFERENCE = 0x10,
  CS_LIFT_TAG_COMPILE_UNIT = 0x11,
  CS_LIFT_TAG_STRUCTURE = 0x13,
  CS_LIFT_TAG_TYPEDEF = 0x16,
  CS_LIFT_TAG_UNION = 0x17,
  CS_LIFT_TAG_SUBRANGE = 0x21,
  CS_LIFT_TAG_BASE_TYPE = 0x24,
  CS_LIFT_TAG_CONST = 0x26,
  CS_LIFT_TAG_VARIABLE = 0x34,
  CS_LIFT_TAG_VOLATILE = 0x35,
  CS_LIFT_TAG_RVALUE_REFERENCE = 0x42,
};

/* One entry. Entries are in the order of the section: the children of an entry follow it. */
struct cs_lift_entry {
  size_t offset;        /* in the section */
  unsigned tag;         /* enum cs_lift_tag, or another one */
  unsigned parent, end; /* numbers of entries: the one that contains it, itself if none; the one after its children */
  const char *name, *producer;     /* or NULL */
  size_t type, origin;             /* offsets of other entries; 0: none */
  unsigned long long bytes, count; /* of a type; of a subrange. 0: not given */
  const char *symbol;              /* its location is a symbol plus an offset; NULL: any other, or none */
  unsigned long long location;     /* the offset from the symbol */
};

struct cs_lift_dwarf {
  struct cs_lift_entry *entries;
  unsigned count;
};

/* Entries of the module; none if it has no debug information, or some that is not understood. All is in the arena. */
struct cs_lift_dwarf cs_lift_read_dwarf(const struct cs_ptx_module *ptx, struct cs_ptx_arena *arena);
/* The entry at an offset; NULL: there is none. */
const struct cs_lift_entry *cs_lift_entry_at(const struct cs_lift_dwarf *dwarf, size_t offset);
/* The size of a variable; 0: unknown. */
unsigned long long cs_lift_entry_bytes(const struct cs_lift_dwarf *dwarf, const struct cs_lift_entry *variable);
/* The name of a variable; "" if it has none. */
const char *cs_lift_entry_name(const struct cs_lift_dwarf *dwarf, const struct cs_lift_entry *variable);

#endif
