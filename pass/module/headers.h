/* headers.h: which code is in a header of the toolkit, the compiler or the system.
 *
 * The pass decides this for device code: it runs where the code is compiled, so it knows the toolkit of this
 * compilation and can resolve symbolic links. Each frame of the site table carries the result (CS_FRAME_TOOLKIT). */
#ifndef CUSAFE_PASS_MODULE_HEADERS_H
#define CUSAFE_PASS_MODULE_HEADERS_H

#include "ir/map.h"
#include "pass/bridge/bridge.h"

struct cs_pass_headers {
  const char *toolkit;    /* the folder that --cuda-path names, or "" */
  char *folders[2];       /* its headers, without symbolic links; NULL: there are none. Filled on first use */
  int is_ready;           /* folders are filled */
  struct cs_ir_map known; /* file of the debug information -> "yes" or "no" */
};

/* 1 if the scope (a function, a block) is in such a header; 0 also for NULL and for a scope without a file. */
int cs_pass_in_header(struct cs_pass_headers *headers, LLVMMetadataRef scope);
void cs_pass_headers_free(struct cs_pass_headers *headers);

#endif
