/* asm_names.h: registers in inline PTX that are written with one %, which nvcc accepts and clang rejects. */
#ifndef CUSAFE_CLI_CC_ASM_NAMES_H
#define CUSAFE_CLI_CC_ASM_NAMES_H

#include <stddef.h>

/* The text in which the names of the asm statement around the offset `at` have two %: malloc'ed. NULL if there is no
 * such name. */
char *cs_cli_asm_names_escape(const char *text, size_t at);

#endif
