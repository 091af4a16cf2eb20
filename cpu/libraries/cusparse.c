/* cusparse.c: stands in for cuSPARSE. */
#define TITLE "cuSPARSE"
#define STATUS "CUSPARSE_STATUS_NOT_SUPPORTED"
#define RESULT int
enum { SUCCESS, REFUSED = 10 };
#include "cpu/libraries/calls.h"

#include "cpu/libraries/cusparse.inc"

CS_STATUS_TEXT(cusparseGetErrorString)
CS_STATUS_NAME(cusparseGetErrorName, "CUSPARSE_STATUS_SUCCESS")
CS_VERSION_OF_HANDLE(cusparseGetVersion, 12600)
CS_PROPERTY(cusparseGetProperty, 12, 6)
CS_QUIET_CALL(int, cusparseGetMatType, 0)
CS_QUIET_CALL(int, cusparseGetMatFillMode, 0)
CS_QUIET_CALL(int, cusparseGetMatDiagType, 0)
CS_QUIET_CALL(int, cusparseGetMatIndexBase, 0)
