/* options.c: the options by name: the parser for CUSAFE_OPTIONS and `cusafe run`, and their help texts. */
#include "options/options.h"
#include "options/detect.h"
#include "options/nearest.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum type { FLAG, NUMBER, COUNT, SHARE, TEXT, CHOICE };

struct option {
  const char *name;
  enum type type;
  size_t offset, size;
  const char *choices, *help, *shown_default;
};

#define FIELD(name) offsetof(struct cs_options, name), sizeof(((struct cs_options *)0)->name)
static const struct option table[] = {
#define CS_OPTIONS_FLAG(name, value, help) {#name, FLAG, FIELD(name), "0|1", help, #value},
#define CS_OPTIONS_NUMBER(name, value, help) {#name, NUMBER, FIELD(name), NULL, help, #value},
#define CS_OPTIONS_COUNT(name, value, help) {#name, COUNT, FIELD(name), NULL, help, #value},
#define CS_OPTIONS_SHARE(name, value, help) {#name, SHARE, FIELD(name), NULL, help, #value},
#define CS_OPTIONS_TEXT(name, value, help) {#name, TEXT, FIELD(name), NULL, help, value},
#define CS_OPTIONS_CHOICE(name, value, choices, help) {#name, CHOICE, FIELD(name), choices, help, value},
#include "options/options.inc"
};
enum { OPTION_COUNT = sizeof table / sizeof *table };

static const char *const names[] = {
#define CS_OPTIONS_FLAG(name, value, help) #name,
#define CS_OPTIONS_NUMBER(name, value, help) #name,
#define CS_OPTIONS_COUNT(name, value, help) #name,
#define CS_OPTIONS_SHARE(name, value, help) #name,
#define CS_OPTIONS_TEXT(name, value, help) #name,
#define CS_OPTIONS_CHOICE(name, value, choices, help) #name,
#include "options/options.inc"
};

void cs_options_default(struct cs_options *options) {
  memset(options, 0, sizeof *options);
#define CS_OPTIONS_FLAG(name, value, help) options->name = value;
#define CS_OPTIONS_NUMBER(name, value, help) options->name = value;
#define CS_OPTIONS_COUNT(name, value, help) options->name = value;
#define CS_OPTIONS_SHARE(name, value, help) options->name = value;
#define CS_OPTIONS_TEXT(name, value, help) snprintf(options->name, sizeof options->name, "%s", value);
#define CS_OPTIONS_CHOICE(name, value, choices, help) snprintf(options->name, sizeof options->name, "%s", value);
#include "options/options.inc"
}

enum cs_options_error_action cs_options_on_error(const struct cs_options *options) {
  if (strcmp(options->on_error, "contain") == 0)
    return CS_OPTIONS_ON_ERROR_CONTAIN;
  return strcmp(options->on_error, "continue") == 0 ? CS_OPTIONS_ON_ERROR_CONTINUE : CS_OPTIONS_ON_ERROR_HALT;
}

int cs_options_samples(const struct cs_options *options) {
  return options->sample < 1 || options->sample_processes < 1 || *options->control;
}

int cs_options_select_launches(const struct cs_options *options) {
  return *options->kernel || *options->kernel_regex || options->launch_skip || options->launch_count;
}

int cs_options_may_ignore(const struct cs_options *options) {
  return cs_options_select_launches(options) || *options->suppressions || *options->baseline ||
         *options->baseline_write;
}

/* ---- parsing ---- */

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
  long min = o->type == COUNT ? 0 : 1;
  long max = strcmp(o->name, "exitcode") == 0 ? 255 : strcmp(o->name, "report_bytes") == 0 ? 1 << 30 : 1 << 24;
  if (errno || end == value || *end || number < min || number > max) {
    snprintf(error, size, "%s takes a number from %ld to %ld, not '%s'", o->name, min, max, value);
    return -1;
  }
  *(int *)field = (int)number;
  return 0;
}

/* Decimal digits, in every locale. Returns 0, or -1. */
static int parse_share(const char *text, double *share) {
  double unit = 1;
  *share = 0;
  if (!strpbrk(text, "0123456789"))
    return -1;
  for (; *text >= '0' && *text <= '9'; text++)
    *share = *share * 10 + (*text - '0');
  for (text += *text == '.'; *text >= '0' && *text <= '9'; text++)
    *share += (*text - '0') * (unit /= 10);
  return *text || *share > 1 ? -1 : 0;
}

static int set_share(const struct option *o, void *field, const char *value, char *error, size_t size) {
  double share;
  if (parse_share(value, &share)) {
    snprintf(error, size, "%s takes a number from 0 to 1, such as 0.01, not '%s'", o->name, value);
    return -1;
  }
  *(double *)field = share;
  return 0;
}

/* File names may contain only %p and %%: any other sequence is reserved. */
static int check_percent(const struct option *o, const char *value, char *error, size_t size) {
  enum { READ, ADDED, BEGUN };
  int is_file = 0;
#define CS_OPTIONS_FILE(file, kind) is_file |= kind != READ && strcmp(o->name, #file) == 0;
#include "options/files.inc"
  for (const char *p = is_file ? strchr(value, '%') : NULL; p; p = strchr(p + 2, '%'))
    if (p[1] != 'p' && p[1] != '%') {
      snprintf(error, size, "in %s, %% is followed by p, for the process ID, or by another %%, not by '%.1s'", o->name,
               p + 1);
      return -1;
    }
  return 0;
}

/* on_error and halt_on_error specify the same action: the one that was set last decides both. halt_on_error=0 keeps
 * contain. A program whose launches are sampled is in production, and is not halted unless that was asked for. */
static void agree(struct cs_options *options, const char *last) {
  int halts = strcmp(options->on_error, "halt") == 0, sets = strcmp(last, "on_error") == 0;
  if (sets)
    options->halt_on_error = halts;
  else if (strcmp(last, "halt_on_error") == 0) {
    sets = 1;
    if (options->halt_on_error != halts)
      strcpy(options->on_error, halts ? "continue" : "halt");
  }
  options->is_action_set |= sets;
  if (options->is_action_set)
    return;
  options->halt_on_error = !cs_options_samples(options);
  strcpy(options->on_error, options->halt_on_error ? "halt" : "continue");
}

static int check_detect(const struct option *o, const char *value, char *error, size_t size) {
  char why[256];
  unsigned detects;
  if (strcmp(o->name, "detect") != 0 || cs_options_detect_read(value, &detects, why, sizeof why) == 0)
    return 0;
  snprintf(error, size, "%s: %s", o->name, why);
  return -1;
}

static int set_value(struct cs_options *options, const struct option *o, const char *value, char *error, size_t size) {
  void *field = (char *)options + o->offset;
  if (o->type == SHARE)
    return set_share(o, field, value, error, size);
  if (o->type == NUMBER || o->type == COUNT)
    return set_number(o, field, value, error, size);
  if (o->choices && !is_choice(o->choices, value)) {
    snprintf(error, size, "%s is one of %s, not '%s'", o->name, o->choices, value);
    return -1;
  }
  if (o->type == FLAG) {
    *(int *)field = value[0] == '1';
    return 0;
  }
  if (strlen(value) >= o->size) {
    snprintf(error, size, "the value of %s is longer than %zu bytes", o->name, o->size - 1);
    return -1;
  }
  if (check_percent(o, value, error, size) || check_detect(o, value, error, size))
    return -1;
  strcpy(field, value);
  return 0;
}

static int set(struct cs_options *options, const struct option *o, const char *value, char *error, size_t size) {
  if (set_value(options, o, value, error, size))
    return -1;
  agree(options, o->name);
  return 0;
}

static const struct option *find(const char *name) {
  for (size_t i = 0; i < OPTION_COUNT; i++)
    if (strcmp(table[i].name, name) == 0)
      return &table[i];
  return NULL;
}

int cs_options_is_flag(const char *name) {
  const struct option *o = find(name);
  return o && o->type == FLAG;
}

int cs_options_set(struct cs_options *options, const char *name, const char *value, char *error, size_t size) {
  const struct option *o = find(name);
  if (o)
    return set(options, o, value, error, size);
  const char *meant = cs_options_nearest(name, names, OPTION_COUNT);
  snprintf(error, size, "there is no option '%s'%s%s%s", name, meant ? "; did you mean '" : "",
           meant ? meant : "; help=1 lists them", meant ? "'?" : "");
  return -1;
}

/* Splits the next key=value off *text, in place. Returns 1, 0 at the end, or -1. */
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
    snprintf(error, size, "'%s' has no value; write %s=VALUE", *name, *name);
    return -1;
  }
  *equals = 0;
  char quote = equals[1] == '\'' || equals[1] == '"' ? equals[1] : 0;
  *value = equals + 1 + (quote != 0);
  char *end = quote ? strchr(*value, quote) : *value + strcspn(*value, ":");
  if (!end || (quote && end[1] && end[1] != ':')) {
    snprintf(error, size, "the quoted value of %s has no closing quote", *name);
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
    if (cs_options_set(options, name, value, error, error_size)) {
      more = -1;
      break;
    }
  free(copy);
  return more;
}

int cs_options_path(const char *path, char *to, size_t room) {
  size_t used = 0;
  for (; *path && used + 16 < room; path++)
    if (path[0] == '%' && path[1] == 'p') {
      used += (size_t)snprintf(to + used, room - used, "%d", (int)getpid());
      path++;
    } else {
      path += path[0] == '%' && path[1] == '%';
      to[used++] = *path;
    }
  to[used] = 0;
  return *path ? -1 : 0;
}

/* ---- help ---- */

static const char *shown_default(const struct option *o) {
  return *o->shown_default ? o->shown_default : "none";
}

/* Prints the text in lines that start at column `indent` and end before column 100. */
static void print_wrapped(const char *text, int indent, FILE *out) {
  int column = indent;
  while (*text) {
    int length = (int)strcspn(text, " ");
    if (column > indent && column + 1 + length > 100) {
      fprintf(out, "\n%*s", indent, "");
      column = indent;
    }
    column += fprintf(out, "%s%.*s", column > indent ? " " : "", length, text);
    text += length + (text[length] == ' ');
  }
  fputs("\n", out);
}

void cs_options_list(const char *prefix, FILE *out) {
  for (size_t i = 0; i < OPTION_COUNT; i++) {
    const struct option *o = &table[i];
    char text[512], name[64];
    snprintf(name, sizeof name, "%s%s", prefix, o->name);
    snprintf(text, sizeof text, "%s%s%s%s (default: %s)", o->help, o->type == CHOICE ? " (" : "",
             o->type == CHOICE ? o->choices : "", o->type == CHOICE ? ")" : "", shown_default(o));
    int indent = fprintf(out, "  %-19s ", name);
    print_wrapped(text, indent, out);
  }
}

/* Escapes |, which would end the cell. */
static void print_cell(const char *text, FILE *out) {
  for (; *text; text++)
    fprintf(out, *text == '|' ? "\\|" : "%c", *text);
}

void cs_options_table(FILE *out) {
  fputs("| option | default | |\n|---|---|---|\n", out);
  for (size_t i = 0; i < OPTION_COUNT; i++) {
    const struct option *o = &table[i];
    fprintf(out, "| `%s` | %s | ", o->name, shown_default(o));
    print_cell(o->help, out);
    if (o->type == CHOICE) {
      fputs(": `", out);
      print_cell(o->choices, out);
      fputs("`", out);
    }
    fputs(" |\n", out);
  }
}
