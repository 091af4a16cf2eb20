/* statistics.c: counts the checks of a function, and the accesses without one by their reason. */
#include "pass/function/statistics.h"
#include "ir/names.h"
#include "pass/function/unknown.h"
#include "pass/module/marks.h"
#include "report/print.h"
#include <stdio.h>

struct counts {
  unsigned accesses, checks, omitted[CS_PASS_REASON_COUNT];
};

static void print(LLVMValueRef function, const struct counts *s) {
  cs_report_print(stderr, "cusafe: %s: %u accesses, %u checks", cs_ir_name(function), s->accesses, s->checks);
  for (int r = 0; r < CS_PASS_REASON_COUNT; r++)
    if (s->omitted[r])
      cs_report_print(stderr, ", %u %s", s->omitted[r], cs_pass_reason_name((enum cs_pass_reason)r));
  fputs("\n", stderr);
}

/* Of the fast path; the checked path next to it is a copy. What is unknown in a kernel's fast form is so in its exact
 * form. */
int cs_pass_print_statistics(struct cs_pass_function *f) {
  const struct cs_pass_options *options = f->pass->options;
  struct counts s = {0};
  if (!options->statistics && !options->unknown)
    return 0;
  for (size_t i = 0; i < f->collected.access_count; i++) {
    const struct cs_pass_access_item *item = &f->collected.accesses[i];
    if (cs_pass_is_exact(f->pass, item->instruction))
      continue;
    s.accesses++;
    if (item->root)
      s.checks++;
    else
      s.omitted[item->reason]++;
    if (!item->root && item->reason == CS_PASS_REASON_UNBOUNDED && options->unknown && !f->is_fast)
      cs_pass_print_unknown(&f->roots, item);
  }
  s.accesses += f->collected.ignored;
  s.omitted[CS_PASS_REASON_IGNORED] += f->collected.ignored;
  if (s.accesses > 0 && options->statistics)
    print(f->value, &s);
  return 0;
}
