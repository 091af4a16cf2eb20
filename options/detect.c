/* detect.c: reads and writes lists of what to look for (cusafe/detects.inc). */
#include "options/detect.h"
#include <stdio.h>
#include <string.h>

static const char *const names[] = {
#define CS_DETECT(id, name) name,
#include "cusafe/detects.inc"
};
#define CS_DETECT(id, name) "," name
_Static_assert(sizeof
#include "cusafe/detects.inc"
                   <= CS_OPTIONS_DETECT_MAX,
               "a list of all names");

/* The word's number; CS_OPTIONS_DETECT_COUNT if it is none. */
static unsigned find(const char *word, size_t length) {
  unsigned i = 0;
  while (i < CS_OPTIONS_DETECT_COUNT && (strlen(names[i]) != length || strncmp(word, names[i], length) != 0))
    i++;
  return i;
}

static int refuse(const char *word, size_t length, char *error, size_t size) {
  size_t used = (size_t)snprintf(error, size, "unknown word '%.*s'; expected ", (int)length, word);
  for (unsigned i = 0; i < CS_OPTIONS_DETECT_COUNT && used < size; i++)
    used += (size_t)snprintf(error + used, size - used, "%s, ", names[i]);
  if (used < size)
    snprintf(error + used - 2, size - used + 2, " or all");
  return -1;
}

int cs_options_detect_read(const char *list, unsigned *detects, char *error, size_t size) {
  *detects = 0;
  for (const char *word = list; *list && word;) {
    size_t length = strcspn(word, ",");
    unsigned what = find(word, length), is_all = length == 3 && strncmp(word, "all", 3) == 0;
    if (what == CS_OPTIONS_DETECT_COUNT && !is_all)
      return refuse(word, length, error, size);
    *detects |= is_all ? (1u << CS_OPTIONS_DETECT_COUNT) - 1 : 1u << what;
    word = word[length] ? word + length + 1 : NULL;
  }
  *detects &= ~(1u << CS_OPTIONS_DETECT_MEMORY);
  return 0;
}

const char *cs_options_detect_list(unsigned detects, char to[CS_OPTIONS_DETECT_MAX]) {
  size_t used = 0;
  *to = 0;
  for (unsigned i = 0; i < CS_OPTIONS_DETECT_COUNT; i++)
    if (detects >> i & 1)
      used += (size_t)snprintf(to + used, CS_OPTIONS_DETECT_MAX - used, "%s%s", used ? "," : "", names[i]);
  return to;
}
