/* formats.h: every renderer but the text for people (finding.h). All take their facts from one struct cs_finding. */
#ifndef CUSAFE_REPORT_FORMATS_H
#define CUSAFE_REPORT_FORMATS_H

#include "report/finding.h"

/* One JSON object on one line: docs/schema/finding.schema.json. */
void cs_render_json(const struct cs_finding *finding, const struct cs_text_options *options, FILE *out);

/* file:line:column: error: ..., which editors and CI systems turn into links. */
void cs_render_oneline(const struct cs_finding *finding, const struct cs_text_options *options, FILE *out);

/* The lines of compute-sanitizer's memcheck, for scripts that look for them: a head, findings, leaks if they were looked for, and
 * the total. */
void cs_render_memcheck_head(FILE *out);
void cs_render_memcheck(const struct cs_finding *finding, const struct cs_text_options *options, FILE *out);
void cs_render_memcheck_leaks(cs_u64 buffers, cs_u64 bytes, FILE *out);
void cs_render_memcheck_total(cs_u64 errors, FILE *out);

/* A file that is well formed after every finding: its head, then the findings, then its tail, which the next one overwrites.
 * SARIF (one run) and HTML are written so. */
struct cs_document {
  void (*head)(FILE *out);
  void (*finding)(const struct cs_finding *finding, const struct cs_text_options *options, FILE *out);
  const char *separator, *tail;
};
extern const struct cs_document cs_sarif, cs_html;

/* Begins the file, or goes on with the one that is there if append. Returns 0, or -1 with one sentence in error. */
int cs_document_begin(const char *path, const struct cs_document *document, int append, char *error, size_t error_size);

/* Adds text that the document's finding() has made. Processes that share the file take turns. Returns 0, or -1 with errno. */
int cs_document_add(const char *path, const struct cs_document *document, const char *text, size_t bytes);

/* What became of a run, for the end of the HTML page. */
struct cs_run {
  const char *program;
  int pid;
  cs_u64 milliseconds;               /* since the first CUDA call */
  cs_u64 launches;                   /* graphs count as one */
  cs_u64 kernels;                    /* different ones, without those of graphs */
  cs_u64 buffers, bytes, most_bytes; /* watched: all, and the most at any time */
  cs_u64 untagged;                   /* requests that got no watched buffer */
  cs_u64 checks;                     /* executed, in the modules that count them */
  cs_u32 modules, counting;          /* checked ones, and of those the ones that were counted; 0: checks is not known */
  cs_u32 silent;                     /* those that count, but whose count is lost */
  cs_u64 errors, findings, hidden;   /* hidden: by suppressions and the baseline */
};
/* The lines of `cusafe run --summary=1`, each behind this prefix. */
void cs_render_summary(const struct cs_run *run, const char *prefix, FILE *out);
void cs_render_html_run(const struct cs_run *run, FILE *out);
void cs_render_json_run(const struct cs_run *run, FILE *out);

#endif
