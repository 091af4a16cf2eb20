/* names.c: mangled names, demangled and shortened for a report. */
#include "report/arena.h"
#include "report/demangle.h"
#include "report/shorten.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  enum { COLUMNS = 60 };
  char *name = fuzz_text(data, size), room[COLUMNS + 1];
  void *arena = NULL;
  const char *readable = cs_report_demangle(&arena, name);
  if (readable)
    cs_report_short_name(readable, COLUMNS, room);
  cs_report_short_path(name, COLUMNS, room);
  cs_report_arena_release(&arena);
  free(name);
  return 0;
}
