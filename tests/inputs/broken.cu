// Does not compile: the kernel uses a name that does not exist.
__global__ void broken(int *p) {
  *p = missing;
}
int main() {
  return 0;
}
