/* results.c: judges and prints the results of `cusafe selftest`. */
#include "cli/selftest/results.h"
#include "report/json.h"
#include "report/print.h"
#include <string.h>

int cs_cli_probe_failed(const struct cs_cli_probe_result *probe) {
  return probe->outcome >= CS_CLI_OUTCOME_FAILS;
}

const char *cs_cli_outcome_name(enum cs_cli_outcome outcome) {
  static const char *const names[] = {"skipped", "holds", "absent", "fails", "crashed", "hung"};
  return names[outcome];
}

const char *cs_cli_verdict_name(enum cs_cli_verdict verdict) {
  static const char *const names[] = {"skipped", "right", "stated", "refused", "missed", "false", "ended"};
  return names[verdict];
}

struct counts {
  size_t run, right, stated, missed, wrong, twins_right;
};

static struct counts count_bugs(const struct cs_cli_selftest *s) {
  struct counts c = {0};
  for (size_t i = 0; i < s->bug_count; i++) {
    const struct cs_cli_bug_result *b = &s->bugs[i];
    c.run += b->bug != CS_CLI_VERDICT_SKIPPED;
    c.right += b->bug == CS_CLI_VERDICT_RIGHT;
    c.stated += b->bug == CS_CLI_VERDICT_STATED;
    c.missed += b->bug == CS_CLI_VERDICT_MISSED;
    c.twins_right += b->twin == CS_CLI_VERDICT_RIGHT || b->twin == CS_CLI_VERDICT_STATED;
    c.wrong += (b->bug == CS_CLI_VERDICT_ENDED) + (b->twin == CS_CLI_VERDICT_ENDED) + (b->twin == CS_CLI_VERDICT_FALSE);
  }
  return c;
}

/* The first failed probe of a weight, from this one on; NULL if there is none. */
static const struct cs_cli_probe_result *next_failed(const struct cs_cli_selftest *s, size_t *from,
                                                     enum cs_cli_weight weight) {
  for (; *from < s->probe_count; ++*from)
    if (cs_cli_probe_failed(&s->probes[*from]) && s->probes[*from].weight == weight)
      return &s->probes[(*from)++];
  return NULL;
}

static const struct cs_cli_probe_result *first_failed(const struct cs_cli_selftest *s, enum cs_cli_weight weight) {
  size_t from = 0;
  return next_failed(s, &from, weight);
}

static void append(char *text, const char *more) {
  size_t used = strlen(text);
  snprintf(text + used, CS_CLI_SENTENCE - used, "%s", more);
}

/* Several probes may have the same consequence. */
static void append_once(char *text, const char *more) {
  if (strstr(text, more))
    return;
  append(text, *text ? "; " : "");
  append(text, more);
}

static void list_unchecked(const struct cs_cli_selftest *s, char *text) {
  const struct cs_cli_probe_result *p;
  for (enum cs_cli_weight weight = CS_CLI_WEIGHT_NEEDED; weight <= CS_CLI_WEIGHT_LOSES; weight++)
    for (size_t at = 0; (p = next_failed(s, &at, weight));)
      append_once(text, p->consequence);
  struct counts c = count_bugs(s);
  char bugs[64];
  snprintf(bugs, sizeof bugs, "%zu of the %zu bugs", c.run - c.right, c.run);
  if (c.right < c.run)
    append_once(text, bugs);
}

void cs_cli_selftest_conclude(const struct cs_cli_selftest *s, char sentences[CS_CLI_SENTENCES][CS_CLI_SENTENCE]) {
  const struct cs_cli_probe_result *needed = first_failed(s, CS_CLI_WEIGHT_NEEDED);
  struct counts c = count_bugs(s);
  char unchecked[CS_CLI_SENTENCE] = "";
  const char *where = !strcmp(s->device, "cpu") ? "the CPU device" : "this machine's GPU";
  list_unchecked(s, unchecked);
  if (needed)
    snprintf(sentences[0], CS_CLI_SENTENCE, "Not usable on %s: it does not hold that %s (probe %s).", where,
             needed->assumption, needed->name);
  else if (c.wrong || c.missed)
    snprintf(sentences[0], CS_CLI_SENTENCE,
             "Not to be relied on with %s: of the programs with a known result, %zu ended wrongly.", where,
             c.wrong + c.missed);
  else if (c.right * 2 < c.run)
    snprintf(sentences[0], CS_CLI_SENTENCE, "Of little use on %s: most bugs are not found.", where);
  else
    snprintf(sentences[0], CS_CLI_SENTENCE, "Usable on %s%s.", where, *unchecked ? ", with losses" : "");
  snprintf(sentences[1], CS_CLI_SENTENCE, "Unchecked: %s.", *unchecked ? unchecked : "nothing that this test tries");
  snprintf(sentences[2], CS_CLI_SENTENCE,
           "Please attach the files of --json and --html, or this text, to an issue: they name the "
           "device and the driver, and nothing else of this machine.");
}

int cs_cli_selftest_status(const struct cs_cli_selftest *s) {
  struct counts c = count_bugs(s);
  return first_failed(s, CS_CLI_WEIGHT_NEEDED) || first_failed(s, CS_CLI_WEIGHT_LOSES) || c.right < c.run ||
         c.twins_right < c.run || c.wrong;
}

static void print_probe(const struct cs_cli_probe_result *p, FILE *out) {
  if (p->outcome == CS_CLI_OUTCOME_SKIPPED)
    return;
  if (!cs_cli_probe_failed(p))
    cs_report_print(out, "%-7s %-15s %s\n", cs_cli_outcome_name(p->outcome), p->name,
                    *p->detail ? p->detail : p->assumption);
  else
    cs_report_print(out, "%-7s %-15s %s: it does not hold that %s\n", cs_cli_outcome_name(p->outcome), p->name,
                    p->detail, p->assumption);
}

static void print_bugs(const struct cs_cli_selftest *s, FILE *out) {
  struct counts c = count_bugs(s);
  if (!c.run)
    return;
  fprintf(
      out,
      "\nbugs    %zu of %zu reported, %zu stated as unchecked, %zu missed; twins without the bug: %zu of %zu silent\n",
      c.right, c.run, c.stated, c.missed, c.twins_right, c.run);
  for (size_t i = 0; i < s->bug_count; i++)
    if (s->bugs[i].bug > CS_CLI_VERDICT_RIGHT || s->bugs[i].twin > CS_CLI_VERDICT_RIGHT)
      fprintf(out, "        %-24s bug: %s, twin: %s\n", s->bugs[i].name, cs_cli_verdict_name(s->bugs[i].bug),
              cs_cli_verdict_name(s->bugs[i].twin));
}

static void print_bench(const struct cs_cli_selftest *s, FILE *out) {
  if (!s->has_bench)
    return;
  fputs("\nbench   microseconds of a launch, bare and checked\n", out);
  for (int i = 0; i < CS_CLI_BENCH_KERNELS; i++)
    if (s->bare[i] > 0 && s->checked[i] > 0)
      fprintf(out, "        %-15s %8.1f %8.1f  %.2f times\n", cs_cli_bench_kernels[i], s->bare[i], s->checked[i],
              s->checked[i] / s->bare[i]);
    else
      fprintf(out, "        %-15s %s\n", cs_cli_bench_kernels[i], "did not run");
}

void cs_cli_selftest_print(const struct cs_cli_selftest *s, FILE *out) {
  char sentences[CS_CLI_SENTENCES][CS_CLI_SENTENCE];
  for (size_t i = 0; i < s->probe_count; i++)
    print_probe(&s->probes[i], out);
  print_bugs(s, out);
  print_bench(s, out);
  cs_cli_selftest_conclude(s, sentences);
  fputc('\n', out);
  for (int i = 0; i < CS_CLI_SENTENCES; i++)
    cs_report_print(out, "%s\n", sentences[i]);
}

static void probe_to_json(struct cs_report_json *j, const struct cs_cli_probe_result *p) {
  static const char *const weights[] = {"needed", "loses", "slow"};
  cs_report_json_open(j, NULL, '{');
  cs_report_json_text(j, "name", p->name);
  cs_report_json_text(j, "outcome", cs_cli_outcome_name(p->outcome));
  cs_report_json_text(j, "weight", weights[p->weight]);
  cs_report_json_text(j, "assumption", p->assumption);
  cs_report_json_text(j, "detail", p->detail);
  cs_report_json_number(j, "milliseconds", (cs_u64)(p->seconds * 1e3));
  cs_report_json_close(j, '}');
}

void cs_cli_selftest_json(const struct cs_cli_selftest *s, FILE *out) {
  struct cs_report_json j = {.out = out};
  char sentences[CS_CLI_SENTENCES][CS_CLI_SENTENCE];
  cs_cli_selftest_conclude(s, sentences);
  cs_report_json_open(&j, NULL, '{');
  cs_report_json_text(&j, "device", s->device);
  cs_report_json_number(&j, "milliseconds", (cs_u64)(s->seconds * 1e3));
  cs_report_json_open(&j, "probes", '[');
  for (size_t i = 0; i < s->probe_count; i++)
    probe_to_json(&j, &s->probes[i]);
  cs_report_json_close(&j, ']');
  cs_report_json_open(&j, "bugs", '[');
  for (size_t i = 0; i < s->bug_count; i++) {
    cs_report_json_open(&j, NULL, '{');
    cs_report_json_text(&j, "name", s->bugs[i].name);
    cs_report_json_text(&j, "kind", s->bugs[i].kind);
    cs_report_json_text(&j, "bug", cs_cli_verdict_name(s->bugs[i].bug));
    cs_report_json_text(&j, "twin", cs_cli_verdict_name(s->bugs[i].twin));
    cs_report_json_close(&j, '}');
  }
  cs_report_json_close(&j, ']');
  cs_report_json_open(&j, "bench", '[');
  for (int i = 0; s->has_bench && i < CS_CLI_BENCH_KERNELS; i++) {
    cs_report_json_open(&j, NULL, '{');
    cs_report_json_text(&j, "kernel", cs_cli_bench_kernels[i]);
    cs_report_json_number(&j, "bare_nanoseconds", (cs_u64)(s->bare[i] * 1e3));
    cs_report_json_number(&j, "checked_nanoseconds", (cs_u64)(s->checked[i] * 1e3));
    cs_report_json_close(&j, '}');
  }
  cs_report_json_close(&j, ']');
  cs_report_json_open(&j, "conclusion", '[');
  for (int i = 0; i < CS_CLI_SENTENCES; i++)
    cs_report_json_text(&j, NULL, sentences[i]);
  cs_report_json_close(&j, ']');
  cs_report_json_close(&j, '}');
  fputc('\n', out);
}

static void escape(FILE *out, const char *text) {
  for (; *text; text++)
    if (*text == '<' || *text == '>' || *text == '&' || *text == '"')
      fprintf(out, "&#%d;", *text);
    else if ((unsigned char)*text >= ' ' && (unsigned char)*text < 0x7f)
      fputc(*text, out);
    else
      fputc('?', out);
}

static void cell(FILE *out, const char *text) {
  fputs("<td>", out);
  escape(out, text);
}

static void html_probes(const struct cs_cli_selftest *s, FILE *out) {
  fputs("<h2>Assumptions</h2><table><tr><th>outcome<th>probe<th>assumption<th>found\n", out);
  for (size_t i = 0; i < s->probe_count; i++) {
    const struct cs_cli_probe_result *p = &s->probes[i];
    fprintf(out, "<tr class=\"%s\">", cs_cli_probe_failed(p) ? "bad" : "good");
    cell(out, cs_cli_outcome_name(p->outcome));
    cell(out, p->name);
    cell(out, p->assumption);
    cell(out, p->detail);
    fputc('\n', out);
  }
  fputs("</table>\n", out);
}

static void html_bugs(const struct cs_cli_selftest *s, FILE *out) {
  fputs("<h2>Bugs and their twins</h2><table><tr><th>program<th>kind<th>with the bug<th>without\n", out);
  for (size_t i = 0; i < s->bug_count; i++) {
    const struct cs_cli_bug_result *b = &s->bugs[i];
    fprintf(out, "<tr class=\"%s\">", b->bug > CS_CLI_VERDICT_RIGHT || b->twin > CS_CLI_VERDICT_RIGHT ? "bad" : "good");
    cell(out, b->name);
    cell(out, b->kind);
    cell(out, cs_cli_verdict_name(b->bug));
    cell(out, cs_cli_verdict_name(b->twin));
    fputc('\n', out);
  }
  fputs("</table>\n", out);
}

static void html_bench(const struct cs_cli_selftest *s, FILE *out) {
  fputs("<h2>Bench: microseconds of a launch</h2><table><tr><th>kernel<th>bare<th>checked\n", out);
  for (int i = 0; s->has_bench && i < CS_CLI_BENCH_KERNELS; i++)
    fprintf(out, "<tr><td>%s<td>%.1f<td>%.1f\n", cs_cli_bench_kernels[i], s->bare[i], s->checked[i]);
  fputs("</table>\n", out);
}

void cs_cli_selftest_html(const struct cs_cli_selftest *s, FILE *out) {
  char sentences[CS_CLI_SENTENCES][CS_CLI_SENTENCE];
  cs_cli_selftest_conclude(s, sentences);
  fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>cusafe selftest</title><style>"
        "body{font:15px/1.5 system-ui,sans-serif;max-width:1000px;margin:0 "
        "auto;padding:16px;color:#1b1f24;background:#fff}"
        "table{border-collapse:collapse}td,th{padding:2px 12px 2px 0;text-align:left;vertical-align:top;"
        "border-bottom:1px solid #d5dae0}.bad td:first-child{color:#c62828;font-weight:bold}"
        ".good td:first-child{color:#2e7d32}</style></head><body><h1>cusafe selftest</h1>\n",
        out);
  for (int i = 0; i < CS_CLI_SENTENCES; i++) {
    fputs("<p>", out);
    escape(out, sentences[i]);
    fputc('\n', out);
  }
  html_probes(s, out);
  html_bugs(s, out);
  html_bench(s, out);
  fputs("</body></html>\n", out);
}
