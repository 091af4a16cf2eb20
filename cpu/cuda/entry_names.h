/* entry_names.h: the driver's functions have the symbols cs_cpu_call_cuX; the exported symbols cuX are the jumps in
 * procaddr.c, which every call from outside passes. Included before every other header by the compiler's command
 * line. */
#ifndef CUSAFE_CPU_ENTRY_NAMES_H
#define CUSAFE_CPU_ENTRY_NAMES_H

#define CS_CPU_PRAGMA(text) _Pragma(#text)
#define CS_CPU_RUNS(name, symbol, since, is_per_thread) CS_CPU_PRAGMA(redefine_extname symbol cs_cpu_call_##symbol)
#define CS_CPU_LACKS(...)
#include "cpu/cuda/entry_points.inc"

#endif
