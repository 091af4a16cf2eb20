/* findings.c: `cusafe findings`: findings of many runs, from the files of the option json=. */
#include "cli/base/command.h"
#include "cli/base/message.h"
#include "cli/findings/print.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOP_SHOWN = 20, SARIF_RESULTS = 5000 };

static int usage(FILE *out, int status) {
  fputs("usage: cusafe findings merge|diff|top|sarif|gitlab|otlp [OPTIONS] FILE...\n"
        "\n"
        "Reads the findings of many runs from files that the option json= names, - for standard input, and\n"
        "merges those with the same fingerprint: into one line of JSON each (merge), a table of the groups\n"
        "that were found most often (top), a SARIF file for code scanning with the worst first (sarif), a\n"
        "Code Quality report of GitLab (gitlab), or log records of OpenTelemetry, as OTLP JSON (otlp). diff\n"
        "has two files, and prints what is only in the second (+) or only in the first (-); its status is 1\n"
        "if the second has new findings.\n"
        "\n"
        "  --limit=N   rows of top (default: 20), results of sarif (default: 5000); the last counts the rest\n"
        "  --help      print this help\n",
        out);
  return status;
}

/* Prints what the second set has and the first has not. Returns how many. */
static size_t print_missing(const struct cs_cli_found_set *first, const struct cs_cli_found_set *second, char sign) {
  size_t missing = 0;
  for (size_t i = 0; i < second->count; i++)
    if (!cs_cli_found_has(first, second->all[i].fingerprint)) {
      printf("%c ", sign);
      cs_cli_print_known(&second->all[i]);
      missing++;
    }
  return missing;
}

static int diff(int count, char **paths) {
  struct cs_cli_found_set old = {0}, new = {0};
  int status = 2;
  if (count != 2)
    return usage(stderr, 2);
  if (!cs_cli_found_read(&old, paths[0]) && !cs_cli_found_read(&new, paths[1])) {
    status = print_missing(&old, &new, '+') > 0;
    print_missing(&new, &old, '-');
  }
  cs_cli_found_release(&old);
  cs_cli_found_release(&new);
  return status;
}

/* limit 0: the default. Returns the exit status. */
static int print(struct cs_cli_found_set *set, const char *format, size_t limit) {
  if (strcmp(format, "merge") == 0)
    cs_cli_print_merged(set);
  else if (strcmp(format, "top") == 0)
    return cs_cli_print_top(set, limit ? limit : TOP_SHOWN) ? cs_cli_fail("out of memory") : 0;
  else if (strcmp(format, "sarif") == 0)
    cs_cli_print_sarif(set, limit ? limit : SARIF_RESULTS);
  else if (strcmp(format, "otlp") == 0)
    cs_cli_print_otlp(set);
  else
    cs_cli_print_gitlab(set);
  return 0;
}

static int is_format(const char *name) {
  static const char *const names[] = {"merge", "top", "sarif", "gitlab", "otlp"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0)
      return 1;
  return 0;
}

static int print_files(const char *format, int count, char **arguments) {
  struct cs_cli_found_set set = {0};
  size_t limit = 0;
  int files = 0, status = 0;
  for (int i = 0; i < count && !status; i++)
    if (strncmp(arguments[i], "--limit=", strlen("--limit=")) == 0) {
      char *end;
      limit = strtoul(arguments[i] + strlen("--limit="), &end, 10);
      status = *end || !limit ? cs_cli_fail("--limit is a number from 1") : 0;
    } else {
      files++;
      status = cs_cli_found_read(&set, arguments[i]) ? 1 : 0;
    }
  if (!status)
    status = files ? print(&set, format, limit) : usage(stderr, 2);
  cs_cli_found_release(&set);
  return status;
}

int cs_cli_command_findings(int argc, char **argv) {
  if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
    return usage(stdout, 0);
  if (argc < 3)
    return usage(stderr, 2);
  if (strcmp(argv[1], "diff") == 0)
    return diff(argc - 2, argv + 2);
  return is_format(argv[1]) ? print_files(argv[1], argc - 2, argv + 2) : usage(stderr, 2);
}
