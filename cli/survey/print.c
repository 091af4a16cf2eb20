/* print.c: prints the survey's table and its reasons, and writes the JSON. */
#include "cli/survey/print.h"
#include "cli/base/message.h"
#include "cli/survey/lines.h"
#include "report/print.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sum {
  int folders, built, ran, passed, findings;
};

static struct sum add_up(const struct cs_cli_folders *folders, const struct cs_cli_result *results) {
  struct sum sum = {0};
  for (size_t i = 0; i < folders->count; i++) {
    sum.folders += results[i].done;
    sum.built += results[i].built;
    sum.ran += results[i].ran;
    sum.passed += results[i].passed;
    sum.findings += results[i].findings > 0;
  }
  return sum;
}

struct group {
  const char *reason;
  int count;
};

static int by_count(const void *a, const void *b) {
  const struct group *x = a, *y = b;
  return x->count != y->count ? y->count - x->count : strcmp(x->reason, y->reason);
}

/* The caller frees the result. *count is 0 if nothing failed. */
static struct group *group_reasons(const struct cs_cli_folders *folders, const struct cs_cli_result *results,
                                   size_t *count) {
  struct group *groups = calloc(folders->count + 1, sizeof *groups);
  *count = 0;
  for (size_t i = 0; groups && i < folders->count; i++) {
    size_t g = 0;
    if (!*results[i].reason)
      continue;
    while (g < *count && strcmp(groups[g].reason, results[i].reason) != 0)
      g++;
    *count += g == *count;
    groups[g].reason = results[i].reason;
    groups[g].count++;
  }
  if (groups)
    qsort(groups, *count, sizeof *groups, by_count);
  return groups;
}

static const char *yes(int it) {
  return it ? "yes" : "no";
}

static void print_row(const struct cs_cli_survey *s, const char *name, const struct cs_cli_result *r, int width) {
  int asked = r->built && !s->build_only;
  cs_report_print(stdout, "%-*s  %-5s  %-3s  %-6s  ", width, name, yes(r->built), asked ? yes(r->ran) : "-",
                  r->ran ? yes(r->passed) : "-");
  if (asked)
    cs_report_print(stdout, "%-8d", r->findings);
  else
    cs_report_print(stdout, "%-8s", "-");
  cs_report_print(stdout, "  %s\n", r->reason);
}

void cs_cli_survey_print(const struct cs_cli_survey *s, const struct cs_cli_folders *folders,
                         const struct cs_cli_result *results) {
  int width = 6;
  size_t count;
  for (size_t i = 0; i < folders->count; i++)
    width = (int)strlen(folders->items[i].name) > width ? (int)strlen(folders->items[i].name) : width;
  cs_report_print(stdout, "%-*s  built  ran  passed  findings  reason\n", width, "folder");
  for (size_t i = 0; i < folders->count; i++)
    if (results[i].done)
      print_row(s, folders->items[i].name, &results[i], width);
  struct group *groups = group_reasons(folders, results, &count);
  if (count)
    puts("\nreasons:");
  for (size_t g = 0; g < count; g++)
    cs_report_print(stdout, "%5d  %s\n", groups[g].count, groups[g].reason);
  free(groups);
  struct sum sum = add_up(folders, results);
  cs_report_print(stdout, "\nsurvey: %d folders, %d built, %d ran, %d passed, %d with findings\n", sum.folders,
                  sum.built, sum.ran, sum.passed, sum.findings);
}

static void put_all(FILE *out, const struct cs_cli_folders *folders, const struct cs_cli_result *results) {
  size_t count;
  const char *between = "\n";
  fputs("{\n  \"folders\": [", out);
  for (size_t i = 0; i < folders->count; i++)
    if (results[i].done) {
      fprintf(out, "%s    {", between);
      cs_cli_survey_put_members(out, folders->items[i].name, &results[i]);
      fputc('}', out);
      between = ",\n";
    }
  fputs("\n  ],\n  \"reasons\": [", out);
  struct group *groups = group_reasons(folders, results, &count);
  for (size_t g = 0; g < count; g++) {
    fprintf(out, "%s\n    {\"count\": %d, \"reason\": ", g ? "," : "", groups[g].count);
    cs_cli_survey_put_string(out, groups[g].reason);
    fputc('}', out);
  }
  free(groups);
  struct sum sum = add_up(folders, results);
  fprintf(out,
          "\n  ],\n  \"survey\": {\"folders\": %d, \"built\": %d, \"ran\": %d, \"passed\": %d, \"with_findings\": "
          "%d}\n}\n",
          sum.folders, sum.built, sum.ran, sum.passed, sum.findings);
}

int cs_cli_survey_write_json(const char *path, const struct cs_cli_folders *folders,
                             const struct cs_cli_result *results) {
  FILE *out = fopen(path, "w");
  if (!out)
    return cs_cli_fail("cannot write %s: %s.", path, strerror(errno)), -1;
  put_all(out, folders, results);
  return fclose(out) == 0 ? 0 : (cs_cli_fail("cannot write %s: %s.", path, strerror(errno)), -1);
}
