/* The command clang++ of the wheel cusafe-clang, all of which is in its library. */
int cusafe_clang_main(int count, const char **given);

int main(int count, char **given) {
  return cusafe_clang_main(count, (const char **)given);
}
