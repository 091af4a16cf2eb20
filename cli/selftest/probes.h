/* probes.h: one function for each assumption about the driver and the device (probes.inc). Each runs in its own
 * process, may crash or hang there, and returns, or ends the process with cs_cli_probe_end(). One that returns has
 * succeeded. */
#ifndef CUSAFE_CLI_SELFTEST_PROBES_H
#define CUSAFE_CLI_SELFTEST_PROBES_H

#define CS_CLI_PROBE(name, ...) void cs_cli_probe_##name(void);
#include "cli/selftest/probes.inc"

#endif
