/* fuzz.h: what the targets share: an input as a text, and as a file. */
#ifndef CUSAFE_TESTS_FUZZ_H
#define CUSAFE_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Called by libFuzzer. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A copy that ends with a 0, in memory of its exact size, so that AddressSanitizer sees every read past it. */
static inline char *fuzz_text(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  if (!text)
    abort();
  if (size)
    memcpy(text, data, size);
  text[size] = 0;
  return text;
}

/* The path of a file in memory with these bytes, until the next call. */
static inline const char *fuzz_file(const uint8_t *data, size_t size) {
  static int file = -1;
  static char path[64];
  if (file < 0) {
    file = memfd_create("fuzz", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  }
  if (file < 0 || ftruncate(file, 0) || pwrite(file, data, size, 0) != (ssize_t)size)
    abort();
  return path;
}

#endif
