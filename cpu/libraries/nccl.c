/* nccl.c: stands in for NCCL, whose statuses have no "not supported". */
#define TITLE "NCCL"
#define STATUS "ncclInvalidUsage"
#define RESULT int
enum { SUCCESS, REFUSED = 5 };
#include "cpu/libraries/calls.h"

#include "cpu/libraries/nccl.inc"

CS_STATUS_TEXT(ncclGetErrorString)
CS_STATUS_TEXT(pncclGetErrorString)
CS_QUIET_CALL(const char *, ncclGetLastError, "the CPU device has no NCCL")
CS_QUIET_CALL(const char *, pncclGetLastError, "the CPU device has no NCCL")
CS_VERSION(ncclGetVersion, 23007)
CS_VERSION(pncclGetVersion, 23007)
CS_VOID_CALL(ncclResetDebugInit, 0)
CS_VOID_CALL(pncclResetDebugInit, 0)
