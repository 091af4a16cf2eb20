// The host's file.
int number() {
  return 31;
}
