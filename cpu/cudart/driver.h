/* driver.h: the driver's entry points. */
#ifndef CUSAFE_CUDART_DRIVER_H
#define CUSAFE_CUDART_DRIVER_H

#include "cpu/cudart/api.h"
#include "cusafe/refused.h"
#include "cusafe/symbol.h"

/* The driver's calls as cuGetProcAddress gave them; NULL for one that this driver does not have. */
struct cs_cudart_driver {
#define CS_CUDART_DRIVER(name, version) PFN_cu##name##_v##version name;
#include "cpu/cudart/driver.inc"
#undef CS_CUDART_DRIVER
};
extern struct cs_cudart_driver cs_cudart_cu;
extern cs_symbol_report *cs_cudart_symbol_report; /* NULL without libcusafe */
extern cs_refusals *cs_cudart_refusals;           /* these three: NULL unless the driver is the CPU device's */
extern cs_loads_ahead *cs_cudart_loads_ahead;
extern cs_launch_refused *cs_cudart_launch_refused;

/* One driver call: CU(MemAlloc, &pointer, size). */
#define CU(name, ...) (cs_cudart_cu.name ? cs_cudart_cu.name(__VA_ARGS__) : cs_cudart_driver_lacks("cu" #name))

/* Loads and initialises the driver once. Returns the same error from then on when that failed; cudaErrorCudartUnloading
 * once the process has begun to exit, because the driver may be gone before static destructors have run. */
cudaError_t cs_cudart_driver_ready(void);
int cs_cudart_driver_version(void); /* 0 when there is none */
int cs_cudart_exiting(void);

/* Each prints one sentence, once for each name. */
CUresult cs_cudart_driver_lacks(const char *name);   /* CUDA_ERROR_NOT_SUPPORTED */
cudaError_t cs_cudart_unsupported(const char *name); /* cudaErrorNotSupported, the thread's last error from now on */
void cs_cudart_print_unsupported(const char *name);

#endif
