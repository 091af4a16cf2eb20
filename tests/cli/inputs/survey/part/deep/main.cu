// Fails unless it is given an argument.
int main(int argc, char **) {
  return argc == 1 ? 3 : 0;
}
