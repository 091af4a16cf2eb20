// Calls libraries that require a GPU.
#include <cusparse.h>
int main() {
  cusparseHandle_t handle;
  return cusparseCreate(&handle) || cusparseDestroy(handle);
}
