/* results.h: what `cusafe selftest` found, and its output. */
#ifndef CUSAFE_CLI_SELFTEST_RESULTS_H
#define CUSAFE_CLI_SELFTEST_RESULTS_H

#include "cli/selftest/bench.h"
#include <stdio.h>

enum cs_cli_outcome {
  CS_CLI_OUTCOME_SKIPPED, /* not requested, or useless after an earlier failure */
  CS_CLI_OUTCOME_HOLDS,
  CS_CLI_OUTCOME_ABSENT, /* the machine has nothing that the probe concerns */
  CS_CLI_OUTCOME_FAILS,
  CS_CLI_OUTCOME_CRASHED,
  CS_CLI_OUTCOME_HUNG,
};

enum cs_cli_weight { CS_CLI_WEIGHT_NEEDED, CS_CLI_WEIGHT_LOSES, CS_CLI_WEIGHT_SLOW };

struct cs_cli_probe_result {
  const char *name, *assumption, *consequence;
  enum cs_cli_weight weight;
  int under_cusafe;
  enum cs_cli_outcome outcome;
  char detail[256];
  double seconds;
};

enum cs_cli_verdict {
  CS_CLI_VERDICT_SKIPPED,
  CS_CLI_VERDICT_RIGHT,   /* the bug was reported, or its twin was not */
  CS_CLI_VERDICT_STATED,  /* not found, and CuSafe stated that the run was not fully checked */
  CS_CLI_VERDICT_REFUSED, /* the driver refused a call before the bug */
  CS_CLI_VERDICT_MISSED,
  CS_CLI_VERDICT_FALSE, /* the twin was reported */
  CS_CLI_VERDICT_ENDED, /* crashed or hung */
};

struct cs_cli_bug_result {
  const char *name, *kind;
  enum cs_cli_verdict bug, twin;
};

struct cs_cli_selftest {
  const char *device; /* cpu or gpu */
  struct cs_cli_probe_result *probes;
  struct cs_cli_bug_result *bugs;
  size_t probe_count, bug_count;
  int has_bench;
  double bare[CS_CLI_BENCH_KERNELS], checked[CS_CLI_BENCH_KERNELS]; /* microseconds; 0 where a run failed */
  double seconds;
};

/* A failed probe: the assumption does not hold, or the probe crashed or hung. */
int cs_cli_probe_failed(const struct cs_cli_probe_result *probe);
const char *cs_cli_outcome_name(enum cs_cli_outcome outcome);
const char *cs_cli_verdict_name(enum cs_cli_verdict verdict);

/* The last three sentences, each ends with a full stop. */
enum { CS_CLI_SENTENCES = 3, CS_CLI_SENTENCE = 2048 };
void cs_cli_selftest_conclude(const struct cs_cli_selftest *s, char sentences[CS_CLI_SENTENCES][CS_CLI_SENTENCE]);
/* 0 usable and nothing is lost, otherwise 1. */
int cs_cli_selftest_status(const struct cs_cli_selftest *s);

void cs_cli_selftest_print(const struct cs_cli_selftest *s, FILE *out);
void cs_cli_selftest_json(const struct cs_cli_selftest *s, FILE *out);
void cs_cli_selftest_html(const struct cs_cli_selftest *s, FILE *out);

#endif
