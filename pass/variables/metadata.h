/* metadata.h: metadata of variables: a window for a local, a prefix for a shared variable, a number for a module
 * variable. */
#ifndef CUSAFE_PASS_VARIABLES_METADATA_H
#define CUSAFE_PASS_VARIABLES_METADATA_H

#include "pass/module/pass.h"

/* After all functions are read: changes the module for the variables that need it. */
int cs_pass_metadata_add(struct cs_pass *pass);

/* Defines __cs_objects; removes the variables that were replaced. */
int cs_pass_metadata_emit(struct cs_pass *pass);

#endif
