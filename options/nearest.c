/* nearest.c: the edit distance between names. */
#include "options/nearest.h"
#include <string.h>

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

static size_t edit_distance(const char *a, const char *b) {
  enum { MAX = 40 };
  size_t row[MAX + 1], n = smaller(strlen(b), MAX);
  for (size_t j = 0; j <= n; j++)
    row[j] = j;
  for (size_t i = 0; a[i]; i++) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < n; j++) {
      size_t change = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = smaller(change, smaller(row[j], row[j + 1]) + 1);
    }
  }
  return row[n];
}

const char *cs_options_nearest(const char *name, const char *const *names, size_t count) {
  const char *best = NULL;
  size_t best_distance = 4, length = strlen(name);
  for (size_t i = 0; i < count; i++) {
    if (length >= strlen(names[i]) + best_distance) /* so is their distance; a name may be very long */
      continue;
    size_t d = edit_distance(name, names[i]);
    if (d < best_distance && 2 * d <= strlen(names[i])) {
      best_distance = d;
      best = names[i];
    }
  }
  return best;
}
