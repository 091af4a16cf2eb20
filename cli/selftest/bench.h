/* bench.h: three kernels, timed with events, in a process of their own: bare, and checked under `cusafe run`. */
#ifndef CUSAFE_CLI_SELFTEST_BENCH_H
#define CUSAFE_CLI_SELFTEST_BENCH_H

#define CS_CLI_BENCH_KERNELS 3
extern const char *const cs_cli_bench_kernels[CS_CLI_BENCH_KERNELS];

/* Answers with the microseconds of a launch of each kernel. code: "bare" or "checked". */
void cs_cli_bench_run(const char *code);

#endif
