// stats.h: the library's interface. All pointers are to device memory.
#ifndef STATS_H
#define STATS_H

// Counts how many of n values fall into each of `bins` equal parts of [0, range].
void histogram(const float *values, int n, float range, int *counts, int bins);

// sums[0] becomes the sum of n values, sums[1] that of their squares.
void moments(const float *values, int n, float *sums);

#endif
