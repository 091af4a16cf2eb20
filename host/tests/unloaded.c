/* unloaded.c: a library that test_walk.c loads only to unload it. */
int cs_unloaded(void);
int cs_unloaded(void) {
  return 1;
}
