/* gpu_program.c: a program that 'cusafe cc' built for a GPU, as far as its symbols tell. */
int main(void) {
  return 0;
}
