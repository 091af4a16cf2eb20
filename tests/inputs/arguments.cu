// Prints its arguments, one on each line, and ends with the number of them: what a program sees of `cusafe run`.
#include <stdio.h>
int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    puts(argv[i]);
  return argc - 1;
}
