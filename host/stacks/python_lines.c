/* python_lines.c: decodes co_linetable (CPython, Objects/locations.md): entries that start with a byte whose bit 7 is
 * set. Its low bits are the number of instructions that the entry covers; the bits between are the entry's form. */
#include "host/stacks/python_lines.h"

/* Forms 0 to 9 stay in the line; 10 to 12 advance by 0 to 2 lines. */
enum { ADVANCE_0 = 10, ADVANCE_2 = 12, NO_COLUMNS = 13, WHOLE = 14, NO_LINE = 15 };

/* A signed number in groups of 6 bits, least significant first; bit 0 is its sign. */
static long signed_number(const unsigned char *at, const unsigned char *end) {
  unsigned long value = 0;
  for (unsigned shift = 0; at < end && shift < 36; shift += 6) {
    value |= (unsigned long)(*at & 63) << shift;
    if (!(*at++ & 64))
      break;
  }
  return value & 1 ? -(long)(value >> 1) : (long)(value >> 1);
}

static long advance(unsigned form, const unsigned char *operands, const unsigned char *end) {
  if (form == NO_COLUMNS || form == WHOLE)
    return signed_number(operands, end);
  return form >= ADVANCE_0 && form <= ADVANCE_2 ? form - ADVANCE_0 : 0;
}

cs_u32 cs_host_python_line(const unsigned char *table, size_t bytes, cs_u32 first, cs_u64 instruction) {
  const unsigned char *at = table, *end = table + bytes;
  long line = first;
  cs_u64 covered = 0;
  while (at < end) {
    unsigned form = *at >> 3 & 15;
    covered += (*at & 7) + 1u;
    line += advance(form, at + 1, end);
    if (covered > instruction)
      return form == NO_LINE || line < 0 || line > 0x7fffffff ? 0 : (cs_u32)line;
    do
      at++;
    while (at < end && !(*at & 0x80));
  }
  return 0;
}
