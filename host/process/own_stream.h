/* own_stream.h: CuSafe's own copies, in a stream of the current context that waits for no stream of the program. They
 * neither join nor disturb a stream capture, so they may be made between any two calls of the program, and with locks
 * held. Any thread. */
#ifndef CUSAFE_HOST_PROCESS_OWN_STREAM_H
#define CUSAFE_HOST_PROCESS_OWN_STREAM_H

#include "host/base/driver.h"

/* Between these two, calls that a stream capture of the program forbids, such as allocations, are allowed in this
 * thread. */
CUstreamCaptureMode cs_host_capture_allow(void);
void cs_host_capture_restore(CUstreamCaptureMode mode);

/* Around several of the copies below, by one thread, which keeps its context meanwhile: they share what each would do
 * alone. */
void cs_host_own_enter(void);
void cs_host_own_leave(void);

/* Queue; the data must stay until cs_host_own_settle(). Each returns 0 or a CUresult. */
int cs_host_own_queue_zero(CUdeviceptr address, size_t bytes);
int cs_host_own_queue_write(CUdeviceptr address, const void *data, size_t bytes);
int cs_host_own_queue_read(void *data, CUdeviceptr address, size_t bytes);
int cs_host_own_settle(void);

/* Copy, and wait for the copy. */
int cs_host_own_zero(CUdeviceptr address, size_t bytes);
int cs_host_own_write(CUdeviceptr address, const void *data, size_t bytes);
int cs_host_own_read(void *data, CUdeviceptr address, size_t bytes);

#endif
