/* advice.h: what the program has advised about checked managed memory. Nothing is moved; programs may ask. Any thread. */
#ifndef CUSAFE_HOST_PROCESS_ADVICE_H
#define CUSAFE_HOST_PROCESS_ADVICE_H

#include "host/base/driver.h"
#include "managed/advice.h"

/* advice 0 stands for a prefetch. */
CUresult cs_host_advice_give(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUmemLocation location);

/* What all of the range has in common. */
CUresult cs_host_advice_ask(void *data, size_t size, CUmem_range_attribute attribute, CUdeviceptr address,
                            size_t bytes);

/* 0 as long as nobody has advised anything. */
int cs_host_advice_given(void);

/* The buffer is freed. */
void cs_host_advice_forget(CUdeviceptr start, size_t bytes);

#endif
