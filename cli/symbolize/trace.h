/* trace.h: a stack of a line of JSON, with names and lines. */
#ifndef CUSAFE_CLI_SYMBOLIZE_TRACE_H
#define CUSAFE_CLI_SYMBOLIZE_TRACE_H

#include "cli/findings/line.h"
#include "report/finding.h"
#include "report/json.h"

/* Starts as zeros. */
struct cs_cli_trace {
  struct cs_stack stack;
  int is_host;            /* 0: a stack of the device, or one that has lines: the rest is not filled */
  int has_python;         /* frames of Python, which are kept */
  struct cs_cli_part all; /* as it is in the line */
  void *arena;
};

/* Resolves the array of frames, as the user sees them: view.h. kernel: of a launch, whose stub is omitted; or NULL. */
void cs_cli_trace_resolve(struct cs_cli_trace *trace, struct cs_cli_part frames, const char *kernel);
void cs_cli_trace_release(struct cs_cli_trace *trace);

/* Writes the object of a frame, or the array of all. */
void cs_cli_trace_frame(struct cs_report_json *j, const char *key, const struct cs_cli_trace *trace,
                        const struct cs_source *frame);
void cs_cli_trace_write(struct cs_report_json *j, const char *key, const struct cs_cli_trace *trace);

/* The text of a string of the line, in the arena, without escapes; NULL for no part. */
const char *cs_cli_trace_text(void **arena, struct cs_cli_part part);

#endif
