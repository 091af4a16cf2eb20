/* summary.c: what a run came to, as lines for people. Figures that were not counted are not printed. */
#include "report/formats.h"
#include "report/page.h"

enum { UNIT = 1024 };

/* Bytes as they are, and in a unit that can be read at a glance. */
static void print_bytes(cs_u64 bytes, FILE *out) {
  static const char *const units[] = {"", "KiB", "MiB", "GiB", "TiB"};
  double value = (double)bytes;
  size_t unit = 0;
  for (; value >= UNIT && unit + 1 < sizeof units / sizeof *units; unit++)
    value /= UNIT;
  fprintf(out, "%llu byte%s", bytes, cs_plural(bytes));
  if (unit)
    fprintf(out, " (%.1f %s)", value, units[unit]);
}

static void print_memory(const struct cs_run *r, const char *prefix, FILE *out) {
  fprintf(out, "%swatched: %llu buffer%s of ", prefix, r->buffers, cs_plural(r->buffers));
  print_bytes(r->bytes, out);
  if (r->buffers > 1 && r->most_bytes != r->bytes) {
    fputs(", at most ", out);
    print_bytes(r->most_bytes, out);
    fputs(" at a time", out);
  }
  fputs("\n", out);
  if (r->untagged)
    fprintf(out, "%snot watched: %llu buffer%s, for which there was no tagged address\n", prefix, r->untagged,
            cs_plural(r->untagged));
}

static void print_checks(const struct cs_run *r, const char *prefix, FILE *out) {
  if (r->silent)
    fprintf(out, "%schecks executed: the device stopped at the error, and their number is lost with it\n", prefix);
  else if (!r->counting)
    fprintf(out, "%schecks executed: not counted; compile with `cusafe cc --count` to have them counted\n", prefix);
  else if (r->counting < r->modules)
    fprintf(out, "%schecks executed: %llu in the %u of %u modules that were compiled with --count\n", prefix, r->checks,
            r->counting, r->modules);
  else
    fprintf(out, "%schecks executed: %llu\n", prefix, r->checks);
}

void cs_render_summary(const struct cs_run *r, const char *prefix, FILE *out) {
  fprintf(out, "%s%llu kernel launch%s", prefix, r->launches, r->launches == 1 ? "" : "es");
  if (r->kernels)
    fprintf(out, " of %llu kernel%s", r->kernels, cs_plural(r->kernels));
  fprintf(out, ", %llu buffer%s, %llu error%s, %llu finding%s, %llu.%02llu s\n", r->buffers, cs_plural(r->buffers),
          r->errors, cs_plural(r->errors), r->findings, cs_plural(r->findings), r->milliseconds / 1000,
          r->milliseconds % 1000 / 10);
  if (r->buffers || r->untagged)
    print_memory(r, prefix, out);
  if (r->modules)
    print_checks(r, prefix, out);
}
