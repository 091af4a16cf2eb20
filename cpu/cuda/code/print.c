/* print.c: prints what device printf and assert left in a launch's buffer. */
#include "cpu/cuda/code/print.h"
#include "cusafe/image.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define TEXT_BYTES 4096
#define PAGE 4096u
#define MAX_WIDTH 4095

struct cs_print *cs_cpu_print_new(size_t capacity) {
  struct cs_print *print = calloc(1, sizeof *print + capacity);
  if (print)
    print->capacity = capacity;
  return print;
}

/* Copies a string from an address that a kernel passed, page by page, so that an invalid one does not crash the
 * driver. */
static const char *read_text(uint64_t address, char text[TEXT_BYTES]) {
  size_t length = 0;
  while (length < TEXT_BYTES - 1) {
    uint64_t at = address + length;
    size_t part = PAGE - at % PAGE;
    if (part > TEXT_BYTES - 1 - length)
      part = TEXT_BYTES - 1 - length;
    struct iovec to = {text + length, part}, from = {(void *)(uintptr_t)at, part};
    if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != (ssize_t)part)
      return length ? (text[length] = '\0', text) : "(invalid string)";
    const char *end = memchr(text + length, '\0', part);
    if (end)
      return text;
    length += part;
  }
  text[length] = '\0';
  return text;
}

/* The arguments as vprintf passes them: 4 or 8 bytes each, naturally aligned. Past the end they read as 0. */
struct arguments {
  const unsigned char *bytes;
  size_t size, offset;
};

static uint64_t take(struct arguments *arguments, size_t size) {
  uint64_t value = 0;
  size_t at = (arguments->offset + size - 1) / size * size;
  arguments->offset = at + size;
  if (arguments->offset <= arguments->size)
    memcpy(&value, arguments->bytes + at, size);
  return value;
}

/* One conversion, from its '%' to its letter. */
struct conversion {
  char spec[48];
  size_t length;
  int wide; /* an 8-byte integer */
  char letter;
};

static void append(struct conversion *conversion, char c) {
  conversion->spec[conversion->length++] = c;
}

/* A width or precision: a number, or a '*', which its argument replaces. Returns the rest of the format. C guarantees
 * 4095 characters for a conversion; an argument that the kernel computed wrongly must not print gigabytes. */
static const char *append_number(const char *format, struct conversion *c, struct arguments *arguments) {
  char *end = (char *)format + 1;
  long number = *format == '*' ? (int)take(arguments, 4) : strtol(format, &end, 10);
  number = number > MAX_WIDTH ? MAX_WIDTH : number < -MAX_WIDTH ? -MAX_WIDTH : number;
  c->length += (size_t)snprintf(c->spec + c->length, sizeof c->spec - c->length, "%ld", number);
  return end;
}

/* Returns the rest of the format. What no valid conversion has is dropped: a second width, or too many flags. */
static const char *parse(const char *format, struct conversion *c, struct arguments *arguments) {
  int has_number = 0;
  memset(c, 0, sizeof *c);
  append(c, *format++);
  while (*format && strchr("-+ #0123456789.*", *format)) {
    int fits = c->length < sizeof c->spec - 12; /* a number, and the letters of emit() */
    int is_number = has_number ? strchr("*0123456789", *format) != NULL : strchr("*123456789", *format) != NULL;
    if (is_number && fits && !has_number) {
      format = append_number(format, c, arguments);
      has_number = 1;
      continue;
    }
    has_number &= *format != '.';
    if (!is_number && fits)
      append(c, *format);
    format++;
  }
  for (; *format && strchr("hlLqjzt", *format); format++)
    c->wide |= *format != 'h' && *format != 'L';
  c->letter = *format;
  return *format ? format + 1 : format;
}

static void emit(struct conversion *c, struct arguments *arguments) {
  char text[TEXT_BYTES];
  switch (c->letter) {
  case '%':
    putchar('%');
    return;
  case 'd':
  case 'i':
    append(c, 'l'), append(c, 'l'), append(c, 'd');
    printf(c->spec, c->wide ? (long long)take(arguments, 8) : (long long)(int)take(arguments, 4));
    return;
  case 'u':
  case 'x':
  case 'X':
  case 'o':
    append(c, 'l'), append(c, 'l'), append(c, c->letter);
    printf(c->spec, (unsigned long long)take(arguments, c->wide ? 8 : 4));
    return;
  case 'c':
    append(c, 'c');
    printf(c->spec, (int)take(arguments, 4));
    return;
  case 'p':
    append(c, 'p');
    printf(c->spec, (void *)(uintptr_t)take(arguments, 8));
    return;
  case 's': {
    uint64_t address = take(arguments, 8);
    append(c, 's');
    printf(c->spec, address ? read_text(address, text) : "(null)");
    return;
  }
  case 'e':
  case 'E':
  case 'f':
  case 'F':
  case 'g':
  case 'G':
  case 'a':
  case 'A': {
    double value;
    uint64_t bits = take(arguments, 8);
    memcpy(&value, &bits, sizeof value);
    append(c, c->letter);
    printf(c->spec, value);
    return;
  }
  default: /* unknown to CUDA: printed unchanged */
    fputs(c->spec, stdout);
    if (c->letter)
      putchar(c->letter);
  }
}

static void print_format(const struct cs_print_record *record) {
  char text[TEXT_BYTES];
  struct arguments arguments = {(const unsigned char *)(record + 1), record->args_bytes, 0};
  const char *format = read_text(record->format, text);
  while (*format) {
    if (*format != '%') {
      size_t plain = strcspn(format, "%");
      fwrite(format, 1, plain, stdout);
      format += plain;
      continue;
    }
    struct conversion conversion;
    format = parse(format, &conversion, &arguments);
    emit(&conversion, &arguments);
  }
}

static void print_assert(const struct cs_print_record *record) {
  char file[TEXT_BYTES], function[TEXT_BYTES], message[TEXT_BYTES];
  struct cs_print_assert a;
  if (record->args_bytes < sizeof a)
    return;
  memcpy(&a, record + 1, sizeof a);
  fflush(stdout);
  fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", read_text(a.file, file),
          a.line, read_text(a.function, function), a.block[0], a.block[1], a.block[2], a.thread[0], a.thread[1],
          a.thread[2], read_text(record->format, message));
}

void cs_cpu_print_drain(struct cs_print *print) {
  unsigned char *data = (unsigned char *)(print + 1);
  uint64_t used = print->used < print->capacity ? print->used : print->capacity;
  for (uint64_t at = 0; at + sizeof(struct cs_print_record) <= used;) {
    const struct cs_print_record *record = (const struct cs_print_record *)(data + at);
    if (record->bytes < sizeof *record || record->bytes % 8 || record->bytes > used - at ||
        record->args_bytes > record->bytes - sizeof *record)
      break; /* never finished, did not fit, or was overwritten */
    if (record->kind == CS_PRINT_ASSERT)
      print_assert(record);
    else
      print_format(record);
    at += record->bytes;
  }
  if (print->used > print->capacity)
    fprintf(
        stderr,
        "cusafe: device printf ran out of space and lost output; set a larger CU_LIMIT_PRINTF_FIFO_SIZE (now %llu)\n",
        print->capacity);
  memset(data, 0, used);
  print->used = 0;
}
