/* stream.c: asks the driver about a stream of the program. */
#include "host/process/stream.h"
#include "host/base/degraded.h"
#include "host/process/own_stream.h"

int cs_host_has_ended(CUstream stream) {
  const struct cs_host_driver *d = cs_host_driver();
  unsigned flags = 0;
  if (!stream || !d->cuStreamGetFlags)
    return 0;
  CUresult result = d->cuStreamGetFlags(stream, &flags);
  if (!result && !(flags & CU_STREAM_NON_BLOCKING))
    return 0;
  if (!result) {
    CUstreamCaptureMode mode = cs_host_capture_allow();
    result = d->cuStreamQuery(stream);
    cs_host_capture_restore(mode);
  }
  if (result)
    cs_host_nothing_lost(); /* what waits for the stream waits longer */
  return !result;
}

int cs_host_is_capturing(CUstream stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  if (!cs_host_driver()->cuStreamIsCapturing || !cs_host_driver()->cuStreamIsCapturing(stream, &status))
    return status != CU_STREAM_CAPTURE_STATUS_NONE;
  if (cs_host_driver()->cuStreamIsCapturing(stream, &status)) { /* a failure may be transient */
    cs_host_nothing_lost();                                     /* the program's call on this stream fails as well */
    return 0;
  }
  cs_host_nothing_lost();
  return status != CU_STREAM_CAPTURE_STATUS_NONE;
}
