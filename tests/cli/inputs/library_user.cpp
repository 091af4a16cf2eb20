#include <cstdlib>
extern "C" int fill(int threads);
int main(int, char **argv) {
  return fill(atoi(argv[1]));
}
