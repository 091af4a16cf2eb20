/* formats.h: every renderer but the text for people (finding.h). All take their facts from one struct cs_finding. */
#ifndef CUSAFE_REPORT_FORMATS_H
#define CUSAFE_REPORT_FORMATS_H

#include "report/degraded.h"
#include "report/finding.h"

/* One JSON object on one line: docs/schema/finding.schema.json. */
void cs_render_json(const struct cs_finding *finding, const struct cs_text_options *options, FILE *out);

/* file:line:column: error: ..., which editors and CI systems turn into links. */
void cs_render_oneline(const struct cs_finding *finding, const struct cs_text_options *options, FILE *out);

/* The output format of compute-sanitizer's memcheck, for scripts that parse it: a head, findings, leaks if they are checked, and
 * the total. */
void cs_render_memcheck_head(FILE *out);
void cs_render_memcheck(const struct cs_finding *finding, const struct cs_text_options *options, FILE *out);
void cs_render_memcheck_leaks(cs_u64 buffers, cs_u64 bytes, FILE *out);
void cs_render_memcheck_total(cs_u64 errors, FILE *out);

/* A file that is well formed after every finding: its head, then the findings, then its tail, which the next finding overwrites.
 * For SARIF (one run) and HTML. */
struct cs_document {
  void (*head)(FILE *out);
  void (*finding)(const struct cs_finding *finding, const struct cs_text_options *options, FILE *out);
  const char *separator, *tail;
};
extern const struct cs_document cs_sarif, cs_html;

/* Starts the file, or continues an existing one if append. Returns 0, or -1 with one sentence in error. */
int cs_document_begin(const char *path, const struct cs_document *document, int append, char *error, size_t error_size);

/* Appends text that the document's finding() has written. A lock serialises processes that share the file. Returns 0, or -1 with
 * errno. */
int cs_document_add(const char *path, const struct cs_document *document, const char *text, size_t bytes);

/* The totals of a run, for the summary, the HTML page and JSON. */
enum cs_form_used {
#define CS_FORM_USED(id, text) CS_FORM_USED_##id,
#include "report/forms.inc"
  CS_FORM_USED_COUNT
};

struct cs_run {
  const char *program;
  int pid;
  cs_u64 milliseconds;                /* since the first CUDA call */
  cs_u64 launches;                    /* graphs count as one */
  cs_u64 kernels;                     /* distinct ones, without those of graphs */
  cs_u64 buffers, bytes, most_bytes;  /* tracked: all, and the peak */
  cs_u64 untagged;                    /* allocations that are not tracked */
  cs_u64 checks;                      /* executed, in the modules that count them */
  cs_u32 modules, counting;           /* checked ones, and those compiled with --count; counting 0: checks is unknown */
  cs_u32 silent;                      /* counting modules whose count is lost, because the device stopped */
  cs_u64 errors, findings, hidden;    /* hidden: by suppressions and the baseline */
  cs_u64 degraded[CS_DEGRADED_COUNT]; /* what was not checked */
  cs_u64 forms[CS_FORM_USED_COUNT];   /* launches by the kernel's form */
};
/* The lines of `cusafe run --summary=1`, each after this prefix. */
void cs_render_summary(const struct cs_run *run, const char *prefix, FILE *out);
/* Lines on what was not checked, each after this prefix; nothing if all was. */
void cs_render_degraded(const struct cs_run *run, const char *prefix, FILE *out);
void cs_render_html_run(const struct cs_run *run, FILE *out);
void cs_render_json_run(const struct cs_run *run, FILE *out);
/* A result of the rule "not-checked"; nothing if all was checked. */
void cs_render_sarif_run(const struct cs_run *run, FILE *out);

#endif
