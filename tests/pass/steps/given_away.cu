// note-given-away: a pointer that is stored where uninstrumented code reads it stays plain: vprintf takes its arguments this way.
// RUN: %device_cc -mllvm -cusafe-print-after=mark-escapes -O1 %s -o %t 2>&1 | FileCheck %s
#include "../pass_test.h"
extern "C" __device__ int vprintf(const char *, const char *);
// CHECK-LABEL: define{{.*}} @_Z4showPc(
// CHECK: %[[PLAIN:.*]] = call ptr @__cs_plain(
// CHECK: store ptr %[[PLAIN]], ptr addrspace(5)
__global__ void show(char *p) {
  struct {
    char *pointer;
  } arguments = {p + 5};
  vprintf("%p", (const char *)&arguments);
}
