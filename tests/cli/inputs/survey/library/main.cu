// Calls a library that needs a GPU.
extern "C" int cufftDestroy(int plan);
int main() {
  return cufftDestroy(1);
}
