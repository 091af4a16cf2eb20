/* summary.c: the totals of a run as text. Figures that were not counted are not printed. */
#include "report/format.h"
#include "report/page.h"

enum { UNIT = 1024 };

/* Bytes in a readable unit. Returns to. */
static const char *rounded(cs_u64 bytes, char *to, size_t room) {
  static const char *const units[] = {"", "KiB", "MiB", "GiB", "TiB"};
  double value = (double)bytes;
  size_t unit = 0;
  for (; value >= UNIT && unit + 1 < sizeof units / sizeof *units; unit++)
    value /= UNIT;
  if (unit)
    snprintf(to, room, "%.1f %s", value, units[unit]);
  else
    snprintf(to, room, "%llu byte%s", bytes, cs_report_plural(bytes));
  return to;
}

static void print_memory(const struct cs_run *r, const char *prefix, FILE *out) {
  char text[64];
  fprintf(out, "%stracked: %llu buffer%s, %llu byte%s", prefix, r->buffers, cs_report_plural(r->buffers), r->bytes,
          cs_report_plural(r->bytes));
  if (r->bytes >= UNIT)
    fprintf(out, " (%s)", rounded(r->bytes, text, sizeof text));
  if (r->buffers > 1 && r->most_bytes != r->bytes)
    fprintf(out, ", peak %s", rounded(r->most_bytes, text, sizeof text));
  fputs("\n", out);
  if (r->untagged)
    fprintf(out, "%snot tracked: %llu buffer%s, because no tagged address was available\n", prefix, r->untagged,
            cs_report_plural(r->untagged));
}

static void print_checks(const struct cs_run *r, const char *prefix, FILE *out) {
  if (r->silent)
    fprintf(out, "%schecks executed: unknown, because the device stopped at the error\n", prefix);
  else if (!r->counting)
    fprintf(out, "%schecks executed: not counted; compile with `cusafe cc --count` to count them\n", prefix);
  else if (r->counting < r->modules)
    fprintf(out, "%schecks executed: %llu in %u of %u modules, those compiled with --count\n", prefix, r->checks,
            r->counting, r->modules);
  else
    fprintf(out, "%schecks executed: %llu\n", prefix, r->checks);
}

void cs_render_degraded(const struct cs_run *r, const char *prefix, FILE *out) {
  char text[256];
  if (!cs_report_is_degraded(r->degraded))
    return;
  fprintf(out, "%s" CS_DEGRADED_TITLE "\n", prefix);
  for (int i = 0; i < CS_DEGRADED_COUNT; i++)
    if (r->degraded[i])
      fprintf(out, "%s%s\n", prefix,
              cs_report_degraded_sentence((enum cs_degraded)i, r->degraded[i], text, sizeof text));
}

static void print_forms(const struct cs_run *r, const char *prefix, FILE *out) {
  static const char *const texts[CS_FORM_USED_COUNT] = {
#define CS_FORM_USED(id, text) [CS_FORM_USED_##id] = text,
#include "report/forms.inc"
  };
  for (int i = 0; i < CS_FORM_USED_COUNT; i++)
    if (r->forms[i])
      fprintf(out, "%s%llu launch%s %s\n", prefix, r->forms[i], r->forms[i] == 1 ? "" : "es", texts[i]);
}

void cs_render_summary(const struct cs_run *r, const char *prefix, FILE *out) {
  fprintf(out, "%s%llu kernel launch%s", prefix, r->launches, r->launches == 1 ? "" : "es");
  if (r->kernels)
    fprintf(out, " of %llu kernel%s", r->kernels, cs_report_plural(r->kernels));
  fprintf(out, ", %llu buffer%s, %llu error%s, %llu finding%s, %llu.%02llu s\n", r->buffers,
          cs_report_plural(r->buffers), r->errors, cs_report_plural(r->errors), r->findings,
          cs_report_plural(r->findings), r->milliseconds / 1000, r->milliseconds % 1000 / 10);
  if (r->buffers || r->untagged)
    print_memory(r, prefix, out);
  if (r->operators)
    fprintf(out, "%snot checked: %llu operator%s of PyTorch, computed on the host\n", prefix, r->operators,
            cs_report_plural(r->operators));
  if (r->modules) {
    print_checks(r, prefix, out);
    print_forms(r, prefix, out);
  }
}
