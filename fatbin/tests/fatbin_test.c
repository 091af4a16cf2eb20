/* fatbin_test.c: fat binaries that the test writes: what is stored is read back, and no malformed size is followed. */
#include "fatbin/fatbin.h"
#include "fatbin/lz4.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include <cmocka.h>

enum { ENTRY = 16, DATA = ENTRY + 64, PLAIN = 0, LZ4 = 0x2000, ZSTD = 0x8000 };
static const char text[] = ".version 9.0\n.target sm_90\n.version 9.0\n.target sm_90\n";

static void put(unsigned char *at, uint64_t value, size_t bytes) {
  memcpy(at, &value, bytes);
}

/* A container with one entry. Returns its size. */
static size_t make(unsigned char *to, unsigned flags, const void *stored, size_t stored_bytes, size_t bytes) {
  size_t padded = (stored_bytes + 7) / 8 * 8;
  memset(to, 0, DATA + padded);
  put(to, CS_FATBIN_MAGIC, 4);
  put(to + 4, 1, 2);
  put(to + 6, ENTRY, 2);
  put(to + 8, DATA - ENTRY + padded, 8);
  put(to + ENTRY, CS_FATBIN_PTX, 2);
  put(to + ENTRY + 4, 64, 4);
  put(to + ENTRY + 8, padded, 8);
  put(to + ENTRY + 16, stored_bytes, 4);
  put(to + ENTRY + 28, 90, 4);
  put(to + ENTRY + 40, flags, 8);
  put(to + ENTRY + 56, bytes, 8);
  memcpy(to + DATA, stored, stored_bytes);
  return DATA + padded;
}

static void expect_text(unsigned char *container, size_t bytes) {
  struct cs_fatbin_entry entry;
  size_t offset = 0;
  const char *reason;
  assert_int_equal(cs_fatbin_bytes(container, bytes), bytes);
  assert_int_equal(cs_fatbin_next(container, bytes, &offset, &entry), 1);
  assert_int_equal(entry.kind, CS_FATBIN_PTX);
  assert_int_equal(entry.arch, 90);
  char *read = cs_fatbin_read(&entry, &reason);
  assert_non_null(read);
  assert_string_equal(read, text);
  free(read);
  assert_int_equal(cs_fatbin_next(container, bytes, &offset, &entry), 0);
}

static void plain_text_is_read(void **state) {
  unsigned char container[512];
  (void)state;
  expect_text(container, make(container, PLAIN, text, sizeof text, 0));
}

static void zstd_is_decompressed(void **state) {
  unsigned char container[512];
  char packed[256];
  (void)state;
  size_t bytes = ZSTD_compress(packed, sizeof packed, text, sizeof text, 3);
  assert_false(ZSTD_isError(bytes));
  expect_text(container, make(container, ZSTD, packed, bytes, sizeof text));
}

/* Literals, a copy that overlaps what it writes, and a length in more than one byte. */
static const unsigned char packed_lz4[] = "\xbf"
                                          ".version 9."
                                          "\x01\x00"
                                          "\x00"
                                          "\x10"
                                          "!";

static void lz4_is_decompressed(void **state) {
  char made[31];
  (void)state;
  assert_int_equal(cs_fatbin_lz4(packed_lz4, sizeof packed_lz4 - 1, made, sizeof made), 0);
  assert_memory_equal(made, ".version 9....................!", sizeof made);
  for (size_t size = 0; size < sizeof packed_lz4 - 1; size++) /* truncated */
    assert_int_equal(cs_fatbin_lz4(packed_lz4, size, made, sizeof made), -1);
  for (size_t size = 0; size < sizeof made; size++) /* no room */
    assert_int_equal(cs_fatbin_lz4(packed_lz4, sizeof packed_lz4 - 1, made, size), -1);
  assert_int_equal(cs_fatbin_lz4((const unsigned char *)"\x10x\x02\x00", 4, made, sizeof made),
                   -1); /* before the start */
}

/* Each field of the headers with its largest value: nothing outside the container is read, or the text is refused. */
static void malformed_sizes_are_refused(void **state) {
  static const size_t fields[][2] = {{6, 2}, {8, 8}, {ENTRY + 4, 4}, {ENTRY + 8, 8}, {ENTRY + 16, 4}, {ENTRY + 56, 8}};
  unsigned char container[512];
  char packed[256];
  (void)state;
  size_t packed_bytes = ZSTD_compress(packed, sizeof packed, text, sizeof text, 3);
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    struct cs_fatbin_entry entry;
    const char *reason = NULL;
    size_t offset = 0, bytes = make(container, ZSTD, packed, packed_bytes, sizeof text);
    put(container + fields[i][0], UINT64_MAX, fields[i][1]);
    if (cs_fatbin_next(container, bytes, &offset, &entry) == 1) {
      assert_null(cs_fatbin_read(&entry, &reason));
      assert_non_null(reason);
    }
  }
}

static void truncated_containers_are_refused(void **state) {
  unsigned char container[512];
  struct cs_fatbin_entry entry;
  (void)state;
  size_t bytes = make(container, PLAIN, text, sizeof text, 0);
  for (size_t size = 0; size < bytes; size++) {
    size_t offset = 0;
    assert_int_equal(cs_fatbin_next(container, size, &offset, &entry), -1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plain_text_is_read),
      cmocka_unit_test(zstd_is_decompressed),
      cmocka_unit_test(lz4_is_decompressed),
      cmocka_unit_test(malformed_sizes_are_refused),
      cmocka_unit_test(truncated_containers_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
