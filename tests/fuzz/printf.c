/* printf.c: what a kernel leaves in the buffer of device printf: raw records, or one with a format and its
 * arguments. */
#include "cpu/cuda/code/print.h"
#include "cusafe/image.h"
#include "tests/fuzz/fuzz.h"

/* The text after the first byte is the format; what follows its null byte are the arguments. */
static size_t write_record(char *to, const uint8_t *data, size_t size, const char *format) {
  size_t skip = strlen(format) + 1, bytes = size > skip ? size - skip : 0;
  struct cs_print_record record = {.bytes = (cs_u32)(sizeof record + (bytes + 7) / 8 * 8),
                                   .kind = data[0] & 1 ? CS_PRINT_ASSERT : CS_PRINT_FORMAT,
                                   .format = (cs_u64)format,
                                   .args_bytes = bytes};
  memcpy(to, &record, sizeof record);
  if (bytes)
    memcpy(to + sizeof record, data + 1 + skip, size - skip - 1 < bytes ? size - skip - 1 : bytes);
  return record.bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!size)
    return 0;
  struct cs_print *print = cs_cpu_print_new(size + 64);
  char *format = fuzz_text(data + 1, size - 1);
  if (!print)
    abort();
  if (data[0] & 2) {
    memcpy(print + 1, data + 1, size - 1);
    print->used = size - 1 + data[0] / 4;
  } else {
    print->used = write_record((char *)(print + 1), data, size, format);
  }
  cs_cpu_print_drain(print);
  fflush(stdout);
  free(format);
  free(print);
  return 0;
}
