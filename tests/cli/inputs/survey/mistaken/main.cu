// Says that its result is wrong, but not by its exit status.
#include <cstdio>
int main() {
  puts("verification: FAILED");
  return 0;
}
