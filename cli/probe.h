/* probe.h: queries the OpenCL and CUDA drivers. Loads their libraries, which may crash: call it in a child process. */
#ifndef CUSAFE_CLI_PROBE_H
#define CUSAFE_CLI_PROBE_H

/* Print one line about the CPU's OpenCL device, or about the GPUs. Return 0 if it is usable, else 1. */
int cs_cli_probe_engine(void);
int cs_cli_probe_gpu(void);

#endif
