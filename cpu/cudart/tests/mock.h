/* mock.h: a driver for unit tests: it has two devices, does nothing, and counts calls.
 *
 * Of the driver it exports only cuGetProcAddress_v2, so a runtime that resolves calls in another way fails. */
#ifndef CUSAFE_CUDART_TESTS_MOCK_H
#define CUSAFE_CUDART_TESTS_MOCK_H

#include "cpu/cudart/runtime.h"

#define MOCK_DEVICES 2

struct mock_launch {
  CUfunction function;
  unsigned grid[3], block[3], shared;
  CUstream stream;
  void **args;
};

void mock_reset(void);                               /* forget counts and results; contexts stay */
unsigned mock_calls(const char *name);               /* how often a call was made */
void mock_result(const char *name, CUresult result); /* what a call returns from now on */
const struct mock_launch *mock_last_launch(void);
const char *mock_function_name(CUfunction function);
CUstream mock_last_stream(void); /* of the last copy, fill or synchronisation in a stream */

/* Before the first runtime call only. */
void mock_set_devices(int count);
void mock_set_version(int version);
void mock_hide(const char *name); /* cuGetProcAddress does not find it */

#endif
