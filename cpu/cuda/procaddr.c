/* procaddr.c: the entry points: what a call from outside passes, and cuGetProcAddress, from a name and a version to an
 * entry point. */
#include "cpu/cuda/base/anomaly.h"
#include "cpu/cuda/base/limits.h"
#include "report/print.h"
#include <cudaProfiler.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* ---- the exported symbols ----
 *
 * Each jumps to the function (entry_names.h). While CUSAFE_CPU_ANOMALY requests failures of calls, it asks
 * cs_cpu_anomaly_call() first. A jump needs no prototype, so the list of entry points suffices. No entry point takes a
 * floating-point argument by value. */
#if defined(__x86_64__)
#define ENTRY(symbol)                                                                                                  \
  __asm__(".text\n.p2align 4\n.globl " #symbol "\n.type " #symbol ", @function\n" #symbol ":\n.cfi_startproc\n"        \
          "endbr64\n"                                                                                                  \
          "cmpb $0, cs_cpu_anomaly_of_calls(%rip)\n"                                                                   \
          "jne 1f\n"                                                                                                   \
          "jmp cs_cpu_call_" #symbol "\n"                                                                              \
          "1: leaq cs_cpu_call_" #symbol "(%rip), %r11\n"                                                              \
          "leaq 2f(%rip), %rax\n"                                                                                      \
          "jmp cs_cpu_ask\n"                                                                                           \
          ".cfi_endproc\n.size " #symbol ", . - " #symbol "\n"                                                         \
          ".section .rodata.str1.1, \"aMS\", @progbits, 1\n2: .asciz \"" #symbol "\"\n.text\n");
/* rax: the symbol; r11: the function. */
__asm__(".text\n"
        ".type cs_cpu_ask, @function\n"
        "cs_cpu_ask:\n"
        ".cfi_startproc\n"
        "pushq %rdi\npushq %rsi\npushq %rdx\npushq %rcx\npushq %r8\npushq %r9\npushq %r11\n"
        ".cfi_adjust_cfa_offset 56\n"
        "movq %rax, %rdi\n"
        "call cs_cpu_anomaly_call\n"
        "popq %r11\npopq %r9\npopq %r8\npopq %rcx\npopq %rdx\npopq %rsi\npopq %rdi\n"
        ".cfi_adjust_cfa_offset -56\n"
        "testl %eax, %eax\n"
        "jne 1f\n"
        "jmp *%r11\n"
        "1: ret\n"
        ".cfi_endproc\n"
        ".size cs_cpu_ask, . - cs_cpu_ask\n");
#elif defined(__aarch64__)
#define ENTRY(symbol)                                                                                                  \
  __asm__(".text\n.p2align 4\n.globl " #symbol "\n.type " #symbol ", %function\n" #symbol ":\n.cfi_startproc\n"        \
          "adrp x16, cs_cpu_anomaly_of_calls\n"                                                                        \
          "ldrb w16, [x16, :lo12:cs_cpu_anomaly_of_calls]\n"                                                           \
          "cbnz w16, 1f\n"                                                                                             \
          "b cs_cpu_call_" #symbol "\n"                                                                                \
          "1: adrp x16, cs_cpu_call_" #symbol "\n"                                                                     \
          "add x16, x16, :lo12:cs_cpu_call_" #symbol "\n"                                                              \
          "adrp x17, 2f\n"                                                                                             \
          "add x17, x17, :lo12:2f\n"                                                                                   \
          "b cs_cpu_ask\n"                                                                                             \
          ".cfi_endproc\n.size " #symbol ", . - " #symbol "\n"                                                         \
          ".section .rodata.str1.1, \"aMS\", %progbits, 1\n2: .asciz \"" #symbol "\"\n.text\n");
/* x17: the symbol; x16: the function. */
__asm__(".text\n"
        ".type cs_cpu_ask, %function\n"
        "cs_cpu_ask:\n"
        ".cfi_startproc\n"
        "stp x29, x30, [sp, #-96]!\n"
        ".cfi_adjust_cfa_offset 96\n"
        "stp x0, x1, [sp, #16]\nstp x2, x3, [sp, #32]\nstp x4, x5, [sp, #48]\nstp x6, x7, [sp, #64]\n"
        "str x16, [sp, #80]\n"
        "mov x0, x17\n"
        "bl cs_cpu_anomaly_call\n"
        "mov w17, w0\n"
        "ldp x0, x1, [sp, #16]\nldp x2, x3, [sp, #32]\nldp x4, x5, [sp, #48]\nldp x6, x7, [sp, #64]\n"
        "ldr x16, [sp, #80]\n"
        "ldp x29, x30, [sp], #96\n"
        ".cfi_adjust_cfa_offset -96\n"
        "cbnz w17, 1f\n"
        "br x16\n"
        "1: mov w0, w17\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size cs_cpu_ask, . - cs_cpu_ask\n");
#else
#error "write the jumps of the entry points for this architecture"
#endif

#define CS_CPU_RUNS(name, symbol, since, is_per_thread)                                                                \
  ENTRY(symbol)                                                                                                        \
  extern CUresult cs_cpu_address_of_##symbol(void) __asm__(#symbol);
#define CS_CPU_LACKS(name, symbol, since, is_per_thread)                                                               \
  extern CUresult cs_cpu_address_of_##symbol(void) __asm__(                                                            \
      #symbol); /* unsupported_calls.c, which does not see cuda.h */
#include "cpu/cuda/entry_points.inc"

/* ---- cuGetProcAddress ---- */

struct entry {
  const char *name;
  void *address;
  int since;
  int per_thread;
};

static const struct entry entries[] = {
#define CS_CPU_RUNS(name, symbol, since, is_per_thread)                                                                \
  {#name, (void *)cs_cpu_address_of_##symbol, since, is_per_thread},
#define CS_CPU_LACKS(name, symbol, since, is_per_thread)                                                               \
  {#name, (void *)cs_cpu_address_of_##symbol, since, is_per_thread},
#include "cpu/cuda/entry_points.inc"
};

/* The newest entry that is not newer than the version. A per-thread form takes precedence where the caller requests
 * one. */
static const struct entry *find(const char *name, int version, int per_thread, int *known) {
  const struct entry *best = NULL;
  *known = 0;
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
    const struct entry *entry = &entries[i];
    if (strcmp(entry->name, name) != 0)
      continue;
    *known = 1;
    if (entry->since > version || (entry->per_thread && !per_thread))
      continue;
    int newer = !best || entry->per_thread > best->per_thread ||
                (entry->per_thread == best->per_thread && entry->since > best->since);
    best = newer ? entry : best;
  }
  return best;
}

CUresult cuGetProcAddress_v2(const char *symbol, void **address, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *status) {
  const cuuint64_t known_flags = CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  if (!symbol || !address || version > cs_cpu_anomalies()->version || (flags & ~known_flags) || flags == known_flags)
    return CUDA_ERROR_INVALID_VALUE;
  int known;
  int per_thread = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
  const struct entry *entry = find(symbol, version, per_thread, &known);
  *address = entry ? entry->address : NULL;
  if (status)
    *status = entry   ? CU_GET_PROC_ADDRESS_SUCCESS
              : known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                      : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return CUDA_SUCCESS;
}

CUresult cuGetProcAddress(const char *symbol, void **address, int version, cuuint64_t flags) {
  CUdriverProcAddressQueryResult status;
  CUresult result = cuGetProcAddress_v2(symbol, address, version, flags, &status);
  return result == CUDA_SUCCESS && status != CU_GET_PROC_ADDRESS_SUCCESS ? CUDA_ERROR_NOT_FOUND : result;
}

/* The file of the code at this address. */
static const char *file_of(const void *code) {
  Dl_info info;
  return dladdr(code, &info) && info.dli_fname ? info.dli_fname : "";
}

/* NVIDIA's run-time compilers ask for a table, too, and work without it. */
static int is_compiler(const char *file) {
  const char *slash = strrchr(file, '/');
  return slash && (strncmp(slash, "/libnvJitLink.", 14) == 0 || strncmp(slash, "/libnvrtc.", 10) == 0);
}

/* Export tables are private to NVIDIA's own libraries, such as its runtime, which is in the caller's file if it is
 * static. The exported symbol jumps here, so the caller is the library's. */
CUresult cuGetExportTable(const void **table, const CUuuid *id) {
  static atomic_int printed;
  (void)id;
  const char *caller = file_of(__builtin_return_address(0));
  if (!is_compiler(caller) && !atomic_exchange(&printed, 1))
    cs_report_print(stderr,
                    "cusafe: %s contains code of NVIDIA that works with NVIDIA's driver only, most likely the static "
                    "CUDA runtime: link it with 'nvcc -cudart shared', or build the package from source with the "
                    "shared runtime, to run it on the CPU device.\n",
                    caller);
  if (table)
    *table = NULL;
  return CUDA_ERROR_NOT_SUPPORTED;
}
