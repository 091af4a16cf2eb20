/* lt_refuse.c: refuses calls of cuBLASLt for a reason. */
#include "cpu/libraries/lt_refuse.h"
#define TITLE "cuBLASLt"
#define STATUS "CUBLAS_STATUS_NOT_SUPPORTED"
enum { REFUSED = 15 };
#include "cpu/libraries/calls.h"

int cs_lt_refuse(const char *call, int is_work, const char *reason) {
  cs_library_refuse_for(call, is_work, reason);
  return REFUSED;
}
