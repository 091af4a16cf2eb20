/* probe.h: asking drivers what they have. These calls load foreign libraries, so they run in a child process. */
#ifndef CUSAFE_CLI_PROBE_H
#define CUSAFE_CLI_PROBE_H

/* Print one sentence about the best OpenCL device for the CPU, or about the GPUs. Return 0 if it can be used, else 1. */
int cs_cli_probe_engine(void);
int cs_cli_probe_gpu(void);

#endif
