/* gpu_program.c: a program with the symbols of one that 'cusafe cc' built for a GPU. */
int main(void) {
  return 0;
}
