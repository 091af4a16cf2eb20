/* engine.h: whether OpenCL devices can run the CPU device's code. */
#ifndef CUSAFE_CLI_ENGINE_H
#define CUSAFE_CLI_ENGINE_H

/* Prints for each OpenCL device which requirements it meets. Returns 0 if one meets all. */
int cs_cli_engine_report(void);

/* In child processes, because an engine may crash or never return: print the devices, one a line; try a requirement,
 * DEVICE:NUMBER, and print what is missing. */
int cs_cli_engine_list(void);
int cs_cli_engine_try(const char *which);

#endif
