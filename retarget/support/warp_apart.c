/* warp_apart.c: the operations of warp.c for lanes that meet in memory. */
#define CR_APART
#include "warp.c"
