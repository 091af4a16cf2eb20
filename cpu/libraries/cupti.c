/* cupti.c: stands in for CUPTI, so that profilers measure nothing. */
#define TITLE "CUPTI"
#define STATUS "CUPTI_ERROR_NOT_SUPPORTED"
#define RESULT int
enum { SUCCESS, REFUSED = 27 };
#include "cpu/libraries/calls.h"

#include "cpu/libraries/cupti.inc"

CS_VERSION(cuptiGetVersion, 130000)

int cuptiGetResultString(int result, const char **text);
int cuptiGetResultString(int result, const char **text) {
  *text = result == REFUSED ? STATUS : result ? "an error of " TITLE : "CUPTI_SUCCESS";
  return SUCCESS;
}

int cuptiGetErrorMessage(int result, const char **text);
int cuptiGetErrorMessage(int result, const char **text) {
  return cuptiGetResultString(result, text);
}
