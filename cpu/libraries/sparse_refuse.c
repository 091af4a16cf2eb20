/* sparse_refuse.c: refuses calls of cuSPARSE for a reason. */
#include "cpu/libraries/sparse_refuse.h"
#define TITLE "cuSPARSE"
#define STATUS "CUSPARSE_STATUS_NOT_SUPPORTED"
enum { REFUSED = 10 };
#include "cpu/libraries/calls.h"

int cs_sparse_refuse(const char *call, int is_work, const char *reason) {
  cs_library_refuse_for(call, is_work, reason);
  return REFUSED;
}
