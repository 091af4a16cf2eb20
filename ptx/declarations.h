/* declarations.h: parsing declarations of registers, variables and parameters. */
#ifndef CUSAFE_PTX_DECLARATIONS_H
#define CUSAFE_PTX_DECLARATIONS_H

#include "ptx/parser.h"

/* One declaration up to its name and dimensions; the space is the current token. */
int cs_ptx_declaration(struct cs_ptx_parser *p, struct cs_ptx_variable *to);
/* The part of a declaration that a comma repeats: a name, dimensions, an initialiser. */
int cs_ptx_declared_name(struct cs_ptx_parser *p, struct cs_ptx_variable *to);
/* 1 if the current token is a state space that declares variables. */
int cs_ptx_is_space(const struct cs_ptx_parser *p);
/* "(.param .b32 a, .param .b64 b)", both parentheses included. */
int cs_ptx_parameters(struct cs_ptx_parser *p, struct cs_ptx_variable **items, unsigned *count);

#endif
