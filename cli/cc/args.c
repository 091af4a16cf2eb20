/* args.c: sorts the arguments of `cusafe cc` by the step that gets them. */
#include "cli/cc/args.h"
#include "cli/base/message.h"
#include "cli/base/paths.h"
#include "options/detect.h"
#include "options/nearest.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum form { EXACT, JOINED, SEPARATE, EITHER, VALUE };

struct argument {
  const char *text;  /* as given */
  const char *next;  /* the value, if it is the next argument; or NULL */
  const char *value; /* in either position */
  const char *replacement;
};

typedef int action(struct cs_cli_cc *cc, const struct argument *a);

static void push(struct cs_cli_argv *list, const struct argument *a) {
  cs_cli_argv_push(list, a->text);
  if (a->next)
    cs_cli_argv_push(list, a->next);
}

static int do_BOTH(struct cs_cli_cc *cc, const struct argument *a) {
  push(&cc->compile, a);
  push(&cc->link, a);
  return 0;
}

static int do_COMPILE(struct cs_cli_cc *cc, const struct argument *a) {
  push(&cc->compile, a);
  return 0;
}

static int do_HOST(struct cs_cli_cc *cc, const struct argument *a) {
  push(&cc->host, a);
  return 0;
}

static int do_LINK(struct cs_cli_cc *cc, const struct argument *a) {
  push(&cc->link, a);
  return 0;
}

static int do_HOST_AND_LINK(struct cs_cli_cc *cc, const struct argument *a) {
  push(&cc->host, a);
  push(&cc->link, a);
  return 0;
}

static int do_HOST_AS(struct cs_cli_cc *cc, const struct argument *a) {
  cs_cli_argv_push(&cc->host, a->replacement);
  return 0;
}

static int do_HOST_EACH(struct cs_cli_cc *cc, const struct argument *a) {
  cs_cli_argv_push(&cc->host, a->replacement);
  cs_cli_argv_push(&cc->host, a->value);
  return 0;
}

static int do_HOST_AND_LINK_AS(struct cs_cli_cc *cc, const struct argument *a) {
  cs_cli_argv_push(&cc->host, a->replacement);
  cs_cli_argv_push(&cc->link, a->replacement);
  return 0;
}

static int do_REFUSE(struct cs_cli_cc *cc, const struct argument *a) {
  (void)cc;
  return cs_cli_fail("%s: %s.", a->text, a->replacement), -1;
}

static int do_DROP(struct cs_cli_cc *cc, const struct argument *a) {
  (void)cc, (void)a;
  return 0;
}

static int do_REPLACE(struct cs_cli_cc *cc, const struct argument *a) {
  cs_cli_argv_push(&cc->compile, a->replacement);
  return 0;
}

/* --device may still follow, so check() decides after the last argument. */
static int do_GPU_ONLY(struct cs_cli_cc *cc, const struct argument *a) {
  cs_cli_argv_push(&cc->gpu_compile, a->replacement);
  return 0;
}

static int do_DEVICE(struct cs_cli_cc *cc, const struct argument *a) {
  cc->gpu = strcmp(a->value, "gpu") == 0;
  if (!cc->gpu && strcmp(a->value, "cpu") != 0)
    return cs_cli_fail("--device=%s: expected cpu or gpu.", a->value), -1;
  return 0;
}

static int do_METADATA(struct cs_cli_cc *cc, const struct argument *a) {
  cc->window = strcmp(a->value, "window") == 0;
  if (!cc->window && strcmp(a->value, "table") != 0)
    return cs_cli_fail("--metadata=%s: expected table or window.", a->value), -1;
  return 0;
}

static int do_ELIMINATE(struct cs_cli_cc *cc, const struct argument *a) {
  cc->eliminate = a->value; /* the pass checks the names */
  return 0;
}

static int do_PRINT_AFTER(struct cs_cli_cc *cc, const struct argument *a) {
  cc->print_after = a->value; /* the pass checks the name */
  return 0;
}

static int do_STOP_AFTER(struct cs_cli_cc *cc, const struct argument *a) {
  cc->stop_after = a->value;
  return 0;
}

static int do_IGNORELIST(struct cs_cli_cc *cc, const struct argument *a) {
  cc->ignorelist = a->value;
  if (access(a->value, R_OK) != 0)
    return cs_cli_fail("--ignorelist=%s: cannot read this file.", a->value), -1;
  if (cs_cli_is_folder(a->value))
    return cs_cli_fail("--ignorelist=%s: this is a folder, not a file.", a->value), -1;
  return 0;
}

/* The number of the word at the start of a list, among `names`; `count` if it is none of them. */
static size_t find_word(const char *list, const char *const *names, size_t count, char *word, size_t room) {
  size_t i = 0;
  snprintf(word, room, "%.*s", (int)strcspn(list, ","), list);
  while (i < count && strcmp(word, names[i]) != 0)
    i++;
  return i;
}

/* The rest of a list after its first word; NULL at its end. */
static const char *next_word(const char *list) {
  list += strcspn(list, ",");
  return *list ? list + 1 : NULL;
}

static int do_DETECT(struct cs_cli_cc *cc, const struct argument *a) {
  char error[256] = "expected a list of memory, race, sync and init, or all";
  unsigned detects;
  if (!*a->value || cs_options_detect_read(a->value, &detects, error, sizeof error))
    return cs_cli_fail("--detect: %s.", error), -1;
  cs_options_detect_list(detects, cc->detect);
  return 0;
}

static int do_SKIP(struct cs_cli_cc *cc, const struct argument *a) {
  static const char *const names[] = {
#define CS_SKIP(id, name) name,
#include "cusafe/skips.inc"
  };
  enum { COUNT = sizeof names / sizeof *names };
  char word[64];
  for (const char *at = a->value; at; at = next_word(at)) {
    if (find_word(at, names, COUNT, word, sizeof word) == COUNT) {
      const char *near = cs_options_nearest(word, names, COUNT);
      return cs_cli_fail("--skip: unknown check '%s'; %s%s%s", word,
                         near ? "did you mean '" : "expected any of fields, scopes, ",
                         near ? near : "alignment, local, shared and variables", near ? "'?" : "."),
             -1;
    }
    cc->skip_fields |= strcmp(word, "fields") == 0;
  }
  cc->skip = a->value;
  return 0;
}

static int do_REGISTERS(struct cs_cli_cc *cc, const struct argument *a) {
  char *end;
  long count = strtol(a->value, &end, 10);
  if (end == a->value || *end || count < 0 || count > 255)
    return cs_cli_fail("%s: expected the maximum number of registers per thread, 1 to 255, or 0 for no limit.",
                       a->text),
           -1;
  cc->registers = (int)count;
  return 0;
}

/* A list of options for ptxas, of which only this one has an effect. */
static int do_XPTXAS(struct cs_cli_cc *cc, const struct argument *a) {
  static const char name[] = "-maxrregcount=";
  for (const char *at = a->value; at; at = strchr(at, ','), at = at ? at + 1 : NULL) {
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ","), at);
    const char *found = strncmp(word, "--", 2) == 0 ? word + 1 : word;
    struct argument limit = {.text = a->text, .value = found + strlen(name)};
    if (strncmp(found, name, strlen(name)) == 0 && do_REGISTERS(cc, &limit) != 0)
      return -1;
  }
  return 0;
}

/* nvcc's names for sets of architectures. Here the default replaces them: it has PTX for later ones. */
static int is_set(const char *arch, size_t length) {
  static const char *const names[] = {"native", "all", "all-major"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strlen(names[i]) == length && !strncmp(arch, names[i], length))
      return 1;
  return 0;
}

static int add_arch(struct cs_cli_cc *cc, const char *arch, size_t length) {
  if (length == 0 || is_set(arch, length))
    return 0;
  if (!strncmp(arch, "compute_", 8))
    cs_cli_argv_pushf(&cc->archs, "sm_%.*s", (int)length - 8, arch + 8);
  else
    cs_cli_argv_pushf(&cc->archs, "%.*s", (int)length, arch);
  return 0;
}

static int do_NVCC_ARCH(struct cs_cli_cc *cc, const struct argument *a) {
  for (const char *arch = a->value; *arch;) {
    size_t length = strcspn(arch, ",");
    add_arch(cc, arch, length);
    arch += length + (arch[length] == ',');
  }
  return 0;
}

static int do_ARCH(struct cs_cli_cc *cc, const struct argument *a) {
  size_t before = cc->archs.count;
  do_NVCC_ARCH(cc, a);
  if (cc->archs.count == before || strncmp(cc->archs.items[before], "sm_", 3) != 0)
    return cs_cli_fail("--arch=%s: expected a list of architectures, such as sm_80,sm_90.", a->value), -1;
  cc->cpu_arch = cc->archs.items[before];
  return 0;
}

/* "arch=compute_80,code=sm_80" and "arch=compute_80,code=[sm_80,compute_80]": the virtual architecture determines
 * both. */
static int do_GENCODE(struct cs_cli_cc *cc, const struct argument *a) {
  const char *arch = strstr(a->value, "arch=");
  return arch ? add_arch(cc, arch + 5, strcspn(arch + 5, ",\"")) : 0;
}

/* Pushes each part of a list with the prefix; a backslash escapes a comma. */
static void push_parts(const char *list, struct cs_cli_argv *to, const char *prefix) {
  while (*list) {
    char *part = cs_cli_format("%s", list);
    size_t n = 0;
    for (; *list && *list != ','; list++) {
      if (*list == '\\' && list[1] == ',')
        list++;
      part[n++] = *list;
    }
    part[n] = 0;
    if (n)
      cs_cli_argv_pushf(to, "%s%s", prefix, part);
    free(part);
    list += *list != 0;
  }
}

/* As nvcc reads the lists of -D, -U, -I, -isystem, -L and -l: a backslash escapes any character and is removed, and
 * double quotes keep commas. So do parentheses here, of macros with parameters, which nvcc rejects. */
static void push_list(const char *list, struct cs_cli_argv *to, const char *prefix) {
  char *part = cs_cli_format("%s", list);
  for (size_t n = 0, quoted = 0, depth = 0;; list++) {
    int escaped = *list == '\\' && list[1];
    list += escaped;
    if (!*list || (*list == ',' && !escaped && !quoted && !depth)) {
      part[n] = 0;
      if (n)
        cs_cli_argv_pushf(to, "%s%s", prefix, part);
      n = 0;
      if (!*list)
        break;
      continue;
    }
    quoted ^= *list == '"' && !escaped;
    if (!quoted && !escaped)
      depth += *list == '(' ? 1 : *list == ')' && depth ? (size_t)-1 : 0;
    part[n++] = *list;
  }
  free(part);
}

/* As a shell does: blanks separate, unless they are quoted, and a backslash escapes a quote. Commas always separate. */
static void push_shell_parts(const char *text, struct cs_cli_argv *to) {
  char *part = cs_cli_format("%s", text), quote = 0;
  for (size_t n = 0;; text++) {
    if (!*text || *text == ',' || (!quote && strchr(" \t", *text))) {
      part[n] = 0;
      if (n)
        cs_cli_argv_push(to, part);
      n = 0;
      if (!*text)
        break;
    } else if (quote ? *text == quote : *text == '"' || *text == '\'')
      quote = quote ? 0 : *text;
    else {
      if (*text == '\\' && (text[1] == ',' || text[1] == '"' || text[1] == '\''))
        text++;
      part[n++] = *text;
    }
  }
  free(part);
}

/* Options with which gcc and clang print something about themselves and compile nothing. */
static int is_question(const char *text) {
  static const char *const names[] = {"--version", "-dumpversion", "-dumpfullversion", "-dumpmachine"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(text, names[i]))
      return 1;
  return 0;
}

/* nvcc passes the text to a shell. The host compiler also drives the linker. */
static int do_XCOMPILER(struct cs_cli_cc *cc, const struct argument *a) {
  struct cs_cli_argv parts = {0};
  push_shell_parts(a->value, &parts);
  for (size_t i = 0; i < parts.count; i++) {
    cc->asks_host |= is_question(parts.items[i]);
    /* "-Wl,-rpath,x" was split at its commas */
    if (!strcmp(parts.items[i], "-Wl")) {
      for (i++; i < parts.count; i++) {
        cs_cli_argv_push(&cc->link, "-Xlinker");
        cs_cli_argv_push(&cc->link, parts.items[i]);
      }
      break;
    }
    cs_cli_argv_push(&cc->host, parts.items[i]);
    if (strncmp(parts.items[i], "-D", 2) != 0 && strncmp(parts.items[i], "-I", 2) != 0 &&
        strncmp(parts.items[i], "-W", 2) != 0)
      cs_cli_argv_push(&cc->link, parts.items[i]);
  }
  cs_cli_argv_free(&parts);
  return 0;
}

static int do_XLINKER(struct cs_cli_cc *cc, const struct argument *a) {
  struct cs_cli_argv parts = {0};
  push_parts(a->value, &parts, "");
  for (size_t i = 0; i < parts.count; i++) {
    cs_cli_argv_push(&cc->link, "-Xlinker");
    cs_cli_argv_push(&cc->link, parts.items[i]);
  }
  cs_cli_argv_free(&parts);
  return 0;
}

/* Options with a comma-separated list in nvcc, and with one value in clang. */
static int do_COMPILE_EACH(struct cs_cli_cc *cc, const struct argument *a) {
  if (cc->as_clang)
    cs_cli_argv_pushf(&cc->compile, "%s%s", a->replacement, a->value);
  else
    push_list(a->value, &cc->compile, a->replacement);
  return 0;
}

static int do_LINK_EACH(struct cs_cli_cc *cc, const struct argument *a) {
  if (cc->as_clang)
    cs_cli_argv_pushf(&cc->link, "%s%s", a->replacement, a->value);
  else
    push_list(a->value, &cc->link, a->replacement);
  return 0;
}

static int do_INCLUDE_EACH(struct cs_cli_cc *cc, const struct argument *a) {
  struct cs_cli_argv parts = {0};
  if (cc->as_clang)
    cs_cli_argv_push(&parts, a->value);
  else
    push_list(a->value, &parts, "");
  for (size_t i = 0; i < parts.count; i++) {
    cs_cli_argv_push(&cc->compile, a->replacement);
    cs_cli_argv_push(&cc->compile, parts.items[i]);
  }
  cs_cli_argv_free(&parts);
  return 0;
}

static int is_true(const char *value) {
  return !strcmp(value, "true");
}

static int do_RDC(struct cs_cli_cc *cc, const struct argument *a) {
  cc->relocatable = is_true(a->value);
  if (!cc->relocatable && strcmp(a->value, "false") != 0)
    return cs_cli_fail("%s: expected true or false.", a->text), -1;
  return 0;
}

/* nvcc's -Werror is followed by a list of nvcc's own warnings, which clang does not have. */
static int is_nvcc_warnings(const char *text) {
  static const char *const kinds[] = {"all-warnings",
                                      "cross-execution-space-call",
                                      "reorder",
                                      "default-stream-launch",
                                      "missing-launch-bounds",
                                      "deprecated-declarations",
                                      "ext-lambda-captures-this"};
  size_t length = strcspn(text, ",");
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strlen(kinds[i]) == length && !strncmp(text, kinds[i], length))
      return 1;
  return 0;
}

static int do_FMAD(struct cs_cli_cc *cc, const struct argument *a) {
  if (!is_true(a->value))
    cs_cli_argv_push(&cc->device, "-ffp-contract=off");
  return 0;
}

static int do_FTZ(struct cs_cli_cc *cc, const struct argument *a) {
  if (is_true(a->value))
    cs_cli_argv_push(&cc->gpu_compile, "-fgpu-flush-denormals-to-zero");
  return 0;
}

static int do_DEFAULT_STREAM(struct cs_cli_cc *cc, const struct argument *a) {
  if (!strcmp(a->value, "per-thread"))
    cs_cli_argv_push(&cc->compile, "-fgpu-default-stream=per-thread");
  else if (strcmp(a->value, "legacy") != 0 && strcmp(a->value, "null") != 0)
    return cs_cli_fail("%s: expected legacy or per-thread.", a->text), -1;
  return 0;
}

static int do_MAKE(struct cs_cli_cc *cc, const struct argument *a) {
  static const struct {
    const char *name;
    enum cs_cli_make make;
  } names[] = {{"object", CS_CLI_MAKE_OBJECT},  {"ptx", CS_CLI_MAKE_PTX},         {"cubin", CS_CLI_MAKE_CUBIN},
               {"fatbin", CS_CLI_MAKE_FATBIN},  {"library", CS_CLI_MAKE_LIBRARY}, {"dlink", CS_CLI_MAKE_DEVICE_LINK},
               {"program", CS_CLI_MAKE_PROGRAM}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(a->replacement, names[i].name))
      cc->make = names[i].make;
  return 0;
}

static int do_LANGUAGE(struct cs_cli_cc *cc, const struct argument *a) {
  static const struct {
    const char *name;
    int language;
  } names[] = {{"cuda", CS_CLI_LANGUAGE_CUDA},
               {"cu", CS_CLI_LANGUAGE_CUDA},
               {"c++", CS_CLI_LANGUAGE_CXX},
               {"c", CS_CLI_LANGUAGE_C},
               {"none", -1}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(a->value, names[i].name)) {
      cc->forced_language = names[i].language;
      cc->language_at = cc->source_count;
      return 0;
    }
  return cs_cli_fail("-x %s: expected cuda, c++, c or none.", a->value), -1;
}

#define SETS(id, statement)                                                                                            \
  static int do_##id(struct cs_cli_cc *cc, const struct argument *a) {                                                 \
    (void)a;                                                                                                           \
    statement;                                                                                                         \
    return 0;                                                                                                          \
  }
SETS(BARE, cc->bare = 1)
SETS(STATISTICS, cc->statistics = 1)
SETS(COUNT, cc->count = 1)
SETS(SAMPLED, cc->sampled = 1)
SETS(EXPLAIN, cc->explain = 1)
SETS(KEEP, cc->keep = 1)
SETS(KEEP_DIR, cc->keep_dir = a->value)
SETS(VERBOSE, cc->verbose = 1)
SETS(HELP, cc->help = 1)
SETS(VERSION, cc->version = 1)
SETS(LIST, cc->list = a->replacement)
SETS(DRY_RUN, cc->dry_run = 1)
SETS(INSTEAD_OF, cc->as_clang = !cs_cli_is_nvcc(a->value))
SETS(RELOCATABLE, cc->relocatable = 1)
SETS(DEVICE_C, cc->relocatable = 1; cc->make = CS_CLI_MAKE_OBJECT)
SETS(SHARED, cc->shared = 1; cs_cli_argv_push(&cc->link, "-shared"))
SETS(OUTPUT_FOLDER, cc->output_folder = a->value)
SETS(OUTPUT, cc->output = a->value)
SETS(CUDA_PATH, cc->cuda_path = a->value)
SETS(ONE_STEP, cc->one_step = 1; push(&cc->host, a))
SETS(ONE_STEP_AS, cc->one_step = 1; cs_cli_argv_push(&cc->host, a->replacement))
SETS(INTERMEDIATE, cc->one_step = cc->intermediate = 1; cs_cli_argv_push(&cc->host, "-E"))
SETS(DEBUG, cc->debug = 1; push(&cc->compile, a))
SETS(DEVICE_DEBUG, cc->debug = 1; cs_cli_argv_push(&cc->compile, "-g"); if (a->replacement) do_REPLACE(cc, a))
SETS(OPTIMIZE, cc->optimize = 1; push(&cc->compile, a); push(&cc->link, a))
SETS(OPTIMIZE_AS, cc->optimize = 1; cs_cli_argv_pushf(&cc->compile, "-O%s", a->value))

static const struct flag {
  const char *spelling;
  enum form form;
  action *act;
  const char *replacement;
} flags[] = {
#define CC_FLAG(spelling, form, id, text) {spelling, form, do_##id, text},
#include "cli/cc/flags.inc"
};

static const struct flag *find_flag(const char *text) {
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
    int joined = flags[i].form == JOINED || flags[i].form == EITHER;
    size_t length = strlen(flags[i].spelling);
    if (strncmp(text, flags[i].spelling, length) != 0)
      continue;
    if (joined || !text[length] || (flags[i].form == VALUE && text[length] == '='))
      return &flags[i];
  }
  return NULL;
}

/* A source, or an input of the linker. */
static void add_input(struct cs_cli_cc *cc, const char *path) {
  static const struct {
    const char *extension;
    enum cs_cli_language language;
  } kinds[] = {{".cu", CS_CLI_LANGUAGE_CUDA}, {".cpp", CS_CLI_LANGUAGE_CXX}, {".cc", CS_CLI_LANGUAGE_CXX},
               {".cxx", CS_CLI_LANGUAGE_CXX}, {".C", CS_CLI_LANGUAGE_CXX},   {".c", CS_CLI_LANGUAGE_C}};
  const char *dot = strrchr(path, '.');
  int language = cc->forced_language;
  for (size_t i = 0; language < 0 && dot && i < sizeof kinds / sizeof *kinds; i++)
    if (!strcmp(dot, kinds[i].extension))
      language = (int)kinds[i].language;
  if (language < 0) {
    cs_cli_argv_push(&cc->link, path);
    cc->object_count++;
  } else
    cc->sources[cc->source_count++] = (struct cs_cli_cc_source){path, (enum cs_cli_language)language};
}

static int parse_one(struct cs_cli_cc *cc, char **argv, int *index) {
  const char *text = argv[*index];
  const struct flag *flag = find_flag(text);
  struct argument a = {.text = text};
  if (!strcmp(text, "-Werror") && argv[*index + 1] && is_nvcc_warnings(argv[*index + 1]))
    return ++*index, 0;
  if (*text != '-' || !strcmp(text, "-"))
    return add_input(cc, text), 0;
  if (!flag) {
    if (!strncmp(text, "--", 2) && !cc->unknown)
      cc->unknown = text;
    return do_BOTH(cc, &a);
  }
  size_t length = strlen(flag->spelling);
  a.replacement = flag->replacement;
  a.value = text + length + (flag->form == VALUE && text[length] == '=');
  if (flag->form == SEPARATE || (flag->form == VALUE && !text[length]) || (flag->form == EITHER && !text[length])) {
    if (!argv[*index + 1])
      return cs_cli_fail("%s requires a value.", text), -1;
    a.value = a.next = argv[++*index];
  }
  return flag->act(cc, &a);
}

/* In clang, -x applies to the files after it; in nvcc, to all files. So an -x after the last file applies to all. */
static void spread_language(struct cs_cli_cc *cc) {
  if (cc->forced_language < 0 || cc->language_at < cc->source_count)
    return;
  for (size_t i = 0; i < cc->source_count; i++)
    cc->sources[i].language = (enum cs_cli_language)cc->forced_language;
}

static int check(struct cs_cli_cc *cc) {
  if (cc->help || cc->version || cc->list || cc->asks_host || cc->linker.count)
    return 0;
  int joins = cc->make == CS_CLI_MAKE_PROGRAM || cc->make == CS_CLI_MAKE_LIBRARY || cc->make == CS_CLI_MAKE_DEVICE_LINK;
  if (cc->source_count == 0 && (cc->object_count == 0 || !joins || cc->one_step))
    return cs_cli_fail("no input files; see `cusafe cc --help`."), -1;
  if (cc->output && (!joins || cc->one_step) && cc->source_count > 1)
    return cs_cli_fail("-o names one file, but %zu sources would be compiled: omit -o, or compile them one by one.",
                       cc->source_count),
           -1;
  if (*cc->detect && (cc->gpu || cc->relocatable))
    return cs_cli_fail("--detect=%s works %s.", cc->detect,
                       cc->gpu ? "on the CPU device only: omit --device=gpu"
                               : "in code that is compiled as a whole: omit -rdc=true and -dc"),
           -1;
  spread_language(cc);
  if (cc->gpu)
    cs_cli_argv_append(&cc->compile, &cc->gpu_compile);
  if (cc->archs.count == 0)
    cs_cli_argv_push(&cc->archs, "sm_80");
  return 0;
}

int cs_cli_cc_parse(struct cs_cli_cc *cc, int argc, char **argv) {
  *cc = (struct cs_cli_cc){.forced_language = -1};
  cc->sources = calloc((size_t)argc + 1, sizeof *cc->sources);
  if (!cc->sources)
    return cs_cli_fail("out of memory."), -1;
  for (int i = 1; i < argc; i++)
    if (!strcmp(argv[i], CS_CLI_LINK_WITH))
      while (++i < argc)
        cs_cli_argv_push(&cc->linker, argv[i]);
    else if (parse_one(cc, argv, &i) != 0)
      return -1;
  return check(cc);
}

void cs_cli_cc_suggest(const struct cs_cli_cc *cc) {
  enum { COUNT = sizeof flags / sizeof *flags };
  const char *names[COUNT];
  if (!cc->unknown)
    return;
  char *name = cs_cli_format("%.*s", (int)strcspn(cc->unknown, "="), cc->unknown);
  for (size_t i = 0; i < COUNT; i++)
    names[i] = flags[i].spelling;
  const char *near = cs_options_nearest(name, names, COUNT);
  if (near)
    cs_cli_fail("%s is not an option of cusafe cc and was passed to clang; did you mean %.*s?", name,
                (int)strcspn(near, "="), near);
  free(name);
}

void cs_cli_cc_free(struct cs_cli_cc *cc) {
  cs_cli_argv_free(&cc->archs);
  cs_cli_argv_free(&cc->compile);
  cs_cli_argv_free(&cc->device);
  cs_cli_argv_free(&cc->gpu_compile);
  cs_cli_argv_free(&cc->host);
  cs_cli_argv_free(&cc->link);
  cs_cli_argv_free(&cc->linker);
  free(cc->sources);
}
