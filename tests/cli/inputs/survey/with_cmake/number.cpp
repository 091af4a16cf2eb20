// Host code.
#include <cstdio>

int number() {
  int n = 0;
  FILE *in = fopen("made_by_the_build", "r");
  if (!in || fscanf(in, "%d", &n) != 1)
    printf("failed: the program is not run where it was built\n");
  return n;
}
