/* refused.h: code that the CPU device cannot run, though a GPU could (cusafe/refused.h). Errors that a GPU returns,
 * too, do not count. */
#ifndef CUSAFE_CPU_REFUSED_H
#define CUSAFE_CPU_REFUSED_H

#include <cuda.h>

void cs_cpu_count_refusal(void);
int cs_cpu_is_loading_ahead(void);

/* The call fails with this error because the CPU device cannot run the code. Returns the error. */
static inline CUresult cs_cpu_refuse(CUresult error) {
  cs_cpu_count_refusal();
  return error;
}

#endif
