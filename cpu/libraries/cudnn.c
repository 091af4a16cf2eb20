/* cudnn.c: stands in for cuDNN; also found in place of its parts (libcudnn_ops and others). */
#define TITLE "cuDNN"
#define STATUS "CUDNN_STATUS_NOT_SUPPORTED"
#define RESULT int
enum { SUCCESS, REFUSED = 3000 };
#include "cpu/libraries/calls.h"

#include "cpu/libraries/cudnn.inc"

CS_STATUS_TEXT(cudnnGetErrorString)
CS_PROPERTY(cudnnGetProperty, 9, 26)
CS_QUIET_CALL(unsigned long, cudnnGetVersion, 92600)
CS_QUIET_CALL(unsigned long, cudnnGetMaxDeviceVersion, 92600)
CS_QUIET_CALL(unsigned long, cudnnGetCudartVersion, CS_CUDART_VERSION)

void cudnnGetLastErrorString(char *text, unsigned long bytes);
void cudnnGetLastErrorString(char *text, unsigned long bytes) {
  if (bytes)
    *text = 0;
}
