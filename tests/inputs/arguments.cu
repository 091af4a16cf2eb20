// Prints its arguments, one per line, and exits with their number: what `cusafe run` passes to a program.
#include <stdio.h>
int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    puts(argv[i]);
  return argc - 1;
}
