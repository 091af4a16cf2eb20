/* solver_refuse.c: refuses calls of cuSOLVER for a reason. */
#include "cpu/libraries/solver_refuse.h"
#define TITLE "cuSOLVER"
#define STATUS "CUSOLVER_STATUS_NOT_SUPPORTED"
enum { REFUSED = 9 };
#include "cpu/libraries/calls.h"

int cs_solver_refuse(const char *call, int is_work, const char *reason) {
  cs_library_refuse_for(call, is_work, reason);
  return REFUSED;
}
