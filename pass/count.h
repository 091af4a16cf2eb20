/* count.h: what is counted where a module asks for it; see count.c. */
#ifndef CUSAFE_PASS_COUNT_H
#define CUSAFE_PASS_COUNT_H

/* The upper eight bits of the first argument of __cs_count; below them is the instruction's number. */
enum cs_pass_counted {
  CS_PASS_COUNTED_BEGIN,  /* a thread enters a kernel */
  CS_PASS_COUNTED_GLOBAL, /* an access, with its address: to data, or to a metadata word */
  CS_PASS_COUNTED_SHARED,
  CS_PASS_COUNTED_LOCAL,
  CS_PASS_COUNTED_CHECK
};

#endif
