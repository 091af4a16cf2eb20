/* sites_test.c: the site table reader on intact and on damaged tables. */
#include "report/sites.h"
#include "report/tests/cmocka_all.h"
#include "report/tests/fixture.h"
#include <stdlib.h>
#include <string.h>

static void reads_an_intact_table(void **state) {
  (void)state;
  struct cs_report_sites sites;
  struct cs_site site;
  struct cs_frame frame;
  assert_int_equal(cs_report_sites_open(&sites, fixture_table(), fixture_table_bytes()), 0);
  assert_int_equal(cs_report_sites_site(&sites, SITE_STORE, &site), 0);
  assert_int_equal(site.access, CS_ACCESS_WRITE);
  assert_int_equal(cs_report_sites_frame(&sites, site.frame, &frame), 0);
  assert_string_equal(cs_report_sites_string(&sites, frame.file), "scale.cu");
  assert_int_equal(cs_report_sites_depth(&sites, site.frame, 64), 2);
}

static void refuses_entries_out_of_bounds(void **state) {
  (void)state;
  struct cs_report_sites sites;
  struct cs_site site;
  struct cs_frame frame;
  assert_int_equal(cs_report_sites_open(&sites, fixture_table(), 0), 0);
  assert_int_equal(cs_report_sites_site(&sites, SITE_COUNT, &site), -1);
  assert_int_equal(cs_report_sites_frame(&sites, sites.header.frame_count, &frame), -1);
  assert_int_equal(cs_report_sites_frame(&sites, CS_NONE, &frame), -1);
  assert_string_equal(cs_report_sites_string(&sites, 0), "");
  assert_string_equal(cs_report_sites_string(&sites, CS_NONE), "");
  assert_int_equal(cs_report_sites_depth(&sites, CS_NONE, 64), 0);
}

static void refuses_an_unterminated_string(void **state) {
  (void)state;
  struct cs_report_sites sites;
  struct cs_module *table = fixture_table();
  table->string_bytes = 4; /* "", then "sca" without an end */
  assert_int_equal(cs_report_sites_open(&sites, table, fixture_table_bytes()), 0);
  assert_string_equal(cs_report_sites_string(&sites, 1), "");
}

static void ends_a_circular_chain(void **state) {
  (void)state;
  struct cs_report_sites sites;
  struct cs_module *table = fixture_table();
  cs_u32 self = 0;
  memcpy((char *)table + table->frame_offset + offsetof(struct cs_frame, parent), &self, sizeof self);
  assert_int_equal(cs_report_sites_open(&sites, table, fixture_table_bytes()), 0);
  assert_int_equal(cs_report_sites_depth(&sites, 0, 64), 64);
}

static void refuses_damaged_headers(void **state) {
  (void)state;
  struct cs_report_sites sites;
  for (size_t field = 0; field < 10; field++) {
    struct cs_module *table = fixture_table();
    if (field == 2) /* the reader ignores the placement */
      continue;
    ((cs_u32 *)table)[field] = 0xfffffff0u;
    assert_int_equal(cs_report_sites_open(&sites, table, fixture_table_bytes()), -1);
  }
  assert_int_equal(cs_report_sites_open(&sites, NULL, 0), -1);
  assert_int_equal(cs_report_sites_open(&sites, fixture_table(), 47), -1);
}

/* Every single-byte damage, in an allocation of exactly the table's size, so that a memory checker detects a stray
 * read. */
static void survives_any_damaged_byte(void **state) {
  (void)state;
  size_t bytes = fixture_table_bytes();
  unsigned char *copy = malloc(bytes);
  for (size_t i = 0; i < bytes; i++) {
    struct cs_record record = fixture_record(SITE_STORE, 400, 4);
    struct cs_evidence evidence = fixture_evidence(&record, &fixture_own);
    struct cs_finding finding;
    memcpy(copy, evidence.access.at.module, bytes);
    copy[i] ^= 0xff;
    evidence.access.at.module = (const struct cs_module *)copy;
    assert_int_equal(cs_diagnose(&evidence, &finding), 0);
    assert_int_equal(finding.kind, CS_KIND_OUT_OF_BOUNDS);
    cs_finding_release(&finding);
  }
  free(copy);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_an_intact_table),          cmocka_unit_test(refuses_entries_out_of_bounds),
      cmocka_unit_test(refuses_an_unterminated_string), cmocka_unit_test(ends_a_circular_chain),
      cmocka_unit_test(refuses_damaged_headers),        cmocka_unit_test(survives_any_damaged_byte),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
