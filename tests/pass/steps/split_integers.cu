// split-integers: an integer that is compared with another address and stored as well is converted twice;
// plain-addresses and mark-escapes give each its own form.
// RUN: %device_cc -mllvm -cusafe-print-after=split-integers -O1 %s -o %t 2>&1 | FileCheck --check-prefix=SPLIT %s
// RUN: %device_cc -mllvm -cusafe-print-after=plain-addresses -O1 %s -o %t 2>&1 | FileCheck --check-prefix=PLAIN %s
#include "../pass_test.h"
// SPLIT-LABEL: define{{.*}} @_Z4swapPmPcS0_(
// SPLIT: %[[ADDRESS:.*]] = ptrtoint ptr %[[P:[0-9]+]] to i64
// SPLIT-NEXT: %[[STORED:.*]] = ptrtoint ptr %[[P]] to i64
// SPLIT: store i64 %[[STORED]],
// SPLIT: sub i64 %[[ADDRESS]],
// PLAIN-LABEL: define{{.*}} @_Z4swapPmPcS0_(
// PLAIN-DAG: call ptr @__cs_kept(
// PLAIN-DAG: call ptr @__cs_plain(
__global__ void swap(unsigned long *out, char *a, char *b) {
  unsigned long x = (unsigned long)(a + 8), y = (unsigned long)b;
  out[0] = x;
  out[1] = x - y;
}
