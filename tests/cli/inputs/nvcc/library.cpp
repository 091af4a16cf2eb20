// Calls a library that requires a GPU.
extern "C" int cudnnCreate(void **handle);
int main() {
  void *handle;
  return cudnnCreate(&handle);
}
