/* options.c: the one reader of the environment. */
#include "host/options.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum type { FLAG, NUMBER, WORD, CHOICE };

struct option {
  const char *name;
  enum type type;
  size_t offset, size;
  const char *choices, *help, *shown_default;
};

#define FIELD(name) offsetof(struct cs_options, name), sizeof(((struct cs_options *)0)->name)
static const struct option table[] = {
#define CS_FLAG(name, value, help) {#name, FLAG, FIELD(name), "0|1", help, #value},
#define CS_NUMBER(name, value, help) {#name, NUMBER, FIELD(name), NULL, help, #value},
#define CS_WORD(name, value, help) {#name, WORD, FIELD(name), NULL, help, value},
#define CS_CHOICE(name, value, choices, help) {#name, CHOICE, FIELD(name), choices, help, value},
#include "host/options.inc"
};
enum { OPTION_COUNT = sizeof table / sizeof *table };

void cs_options_default(struct cs_options *options) {
  memset(options, 0, sizeof *options);
#define CS_FLAG(name, value, help) options->name = value;
#define CS_NUMBER(name, value, help) options->name = value;
#define CS_WORD(name, value, help) snprintf(options->name, sizeof options->name, "%s", value);
#define CS_CHOICE(name, value, choices, help) snprintf(options->name, sizeof options->name, "%s", value);
#include "host/options.inc"
}

enum cs_on_error cs_options_on_error(const struct cs_options *options) {
  if (strcmp(options->on_error, "contain") == 0)
    return CS_ON_ERROR_CONTAIN;
  int go_on = strcmp(options->on_error, "continue") == 0 || !options->halt_on_error;
  return go_on ? CS_ON_ERROR_CONTINUE : CS_ON_ERROR_HALT;
}

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

/* Edits between two names, for the suggestion. */
static size_t edit_distance(const char *a, const char *b) {
  enum { MAX = 40 };
  size_t row[MAX + 1], n = smaller(strlen(b), MAX);
  for (size_t j = 0; j <= n; j++)
    row[j] = j;
  for (size_t i = 0; a[i]; i++) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < n; j++) {
      size_t change = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = smaller(change, smaller(row[j], row[j + 1]) + 1);
    }
  }
  return row[n];
}

static const char *nearest(const char *name) {
  const char *best = NULL;
  size_t best_distance = 4;
  for (size_t i = 0; i < OPTION_COUNT; i++) {
    size_t d = edit_distance(name, table[i].name);
    if (d < best_distance) {
      best_distance = d;
      best = table[i].name;
    }
  }
  return best;
}

static int is_choice(const char *choices, const char *value) {
  size_t length = strlen(value);
  for (const char *c = choices; c; c = strchr(c, '|')) {
    c += *c == '|';
    if (strncmp(c, value, length) == 0 && (c[length] == '|' || c[length] == 0))
      return 1;
  }
  return 0;
}

static int set_number(const struct option *o, void *field, const char *value, char *error, size_t size) {
  char *end;
  errno = 0;
  long number = strtol(value, &end, 10);
  long least = strcmp(o->name, "verbosity") == 0 ? 0 : 1;
  long most = strcmp(o->name, "exitcode") == 0 ? 255 : 1 << 24;
  if (errno || end == value || *end || number < least || number > most) {
    snprintf(error, size, "CUSAFE_OPTIONS: %s takes a number from %ld to %ld, not '%s'", o->name, least, most, value);
    return -1;
  }
  *(int *)field = (int)number;
  return 0;
}

static int set(struct cs_options *options, const struct option *o, const char *value, char *error, size_t size) {
  void *field = (char *)options + o->offset;
  if (o->type == NUMBER)
    return set_number(o, field, value, error, size);
  if (o->choices && !is_choice(o->choices, value)) {
    snprintf(error, size, "CUSAFE_OPTIONS: %s is one of %s, not '%s'", o->name, o->choices, value);
    return -1;
  }
  if (o->type == FLAG) {
    *(int *)field = value[0] == '1';
    return 0;
  }
  if (strlen(value) >= o->size) {
    snprintf(error, size, "CUSAFE_OPTIONS: the value of %s is longer than %zu bytes", o->name, o->size - 1);
    return -1;
  }
  strcpy(field, value);
  return 0;
}

static int assign(struct cs_options *options, char *name, char *value, char *error, size_t size) {
  for (size_t i = 0; i < OPTION_COUNT; i++)
    if (strcmp(table[i].name, name) == 0)
      return set(options, &table[i], value, error, size);
  const char *meant = nearest(name);
  snprintf(error, size, "CUSAFE_OPTIONS: there is no option '%s'%s%s%s", name, meant ? "; did you mean '" : "",
           meant ? meant : "; help=1 lists them", meant ? "'?" : "");
  return -1;
}

/* Cuts the next key=value out of *text, in place. Returns 1, 0 at the end, or -1. */
static int next_pair(char **text, char **name, char **value, char *error, size_t size) {
  char *p = *text;
  while (*p == ':')
    p++;
  if (!*p)
    return 0;
  *name = p;
  char *equals = p + strcspn(p, "=:");
  if (*equals != '=') {
    *equals = 0;
    snprintf(error, size, "CUSAFE_OPTIONS: '%s' has no value; write %s=VALUE", *name, *name);
    return -1;
  }
  *equals = 0;
  char quote = equals[1] == '\'' || equals[1] == '"' ? equals[1] : 0;
  *value = equals + 1 + (quote != 0);
  char *end = quote ? strchr(*value, quote) : *value + strcspn(*value, ":");
  if (!end || (quote && end[1] && end[1] != ':')) {
    snprintf(error, size, "CUSAFE_OPTIONS: the quotation of %s has no end", *name);
    return -1;
  }
  *text = end + (*end != 0);
  *end = 0;
  return 1;
}

int cs_options_parse(struct cs_options *options, const char *text, char *error, size_t error_size) {
  char *copy = strdup(text), *rest = copy, *name, *value;
  if (!copy) {
    snprintf(error, error_size, "out of memory");
    return -1;
  }
  int more;
  while ((more = next_pair(&rest, &name, &value, error, error_size)) > 0)
    if (assign(options, name, value, error, error_size)) {
      more = -1;
      break;
    }
  free(copy);
  return more;
}

void cs_options_help(FILE *out) {
  fprintf(out, "CUSAFE_OPTIONS=key=value:key=value...\n");
  for (size_t i = 0; i < OPTION_COUNT; i++)
    fprintf(out, "  %-18s %s%s%s%s (default: %s)\n", table[i].name, table[i].help, table[i].type == CHOICE ? " [" : "",
            table[i].type == CHOICE ? table[i].choices : "", table[i].type == CHOICE ? "]" : "",
            *table[i].shown_default ? table[i].shown_default : "none");
}

static struct cs_options process_options;

static void read_environment(void) {
  char error[CS_OPTION_TEXT_MAX + 256];
  cs_options_default(&process_options);
  const char *text = getenv("CUSAFE_OPTIONS");
  if (text && cs_options_parse(&process_options, text, error, sizeof error)) {
    fprintf(stderr, "cusafe: %s\n", error);
    fflush(stderr);
    _exit(1);
  }
  if (process_options.help)
    cs_options_help(stderr);
}

const struct cs_options *cs_options(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, read_environment);
  return &process_options;
}
