// Calls a library that requires a GPU.
extern "C" int cusolverDnDestroy(void *handle);
int main() {
  return cusolverDnDestroy(nullptr);
}
