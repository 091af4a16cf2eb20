/* format.h: what a report format is, and the totals of a run. All take their facts from one struct cs_finding. */
#ifndef CUSAFE_REPORT_FORMAT_H
#define CUSAFE_REPORT_FORMAT_H

#include "report/degraded.h"
#include "report/finding.h"

/* The totals of a run, for the summary, the HTML page and JSON. */
enum cs_form_used {
#define CS_FORM_USED(id, text) CS_FORM_USED_##id,
#include "report/forms.inc"
  CS_FORM_USED_COUNT
};

struct cs_run {
  const char *program;
  int pid;
  const struct cs_report_origin *origin; /* or NULL */
  cs_u64 milliseconds;                   /* since the first CUDA call */
  cs_u64 launches;                       /* graphs count as one */
  cs_u64 kernels;                        /* distinct ones, without those of graphs */
  cs_u64 buffers, bytes, most_bytes;     /* tracked: all, and the peak */
  cs_u64 untagged;                       /* allocations that are not tracked */
  cs_u64 operators;                      /* of PyTorch, computed on the host without checks */
  cs_u64 checks;                         /* executed, in the modules that count them */
  cs_u32 modules, counting;           /* checked ones, and those compiled with --count; counting 0: checks is unknown */
  cs_u32 silent;                      /* counting modules whose count is lost, because the device stopped */
  cs_u64 errors, findings, hidden;    /* hidden: by suppressions and the baseline */
  cs_u64 degraded[CS_DEGRADED_COUNT]; /* what was not checked */
  cs_u64 forms[CS_FORM_USED_COUNT];   /* launches by the kernel's form */
};

/* A report format. In text that is printed, findings follow each other after the head. A format with a tail is that of
 * a document: a file that is well formed after every finding, because each overwrites the tail and writes it again. */
struct cs_format {
  const char *name;        /* the value of the option `format`, or the option that names the file */
  int is_relative;         /* files are named relative to the working directory, for people */
  void (*head)(FILE *out); /* or NULL */
  void (*finding)(const struct cs_finding *finding, const struct cs_text_options *options, FILE *out);
  void (*leaks)(cs_u64 buffers, cs_u64 bytes, FILE *out); /* the total of a leak check; or NULL */
  void (*run)(const struct cs_run *run, FILE *out);       /* the end of a run, perhaps nothing; or NULL */
  const char *separator, *tail;                           /* of a document: between findings, and at its end; or NULL */
};

/* text       the report for people: in full, or in short if the finding belongs to an earlier report
 * oneline    file:line:column: error: ..., which editors and CI systems turn into links
 * memcheck   the output format of compute-sanitizer's memcheck, for scripts that parse it
 * json       one object on each line: docs/schema/finding.schema.json
 * sarif      a document: one run with a result for each finding, and one of the rule "not-checked" if it applies
 * html       a document: a page for people */
#define CS_FORMAT(id) extern const struct cs_format cs_format_##id;
#include "report/format.inc"

/* Starts the document's file, or continues an existing one if append. Returns 0, or -1 with one sentence in error. */
int cs_document_begin(const char *path, const struct cs_format *format, int append, char *error, size_t error_size);

/* Appends text that finding() or run() has written. A lock serialises processes that share the file. Returns 0, or -1
 * with errno. */
int cs_document_add(const char *path, const struct cs_format *format, const char *text, size_t bytes);

/* The lines of `cusafe run --summary=1`, each after this prefix. */
void cs_render_summary(const struct cs_run *run, const char *prefix, FILE *out);
/* Lines on what was not checked, each after this prefix; nothing if all was. */
void cs_render_degraded(const struct cs_run *run, const char *prefix, FILE *out);

#endif
