/* wmma.h: the PTX of LLVM's intrinsics for wmma. */
#ifndef CUSAFE_PTX_WMMA_H
#define CUSAFE_PTX_WMMA_H

enum { CS_PTX_WMMA_TEXT = 512 };

/* Writes the statement that the intrinsic represents, with its results as $0 and following, then its arguments. Returns
 * 1, or 0 if it is no intrinsic for wmma, or one whose registers are unknown. */
int cs_ptx_wmma_text(const char *name, unsigned results, unsigned arguments, char text[CS_PTX_WMMA_TEXT]);

#endif
