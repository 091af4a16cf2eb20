/* ir.h: names in LLVM IR that the pass writes and the retargeter reads. abi.h has the names that the host reads from a
 * module. */
#ifndef CUSAFE_IR_H
#define CUSAFE_IR_H

/* Device functions: those of the checks' runtime (device/), and those of the CPU device's support library
 * (retarget/support/). */
#define CS_IR_RUNTIME_PREFIX "__cs_"
#define CS_IR_SUPPORT_PREFIX "__cr_"

/* Functions of the runtime that may record an error. CS_IR_FAIL is also the prefix of those that a failed check
 * calls. */
#define CS_IR_FAIL "__cs_fail"
#define CS_IR_FAIL_RANGE "__cs_fail_range"
#define CS_IR_FAIL_NAMED "__cs_fail_named"
#define CS_IR_FAIL_FIELD "__cs_fail_field"
#define CS_IR_FAIL_ARRAY "__cs_fail_array"
#define CS_IR_FAIL_SHARED "__cs_fail_shared"
#define CS_IR_FREE "__cs_free"

/* The bounds of a root: each by its own function, or both by one that is not inlined. */
#define CS_IR_START "__cs_start"
#define CS_IR_SIZE "__cs_size"
#define CS_IR_BOUNDS "__cs_bounds"

/* In code for GPUs: what the runtime's machine interprets (device/machine.h). */
#define CS_IR_PROGRAM "__cs_program"

/* The calls in code that is checked for races. */
#define CS_IR_RACE "__cs_race_"

/* Called with each load of memory that may be uninitialised: the module maintains the shadow of init.h. */
#define CS_IR_INIT "__cs_init_settle"

/* The call that gives the address of a module variable its bounds. */
#define CS_IR_CLOSE_VARIABLE "__cs_close_variable"

/* The same for a variable on the stack; its first argument is the address. */
#define CS_IR_CLOSE_LOCAL "__cs_close_local"

/* Appended to the name of a kernel: its fast form (predicate.h). */
#define CS_FAST_SUFFIX "__cusafe_fast"

/* The same: the kernel without checks, for launches that are not sampled. */
#define CS_BARE_SUFFIX "__cusafe_bare"

/* A variable of the bench, which receives a line for each function: its name, first block, number of blocks, and
 * fingerprint. */
#define CS_IR_BLOCK_TABLE "__cs_block_table"

/* Metadata of instructions. */
#define CS_IR_EXACT "cusafe.exact"       /* instructions of the checked path, which keeps every check */
#define CS_IR_BRANCH "cusafe.branch"     /* branches of the program, with --detect=init: the pass adds others */
#define CS_IR_BARRIER "cusafe.barrier"   /* barriers that are checked for divergence: the number of their site */
#define CS_IR_WAIT "cusafe.wait"         /* instructions at which threads wait for others: the number of their site */
#define CS_IR_MASK "cusafe.mask"         /* warp operations whose mask is checked: the number of their site */
#define CS_IR_MBARRIER "cusafe.mbarrier" /* operations on mbarriers that are checked: the number of their site */

#endif
