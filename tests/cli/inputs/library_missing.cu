// library_missing.cu: calls cuFFT in a program without that library; CuSafe has a function of this name.
extern "C" int cufftPlan1d(int *, int, int, int);
int main() {
  int plan;
  return cufftPlan1d(&plan, 16, 0x29, 1) == 0;
}
