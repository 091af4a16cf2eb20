/* print.h: prints messages. Names of kernels, files and symbols come from programs and files, and may contain anything:
 * what a terminal would execute, and what would add a line, is printed as \xNN. Every component prints its messages
 * here. */
#ifndef CUSAFE_REPORT_PRINT_H
#define CUSAFE_REPORT_PRINT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* The length in bytes of the UTF-8 character that starts here; 0 if it is malformed. */
size_t cs_report_utf8_length(const char *text);
/* The bytes of the next character if it can be printed, else 0: control characters of ASCII and of Latin-1, line
 * separators, what changes the direction of writing, and bytes that are no UTF-8. */
size_t cs_report_printable_length(const char *text);

/* As fprintf, with the lines and tabs of the format, and none of the arguments. Async-signal-safe as fprintf to an
 * unbuffered stream is, for messages of up to 2 KB. */
void cs_report_print(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints a text of several lines, such as a compiler's log. */
void cs_report_print_lines(FILE *to, const char *text);
void cs_report_vprint(FILE *to, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));

#endif
