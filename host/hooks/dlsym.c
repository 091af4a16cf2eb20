/* dlsym.c: replaces dlsym, so that calls of the driver and of run-time compilers which the program looks up by name are
 * CuSafe's. */
#include "host/base/driver.h"
#include "host/base/inside.h"
#include "host/base/loader.h"
#include "host/collect/collect.h"
#include "host/hooks/interpose.h"
#include "host/libraries/library.h"
#include <dlfcn.h>
#include <string.h>

/* Only what the loader finds in the real driver is replaced. */
static void *driver_instead(void *handle, const char *name) {
  const struct cs_host_hook *hook = cs_host_hook_named(name);
  if (!hook)
    return NULL;
  void *found = cs_host_real_dlsym(handle, name), *real = NULL;
  if (!found || found == (void *)hook->wrapper)
    return NULL;
  memcpy(&real, (const char *)cs_host_driver_of_program() + hook->offset, sizeof real);
  return found == real ? (void *)hook->wrapper : NULL;
}

static void *compiler_instead(void *handle, const char *name) {
  void *found = cs_host_collects(name) ? cs_host_real_dlsym(handle, name) : NULL;
  return found ? cs_host_collect_instead(name, found) : NULL;
}

static void *library_instead(void *handle, const char *name) {
  void *found = cs_host_real_dlsym(handle, name);
  return found ? cs_host_library_instead(name, found) : NULL;
}

/* The result that replaces the loader's, or NULL to leave it alone. RTLD_NEXT comes from another interposed library,
 * which asks for the function below it. */
__attribute__((visibility("hidden"))) void *cs_host_dlsym_instead(void *handle, const char *name);
void *cs_host_dlsym_instead(void *handle, const char *name) {
  cs_host_find_dlsym();
  if (handle == RTLD_NEXT || !name || cs_host_inside())
    return NULL;
  if (name[0] != 'c' || name[1] != 'u')
    return compiler_instead(handle, name);
  return cs_host_library_has(name) ? library_instead(handle, name) : driver_instead(handle, name);
}

/* dlsym itself. The loader reads its caller's address (RTLD_NEXT and RTLD_DEFAULT depend on it), so it must be reached
 * by a jump, never by a call. */
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
