/* module.h: parsing whole PTX modules. */
#ifndef CUSAFE_PTX_MODULE_H
#define CUSAFE_PTX_MODULE_H

#include "ptx/tree.h"

/* Parses a whole module. Returns 0, or -1 and the error; call cs_ptx_module_free in both cases. */
int cs_ptx_parse_module(struct cs_ptx_module *module, const char *text, struct cs_ptx_error *error);
void cs_ptx_module_free(struct cs_ptx_module *module);

#endif
