/* resolve.c: finds the real driver, and stands in for dlsym so that looked-up driver calls become CuSafe's. */
#include "host/base/driver.h"
#include "host/base/inside.h"
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

_Thread_local int cs_host_inside_depth __attribute__((tls_model("initial-exec")));

typedef void *(*dlsym_function)(void *, const char *);

/* Read by the jump below. Set before its first use; every thread would store the same value. */
__attribute__((visibility("hidden"))) dlsym_function cs_host_dlsym_next;

static dlsym_function dlsym_in(void *place) {
  static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"};
  dlsym_function found = NULL;
  for (size_t i = 0; place && !found && i < sizeof versions / sizeof *versions; i++)
    found = (dlsym_function)dlvsym(place, "dlsym", versions[i]);
  return found;
}

/* There is none behind this library when it was loaded after the C library: for a library of the program's, which alone is
 * linked with it. */
static dlsym_function loader_dlsym(void) {
  if (!cs_host_dlsym_next)
    cs_host_dlsym_next = dlsym_in(RTLD_NEXT);
  if (!cs_host_dlsym_next)
    cs_host_dlsym_next = dlsym_in(dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD));
  if (!cs_host_dlsym_next) /* before glibc 2.34 */
    cs_host_dlsym_next = dlsym_in(dlopen("libdl.so.2", RTLD_LAZY | RTLD_NOLOAD));
  return cs_host_dlsym_next;
}

int cs_host_driver_hidden(void) {
  return !dlsym_in(RTLD_NEXT);
}

void *cs_host_real_dlsym(void *handle, const char *name) {
  return loader_dlsym()(handle, name);
}

static struct cs_host_driver driver;
static int present;

static const struct {
  const char *symbol;
  size_t offset;
} entries[] = {
#define CS_HOST_HOOK(action, base, edition, variant, version, parameters, arguments)                                   \
  {#base #edition #variant, offsetof(struct cs_host_driver, base##edition##variant)},
#include "host/base/interposed.inc"
#define CS_HOST_CALL(base, edition, variant, version)                                                                  \
  {#base #edition #variant, offsetof(struct cs_host_driver, base##edition##variant)},
#include "host/base/driver.inc"
};

/* The program's own libcuda if it has one, whatever path it came from: the loader compares sonames. */
static void *open_driver(void) {
  void *handle = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  return handle ? handle : dlopen("libcuda.so.1", RTLD_LAZY);
}

static void find_driver(void) {
  void *handle = open_driver();
  if (!handle)
    return;
  present = 1;
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
    void *function = cs_host_real_dlsym(handle, entries[i].symbol);
    memcpy((char *)&driver + entries[i].offset, &function, sizeof function);
  }
}

const struct cs_host_driver *cs_host_driver(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  static int looked; /* asked for many times in each call of the program's */
  if (__atomic_load_n(&looked, __ATOMIC_ACQUIRE))
    return &driver;
  pthread_once(&once, find_driver);
  __atomic_store_n(&looked, 1, __ATOMIC_RELEASE);
  return &driver;
}

int cs_host_driver_present(void) {
  cs_host_driver();
  return present;
}

const struct cs_host_hook *cs_host_hook_for(const char *base, int version, int per_thread) {
  const struct cs_host_hook *best = NULL;
  for (const struct cs_host_hook *h = cs_host_hooks; h < cs_host_hooks + cs_host_hook_count; h++) {
    if (strcmp(h->base, base) != 0 || h->version > version || h->per_thread > per_thread)
      continue;
    if (!best || h->per_thread > best->per_thread || (h->per_thread == best->per_thread && h->version > best->version))
      best = h;
  }
  return best;
}

static const struct cs_host_hook *hook_named(const char *symbol) {
  for (const struct cs_host_hook *h = cs_host_hooks; h < cs_host_hooks + cs_host_hook_count; h++)
    if (strcmp(h->symbol, symbol) == 0)
      return h;
  return NULL;
}

/* What dlsym should answer instead of the loader's answer, or NULL to leave it alone. Only what the loader finds in the
 * real driver is replaced. RTLD_NEXT is another shim asking for what lies below it. */
__attribute__((visibility("hidden"))) void *cs_host_dlsym_instead(void *handle, const char *name);
void *cs_host_dlsym_instead(void *handle, const char *name) {
  loader_dlsym();
  if (handle == RTLD_NEXT || !name || name[0] != 'c' || name[1] != 'u' || cs_host_inside())
    return NULL;
  const struct cs_host_hook *hook = hook_named(name);
  if (!hook)
    return NULL;
  void *found = cs_host_real_dlsym(handle, name), *real = NULL;
  if (!found || found == (void *)hook->wrapper)
    return NULL;
  memcpy(&real, (const char *)cs_host_driver() + hook->offset, sizeof real);
  return found == real ? (void *)hook->wrapper : NULL;
}

/* dlsym itself. The loader reads its caller's address (RTLD_NEXT and RTLD_DEFAULT depend on it), so what is not replaced
 * must be a jump, never a call. */
#if defined(__x86_64__)
__asm__(".text\n"
        ".globl dlsym\n"
        ".type dlsym, @function\n"
        "dlsym:\n"
        ".cfi_startproc\n"
        "endbr64\n"
        "pushq %rdi\n"
        ".cfi_adjust_cfa_offset 8\n"
        "pushq %rsi\n"
        ".cfi_adjust_cfa_offset 8\n"
        "subq $8, %rsp\n"
        ".cfi_adjust_cfa_offset 8\n"
        "call cs_host_dlsym_instead\n"
        "addq $8, %rsp\n"
        ".cfi_adjust_cfa_offset -8\n"
        "popq %rsi\n"
        ".cfi_adjust_cfa_offset -8\n"
        "popq %rdi\n"
        ".cfi_adjust_cfa_offset -8\n"
        "testq %rax, %rax\n"
        "jne 1f\n"
        "jmp *cs_host_dlsym_next(%rip)\n"
        "1: ret\n"
        ".cfi_endproc\n"
        ".size dlsym, . - dlsym\n");
#elif defined(__aarch64__)
__asm__(".text\n"
        ".globl dlsym\n"
        ".type dlsym, %function\n"
        "dlsym:\n"
        ".cfi_startproc\n"
        "stp x29, x30, [sp, #-32]!\n"
        ".cfi_adjust_cfa_offset 32\n"
        "stp x0, x1, [sp, #16]\n"
        "bl cs_host_dlsym_instead\n"
        "mov x9, x0\n"
        "ldp x0, x1, [sp, #16]\n"
        "ldp x29, x30, [sp], #32\n"
        ".cfi_adjust_cfa_offset -32\n"
        "cbnz x9, 1f\n"
        "adrp x9, cs_host_dlsym_next\n"
        "ldr x9, [x9, :lo12:cs_host_dlsym_next]\n"
        "br x9\n"
        "1: mov x0, x9\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size dlsym, . - dlsym\n");
#else
#error "write dlsym's tail jump for this architecture"
#endif
