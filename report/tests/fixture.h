/* fixture.h: a site table, buffers and host stacks for the tests of report/. */
#ifndef CUSAFE_REPORT_TESTS_FIXTURE_H
#define CUSAFE_REPORT_TESTS_FIXTURE_H

#include "report/finding.h"

/* Sites of the table: those on buffers are in scale.cu, the rest in variables.cu. */
enum {
  SITE_STORE,
  SITE_GATHER,
  SITE_ATOMIC,
  SITE_BARE,
  SITE_LOCAL,
  SITE_SHARED,
  SITE_DYNAMIC,
  SITE_VARIABLE,
  SITE_CONSTANT,
  SITE_POINTER, /* an access through the pointer `in` */
  SITE_FIELD,
  SITE_ARRAY, /* an index into an array that is a whole variable */
  SITE_FREE,
  SITE_RACE, /* a write that races with SITE_RACE_WITH, a read */
  SITE_RACE_WITH,
  SITE_BARRIER,
  SITE_INIT,    /* a branch */
  SITE_ODD,     /* without frames, and of a kind of memory that does not exist */
  SITE_TOOLKIT, /* in a function of a header, inlined into another one, which scale() calls */
  SITE_WAIT,
  SITE_MASK,
  SITE_MBARRIER,
  SITE_COUNT
};

/* A table with the sites above, in static memory: fixture_table() restores it, so that a test may damage it. */
struct cs_module *fixture_table(void);
size_t fixture_table_bytes(void);

/* A 400-byte buffer in a 512-byte window, and a second one in the next window. */
extern const struct cs_buffer fixture_own, fixture_own_freed, fixture_own_poisoned, fixture_other;
extern const struct cs_stack fixture_free_stack;

/* A record of an access of `size` bytes at own.start + offset, whose root is the start of the live own buffer. */
struct cs_record fixture_record(cs_u32 site, cs_i64 offset, cs_u64 size);

/* Evidence with that record, the table and the own buffer. */
struct cs_evidence fixture_evidence(const struct cs_record *record, const struct cs_buffer *own);

/* A record of an access of 4 bytes at start + offset to a variable of `bytes` bytes that the site names. */
#define FIXTURE_VARIABLE 0x7f3a00001040ull
struct cs_record fixture_named(cs_u32 site, cs_i64 offset, cs_u64 bytes);

/* A record of an access of 4 bytes at FIXTURE_VARIABLE + offset through a root in an escaping form (object.h). */
struct cs_record fixture_form(cs_u64 root, cs_i64 offset, cs_u64 bytes);

#endif
