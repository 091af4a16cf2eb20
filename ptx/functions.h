/* functions.h: parsing functions. */
#ifndef CUSAFE_PTX_FUNCTIONS_H
#define CUSAFE_PTX_FUNCTIONS_H

#include "ptx/parser.h"

/* A function after its linkage: ".entry" or ".func" is the current token. */
int cs_ptx_parse_function(struct cs_ptx_parser *p, struct cs_ptx_function *to);
/* Statements up to the end of the text, as nodes of the function. Returns NULL, or the start of one that cannot be
 * parsed. */
const char *cs_ptx_parse_statements(struct cs_ptx_parser *p, struct cs_ptx_function *to);

#endif
