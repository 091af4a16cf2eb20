/* options.h: the plugin's options (-mllvm -cusafe-...), as the steps read them. */
#ifndef CUSAFE_PASS_MODULE_OPTIONS_H
#define CUSAFE_PASS_MODULE_OPTIONS_H

/* What to leave unchecked: `cusafe cc --skip`. */
enum cs_pass_skip {
#define CS_SKIP(id, name) CS_PASS_SKIP_##id,
#include "cusafe/skips.inc"
  CS_PASS_SKIP_COUNT
};

/* What to look for besides errors of memory: `cusafe cc --detect`. */
enum cs_pass_detect {
#define CS_DETECT(id, name) CS_PASS_DETECT_##id,
#include "cusafe/detects.inc"
  CS_PASS_DETECT_COUNT
};

struct cs_pass_options {
  const char *runtime;    /* bitcode file of the device runtime */
  const char *metadata;   /* "table" or "window" */
  const char *eliminate;  /* which eliminations: "all", "none", or a list (reasons.inc) */
  const char *ignorelist; /* a file of functions and files that stay unchecked, or "" */
  const char *toolkit;    /* the folder of the CUDA toolkit, or "" (headers.h) */
  const char *registers;  /* file of the registers that the unchecked kernels use, or "" (registers.c) */
  unsigned skips;         /* bits by enum cs_pass_skip */
  unsigned detects;       /* bits by enum cs_pass_detect */
  int gpu;                /* the code is for a GPU, where address spaces differ */
  int bare;               /* no checks: only the steps that unchecked code needs */
  int optimise;           /* -O1 and above */
  int count;              /* count the checks that are executed */
  int sampled;            /* a bare form for kernels (launch/sampled.h) */
  int statistics;         /* print for each function what is checked, and why the rest is not */
  int unknown;            /* print each access that nothing bounds */
  int print_after;        /* number of a step (pipeline.h), or -1 */
  int stop_after;         /* number of a step, or -1 */
};

static inline int cs_pass_detects(const struct cs_pass_options *options, enum cs_pass_detect what) {
  return (int)(options->detects >> what & 1);
}

#endif
