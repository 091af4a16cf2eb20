/* advice.h: the program's advice on checked managed memory. Nothing is migrated; programs may query the advice. Any
 * thread. */
#ifndef CUSAFE_HOST_PROCESS_ADVICE_H
#define CUSAFE_HOST_PROCESS_ADVICE_H

#include "host/base/driver.h"
#include "managed/advice.h"

/* advice 0 represents a prefetch. */
CUresult cs_host_advice_give(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUmemLocation location);

/* Answers cuMemRangeGetAttribute with what the whole range has in common. */
CUresult cs_host_advice_ask(void *data, size_t size, CUmem_range_attribute attribute, CUdeviceptr address,
                            size_t bytes);

/* Whether there is any advice. Takes no lock. */
int cs_host_advice_given(void);

/* The buffer is freed. */
void cs_host_advice_forget(CUdeviceptr start, size_t bytes);
void cs_host_advice_forget_freed(void); /* a device's buffers are gone */

#endif
