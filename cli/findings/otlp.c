/* otlp.c: merged findings as log records of OpenTelemetry (OTLP JSON, ExportLogsServiceRequest). Strings of the lines
 * are escaped already, and are written as they are. */
#include "cli/findings/print.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { SEVERITY_WARN = 13, SEVERITY_ERROR = 17 };

/* 2026-09-21T14:13:20.123Z in nanoseconds since 1970, as a string of JSON; 0 if unknown. */
static void put_time(const char *key, const char *time) {
  struct tm utc = {0};
  int milliseconds = 0;
  int fields = sscanf(time, "%4d-%2d-%2dT%2d:%2d:%2d.%3d", &utc.tm_year, &utc.tm_mon, &utc.tm_mday, &utc.tm_hour,
                      &utc.tm_min, &utc.tm_sec, &milliseconds);
  utc.tm_year -= 1900;
  utc.tm_mon -= 1;
  long long seconds = fields == 7 && milliseconds >= 0 ? (long long)timegm(&utc) : 0;
  if (seconds > 0)
    printf("\"%s\":\"%lld%03d000000\",", key, seconds, milliseconds);
}

static void put_key(int *count, const char *key) {
  printf("%s{\"key\":\"%s\",\"value\":", (*count)++ ? "," : "", key);
}

static void put_text(int *count, const char *key, struct cs_cli_part text) {
  if (!text.text)
    return;
  put_key(count, key);
  printf("{\"stringValue\":\"%.*s\"}}", (int)text.bytes, text.text);
}

/* 64-bit integers are strings in OTLP JSON. */
static void put_number(int *count, const char *key, unsigned long long number) {
  put_key(count, key);
  printf("{\"intValue\":\"%llu\"}}", number);
}

/* The names are those of OpenTelemetry's semantic conventions where it has them. */
static void put_attributes(const struct cs_cli_found *f) {
  static const char *const texts[][2] = {{"host.name", "host"},
                                         {"cusafe.run", "run"},
                                         {"cusafe.version", "cusafe"},
                                         {"cusafe.kind", "kind"},
                                         {"cusafe.fingerprint", "fingerprint"},
                                         {"cusafe.group", "group"},
                                         {"cusafe.kernel", "kernel"}};
  int count = 0;
  fputs("\"attributes\":[", stdout);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    put_text(&count, texts[i][0], cs_cli_part_of(f->finding, texts[i][1]));
  put_text(&count, "code.function.name", cs_cli_part_of(f->place, "function"));
  put_text(&count, "code.file.path", cs_cli_part_of(f->place, "file"));
  if (cs_cli_part_number(cs_cli_part_of(f->place, "line")))
    put_number(&count, "code.line.number", cs_cli_part_number(cs_cli_part_of(f->place, "line")));
  put_number(&count, "process.pid", cs_cli_part_number(cs_cli_part_of(f->finding, "pid")));
  put_number(&count, "cusafe.lines", f->lines);
  put_number(&count, "cusafe.errors", f->errors);
  fputs("]", stdout);
}

static void put_record(const struct cs_cli_found *f) {
  struct cs_cli_part message = cs_cli_part_of(f->finding, "message");
  int is_leak = cs_cli_part_is(cs_cli_part_of(f->finding, "kind"), "leak");
  putchar('{');
  put_time("timeUnixNano", f->first);
  put_time("observedTimeUnixNano", f->last);
  printf("\"severityNumber\":%d,\"severityText\":\"%s\",\"eventName\":\"cusafe.finding\",\"body\":{\"stringValue\":\"%."
         "*s\"},",
         is_leak ? SEVERITY_WARN : SEVERITY_ERROR, is_leak ? "WARN" : "ERROR", (int)message.bytes,
         message.text ? message.text : "");
  put_attributes(f);
  putchar('}');
}

void cs_cli_print_otlp(struct cs_cli_found_set *s) {
  cs_cli_found_sort(s);
  fputs("{\"resourceLogs\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":{\"stringValue\":"
        "\"cusafe\"}}]},\"scopeLogs\":[{\"scope\":{\"name\":\"cusafe\"},\"logRecords\":[\n",
        stdout);
  for (size_t i = 0; i < s->count; i++) {
    fputs(i ? "," : "", stdout);
    put_record(&s->all[i]);
    putchar('\n');
  }
  puts("]}]}]}");
}
