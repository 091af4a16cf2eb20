/* scopes.h: the names of a function, which are local to the blocks that declare them. */
#ifndef CUSAFE_LIFT_SCOPES_H
#define CUSAFE_LIFT_SCOPES_H

#include "lift/unit.h"

/* Collects the labels of the body, each with its block: a branch may precede its label. */
void cs_lift_collect_labels(struct cs_lift_function *f);
void cs_lift_open_scope(struct cs_lift_function *f);
void cs_lift_close_scope(struct cs_lift_function *f);
/* Declares a name in the current scope. */
void cs_lift_name_symbol(struct cs_lift_function *f, const char *name, struct cs_lift_symbol *symbol);
struct cs_lift_symbol *cs_lift_new_symbol(struct cs_lift_function *f, const char *name, int kind);
/* Declares "name<count>": name0, name1, ... Each gets a symbol at its first use. */
void cs_lift_new_range(struct cs_lift_function *f, const char *name, unsigned count, unsigned bits);
/* What a name means in the current scope, or in the module; NULL: nothing. */
struct cs_lift_symbol *cs_lift_symbol(struct cs_lift_function *f, const char *name);
/* The block that a label starts; NULL: there is no such label in the current scope. */
LLVMBasicBlockRef cs_lift_label(struct cs_lift_function *f, const char *name);
void cs_lift_free_scopes(struct cs_lift_function *f);

#endif
