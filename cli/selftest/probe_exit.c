/* probe_exit.c: the probe of what the driver does while the process ends. */
#include "cli/selftest/driver.h"
#include "cli/selftest/probes.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* libcusafe's handler (host/hooks/start.c) is registered at the first call, too. */
static void at_exit(int status, void *unused) {
  (void)unused;
  CUresult error = cs_cli_cuda.CtxSynchronize();
  printf(CS_CLI_ANSWER "cuCtxSynchronize returns %s\n", cs_cli_probe_error(error));
  fflush(stdout);
  if (!status && error)
    _exit(CS_CLI_FAILS);
}

void cs_cli_probe_exit_order(void) {
  cs_cli_probe_open();
  on_exit(at_exit, NULL);
  CUfunction kernel = cs_cli_probe_kernel(cs_cli_probe_module("bare"), "read_constant");
  CUdeviceptr to = cs_cli_probe_buffer(sizeof(int));
  LAUNCH(kernel, NULL, &to);
  exit(CS_CLI_HOLDS);
}
