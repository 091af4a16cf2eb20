/* parser.h: the state of the parser. After an error, every function fails. */
#ifndef CUSAFE_PTX_PARSER_H
#define CUSAFE_PTX_PARSER_H

#include "ptx/lexer.h"
#include "ptx/tree.h"

struct cs_ptx_parser {
  struct cs_ptx_lexer lexer;
  struct cs_ptx_token now; /* the token that is parsed next */
  struct cs_ptx_module *module;
  struct cs_ptx_error *error;
  const char *construct; /* being parsed, for messages */
  int is_inline;         /* inline assembly: the end of the text also ends a statement */
  int failed;
};

void cs_ptx_advance(struct cs_ptx_parser *p);
/* The text of the token, and goes past it. */
char *cs_ptx_take(struct cs_ptx_parser *p);
int cs_ptx_is_mark(const struct cs_ptx_parser *p, char mark);
int cs_ptx_is_word(const struct cs_ptx_parser *p, const char *word);
/* Goes past the mark or the word. Returns 1, or 0 if it is not there. */
int cs_ptx_accept(struct cs_ptx_parser *p, char mark);
int cs_ptx_accept_word(struct cs_ptx_parser *p, const char *word);
/* Returns 0, or -1 with an error if it is not there. */
int cs_ptx_expect(struct cs_ptx_parser *p, char mark);
/* Returns -1: "expected WHAT in CONSTRUCT, found TOKEN". */
int cs_ptx_expected(struct cs_ptx_parser *p, const char *what);
/* A word that is not a directive; NULL with an error. */
const char *cs_ptx_name(struct cs_ptx_parser *p, const char *what);

#endif
