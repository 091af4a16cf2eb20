/* print.c: prints messages without the control characters of their arguments. */
#include "report/print.h"
#include <stdlib.h>
#include <string.h>

/* --- Characters --- */

size_t cs_report_utf8_length(const char *text) {
  const unsigned char *c = (const unsigned char *)text;
  if (c[0] < 0x80)
    return 1;
  size_t length = c[0] >= 0xc2 && c[0] < 0xe0   ? 2
                  : c[0] >= 0xe0 && c[0] < 0xf0 ? 3
                  : c[0] >= 0xf0 && c[0] < 0xf5 ? 4
                                                : 0;
  for (size_t i = 1; i < length; i++)
    if ((c[i] & 0xc0) != 0x80)
      return 0;
  int overlong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90);
  int beyond = (c[0] == 0xed && c[1] > 0x9f) || (c[0] == 0xf4 && c[1] > 0x8f);
  return overlong || beyond ? 0 : length;
}

static int is_between(const char *c, const char *first, const char *last, size_t length) {
  return memcmp(c, first, length) >= 0 && memcmp(c, last, length) <= 0;
}

size_t cs_report_printable_length(const char *c) {
  size_t length = cs_report_utf8_length(c);
  int is_control = (length == 1 && ((unsigned char)*c < ' ' || *c == 0x7f)) ||
                   (length == 2 && is_between(c, "\xc2\x80", "\xc2\x9f", 2)) ||
                   (length == 3 && (is_between(c, "\xe2\x80\x8e", "\xe2\x80\x8f", 3) ||
                                    is_between(c, "\xe2\x80\xa8", "\xe2\x80\xae", 3) ||
                                    is_between(c, "\xe2\x81\xa6", "\xe2\x81\xa9", 3)));
  return is_control ? 0 : length;
}

/* --- Texts --- */

/* A character, or a byte as \xNN. Returns its length. */
static size_t write_character(FILE *to, const char *text) {
  size_t length = cs_report_printable_length(text);
  if (length)
    fwrite(text, 1, length, to);
  else
    fprintf(to, "\\x%02x", (unsigned char)*text);
  return length ? length : 1;
}

void cs_report_print_lines(FILE *to, const char *text) {
  while (*text)
    if (*text == '\n' || *text == '\t')
      fputc(*text++, to);
    else
      text += write_character(to, text);
}

/* --- Messages --- */

/* What represents the lines and tabs of the format while it is filled in: control characters, which no message
 * prints. */
enum { LINE = 1, TAB = 2, MAX_TEXT = 2048 };

static void mark_format(char *format) {
  for (; *format; format++)
    *format = *format == '\n' ? LINE : *format == '\t' ? TAB : *format;
}

static size_t count_marks(const char *text) {
  size_t count = 0;
  for (; *text; text++)
    count += *text == LINE || *text == TAB;
  return count;
}

/* An argument that contains a mark itself: no mark is trusted. */
static void write_text(FILE *to, const char *text, int has_marks) {
  while (*text)
    if (has_marks && (*text == LINE || *text == TAB))
      fputc(*text++ == LINE ? '\n' : '\t', to);
    else
      text += write_character(to, text);
  if (!has_marks)
    fputc('\n', to);
}

void cs_report_vprint(FILE *to, const char *format, va_list arguments) {
  char marked[MAX_TEXT], text[MAX_TEXT], *longer = NULL;
  va_list again;
  va_copy(again, arguments);
  snprintf(marked, sizeof marked, "%s", format);
  mark_format(marked);
  int length = vsnprintf(text, sizeof text, marked, arguments);
  if (length >= MAX_TEXT && (longer = malloc((size_t)length + 1)) != NULL)
    vsnprintf(longer, (size_t)length + 1, marked, again);
  va_end(again);
  const char *whole = longer ? longer : text;
  if (length >= 0)
    write_text(to, whole, count_marks(whole) == count_marks(marked));
  free(longer);
}

void cs_report_print(FILE *to, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  cs_report_vprint(to, format, arguments);
  va_end(arguments);
}
