/* vmm_driver.h: the heap's virtual memory calls, made through the real driver in the current context. */
#ifndef CUSAFE_HOST_PROCESS_VMM_DRIVER_H
#define CUSAFE_HOST_PROCESS_VMM_DRIVER_H

#include "host/heap/vmm.h"

extern const struct cs_host_vmm cs_host_vmm_driver;

#endif
