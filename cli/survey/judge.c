/* judge.c: derives verdicts and reasons from the logs of builds and runs. */
#include "cli/survey/judge.h"
#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Copies as much as fits, without surrounding white space. */
static void copy(char to[CS_CLI_REASON_ROOM], const char *text, size_t length) {
  while (length && isspace((unsigned char)*text))
    text++, length--;
  while (length && isspace((unsigned char)text[length - 1]))
    length--;
  snprintf(to, CS_CLI_REASON_ROOM, "%.*s", (int)(length < CS_CLI_REASON_ROOM ? length : CS_CLI_REASON_ROOM - 1), text);
}

static const char *skip(const char *text, const char *word) {
  const char *found = strstr(text, word);
  return found ? found + strlen(word) : NULL;
}

/* Patterns of failure, most specific first. The reason is `prefix` and the text from `mark` to one of `end`; without
 * `end`, `prefix` alone. */
struct pattern {
  const char *mark, *prefix, *end;
};

static int match(const struct pattern *p, const char *line, struct cs_cli_result *r) {
  const char *rest = skip(line, p->mark);
  if (!rest)
    return 0;
  if (strchr(p->end, '\''))
    rest += strspn(rest, " '`\"");
  char what[CS_CLI_REASON_ROOM];
  copy(what, rest, *p->end ? strcspn(rest, p->end) : 0);
  char *hint = strstr(what, "; did you mean");
  if (hint)
    *hint = 0;
  snprintf(r->reason, sizeof r->reason, "%s%.120s", p->prefix, what);
  copy(r->detail, line, strlen(line));
  return 1;
}

static int match_any(const struct pattern *patterns, size_t count, const char *line, struct cs_cli_result *r) {
  for (size_t i = 0; i < count; i++)
    if (match(&patterns[i], line, r))
      return 1;
  return 0;
}

/* "fatal error: 'x.h' file not found", and gcc's "fatal error: x.h: No such file or directory": the name precedes the
 * message. */
static int missing_header(const char *line, struct cs_cli_result *r) {
  const char *name = skip(line, "fatal error: '");
  if (name && strstr(name, "file not found"))
    return match(&(struct pattern){"fatal error: '", "header not found: ", "'"}, line, r);
  const char *end = strstr(line, ": No such file or directory");
  return end && strstr(line, "fatal error: ") < end &&
         match(&(struct pattern){"fatal error: ", "header not found: ", ":\n"}, line, r);
}

/* "make: hipcc: No such file or directory", "/bin/sh: 1: hipcc: not found", "bash: line 1: hipcc: command not
 * found". */
static int missing_command(const char *line, struct cs_cli_result *r) {
  static const char *const ends[] = {": No such file or directory", ": not found", ": command not found"};
  if (strncmp(line, "make", 4) != 0 && !strstr(line, "sh: "))
    return 0;
  for (size_t i = 0; i < COUNT(ends); i++) {
    const char *end = strstr(line, ends[i]), *start = end;
    while (start && start > line && start[-1] != ' ')
      start--;
    if (!end || end == start)
      continue;
    snprintf(r->reason, sizeof r->reason, "command not found: %.*s", (int)(end - start), start);
    copy(r->detail, line, strlen(line));
    return 1;
  }
  return 0;
}

/* The cause in a sentence of clang, of nvcc's front end or of nvcc, without the rest of it. Names in double quotes are
 * nvcc's. */
static const struct pattern compilers[] = {
    {"use of undeclared identifier ", "undeclared name: ", "'\n"},
    {"identifier \"", "undeclared name: ", "\""},
    {"unknown type name ", "unknown type: ", "'\n"},
    {"no template named ", "unknown template: ", "'\n"},
    {"no type named ", "unknown type: ", "'\n"},
    {"no member named ", "unknown member: ", "'\n"},
    {"has no member \"", "unknown member: ", "\""},
    {"no matching function for call to ", "no matching function: ", "'\n"},
    {"no matching constructor for initialization of ", "no matching constructor: ", "'\n"},
    {"no instance of overloaded function \"", "no matching function: ", "\""},
    {"no instance of function template \"", "no matching function: ", "\""},
    {"reference to __host__ function ", "host function in device code: ", "'\n"},
    {"reference to __device__ function ", "device function in host code: ", "'\n"},
    {"redefinition of ", "redefinition: ", "'\n"},
    {"static assertion failed", "static assertion", ""},
    {"static_assert failed", "static assertion", ""},
    {"unknown argument: ", "unknown option: ", "'\n"},
    {"Unknown option ", "unknown option: ", "'\n"},
    {"Unsupported gpu architecture ", "architecture that the toolkit does not have: ", "'\n"},
    {"expected ", "syntax", ""},
    {"#error", "#error", ""},
};

/* Reasons are counted: what no pattern names has one reason, and the sentence is the detail. */
static int compiler_line(const char *line, struct cs_cli_result *r) {
  static const struct pattern other[] = {{"fatal error: ", "the compiler rejects the source", ""},
                                         {"error: ", "the compiler rejects the source", ""},
                                         {"nvcc fatal ", "nvcc rejects its arguments", ""},
                                         {"LLVM ERROR: ", "clang crashes", ""}};
  static const struct pattern ambiguous[] = {{"error: call to ", "ambiguous call: ", "'\n"}};
  int is_error = strstr(line, "error: ") || strstr(line, "nvcc fatal ");
  if (strstr(line, " is ambiguous") && match_any(ambiguous, COUNT(ambiguous), line, r))
    return 1;
  return (is_error && match_any(compilers, COUNT(compilers), line, r)) || match_any(other, COUNT(other), line, r);
}

static int build_line(const char *line, struct cs_cli_result *r) {
  static const struct pattern patterns[] = {
      {"error: cusafe: cannot translate '", "refused: ", "'\n"},
      {"error: cusafe: the device function '", "undefined in its file: ", "'\n"},
      {"undefined reference to", "undefined at link: ", "('\n"},
      {"undefined symbol:", "undefined at link: ", "('\n"},
      {"cannot find -l", "library not found: ", ": \n"},
      {"unable to find library -l", "library not found: ", " \n"},
  };
  static const struct pattern later[] = {
      {"cusafe: ", "", "\n"},
      {"No rule to make target ", "no rule to make target ", "',\n"},
      {"CMake Error", "CMake reports an error", ""},
  };
  /* Lines that linkers and compilers print after the actual cause. */
  static const char *const echoes[] = {"linker command failed", "clang frontend command failed",
                                       "ld returned",           "warning:",
                                       "cusafe: clang itself",  "errors generated",
                                       "error generated"};
  for (size_t i = 0; i < COUNT(echoes); i++)
    if (strstr(line, echoes[i]))
      return 0;
  return missing_header(line, r) || missing_command(line, r) || match_any(patterns, COUNT(patterns), line, r) ||
         compiler_line(line, r) || match_any(later, COUNT(later), line, r);
}

/* Calls `visit` for each line until it returns 1. */
static void each_line(const char *path, int (*visit)(const char *line, struct cs_cli_result *r),
                      struct cs_cli_result *r) {
  char *line = NULL;
  size_t room = 0;
  FILE *in = fopen(path, "r");
  while (in && getline(&line, &room, in) >= 0)
    if (visit(line, r))
      break;
  free(line);
  if (in)
    fclose(in);
}

/* After a failure `cusafe cc` compiles with clang alone (CUSAFE_CC_EXPLAIN) and prints the result (cc/explain.c). */
static int clang_line(const char *line, struct cs_cli_result *r) {
  if (strstr(line, "cusafe: clang itself does not accept"))
    r->clang = 0;
  else if (strstr(line, "cusafe: clang itself accepts") && r->clang < 0)
    r->clang = 1;
  return 0;
}

/* A missing GPU library (cc/link.c) explains all undefined symbols before this line. */
static int library_line(const char *line, struct cs_cli_result *r) {
  static const struct pattern library[] = {{"cusafe: the program needs ", "needs ", ",\n"}};
  return match_any(library, COUNT(library), line, r);
}

/* The fallback: make's own error. */
static int make_line(const char *line, struct cs_cli_result *r) {
  static const struct pattern make[] = {{"] Error ", "make: exit code ", "\n"}, {"*** ", "make: ", "\n"}};
  return strstr(line, "*** ") && match_any(make, COUNT(make), line, r);
}

void cs_cli_judge_build(const char *log, struct cs_cli_result *r) {
  each_line(log, clang_line, r);
  each_line(log, library_line, r);
  if (!*r->reason)
    each_line(log, build_line, r);
  if (!*r->reason)
    each_line(log, make_line, r);
  if (r->clang == 0) {
    char reason[CS_CLI_REASON_ROOM];
    memcpy(reason, r->reason, sizeof reason);
    snprintf(r->reason, sizeof r->reason, "clang: %.150s", reason);
  }
}

static const struct {
  const char *text;
  int number;
} signals[] = {{"Segmentation fault", SIGSEGV}, {"Aborted", SIGABRT},  {"Bus error", SIGBUS},
               {"Floating point", SIGFPE},      {"Killed", SIGKILL},   {"Illegal instruction", SIGILL},
               {"Terminated", SIGTERM},         {"File size", SIGXFSZ}};

/* "make: *** [Makefile:7: run] Error 86"; without the stars if make ignores the error. */
static int status_line(const char *line, struct cs_cli_result *r) {
  if (strncmp(line, "make", 4) != 0)
    return 0;
  const char *where = strchr(line, ']'), *stars = strstr(line, ": ");
  if (!strncmp(line, "make[", 5))
    where = where ? strchr(where + 1, ']') : NULL;
  if (!where || !stars || where < stars)
    return 0;
  where += 1 + strspn(where + 1, " ");
  int error;
  if (sscanf(where, "Error %d", &error) == 1)
    r->exit_code = error;
  for (size_t i = 0; i < COUNT(signals); i++)
    if (!strncmp(where, signals[i].text, strlen(signals[i].text)))
      r->exit_code = 128 + signals[i].number;
  return r->exit_code != 0;
}

int cs_cli_judge_make_status(const char *log, int status) {
  struct cs_cli_result r = {0};
  each_line(log, status_line, &r);
  return r.exit_code ? r.exit_code : status;
}

/* "0 mismatches", "no errors", "failed: 0", "mismatch = 0.00 %": a failure word that is negated. */
static int negated(const char *start, const char *word, size_t length) {
  static const char *const none[] = {"0", "no", "zero", "without", "not", "never"};
  const char *before = word;
  while (before > start && isspace((unsigned char)before[-1]))
    before--;
  const char *token = before;
  while (token > start && !isspace((unsigned char)token[-1]) && token[-1] != ':' && token[-1] != '(')
    token--;
  for (size_t i = 0; i < COUNT(none); i++)
    if ((size_t)(before - token) == strlen(none[i]) && !strncmp(token, none[i], strlen(none[i])))
      return 1;
  const char *after = word + length;
  after += strspn(after, "abcdefghijklmnopqrstuvwxyz");
  after += strspn(after, " \t");
  after += strspn(after, "abcdefghijklmnopqrstuvwxyz"); /* "failed tests: 0" */
  after += strspn(after, " \t:=");
  char *end;
  double number = strtod(after, &end);
  return end != after && number == 0;
}

static int is_word_start(const char *line, const char *at) {
  return at == line || !isalpha((unsigned char)at[-1]);
}

static int has_failure_word(const char *line) {
  static const char *const words[] = {"fail",           "mismatch",     "incorrect",  "wrong result", "wrong answer",
                                      "does not match", "do not match", "not passed", "unsuccessful", "assertion",
                                      "cuda error",     "cudaerror",    "cuda_error", "gpuassert",    "not equal"};
  for (size_t i = 0; i < COUNT(words); i++)
    for (const char *at = line; (at = strstr(at, words[i])); at++) {
      int choice = at > line && at[-1] == '/'; /* "pass/fail: ..." */
      if (is_word_start(line, at) && !choice && !negated(line, at, strlen(words[i])))
        return 1;
    }
  return 0;
}

/* "Error: cannot open" is a verdict; "error: 1e-6", "max error 0.1" and "error rate" are figures. */
static int has_error_verdict(const char *line) {
  const char *text = line + strspn(line, " \t*[!-");
  if (strncmp(text, "error", 5) != 0)
    return 0;
  text += 5 + strspn(text + 5, "]*");
  if (*text == '!')
    return 1;
  if (*text != ':')
    return 0;
  text += 1 + strspn(text + 1, " \t");
  return *text && !strchr("0123456789.+-", *text) && strncmp(text, "no", 2) != 0 && strncmp(text, "nan", 3) != 0;
}

int cs_cli_judge_line(const char *line) {
  char lower[1024];
  size_t n = 0;
  for (; line[n] && line[n] != '\n' && n + 1 < sizeof lower; n++)
    lower[n] = (char)tolower((unsigned char)line[n]);
  lower[n] = 0;
  /* make echoes the command, and a file may be called fail.txt. */
  return !strncmp(lower, "make", 4) ? 0 : has_failure_word(lower) || has_error_verdict(lower);
}

/* Of the CPU device, about a program that nothing has checked: cpu/cuda/procaddr.c. */
#define NVIDIA_CODE " works with NVIDIA's driver only"

static int verdict_line(const char *line, struct cs_cli_result *r) {
  if (!strncmp(line, "cusafe: ", 8)) {
    if (!strstr(line, " was given up after ") && !strstr(line, NVIDIA_CODE))
      return 0; /* a program may ignore the error and end with 0 */
    r->passed = 0;
    return 1;
  }
  if (!cs_cli_judge_line(line))
    return 0;
  r->passed = 0;
  snprintf(r->reason, sizeof r->reason, "self-check failed");
  copy(r->detail, line, strlen(line));
  return 1;
}

/* Replaces numbers and kernel names, which differ between lines with the same cause. */
static void generalise(const char *text, char to[CS_CLI_REASON_ROOM]) {
  size_t n = 0;
  for (const char *p = text; *p && n + 2 < CS_CLI_REASON_ROOM;) {
    if (isdigit((unsigned char)*p) && (p == text || !isalnum((unsigned char)p[-1]))) {
      to[n++] = '#';
      p += strspn(p, "0123456789abcdefx.");
    } else if (!strncmp(p, "kernel ", 7) && (p == text || p[-1] == ' ')) {
      p += 7 + strcspn(p + 7, " ");
      n += (size_t)snprintf(to + n, CS_CLI_REASON_ROOM - n, "kernel");
      n = n < CS_CLI_REASON_ROOM ? n : CS_CLI_REASON_ROOM - 1;
    } else
      to[n++] = *p++;
  }
  to[n] = 0;
}

/* A message of the CPU device about a missing feature is a better reason than the failure that follows it. */
static int own_line(const char *line, struct cs_cli_result *r) {
  if (strncmp(line, "cusafe: ", 8) != 0)
    return 0;
  copy(r->detail, line, strlen(line));
  if (strstr(line, NVIDIA_CODE)) {
    snprintf(r->reason, sizeof r->reason, "linked with NVIDIA's static runtime");
    return 1;
  }
  const char *end = strstr(line, " is not supported");
  if (!end)
    end = strstr(line, " is not provided by");
  char what[CS_CLI_REASON_ROOM], general[CS_CLI_REASON_ROOM];
  copy(what, line + 7, end ? (size_t)(end - line - 7) : strcspn(line + 7, "\n"));
  generalise(what, general);
  snprintf(r->reason, sizeof r->reason, "%s%.130s", end ? "not supported: " : "cusafe: ", end ? what : general);
  return 1;
}

void cs_cli_judge_run(const char *log, struct cs_cli_result *r) {
  r->passed = r->ran;
  if (r->ran)
    each_line(log, verdict_line, r);
  if (r->passed)
    return;
  each_line(log, own_line, r);
  if (*r->reason)
    return;
  if (r->exit_code > 128 && r->exit_code <= 128 + SIGSYS)
    snprintf(r->reason, sizeof r->reason, "signal %d (%s)", r->exit_code - 128, strsignal(r->exit_code - 128));
  else
    snprintf(r->reason, sizeof r->reason, "exit code %d", r->exit_code);
}

int cs_cli_count_findings(const char *reports) {
  char *line = NULL;
  size_t room = 0;
  int count = 0;
  FILE *in = fopen(reports, "r");
  while (in && getline(&line, &room, in) >= 0)
    count += !strncmp(line, "SUMMARY: CuSafe:", 16);
  free(line);
  if (in)
    fclose(in);
  return count;
}
