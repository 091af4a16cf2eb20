/* parse_test.c: CUSAFE_OPTIONS. */
#include "options/detect.h"
#include "options/options.h"
#include "report/tests/cmocka_all.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct cs_options options;
static char error[2048];

static int parse(const char *text) {
  cs_options_default(&options);
  error[0] = 0;
  return cs_options_parse(&options, text, error, sizeof error);
}

static void defaults(void **state) {
  (void)state;
  assert_int_equal(parse(""), 0);
  assert_int_equal(options.halt_on_error, 1);
  assert_int_equal(options.exitcode, 86);
  assert_string_equal(options.color, "auto");
  assert_string_equal(options.log_path, "");
}

static void values(void **state) {
  (void)state;
  assert_int_equal(parse("halt_on_error=0:exitcode=3::verbosity=2:color=never:log_path='a:b':metadata=window:"), 0);
  assert_int_equal(options.halt_on_error, 0);
  assert_int_equal(options.exitcode, 3);
  assert_int_equal(options.verbosity, 2);
  assert_string_equal(options.color, "never");
  assert_string_equal(options.log_path, "a:b");
  assert_string_equal(options.metadata, "window");
}

static void lists_of_detectors(void **state) {
  (void)state;
  static const struct {
    const char *list, *canonical;
  } good[] = {{"", ""},
              {"memory", ""},
              {"all", "race,sync,init"},
              {"init,race", "race,init"},
              {"sync,memory,sync", "sync"},
              {"race,all", "race,sync,init"}};
  static const char *const bad[] = {"races", "rac", "race,", ",race", "race,,init", "race init", "allx", "ALL"};
  char list[CS_OPTIONS_DETECT_MAX], why[128];
  unsigned detects;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    assert_int_equal(cs_options_detect_read(good[i].list, &detects, why, sizeof why), 0);
    assert_string_equal(cs_options_detect_list(detects, list), good[i].canonical);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_int_equal(cs_options_detect_read(bad[i], &detects, why, sizeof why), -1);
  assert_int_equal(cs_options_detect_read("memory,race condition", &detects, why, sizeof why), -1);
  assert_string_equal(why, "unknown word 'race condition'; expected memory, race, sync, init or all");
  assert_int_equal(cs_options_detect_read("races", &detects, why, 8), -1); /* stays in a short buffer */
  assert_int_equal(strlen(why), 7);
  assert_int_equal(parse("detect=race,init:verbosity=1"), 0);
  assert_string_equal(options.detect, "race,init");
  assert_int_equal(parse("detect=racer"), -1);
  assert_string_equal(error, "detect: unknown word 'racer'; expected memory, race, sync, init or all");
}

static void on_error_and_halt_on_error_agree(void **state) {
  (void)state;
  static const struct {
    const char *text;
    enum cs_options_error_action meaning;
  } cases[] = {
      {"", CS_OPTIONS_ON_ERROR_HALT},
      {"on_error=halt", CS_OPTIONS_ON_ERROR_HALT},
      {"on_error=continue", CS_OPTIONS_ON_ERROR_CONTINUE},
      {"on_error=contain", CS_OPTIONS_ON_ERROR_CONTAIN},
      {"halt_on_error=0", CS_OPTIONS_ON_ERROR_CONTINUE},
      {"on_error=contain:halt_on_error=0", CS_OPTIONS_ON_ERROR_CONTAIN},
      {"on_error=contain:halt_on_error=1", CS_OPTIONS_ON_ERROR_HALT},
      {"on_error=continue:halt_on_error=1", CS_OPTIONS_ON_ERROR_HALT},
      {"halt_on_error=1:on_error=contain", CS_OPTIONS_ON_ERROR_CONTAIN},
      {"halt_on_error=0:on_error=halt", CS_OPTIONS_ON_ERROR_HALT},
      {"halt_on_error=0:on_error=halt:halt_on_error=0", CS_OPTIONS_ON_ERROR_CONTINUE},
      {"sample=0.5", CS_OPTIONS_ON_ERROR_CONTINUE},
      {"sample_processes=0", CS_OPTIONS_ON_ERROR_CONTINUE},
      {"sample=1", CS_OPTIONS_ON_ERROR_HALT},
      {"sample=0.5:sample=1", CS_OPTIONS_ON_ERROR_HALT},
      {"sample=0.5:on_error=halt", CS_OPTIONS_ON_ERROR_HALT},
      {"on_error=halt:sample=0.5", CS_OPTIONS_ON_ERROR_HALT},
      {"on_error=contain:sample=0.5", CS_OPTIONS_ON_ERROR_CONTAIN},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_int_equal(parse(cases[i].text), 0);
    assert_int_equal(cs_options_on_error(&options), cases[i].meaning);
  }
}

static void mistakes(void **state) {
  (void)state;
  static const struct {
    const char *text, *part;
  } cases[] = {
      {"halt_on_eror=0", "did you mean 'halt_on_error'?"},
      {"nonsense=0", "help=1 lists them"},
      {"exitcode", "write exitcode=VALUE"},
      {"exitcode=0", "from 1 to 255"},
      {"exitcode=x", "not 'x'"},
      {"exitcode=256", "from 1 to 255"},
      {"halt_on_error=yes", "one of 0|1"},
      {"on_error=stop", "one of halt|continue|contain"},
      {"color=blue", "one of auto|always|never"},
      {"color=a", "one of auto|always|never"},
      {"log_path='x", "no closing quote"},
      {"log_path=x.%d", "followed by p"},
      {"json=x%", "followed by p"},
      {"format=xml", "one of text|oneline|compute-sanitizer"},
      {"launch_skip=-1", "from 0"},
      {"sample=1.01", "from 0 to 1"},
      {"sample=-0", "from 0 to 1"},
      {"sample=0,5", "from 0 to 1"},
      {"sample=.", "from 0 to 1"},
      {"sample=", "from 0 to 1"},
      {"print_limit=many", "from 0"},
      {"supressions=x", "did you mean 'suppressions'?"},
      {"baseline-write=x", "did you mean 'baseline_write'?"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_int_equal(parse(cases[i].text), -1);
    if (!strstr(error, cases[i].part))
      fail_msg("'%s' gives '%s'", cases[i].text, error);
  }
}

static void help_names_every_option(void **state) {
  (void)state;
  char *text;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  cs_options_list("--", out);
  fclose(out);
#define CS_OPTIONS_FLAG(name, value, help) assert_non_null(strstr(text, "--" #name " "));
#define CS_OPTIONS_NUMBER(name, value, help) assert_non_null(strstr(text, "--" #name " "));
#define CS_OPTIONS_COUNT(name, value, help) assert_non_null(strstr(text, "--" #name " "));
#define CS_OPTIONS_SHARE(name, value, help) assert_non_null(strstr(text, "--" #name " "));
#define CS_OPTIONS_TEXT(name, value, help) assert_non_null(strstr(text, "--" #name " "));
#define CS_OPTIONS_CHOICE(name, value, choices, help) assert_non_null(strstr(text, "--" #name " "));
#include "options/options.inc"
  for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
    assert_in_range(strcspn(line, "\n"), 1, 100);
  free(text);
}

/* docs/use/options.md has the table that is generated from options.inc. CUSAFE_UPDATE_GOLDEN=1 prints it. */
static void documentation_is_up_to_date(void **state) {
  (void)state;
  char *text, *file = calloc(1, 1 << 16);
  size_t size;
  FILE *out = open_memstream(&text, &size), *in = fopen(OPTIONS_DOCUMENT, "r");
  cs_options_table(out);
  fclose(out);
  if (getenv("CUSAFE_UPDATE_GOLDEN"))
    fputs(text, stdout);
  assert_non_null(in);
  assert_non_null(file);
  assert_true(fread(file, 1, (1 << 16) - 1, in) > 0);
  fclose(in);
  assert_non_null(strstr(file, text));
  free(text);
  free(file);
}

static void paths_name_the_process(void **state) {
  (void)state;
  char path[64], expected[64];
  snprintf(expected, sizeof expected, "a%%%d.%d", (int)getpid(), (int)getpid());
  assert_int_equal(cs_options_path("a%%%p.%p", path, sizeof path), 0);
  assert_string_equal(path, expected);
  assert_int_equal(cs_options_path("a path that is longer than its room", path, 20), -1);
}

static void some_options_ignore_errors(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int ignore, select;
  } cases[] = {
      {"", 0, 0},
      {"suppressions=x", 1, 0},
      {"baseline=x", 1, 0},
      {"baseline_write=x", 1, 0},
      {"kernel=x", 1, 1},
      {"kernel_regex=x", 1, 1},
      {"launch_skip=1", 1, 1},
      {"launch_count=1", 1, 1},
      {"print_limit=1", 0, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_int_equal(parse(cases[i].text), 0);
    assert_int_equal(cs_options_may_ignore(&options), cases[i].ignore);
    assert_int_equal(cs_options_select_launches(&options), cases[i].select);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults),
      cmocka_unit_test(values),
      cmocka_unit_test(lists_of_detectors),
      cmocka_unit_test(on_error_and_halt_on_error_agree),
      cmocka_unit_test(mistakes),
      cmocka_unit_test(help_names_every_option),
      cmocka_unit_test(documentation_is_up_to_date),
      cmocka_unit_test(paths_name_the_process),
      cmocka_unit_test(some_options_ignore_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
