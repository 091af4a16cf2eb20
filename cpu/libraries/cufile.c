/* cufile.c: stands in for cuFile. */
struct file_error {
  int error, driver_error;
};
#define TITLE "cuFile"
#define STATUS "CU_FILE_PLATFORM_NOT_SUPPORTED"
#define RESULT struct file_error
#define SUCCESS (struct file_error){0}
#define REFUSED (struct file_error){5007, 0}
#include "cpu/libraries/calls.h"

#include "cpu/libraries/cufile.inc"

CS_REFUSED_CALL(long, cuFileRead, 1, -5007)
CS_REFUSED_CALL(long, cuFileReadv, 1, -5007)
CS_REFUSED_CALL(long, cuFileWrite, 1, -5007)
CS_REFUSED_CALL(long, cuFileWritev, 1, -5007)
CS_QUIET_CALL(long, cuFileUseCount, 0)

/* There is nothing to end. */
void cuFileHandleDeregister(void *handle);
void cuFileHandleDeregister(void *handle) {
  (void)handle;
}

void cuFileBatchIODestroy(void *batch);
void cuFileBatchIODestroy(void *batch) {
  (void)batch;
}
