/* engine.h: the OpenCL engine of the CPU driver. No other file uses OpenCL.
 *
 * The engine is any device of the ICD loader that accepts SPIR-V and has fine-grained system shared memory and the
 * generic address space. One OpenCL context serves all CUDA devices; each executor has its own queue, and so have the
 * kernels that locate variables. */
#ifndef CUSAFE_CPU_ENGINE_H
#define CUSAFE_CPU_ENGINE_H

#include <cuda.h>
#include <stddef.h>
#include <stdint.h>

struct cs_cpu_engine_info {
  char name[128];
  unsigned compute_units;
  unsigned clock_mhz; /* 0 when the engine does not report it */
  size_t local_bytes; /* maximum shared memory of a block */
  size_t max_group;   /* maximum threads in a block */
  size_t global_bytes;
  int sub_groups_of_32;
};

struct cs_cpu_program;
struct cs_cpu_entry; /* a kernel of a program */
struct cs_cpu_queue;

/* Finds and opens the engine. Idempotent. CUDA_ERROR_NO_DEVICE, after it has printed one sentence, when there is
 * none. */
CUresult cs_cpu_engine_start(void);
/* Valid after a successful start. */
const struct cs_cpu_engine_info *cs_cpu_engine_info(void);

struct cs_cpu_queue *cs_cpu_engine_queue(void); /* NULL on failure; never released */

/* Compiles a SPIR-V module; one for debuggers without optimisation where its kernels allow that. Any thread. A failure
 * prints the compiler's log and returns CUDA_ERROR_INVALID_IMAGE or a more specific error. `kernel` is the mangled name
 * that a notice shows when compiling takes long; NULL for the module of variables. */
CUresult cs_cpu_engine_build(const void *spirv, size_t bytes, int for_debuggers, const char *kernel,
                             struct cs_cpu_program **program);
void cs_cpu_engine_release_program(struct cs_cpu_program *program);
CUresult cs_cpu_engine_entry(struct cs_cpu_program *program, const char *name, struct cs_cpu_entry **entry);
void cs_cpu_engine_release_entry(struct cs_cpu_entry *entry);
/* The largest block the entry can run with. */
size_t cs_cpu_engine_entry_threads(struct cs_cpu_entry *entry);

/* Runs a kernel with the calling convention of cusafe/image.h and waits for it. Only the executor of the device calls
 * this, so an entry runs on one thread at a time. A group has threads[0] x threads[1] x threads[2] work-items. */
CUresult cs_cpu_engine_run(struct cs_cpu_queue *queue, struct cs_cpu_entry *entry, void *block, size_t dynamic_shared,
                           size_t groups, const size_t threads[3]);
/* Runs CS_KERNEL_GLOBALS, which stores the address of variable i to out[i]. Any thread. It has a queue of its own,
 * because the work in the executors' queues may wait for the caller. */
CUresult cs_cpu_engine_globals(struct cs_cpu_program *program, uint64_t *out);

#endif
