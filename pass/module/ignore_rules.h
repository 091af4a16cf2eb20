/* ignore_rules.h: the rules of an ignore list, as text. Independent of LLVM. */
#ifndef CUSAFE_PASS_MODULE_IGNORE_RULES_H
#define CUSAFE_PASS_MODULE_IGNORE_RULES_H

#include <stddef.h>

struct cs_pass_ignore_rules {
  struct cs_pass_ignore_rule {
    int is_function; /* fun:, otherwise src: */
    char *pattern;   /* * and ? as in a shell, for the whole name */
  } *rules;
  size_t count;
};

/* Adds the rules of the file; an empty name is an empty list. Returns 0, or -1 after one sentence on stderr. */
int cs_pass_ignore_rules_read(struct cs_pass_ignore_rules *list, const char *file);
void cs_pass_ignore_rules_add(struct cs_pass_ignore_rules *list, int is_function, const char *text, size_t length);
int cs_pass_ignore_rules_have(const struct cs_pass_ignore_rules *list, int is_function, const char *name);
void cs_pass_ignore_rules_free(struct cs_pass_ignore_rules *list);

#endif
