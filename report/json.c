/* json.c: the JSON writer. */
#include "report/json.h"
#include "report/print.h"
#include <string.h>

/* Writes the character at text in at most 8 bytes, and returns how many. length: 0 if it is not valid UTF-8. */
static size_t encode(const char *text, size_t length, char to[8]) {
  if (!length)
    return (size_t)snprintf(to, 8, "\xef\xbf\xbd");
  if (*text == '"' || *text == '\\')
    return (size_t)snprintf(to, 8, "\\%c", *text);
  if (length == 1 && ((unsigned char)*text < ' ' || *text == 0x7f))
    return (size_t)snprintf(to, 8, "\\u%04x", (unsigned char)*text);
  memcpy(to, text, length);
  return length;
}

/* The thread that has made the stream is the only one that uses it. */
static void write_bytes(struct cs_report_json *j, const char *text, size_t bytes) {
  fwrite_unlocked(text, 1, bytes, j->out);
}

static void write_character(struct cs_report_json *j, char character) {
  putc_unlocked(character, j->out);
}

/* Bytes that are written as they are: nearly all of a line, so they are written at once. */
static size_t plain_bytes(const char *text) {
  size_t count = 0;
  while (text[count] >= ' ' && text[count] < 0x7f && text[count] != '"' && text[count] != '\\')
    count++;
  return count;
}

static void write_string(struct cs_report_json *j, const char *text) {
  char character[8];
  size_t used = 0;
  write_character(j, '"');
  size_t plain = j->text_max ? 0 : plain_bytes(text);
  write_bytes(j, text, plain);
  text += plain;
  for (size_t length; *text; text += length ? length : 1) {
    length = cs_report_utf8_length(text);
    size_t bytes = encode(text, length, character);
    used += bytes;
    if (j->text_max && used > j->text_max)
      break;
    write_bytes(j, character, bytes);
  }
  write_character(j, '"');
}

/* Keys have no characters to encode. */
static void begin(struct cs_report_json *j, const char *key) {
  if (j->needs_comma)
    write_character(j, ',');
  j->needs_comma = 1;
  if (!key)
    return;
  write_character(j, '"');
  write_bytes(j, key, strlen(key));
  write_bytes(j, "\":", 2);
}

void cs_report_json_open(struct cs_report_json *j, const char *key, char bracket) {
  begin(j, key);
  write_character(j, bracket);
  j->needs_comma = 0;
}

void cs_report_json_close(struct cs_report_json *j, char bracket) {
  write_character(j, bracket);
  j->needs_comma = 1;
}

void cs_report_json_text(struct cs_report_json *j, const char *key, const char *text) {
  if (!text)
    return;
  begin(j, key);
  write_string(j, text);
}

void cs_report_json_raw(struct cs_report_json *j, const char *key, const char *text, size_t bytes) {
  begin(j, key);
  write_bytes(j, text, bytes);
}

/* Without printf(), which would take a tenth of a line's time. */
static void write_digits(struct cs_report_json *j, cs_u64 number, unsigned base, size_t least) {
  char digits[20], *first = digits + sizeof digits;
  size_t count = 0;
  for (; number || count < least; number /= base, count++)
    *--first = "0123456789abcdef"[number % base];
  write_bytes(j, first, count);
}

void cs_report_json_number(struct cs_report_json *j, const char *key, cs_u64 number) {
  begin(j, key);
  write_digits(j, number, 10, 1);
}

void cs_report_json_signed(struct cs_report_json *j, const char *key, cs_i64 number) {
  begin(j, key);
  fprintf(j->out, "%lld", number);
}

void cs_report_json_bool(struct cs_report_json *j, const char *key, int value) {
  begin(j, key);
  fputs(value ? "true" : "false", j->out);
}

void cs_report_json_address(struct cs_report_json *j, const char *key, cs_u64 address) {
  begin(j, key);
  write_bytes(j, "\"0x", 3);
  write_digits(j, address, 16, 12);
  write_character(j, '"');
}

void cs_report_json_triple(struct cs_report_json *j, const char *key, const cs_u32 *numbers) {
  cs_report_json_open(j, key, '[');
  for (int i = 0; i < 3; i++)
    cs_report_json_number(j, NULL, numbers[i]);
  cs_report_json_close(j, ']');
}

static void address_fields(struct cs_report_json *j, const struct cs_source *s) {
  cs_report_json_text(j, "module", s->module);
  cs_report_json_address(j, "pc", s->pc);
  if (s->offset)
    cs_report_json_address(j, "offset", s->offset);
  cs_report_json_text(j, "build_id", s->build);
}

static void device_fields(struct cs_report_json *j, const struct cs_source *s) {
  if (!s->build)
    return;
  cs_report_json_text(j, "module", s->build);
  cs_report_json_number(j, "site", s->site);
}

void cs_report_json_frame(struct cs_report_json *j, const char *key, const struct cs_source *frame) {
  cs_report_json_open(j, key, '{');
  cs_report_json_text(j, "function", frame->function);
  cs_report_json_text(j, "file", frame->file);
  if (frame->line)
    cs_report_json_number(j, "line", frame->line);
  if (frame->column)
    cs_report_json_number(j, "column", frame->column);
  (frame->pc ? address_fields : device_fields)(j, frame);
  cs_report_json_close(j, '}');
}

static void kernels(struct cs_report_json *j, const struct cs_finding *f) {
  if (f->kernel || !f->kernel_count)
    return;
  cs_report_json_open(j, "kernels", '[');
  for (size_t i = 0; i < f->kernel_count; i++)
    cs_report_json_text(j, NULL, f->kernels[i]);
  cs_report_json_close(j, ']');
}

void cs_report_json_thread(struct cs_report_json *j, const struct cs_finding *f) {
  cs_report_json_text(j, "kernel", f->kernel);
  kernels(j, f);
  if (f->event == CS_EVENT_ACCESS) {
    cs_report_json_triple(j, "block", f->block);
    cs_report_json_triple(j, "thread", f->thread);
  }
}
