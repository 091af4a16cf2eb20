/* lexer.h: PTX text as tokens. */
#ifndef CUSAFE_PTX_LEXER_H
#define CUSAFE_PTX_LEXER_H

#include <stddef.h>

/* WORD: names, opcodes with their modifiers, directives and types with their dot. MARK: one character of
 * punctuation. */
enum cs_ptx_token_kind {
  CS_PTX_TOKEN_END,
  CS_PTX_TOKEN_WORD,
  CS_PTX_TOKEN_NUMBER,
  CS_PTX_TOKEN_STRING,
  CS_PTX_TOKEN_MARK
};

struct cs_ptx_token {
  enum cs_ptx_token_kind kind;
  const char *text; /* a string without its quotes */
  size_t length;
  unsigned line;
};

struct cs_ptx_lexer {
  const char *at; /* the text ends with a 0 */
  unsigned line;
};

struct cs_ptx_token cs_ptx_next(struct cs_ptx_lexer *lexer);

#endif
