// Requires the script's arguments.
int main(int argc, char **) {
  return argc == 4 ? 0 : 1;
}
