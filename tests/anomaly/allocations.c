/* allocations.c: a preloaded library that makes allocations of libcusafe and of the CPU device's driver fail: the
 * FAIL_ALLOCATION-th one, or with FAIL_EVERY set every one of that number. The file that COUNT_ALLOCATIONS names gets
 * the number of allocations and, in order, their callers' offsets. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);

enum { COUNT_CALLERS = 1 << 13 };
static atomic_ullong own_count, *count = &own_count;
static unsigned long long *callers; /* after the count */
static unsigned long long fail_at, fail_every;
static void (*injected)(void); /* of libcusafe, in builds with CUSAFE_LOCK_CHECKS; see host/base/degraded.h */

static unsigned long long number_in(const char *name) {
  const char *text = getenv(name);
  return text ? strtoull(text, NULL, 10) : 0;
}

__attribute__((constructor)) static void start(void) {
  const char *path = getenv("COUNT_ALLOCATIONS");
  int file = path ? open(path, O_RDWR) : -1;
  if (file >= 0) {
    void *page = (void *)syscall(SYS_mmap, NULL, 8 * COUNT_CALLERS, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    count = page == MAP_FAILED ? count : page;
    callers = page == MAP_FAILED ? NULL : (unsigned long long *)page;
  }
  fail_at = number_in("FAIL_ALLOCATION");
  fail_every = number_in("FAIL_EVERY");
  injected = (void (*)(void))dlsym(RTLD_DEFAULT, "cusafe_failure_injected");
}

/* Lock-free, so it may be called wherever memory is allocated. */
static int is_ours(void *caller, int *is_driver, unsigned long long *offset) {
  struct dl_find_object found;
  if (_dl_find_object(caller, &found) || !found.dlfo_link_map->l_name)
    return 0;
  const char *name = strrchr(found.dlfo_link_map->l_name, '/');
  *offset = (unsigned long long)((char *)caller - (char *)found.dlfo_link_map->l_addr);
  *is_driver = name && strncmp(name, "/libcuda.so", 11) == 0;
  return *is_driver || (name && strncmp(name, "/libcusafe.so", 13) == 0);
}

static int fails(void *caller) {
  int is_driver;
  unsigned long long offset;
  if (!is_ours(caller, &is_driver, &offset))
    return 0;
  unsigned long long number = atomic_fetch_add(count, 1) + 1;
  if (callers && number < COUNT_CALLERS)
    callers[number] = offset;
  int fail = (fail_at && number == fail_at) || (fail_every && number % fail_every == 0);
  if (fail && injected && !is_driver)
    injected();
  if (fail)
    errno = ENOMEM;
  return fail;
}

#define FAILS() fails(__builtin_return_address(0))

void *malloc(size_t bytes) {
  return FAILS() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t n, size_t bytes) {
  return FAILS() ? NULL : __libc_calloc(n, bytes);
}

void *realloc(void *old, size_t bytes) {
  return FAILS() ? NULL : __libc_realloc(old, bytes);
}

static char *copy(const char *text, size_t length) {
  char *made = __libc_malloc(length + 1);
  if (made) {
    memcpy(made, text, length);
    made[length] = 0;
  }
  return made;
}

char *strdup(const char *text) {
  return FAILS() ? NULL : copy(text, strlen(text));
}

char *strndup(const char *text, size_t most) {
  return FAILS() ? NULL : copy(text, strnlen(text, most));
}

FILE *open_memstream(char **text, size_t *bytes) {
  static FILE *(*next)(char **, size_t *);
  if (FAILS())
    return NULL;
  if (!next)
    next = (FILE * (*)(char **, size_t *)) dlsym(RTLD_NEXT, "open_memstream");
  return next(text, bytes);
}

void *mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset) {
  if (FAILS())
    return MAP_FAILED;
  return (void *)syscall(SYS_mmap, address, bytes, protection, flags, file, offset);
}
