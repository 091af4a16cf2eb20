/* stream.h: the state of a program's stream. Any thread. */
#ifndef CUSAFE_HOST_PROCESS_STREAM_H
#define CUSAFE_HOST_PROCESS_STREAM_H

#include "host/base/driver.h"

int cs_host_is_capturing(CUstream stream);
/* Whether the stream has ended all work, and waits for no other stream: a blocking one also waits for the default
 * stream's work, which its own state does not show. The default stream cannot be asked: a capture forbids that. */
int cs_host_has_ended(CUstream stream);

#endif
