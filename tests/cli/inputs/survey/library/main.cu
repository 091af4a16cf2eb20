// Calls a library that requires a GPU.
extern "C" int cufftDestroy(int plan);
int main() {
  return cufftDestroy(1);
}
