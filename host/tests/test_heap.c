/* test_heap.c: the tagged heap on fake virtual memory, in both placements. */
#include "host/heap/account.h"
#include "host/heap/carve.h"
#include "host/heap/heap.h"
#include "host/heap/reclaim.h"
#include "host/heap/slab.h"
#include "host/tests/fake_vmm.h"
#include "host/tests/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MILLION 1000000u

static cs_u32 placement;
static struct cs_host_heap *heap;

static int setup(void **state) {
  placement = *state ? CS_PLACEMENT_WINDOW : CS_PLACEMENT_TABLE;
  fake_reset();
  heap = cs_host_heap_new(&fake_vmm, placement);
  return heap == NULL;
}

static cs_u64 alloc(cs_u64 size) {
  cs_u64 p = 0;
  assert_int_equal(cs_host_heap_alloc(heap, 0, size, CS_HOST_BY_ALLOC, 11, &p), 0);
  return p;
}

static enum cs_host_free_verdict claim(cs_u64 p) {
  struct cs_host_heap_buffer claimed;
  return cs_host_heap_claim_free(heap, p, 0, &claimed);
}

static void release(cs_u64 p) {
  assert_int_equal(claim(p), CS_HOST_FREE_OK);
  cs_host_heap_free(heap, p, 22);
  cs_host_heap_reclaim(heap);
}

/* The size that the device would compute for this pointer. */
static cs_u64 size_on_device(cs_u64 p) {
  cs_host_heap_flush(heap);
  return cs_meta_size(p, *(const cs_u64 *)cs_meta_address(p, placement));
}

static void sizes_and_alignment(void **state) {
  (void)state;
  static const cs_u64 sizes[] = {1,       4,       255,     256,           257,     4096,           65536,
                                 1 << 20, 2097151, 2097152, (2 << 20) + 1, 5000000, (64 << 20) - 1, 64 << 20};
  cs_u64 p[sizeof sizes / sizeof *sizes];
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    p[i] = alloc(sizes[i]);
    assert_true(p[i] % 256 == 0);
    assert_true(cs_is_tagged(p[i]));
    assert_true(cs_window_base(p[i]) == cs_window_base(p[i] + sizes[i])); /* one past the end included */
    memset((void *)p[i], 0x5a, sizes[i]);
  }
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    assert_true(size_on_device(p[i] + sizes[i] / 2) == sizes[i]);
    release(p[i]);
  }
}

static void freed_buffers_have_no_bounds(void **state) {
  (void)state;
  static const cs_u64 sizes[] = {100, 3000, 1 << 20, 3 << 20};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    cs_u64 p = alloc(sizes[i]);
    assert_true(size_on_device(p) == sizes[i]);
    release(p);
    assert_true(size_on_device(p) == 0);
  }
}

static void any_pointer_decodes(void **state) {
  (void)state;
  alloc(1);
  if (placement != CS_PLACEMENT_TABLE)
    return;
  for (cs_u32 tag = CS_TAG_MIN; tag <= CS_TAG_MAX; tag++)
    for (cs_u64 i = 0; i < 100; i++)
      assert_true(size_on_device(((cs_u64)tag << CS_TAG_SHIFT) + i * 0x1357924681ull % (1ull << CS_TAG_SHIFT)) == 0 ||
                  i == 0);
}

/* An address just before a buffer is CuSafe's as well, but in no buffer. */
static void no_buffer_precedes_the_first(void **state) {
  (void)state;
  static const cs_u64 sizes[] = {100, 1 << 20, 5 << 20, 1 << 28};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    struct cs_host_heap_buffer b;
    cs_u64 before = alloc(sizes[i]) - 600;
    assert_true(cs_host_heap_owns(heap, before) && cs_host_heap_find(heap, before, &b) == -1);
  }
}

/* Host code makes pointers just outside a buffer: the windows on both sides have never held another buffer. */
static void buffers_are_apart(void **state) {
  (void)state;
  static const cs_u64 sizes[] = {100, 255, 1000, 3000, 100000, 500000, 1 << 20, 2 << 20, 9 << 20};
  enum { EACH = 40, KINDS = sizeof sizes / sizeof *sizes };
  cs_u64 p[KINDS][EACH];
  if (placement != CS_PLACEMENT_TABLE)
    return;
  for (size_t i = 0; i < EACH; i++)
    for (size_t k = 0; k < KINDS; k++) {
      p[k][i] = alloc(sizes[k]);
      if (i % 3 == 1)
        release(p[k][i - 1]);
    }
  for (size_t i = 0; i < EACH; i++)
    for (size_t k = 0; k < KINDS; k++) {
      struct cs_host_heap_buffer b;
      assert_int_equal(cs_host_heap_find(heap, p[k][i] - 1, &b), -1);
      assert_int_equal(cs_host_heap_find(heap, p[k][i] + cs_tag_window(cs_tag_of(p[k][i])), &b), -1);
    }
}

static int is_readable_on_device(cs_u64 p) {
  cs_host_heap_flush(heap);
  cs_u64 bit = cs_unit_bit(p);
  return bit && *(const cs_u64 *)cs_unit_word(bit) >> bit % 64 & 1;
}

/* CS_PLACEMENT_WINDOW: the device knows which words it may read. */
static void mapped_units_are_known(void **state) {
  (void)state;
  static const cs_u64 sizes[] = {100, 5000, 1 << 20, 5 << 20, 1 << 28};
  if (placement != CS_PLACEMENT_WINDOW)
    return;
  alloc(1);
  assert_false(is_readable_on_device(0) || is_readable_on_device(~0ull) || is_readable_on_device((cs_u64)&heap));
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    cs_u64 p = alloc(sizes[i]), unit = 1ull << cs_unit_log2(cs_tag_of(p));
    assert_true(is_readable_on_device(p) && is_readable_on_device(p + sizes[i]));
    assert_true(is_readable_on_device(p - unit) && size_on_device(p - unit) == 0); /* before the first */
    int large = cs_tag_window(cs_tag_of(p)) >= CS_HOST_GRANULE;
    assert_int_equal(is_readable_on_device(p + unit), large);
    assert_true(!large || size_on_device(p + unit) == 0);
    release(p);
    assert_true(is_readable_on_device(p) && size_on_device(p) == 0);
  }
  cs_u64 oldest = alloc(3 << 20);
  release(oldest);
  for (int i = 0; i < 5000; i++)
    release(alloc(3 << 20));
  assert_false(is_readable_on_device(oldest)); /* no longer mapped */
}

/* Host and device memory do not share granules, and both are freed with the device. */
static void locations_are_separate(void **state) {
  (void)state;
  cs_u64 a, b;
  struct cs_host_heap_buffer buffer;
  assert_int_equal(cs_host_heap_alloc(heap, 3, 100, CS_HOST_BY_ALLOC, 0, &a), 0);
  assert_int_equal(cs_host_heap_alloc(heap, 3 + CS_HOST_WITH_HOST, 100, CS_HOST_BY_WITH(CS_HOST_BY_MANAGED, 1), 0, &b),
                   0);
  assert_true(a / CS_HOST_GRANULE != b / CS_HOST_GRANULE);
  assert_int_equal(cs_host_heap_find(heap, b, &buffer), 0);
  assert_true(buffer.device == 3 && buffer.call == CS_HOST_BY_MANAGED && buffer.flags == 1);
  assert_int_equal(claim(b), CS_HOST_FREE_OK);
  assert_true(!cs_host_heap_find(heap, b, &buffer) && buffer.freeing);
  cs_host_heap_free_device(heap, 3, 0);
  assert_true(!cs_host_heap_find(heap, a, &buffer) && buffer.freed);
  assert_true(!cs_host_heap_find(heap, b, &buffer) && buffer.freed && buffer.flags == 1);
}

static void count(const struct cs_host_heap_buffer *buffer, void *data) {
  *(cs_u64 *)data += buffer->size;
}

static void live_buffers_are_listed(void **state) {
  (void)state;
  cs_u64 bytes = 0, p = alloc(300);
  for (cs_u64 i = 0; i < 1000; i++)
    alloc(10);
  alloc(7 << 20);
  release(p);
  cs_host_heap_each(heap, count, &bytes);
  assert_true(bytes == 10000 + (7 << 20));
}

static void bad_frees(void **state) {
  (void)state;
  cs_u64 p = alloc(1000), q = alloc(3 << 20);
  assert_int_equal(claim(p + 8), CS_HOST_FREE_BAD);
  assert_int_equal(claim(q + CS_HOST_GRANULE), CS_HOST_FREE_BAD);
  assert_int_equal(claim((cs_u64)&p), CS_HOST_FREE_FOREIGN);
  assert_int_equal(claim(0), CS_HOST_FREE_FOREIGN);
  release(p);
  release(q);
  assert_int_equal(claim(p), CS_HOST_FREE_BAD);
  assert_int_equal(claim(q), CS_HOST_FREE_BAD);
  assert_int_equal(claim(p + cs_tag_window(cs_tag_of(p))), CS_HOST_FREE_BAD);
  cs_u64 r = alloc(10);
  assert_int_equal(claim(r), CS_HOST_FREE_OK);
  assert_int_equal(claim(r), CS_HOST_FREE_BAD); /* a free that has started */
  cs_host_heap_free(heap, r, 0);
}

/* Pinned buffers are for cuMemFreeHost, others for cuMemFree; a claim describes its buffer. */
static void frees_of_the_other_kind(void **state) {
  (void)state;
  struct cs_host_heap_buffer b = {0};
  cs_u64 pinned = 0, p = alloc(1000);
  assert_int_equal(cs_host_heap_alloc(heap, 0, 700, CS_HOST_BY_WITH(CS_HOST_BY_HOST_ALLOC, 2), 11, &pinned), 0);
  assert_int_equal(claim(pinned), CS_HOST_FREE_BAD);
  assert_int_equal(cs_host_heap_claim_free(heap, p, 1, &b), CS_HOST_FREE_BAD);
  assert_int_equal(b.size, 0);
  assert_int_equal(cs_host_heap_claim_free(heap, pinned, 1, &b), CS_HOST_FREE_OK);
  assert_true(b.start == pinned && b.size == 700 && b.call == CS_HOST_BY_HOST_ALLOC && b.allocated_by == 11);
  cs_host_heap_free(heap, pinned, 0);
  release(p);
}

static void freed_buffers_are_recorded(void **state) {
  (void)state;
  struct cs_host_heap_buffer b;
  cs_u64 p = alloc(1000);
  assert_int_equal(cs_host_heap_find(heap, p + 999, &b), 0);
  assert_true(b.start == p && b.size == 1000 && !b.freed && b.allocated_by == 11 && b.device == 0);
  release(p);
  assert_int_equal(cs_host_heap_find(heap, p + 1, &b), 0);
  assert_true(b.start == p && b.size == 1000 && b.freed && b.allocated_by == 11 && b.freed_by == 22);
  assert_int_equal(cs_host_heap_find(heap, (cs_u64)&b, &b), -1);
}

static void names_end_with_the_address(void **state) {
  (void)state;
  struct cs_host_heap_buffer b;
  cs_u64 p = alloc(100), other = alloc(100);
  assert_int_equal(cs_host_heap_name(heap, p, "tensor"), 0);
  assert_int_equal(cs_host_heap_name(heap, p + 4, "inside"), -1);
  assert_int_equal(cs_host_heap_find(heap, p + 50, &b), 0);
  assert_string_equal(b.name, "tensor");
  assert_int_equal(cs_host_heap_find(heap, other, &b), 0);
  assert_null(b.name);
  release(p);
  assert_int_equal(cs_host_heap_name(heap, p, "freed"), -1);
  assert_int_equal(cs_host_heap_find(heap, p, &b), 0);
  assert_string_equal(b.name, "tensor");
}

static int ascending(const void *a, const void *b) {
  cs_u64 x = *(const cs_u64 *)a, y = *(const cs_u64 *)b;
  return x < y ? -1 : x > y;
}

static void million_live(void **state) {
  (void)state;
  cs_u64 *p = malloc(MILLION * sizeof *p);
  for (cs_u32 i = 0; i < MILLION; i++)
    p[i] = alloc(1 + i % 300);
  cs_host_heap_flush(heap);
  for (cs_u32 i = 0; i < MILLION; i++)
    assert_true(cs_meta_size(p[i], *(const cs_u64 *)cs_meta_address(p[i], placement)) == 1 + i % 300);
  struct cs_host_heap_stats stats;
  cs_host_heap_stats(heap, &stats);
  assert_true(stats.live == MILLION);
  for (cs_u32 i = 0; i < MILLION; i++)
    release(p[i * 7919ull % MILLION]); /* in scattered order */
  cs_host_heap_stats(heap, &stats);
  assert_true(stats.live == 0);
  assert_true(stats.physical_bytes <= 8 * CS_HOST_GRANULE);
  qsort(p, MILLION, sizeof *p, ascending);
  for (cs_u32 i = 1; i < MILLION; i++)
    assert_true(p[i - 1] != p[i]);
  free(p);
}

static void loops_reuse_memory_but_not_addresses(void **state) {
  (void)state;
  enum { AT_ONCE = 1000 };
  cs_u64 *all = malloc(MILLION * sizeof *all), keep = alloc(200);
  for (cs_u32 i = 0; i < MILLION; i++) {
    all[i] = alloc(200);
    if (i >= AT_ONCE)
      release(all[i - AT_ONCE]);
  }
  assert_true(fake.physical_peak <= 32 * CS_HOST_GRANULE);
  assert_true(size_on_device(keep) == 200);
  qsort(all, MILLION, sizeof *all, ascending);
  for (cs_u32 i = 1; i < MILLION; i++)
    assert_true(all[i - 1] != all[i]);
  free(all);
}

/* Long-lived buffers among short-lived ones: every stale pointer must stay stale. */
static void stale_pointers_stay_stale(void **state) {
  (void)state;
  enum { COUNT = 200000, LONG_LIVED = 97 };
  cs_u64 *p = malloc(COUNT * sizeof *p);
  for (cs_u32 i = 0; i < COUNT; i++) {
    p[i] = alloc(1000);
    if (i >= 500 && (i - 500) % LONG_LIVED)
      release(p[i - 500]);
  }
  cs_host_heap_flush(heap);
  struct cs_host_heap_buffer b;
  cs_u32 seen = 0;
  for (cs_u32 i = 0; i < COUNT - 500; i++) {
    int alive = i % LONG_LIVED == 0;
    assert_int_equal(cs_host_heap_find(heap, p[i], &b), 0);
    assert_int_equal(b.freed, !alive);
    if (placement == CS_PLACEMENT_WINDOW && !alive)
      continue; /* its window may be unmapped */
    assert_true(cs_meta_size(p[i], *(const cs_u64 *)cs_meta_address(p[i], placement)) == (alive ? 1000 : 0));
    seen++;
  }
  assert_true(seen > 0);
  cs_u64 most_live = (COUNT / LONG_LIVED + 500) * cs_tag_window(cs_tag_of(p[0]));
  if (placement == CS_PLACEMENT_TABLE)
    assert_true(fake.physical_peak <= 3 * most_live + 4 * CS_HOST_GRANULE);
  free(p);
}

static void large_windows_release_memory(void **state) {
  (void)state;
  cs_u64 before = 0;
  for (int i = 0; i < 1000; i++) {
    cs_u64 p = alloc(CS_HOST_GRANULE);
    assert_true(p != before);
    before = p;
    *(volatile char *)p = 1;
    release(p);
  }
  assert_true(fake.physical_peak <= 8 * CS_HOST_GRANULE);
  if (placement == CS_PLACEMENT_TABLE)
    assert_true(fake.physical_peak <=
                3 * CS_HOST_GRANULE); /* no second granule for an exact 2 MiB: zeros, words, the buffer */
}

static void small_regions_wrap_around(void **state) {
  (void)state;
  struct cs_host_heap_buffer b;
  cs_u64 size = 1ull << 38, first = alloc(size), last = first; /* 4 windows of 2^39 bytes */
  cs_host_heap_name(heap, first, "first");
  release(first);
  for (int i = 0; i < 3; i++) {
    last = alloc(size);
    assert_true(last != first);
    release(last);
  }
  if (placement == CS_PLACEMENT_TABLE)
    assert_true(alloc(size) == first); /* exhausted: the oldest is reused */
  assert_int_equal(cs_host_heap_find(heap, first, &b), 0);
  assert_int_equal(b.name == NULL, placement == CS_PLACEMENT_TABLE);
}

static void refused_regions(void **state) {
  (void)state;
  fake.refuse_below = 5ull << CS_TAG_SHIFT;
  fake.refuse_end = 9ull << CS_TAG_SHIFT; /* the addresses of a host sanitizer's shadow */
  cs_u64 p = alloc(10);
  assert_int_equal(cs_tag_of(p), 9);
  assert_true(size_on_device(p) == 10);
  release(p);
  fake.refuse_end = 39ull << CS_TAG_SHIFT;
  fake.refuse_below = 18ull << CS_TAG_SHIFT;
  assert_int_equal(cs_host_heap_alloc(heap, 0, 3 << 20, CS_HOST_BY_ALLOC, 0, &p), CS_HOST_HEAP_UNTAGGED);
}

/* A tag has words for 2^21 buffers; the next ones get larger windows. */
static void words_are_exhausted(void **state) {
  (void)state;
  if (placement != CS_PLACEMENT_TABLE)
    return;
  cs_u64 p = alloc(100);
  for (cs_u32 i = 1; i < 1u << CS_TABLE_INDEX_BITS; i++)
    assert_int_equal(cs_tag_of(alloc(100)), cs_tag_of(p));
  for (cs_u32 i = 0; i < 10000; i++) {
    cs_u64 q = alloc(100);
    assert_int_equal(cs_tag_of(q), cs_tag_of(p) + 1);
  }
  assert_true(size_on_device(p) == 100);
}

static void refused_table(void **state) {
  (void)state;
  cs_u64 p;
  fake.refuse_below = CS_TABLE_BASE;
  fake.refuse_end = CS_TABLE_BASE + CS_TABLE_BYTES;
  assert_int_equal(cs_host_heap_alloc(heap, 0, 10, CS_HOST_BY_ALLOC, 0, &p), CS_HOST_HEAP_UNTAGGED);
  assert_int_equal(claim(5ull << CS_TAG_SHIFT), CS_HOST_FREE_FOREIGN);
}

static void out_of_memory_is_an_error_code(void **state) {
  (void)state;
  cs_u64 p[64], count = 0, one;
  fake.physical_limit = 40 << 20;
  while (count < 64 && !cs_host_heap_alloc(heap, 0, 3 << 20, CS_HOST_BY_ALLOC, 0, &p[count]))
    count++;
  assert_true(count > 5 && count < 11);
  assert_int_equal(cs_host_heap_alloc(heap, 0, 16 << 20, CS_HOST_BY_ALLOC, 0, &one), 2);
  for (cs_u64 i = 0; i < count; i++)
    release(p[i]);
  release(alloc(16 << 20));
}

/* Writable memory of the process, whether it is used or not. */
static cs_u64 data_bytes(void) {
  unsigned long pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  assert_true(f && fscanf(f, "%*s %*s %*s %*s %*s %lu", &pages) == 1);
  fclose(f);
  return pages * (cs_u64)sysconf(_SC_PAGESIZE);
}

/* Without memory for the words of a window, an attempt leaves nothing. */
static void failures_leave_nothing(void **state) {
  (void)state;
  cs_u64 p;
  alloc(100);
  fake.physical_limit = fake.physical;
  assert_int_equal(cs_host_heap_alloc(heap, 0, 100 << 20, CS_HOST_BY_ALLOC, 0, &p), 2);
  cs_u64 before = data_bytes();
  for (int i = 0; i < 50; i++)
    assert_int_equal(cs_host_heap_alloc(heap, 0, 100 << 20, CS_HOST_BY_ALLOC, 0, &p), 2);
  assert_true(data_bytes() < before + (8 << 20));
}

static void devices_are_separate(void **state) {
  (void)state;
  cs_u64 a, b;
  struct cs_host_heap_buffer buffer;
  assert_int_equal(cs_host_heap_alloc(heap, 0, 100, CS_HOST_BY_ALLOC, 0, &a), 0);
  assert_int_equal(cs_host_heap_alloc(heap, 7, 100, CS_HOST_BY_ALLOC, 0, &b), 0);
  cs_host_heap_free_device(heap, 7, 33);
  assert_int_equal(cs_host_heap_find(heap, a, &buffer), 0);
  assert_true(!buffer.freed && buffer.device == 0);
  assert_int_equal(cs_host_heap_find(heap, b, &buffer), 0);
  assert_true(buffer.freed && buffer.freed_by == 33);
}

static struct cs_device_heap slabs;

static void make_slabs(cs_u64 bytes) {
  memset(&slabs, 0, sizeof slabs);
  int error = cs_host_heap_slabs(heap, 0, bytes, &slabs);
#ifdef __SANITIZE_ADDRESS__
  if (error)
    skip(); /* the sanitizer's shadow occupies the addresses of small windows */
#endif
  assert_int_equal(error, 0);
}

/* Stores the word of a buffer that a kernel allocates, as the device does. */
static cs_u64 alloc_on_device(cs_u32 tag, cs_u32 window) {
  const struct cs_device_slab *slab = &slabs.slabs[tag];
  assert_true(window < slab->count);
  cs_u64 p = slab->base + window * cs_tag_window(tag);
  *(cs_u64 *)cs_meta_address(p, placement) = cs_meta_word(p, 50);
  return p;
}

/* Windows that are far apart share a word of the table. */
static void buffers_do_not_use_the_words_of_kernels_heaps(void **state) {
  (void)state;
  cs_u32 tag = cs_tag_of(alloc(100));
  make_slabs(2 << 20);
  cs_u64 first = alloc_on_device(tag, 0), last = alloc_on_device(tag, slabs.slabs[tag].count - 1);
  for (cs_u32 i = 0; i < 1u << CS_TABLE_INDEX_BITS; i++)
    release(alloc(100));
  for (int i = 0; i < 20000; i++)
    alloc(100);
  assert_int_equal(size_on_device(first), 50);
  assert_int_equal(size_on_device(last), 50);
}

static void kernels_heaps_do_not_use_the_words_of_buffers(void **state) {
  (void)state;
  enum { LIVE = 20000 };
  static cs_u64 live[LIVE];
  for (int i = 0; i < LIVE; i++)
    live[i] = alloc(100);
  cs_u32 tag = cs_tag_of(live[0]);
  cs_u64 apart = cs_tag_window(tag) << CS_TABLE_INDEX_BITS, now; /* windows that share a word */
  do
    release(now = alloc(100));
  while (now < live[0] + apart - 2 * CS_HOST_GRANULE);
  make_slabs(8 << 20);
  for (cs_u32 i = 0; i < slabs.slabs[tag].count; i++)
    alloc_on_device(tag, i);
  for (int i = 0; i < LIVE; i++)
    assert_true(size_on_device(live[i]) == 100);
}

static void give_slabs_back(void) {
  cs_host_heap_free_slabs(heap, &slabs);
  cs_host_heap_reclaim(heap);
}

static void kernels_heaps_are_given_back(void **state) {
  (void)state;
  cs_u32 tag = cs_tag_of(alloc(100));
  make_slabs(2 << 20);
  cs_u64 p = alloc_on_device(tag, 7);
  give_slabs_back();
  if (placement == CS_PLACEMENT_WINDOW)
    return; /* its units show zeros for a while */
  assert_true(size_on_device(p) == 0);
  cs_u64 before = fake.mappings;
  for (int i = 0; i < 5; i++) {
    make_slabs(2 << 20);
    give_slabs_back();
  }
  assert_true(fake.mappings == before);
}

/* Kernels use little of the slabs, and the system provides the memory that is written. */
static void kernels_heaps_are_not_written(void **state) {
  (void)state;
  alloc(100);
  cs_u64 before = fake.zeroed, bytes = 16 << 20, sizes = 0;
  make_slabs(bytes);
  for (cs_u32 tag = CS_HEAP_TAG_MIN; cs_tag_window(tag) <= bytes; tag++)
    sizes++;
  if (placement == CS_PLACEMENT_TABLE) /* at most the granules of words */
    assert_true(fake.zeroed - before <= sizes * 2 * CS_HOST_GRANULE);
  else
    assert_true(fake.zeroed - before >= sizes * bytes);
}

static void a_heap_is_closed_unless_it_is_used(void **state) {
  (void)state;
  cs_u64 p;
  assert_int_equal(cs_host_heap_close(heap), 0);
  assert_int_equal(cs_host_heap_alloc(heap, 0, 10, CS_HOST_BY_ALLOC, 0, &p), CS_HOST_HEAP_UNTAGGED);
  assert_int_equal(cs_host_heap_close(heap), -1);
  heap = cs_host_heap_new(&fake_vmm, placement);
  p = alloc(10);
  assert_int_equal(cs_host_heap_close(heap), -1);
  release(p);
  assert_int_equal(cs_host_heap_close(heap), -1); /* its metadata is mapped */
  alloc(10);
}

static void accounts_count_and_limit(void **state) {
  (void)state;
  cs_u64 p, q;
  cs_u32 number = cs_host_account_open(1000), by = CS_HOST_BY_WITH(CS_HOST_BY_POOL, number);
  assert_int_equal(cs_host_heap_alloc(heap, 0, 600, by, 0, &p), 0);
  assert_int_equal(cs_host_heap_alloc(heap, 0, 401, by, 0, &q), CS_HOST_HEAP_OVER_LIMIT);
  assert_int_equal(cs_host_heap_alloc(heap, 0, 400, by, 0, &q), 0);
  assert_true(cs_host_account_read(number).used == 1000);
  assert_int_equal(claim(p), CS_HOST_FREE_OK);
  assert_true(cs_host_account_read(number).used == 400);
  cs_host_heap_unclaim(heap, p);
  assert_true(cs_host_account_read(number).used == 1000);
  cs_host_account_close(number);
  assert_int_not_equal(cs_host_account_open(0), number); /* it has buffers */
  cs_host_heap_free_device(heap, 0, 0);
  assert_true(cs_host_account_read(number).used == 0 && cs_host_account_read(number).used_high == 1000);
  cs_host_account_reset_high(number, 1);
  assert_true(cs_host_account_read(number).used_high == 0 && cs_host_account_read(number).reserved_high == 1000);
  assert_int_equal(cs_host_account_open(0), number);
  cs_host_account_close(number);
}

#define BOTH(test)                                                                                                     \
  cmocka_unit_test_prestate_setup_teardown(test, setup, NULL, NULL),                                                   \
      cmocka_unit_test_prestate_setup_teardown(test, setup, NULL, (void *)1)

int main(void) {
  const struct CMUnitTest tests[] = {
      BOTH(sizes_and_alignment),
      BOTH(freed_buffers_have_no_bounds),
      BOTH(any_pointer_decodes),
      BOTH(no_buffer_precedes_the_first),
      BOTH(buffers_are_apart),
      BOTH(mapped_units_are_known),
      BOTH(locations_are_separate),
      BOTH(live_buffers_are_listed),
      BOTH(bad_frees),
      BOTH(frees_of_the_other_kind),
      BOTH(freed_buffers_are_recorded),
      BOTH(names_end_with_the_address),
      BOTH(million_live),
      BOTH(loops_reuse_memory_but_not_addresses),
      BOTH(stale_pointers_stay_stale),
      BOTH(large_windows_release_memory),
      BOTH(small_regions_wrap_around),
      BOTH(refused_regions),
      BOTH(words_are_exhausted),
      BOTH(refused_table),
      BOTH(out_of_memory_is_an_error_code),
      BOTH(failures_leave_nothing),
      BOTH(devices_are_separate),
      BOTH(buffers_do_not_use_the_words_of_kernels_heaps),
      BOTH(kernels_heaps_do_not_use_the_words_of_buffers),
      BOTH(kernels_heaps_are_given_back),
      BOTH(kernels_heaps_are_not_written),
      BOTH(a_heap_is_closed_unless_it_is_used),
      BOTH(accounts_count_and_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
