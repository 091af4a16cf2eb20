/* test_reports.c: how options affect reports: formats, files, suppressions, baselines, selected launches. */
#include "host/tests/run.h"
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>

static char folder[] = "/tmp/cusafe-reports-XXXXXX";
static char content[1 << 20]; /* of the last file read */

static int make_folder(void **state) {
  (void)state;
  return mkdtemp(folder) ? 0 : -1;
}

/* The path of a file in the folder, in one of a few static buffers. */
static const char *in_folder(const char *name) {
  static char paths[4][256];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

static void read_content(const char *name) {
  FILE *in = fopen(in_folder(name), "r");
  content[0] = 0;
  if (!in) {
    fail_msg("there is no file %s", name);
    return;
  }
  content[fread(content, 1, sizeof content - 1, in)] = 0;
  fclose(in);
}

static void write_content(const char *name, const char *text) {
  FILE *out = fopen(in_folder(name), "w");
  if (out) {
    fputs(text, out);
    fclose(out);
  }
}

static int count_of(const char *part) {
  int count = 0;
  for (const char *p = content; (p = strstr(p, part)); p += strlen(part))
    count++;
  return count;
}

/* Runs with options in which @ is replaced by the folder. */
static int run_with(const char *mode, const char *format) {
  char options[2048];
  size_t used = 0;
  for (; *format && used < sizeof options - 256; format++)
    if (format[0] == '@')
      used += (size_t)snprintf(options + used, sizeof options - used, "%s", folder);
    else
      options[used++] = *format;
  options[used] = 0;
  return run(mode, options);
}

static void formats(void **state) {
  (void)state;
  expect_status(run("past_the_end", ""), 86);
  expect_text("by thread (5,0,0) of block (0,0,0); 5 errors at this site");
  expect_text("launched here:");
  expect_text("in past_the_end");
  expect_text("^ read of 4 bytes at +100");
  expect_status(run("past_the_end", "launch_stacks=0"), 86);
  expect_no_text("launched here");
  expect_status(run("past_the_end", "format=oneline"), 86);
  expect_text(
      "kernel.cu:42:7: error: out-of-bounds: read of 4 bytes, 0 bytes past the end of a 100-byte buffer, in kernel "
      "reads_too_far(int*), thread (5,0,0) of block (0,0,0), 5 times [");
  expect_status(run("past_the_end", "format=compute-sanitizer"), 86);
  expect_text("========= Invalid __global__ read of size 4 bytes\n=========     at reads_too_far in kernel.cu:42\n");
  expect_text("========= ERROR SUMMARY: 5 errors\n");
  expect_status(run("clean", "format=compute-sanitizer"), 0);
  expect(strncmp(output, "========= COMPUTE-SANITIZER\ncusafe: CuSafe ", 43) == 0, "the first line");
  expect_text(", in the output format of compute-sanitizer\n========= ERROR SUMMARY: 0 errors\n");
  expect_no_text("LEAK SUMMARY");
  expect_status(run("past_the_end", "summary=1:on_error=contain"), 86);
  expect_text("cusafe: 1 kernel launch of 1 kernel, 1 buffer, 5 errors, 1 finding, ");
  expect_text("cusafe: tracked: 1 buffer, 100 bytes\n");
  expect_text("cusafe: checks executed: not counted; ");
}

static void print_limit(void **state) {
  (void)state;
  expect_status(run_with("many", "on_error=contain:print_limit=3:json=@/limit.jsonl"), 86);
  expect(occurrences("ERROR: CuSafe: ") + occurrences("ALSO: CuSafe: ") == 3, "three reports");
  expect_text("17 more reports were not printed (print_limit=3)");
  expect_text("1000000 invalid accesses at 20 sites");
  read_content("limit.jsonl");
  assert_int_equal(count_of("\"type\":\"finding\""), 20);
  expect_status(run("many", "on_error=contain:print_limit=3:format=compute-sanitizer"), 86);
  expect(occurrences("========= Invalid __global__") == 3, "three reports in the other form");
  expect_text("========= ERROR SUMMARY: 1000000 errors\n");
}

static void json_lines(void **state) {
  (void)state;
  expect_status(run_with("past_the_end", "json=@/a.jsonl"), 86);
  read_content("a.jsonl");
  assert_int_equal(count_of("\n"), 2);
  assert_int_equal(count_of("\"launch\":{\"grid\":[1,1,1],\"block\":[8,1,1],\"stack\":["), 1);
  assert_int_equal(count_of("{\"type\":\"run\",\"version\":2,\"program\":"), 1);
  assert_int_equal(count_of("\"launches\":1,\"kernels\":1,\"buffers\":1,\"bytes\":100,\"most_bytes\":100,\"untagged\":"
                            "0,\"modules\":1,\"errors\":5,\"findings\":1,\"hidden\":0}"),
                   1);
  expect_status(run_with("after_free", "json=@/a.jsonl:append=1"), 86);
  read_content("a.jsonl");
  assert_int_equal(count_of("\"type\":\"finding\""), 2);
  expect_status(run_with("clean", "json=@/a.jsonl"), 0);
  read_content("a.jsonl");
  assert_int_equal(count_of("\"type\":\"finding\""), 0);
  assert_int_equal(count_of("\"launches\":1000,\"kernels\":1,\"buffers\":1000,\"bytes\":100000,\"most_bytes\":100,"),
                   1);
}

/* ---- sockets ---- */

static int receiver;

static void open_receiver(const char *name) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", in_folder(name));
  unlink(address.sun_path);
  receiver = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  assert_int_equal(bind(receiver, (const struct sockaddr *)&address, sizeof address), 0);
}

static int received, received_runs;

static void *receive(void *unused) {
  char line[10000];
  received = received_runs = 0;
  for (ssize_t got; received_runs == 0 && (got = recv(receiver, line, sizeof line, 0)) > 0; received++) {
    assert_in_range(got, 2, 8096);
    assert_true(line[0] == '{' && line[got - 1] == '}');
    received_runs += strncmp(line, "{\"type\":\"run\"", 13) == 0;
  }
  return unused;
}

static void sockets(void **state) {
  (void)state;
  pthread_t thread;
  open_receiver("a.sock");
  assert_int_equal(pthread_create(&thread, NULL, receive, NULL), 0);
  expect_status(run_with("many", "on_error=contain:print_limit=1:json='unix-dgram:@/a.sock'"), 86);
  pthread_join(thread, NULL);
  assert_int_equal(received, 21);
  expect_no_text("could not be");
  close(receiver);
  /* A reader that does not read: what its queue has no room for is lost. */
  open_receiver("a.sock");
  expect_status(run_with("many", "on_error=contain:print_limit=1:json='unix-dgram:@/a.sock'"), 86);
  int queued = 0;
  for (char line[10000]; recv(receiver, line, sizeof line, MSG_DONTWAIT) > 0;)
    queued++;
  char text[64];
  snprintf(text, sizeof text, "%d lines could not be written to 'unix-dgram:", 21 - queued);
  if (queued < 21)
    expect_text(text);
  close(receiver);
  expect_status(run_with("many", "on_error=contain:print_limit=1:json='unix-dgram:@/a.sock'"), 86);
  expect_text("20 findings could not be added to report files");
  expect_status(run_with("clean", "json='unix-dgram:@/absent.sock'"), 0);
  expect_status(run_with("clean", "json='unix-dgram:a.sock'"), 1);
  expect_text("cusafe: json: 'a.sock' is not an absolute path of a socket");
  expect_status(run_with("clean", "sarif='unix-dgram:@/a.sock'"), 1);
  expect_text("cusafe: sarif: only json writes to a socket");
}

static void budgets(void **state) {
  (void)state;
  expect_status(run_with("many", "on_error=contain:findings_limit=3:json=@/few.jsonl"), 86);
  expect(occurrences("ERROR: CuSafe: ") + occurrences("ALSO: CuSafe: ") == 3, "three reports");
  expect_text("17 findings were not written: findings_limit or report_bytes was reached");
  expect_text("1000000 invalid accesses at 20 sites");
  read_content("few.jsonl");
  assert_int_equal(count_of("\"type\":\"finding\""), 3);
  assert_int_equal(count_of("\"findings\":20,"), 1);
  assert_int_equal(count_of("\"degraded\":{\"budget\":17}"), 1);
  expect_status(run_with("many", "on_error=contain:report_bytes=4000:json=@/few.jsonl"), 86);
  expect(occurrences("ERROR: CuSafe: ") + occurrences("ALSO: CuSafe: ") == 20, "all are printed");
  read_content("few.jsonl");
  expect(count_of("\"type\":\"finding\"") < 20 && strstr(content, "\"type\":\"run\"") - content <= 4001,
         "at most 4000 bytes");
}

static void documents(void **state) {
  (void)state;
  expect_status(run_with("past_the_end", "sarif=@/a.sarif:html=@/a.html"), 86);
  read_content("a.sarif");
  assert_int_equal(count_of("\"ruleIndex\":0"), 1);
  assert_int_equal(count_of("]}]}\n"), 1);
  read_content("a.html");
  assert_int_equal(count_of("<section id="), 1);
  assert_int_equal(count_of("<section class=\"run failed\">"), 1);
  expect_status(run_with("double_free", "sarif=@/a.sarif:html=@/a.html:append=1"), 86);
  read_content("a.sarif");
  assert_int_equal(count_of("\"ruleIndex\":"), 2);
  assert_int_equal(count_of("\n,{\"ruleId\""), 1);
  expect_status(run_with("clean", "sarif=@/a.sarif:html=@/a.html"), 0);
  read_content("a.sarif");
  assert_int_equal(count_of("\"ruleIndex\":"), 0);
  assert_int_equal(count_of("]}]}\n"), 1);
}

/* However the process ends, the files are complete. */
static void documents_are_always_complete(void **state) {
  (void)state;
  expect_status(run_with("killed", "on_error=continue:sarif=@/k.sarif:html=@/k.html:json=@/k.jsonl"), 128 + SIGKILL);
  read_content("k.sarif");
  assert_int_equal(count_of("\"ruleIndex\":"), 2);
  assert_string_equal(content + strlen(content) - 5, "]}]}\n");
  read_content("k.html");
  assert_int_equal(count_of("<section id="), 2);
  assert_int_equal(count_of("</main></body></html>\n"), 1);
  read_content("k.jsonl");
  assert_int_equal(count_of("\n"), 2);
}

/* A process that holds the lock of a file and was stopped delays others by some seconds, once. */
static void locked_files(void **state) {
  (void)state;
  expect_status(run_with("clean", "sarif=@/locked.sarif"), 0);
  int file = open(in_folder("locked.sarif"), O_RDWR | O_CLOEXEC);
  assert_true(file >= 0);
  assert_int_equal(flock(file, LOCK_EX), 0);
  expect_status(run_with("past_the_end", "sarif=@/locked.sarif"), 1);
  expect_text("cannot write to");
  close(file);
}

static void processes_share_files(void **state) {
  (void)state;
  enum { PROCESSES = 6 };
  char options[2048];
  snprintf(options, sizeof options,
           "append=1:log_path=/dev/null:sarif=%s/s.sarif:html=%s/s.html:json=%s/s.jsonl:baseline_write=%s/s.known",
           folder, folder, folder, folder);
  for (int i = 0; i < PROCESSES; i++)
    if (fork() == 0)
      become_program(PROGRAM, i % 2 ? "past_the_end" : "after_free", options);
  for (int status, left = PROCESSES; left > 0; left--) {
    assert_true(wait(&status) > 0);
    assert_int_equal(status, 0);
  }
  read_content("s.sarif");
  assert_int_equal(count_of("\"ruleIndex\":"), PROCESSES);
  assert_int_equal(count_of("\n,{"), PROCESSES - 1);
  assert_int_equal(count_of("]}]}\n"), 1);
  read_content("s.html");
  assert_int_equal(count_of("<section id="), PROCESSES);
  assert_int_equal(count_of("<a class=\"row\" href=\"#p"), PROCESSES);
  assert_int_equal(count_of("<div class=\"row names\">"), 1);
  assert_int_equal(count_of("<section class=\"run\">"), PROCESSES);
  assert_int_equal(count_of("</main>"), 1);
  read_content("s.jsonl");
  assert_int_equal(count_of("\n"), 2 * PROCESSES);
  assert_int_equal(count_of("\n{\"type\":"), 2 * PROCESSES - 1);
  read_content("s.known");
  assert_int_equal(count_of("\n"), 2);
}

static void files_are_named_after_the_process(void **state) {
  (void)state;
  expect_status(run_with("past_the_end", "log_path=@/log.%p:json=@/%p.jsonl"), 86);
  expect(output[0] == 0, "the report is in the file");
  char command[256];
  snprintf(command, sizeof command, "cd %s && n=$(ls [0-9]*.jsonl) && grep -q out-of-bounds log.${n%%.jsonl}", folder);
  assert_int_equal(system(command), 0);
}

static void files_that_cannot_be_used(void **state) {
  (void)state;
  write_content("diary.sarif", "dear diary\n");
  write_content("0.supp", "");
  static const char *const cases[][2] = {
      {"json=/proc/absent/x", "cusafe: json: cannot write to '/proc/absent/x': No such file"},
      {"sarif=/proc/absent/x", "cusafe: sarif: cannot write to '/proc/absent/x': No such file"},
      {"html=/dev/null", "cusafe: html: cannot write to '/dev/null': not a file"},
      {"sarif=@/diary.sarif:append=1", "it is not a complete CuSafe report; remove it"},
      {"suppressions=/proc/absent", "cusafe: suppressions: cannot read '/proc/absent'"},
      {"suppressions=@/diary.sarif", "diary.sarif:1: a suppression has the form kind:pattern"},
      {"baseline=/proc/absent", "write it with baseline_write=/proc/absent"},
      {"baseline=@/diary.sarif", "diary.sarif:1: a line begins with a fingerprint"},
      {"baseline_write=@/diary.sarif", "diary.sarif:1: a line begins with a fingerprint"},
      {"baseline_write=/proc/absent/x", "cannot write to '/proc/absent/x'"},
      {"log_path=/proc/absent/x", "cusafe: log_path: cannot write to '/proc/absent/x': No such file"},
      {"log_path=/", "cusafe: log_path: cannot write to '/': Is a directory"},
      {"json=@/both:sarif=@/both", "cusafe: json and sarif name the same file"},
      {"html=@/new:sarif=@/./new", "cusafe: sarif and html name the same file"},
      {"baseline=@/known:json=@/known", "cusafe: baseline: cannot read"},
      {"suppressions=@/0.supp:log_path=@/0.supp", "cusafe: log_path and suppressions name the same file"},
      {"kernel_regex=(", "cusafe: kernel_regex: '(' is not a regular expression"},
      {"jsn=x", "did you mean 'json'?"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    expect_status(run_with("past_the_end", cases[i][0]), 1);
    expect_text(cases[i][1]);
    expect_no_text("continued");
  }
  read_content("diary.sarif");
  assert_string_equal(content, "dear diary\n");
}

static void suppressions(void **state) {
  (void)state;
  write_content("some.supp", "# not ours\nout-of-bounds:reads_too_far\ndouble-free:*\n");
  expect_status(run_with("past_the_end", "suppressions=@/some.supp"), 0);
  expect_text("continued");
  expect_text("1 finding was ignored: suppressed, or in the baseline");
  expect_no_text("ERROR");
  expect_no_text("invalid access");
  expect_status(run_with("many", "suppressions=@/some.supp"), 0);
  expect_status(run_with("at_exit_only", "suppressions=@/some.supp"), 0);
  expect_status(run_with("double_free", "suppressions=@/some.supp"), 0);
  expect_no_text("invalid free");
  expect_status(run_with("after_free", "suppressions=@/some.supp"), 86); /* another kind */
  expect_text("use-after-free");
  expect_status(run_with("many", "suppressions=@/some.supp:ring_records=3"),
                86); /* the kind of the others is unknown */
  expect_text("7 of these sites could not be reported");
  expect_status(run("two_kinds", "on_error=contain"), 86);
  expect_text("6 invalid accesses at 1 site in kernels");
  expect_status(run_with("two_kinds", "on_error=contain:suppressions=@/some.supp"), 86);
  expect_text("1 invalid access at 1 site in kernels"); /* the others do not count */
  expect_status(run_with("two_kinds", "on_error=contain:suppressions=@/some.supp:format=compute-sanitizer"), 86);
  expect_text("========= ERROR SUMMARY: 1 error\n");
  write_content("other.supp", "*:other.cu\n");
  expect_status(run_with("past_the_end", "suppressions=@/other.supp"), 86);
  expect_no_text("continued");
}

static void host_findings_are_suppressed(void **state) {
  (void)state;
  char options[256];
  write_content("leaks.supp", "leak:leak_some\napi-out-of-bounds:*\n");
  snprintf(options, sizeof options, "leak_check=1:suppressions=%s", in_folder("leaks.supp"));
  expect_status(run_program(MEMORY_PROGRAM, "leaks", options), 86);
  expect_text("1 buffer was never freed");
  expect(occurrences("SUMMARY: CuSafe: leak") == 1, "one leaking site is not suppressed");
  expect_status(run_program(MEMORY_PROGRAM, "same_copy_again_and_again", options + strlen("leak_check=1:")), 0);
  expect_no_text("invalid cop");
  write_content("leaks.supp", "leak:*\n");
  expect_status(run_program(MEMORY_PROGRAM, "leaks", options), 0);
  expect_no_text("never freed");
}

static void baselines(void **state) {
  (void)state;
  expect_status(run_with("past_the_end", "baseline_write=@/known"), 0);
  expect_text("ERROR: CuSafe: out-of-bounds");
  expect_text("continued");
  expect_text("the fingerprints of 1 finding are in '");
  read_content("known");
  assert_int_equal(count_of(" out-of-bounds kernel.cu:42 reads_too_far\n"), 1);
  expect_status(run_with("past_the_end", "baseline=@/known"), 0);
  expect_no_text("ERROR");
  expect_status(run_with("after_free", "baseline=@/known"), 86);
  expect_text("use-after-free");
  expect_status(run_with("after_free", "baseline_write=@/known"), 0);
  expect_status(run_with("after_free", "baseline=@/known"), 0);
  expect_status(run_with("past_the_end", "baseline=@/known"), 0);
  expect_status(run_with("own_status", "baseline=@/known"), 5);
}

static void the_device_does_not_halt_on_its_own(void **state) {
  (void)state;
  write_content("some.supp", "leak:*\n");
  expect_status(run_with("tells_mode", "suppressions=@/some.supp"), 0);
  expect_text("mode 2\n");
  expect_status(run_with("tells_mode", "launch_skip=1:on_error=contain"), 0);
  expect_text("mode 0\n");
}

/* The kernels are reads_too_far(int*), launches 0 and 2, and void ns::other_kind<float>(float*); launch n faults 2^n
 * times. */
static void launches_are_selected(void **state) {
  (void)state;
  static const struct {
    const char *options, *total;
  } cases[] = {
      {"", "31 invalid accesses at 1 site"},
      {"kernel=reads_too_far", "5 invalid accesses at 1 site"},
      {"kernel=other_kind", "26 invalid accesses at 1 site"},
      {"kernel='ns::other_kind'", "26 invalid accesses at 1 site"},
      {"kernel=_ZN2ns10other_kindIfEEvPT_", "26 invalid accesses at 1 site"},
      {"kernel_regex=^void.*<float>", "26 invalid accesses at 1 site"},
      {"kernel_regex=far|kind", "31 invalid accesses at 1 site"},
      {"launch_skip=1", "30 invalid accesses at 1 site"},
      {"launch_skip=4", "16 invalid accesses at 1 site"},
      {"launch_count=1", "1 invalid access at 1 site"},
      {"launch_skip=1:launch_count=2", "6 invalid accesses at 1 site"},
      {"kernel=other_kind:launch_skip=1:launch_count=1", "8 invalid accesses at 1 site"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char options[256];
    snprintf(options, sizeof options, "on_error=continue:%s", cases[i].options);
    expect_status(run("five_launches", options), 86);
    expect_text(cases[i].total);
    expect(occurrences("SUMMARY: CuSafe") == 1, "one report");
    expect_text("continued");
  }
  static const char *const none[][2] = {
      {"kernel=kind", "no launch was selected by kernel=kind; launched kernels: reads_too_far, ns::other_kind\n"},
      {"kernel=read_too_far",
       "no launch was selected by kernel=read_too_far; did you mean reads_too_far? Launched kernels: "},
      {"kernel_regex=^far",
       "no launch was selected by kernel_regex=^far; launched kernels: reads_too_far, ns::other_kind\n"},
      {"launch_skip=5", "no launch was selected by launch_skip=5: there were 5 launches\n"},
      {"kernel=reads_too_far:launch_skip=2",
       "no launch was selected by kernel=reads_too_far, launch_skip=2: there were 2 launches\n"}};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    expect_status(run("five_launches", none[i][0]), 0);
    expect_text("continued\n");
    expect_text(none[i][1]);
    expect_text("31 invalid accesses in launches that the options do not select were not counted\n");
    expect(occurrences("\n") == 3, "nothing else");
  }
  expect_status(run("five_launches", "kernel=other_kind"), 86);
  expect_no_text("continued");
  expect_text("in kernel void ns::other_kind<float>(float*)");
  expect_text("1 invalid access in launches");
  expect_status(run("unloads", "launch_skip=3"), 0);
  expect_text("there were 3 launches");
  expect_no_text("ERROR");
  expect_status(run("unloads", "launch_skip=2"), 86);
  expect_no_text("no launch was selected");
  expect_status(run("unnamed_namespace", "kernel=local"), 86);
  expect_status(run("unnamed_namespace", "kernel=loca"), 0);
  expect_text("Launched kernels: (anonymous namespace)::local\n");
  expect_status(run("tells_mode", "kernel=x"), 0); /* launches nothing */
  expect(strcmp(output, "mode 2\n") == 0, "silence");
}

static int remove_folder(void **state) {
  (void)state;
  char command[256];
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  return system(command);
}

/* A fault that only the driver detects is a finding too, once. */
static void faults(void **state) {
  (void)state;
  expect_status(run("fault", ""), 86);
  expect_text("ERROR: CuSafe: access through a wild pointer (cuCtxSynchronize)\n");
  expect_text("in kernel reads_too_far(int*)\n");
  expect_text("launched here:");
  expect_no_text("continued");
  expect_status(run("fault", "on_error=contain:format=oneline"), 86);
  expect_text("wild-pointer: cuCtxSynchronize: a kernel was stopped at an unmapped address, in kernel "
              "reads_too_far(int*) [");
  expect_text("cusafe: 1 kernel was stopped at an invalid address\n");
  expect_text("continued");
  expect_status(run("fault_at_exit", "format=oneline"), 86);
  expect_text("misaligned: cuCtxSynchronize: a kernel was stopped at a misaligned address");
  expect_status(run("fault_of_either", "format=oneline"), 86);
  expect_no_text("in kernel");
  expect_status(run("fault_of_second", "format=oneline"), 86);
  expect_text("in kernel void ns::other_kind<float>");
  expect_status(run("fault_explained", "on_error=contain"), 86);
  expect_no_text("was stopped");
  expect_status(run_with("fault", "on_error=contain:json=@/fault.jsonl:sarif=@/fault.sarif"), 86);
  read_content("fault.jsonl");
  assert_int_equal(count_of("\"event\":\"fault\""), 1);
  assert_int_equal(count_of("\"launch\":{\"grid\":[1,1,1],\"block\":[8,1,1],\"stack\":["), 1);
  assert_int_equal(count_of("\"address\""), 0);
  read_content("fault.sarif");
  assert_int_equal(count_of("\"ruleId\""), 1);
  expect_status(run("fault", "format=compute-sanitizer"), 86);
  expect_text("========= Invalid access: cuCtxSynchronize: a kernel was stopped");
  write_content("faults.supp", "wild-pointer:reads_too_far\n");
  expect_status(run_with("fault", "suppressions=@/faults.supp:on_error=contain"), 0);
}

static void ends_without_exit_handlers(void **state) {
  (void)state;
  expect_status(run_with("leaves", "on_error=contain:json=@/out.jsonl"), 86);
  expect_text("continued");
  expect(occurrences("5 invalid accesses at 1 site in kernels") == 1, "the totals");
  read_content("out.jsonl");
  assert_int_equal(count_of("\"type\":\"run\""), 1);
  expect_status(run("leaves_badly", "on_error=contain"), 5);
  expect_status(run_with("leaves_quickly", "on_error=contain:json=@/quick.jsonl"), 86);
  expect_text("5 invalid accesses at 1 site in kernels");
  read_content("quick.jsonl");
  assert_int_equal(count_of("\"type\":\"run\""), 1);
}

static void children(void **state) {
  (void)state;
  expect_status(run("forks", ""), 7);
  expect_status(run("forks_early", ""), 86);
  expect_text("5 invalid accesses at 1 site in kernels");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(formats),
      cmocka_unit_test(faults),
      cmocka_unit_test(ends_without_exit_handlers),
      cmocka_unit_test(children),
      cmocka_unit_test(print_limit),
      cmocka_unit_test(json_lines),
      cmocka_unit_test(sockets),
      cmocka_unit_test(budgets),
      cmocka_unit_test(documents),
      cmocka_unit_test(documents_are_always_complete),
      cmocka_unit_test(locked_files),
      cmocka_unit_test(processes_share_files),
      cmocka_unit_test(files_are_named_after_the_process),
      cmocka_unit_test(files_that_cannot_be_used),
      cmocka_unit_test(suppressions),
      cmocka_unit_test(host_findings_are_suppressed),
      cmocka_unit_test(baselines),
      cmocka_unit_test(the_device_does_not_halt_on_its_own),
      cmocka_unit_test(launches_are_selected),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
