// Calls a library that requires a GPU.
extern "C" void *nppsMalloc_8u(int size);
int main() {
  return !nppsMalloc_8u(1);
}
