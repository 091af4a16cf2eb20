/* blocks.h: numbers basic blocks, in modules that ask for it. */
#ifndef CUSAFE_PASS_BLOCKS_H
#define CUSAFE_PASS_BLOCKS_H

#include "pass/module/pass.h"

/* In a module that defines __cs_block_table: calls __cs_count_block at the start of every block, if the module defines
 * it, and otherwise names the blocks by their numbers. */
int cs_pass_number_blocks(struct cs_pass *pass);

#endif
