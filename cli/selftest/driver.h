/* driver.h: the CUDA driver as a probe uses it, in a child process: whatever a probe cannot do ends the process. */
#ifndef CUSAFE_CLI_SELFTEST_DRIVER_H
#define CUSAFE_CLI_SELFTEST_DRIVER_H

#include <cuda.h>
#include <stddef.h>

/* The exit status of a probe's process. */
enum { CS_CLI_HOLDS = 0, CS_CLI_FAILS = 1, CS_CLI_ABSENT = 77 };

/* Calls that the driver does not have are NULL. */
struct cs_cli_cuda {
#define CS_CLI_CUDA(name) __typeof__(cu##name) *name;
#include "cli/selftest/calls.inc"
};
extern struct cs_cli_cuda cs_cli_cuda;

/* Print what was found, as the probe's answer, and end the process. The answer's prefix tells it from other output. */
#define CS_CLI_ANSWER "selftest: "
_Noreturn void cs_cli_probe_end(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* CALL(Name, arguments): ends the probe as failed if the call is missing or returns an error. */
void cs_cli_probe_check(const char *name, int is_present, CUresult result);
#define CALL(name, ...)                                                                                                \
  cs_cli_probe_check("cu" #name, cs_cli_cuda.name != NULL,                                                             \
                     cs_cli_cuda.name ? cs_cli_cuda.name(__VA_ARGS__) : CUDA_SUCCESS)
/* The name of an error, such as CUDA_ERROR_UNKNOWN. */
const char *cs_cli_probe_error(CUresult error);

/* Loads libcuda.so.1, initialises it, and makes the primary context of the first device current. */
void cs_cli_probe_load(void);
void cs_cli_probe_open(void);
int cs_cli_probe_devices(void); /* at least 1 */

/* The folder of the device code, and its form: "ptx" or "image". Before the other functions. */
void cs_cli_probe_code(const char *folder, const char *form);
CUmodule cs_cli_probe_module(const char *name); /* "bare" or "checked" */
CUfunction cs_cli_probe_kernel(CUmodule module, const char *name);

/* One thread in a stream. The pointers to the arguments follow the stream. */
#define LAUNCH(kernel, stream, ...)                                                                                    \
  CALL(LaunchKernel, kernel, 1, 1, 1, 1, 1, 1, 0, stream, (void *[]){__VA_ARGS__}, NULL)

/* A buffer of zeros. */
CUdeviceptr cs_cli_probe_buffer(size_t bytes);
/* Pinned memory that the device accesses at *device. */
volatile int *cs_cli_probe_pinned(CUdeviceptr *device);

#endif
