/* heatmap_test.c: the histogram of offending threads, and its lines in the text report. */
#include "report/formats.h"
#include "report/heatmap.h"
#include "report/tests/cases.h"
#include "report/tests/cmocka_all.h"
#include <stdlib.h>
#include <string.h>

/* Every block or thread of every shape has its cell, in a plane of at most CS_HEAT_BINS. */
static void cells_cover_every_shape(void **state) {
  (void)state;
  static const cs_u32 shapes[][3] = {{1, 1, 1},    {255, 1, 1}, {257, 1, 1},     {2147483647, 1, 1}, {2, 1000, 1},
                                     {1000, 2, 1}, {40, 40, 1}, {17, 3, 5},      {1, 65535, 65535},  {65535, 65535, 1},
                                     {32, 8, 4},   {1, 1, 64},  {1024, 1024, 64}};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    const cs_u32 *s = shapes[i];
    struct cs_report_heatmap_cells c = cs_report_heatmap_cells(s);
    assert_in_range(c.columns * c.rows, 1, CS_HEAT_BINS);
    assert_in_range((s[0] - 1) / c.width, 0, c.columns - 1);
    assert_in_range((s[1] * s[2] - 1) / c.height, 0, c.rows - 1);
    assert_in_range(cs_heat_bin(c.rows - 1, c.columns - 1), 0, CS_HEAT_BINS - 1);
  }
}

/* A histogram that invalid accesses have overwritten is not drawn. */
static void a_damaged_histogram_is_dropped(void **state) {
  (void)state;
  struct cs_evidence evidence = *case_of_kind(CS_KIND_OUT_OF_BOUNDS);
  const struct cs_heat intact = *evidence.access.heat;
  struct cs_heat heat = intact;
  evidence.access.heat = &heat;
  for (int damage = 0; damage < 5; damage++) {
    struct cs_finding finding;
    heat = intact;
    if (damage == 1)
      heat.extent[CS_HEAT_BLOCKS][1] = 0;
    if (damage == 2)
      heat.most[CS_HEAT_THREADS][0] = 64;
    if (damage == 3)
      heat.bins[CS_HEAT_THREADS][200] += 1;
    if (damage == 4)
      heat.least[CS_HEAT_BLOCKS][2] = 0;
    assert_int_equal(cs_diagnose(&evidence, &finding), 0);
    assert_int_equal(finding.heat != NULL, damage == 0);
    cs_finding_release(&finding);
  }
}

/* A launch of `blocks` blocks of one thread, with one error in each of the last `offending`. */
static char *render(cs_u32 blocks, cs_u32 offending) {
  struct cs_evidence evidence = *case_of_kind(CS_KIND_OUT_OF_BOUNDS);
  struct cs_heat heat = {.key = 1, .extent = {{blocks, 1, 1}, {1, 1, 1}}, .most = {{blocks - 1, 0, 0}}};
  heat.least[CS_HEAT_BLOCKS][0] = ~(blocks - offending);
  heat.least[CS_HEAT_BLOCKS][1] = heat.least[CS_HEAT_BLOCKS][2] = ~0u;
  memset(heat.least[CS_HEAT_THREADS], 0xff, sizeof heat.least[CS_HEAT_THREADS]);
  for (cs_u32 i = blocks - offending; i < blocks; i++)
    heat.bins[CS_HEAT_BLOCKS][i] = 1;
  heat.bins[CS_HEAT_THREADS][0] = offending;
  evidence.access.heat = &heat;
  struct cs_finding finding;
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  assert_non_null(out);
  assert_int_equal(cs_diagnose(&evidence, &finding), 0);
  assert_non_null(finding.heat);
  cs_format_text.finding(&finding, NULL, out);
  cs_finding_release(&finding);
  fclose(out);
  return text;
}

/* Equal counts are equally dark. A plane of one block or one thread is not printed. */
static void the_strip_shows_offending_blocks(void **state) {
  (void)state;
  char *text = render(8, 4);
  assert_non_null(strstr(text, "blocks (4,0,0) to (7,0,0), of 8 x 1 x 1\n            |    @@@@|\n"));
  assert_null(strstr(text, "of 1 x 1 x 1"));
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cells_cover_every_shape),
      cmocka_unit_test(a_damaged_histogram_is_dropped),
      cmocka_unit_test(the_strip_shows_offending_blocks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
