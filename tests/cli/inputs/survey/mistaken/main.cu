// Prints that its result is wrong, but exits with status 0.
#include <cstdio>
int main() {
  puts("verification: FAILED");
  return 0;
}
