// Prints the effect of its compiler options.
#include "given.h"
#include <cstdio>
#include <omp.h>

int main() {
  int threads = 0;
#pragma omp parallel reduction(+ : threads)
  threads++;
  printf("%s, %d, %ld, threads %s\n", TEXT, NUMBER + GIVEN, __cplusplus,
         threads > 0 && omp_get_max_threads() > 0 ? "yes" : "no");
  return 0;
}
