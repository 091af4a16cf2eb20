/* cusparselt.c: stands in for cuSPARSELt. */
#define TITLE "cuSPARSELt"
#define STATUS "CUSPARSE_STATUS_NOT_SUPPORTED"
#define RESULT int
enum { SUCCESS, REFUSED = 10 };
#include "cpu/libraries/calls.h"

#include "cpu/libraries/cusparselt.inc"

CS_STATUS_TEXT(cusparseLtGetErrorString)
CS_STATUS_NAME(cusparseLtGetErrorName, "CUSPARSE_STATUS_SUCCESS")
CS_VERSION_OF_HANDLE(cusparseLtGetVersion, 1000)
CS_PROPERTY(cusparseLtGetProperty, 0, 10)
