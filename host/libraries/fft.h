/* fft.h: the plans of cuFFT, and what an execution of each reads and writes. Any thread. */
#ifndef CUSAFE_HOST_LIBRARIES_FFT_H
#define CUSAFE_HOST_LIBRARIES_FFT_H

#include "host/findings/span.h"

/* Empty for a plan whose layout is not known. *from and *to lose CuSafe's marks. An execution in place reads what it
 * writes, in the larger of both layouts. */
struct cs_host_span cs_host_fft_reads(int plan, void **from, const void *to);
struct cs_host_span cs_host_fft_writes(int plan, void **to);

#define CS_HOST_PLAN(name, parameters, arguments, plan_number, is_new, ...) int name parameters;
#include "host/libraries/fft.inc"

#endif
