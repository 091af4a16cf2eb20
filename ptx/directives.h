/* directives.h: the directives of PTX modules, found in their text without parsing functions. */
#ifndef CUSAFE_PTX_DIRECTIVES_H
#define CUSAFE_PTX_DIRECTIVES_H

#include "ptx/lexer.h"
#include <stddef.h>

enum cs_ptx_directive_kind {
  CS_PTX_IS_HEAD,
  CS_PTX_IS_SECTION,
  CS_PTX_IS_VARIABLE,
  CS_PTX_IS_FUNCTION,
  CS_PTX_IS_KERNEL
};

/* Its text is [start, end). */
struct cs_ptx_directive {
  enum cs_ptx_directive_kind kind;
  size_t module; /* the number of the text */
  const char *start, *end;
  const char *name;
  size_t length;                 /* of the name; 0: it has none */
  const char *declared, *value;  /* of a variable: its text after the linkage directive; its initialiser, or NULL */
  int is_shared;                 /* a variable */
  int is_defined;                /* a variable that is not external, or a function with a body */
  int is_own;                    /* without a linkage directive: other modules cannot name it */
  int is_weak;                   /* other modules may define it as well */
  struct cs_ptx_directive *next; /* in the same bucket */
};

struct cs_ptx_directives {
  struct cs_ptx_directive *list;
  size_t count, room;
};

/* Adds the directives of a module's text. Returns -1 if it has a form that other compilers than NVIDIA's would write,
 * or without memory. */
int cs_ptx_read_directives(struct cs_ptx_directives *directives, const char *text, size_t module);

/* Whether a token is a name, of a register or of what a directive declares. */
int cs_ptx_is_name(const struct cs_ptx_token *token);

#endif
