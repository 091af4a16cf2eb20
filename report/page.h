/* page.h: the parts of the text renderer: the page they write to, its width, stacks, and the memory paragraph. */
#ifndef CUSAFE_REPORT_PAGE_H
#define CUSAFE_REPORT_PAGE_H

#include "report/finding.h"

#define CS_REPORT_PAGE_COLUMNS 100
#define CS_REPORT_LOCATION_MAX 4096

struct cs_report_page {
  const struct cs_finding *f;
  const struct cs_text_options *options;
  FILE *out;
};

static inline const char *cs_report_plural(cs_u64 n) {
  return n == 1 ? "" : "s";
}

/* A free in a kernel is reported by a device record, like an access. */
static inline int cs_report_is_free(const struct cs_finding *f) {
  return f->kind == CS_KIND_DOUBLE_FREE || f->kind == CS_KIND_INVALID_FREE;
}

/* Prints a phrase after `used` columns of a line: after a space if it fits, else on a new, indented line. Returns the
 * columns used so far. */
int cs_report_page_phrase(const struct cs_report_page *p, int used, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "file:line:column", as far as known; "" when nothing is. The path is shortened to fit `columns` and `room`, which is
 * at most CS_REPORT_LOCATION_MAX. Returns to. */
const char *cs_report_page_location(const struct cs_report_page *p, const struct cs_source *s, size_t columns, char *to,
                                    size_t room);

void cs_report_page_host_stack(const struct cs_report_page *p, const struct cs_stack *stack);
void cs_report_page_device_stack(const struct cs_report_page *p, const struct cs_stack *stack);

/* "verb by call here:" and the stack. */
void cs_report_page_event(const struct cs_report_page *p, const char *verb, const char *call,
                          const struct cs_stack *stack);

/* Where the kernel was launched: the stack of the only place, or a line for each. */
void cs_report_page_launches(const struct cs_report_page *p, const struct cs_report_launch *launch);

/* The memory that the finding concerns: the buffer or variable, the position of the access in or near it, and the
 * stacks of its allocation and free. */
void cs_report_page_memory(const struct cs_report_page *p);

/* The offending blocks and threads, if there is more than one error. */
void cs_report_page_heatmap(const struct cs_report_page *p);

/* A drawing of the position of the access, or of the pointer. */
void cs_report_page_picture(const struct cs_report_page *p);

#endif
