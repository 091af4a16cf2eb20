/* regions.h: the parts that a function's block of local memory is divided into. */
#ifndef CUSAFE_LIFT_REGIONS_H
#define CUSAFE_LIFT_REGIONS_H

#include <llvm-c/Types.h>

/* A variable, or what is between two of them. */
struct cs_lift_region {
  unsigned long long start, end;
  const char *name; /* "": it has none */
  int is_variable;
  LLVMValueRef memory;
  unsigned long long base; /* where the memory starts in the block */
};

struct cs_lift_frame {
  const char *local, *generic;    /* the registers that hold the block's address */
  struct cs_lift_region *regions; /* all of the block, in order */
  unsigned count;
};

/* The region that holds these bytes of the block; NULL: none, or several. */
struct cs_lift_region *cs_lift_region_at(const struct cs_lift_frame *frame, long long offset, unsigned long long bytes);
/* The region that a register plus an offset is in; NULL: the frame is not divided, or the name is not its register. */
struct cs_lift_region *cs_lift_region_of(const struct cs_lift_frame *frame, const char *name, long long offset);

#endif
