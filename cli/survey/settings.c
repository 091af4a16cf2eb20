/* settings.c: parses the options of `cusafe survey`. */
#include "cli/survey/settings.h"
#include "cli/base/message.h"
#include "options/nearest.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wordexp.h>

static int parse_number(const char *name, const char *text, double minimum, double *to) {
  char *end;
  *to = strtod(text, &end);
  if (*end || end == text || *to < minimum)
    return cs_cli_fail("%s %s: expected a number of at least %g.", name, text, minimum), -1;
  return 0;
}

static int parse_count(const char *name, const char *text, int *to) {
  double number;
  if (parse_number(name, text, 1, &number) != 0)
    return -1;
  *to = number < 100000 ? (int)number : 100000;
  return 0;
}

/* "2/8": the second of eight shards. */
static int parse_shard(struct cs_cli_survey *s, const char *text) {
  char *slash, *end = "";
  long shard = strtol(text, &slash, 10), shards = *slash == '/' ? strtol(slash + 1, &end, 10) : 0;
  if (*end || shard < 1 || shards < shard || shards > INT_MAX)
    return cs_cli_fail("--shard %s: expected i/n, with i from 1 to n.", text), -1;
  s->shard = (int)shard;
  s->shards = (int)shards;
  return 0;
}

static int read_commands(struct cs_cli_survey *s, const char *path) {
  char *line = NULL;
  size_t room = 0;
  int bad = 0;
  FILE *in = fopen(path, "r");
  if (!in)
    return cs_cli_fail("cannot read %s: %s.", path, strerror(errno)), -1;
  while (!bad && getline(&line, &room, in) >= 0) {
    line[strcspn(line, "\n")] = 0;
    const char *text = line + strspn(line, " \t");
    if (!*text || *text == '#')
      continue;
    if (!strchr(text, ':'))
      bad = cs_cli_fail("%s: expected lines `folder: command`, not '%s'.", path, text);
    else
      cs_cli_argv_push(&s->commands, text);
  }
  free(line);
  fclose(in);
  return bad ? -1 : 0;
}

static int split_words(const char *text, struct cs_cli_argv *to) {
  wordexp_t words;
  if (wordexp(text, &words, WRDE_NOCMD | WRDE_UNDEF) != 0)
    return cs_cli_fail("--make-args '%s': expected words quoted as in a shell, without $ and command substitution.",
                       text),
           -1;
  for (size_t i = 0; i < words.we_wordc; i++)
    cs_cli_argv_push(to, words.we_wordv[i]);
  wordfree(&words);
  return 0;
}

static int parse_detect(struct cs_cli_survey *s, const char *list) {
  char error[256];
  unsigned detects;
  if (cs_options_detect_read(list, &detects, error, sizeof error))
    return cs_cli_fail("--detect %s: %s.", list, error), -1;
  cs_options_detect_list(detects, s->detect);
  return 0;
}

static int unknown_option(const char *name) {
  static const char *const names[] = {"--jobs",  "--time-limit", "--build-limit", "--only",      "--every",
                                      "--bare",  "--build-only", "--commands",    "--make-args", "--log-dir",
                                      "--json",  "--cuda-path",  "--nvcc",        "--list",      "--folder",
                                      "--shard", "--results",    "--resume",      "--merge",     "--detect"};
  const char *near = cs_options_nearest(name, names, sizeof names / sizeof *names);
  if (near)
    return cs_cli_fail("survey has no option %s; did you mean %s?", name, near), -1;
  return cs_cli_fail("survey has no option %s; see `cusafe survey --help`.", name), -1;
}

static int take_value(struct cs_cli_survey *s, const char *name, const char *value) {
  if (!strcmp(name, "--jobs"))
    return parse_count(name, value, &s->jobs);
  if (!strcmp(name, "--every"))
    return parse_count(name, value, &s->every);
  if (!strcmp(name, "--time-limit"))
    return parse_number(name, value, 0.1, &s->run_limit);
  if (!strcmp(name, "--build-limit"))
    return parse_number(name, value, 0.1, &s->build_limit);
  if (!strcmp(name, "--commands"))
    return read_commands(s, value);
  if (!strcmp(name, "--detect"))
    return parse_detect(s, value);
  if (!strcmp(name, "--make-args"))
    return split_words(value, &s->make_args);
  if (!strcmp(name, "--shard"))
    return parse_shard(s, value);
  const struct {
    const char *name, **to;
  } words[] = {{"--only", &s->only},           {"--json", &s->json},     {"--log-dir", &s->log_dir},
               {"--cuda-path", &s->cuda_path}, {"--folder", &s->folder}, {"--results", &s->results}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (!strcmp(name, words[i].name))
      return *words[i].to = value, 0;
  return unknown_option(name);
}

/* Returns 1 if the argument is an option without a value. */
static int take_flag(struct cs_cli_survey *s, const char *argument) {
  const struct {
    const char *name;
    int *to;
  } flags[] = {{"--bare", &s->bare}, {"--build-only", &s->build_only}, {"--nvcc", &s->nvcc},
               {"--list", &s->list}, {"--resume", &s->resume},         {"--merge", &s->merge}};
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
    if (!strcmp(argument, flags[i].name))
      return *flags[i].to = 1;
  return 0;
}

static int check(const struct cs_cli_survey *s) {
  if (s->nvcc && s->bare)
    return cs_cli_fail("--bare and --nvcc exclude each other: what nvcc has built is always checked."), -1;
  if (*s->detect && s->bare)
    return cs_cli_fail("--bare and --detect exclude each other: what is built without checks detects nothing."), -1;
  if (s->resume && !s->results)
    return cs_cli_fail("--resume requires --results FILE, the results of the survey to resume."), -1;
  if (s->merge && (s->list || s->folder || s->shards || s->results))
    return cs_cli_fail("--merge only reads: --list, --folder, --shard and --results exclude it."), -1;
  if (s->roots.count == 0)
    return cs_cli_fail("no %s; see `cusafe survey --help`.", s->merge ? "file to merge" : "folder to survey"), -1;
  return 0;
}

static void set_defaults(struct cs_cli_survey *s) {
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  s->every = 1;
  s->run_limit = 120;
  s->build_limit = 600;
  s->jobs = processors > 0 ? (int)processors : 1;
}

/* Accepts --name=value and --name value. */
int cs_cli_survey_parse(struct cs_cli_survey *s, int argc, char **argv) {
  set_defaults(s);
  for (int i = 1; i < argc; i++) {
    char *equals = strchr(argv[i], '=');
    if (*argv[i] != '-')
      cs_cli_argv_push(&s->roots, argv[i]);
    else if (take_flag(s, argv[i]))
      continue;
    else if (!equals && !argv[i + 1])
      return cs_cli_fail("%s is not an option of survey, or its value is missing; see `cusafe survey --help`.",
                         argv[i]),
             -1;
    else {
      char *name = equals ? cs_cli_format("%.*s", (int)(equals - argv[i]), argv[i]) : cs_cli_format("%s", argv[i]);
      int bad = take_value(s, name, equals ? equals + 1 : argv[++i]);
      free(name);
      if (bad)
        return -1;
    }
  }
  return check(s);
}

void cs_cli_survey_free(struct cs_cli_survey *s) {
  cs_cli_argv_free(&s->roots);
  cs_cli_argv_free(&s->commands);
  cs_cli_argv_free(&s->make_args);
}
