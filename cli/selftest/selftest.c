/* selftest.c: `cusafe selftest`: probes what CuSafe assumes about the driver and the device, runs bugs and their twins,
 * and times three kernels. Every probe and program runs in a child process under a time limit, so that a crash or a
 * hang is a result. */
#include "cli/base/argv.h"
#include "cli/base/command.h"
#include "cli/base/limited.h"
#include "cli/base/message.h"
#include "cli/base/paths.h"
#include "cli/base/tempdir.h"
#include "cli/selftest/bench.h"
#include "cli/selftest/bugs.h"
#include "cli/selftest/driver.h"
#include "cli/selftest/probes.h"
#include "cli/selftest/results.h"
#include "report/degraded.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: cusafe selftest [OPTIONS]\n\n"
    "Finds out whether CuSafe works on this machine: probes each assumption about the driver and the\n"
    "device, runs programs with a known bug and their twins without it, and times checked kernels\n"
    "against bare ones. Each runs in its own process, so that a crash or a hang is a result. Needs no\n"
    "compiler: the kernels are part of CuSafe. docs/understand/gpu.md explains each probe.\n\n"
    "  --device=cpu|gpu   device to test (default: gpu)\n"
    "  --only=NAMES       run only these probes and bugs, separated by commas; bugs means all of them,\n"
    "                     bench the bench\n"
    "  --json=FILE        also write the results as JSON\n"
    "  --html=FILE        also write them as a page\n"
    "  --timeout=SECONDS  for each process (default: 60)\n"
    "  --code=ptx|image   form of the kernels (default: ptx for gpu, image for cpu); ptx on the CPU\n"
    "                     device needs clang 22\n"
    "  --list             print the probes, and the assumption that each tests\n"
    "  --help             print this help\n\n"
    "The exit status is 0 if CuSafe is usable and every assumption holds, otherwise 1.\n";

struct settings {
  struct cs_cli_paths paths;
  char folder[PATH_MAX];
  const char *device, *only, *json, *html, *code, *child, *scratch;
  double seconds;
};

static struct cs_cli_probe_result probes[] = {
#define CS_CLI_PROBE(id, how_much, how, statement, otherwise)                                                          \
  {.name = #id,                                                                                                        \
   .assumption = statement,                                                                                            \
   .consequence = otherwise,                                                                                           \
   .weight = CS_CLI_WEIGHT_##how_much,                                                                                 \
   .under_cusafe = UNDER_##how},
#define UNDER_ALONE 0
#define UNDER_CHECKED 1
#include "cli/selftest/probes.inc"
};
static void (*const functions[])(void) = {
#define CS_CLI_PROBE(name, ...) cs_cli_probe_##name,
#include "cli/selftest/probes.inc"
};
static struct cs_cli_bug_result bugs[] = {
#define CS_CLI_BUG(name, kind) {#name, kind, CS_CLI_VERDICT_SKIPPED, CS_CLI_VERDICT_SKIPPED},
#include "cli/selftest/bugs.inc"
};
enum { PROBES = sizeof probes / sizeof *probes, BUGS = sizeof bugs / sizeof *bugs };

/* --- the child --- */

/* what: probe:NAME, bug:NAME, twin:NAME or bench:CODE. */
static int run_child(const struct settings *s) {
  const char *name = strchr(s->child, ':');
  size_t length = name ? (size_t)(name - s->child) : 0;
  cs_cli_probe_code(s->folder, s->code);
  if (length == 5 && !strncmp(s->child, "bench", length))
    cs_cli_bench_run(name + 1);
  if (length == 3 && !strncmp(s->child, "bug", length))
    return cs_cli_bug_run(name + 1, 1) ? 2 : 0;
  if (length == 4 && !strncmp(s->child, "twin", length))
    return cs_cli_bug_run(name + 1, 0) ? 2 : 0;
  for (int i = 0; length && i < PROBES; i++)
    if (!strcmp(probes[i].name, name + 1)) {
      functions[i]();
      return CS_CLI_HOLDS;
    }
  return 2;
}

/* --- starting children --- */

static int is_cpu(const struct settings *s) {
  return !strcmp(s->device, "cpu");
}

static void add_run(const struct settings *s, struct cs_cli_argv *command, const char *findings) {
  cs_cli_argv_push(command, s->paths.self);
  cs_cli_argv_push(command, "run");
  cs_cli_argv_pushf(command, "--device=%s", s->device);
  if (findings)
    cs_cli_argv_pushf(command, "--json=%s", findings);
  cs_cli_argv_push(command, "--");
}

/* What the CPU device's libraries need; `cusafe run` sets the same. PTX is compiled as it is, as by a GPU's driver. */
static void add_environment(const struct settings *s, struct cs_cli_argv *environment) {
  const char *path = getenv("LD_LIBRARY_PATH"), *anomaly = getenv("CUSAFE_CPU_ANOMALY");
  cs_cli_argv_push(environment, "CUSAFE_OPTIONS=");
  if (!is_cpu(s))
    return;
  cs_cli_argv_pushf(environment, "LD_LIBRARY_PATH=%s%s%s", s->paths.cpu, path && *path ? ":" : "", path ? path : "");
  if (!strcmp(s->code, "ptx"))
    cs_cli_argv_pushf(environment, "CUSAFE_CPU_ANOMALY=no_lift%s%s", anomaly ? "," : "", anomaly ? anomaly : "");
}

/* Runs a child. findings: NULL for one without CuSafe. Its output is in the log. */
static int start(const struct settings *s, const char *what, int checked, const char *findings, const char *log,
                 double *took) {
  struct cs_cli_argv command = {0}, environment = {0};
  if (checked)
    add_run(s, &command, findings);
  cs_cli_argv_push(&command, s->paths.self);
  cs_cli_argv_push(&command, "selftest");
  cs_cli_argv_pushf(&command, "--device=%s", s->device);
  cs_cli_argv_pushf(&command, "--code=%s", s->code);
  cs_cli_argv_pushf(&command, "--child=%s", what);
  add_environment(s, &environment);
  remove(log);
  if (findings)
    remove(findings);
  struct cs_cli_limited limited = {
      .argv = command.items, .folder = s->scratch, .log = log, .environment = environment.items, .seconds = s->seconds};
  int status = cs_cli_run_limited(&limited, took);
  cs_cli_argv_free(&command);
  cs_cli_argv_free(&environment);
  return status;
}

/* A file's text, truncated to the room. */
static void read_file(const char *path, char *text, size_t room) {
  FILE *file = fopen(path, "r");
  size_t got = file ? fread(text, 1, room - 1, file) : 0;
  text[got] = 0;
  if (file)
    fclose(file);
}

/* The child's last answer. A child that failed without one has the last line of its output. */
static void find_answer(const char *text, int failed, char *answer, size_t room) {
  const char *line = text, *found = "";
  size_t skipped = strlen(CS_CLI_ANSWER);
  int is_answer = 0;
  for (; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    int answers = !strncmp(line, CS_CLI_ANSWER, skipped);
    if (answers || (failed && !is_answer && *line != '\n'))
      found = answers ? line + skipped : line;
    is_answer |= answers;
  }
  snprintf(answer, room, "%.*s", (int)strcspn(found, "\n"), found);
}

/* --- probes --- */

static enum cs_cli_outcome outcome_of(int status) {
  enum { SIGNALS = 128 };
  if (status == CS_CLI_HOLDS)
    return CS_CLI_OUTCOME_HOLDS;
  if (status == CS_CLI_ABSENT)
    return CS_CLI_OUTCOME_ABSENT;
  if (status == CS_CLI_TIMED_OUT || status == CS_CLI_TOO_MUCH_OUTPUT)
    return CS_CLI_OUTCOME_HUNG;
  return status > SIGNALS ? CS_CLI_OUTCOME_CRASHED : CS_CLI_OUTCOME_FAILS;
}

static void run_probe(const struct settings *s, struct cs_cli_probe_result *p) {
  char text[1 << 14];
  char *what = cs_cli_format("probe:%s", p->name), *log = cs_cli_format("%s/log", s->scratch);
  int status = start(s, what, p->under_cusafe, NULL, log, &p->seconds);
  p->outcome = outcome_of(status);
  read_file(log, text, sizeof text);
  find_answer(text, cs_cli_probe_failed(p), p->detail, sizeof p->detail);
  if (p->outcome == CS_CLI_OUTCOME_CRASHED)
    snprintf(p->detail, sizeof p->detail, "signal %d", status - 128);
  if (p->outcome == CS_CLI_OUTCOME_HUNG)
    snprintf(p->detail, sizeof p->detail, "no end within %.0f seconds", s->seconds);
  free(what);
  free(log);
}

/* --- bugs --- */

static enum cs_cli_verdict judge_bug(int status, const char *output, const char *findings, const char *kind) {
  enum { FOUND = 86 }; /* the default of the option exitcode */
  char *expected = cs_cli_format("\"kind\":\"%s\"", kind);
  enum cs_cli_verdict verdict = CS_CLI_VERDICT_MISSED;
  if (status == FOUND && strstr(findings, expected))
    verdict = CS_CLI_VERDICT_RIGHT;
  else if (status < 0 || status > 128)
    verdict = CS_CLI_VERDICT_ENDED;
  else if (status == CS_CLI_FAILS && strstr(output, CS_CLI_ANSWER))
    verdict = CS_CLI_VERDICT_REFUSED;
  else if (strstr(output, CS_DEGRADED_TITLE))
    verdict = CS_CLI_VERDICT_STATED;
  free(expected);
  return verdict;
}

static enum cs_cli_verdict judge_twin(int status, const char *output) {
  if (status < 0 || status > 128)
    return CS_CLI_VERDICT_ENDED;
  if (status == CS_CLI_FAILS && strstr(output, CS_CLI_ANSWER))
    return CS_CLI_VERDICT_REFUSED;
  if (status)
    return CS_CLI_VERDICT_FALSE;
  return strstr(output, CS_DEGRADED_TITLE) ? CS_CLI_VERDICT_STATED : CS_CLI_VERDICT_RIGHT;
}

static enum cs_cli_verdict run_program(const struct settings *s, const char *name, const char *kind) {
  char output[1 << 15], findings[1 << 15];
  double took;
  char *what = cs_cli_format("%s:%s", kind ? "bug" : "twin", name), *log = cs_cli_format("%s/log", s->scratch),
       *file = cs_cli_format("%s/findings", s->scratch);
  int status = start(s, what, 1, file, log, &took);
  read_file(log, output, sizeof output);
  read_file(file, findings, sizeof findings);
  free(what);
  free(log);
  free(file);
  return kind ? judge_bug(status, output, findings, kind) : judge_twin(status, output);
}

/* --- the bench --- */

static void time_kernels(const struct settings *s, const char *code, double *us) {
  char text[1 << 14], answer[256];
  double took;
  char *what = cs_cli_format("bench:%s", code), *log = cs_cli_format("%s/log", s->scratch), *next = answer;
  int status = start(s, what, !strcmp(code, "checked"), NULL, log, &took);
  read_file(log, text, sizeof text);
  find_answer(text, 0, answer, sizeof answer);
  for (int i = 0; i < CS_CLI_BENCH_KERNELS; i++)
    us[i] = status == CS_CLI_HOLDS ? strtod(next, &next) : 0;
  free(what);
  free(log);
}

/* --- the command --- */

/* Whether --only names it, or is not given. */
static int is_wanted(const struct settings *s, const char *name) {
  size_t length = strlen(name);
  if (!s->only)
    return 1;
  for (const char *at = s->only; (at = strstr(at, name)); at += length)
    if ((at == s->only || at[-1] == ',') && (!at[length] || at[length] == ','))
      return 1;
  return 0;
}

/* The first probe finds the driver: without one, nothing else can be tried. */
static void run_all(const struct settings *s, struct cs_cli_selftest *results) {
  for (int i = 0; i < PROBES; i++)
    if (i == 0 || is_wanted(s, probes[i].name)) {
      run_probe(s, &probes[i]);
      if (i == 0 && cs_cli_probe_failed(&probes[0]))
        return;
    }
  for (int i = 0; i < BUGS; i++)
    if (is_wanted(s, "bugs") || is_wanted(s, bugs[i].name)) {
      bugs[i].bug = run_program(s, bugs[i].name, bugs[i].kind);
      bugs[i].twin = run_program(s, bugs[i].name, NULL);
    }
  results->has_bench = is_wanted(s, "bench");
  if (results->has_bench) {
    time_kernels(s, "bare", results->bare);
    time_kernels(s, "checked", results->checked);
  }
}

static int write_file(const struct cs_cli_selftest *results, const char *path,
                      void (*print)(const struct cs_cli_selftest *, FILE *)) {
  FILE *out = path ? fopen(path, "w") : NULL;
  if (!path)
    return 0;
  if (!out)
    return cs_cli_fail("cannot write %s: %s.", path, strerror(errno));
  print(results, out);
  return fclose(out) == 0 ? 0 : cs_cli_fail("cannot write %s: %s.", path, strerror(errno));
}

static int test(struct settings *s) {
  struct cs_cli_selftest results = {
      .device = s->device, .probes = probes, .bugs = bugs, .probe_count = PROBES, .bug_count = BUGS};
  double begin = cs_cli_seconds();
  if (!(s->scratch = cs_cli_tempdir()))
    return 1;
  (void)cs_cli_use_engine(&s->paths);
  run_all(s, &results);
  results.seconds = cs_cli_seconds() - begin;
  cs_cli_selftest_print(&results, stdout);
  int unwritten =
      write_file(&results, s->json, cs_cli_selftest_json) | write_file(&results, s->html, cs_cli_selftest_html);
  return cs_cli_selftest_status(&results) || unwritten;
}

static int list_probes(void) {
  for (int i = 0; i < PROBES; i++)
    printf("%-15s %s\n", probes[i].name, probes[i].assumption);
  return 0;
}

/* The value of --NAME=VALUE or of --NAME VALUE, which moves *at. NULL if it is another option. */
static const char *value_of(const char *name, int argc, char **argv, int *at) {
  size_t length = strlen(name);
  const char *given = argv[*at];
  if (strncmp(given, "--", 2) != 0 || strncmp(given + 2, name, length) != 0)
    return NULL;
  if (given[2 + length] == '=')
    return given + 3 + length;
  return !given[2 + length] && *at + 1 < argc ? argv[++*at] : NULL;
}

static int is_one_of(const char *option, const char *value, const char *first, const char *second) {
  if (!strcmp(value, first) || !strcmp(value, second))
    return 1;
  cs_cli_fail("--%s=%s: it must be %s or %s.", option, value, first, second);
  return 0;
}

static int check(struct settings *s) {
  if (!is_one_of("device", s->device, "cpu", "gpu"))
    return -1;
  if (!s->code)
    s->code = is_cpu(s) ? "image" : "ptx";
  if (!is_one_of("code", s->code, "ptx", "image"))
    return -1;
  return s->seconds > 0 ? 0 : (cs_cli_fail("--timeout: it must be a number of seconds."), -1);
}

/* Names in --only that are no probe, no bug and no part. */
static int check_names(const struct settings *s) {
  char names[1024], *next = NULL;
  snprintf(names, sizeof names, "%s", s->only ? s->only : "");
  for (const char *name = strtok_r(names, ",", &next); name; name = strtok_r(NULL, ",", &next)) {
    int known = !strcmp(name, "bugs") || !strcmp(name, "bench");
    for (int i = 0; i < PROBES; i++)
      known |= !strcmp(name, probes[i].name);
    for (int i = 0; i < BUGS; i++)
      known |= !strcmp(name, bugs[i].name);
    if (!known)
      return cs_cli_fail("--only: there is no probe, bug or part '%s'; see `cusafe selftest --list`.", name), -1;
  }
  return 0;
}

static int parse(struct settings *s, int argc, char **argv) {
  const char *value, *seconds = "60";
  const struct {
    const char *name, **to;
  } options[] = {{"device", &s->device}, {"only", &s->only},   {"json", &s->json},   {"html", &s->html},
                 {"code", &s->code},     {"child", &s->child}, {"timeout", &seconds}};
  for (int i = 1; i < argc; i++) {
    int known = 0;
    for (size_t o = 0; o < sizeof options / sizeof *options && !known; o++)
      if ((value = value_of(options[o].name, argc, argv, &i))) {
        *options[o].to = value;
        known = 1;
      }
    if (!known)
      return cs_cli_fail("selftest has no option '%s'; see `cusafe selftest --help`.", argv[i]), -1;
  }
  s->seconds = strtod(seconds, NULL);
  return check(s) || check_names(s);
}

static int find_files(struct settings *s) {
  return cs_cli_paths_find(&s->paths) || cs_cli_join(s->folder, s->paths.private, "selftest");
}

int cs_cli_command_selftest(int argc, char **argv) {
  static struct settings s = {.device = "gpu"};
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
      return fputs(help, stdout) < 0;
    if (!strcmp(argv[i], "--list"))
      return list_probes();
  }
  if (parse(&s, argc, argv) != 0)
    return 2;
  if (find_files(&s) != 0)
    return 1;
  return s.child ? run_child(&s) : test(&s);
}
