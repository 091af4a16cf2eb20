/* stand_ins.h: what the code of a whole grid's ranges calls for the blocks in question. */
#ifndef CUSAFE_PASS_RANGES_STAND_INS_H
#define CUSAFE_PASS_RANGES_STAND_INS_H

/* The first and the last blockIdx: functions of no arguments, whose names end with the dimension. */
#define CS_PASS_FIRST_BLOCK "__cs_first_block_"
#define CS_PASS_LAST_BLOCK "__cs_last_block_"

#endif
