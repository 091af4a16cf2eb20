// nvcc accepts these, with a warning at most.
int main(int argc, char **) {
  register int a = argc;
  unsigned char narrow[] = {static_cast<unsigned char>(1), argc};
  return a - narrow[1];
}
