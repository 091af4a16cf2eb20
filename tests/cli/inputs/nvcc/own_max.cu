// A program's own functions of these names.
#include <cstdio>
int max(int a, int b) {
  return 100 + (a > b ? a : b);
}
template <class T> T min(T a, T b) {
  return a < b ? a : b;
}
int main() {
  printf("%d %d\n", max(1, 2), min(3, 4));
}
