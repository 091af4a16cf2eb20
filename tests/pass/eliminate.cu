// Which checks are eliminated, by the statistics and by the code.
// RUN: %device_cc -O2 -mllvm -cusafe-statistics %s -o %t.ll 2>&1 | FileCheck --check-prefix=ALL %s
// RUN: FileCheck --check-prefix=CODE %s < %t.ll
// RUN: %device_cc -O2 -mllvm -cusafe-statistics -mllvm -cusafe-eliminate=none %s -o /dev/null 2>&1 | FileCheck --check-prefix=NONE %s
// RUN: %device_cc -O2 -mllvm -cusafe-statistics -mllvm -cusafe-eliminate=loops %s -o /dev/null 2>&1 | FileCheck --check-prefix=LOOPS %s
// RUN: %device_cc_window -O2 -mllvm -cusafe-statistics %s -o /dev/null 2>&1 | FileCheck --check-prefix=WINDOW %s
// RUN: %device_cc -O0 -mllvm -cusafe-statistics %s -o /dev/null 2>&1 | FileCheck --check-prefix=O0 %s
// RUN: not %device_cc -O2 -mllvm -cusafe-eliminate=loops,lops %s -o /dev/null 2>&1 | FileCheck --check-prefix=WRONG %s
// WRONG: 'lops' is not an elimination; there are all, none, ranges, launch, loops
#include "pass_test.h"

// One test on the host; the fast form has no check at all. Statistics list all exact forms first, and then the fast ones.
// ALL: copy: 2 accesses, 0 checks, 2 loop
// NONE: copy: 2 accesses, 2 checks
// LOOPS: copy: 2 accesses, 0 checks, 2 loop
// WINDOW: copy: 2 accesses, 2 checks
// O0: copy: {{.*}} checks
// CODE-LABEL: define{{.*}} @copy
// CODE: br i1 {{.*}}, !prof
// CODE: call ptr @__cs_fail
// CODE: ret void
// CODE-LABEL: define{{.*}} @copy__cusafe_fast
// CODE-NOT: call
// CODE: ret void
// CODE-LABEL: define{{.*}} @gather__cusafe_fast(ptr noundef %{{.*}}, ptr noundef %{{.*}}, ptr noundef %{{.*}}, i32 noundef %{{.*}}, i64 %{{.*}})
extern "C" __global__ void copy(float *out, const float *in, int n) {
#pragma unroll 1
  for (int i = 0; i < n; i++)
    out[i] = in[i];
}

// The index is in memory.
// ALL: gather: 3 accesses, 1 checks, 2 loop
// LOOPS: gather: 3 accesses, 1 checks, 2 loop
extern "C" __global__ void gather(float *out, const float *in, const int *where, int n) {
#pragma unroll 1
  for (int i = 0; i < n; i++)
    out[i] = in[where[i]];
}

// The pointer is known only inside the outer loop.
// ALL: rows: 2 accesses, 0 checks, 2 loop
extern "C" __global__ void rows(float **row, int n, int m) {
#pragma unroll 1
  for (int i = 0; i < n; i++)
#pragma unroll 1
    for (int j = 0; j < m; j++)
      row[i][j] = 1;
}

// The number of iterations is unknown.
// ALL: chase: 3 accesses, 3 checks
extern "C" __global__ void chase(int *a, int at) {
#pragma unroll 1
  while (a[at] != 0)
    at = a[at] * 3;
  a[at] = 1;
}

// Proved at compile time: no test, no second copy.
// ALL: table: 2 accesses, 1 checks, 1 range
// WINDOW: table: 2 accesses, 1 checks, 1 range
// WINDOW: copy__cusafe_fast: 2 accesses, 0 checks, 2 launch
__device__ int small[16];
extern "C" __global__ void table(int **where) {
  int *p = *(int *volatile *)where;
  small[(unsigned long)p & 15] = 1;
}

// The inner loop starts from a pointer that the outer one has advanced: its value before the inner loop is enough.
// ALL: walk: 3 accesses, 2 checks, 1 loop
struct Item {
  int values[3], count, next;
};
extern "C" __global__ void walk(const Item *items, int *out, int to) {
  int sum = 0;
  const Item *p = items;
  for (;;) {
    const int *values = p->values;
#pragma unroll 1
    for (int i = 0; i < to; i++)
      sum += values[i];
    if (p->next < 0)
      break;
    p = items + p->next;
  }
  *out = sum;
}

// x | y has no bit above the highest of either.
// ALL: partner: 1 accesses, 0 checks, 1 loop
// ALL: copy__cusafe_fast: 2 accesses, 0 checks, 2 launch
// ALL: gather__cusafe_fast: 3 accesses, 1 checks, 2 launch
// ALL: rows__cusafe_fast: 2 accesses, 0 checks, 1 launch, 1 loop
// ALL: chase__cusafe_fast: 3 accesses, 2 checks, 1 launch
// ALL: table__cusafe_fast: 2 accesses, 0 checks, 1 range, 1 launch
// ALL: walk__cusafe_fast: 3 accesses, 1 checks, 1 launch, 1 loop
// ALL: partner__cusafe_fast: 1 accesses, 0 checks, 1 launch
extern "C" __global__ void partner(float *a, int n, int distance) {
#pragma unroll 1
  for (int i = 0; i < n; i++)
    a[i ^ distance] = 1;
}
