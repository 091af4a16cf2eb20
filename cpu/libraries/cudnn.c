/* cudnn.c: stands in for cuDNN; also found in place of its parts (libcudnn_ops and others). */
#define TITLE "cuDNN"
#define STATUS "CUDNN_STATUS_NOT_SUPPORTED"
#define RESULT int
enum { SUCCESS, ALLOC_FAILED = 1003, BAD_PARAM = 2000, REFUSED = 3000 };
#include "cpu/libraries/calls.h"
#include <stdlib.h>

#include "cpu/libraries/cudnn.inc"

/* A handle has a stream and computes nothing. It exists because XLA compiles no program without one, also where the
 * program has nothing for cuDNN to compute. */
struct handle {
  void *stream;
};

int cudnnCreate(struct handle **handle);
int cudnnDestroy(struct handle *handle);
int cudnnSetStream(struct handle *handle, void *stream);
int cudnnGetStream(const struct handle *handle, void **stream);

int cudnnCreate(struct handle **handle) {
  if (!handle)
    return BAD_PARAM;
  *handle = calloc(1, sizeof **handle);
  return *handle ? SUCCESS : ALLOC_FAILED;
}

int cudnnDestroy(struct handle *handle) {
  free(handle);
  return SUCCESS;
}

int cudnnSetStream(struct handle *handle, void *stream) {
  if (!handle)
    return BAD_PARAM;
  handle->stream = stream;
  return SUCCESS;
}

int cudnnGetStream(const struct handle *handle, void **stream) {
  if (!handle || !stream)
    return BAD_PARAM;
  *stream = handle->stream;
  return SUCCESS;
}

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
