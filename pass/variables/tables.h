/* tables.h: addresses of variables in constant initialisers, which no instruction stores.
 *
 * A pointer to a variable carries its bounds once an instruction stores it. What an initialiser holds is in memory from
 *   the start: - Addresses of `__device__` and `__constant__` variables: the module lists their slots, and the host
 *     writes the escaping form into each before the first launch.
 *   - Addresses of shared variables, which occur only in constants of a single function (`int *rows[] = {tile0,
 *     tile1}`): the function builds a copy of the constant at its entry, by instructions. */
#ifndef CUSAFE_PASS_VARIABLES_TABLES_H
#define CUSAFE_PASS_VARIABLES_TABLES_H

#include "pass/module/pass.h"

/* One pointer in an initialiser. */
struct cs_pass_slot {
  LLVMValueRef holder; /* the variable that it is in */
  cs_u64 offset;       /* of the slot in the holder */
  LLVMValueRef target; /* the constant pointer */
  struct cs_pass_variable *variable;
};

/* On the code as clang wrote it, and again after LLVM's optimisations: functions build the constants that hold
 * addresses of shared variables. */
int cs_pass_build_shared_tables(struct cs_pass *pass);

/* Lists the slots in pass->slots, and notes that the variables escape. */
int cs_pass_tables_collect(struct cs_pass *pass);

/* Defines __cs_pointers. Returns how many entries it has. */
cs_u32 cs_pass_tables_emit(struct cs_pass *pass);

#endif
