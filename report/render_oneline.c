/* render_oneline.c: a finding on one line, in the format of compiler diagnostics. */
#include "report/arena.h"
#include "report/format.h"
#include "report/page.h"
#include "report/paint.h"
#include "report/printable.h"
#include "report/words.h"

static void render(const struct cs_finding *finding, const struct cs_text_options *options, FILE *out) {
  void *arena = NULL;
  const struct cs_finding printable = cs_report_printable(finding, &arena), *f = &printable;
  const struct cs_report_page page = {f, options, out};
  const struct cs_source *own = cs_report_own_frame(&f->where);
  char where[4096] = "", sentence[4096];
  if (own)
    cs_report_page_location(&page, own, sizeof where, where, sizeof where);
  fprintf(out, "%s: %serror:%s %s: %s", *where ? where : "<unknown>", cs_report_paint(options, CS_REPORT_PAINT_ERROR),
          cs_report_paint(options, CS_REPORT_PAINT_PLAIN), cs_report_kind_name(f->kind),
          cs_report_sentence(f, sentence, sizeof sentence));
  char kernel[4096];
  if (*cs_report_kernel_text(f, kernel, sizeof kernel))
    fprintf(out, ", in %s", kernel);
  if (f->event == CS_EVENT_ACCESS)
    fprintf(out, ", thread (%u,%u,%u) of block (%u,%u,%u)", f->thread[0], f->thread[1], f->thread[2], f->block[0],
            f->block[1], f->block[2]);
  if (f->event == CS_EVENT_ACCESS && f->count > 1)
    fprintf(out, ", %llu times", f->count);
  fprintf(out, " [%s]\n", f->fingerprint);
  cs_report_arena_release(&arena);
}

const struct cs_format cs_format_oneline = {.name = "oneline", .is_relative = 1, .finding = render};
